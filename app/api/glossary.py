"""The words of all the stage tables, and how the course texts write the same things."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app import schemas_glossary, wire
from app.api.access import Served
from app.glossary import Glossary, glossary
from app.service import Service

router = APIRouter(tags=["glossary"])


@router.get("/glossary", responses={200: {"model": schemas_glossary.GlossaryAnswer}})
async def show_glossary(
    service: Served, _: Annotated[schemas_glossary.GlossaryRequest, Query()]
) -> Response:
    """Every stage, axis, kind, section, symbol and operation of the served models, and the
    course's notation. A stage that several blocks have is one entry, under a pattern of its keys.
    """
    return Response(wire.to_json(of_service(service)), media_type=wire.JSON_TYPE)


def of_service(service: Service) -> Glossary:
    """The glossary of all models that are served, the default one's words first."""
    models = sorted(service.models.values(), key=lambda model: model.id != service.default_id)
    return glossary(tuple((model.id, model.config) for model in models))
