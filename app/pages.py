"""The pages: the tracer itself, and the API's documentation."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response

from app import opening, reference, wire
from app.api.access import Served
from app.api.glossary import of_service
from app.api.models import entry
from app.api.stages import stage_table
from app.assets import REVALIDATE, Assets
from app.errors import Busy
from app.glossary import anchor, grouped
from app.headers import unchanged
from app.rendering import environment
from app.requests import EXAMPLE_TEXT
from app.service import Service
from model.checkpoint import LoadedModel
from model.table.notation import letters
from model.table.sections import RESIDUALS

READ_BY_THE_MODEL = {"text", "target", "hidden"}
"""What an address may say of the request that the page makes."""


class Pages:
    """Jinja's templates, with the addresses of scripts and styles at hand."""

    def __init__(self, assets: Assets) -> None:
        self._environment = environment(assets.url, assets.modules)

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
            here="/api",
            base=str(request.base_url).rstrip("/"),
        )

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


async def _tracer(service: Service, query: Mapping[str, str]) -> dict[str, Any]:
    """What the tracer's page needs to start. Unless the address names a text, that includes the
    trace of the opening text, which draws the first pictures before anything else is asked for.
    """
    if not service.models:
        return {
            "reason": service.reason(), "served": None, "writes": False, "limit": 0, "text": "",
            "stage": "*",
        }  # fmt: skip
    named = query.get("model")
    model = service.model(named if named in service.models else None)
    text = opening.text(service.settings, model)
    boot: dict[str, Any] = {"examples": opening.examples(model)}
    if not READ_BY_THE_MODEL & query.keys():
        boot |= await _opening_trace(service, model, text)
    return tracer(service, model, text, opening.stage(model), boot)


def tracer(
    service: Service, model: LoadedModel, text: str, stage: str, boot: Mapping[str, Any]
) -> dict[str, Any]:
    """What the tracer's template is filled with; `boot` is what its script starts from besides."""
    served = entry(service, model)
    return {
        "reason": None,
        "models": [entry(service, each) for each in service.models.values()],
        "served": served,
        "residuals": RESIDUALS,
        "writes": served["limits"]["max_target_characters"] is not None,
        "limit": served["limits"]["max_characters"],
        "text": text,
        "stage": stage,
        "boot": {
            "model": model.id,
            "architecture": served["architecture"],
            "mask": served["mask"],
            "weights": served["weights_sha256"],
            "text": text,
            "stage": stage,
            **boot,
        },
    }


async def _opening_trace(service: Service, model: LoadedModel, text: str) -> dict[str, Any]:
    """The table and the trace in the binary form; nothing where the model has to write and the
    server is busy: the page then asks for both itself, and waits its turn."""
    try:
        traced = await service.trace(model, text, None, ())
    except Busy:
        return {}
    return {
        "table": stage_table(model),
        "trace": b64encode(wire.as_safetensors(traced, model.stages)).decode(),
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
