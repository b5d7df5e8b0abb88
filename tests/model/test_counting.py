"""Parameters and FLOPs: the numbers of the texts, and formulas against tensors."""

import math
from random import Random

import pytest

from model import LoadedModel
from model.config import PRESETS, FeedForward, ModelConfig, Norm, Position, Wiring
from model.counting import (
    block_matrices,
    block_parameters,
    declared,
    flops,
    itemised,
    parameters,
    parts,
)
from model.labs.counting import LESSON_56, REFERENCES, configured, counting, references

PRESET_PARAMETERS = {
    "shakespeare": 112_384,
    "shakespeare-2017": 104_128,
    "shakespeare-preln": 108_352,
    "shakespeare-modern": 102_912,
}
by_reference = pytest.mark.parametrize("name", REFERENCES)


def each(config: ModelConfig) -> dict[str, int]:
    """What the formula of each part gives."""
    return {part.name: part.each for part in parts(config)}


def arranged(config: ModelConfig, architecture: str) -> ModelConfig:
    """The same sizes in another architecture, whose blocks are post-LN."""
    return config.having(architecture=architecture, wiring="post-ln")


def drawn(random: Random) -> ModelConfig:
    """A configuration of random choices and sizes."""
    n_heads = random.choice([1, 2, 3, 4])
    return ModelConfig(
        wiring=random.choice([*Wiring]),
        norm=random.choice([*Norm]),
        position=random.choice([*Position]),
        feed_forward=random.choice([*FeedForward]),
        tied_head=random.random() < 0.5,
        biases=random.random() < 0.5,
        vocab_size=random.randint(1, 300),
        context_length=random.randint(1, 300),
        d_model=n_heads * 2 * random.randint(1, 16),
        n_heads=n_heads,
        d_ff=random.randint(1, 300),
        n_blocks=random.randint(1, 4),
    )


@pytest.mark.parametrize(("preset", "expected"), PRESET_PARAMETERS.items())
def test_parameters_of_preset_are_those_of_the_course(preset: str, expected: int) -> None:
    assert parameters(PRESETS[preset]) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("attention", 16_640),
        ("feed-forward", 33_088),
        ("norms of the blocks", 128),
        ("token embedding", 64_000),
        ("positions", 8_192),
        ("final norm", 128),
        ("head", 0),
    ],
)
def test_part_of_lesson_56_has_its_count(part: str, expected: int) -> None:
    assert each(LESSON_56)[part] == expected


def test_block_of_lesson_56_is_near_twelve_d_squared() -> None:
    assert (block_parameters(LESSON_56), block_matrices(LESSON_56)) == (49_984, 49_152)
    assert counting(LESSON_56).block.twelve_d_squared == 49_152


def test_model_of_lesson_56_has_its_total() -> None:
    assert parameters(LESSON_56) == 172_288
    assert counting(LESSON_56).in_blocks == 99_968


def test_feed_forward_is_two_thirds_of_the_block() -> None:
    assert counting(LESSON_56).block.feed_forward_share == pytest.approx(2 / 3, abs=0.01)


def test_heads_do_not_change_the_count() -> None:
    assert {parameters(LESSON_56.having(n_heads=n)) for n in (1, 4, 64)} == {172_288}


@pytest.mark.parametrize("config", [*PRESETS.values(), *REFERENCES.values()])
def test_doubled_width_quadruples_the_block(config: ModelConfig) -> None:
    assert counting(config).block.growth == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize(
    ("name", "total", "in_blocks", "unembedding"),
    [
        ("gpt2", 124_439_808, 85_054_464, 38_597_376),
        ("gpt2-medium", 354_823_168, 302_309_376, 51_463_168),
        ("gpt2-xl", 1_557_611_200, 1_475_558_400, 80_411_200),
        ("llama-2-7b", 6_738_415_616, 6_476_267_520, 131_072_000),
    ],
)
def test_known_model_has_its_published_size(
    name: str, total: int, in_blocks: int, unembedding: int
) -> None:
    found = counting(REFERENCES[name])
    assert (found.by_formula, found.in_blocks, found.unembedding) == (total, in_blocks, unembedding)


@pytest.mark.parametrize(("n_blocks", "d", "millions"), [(12, 768, 85), (24, 1024, 302)])
def test_twelve_n_d_squared_gives_the_blocks(n_blocks: int, d: int, millions: int) -> None:
    config = next(c for c in REFERENCES.values() if (c.n_blocks, c.d_model) == (n_blocks, d))
    assert n_blocks * block_matrices(config) == 12 * n_blocks * d**2
    assert round(12 * n_blocks * d**2 / 1e6) == millions


@pytest.mark.parametrize(("h", "expected"), [(256, 16 * 64**2), (64 * 8 // 3, 12 * 64**2)])
def test_swiglu_block_has_three_matrices(h: int, expected: int) -> None:
    """4 d² + 3 d h: 16 d² at h = 4 d, about 12 d² at h = 8 d/3, which is no whole number here."""
    modern = PRESETS["shakespeare-modern"].having(d_ff=h)
    assert block_matrices(modern) == 4 * 64**2 + 3 * 64 * h
    assert block_matrices(modern) == pytest.approx(expected, abs=3 * 64)


def test_formula_counts_the_tensors_of_every_preset(untrained: LoadedModel) -> None:
    shapes = {key: array.shape for key, array in untrained.weights.items()}
    for item in itemised(untrained.config, shapes):
        assert item.by_formula == item.from_tensors, item.name


def test_stage_table_declares_the_tensors_of_every_preset(untrained: LoadedModel) -> None:
    assert declared(untrained.config) == {k: a.shape for k, a in untrained.weights.items()}


def test_formula_counts_the_tensors_of_any_configuration(random: Random) -> None:
    for config in (drawn(random) for _ in range(50)):
        items = itemised(config)
        assert [item.by_formula for item in items] == [item.from_tensors for item in items]
        assert sum(item.by_formula for item in items) == parameters(config)


@by_reference
def test_formula_counts_the_tensors_of_reference(name: str) -> None:
    found = counting(REFERENCES[name])
    assert found.by_formula == found.from_tensors


def test_item_adds_up_its_terms(config: ModelConfig) -> None:
    for item in itemised(config):
        assert item.each == sum(term.count for term in item.terms)
        assert item.by_formula == item.times * item.each


def test_formula_gives_its_count(config: ModelConfig) -> None:
    """The symbols are read as Python, with the configuration's sizes for the letters."""
    sizes = {
        "d": config.d_model, "h": config.d_ff, "V": config.vocab_size, "L": config.context_length,
    }  # fmt: skip
    for item in itemised(config):
        total = 0
        for product in item.formula.replace("²", "·d").split(" + "):
            factors = (sizes.get(factor) for factor in product.split("·"))
            numbers = (int(f) for f in product.split("·") if f.isdigit())
            total += math.prod(f for f in factors if f is not None) * math.prod(numbers)
        assert (total if item.terms else 0) == item.each, item.formula


def test_unknown_tensor_is_no_part_of_any() -> None:
    shapes = declared(PRESETS["shakespeare"]) | {"adapter.weight": (2, 2)}
    with pytest.raises(AssertionError, match=r"adapter\.weight"):
        itemised(PRESETS["shakespeare"], shapes)


def test_encoder_has_the_parameters_of_a_decoder() -> None:
    assert parameters(arranged(LESSON_56, "encoder-only")) == parameters(
        arranged(LESSON_56, "decoder-only")
    )


def test_encoder_decoder_has_two_stacks_and_cross_attention() -> None:
    """One shared embedding, two tables of positions."""
    found = parameters(arranged(LESSON_56, "encoder-decoder"))
    decoder_block = 49_984 + 16_640 + 128
    assert found == 64_000 + 2 * 8_192 + 2 * 49_984 + 2 * decoder_block


def test_encoder_decoder_tensors_are_found_by_their_paths() -> None:
    """Both stacks' tensors carry a prefix; the decoder's blocks have one attention more."""
    config = arranged(LESSON_56, "encoder-decoder")
    shapes = declared(arranged(LESSON_56, "decoder-only"))
    shared = {key: shape for key, shape in shapes.items() if key.startswith("embedding")}
    stacked = {key: shape for key, shape in shapes.items() if key not in shared}
    cross = {
        key.replace("attn", "cross_attn"): shape for key, shape in shapes.items() if "attn" in key
    }
    tensors = (
        shared
        | {f"encoder.{key}": shape for key, shape in stacked.items()}
        | {f"decoder.{key}": shape for key, shape in (stacked | cross).items()}
    )
    for item in itemised(config, tensors):
        assert item.by_formula == item.from_tensors, item.name


@pytest.mark.parametrize("tied", [True, False])
def test_flops_count_the_matrices_that_are_multiplied(tied: bool) -> None:
    """The head's matrix is multiplied, tied or not; the look-ups are not."""
    found = flops(PRESETS["shakespeare"].having(tied_head=tied))
    assert found.matrix_parameters == 2 * 12 * 64**2 + 65 * 64
    assert found.forward_per_token == 2 * found.matrix_parameters
    assert found.training_per_token == 3 * found.forward_per_token


def test_attention_flops_are_four_t_d_a_layer(config: ModelConfig) -> None:
    found = flops(config, 10)
    assert found.attention_per_token_and_layer == 4 * 10 * config.d_model
    assert found.attention_per_token == found.attention_layers * 4 * 10 * config.d_model


def test_attention_layers_of_an_encoder_decoder_are_three_a_block() -> None:
    assert flops(LESSON_56).attention_layers == 2
    assert flops(arranged(LESSON_56, "encoder-decoder")).attention_layers == 6


def test_sizes_that_do_not_fit_are_refused_naming_the_field() -> None:
    with pytest.raises(ValueError, match="not a multiple") as found:
        configured(**LESSON_56.model_dump() | {"n_heads": 3})
    assert getattr(found.value, "field", None) == "d_model"


def test_references_are_the_presets_and_the_models_of_the_texts() -> None:
    known = ["lesson-56", "gpt2", "gpt2-medium", "gpt2-xl", "llama-2-7b"]
    assert [name for name, _ in references()] == [*PRESETS, *known]
