"""Traces: every intermediate tensor of one text."""

from functools import partial
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from app.server.access import Served
from app.server.headers import unchanged
from app.server.service import Service
from app.tracing import schemas, wire
from app.tracing.encoding import MEDIA_TYPES, PageWriter, chosen_stages, encoded, file_name
from app.tracing.formats import Format
from app.tracing.requests import TraceQuery, TraceRequest

router = APIRouter(tags=["traces"])

FORMATS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": schemas.TraceAnswer,
        "content": {wire.SAFETENSORS_TYPE: {}, wire.NPZ_TYPE: {}, "text/csv": {}, "text/html": {}},
    }
}


async def saved_pages_of_app(request: Request) -> PageWriter:
    """What writes the pages of the running app."""
    saved_pages: PageWriter = request.app.state.saved_pages
    return saved_pages


Saving = Annotated[PageWriter, Depends(saved_pages_of_app)]


@router.post("/traces", responses=FORMATS)
async def create_trace(service: Served, saved_pages: Saving, request: TraceRequest) -> Response:
    """Trace a text. `json` has values as nested lists (what is not finite is null, and `null_means`
    says why); `safetensors` and `npz` have the raw tensors by stage key, with true −inf; `csv` has
    one stage, a row a cell; `html` is the page as one file, which opens without a server."""
    return await respond(service, saved_pages, request)


@router.get("/traces", responses=FORMATS)
async def show_trace(
    service: Served,
    saved_pages: Saving,
    request: Annotated[TraceQuery, Query()],
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The same for a link, curl and caches, with a strong ETag."""
    response = await respond(service, saved_pages, request)
    tag = f'"{blake2b(response.body, digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if unchanged(if_none_match, tag):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response


async def respond(service: Service, saved_pages: PageWriter, request: TraceRequest) -> Response:
    """Trace and encode. Tracing and the binary form take a few milliseconds and run inline; the
    other forms take tens of them and wait for a thread."""
    model = service.model(request.model)
    chosen = chosen_stages(model, request)
    traced = await service.trace(
        model, request.question, gradients=request.gradients,
        weight_gradients=request.weight_gradients,
    )  # fmt: skip
    encode = partial(encoded, traced, chosen, request, saved_pages)
    quick = request.format is Format.SAFETENSORS
    body = encode() if quick else await service.slowly(encode)
    name = file_name(request.format, chosen)
    headers = (
        {}
        if request.format is Format.JSON
        else {"Content-Disposition": f'attachment; filename="{name}"'}
    )
    return Response(body, media_type=MEDIA_TYPES[request.format], headers=headers)
