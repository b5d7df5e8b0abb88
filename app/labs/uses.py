"""What the labs are about, for those who come from a stage or a section."""

from app.labs.table import LABS
from app.server.practice import Use, UseKind


def uses() -> tuple[Use, ...]:
    """Each lab, in the order of their page."""
    return tuple(Use(UseKind.LAB, lab.title, f"/labs/{lab.name}", lab.sections) for lab in LABS)
