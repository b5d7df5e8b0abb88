"""The page of the tracer."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response

from app.server.access import Served
from app.server.errors import Busy
from app.server.service import Service
from app.site import opening
from app.site.pages import Page, Pages, answer
from app.tracing import wire
from app.tracing.api.models import entry
from app.tracing.api.stages import stage_table
from model.checkpoint import LoadedModel
from model.question import Question
from model.table.sections import RESIDUALS

READ_BY_THE_MODEL = {"text", "target", "hidden"}
"""What an address may say of the request that the page makes."""
MOST_KEPT = 16
"""Pages; a client may name the server as it likes."""


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page. It is the same whatever text the address names, so it is made once
    for each model and each name that the server is asked by."""
    kept: dict[tuple[str | None, str, bool], Page] = {}

    @app.get("/", include_in_schema=False)
    async def show_tracer(
        request: Request, service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        named, base = request.query_params.get("model"), str(request.base_url).rstrip("/")
        model = named if named in service.models else None
        key = (model, base, bool(READ_BY_THE_MODEL & request.query_params.keys()))
        page = kept.get(key)
        if page is None:
            context, whole = await _tracer(service, model, traced=not key[-1])
            page = await pages.rendered("tracer.html", base=base, **context)
            if whole:
                while len(kept) >= MOST_KEPT:
                    kept.pop(next(iter(kept)))
                kept[key] = page
        return answer(page, if_none_match, 200 if service.models else 503)


async def _tracer(
    service: Service, named: str | None, *, traced: bool
) -> tuple[dict[str, Any], bool]:
    """What the tracer's page needs to start, and whether that is all of it. `traced` adds the trace
    of the opening text, which draws the first pictures before anything else is asked for.
    """
    if not service.models:
        context = {
            "reason": service.reason(), "served": None, "writes": False, "limit": 0, "text": "",
            "stage": "*",
        }  # fmt: skip
        return context, False
    model = service.model(named)
    text = opening.text(service.settings, model)
    first = await _opening_trace(service, model, text) if traced else {}
    boot = {"examples": opening.examples(model), **first}
    context = tracer(service, model, text, opening.stage(model.stages), boot)
    return context, bool(first) or not traced


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
