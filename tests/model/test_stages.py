"""The stage table of every preset, held against the checkpoint's parameters and the design."""

import re
from xml.etree import ElementTree

import pytest
from latex2mathml.converter import convert
from torch import Tensor

from model import LoadedModel, trace
from model.config import PRESETS, ModelConfig
from model.ops.attention import MaskLater
from model.ops.lookups import Given
from model.table.architectures import stages, weights_of
from model.table.axes import Lengths
from model.table.stage import Kind, Stage
from model.table.symbols import marked, of_any_block, plain, without_block
from tests.model.texts import given_zeros, lengths_of

# The design's axes and kinds by leaf, restated so that a slip in the table is seen.
DESIGNED_AXES = {
    ("ids", "mean", "variance", "mean_square", "loss"): ("position",),
    ("q", "heads", "q_rotated"): ("head", "position", "d_head"),
    ("k", "v", "k_rotated"): ("head", "source", "d_head"),
    ("scores", "masked_scores", "weights"): ("head", "position", "source"),
    ("contributions",): ("head", "position", "d_model"),
    ("hidden", "activation", "gate", "gate_activation", "up", "gated"): ("position", "d_ff"),
    ("logits", "probabilities"): ("position", "vocab"),
}
DESIGNED_OF_AN_ENCODER = {("hidden", "targets", "loss"): ("hidden",)}
DESIGNED_KINDS = {
    ("ids",): Kind.IDS,
    ("scores", "masked_scores"): Kind.SCORES,
    ("weights", "probabilities"): Kind.PROBABILITY,
    ("variance", "mean_square", "loss"): Kind.SCALE,
}
OTHER_AXES, OTHER_KIND = ("position", "d_model"), Kind.SIGNED

EVERY_STAGE = [
    pytest.param(config, stage, id=f"{name}-{stage.key}")
    for name, config in PRESETS.items()
    for stage in stages(config)
]
every_stage = pytest.mark.parametrize(("config", "stage"), EVERY_STAGE)


def designed(stage: Stage, table: dict[tuple[str, ...], object], otherwise: object) -> object:
    leaf = stage.key.rsplit(".", 1)[-1]
    return next((value for leaves, value in table.items() if leaf in leaves), otherwise)


def test_keys_are_unique(config: ModelConfig) -> None:
    keys = [stage.key for stage in stages(config)]
    assert len(set(keys)) == len(keys)


def test_titles_are_unique(config: ModelConfig) -> None:
    titles = [stage.title for stage in stages(config)]
    assert len(set(titles)) == len(titles)


def test_no_two_tensors_of_a_model_have_one_symbol(config: ModelConfig) -> None:
    """Neither in LaTeX nor as plain text, whatever block or stack they are of."""
    tensors = [*stages(config), *weights_of(config).values()]
    for written in (str, plain):
        found = [written(tensor.symbol) for tensor in tensors]
        assert [one for one in found if found.count(one) > 1] == []


def test_symbols_carry_the_block_of_their_key(config: ModelConfig) -> None:
    """In a block: its number above, after the stack's letter; elsewhere no number. The block's
    result counts the blocks itself."""
    for tensor in (*stages(config), *weights_of(config).values()):
        stack, in_block, rest = tensor.key.rpartition("blocks.")
        block = int(rest.split(".")[0]) + 1 if in_block else None
        found = re.search(r"\^\{\((?:\\text\{(\w)\})?(\d+)\)\}", tensor.symbol)
        if found is not None:
            assert (found[1] or "", int(found[2])) == (stack[:1].upper(), block), tensor.key
        else:
            assert block is None or tensor.symbol in (f"X_{block}", f"E_{block}"), tensor.key


def test_block_above_a_symbol_keeps_its_power_and_can_be_taken_off() -> None:
    assert marked(r"\sigma_a^2", "12") == r"{\sigma_a^{(12)}}^2"
    assert of_any_block(r"W_{Q,c}^{(\text{D}12)}") == "W_{Q,c}^{(n)}"
    assert without_block(marked("V", "2")) == "V"


def test_symbol_as_plain_text_has_no_latex(config: ModelConfig) -> None:
    for tensor in (*stages(config), *weights_of(config).values()):
        assert not set(plain(tensor.symbol)) & set("\\{}^"), tensor.symbol
    assert plain(r"\hat{X}_f^{(2)}") == "X\u0302_f⁽²⁾"
    assert plain(r"{\sigma_a^{(\text{E}1)}}^2") == "(σ_a⁽ᴱ¹⁾)²"


def test_titles_count_blocks_from_one(config: ModelConfig) -> None:
    named = [stage for stage in stages(config) if "blocks." in stage.key]
    assert named
    for stage in named:
        stack, _, rest = stage.key.partition("blocks.")
        name = f"{stack.removesuffix('.')} block {int(rest.split('.')[0]) + 1}".strip().capitalize()
        assert stage.title.startswith(f"{name} ")
        assert stage.group == name


def test_every_block_has_the_same_leaves(config: ModelConfig) -> None:
    for stack in {stage.key.partition("blocks.")[0] for stage in stages(config)}:
        leaves = [
            [
                stage.key.removeprefix(f"{stack}blocks.{block}.")
                for stage in stages(config)
                if stage.key.startswith(f"{stack}blocks.{block}.")
            ]
            for block in range(config.n_blocks)
        ]
        assert all(leaf == leaves[0] for leaf in leaves)


def test_inputs_come_earlier(config: ModelConfig) -> None:
    seen: set[str] = set()
    for stage in stages(config):
        assert set(stage.inputs) <= seen, stage.key
        seen.add(stage.key)


def test_what_has_no_inputs_is_given_and_holds_ids(config: ModelConfig) -> None:
    for stage in stages(config):
        given = not stage.inputs
        assert given == isinstance(stage.op, Given) == (stage.kind is Kind.IDS), stage.key


def test_every_stage_but_the_probabilities_and_the_loss_feeds_another(config: ModelConfig) -> None:
    """The loss is computed from the logits."""
    used = {key for stage in stages(config) for key in stage.inputs}
    unread = [stage.key for stage in stages(config) if stage.key not in used]
    assert unread == ["probabilities", "loss"]


def test_weights_have_the_declared_shape_in_the_checkpoint(untrained: LoadedModel) -> None:
    for stage in untrained.stages:
        for weight in stage.weights:
            declared = tuple(axis.size(untrained.config, Lengths(1)) for axis in weight.axes)
            assert untrained.weights[weight.key].shape == declared, weight.key


def test_every_parameter_is_used_by_a_stage(untrained: LoadedModel) -> None:
    used = {weight.key for stage in untrained.stages for weight in stage.weights}
    assert used == set(untrained.weights)


def test_order_is_the_tap_order(untrained: LoadedModel) -> None:
    tapped: list[str] = []

    def note(key: str, tensor: Tensor) -> Tensor:
        tapped.append(key)
        return tensor

    untrained.network.score(given_zeros(untrained.config, 3), note)
    assert tapped == [stage.key for stage in untrained.stages]


@every_stage
def test_stage_has_its_words(config: ModelConfig, stage: Stage) -> None:
    assert stage.title.strip()
    assert stage.symbol.strip()
    assert stage.operation.strip()
    assert stage.equation.strip()
    assert stage.group.strip()


@every_stage
def test_stage_points_to_a_course_section(config: ModelConfig, stage: Stage) -> None:
    assert stage.sections
    for section in stage.sections:
        assert section.number
        assert section.title
        assert section.url is None or section.url.startswith("https://")


@every_stage
def test_equation_becomes_mathml(config: ModelConfig, stage: Stage) -> None:
    """Every command is understood: an unknown one would be shown with its backslash."""
    for formula in (stage.equation, stage.symbol):
        mathml = ElementTree.fromstring(convert(formula))
        assert "\\" not in "".join(mathml.itertext()), formula


@every_stage
def test_equation_names_every_operand(config: ModelConfig, stage: Stage) -> None:
    """Of the position vectors alone it names none: they depend on how many ids there are."""
    symbols = {other.key: other.symbol for other in stages(config)}
    assert stage.symbol in stage.equation
    for weight in stage.weights:
        assert weight.symbol in stage.equation
    if not stage.key.endswith("positions"):
        assert all(symbols[key] in stage.equation for key in stage.inputs)


@every_stage
def test_axes_are_the_designed_ones(config: ModelConfig, stage: Stage) -> None:
    """A leaf at the top of an encoder can be called as one in a feed-forward network is."""
    names = tuple(axis.name for axis in stage.axes)
    at_the_top = "." not in stage.key and config.architecture == "encoder-only"
    table = DESIGNED_OF_AN_ENCODER if at_the_top else {}
    assert names == designed(stage, table, designed(stage, DESIGNED_AXES, OTHER_AXES))


@every_stage
def test_kind_is_the_designed_one(config: ModelConfig, stage: Stage) -> None:
    given = stage.key in {"hidden", "targets"}
    assert stage.kind == (Kind.IDS if given else designed(stage, DESIGNED_KINDS, OTHER_KIND))


@every_stage
def test_shape_has_a_size_for_each_symbol(config: ModelConfig, stage: Stage) -> None:
    shape = stage.shape(config, lengths_of(config, 5))
    assert len(shape) == len(stage.symbolic_shape) == len(stage.axes)


@pytest.mark.parametrize("length", [1, 2, 64])
def test_recorded_shapes_are_the_declared_ones(untrained: LoadedModel, length: int) -> None:
    traced = trace(untrained, untrained.tokenizer.vocabulary[0] * length)
    for stage in untrained.stages:
        declared = stage.shape(untrained.config, traced.reading.lengths)
        assert traced.array(stage.key).shape == declared, stage.key


def test_loss_of_one_character_is_empty(config: ModelConfig) -> None:
    assert stages(config)[-1].shape(config, lengths_of(config, 1)) == (0,)


def test_null_stands_for_minus_infinity_only_where_a_mask_is(config: ModelConfig) -> None:
    masked = {stage.key for stage in stages(config) if stage.null_means == "-inf"}
    assert masked == {stage.key for stage in stages(config) if isinstance(stage.op, MaskLater)}
