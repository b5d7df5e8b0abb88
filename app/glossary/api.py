"""The words of all the stage tables, and how the course texts write the same things."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.glossary import schemas
from app.glossary.entries import Glossary, glossary
from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.server.service import Service

router = APIRouter(tags=["glossary"])


@router.get("/glossary", responses={200: {"model": schemas.GlossaryAnswer}})
async def show_glossary(
    service: Served, _: Annotated[schemas.GlossaryRequest, Query()]
) -> Response:
    """Every stage, axis, kind, section, symbol and operation of the served models, and the
    course's notation. A stage that several blocks have is one entry, under a pattern of its keys.
    """
    return Response(to_json(of_service(service)), media_type=JSON_TYPE)


def of_service(service: Service) -> Glossary:
    """The glossary of all models that are served, the default one's words first."""
    models = sorted(service.models.values(), key=lambda model: model.id != service.default_id)
    return glossary(tuple((model.id, model.config) for model in models))
