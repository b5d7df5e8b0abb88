"""Traces: every intermediate tensor of one text."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Response

from app import schemas, wire
from app.api.access import Served
from app.headers import unchanged
from app.requests import Format, TraceRequest
from app.service import Service
from model.errors import UnknownStage
from model.stage import Stage
from model.tracing import Trace, matching

router = APIRouter(tags=["traces"])
ONE_STAGE_FOR_CSV = "The csv format holds one stage, but {} match; name one in `stages`."

FORMATS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": schemas.TraceAnswer,
        "content": {wire.SAFETENSORS_TYPE: {}, wire.NPZ_TYPE: {}, "text/csv": {}},
    }
}


@router.post("/traces", responses=FORMATS)
async def create_trace(service: Served, request: TraceRequest) -> Response:
    """Trace a text. `json` has values as nested lists (a masked cell is null, and `null_means`
    says so); `safetensors` and `npz` have the raw tensors by stage key, with true −inf; `csv` has
    one stage, a row a cell."""
    return await respond(service, request)


@router.get("/traces", responses=FORMATS)
async def show_trace(
    service: Served,
    request: Annotated[TraceRequest, Query()],
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The same for a link, curl and caches, with a strong ETag."""
    response = await respond(service, request)
    tag = f'"{blake2b(response.body, digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if unchanged(if_none_match, tag):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response


async def respond(service: Service, request: TraceRequest) -> Response:
    """Trace and encode. Tracing and the binary forms take a few milliseconds and run inline; text
    forms take tens of them and wait for a thread."""
    model = service.model(request.model)
    chosen = matching(model, request.stages)
    if request.format is Format.CSV and len(chosen) > 1:
        raise UnknownStage(ONE_STAGE_FOR_CSV.format(len(chosen)), field="stages")
    traced = await service.trace(
        model, request.text, request.target, request.hidden,
        gradients=request.gradients, weight_gradients=request.weight_gradients,
    )  # fmt: skip
    body, media_type = await _encode(service, request.format, traced, chosen)
    name = (
        f"trace.{request.format.value}"
        if len(chosen) > 1
        else f"{chosen[0].key}.{request.format.value}"
    )
    headers = (
        {}
        if request.format is Format.JSON
        else {"Content-Disposition": f'attachment; filename="{name}"'}
    )
    return Response(body, media_type=media_type, headers=headers)


async def _encode(
    service: Service, form: Format, traced: Trace, chosen: Sequence[Stage]
) -> tuple[bytes, str]:
    if form is Format.SAFETENSORS:
        return wire.as_safetensors(traced, chosen), wire.SAFETENSORS_TYPE
    if form is Format.NPZ:
        return await service.slowly(lambda: wire.as_npz(traced, chosen)), wire.NPZ_TYPE
    if form is Format.CSV:
        return await service.slowly(lambda: wire.as_csv(traced, chosen[0])), wire.CSV_TYPE
    return await service.slowly(lambda: wire.as_json(traced, chosen)), wire.JSON_TYPE
