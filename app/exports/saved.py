"""A trace as one HTML file that opens from the disk: the tracer's page, with all that it needs.

It is the same page, from the same templates, styles and scripts. Three things stand in for the
server: an import map gives each module as a data: address, under a name that does not depend on
where the file lies; `carried` has the answers that the page would have asked for, by address; and
Plotly's script is in the file as gzip, which the browser unpacks (1.9 of the 4.8 MB that it is).
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any

import orjson
from jinja2.utils import htmlsafe_json_dumps

from app.exports.saved_cells import carried_cells
from app.server.json import to_json
from app.server.service import Service
from app.site import opening
from app.site.assets import IMPORT, MAIN, PLOTLY, STYLED, Assets, resolved
from app.site.rendering import environment
from app.site.tracer import tracer
from app.tracing import wire
from app.tracing.api.checks import checked
from app.tracing.api.gradient_flow import flowing
from app.tracing.api.stages import stage_table
from app.tracing.requests import TraceRequest
from model.parameters import parameters
from model.table.stage import Stage
from model.tracing import Trace

MODULE, STYLE = ".js", ".css"
POLICY = (
    "default-src 'none'; script-src data: blob: 'sha256-{}'; style-src data: 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)
"""Nothing comes from outside; the hash is that of the import map, the only script in the text."""


class SavedPages:
    """What makes files of traces; the parts that are the same in each are made once."""

    def __init__(self, service: Service, assets: Assets) -> None:
        self._service = service
        self._assets = assets
        self._environment = environment(self._address)

    def page(self, traced: Trace, request: TraceRequest, chosen: Sequence[Stage]) -> bytes:
        """The file for a trace. It holds every stage, and opens at the first of the chosen ones;
        if those are all, where the tracer's page opens."""
        model = traced.model
        whole = len(chosen) == len(traced.stages)
        stage = opening.stage(traced.stages) if whole else chosen[0].key
        boot = {
            "examples": [],
            "target": None if request.question.target is None else traced.target,
            "hidden": list(traced.question.hidden),
            "carried": carried(traced),
        }
        return (
            self._environment.get_template("saved.html")
            .render(
                import_map=self._modules,
                policy=POLICY.format(_digest(self._modules)),
                plotly=b64encode(self._assets.named(PLOTLY).gzipped).decode(),
                **tracer(self._service, model, traced.text, stage, boot),
            )
            .encode()
        )

    def _address(self, name: str) -> str:
        """A file as its own address; Plotly's script comes another way."""
        if name == PLOTLY:
            return ""
        asset = self._assets.named(name)
        content = asset.plain
        if name.endswith(MODULE):
            content = importing_by_name(name, content.decode()).encode()
        elif name.endswith(STYLE):
            content = self._carrying(name, content.decode()).encode()
        return f"data:{asset.media_type};base64,{b64encode(content).decode()}"

    def _carrying(self, name: str, style: str) -> str:
        """The style with its files in place of their relative addresses."""

        def carried_in(found: re.Match[str]) -> str:
            return found[1] + self._address(resolved(name, found[2]))

        return STYLED.sub(carried_in, style)

    @cached_property
    def _modules(self) -> str:
        """The import map: each module's name and its address."""
        names = self._assets.modules(MAIN)
        return htmlsafe_json_dumps({"imports": {name: self._address(name) for name in names}})


def carried(traced: Trace) -> dict[str, Any]:
    """The answers to all that the page asks of this trace, by address; the binary one as base64."""
    answers: dict[str, Any] = {
        "/stages": stage_table(traced.model, traced.stages),
        "/traces": b64encode(wire.as_safetensors(traced, traced.stages)).decode(),
        "/checks": checked(traced),
        "/cells": carried_cells(traced),
        **{
            f"/weights/{key}": b64encode(wire.weight_as_safetensors(traced.model, one)).decode()
            for key, one in parameters(traced.stages).items()
        },
    }
    if traced.gradients is not None:
        answers["/gradient-flow"] = flowing(traced)
    plain: dict[str, Any] = orjson.loads(to_json(answers))
    return plain


def importing_by_name(name: str, script: str) -> str:
    """The module with names in place of relative addresses, which have no meaning in data:."""

    def named(found: re.Match[str]) -> str:
        return found[1] + resolved(name, found[2])

    return IMPORT.sub(named, script)


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
