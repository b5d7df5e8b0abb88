"""The parameters of a model, one tensor at a time."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from app.server.access import Served
from app.server.json import JSON_TYPE
from app.tracing import schemas_cells as schemas
from app.tracing import wire
from app.tracing.requests import WeightRequest
from model.parameters import parameter_of

router = APIRouter(tags=["weights"])


@router.get(
    "/weights/{key}",
    responses={
        200: {"model": schemas.WeightAnswer, "content": {wire.SAFETENSORS_TYPE: {}}},
    },
)
async def show_weight(
    service: Served,
    key: Annotated[
        str, Path(description="a weight's name in the checkpoint", examples=["embedding.weight"])
    ],
    request: Annotated[WeightRequest, Query()],
) -> Response:
    """One weight, whole, as the checkpoint has it; a matrix is (out, in). `safetensors` has the
    raw tensor by its name, and all else as JSON in `__metadata__.weight`."""
    model = service.model(request.model)
    parameter = parameter_of(model, key)
    if request.format == "safetensors":
        return Response(
            wire.weight_as_safetensors(model, parameter),
            media_type=wire.SAFETENSORS_TYPE,
            headers={"Content-Disposition": f'attachment; filename="{key}.safetensors"'},
        )
    return Response(wire.weight_as_json(model, parameter), media_type=JSON_TYPE)
