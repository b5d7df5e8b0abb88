"""The proof of a trace: every stage computed a second time."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.tracing import schemas, wire
from app.tracing.requests import CheckRequest
from model.checking import check, sanity
from model.equality import Difference, tolerance
from model.tracing import Trace

router = APIRouter(tags=["checks"])


@router.post("/checks", responses={200: {"model": schemas.CheckAnswer}})
async def create_check(service: Served, request: CheckRequest) -> Response:
    """Each stage by the NumPy interpreter, end to end from the ids and the single operation from
    its recorded inputs, with the largest difference; and the sanity checks of lesson 56."""
    model = service.model(request.model)
    traced = await service.trace(model, request.question, gradients=request.gradients)
    body = await service.slowly(lambda: to_json(checked(traced)))
    return Response(body, media_type=JSON_TYPE)


def checked(traced: Trace) -> dict[str, Any]:
    """The answer for one trace; with its gradients, if it has any."""
    return {
        "model": wire.model_card(traced.model),
        **wire.read_text(traced),
        "tolerance": tolerance(),
        "checks": [
            {
                "key": stage.key,
                "end_to_end": _difference(stage.end_to_end),
                "single_operation": _difference(stage.single_operation),
                "gradient": None if stage.gradient is None else _difference(stage.gradient),
            }
            for stage in check(traced)
        ],
        "sanity": [asdict(found) for found in sanity(traced)],
        "notices": list(traced.notices),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return asdict(found) | {"equal": found.equal}
