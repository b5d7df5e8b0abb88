"""What the page opens with, for a model that may read other characters than Shakespeare's."""

from collections.abc import Sequence

from app.server.service import readable
from app.server.settings import Settings
from model.checkpoint import LoadedModel
from model.table.stage import Kind, Stage
from model.training.objectives import without_vowels

EXAMPLES = (
    ("To be", "To be, or not to be"),
    ("a repeated word", "the king, the king, the king"),
    ("a name in capitals", "ROMEO:\nO, she doth teach the torches"),
    ("a line break", "Good night, good night!\nParting is"),
    ("one character", "a"),
    ("sixty-four", "Now is the winter of our discontent\nMade glorious summer by this"),
)
"""Prepared texts, each with something to see, by the name on its button."""
TO_GUESS = (
    ("a hidden letter", "To be, or n_t to be"),
    ("a hidden word", "the king, the ____, the king"),
)
"""The first ones for an encoder, which guesses what is hidden."""
TO_WRITE = (
    ("To be", "To be, or not to be"),
    ("a name in capitals", "ROMEO:"),
    ("a question", "What light through yonder window breaks?"),
    ("a long line", "Friends, Romans, countrymen, lend me your ears"),
)
"""Lines for an encoder-decoder, which reads them without their vowels."""
FEW = 8


def examples(model: LoadedModel) -> list[dict[str, str]]:
    """The prepared texts that the model can read, as it reads them."""
    texts = {name: _as_read(model, text) for name, text in _prepared(model)}
    return [{"name": name, "text": text} for name, text in texts.items() if readable(model, text)]


def text(settings: Settings, model: LoadedModel) -> str:
    """The configured text (an encoder's usual one has something to guess); else the first prepared
    one that the model can read; else some of its own letters, which it always can."""
    chosen = "text" in settings.model_fields_set or not model.config.guesses
    first = [settings.text] if chosen else []
    candidates = (*first, *(text for _, text in _prepared(model)), settings.text)
    read = (_as_read(model, one) for one in candidates)
    chosen_text = next((one for one in read if readable(model, one)), None)
    return _few(model) if chosen_text is None else chosen_text


def _few(model: LoadedModel) -> str:
    """The first letters that the model knows; where it knows none, the first of what it does."""
    known = [model.tokenizer.piece(id).text for id in range(len(model.tokenizer))]
    letters = [text for text in known if text.isalpha()] or known
    return "".join(letters[: min(FEW, model.config.context_length)])


def stage(stages: Sequence[Stage]) -> str:
    """The key of the first stage of probabilities."""
    return next(stage.key for stage in stages if stage.kind is Kind.PROBABILITY)


def _prepared(model: LoadedModel) -> tuple[tuple[str, str], ...]:
    if model.config.writes:
        return TO_WRITE
    return (*TO_GUESS, *EXAMPLES) if model.config.guesses else EXAMPLES


def _as_read(model: LoadedModel, text: str) -> str:
    """What an encoder-decoder reads has no vowels; it is to put them back."""
    return without_vowels(text) if model.config.writes else text
