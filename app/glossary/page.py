"""The page of the glossary."""

from typing import Annotated

from fastapi import FastAPI, Header, Response

from app.glossary.api import of_service
from app.glossary.entries import GlossaryStage, grouped
from app.server.access import Served
from app.server.practice import Use, anchor
from app.server.service import Service
from app.site.pages import Pages
from model.table.notation import letters


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page."""

    @app.get("/glossary", include_in_schema=False)
    async def show_glossary(
        service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        words = of_service(service)
        return await pages.respond(
            "glossary.html",
            if_none_match,
            glossary=words,
            letters=letters(),
            anchor=anchor,
            grouped=grouped,
            practice={stage.anchor: _practice(service, stage) for stage in words.stages},
            here="/glossary",
        )


def _practice(service: Service, stage: GlossaryStage) -> tuple[Use, ...]:
    """What practises a stage in any of the models that have it."""
    found = (
        use
        for form in stage.forms
        for place in form.places
        for use in service.practice.of_stages(service.models[place.model].config)[place.stage]
    )
    return tuple(dict.fromkeys(found))
