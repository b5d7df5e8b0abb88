"""The page of the glossary."""

from typing import Annotated

from fastapi import FastAPI, Header, Response

from app.glossary.api import of_service
from app.glossary.entries import anchor, grouped
from app.server.access import Served
from app.site.pages import Pages
from model.table.notation import letters


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page."""

    @app.get("/glossary", include_in_schema=False)
    async def show_glossary(
        service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        return pages.respond(
            "glossary.html",
            if_none_match,
            glossary=of_service(service),
            letters=letters(),
            anchor=anchor,
            grouped=grouped,
            here="/glossary",
        )
