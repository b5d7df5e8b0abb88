"""Jinja, set up for the project's templates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.server.practice import section_anchor
from app.server.settings import ROOT
from app.tracing.mathml import mathml
from model.config import Architecture


def wiring(config: Mapping[str, Any]) -> str:
    """What tells one model from another, in a line."""
    return ", ".join(
        [
            config["wiring"].label,
            config["norm"].label,
            f"{config['position'].label} positions",
            config["feed_forward"].label,
            "tied head" if config["tied_head"] else "untied head",
        ]
    )


def math(latex: str) -> Markup:
    """A formula of our own as MathML; LaTeX becomes nothing that could run."""
    return Markup(mathml(latex))


def environment(
    asset: Callable[[str], str], modules: Callable[[str], Sequence[str]] = lambda _: ()
) -> Environment:
    """Jinja for the templates. `asset` gives the address of a file of the front end, `modules` a
    page's script and all that it imports, which the page asks for at once."""
    result = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.globals |= {
        "asset": asset, "wiring": wiring, "modules": modules, "architectures": tuple(Architecture),
    }  # fmt: skip
    result.filters |= {"math": math, "anchor": section_anchor}
    result.policies["json.dumps_kwargs"] = {"ensure_ascii": True}
    return result
