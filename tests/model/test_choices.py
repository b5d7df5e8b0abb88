"""The words of a configuration: each, each pair of them, and whatever sizes validate."""

from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import pytest
from pydantic import ValidationError

from model import check, trace
from model.budget import LONGEST_CONTEXT, MOST_BLOCKS, longest_trace, within_budget
from model.config import PRESETS, Choice, ModelConfig
from model.counting import itemised, parameters
from model.errors import BudgetError
from model.table.architectures import stages
from tests.model.presets import untrained

CHOICES: dict[str, tuple[object, ...]] = {
    name: tuple(field.annotation)
    for name, field in ModelConfig.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Choice)
} | {"tied_head": (False, True), "biases": (False, True)}
SMALL = {
    "vocab_size": 9,
    "context_length": 6,
    "d_model": 8,
    "n_heads": 2,
    "d_ff": 12,
    "n_blocks": 1,
}


def pairs() -> Iterator[dict[str, object]]:
    """Every pair of words of two fields, the other fields at their defaults."""
    for one, other in combinations(CHOICES, 2):
        for first, second in product(CHOICES[one], CHOICES[other]):
            yield {one: first, other: second}


def named(choices: dict[str, object]) -> str:
    return ", ".join(f"{name} {word}" for name, word in choices.items())


REFUSED = {
    ("encoder-decoder", "pre-ln"): "post-ln",
    ("encoder-decoder", "rotary"): "learned or sinusoidal",
}
"""The pairs that no model is built of, and what the refusal offers instead."""


@pytest.mark.parametrize("choices", [*pairs()], ids=named)
def test_pair_of_words_is_a_model_or_is_refused_with_its_reason(choices: dict[str, object]) -> None:
    first, second = map(str, choices.values())
    refusal = REFUSED.get((first, second))
    if refusal is not None:
        with pytest.raises(ValidationError, match=refusal):
            ModelConfig(**SMALL, **choices)
        return
    assert_runs(ModelConfig(**SMALL, **choices))


def test_what_validates_can_be_traced(random: Random) -> None:
    """F05: whatever sizes and words a configuration has. About half of the draws do."""
    accepted = 0
    for _ in range(150):
        choices = {name: random.choice(words) for name, words in CHOICES.items()}
        sizes = {name: random.randint(1, 12) for name in SMALL}
        sizes |= {"vocab_size": random.randint(4, 12), "n_blocks": random.randint(1, 2)}
        if random.random() < 0.8:
            sizes["d_model"] = sizes["n_heads"] * random.randint(1, 6)
        try:
            epsilon = random.choice([1e-5, 1e-30, 1.0, 1e-46])
            config = ModelConfig(**choices, **sizes, norm_epsilon=epsilon)
        except ValidationError:
            continue
        accepted += 1
        assert_runs(config)
    assert 30 < accepted < 110


def assert_runs(config: ModelConfig) -> None:
    """It builds, traces, agrees with NumPy, and its formulas count its tensors."""
    model = untrained(within_budget(config))
    text = "0101"[: config.context_length]
    traced = trace(model, text, **({"target": text[:1]} if longest(config) else {}))
    assert [stage.key for stage in stages(config)] == list(traced.tensors)
    assert all(one.end_to_end.equal for one in check(traced)), named(config.model_dump())
    counted = {key: array.shape for key, array in model.weights.items()}
    for item in itemised(config, counted):
        assert item.by_formula == item.from_tensors, item.name
    assert sum(array.size for array in model.weights.values()) == parameters(config)


def longest(config: ModelConfig) -> bool:
    """Whether a target of one character fits."""
    return config.writes and config.context_length > 1


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ({"position": "sinusoidal", "d_model": 33, "n_heads": 3}, "d_model 33 is odd"),
        ({"position": "rotary", "d_model": 6, "n_heads": 2}, "d_head 3 is odd"),
        ({"d_model": 64, "n_heads": 3}, "not a multiple of n_heads 3"),
        ({"norm_epsilon": 1e-46}, "norm_epsilon"),
    ],
)
def test_sizes_that_cannot_run_are_refused(sizes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        PRESETS["shakespeare"].having(**sizes)


@pytest.mark.parametrize(
    "words", [words for words in CHOICES.values() if isinstance(words[0], Choice)]
)
def test_word_says_what_people_read(words: tuple[Choice, ...]) -> None:
    assert all(word.label for word in words)
    assert len({word.label for word in words}) == len(words)


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        ({"n_blocks": 10**9}, f"n_blocks is 1,000,000,000; .* at most {MOST_BLOCKS}"),
        ({"context_length": 10**6}, f"context_length is 1,000,000; .* at most {LONGEST_CONTEXT:,}"),
        ({"d_model": 10**6}, "parameters; .* at most 268,435,456"),
        ({"vocab_size": 10**8}, "12,800,104,064 parameters"),
        (
            {"context_length": 1024, "n_heads": 64, "n_blocks": 24},
            "numbers in a trace of its longest text; .* at most 1,073,741,824",
        ),
    ],
)
def test_huge_configuration_is_refused_before_anything_is_made(
    sizes: dict[str, int], named: str
) -> None:
    with pytest.raises(BudgetError, match=named):
        within_budget(PRESETS["shakespeare"].having(**sizes))


@pytest.mark.parametrize("name", PRESETS)
def test_longest_trace_is_as_large_as_its_tensors(name: str) -> None:
    """Extrapolated from two blocks to three, beside the table of three."""
    config = PRESETS[name].having(n_blocks=3)
    model = untrained(config)
    full = config.context_length
    hidden = range(full) if config.guesses else ()
    target = "0" * (full - 1) if config.writes else None
    traced = trace(model, "1" * full, hidden=hidden, target=target)
    sizes = sum(traced.array(stage.key).size for stage in stages(config))
    shortfall = longest_trace(config) - sizes
    assert 0 <= shortfall <= full  # the loss of a last character that nothing follows
