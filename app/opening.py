"""What the page opens with, for a model that may read other characters than Shakespeare's."""

from app.settings import Settings
from model.checkpoint import LoadedModel
from model.errors import TextError
from model.tracing import encode, with_line_feeds

EXAMPLES = (
    ("To be", "To be, or not to be"),
    ("a repeated word", "the king, the king, the king"),
    ("a name in capitals", "ROMEO:\nO, she doth teach the torches"),
    ("a line break", "Good night, good night!\nParting is"),
    ("one character", "a"),
    ("sixty-four", "Now is the winter of our discontent\nMade glorious summer by this"),
)
"""Prepared texts, each with something to see, by the name on its button."""
FEW = 8


def readable(model: LoadedModel, text: str) -> bool:
    """Whether the model can trace the text as it stands."""
    try:
        encode(model, with_line_feeds(text)[0])
    except TextError:
        return False
    return True


def examples(model: LoadedModel) -> list[dict[str, str]]:
    """The prepared texts that the model can read."""
    return [{"name": name, "text": text} for name, text in EXAMPLES if readable(model, text)]


def text(settings: Settings, model: LoadedModel) -> str:
    """The configured text; else the first prepared one that the model can read; else some of its
    own letters, which it always can."""
    candidates = (settings.text, *(text for _, text in EXAMPLES))
    letters = [c for c in model.tokenizer.vocabulary if c.isalpha()] or model.tokenizer.vocabulary
    few = "".join(letters[: min(FEW, model.config.context_length)])
    return next((one for one in candidates if readable(model, one)), few)
