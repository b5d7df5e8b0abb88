"""The description of the API for programs, under the rules of every other call."""

from fastapi import APIRouter, Request, Response

from app.server.json import JSON_TYPE, to_json

router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
async def show_description(request: Request) -> Response:
    """OpenAPI 3.1."""
    return Response(to_json(request.app.openapi()), media_type=JSON_TYPE)
