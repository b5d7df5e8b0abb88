"""The page of all checks of one text: every stage beside its second computation, in words, numbers
and links to the cells that they are about. It needs no script."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Request, Response
from markupsafe import Markup
from starlette.datastructures import QueryParams

from app.server.access import Served
from app.server.errors import RETRY_AFTER, STATUS, Busy
from app.server.practice import Use, UseKind
from app.server.queries import SWITCHES
from app.server.service import Service
from app.site import opening
from app.site.pages import Pages
from app.tracing import wire
from app.tracing.api.checks import checked
from app.tracing.mathml import mathml
from model.characters import in_one_line
from model.checkpoint import LoadedModel
from model.equality import MEASURE, RULE
from model.errors import InputError, TextError, quoted
from model.question import Question
from model.reading import with_line_feeds
from model.table import sections
from model.table.axes import Along
from model.table.stage import Stage
from model.tracing import Trace

COMPARED = (
    ("end_to_end", "from the ids on"),
    ("single_operation", "this operation alone"),
    ("gradient", "gradient"),
)
"""What a check of the API has, and what the table calls it."""
TEXTS = {Along.TEXT: "source", Along.TARGET: "target"}
FIELDS = ("model", "text", "target", "written", "hidden", "gradient")
"""The names of the page's query."""
POSITIONS = re.compile(r"\d{1,6}(?:[\s.,]+\d{1,6})*")

USE = Use(UseKind.CHECK, "Checks of your own text", "/checks", (sections.SANITY_CHECKS,))
"""The page as something to do: the lesson's row sums, empty triangle and changed last token."""


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page."""

    @app.get("/checks", include_in_schema=False)
    async def show_checks(
        request: Request, service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        asked = Asked.of(service, request.query_params)
        frame: dict[str, Any] = {
            "here": "/checks",
            "asked": asked,
            "models": [one.id for one in service.models.values()],
            "config": served.config if (served := _served(service, asked.model)) else None,
        }
        try:
            _refuse_others(request.query_params)
            found = await _checked(service, asked)
        except InputError as error:
            # What is wrong with a text is no page to keep, so it is never "unchanged".
            response = await pages.respond(
                "checks.html",
                None,
                status=STATUS.get(type(error), 422),
                problem=error.message.replace("`", ""),
                **frame,
            )
            response.headers.update(RETRY_AFTER if isinstance(error, Busy) else {})
            return response
        return await pages.respond("checks.html", if_none_match, problem=None, **frame, **found)


@dataclass(frozen=True)
class Asked:
    """The page's query, which has the names of the tracer's. `hidden` stays as it was typed, so
    that the form keeps it."""

    model: str | None
    text: str
    target: str | None
    hidden: str
    gradient: bool

    @classmethod
    def of(cls, service: Service, query: Mapping[str, str]) -> "Asked":
        """A form sends its empty fields too: `written` says that the target is not its own."""
        model, text = query.get("model"), query.get("text")
        if text is None:
            served = _served(service, model)
            text = "" if served is None else opening.text(service.settings, served)
        return cls(
            model=model,
            text=with_line_feeds(text)[0],  # browsers send a field's lines with CR LF
            target=None if "written" in query else query.get("target"),
            hidden=query.get("hidden", ""),
            gradient=SWITCHES.get(query.get("gradient", "0"), False),
        )

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions to hide.

        Raises:
            TextError: they are not whole numbers.
        """
        if not self.hidden.strip():
            return ()
        if POSITIONS.fullmatch(self.hidden.strip()) is None:
            raise TextError(
                f"The positions to hide are {quoted(self.hidden)}; give whole numbers with dots "
                "between, such as 0.3.",
                field="hidden",
            )
        return tuple(int(number) for number in re.findall(r"\d+", self.hidden))

    @property
    def question(self) -> Question:
        """What is asked of the model.

        Raises:
            TextError: the positions to hide are not whole numbers.
        """
        return Question(self.text, self.target, self.positions)

    def tracer(self, model: str, **more: str) -> str:
        """The tracer's address for the same request, and for a view of it."""
        question = self.question
        query = {"text": question.text}
        if question.target is not None:
            query["target"] = question.target
        if question.hidden:
            query["hidden"] = ".".join(map(str, question.hidden))
        return f"/?{urlencode(query | {'model': model} | more)}"


def _served(service: Service, named: str | None) -> LoadedModel | None:
    """The model that is named, or the default one; None where it is not served."""
    if named is None and service.models:
        return service.model()
    return service.models.get(named or "")


def _refuse_others(query: QueryParams) -> None:
    """This page answers as a call does, so no typing error in its address is silently ignored.

    Raises:
        InputError: a name is none of the page's, or stands there twice, or a switch is none.
    """
    if query.get("gradient", "0") not in SWITCHES:
        raise InputError(
            f"The field 'gradient' is {quoted(query['gradient'])}; give 1 or 0.", field="gradient"
        )
    for name in query:
        times = len(query.getlist(name))
        if name in FIELDS and times > 1:
            message = f"The field {quoted(name)} is given {times} times; give it once."
            raise InputError(message, field=name)
        if name not in FIELDS:
            raise InputError(
                f"There is no field {quoted(name)} here; there are {', '.join(FIELDS[:-1])} and "
                f"{FIELDS[-1]}.",
                field=name,
            )


async def _checked(service: Service, asked: Asked) -> dict[str, Any]:
    """What the page shows of a request.

    Raises:
        InputError: there is no such model, it cannot read that, or the server is busy.
    """
    model = service.model(asked.model)
    traced = await service.trace(model, asked.question, gradients=asked.gradient)
    answer = await service.slowly(lambda: checked(traced))
    rows = list(_rows(asked, traced, answer["checks"]))
    return {
        "traced": traced,
        "seen": in_one_line("".join(token.text for token in traced.tokens)),
        "target": None if traced.target is None else in_one_line(traced.target),
        "written": asked.target is None and traced.target is not None,
        "tracer": asked.tracer(model.id),
        "columns": [words for name, words in COMPARED if name != "gradient" or asked.gradient],
        "groups": _grouped(rows),
        "rows": rows,
        "tally": [_tally(rows, slice(2), "stages")]
        + ([_tally(rows, slice(2, None), "gradients")] if asked.gradient else []),
        "wrong": [row for row in rows if not row["equal"]],
        "sanity": answer["sanity"],
        "rule": RULE,
        "measure": Markup(mathml(MEASURE)),
    }


def _rows(asked: Asked, traced: Trace, checks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row a stage, with its differences in the order of the columns."""
    names = [name for name, _ in COMPARED if name != "gradient" or asked.gradient]
    for stage, check in zip(traced.stages, checks, strict=True):
        assert stage.key == check["key"]
        differences = [check[name] for name in names]
        yield {
            "stage": stage,
            "title": _within_group(stage),
            "compared": [
                one and _told(asked, traced, stage, one, of_gradient=name == "gradient")
                for name, one in zip(names, differences, strict=True)
            ],
            "equal": all(one["equal"] for one in differences if one is not None),
        }


def _tally(rows: list[dict[str, Any]], columns: slice, name: str) -> str:
    """How many agree in these columns, of those that have something there."""
    compared = [[one for one in row["compared"][columns] if one is not None] for row in rows]
    having = [ones for ones in compared if ones]
    agreeing = sum(all(one["equal"] for one in ones) for ones in having)
    return f"{agreeing} of {len(having)} {name}"


def _told(
    asked: Asked, traced: Trace, stage: Stage, found: dict[str, Any], *, of_gradient: bool
) -> dict[str, Any]:
    """One difference: as it is, in three digits, and where. None is anywhere if there is none."""
    index = found["index"] if found["absolute"] else None
    view = {"of": "gradient", "gradient": "1"} if of_gradient else {}
    return found | {
        "empty": found["index"] is None,
        "words": short(found["absolute"]),
        "scaled_words": short(found["scaled"]),
        "where": None if index is None else place(traced, stage, index),
        "link": None if index is None else asked.tracer(
            traced.model.id, stage=stage.key, cell=".".join(map(str, index)), **view
        ),
    }  # fmt: skip


def place(traced: Trace, stage: Stage, index: tuple[int, ...]) -> str:
    """A cell in words, as the tracer says it: heads count from 1, and where there are two texts an
    axis of their characters has its text's name."""
    parts = []
    for axis, i in zip(stage.axes, index, strict=True):
        labels = wire.labels_of(axis, traced)
        two_texts = traced.target is not None and axis.along in TEXTS
        name = TEXTS[axis.along] if two_texts and axis.along is not None else axis.name
        if axis.first:
            parts.append(f"{name} {i + axis.first}")
        else:
            parts.append(f"{name} {i}" if labels is None else f"{name} {i} {labels[i]}")
    return " · ".join(parts)


def _within_group(stage: Stage) -> str:
    """The title without the words that it shares with its group, whose name stands above it."""
    words, shared = stage.title.split(" "), stage.group.split(" ")
    while len(words) > 1 and shared and words[0] == shared[0]:
        words, shared = words[1:], shared[1:]
    rest = " ".join(words).removeprefix("· ")
    return rest[0].upper() + rest[1:]


def _grouped(rows: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows under their groups' names, in the order of the table."""
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    for row in rows:
        name = row["stage"].group
        if not groups or groups[-1][0] != name:
            groups.append((name, []))
        groups[-1][1].append(row)
    return groups


def short(value: float) -> str:
    """A size in two digits, as the tracer writes it: 6.0e−8."""
    if value == 0:
        return "0"
    if value == float("inf"):
        return "∞"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−") if value < 1e-3 else f"{value:.3g}"
