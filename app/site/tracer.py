"""The page of the tracer."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response

from app.server.access import Served
from app.server.errors import Busy
from app.server.service import Service
from app.site import opening
from app.site.pages import Pages
from app.tracing import wire
from app.tracing.api.models import entry
from app.tracing.api.stages import stage_table
from model.checkpoint import LoadedModel
from model.question import Question
from model.table.sections import RESIDUALS

READ_BY_THE_MODEL = {"text", "target", "hidden"}
"""What an address may say of the request that the page makes."""


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page."""

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
    return tracer(service, model, text, opening.stage(model.stages), boot)


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
        traced = await service.trace(model, Question(text))
    except Busy:
        return {}
    return {
        "table": stage_table(model, traced.stages, service.practice),
        "trace": b64encode(wire.as_safetensors(traced, traced.stages)).decode(),
    }
