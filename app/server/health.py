"""Whether the server is alive, and ready."""

from fastapi import APIRouter, Response

from app.server import schemas
from app.server.access import Served
from app.server.json import JSON_TYPE, to_json

router = APIRouter(tags=["health"])


@router.get(
    "/health",
    responses={200: {"model": schemas.Health}, 503: {"model": schemas.Health}},
)
async def show_health(service: Served) -> Response:
    """200 and "ready" when a model is loaded, else 503 and the reason."""
    ready = bool(service.models)
    content = {
        "status": "ready" if ready else "no model",
        "models": list(service.models),
        "reason": service.reason() if service.problems or not ready else None,
    }
    return Response(
        to_json(content),
        status_code=200 if ready else 503,
        media_type=JSON_TYPE,
        headers={"Cache-Control": "no-store"},
    )
