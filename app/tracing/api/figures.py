"""One stage as a Plotly figure, for exports and notebooks."""

from fastapi import APIRouter, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.tracing import figures, schemas
from app.tracing.requests import FigureRequest
from model.tracing import stage_of

router = APIRouter(tags=["figures"])


@router.post("/figures", responses={200: {"model": schemas.FigureAnswer}})
async def create_figure(service: Served, request: FigureRequest) -> Response:
    """The kind's template filled with the stage's tensor: `plotly.graph_objects.Figure(answer)`."""
    model = service.model(request.model)
    stage_of(model.stages, request.stage, model.id)  # before anything is computed
    traced = await service.trace(model, request.question, gradients=request.gradient)
    stage = traced.stage(request.stage)
    drawn = figures.of_gradient if request.gradient else figures.fill
    columns, scale = request.columns, request.scale
    body = await service.slowly(lambda: to_json(drawn(traced, stage, columns=columns, scale=scale)))
    return Response(body, media_type=JSON_TYPE)
