"""Which models are served, and what they are."""

import platform
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.server.service import Service
from app.tracing import schemas
from model import counting
from model.checkpoint import LoadedModel
from model.reading import longest_target
from model.tokenizer import MASK

router = APIRouter(tags=["models"])


@router.get("/models", responses={200: {"model": schemas.ModelList}})
async def list_models(service: Served) -> Response:
    """Every served model, with its configuration, parameters, training record and limits."""
    service.model()
    entries = [entry(service, model) for model in service.models.values()]
    return Response(to_json({"models": entries}), media_type=JSON_TYPE)


@router.get("/models/{model_id}", responses={200: {"model": schemas.ModelEntry}})
async def show_model(
    service: Served,
    model_id: Annotated[str, Path(description="a model id", examples=["shakespeare"])],
) -> Response:
    """One served model."""
    content = entry(service, service.model(model_id))
    return Response(to_json(content), media_type=JSON_TYPE)


def entry(service: Service, model: LoadedModel) -> dict[str, Any]:
    """The model's card."""
    breakdown = [
        {"key": key, "shape": list(array.shape), "count": int(array.size)}
        for key, array in model.weights.items()
    ]
    return {
        "id": model.id,
        "default": model.id == service.default_id,
        "architecture": model.config.architecture,
        "mask": MASK if model.config.guesses else None,
        "config": model.config.model_dump(),
        "parameters": sum(row["count"] for row in breakdown),
        "parameter_breakdown": breakdown,
        "counting": counting.itemised(
            model.config, {key: array.shape for key, array in model.weights.items()}
        ),
        "flops": counting.flops(model.config),
        "weights_sha256": model.weights_sha256,
        "weights_dtype": model.weights_dtype,
        "training": None if model.training is None else model.training.model_dump(),
        "limits": {
            "min_characters": 1,
            "max_characters": model.config.context_length,
            "max_target_characters": longest_target(model),
            "max_body_bytes": service.settings.max_body_bytes,
        },
        "vocabulary": [model.tokenizer.piece(id).text for id in range(model.config.vocab_size)],
        "versions": {
            "token-tracer": version("token-tracer"),
            "python": platform.python_version(),
            "torch": version("torch"),
            "numpy": version("numpy"),
            "plotly": version("plotly"),
        },
    }
