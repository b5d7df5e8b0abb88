"""The application."""

import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import torch
from fastapi import Depends, FastAPI

from app.exports.saved import SavedPages
from app.glossary import api as glossary
from app.glossary import page as glossary_page
from app.labs import api as labs
from app.labs import page as lab_pages
from app.labs import uses as lab_uses
from app.lessons import api as lessons
from app.lessons import numbers
from app.lessons import page as lesson_pages
from app.lessons import uses as lesson_uses
from app.server import description, errors, health
from app.server.headers import Headers, HeadRequests
from app.server.limits import BodyLimit
from app.server.memory import keep_freed
from app.server.practice import Practice
from app.server.schemas import ErrorAnswer
from app.server.service import Service
from app.server.settings import ROOT, Settings
from app.server.strictness import as_declared
from app.site import checks as checks_page
from app.site import reference, tracer
from app.site.assets import Assets
from app.site.missing import Missing
from app.site.pages import Pages
from app.texts import page as texts_page
from app.tracing.api import cells, checks, figures, gradient_flow, models, stages, traces, weights

API = "/api/v1"
NOUNS = (
    models, stages, weights, traces, figures, cells, checks, gradient_flow, labs, lessons,
    numbers, glossary, health, description,
)  # fmt: skip
DESCRIPTION = "Every intermediate tensor of a small trained transformer, by name."


def create_app(settings: Settings | None = None) -> FastAPI:
    """The whole server; models are loaded here, so a ready app is one that can answer."""
    settings = settings or Settings()
    # One thread: the tensors are small, and two threads on a busy machine wait for each other.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    keep_freed()
    practice = Practice((*lab_uses.uses(), *lesson_uses.uses(), checks_page.USE))
    service = Service(settings, practice)
    assets = Assets(ROOT / "static")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # What is loaded by now stays: the collector need not walk torch's modules at every turn,
        # which was a tenth of a binary trace's time.
        gc.collect()
        gc.freeze()
        yield
        gc.unfreeze()
        service.close()

    app = FastAPI(
        title="Token Tracer",
        version=version("token-tracer"),
        description=DESCRIPTION,
        openapi_url=None,  # `description` serves it
        docs_url=None,
        redirect_slashes=False,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.saved_pages = SavedPages(service, assets)
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes)
    app.add_middleware(HeadRequests)
    app.add_middleware(Headers)
    site = Pages(assets)
    errors.install(app, Missing(site, API))
    for noun in NOUNS:
        app.include_router(
            noun.router,
            prefix=API,
            dependencies=[Depends(as_declared)],
            responses={code: {"model": ErrorAnswer} for code in (404, 413, 422, 503)},
        )
    app.include_router(assets.router())
    for module in (
        tracer,
        reference,
        glossary_page,
        lesson_pages,
        lab_pages,
        texts_page,
        checks_page,
    ):
        module.install(app, site)
    return app
