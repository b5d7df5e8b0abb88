"""The labs' pages: an index, and one page a lab, which draws what the API answers."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from functools import lru_cache
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from app.labs.claims import CLAIMS, Claim, Compared
from app.labs.controls import Control, control
from app.labs.table import LABS, Lab
from app.server.access import Served
from app.server.practice import shown
from app.site.pages import Pages
from app.tracing.figures import KINDS
from app.tracing.mathml import mathml
from model.table.stage import Kind

BY_NAME = {lab.name: lab for lab in LABS}


def install(app: FastAPI, pages: Pages) -> None:
    """The addresses of the labs' pages."""

    @app.get("/labs", include_in_schema=False)
    async def show_labs(if_none_match: Annotated[str | None, Header()] = None) -> Response:
        return await pages.respond("labs.html", if_none_match, labs=LABS, here="/labs")

    @app.get("/labs/{name}", include_in_schema=False)
    async def show_lab(
        service: Served, name: str, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        lab = BY_NAME.get(name)
        if lab is None:
            raise HTTPException(404)
        context = await run_in_threadpool(_context, lab)
        stages = shown(lab.sections, service.models.values())
        return await pages.respond(f"lab_{lab.name}.html", if_none_match, stages=stages, **context)


@lru_cache
def controls(lab: Lab) -> tuple[Control, ...]:
    """A lab's controls, in the order of its page."""
    return tuple(control(lab.request, move) for move in lab.moves)


@lru_cache
def compared(lab: Lab) -> tuple[Compared, ...]:
    """What the texts say, each beside the number computed here."""
    return tuple(
        Compared(claim, float(claim.take(_result(lab, claim.setting))))
        for claim in CLAIMS[lab.name]
    )


def link(lab: Lab, claim: Claim) -> str:
    """The page of a lab in a claim's setting; every control is named, as the page's own beginning
    is another than the API's."""
    asked = lab.request(**claim.setting).model_dump()
    moved = {move.name: asked[move.name] for move in lab.moves}
    written = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in moved.items()
    }
    return f"/labs/{lab.name}?{urlencode(written, doseq=True)}"


def _result(lab: Lab, setting: Mapping[str, Any]) -> Any:
    return lab.compute(**lab.request(**setting).model_dump())


@lru_cache
def _context(lab: Lab) -> dict[str, Any]:
    here = LABS.index(lab)
    found = controls(lab)
    signed = KINDS[Kind.SIGNED.value]
    return {
        "lab": lab,
        "controls": {each.name: each for each in found},
        "claims": [(each, link(lab, each.claim)) for each in compared(lab)],
        "before": LABS[here - 1] if here else None,
        "after": LABS[here + 1] if here + 1 < len(LABS) else None,
        "here": f"/labs/{lab.name}",
        "boot": {
            "controls": [asdict(each) for each in found],
            "equations": {latex: mathml(latex) for latex in _equations(_result(lab, {}))},
            "signed": {"colours": signed["colours"], "mask": signed["mask"]},
        },
    }


def _equations(result: Any) -> Iterator[str]:
    """Every equation of a lab's result; they do not depend on what is moved."""
    if is_dataclass(result) and not isinstance(result, type):
        for name, value in vars(result).items():
            if name in ("equation", "symbol"):
                yield value
            else:
                yield from _equations(value)
    elif isinstance(result, tuple | list):
        for value in result:
            yield from _equations(value)
