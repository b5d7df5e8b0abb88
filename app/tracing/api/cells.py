"""The arithmetic of one number: of a stage, a weight, or a gradient."""

from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.tracing import schemas_cells as schemas
from app.tracing import wire
from app.tracing.mathml import mathml
from app.tracing.requests import CellRequest
from model.arithmetic import Cell
from model.cells import explain, explain_weight
from model.errors import CellError
from model.parameters import parameter_of
from model.tracing import Trace, stage_of

router = APIRouter(tags=["cells"])


@router.post("/cells", responses={200: {"model": schemas.CellAnswer}})
async def create_cell(service: Served, request: CellRequest) -> Response:
    """Where one number comes from: the equation with this cell's own operands, term by term, what
    they come to, and the shown value. Each operand can be asked in turn, down to the weights and
    the characters."""
    model = service.model(request.model)
    if (request.stage is None) == (request.weight is None):
        raise CellError("Name either a `stage` or a `weight`, just one of them.", field="stage")
    if request.stage is not None:  # before anything is computed
        stage_of(model.stages, request.stage, model.id)
        work = partial(explain, key=request.stage)
    else:
        assert request.weight is not None
        parameter_of(model, request.weight)
        work = partial(explain_weight, key=request.weight)
    traced = await service.trace(
        model, request.question, gradients=request.gradient,
        weight_gradients=request.gradient and request.weight is not None,
    )  # fmt: skip
    work = partial(
        work, traced, index=request.index, gradient=request.gradient, largest=request.terms
    )
    # A cell of a stage takes a millisecond; a gradient's may run large operations backward.
    cell = await service.slowly(work) if request.gradient else work()
    return Response(to_json(cell_answer(traced, cell)), media_type=JSON_TYPE)


def cell_answer(traced: Trace, cell: Cell) -> dict[str, Any]:
    """A cell as JSON, with what was traced."""
    return {
        "model": wire.model_card(traced.model),
        **wire.read_text(traced),
        **vars(cell),  # what is nested in it orjson writes far quicker than asdict copies it
        "mathml": mathml(cell.equation),
        "notices": list(traced.notices),
    }
