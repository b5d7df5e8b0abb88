"""The stage table: what every tensor of a model is, and how it is drawn."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.server.practice import Practice
from app.tracing import figures, schemas, wire
from app.tracing.requests import ModelRequest
from model.characters import glyph, in_words
from model.checkpoint import LoadedModel
from model.parameters import parameters
from model.table.stage import Stage

NONE = Practice(())

router = APIRouter(tags=["stages"])


@router.get("/stages", responses={200: {"model": schemas.StageTable}})
async def list_stages(service: Served, request: Annotated[ModelRequest, Query()]) -> Response:
    """Every stage of a model in the order it is made, and every weight; under `kinds`, how each
    kind is drawn."""
    model = service.model(request.model)
    content = stage_table(model, model.stages, service.practice)
    return Response(to_json(content), media_type=JSON_TYPE)


def stage_table(
    model: LoadedModel, stages: tuple[Stage, ...], practice: Practice = NONE
) -> dict[str, Any]:
    """The table of a model or of one trace, with the vocabulary, which labels the vocab axis, and
    with the `practice` that a server has: a file has none."""
    uses = practice.of_stages(model.config)
    pieces = [model.tokenizer.piece(id) for id in range(model.config.vocab_size)]
    return {
        "model": model.id,
        "vocabulary": [piece.text for piece in pieces],
        "labels": [piece.label for piece in pieces],
        "names": [
            in_words(piece.text)
            if len(piece.text) == 1 and piece.label == glyph(piece.text)
            else piece.label
            for piece in pieces
        ],
        "stages": [
            entry | {"practice": [wire.use(one) for one in uses[entry["key"]]]}
            for entry in wire.stage_entries(stages)
        ],
        "weights": [
            wire.weight_entry(model, parameter) for parameter in parameters(stages).values()
        ],
        "kinds": figures.KINDS,
    }
