"""A typed number or formula, read: what the labs' number fields ask."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.lessons import schemas
from app.lessons.notation import number
from app.server.json import JSON_TYPE, to_json

router = APIRouter(tags=["lessons"])


@router.get("/numbers", responses={200: {"model": schemas.NumberAnswer}})
async def read_number(request: Annotated[schemas.NumberRequest, Query()]) -> Response:
    """What a number as people write it comes to: 0.25, 1e-5, 49,984, 2/3, 66 %, 0.9^48. A lesson
    reads predictions in the same way, and knows its question's symbols besides."""
    found = {"prediction": request.prediction, "value": number(request.prediction)}
    return Response(to_json(found), media_type=JSON_TYPE)
