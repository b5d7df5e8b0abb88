"""From a request to a file: which stages go in, how they are written, what the file is called."""

from collections.abc import Callable, Sequence
from typing import Protocol

from app.server.json import JSON_TYPE
from app.tracing import wire
from app.tracing.formats import Format
from app.tracing.requests import TraceRequest
from model.checkpoint import LoadedModel
from model.errors import UnknownStage
from model.table.stage import Stage
from model.tracing import Trace, matching

MEDIA_TYPES = {
    Format.JSON: JSON_TYPE,
    Format.SAFETENSORS: wire.SAFETENSORS_TYPE,
    Format.NPZ: wire.NPZ_TYPE,
    Format.CSV: wire.CSV_TYPE,
    Format.HTML: wire.HTML_TYPE,
}
ONE_STAGE_FOR_CSV = "The csv format holds one stage, but {} match; name one in `stages`."


class PageWriter(Protocol):
    """What makes the page as one file of a trace; it is handed in, for the page is made of all
    that can be asked of a trace."""

    def page(self, traced: Trace, request: TraceRequest, chosen: Sequence[Stage]) -> bytes:
        """The file."""


def chosen_stages(model: LoadedModel, request: TraceRequest) -> tuple[Stage, ...]:
    """The stages that the request names, in table order.

    Raises:
        UnknownStage: a pattern matches nothing, or more than the format can hold.
    """
    chosen = matching(model.stages, request.stages, model.id)
    if request.format is Format.CSV and len(chosen) > 1:
        raise UnknownStage(ONE_STAGE_FOR_CSV.format(len(chosen)), field="stages")
    return chosen


def file_name(form: Format, chosen: Sequence[Stage]) -> str:
    """After the one stage that is in it, else `trace`."""
    whole = len(chosen) > 1 or form is Format.HTML
    return f"{'trace' if whole else chosen[0].key}.{form.value}"


def encoded(
    traced: Trace, chosen: Sequence[Stage], request: TraceRequest, saved_pages: PageWriter
) -> bytes:
    """The trace in the format that was asked for."""
    writers: dict[Format, Callable[[], bytes]] = {
        Format.JSON: lambda: wire.as_json(traced, chosen),
        Format.SAFETENSORS: lambda: wire.as_safetensors(traced, chosen),
        Format.NPZ: lambda: wire.as_npz(traced, chosen),
        Format.CSV: lambda: wire.as_csv(traced, chosen[0]),
        Format.HTML: lambda: saved_pages.page(traced, request, chosen),
    }
    return writers[request.format]()
