"""The pages: the tracer itself, and the API's documentation."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app import opening, reference, wire
from app.api.access import Served
from app.api.models import entry
from app.api.stages import stage_table
from app.assets import REVALIDATE, Assets
from app.headers import unchanged
from app.requests import EXAMPLE_TEXT
from app.service import Service
from app.settings import ROOT
from model.stage import Kind


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
        self._environment.globals["scripts"] = assets.names(".js")
        self._environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True}

    def respond(
        self, name: str, if_none_match: str | None, *, status: int = 200, **context: Any
    ) -> Response:
        """A rendered page that browsers keep but ask about at every load."""
        body = self._environment.get_template(name).render(**context).encode()
        tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": REVALIDATE}
        if unchanged(if_none_match, tag):
            return Response(status_code=304, headers=headers)
        return Response(body, status, media_type="text/html", headers=headers)


def install(app: FastAPI, pages: Pages) -> None:
    """The pages' addresses."""

    @app.get("/", include_in_schema=False)
    async def show_tracer(
        request: Request, service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        return pages.respond(
            "tracer.html",
            if_none_match,
            status=200 if service.models else 503,
            base=str(request.base_url).rstrip("/"),
            **await _tracer(service, request.query_params),
        )

    @app.get("/api", include_in_schema=False)
    async def show_reference(
        request: Request, service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        return pages.respond(
            "reference.html",
            if_none_match,
            calls=reference.calls(app.openapi(), _examples(service)),
            shapes=reference.shapes(app.openapi()),
            base=str(request.base_url).rstrip("/"),
        )


async def _tracer(service: Service, query: Mapping[str, str]) -> dict[str, Any]:
    """What the tracer's page needs to start. Unless the address names a text, that includes the
    trace of the opening text, which draws the first pictures before anything else is asked for.
    """
    if not service.models:
        return {"reason": service.reason(), "models": [], "limit": 0, "text": "", "stage": "*"}
    named = query.get("model")
    model = service.model(named if named in service.models else None)
    text = opening.text(service.settings, model)
    stage = next(stage.key for stage in model.stages if stage.kind is Kind.PROBABILITY)
    boot: dict[str, Any] = {
        "model": model.id,
        "text": text,
        "stage": stage,
        "examples": opening.examples(model),
    }
    if "text" not in query:
        traced = await service.trace(model, text, None, ())
        boot["table"] = stage_table(model)
        boot["trace"] = b64encode(wire.as_safetensors(traced, model.stages)).decode()
    return {
        "reason": None,
        "models": [entry(service, each) for each in service.models.values()],
        "limit": model.config.context_length,
        "text": text,
        "stage": stage,
        "boot": boot,
    }


def _examples(service: Service) -> dict[str, str]:
    """Values for the reference's examples that this server can answer."""
    if not service.models:
        return {}
    model = service.model()
    text = EXAMPLE_TEXT
    if not opening.readable(model, text):
        text = opening.text(service.settings, model)
    return {"model_id": model.id, "text": text}
