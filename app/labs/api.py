"""The course's small experiments, to be moved and read."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from app.labs import schemas
from app.labs.schemas_counting import CountingAnswer, CountingRequest
from app.labs.schemas_depth import DepthAnswer, DepthRequest
from app.labs.schemas_experiment import ExperimentAnswer, ExperimentRequest
from app.labs.schemas_gradient_check import GradientCheckAnswer, GradientCheckRequest
from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from model.config import ModelConfig
from model.labs.activations import activations
from model.labs.counting import configured, counting, references
from model.labs.depth import depth
from model.labs.experiment import experiment
from model.labs.gradient_check import gradient_check
from model.labs.layernorm import layernorm
from model.labs.masking import masking
from model.labs.positions import positions
from model.labs.residuals import residuals

router = APIRouter(prefix="/labs", tags=["labs"])


@router.get("/counting", responses={200: {"model": CountingAnswer}})
async def show_counting(service: Served, request: Annotated[CountingRequest, Query()]) -> Response:
    """The parameters of a model of any sizes, itemised by formula and from its tensors, one block
    against 12 d², FLOPs, and the rules of thumb P ≈ 12 L d² + V d and C ≈ 6 N D with their error;
    beside it the same for the models that the course speaks of."""
    config = configured(**request.model_dump(exclude={"tokens"}))
    body = await service.slowly(lambda: to_json(_counted(config, request.tokens)))
    return Response(body, media_type=JSON_TYPE)


def _counted(config: ModelConfig, tokens: int) -> dict[str, Any]:
    return {
        "counting": counting(config, tokens),
        "references": [{"name": name, "counting": known} for name, known in references()],
    }


@router.get("/masking", responses={200: {"model": schemas.MaskingAnswer}})
async def show_masking(request: Annotated[schemas.MaskingRequest, Query()]) -> Response:
    """One row of attention, masked before the softmax, which is right, and after it, which is the
    mistake: what the row loses, and what leaks into it."""
    return _answer(masking(**request.model_dump()))


@router.get("/positions", responses={200: {"model": schemas.PositionsAnswer}})
async def show_positions(
    service: Served, request: Annotated[schemas.PositionsRequest, Query()]
) -> Response:
    """Sinusoidal positions: the wavelength of every pair; the rotation that moves any position
    `shift` further, and the map that least squares finds; dot products by the gap."""
    given = request.model_dump()
    body = await service.slowly(lambda: to_json(positions(**given)))
    return Response(body, media_type=JSON_TYPE)


@router.get("/layernorm", responses={200: {"model": schemas.LayerNormAnswer}})
async def show_layernorm(request: Annotated[schemas.LayerNormRequest, Query()]) -> Response:
    """LayerNorm of a vector step by step, RMSNorm beside it, the input scaled and shifted, and
    what ε does to small inputs."""
    return _answer(layernorm(**request.model_dump()))


@router.get("/activations", responses={200: {"model": schemas.ActivationsAnswer}})
async def show_activations(request: Annotated[schemas.ActivationsRequest, Query()]) -> Response:
    """ReLU, GELU in its exact and its tanh form, and SiLU over a range, with their slopes."""
    return _answer(activations(**request.model_dump()))


@router.get("/residuals", responses={200: {"model": schemas.ResidualsAnswer}})
async def show_residuals(request: Annotated[schemas.ResidualsRequest, Query()]) -> Response:
    """What is left of a gradient after each layer of a deep stack, with and without skip
    connections: by the formula, path by path, and measured in a stack of random layers."""
    return _answer(residuals(**request.model_dump()))


@router.get("/experiment", responses={200: {"model": ExperimentAnswer}})
async def show_experiment(request: Annotated[ExperimentRequest, Query()]) -> Response:
    """The committed measurements: learned against sinusoidal positions and post-LN against pre-LN,
    every run, with mean and spread over the first seeds, and module 7's single run beside."""
    return _answer(experiment(**request.model_dump()))


@router.get("/depth", responses={200: {"model": DepthAnswer}})
async def show_depth(service: Served, request: Annotated[DepthRequest, Query()]) -> Response:
    """Fresh, seeded stacks: how near a block is to the identity, what attention alone does to the
    positions over depth, the drift of the stream, and a tiny pass in a batch of two."""
    body = await service.slowly(lambda: to_json(depth(request.depth, request.scale, request.seed)))
    return Response(body, media_type=JSON_TYPE)


@router.get("/gradient-check", responses={200: {"model": GradientCheckAnswer}})
async def show_gradient_check(
    service: Served, request: Annotated[GradientCheckRequest, Query()]
) -> Response:
    """One weight of a served model moved by ε both ways: the difference quotient in float32 and in
    float64 beside the analytic gradient, and its error over ε."""
    model = service.model(request.model or None)
    index = [int(at) for at in request.index.split(",")]

    def checked() -> bytes:
        return to_json(
            gradient_check(
                model, request.text, weight=request.weight, index=index, epsilon=request.epsilon
            )
        )

    return Response(await service.slowly(checked), media_type=JSON_TYPE)


def _answer(content: Any) -> Response:
    return Response(to_json(content), media_type=JSON_TYPE)
