"""The pages of the course texts: their sections in order, with all that shows them here; and what
their references are for."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import FastAPI, Header, Response

from app.server.access import Served
from app.server.practice import StageLink, Use, section_anchor, shown
from app.server.service import Service
from app.site.pages import Pages
from app.texts.table import TEXTS, CourseText
from model.table.sections import EVERY, Section

Tag = Annotated[str | None, Header()]


@dataclass(frozen=True)
class SectionEntry:
    """A section, whether the text has it or only points to it, and what shows it."""

    section: Section
    anchor: str
    at_home: bool
    stages: tuple[StageLink, ...]
    uses: tuple[Use, ...]


def install(app: FastAPI, pages: Pages) -> None:
    """The pages' addresses."""

    @app.get("/texts", include_in_schema=False)
    async def show_texts(service: Served, if_none_match: Tag = None) -> Response:
        listed = [(text, entries(service, text)) for text in TEXTS]
        models = list(service.models)
        return await pages.respond(
            "texts.html", if_none_match, texts=listed, models=models, here="/texts"
        )

    @app.get("/reading", include_in_schema=False)
    async def show_reading(if_none_match: Tag = None) -> Response:
        return await pages.respond("reading.html", if_none_match, texts=TEXTS, here="/reading")


def entries(service: Service, text: CourseText) -> tuple[SectionEntry, ...]:
    """The sections of a text in reading order, those that it points to last."""
    found = (
        SectionEntry(
            section,
            section_anchor(section),
            text.has(section),
            shown(
                [section], service.models.values(), (*text.presets, service.settings.default_model)
            ),
            service.practice.of_section(section),
        )
        for section in EVERY
        if section.course == text.course
    )
    return tuple(sorted(found, key=lambda entry: not entry.at_home))
