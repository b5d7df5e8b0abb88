"""The pages: the tracer itself, and the API's documentation."""

from hashlib import blake2b
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import reference
from app.api.access import Served
from app.api.models import entry
from app.assets import REVALIDATE, Assets
from app.settings import ROOT


class Pages:
    """Jinja's templates, with the addresses of scripts and styles at hand."""

    def __init__(self, assets: Assets) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(ROOT / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["asset"] = assets.url

    def respond(self, name: str, if_none_match: str | None, **context: Any) -> Response:
        """A rendered page that browsers keep but ask about at every load."""
        body = self._environment.get_template(name).render(**context).encode()
        tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": REVALIDATE}
        if if_none_match is not None and tag in (t.strip() for t in if_none_match.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type="text/html", headers=headers)


def install(app: FastAPI, pages: Pages) -> None:
    """The pages' addresses."""

    @app.get("/", include_in_schema=False)
    async def show_tracer(
        service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        models = [entry(service, model) for model in service.models.values()]
        return pages.respond(
            "tracer.html",
            if_none_match,
            models=models,
            text=service.settings.text,
            reason=None if models else service.reason(),
        )

    @app.get("/api", include_in_schema=False)
    async def show_reference(
        request: Request, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        return pages.respond(
            "reference.html",
            if_none_match,
            calls=reference.calls(app.openapi()),
            base=str(request.base_url).rstrip("/"),
        )
