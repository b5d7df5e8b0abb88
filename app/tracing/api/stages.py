"""The stage table: what every tensor of a model is, and how it is drawn."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.tracing import figures, schemas, wire
from app.tracing.requests import ModelRequest
from model.checkpoint import LoadedModel
from model.parameters import parameters
from model.tokenizer import glyph

router = APIRouter(tags=["stages"])


@router.get("/stages", responses={200: {"model": schemas.StageTable}})
async def list_stages(service: Served, request: Annotated[ModelRequest, Query()]) -> Response:
    """Every stage of a model in the order it is made, and every weight; under `kinds`, how each
    kind is drawn."""
    content = stage_table(service.model(request.model))
    return Response(to_json(content), media_type=JSON_TYPE)


def stage_table(model: LoadedModel) -> dict[str, Any]:
    """The table with the model's vocabulary, which labels the vocab axis."""
    return {
        "model": model.id,
        "vocabulary": list(model.tokenizer.vocabulary),
        "labels": [glyph(character) for character in model.tokenizer.vocabulary],
        "stages": list(wire.stage_table(model.config)),
        "weights": [
            wire.weight_entry(model, parameter) for parameter in parameters(model.config).values()
        ],
        "kinds": figures.KINDS,
    }
