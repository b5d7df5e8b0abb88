"""The gradient highway: the size of the gradient along the residual stream."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.tracing import schemas, wire
from app.tracing.requests import TextRequest
from model.gradient_flow import gradient_flow
from model.tracing import Trace

router = APIRouter(tags=["gradient flow"])


@router.post("/gradient-flow", responses={200: {"model": schemas.FlowAnswer}})
async def create_gradient_flow(service: Served, request: TextRequest) -> Response:
    """The norm of d loss / d stage at each place of the residual stream, as it is and if no
    gradient took the residual connections."""
    model = service.model(request.model)
    traced = await service.trace(model, request.question)
    body = await service.slowly(lambda: to_json(flowing(traced)))
    return Response(body, media_type=JSON_TYPE)


def flowing(traced: Trace) -> dict[str, Any]:
    """The answer for one trace."""
    return {
        "model": wire.model_card(traced.model),
        **wire.read_text(traced),
        "flow": [asdict(place) for place in gradient_flow(traced)],
        "notices": list(traced.notices),
    }
