"""Any number of any preset explains itself: the total is the number shown, each operand stands
where it says, and the line of NumPy gives the same."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from model import LoadedModel, Trace, trace
from model.arithmetic import Cell
from model.cells import LISTED, explain, explain_weight
from model.config import PRESETS
from model.errors import CellError, InputError, UnknownStage, UnknownWeight
from model.ops.explanation import Rule
from model.ops.op import Array
from model.parameters import parameters
from model.table.architectures import stages
from model.table.stage import Kind
from tests.model.presets import of_preset, with_gradients
from tests.model.test_explanations import executed
from tests.model.texts import random_text

LENGTH = 23
FEWEST_CELLS = 500


@pytest.fixture(scope="module", params=sorted(PRESETS))
def traced(request: pytest.FixtureRequest) -> Trace:
    """A text through each preset in turn, with every gradient."""
    model = of_preset(request.param)
    return with_gradients(model, random_text(model, Random(5), LENGTH))


def tensor(traced: Trace, stage: str | None, weight: str | None, gradient: bool) -> Array:
    """The tensor of these names, straight from the trace."""
    if weight is not None:
        found = traced.weight_gradients if gradient else traced.model.network.state_dict()
        assert found is not None
        return found[weight].numpy()
    assert stage is not None
    found_stage = traced.gradient(stage) if gradient else traced.array(stage)
    assert found_stage is not None
    return found_stage


def allowed(traced: Trace, cell: Cell) -> float:
    """What the design calls equal, for that cell: 1e-5 on the scale of its row, or, of a gradient,
    on that of the largest gradient there is."""
    row = tensor(traced, cell.stage, cell.weight, cell.gradient)[cell.index[:-1]]
    scale = max(1.0, float(np.abs(row[np.isfinite(row)]).max(initial=0)))
    if cell.gradient:
        assert traced.gradients is not None
        scale = max(float(gradient.abs().max()) for gradient in traced.gradients.values())
    return 1e-5 * scale


def somewhere(random: Random, array: Array) -> tuple[int, ...]:
    return tuple(random.randrange(size) for size in array.shape)


@pytest.fixture(scope="module")
def cells(traced: Trace) -> list[Cell]:
    """A random cell of every stage and every weight, and of the gradient of each."""
    random = Random(6)
    found = []
    for stage in traced.model.stages:
        for gradient in (False, True):
            if not (gradient and stage.kind is Kind.IDS):
                place = somewhere(random, traced.array(stage.key))
                found.append(explain(traced, stage.key, place, gradient=gradient))
    for key, array in traced.model.weights.items():
        for gradient in (False, True):
            place = somewhere(random, array)
            found.append(explain_weight(traced, key, place, gradient=gradient))
    return found


def test_there_are_many_cells() -> None:
    every = [stage for config in PRESETS.values() for stage in stages(config)]
    gradients = [stage for stage in every if stage.kind is not Kind.IDS]
    assert len(every) + len(gradients) > FEWEST_CELLS


def test_total_is_the_number_shown(traced: Trace, cells: list[Cell]) -> None:
    for cell in cells:
        shown = tensor(traced, cell.stage, cell.weight, cell.gradient)[cell.index]
        assert cell.value == shown
        near = cell.total == shown or abs(cell.total - shown) <= allowed(traced, cell)
        assert near, (cell.stage, cell.weight, cell.index)
        assert cell.equal


def test_difference_is_between_value_and_total(cells: list[Cell]) -> None:
    for cell in cells:
        if math.isfinite(cell.value):
            assert cell.difference == abs(cell.value - cell.total)
        else:
            assert cell.difference == 0.0


def test_terms_join_to_the_total(cells: list[Cell]) -> None:
    for cell in cells:
        total = cell.rule.total([term.value for term in cell.terms])
        assert total == cell.total or total == pytest.approx(cell.total, rel=1e-9, abs=1e-9)


def test_every_operand_has_its_value_where_it_says(traced: Trace, cells: list[Cell]) -> None:
    operands = [factor for cell in cells for term in cell.terms for factor in term.factors]
    assert len(operands) > len(cells)
    for one in operands:
        assert (one.stage is None) != (one.weight is None)
        array = tensor(traced, one.stage, one.weight, one.gradient)
        assert len(one.index) == array.ndim
        assert all(0 <= i < n for i, n in zip(one.index, array.shape, strict=True))
        assert one.value == array[one.index]


def test_line_of_numpy_gives_the_number(traced: Trace, cells: list[Cell]) -> None:
    for cell in cells:
        value = executed(cell.code)
        near = value == cell.value or abs(value - cell.value) <= allowed(traced, cell)
        assert near, (cell.stage, cell.weight, cell.code)


def test_operands_of_a_stage_are_its_inputs_and_weights(traced: Trace, cells: list[Cell]) -> None:
    for cell in cells:
        if cell.stage is not None and not cell.gradient:
            stage = traced.stage(cell.stage)
            named = {one.stage or one.weight for term in cell.terms for one in term.factors}
            assert named <= {*stage.inputs, *(weight.key for weight in stage.weights)}


def passed_back(traced: Trace, cells: list[Cell]) -> list[Cell]:
    last = traced.model.stages[-1].key
    unread = ("probabilities", last)
    return [cell for cell in cells if cell.gradient and cell.stage not in unread]


def test_gradient_says_what_every_stage_that_reads_the_tensor_passes_back(
    traced: Trace, cells: list[Cell]
) -> None:
    for cell in passed_back(traced, cells):
        assert cell.rule is Rule.SUM
        assert [step.label for step in cell.steps] == [
            key for key in cell.used_by if key != "probabilities"
        ]
        assert math.fsum(step.value for step in cell.steps) == pytest.approx(cell.total, abs=1e-12)


def test_terms_of_a_gradient_are_gradients_times_derivatives(
    traced: Trace, cells: list[Cell]
) -> None:
    for cell in passed_back(traced, cells):
        for term in cell.terms[: len(cell.terms) - bool(cell.folded)]:
            (one,) = term.factors
            assert one.gradient
            assert one.stage in cell.used_by
            derivative = float(term.label.rpartition(" = ")[2])
            assert term.value == pytest.approx(one.value * derivative, rel=1e-7, abs=1e-30)


def test_gradient_of_the_loss_is_one_over_its_number(traced: Trace) -> None:
    losses = traced.array("loss")
    cell = explain(traced, "loss", (1,), gradient=True)
    assert cell.total == 1 / len(losses)
    assert cell.code == f"1 / {len(losses)}"


def test_every_walk_ends_at_a_character_a_position_or_a_weight(traced: Trace) -> None:
    """From a probability, by any operand of any term, and so on; a masked score is no operand."""
    random = Random(7)
    ends = set()
    for _ in range(20):
        cell = explain(traced, "probabilities", somewhere(random, traced.array("probabilities")))
        while found := [f for term in cell.terms for f in term.factors if f.value != -math.inf]:
            at = random.choice(found)
            if at.weight is not None:
                cell = explain_weight(traced, at.weight, at.index)
            else:
                assert at.stage is not None
                cell = explain(traced, at.stage, at.index)
        ends.add(cell.rule)
    assert ends <= {Rule.TRAINED, Rule.COPY, Rule.SINE, Rule.COSINE}
    assert Rule.TRAINED in ends


def test_weight_is_used_by_the_stages_that_name_it(traced: Trace) -> None:
    for key, parameter in parameters(traced.stages).items():
        cell = explain_weight(traced, key, (0,) * len(parameter.weight.axes))
        named = [s.key for s in traced.model.stages if key in [w.key for w in s.weights]]
        assert list(cell.used_by) == named
        assert cell.rule is Rule.TRAINED
        assert cell.total == cell.value


def test_every_weight_of_the_checkpoint_can_be_asked(traced: Trace) -> None:
    assert parameters(traced.stages).keys() == traced.model.weights.keys()


# What is particular to a stage


@pytest.fixture(scope="module")
def plain(model: LoadedModel) -> Trace:
    return trace(model, "To be, or not to be")


@pytest.fixture(scope="module")
def translated() -> Trace:
    return with_gradients(of_preset("shakespeare-seq2seq"), "Tobenomebone")


def test_masked_cell_has_one_term_that_names_the_mask(plain: Trace) -> None:
    cell = explain(plain, "blocks.0.attn.masked_scores", (2, 3, 5))
    assert (cell.value, cell.total, cell.difference) == (-math.inf, -math.inf, 0.0)
    assert (cell.rule, cell.code, cell.equal) == (Rule.MASK, "-np.inf", True)
    assert [(term.label, term.factors) for term in cell.terms] == [("causal mask", ())]


def test_weight_of_a_masked_position_is_explained_as_zero(plain: Trace) -> None:
    cell = explain(plain, "blocks.0.attn.weights", (2, 3, 5))
    assert (cell.value, cell.total) == (0.0, 0.0)
    assert cell.terms[0].factors[0].value == -math.inf


def test_gradient_of_a_masked_cell_is_nothing(translated: Trace) -> None:
    cell = explain(translated, "decoder.blocks.0.attn.masked_scores", (0, 1, 2), gradient=True)
    assert (cell.value, cell.total) == (0.0, 0.0)


def test_cross_attention_reads_keys_of_the_encoder(translated: Trace) -> None:
    *_, memory = (s.key for s in translated.model.stages if s.key.startswith("encoder."))
    cell = explain(translated, "decoder.blocks.0.cross_attn.k", (1, 2, 3), largest=None)
    rows = {(one.stage, one.index[0]) for term in cell.terms[:-1] for one in term.factors[:1]}
    assert rows == {(memory, 2)}


def test_cross_attention_weighs_every_source_position(translated: Trace) -> None:
    key = "decoder.blocks.1.cross_attn.weights"
    cell = explain(translated, key, (3, 1, 0), largest=None)
    assert len(cell.terms) == len(translated.tokens)
    assert min(term.value for term in cell.terms) > 0


def test_encoders_loss_names_the_hidden_character() -> None:
    model = of_preset("shakespeare-encoder")
    traced = trace(model, "Tobe", hidden=[1, 2])
    truth = model.tokenizer.ids["b"]
    *_, term = explain(traced, "loss", (1,)).terms
    assert [(one.stage, one.index, one.value) for one in term.factors[1:]] == [
        ("hidden", (1,), 2),
        ("targets", (1,), truth),
    ]
    assert term.factors[0].index == (2, truth)


def test_rotated_feature_comes_from_its_pair() -> None:
    traced = with_gradients(of_preset("shakespeare-modern"), "Tobe" * 3)
    cell = explain(traced, "blocks.0.attn.q_rotated", (1, 3, 5))
    assert [term.factors[0].index for term in cell.terms] == [(1, 3, 4), (1, 3, 5)]


def test_id_names_its_character(plain: Trace) -> None:
    cell = explain(plain, "ids", (1,))
    assert cell.note == "The character is 'o'."
    assert cell.value == plain.model.tokenizer.ids["o"]
    assert isinstance(cell.value, int)


def test_tied_embedding_gets_a_gradient_from_each_use(translated: Trace) -> None:
    key = "embedding.weight"
    cell = explain_weight(translated, key, (translated.tokens[0].id, 0), gradient=True)
    assert len(cell.steps) == len(parameters(translated.stages)[key].used_by) == 3


def test_row_that_no_one_read_gets_no_gradient(plain: Trace) -> None:
    traced = with_gradients(plain.model, "To be")
    cell = explain_weight(
        traced, "embedding.weight", (plain.model.tokenizer.ids["z"], 0), gradient=True
    )
    assert (cell.value, cell.total) == (0.0, 0.0)


def test_cell_that_moves_nothing_is_explained_by_the_largest_gradient(plain: Trace) -> None:
    traced = with_gradients(plain.model, "To be")
    place = (plain.model.tokenizer.ids["z"], 0)
    cell = explain_weight(traced, "embedding.weight", place, gradient=True)
    (term,) = cell.terms
    (one,) = term.factors
    gradient = traced.gradient("embeddings")
    assert gradient is not None
    assert (term.label, one.stage) == (r"∂X_tok/∂W_E = 0", "embeddings")
    assert abs(one.value) == np.abs(gradient).max() > 0


def test_equation_of_a_gradient_sums_what_each_reader_passes_back(translated: Trace) -> None:
    """(∂y/∂x)ᵀ ∂ℓ̄/∂y for each y: the transpose stands at the Jacobian alone."""
    cell = explain(translated, "decoder.input", (0, 0), gradient=True)
    stage, readers = translated.stage("decoder.input"), [*map(translated.stage, cell.used_by)]
    x = stage.symbol
    passed = [
        rf"\left(\frac{{\partial {y}}}{{\partial {x}}}\right)^{{\top}}"
        rf"\frac{{\partial \bar{{\ell}}}}{{\partial {y}}}"
        for y in (reader.symbol for reader in readers)
    ]
    assert len(passed) > 1
    assert (
        cell.equation == rf"\frac{{\partial \bar{{\ell}}}}{{\partial {x}}} = {' + '.join(passed)}"
    )


# How much is listed


def test_long_sum_lists_its_largest_terms(plain: Trace) -> None:
    key, index = "blocks.0.ffn.output", (3, 7)
    short, whole = explain(plain, key, index), explain(plain, key, index, largest=None)
    assert len(short.terms) == LISTED + 1
    assert (short.folded, whole.folded) == (len(whole.terms) - LISTED, 0)
    assert short.total == whole.total
    sizes = sorted((abs(term.value) for term in whole.terms), reverse=True)
    assert [abs(term.value) for term in short.terms[:-1]] == sizes[:LISTED]


def test_as_many_terms_are_listed_as_asked_for(plain: Trace) -> None:
    cell = explain(plain, "logits", (3, 7), largest=20)
    assert len(cell.terms) == 21
    assert cell.terms[-1].label == "44 more terms, none larger"


# What cannot be asked


@pytest.mark.parametrize(
    "index",
    [(), (1,), (1, 2, 3), (-1, 0), (19, 0), (0, 64), (10**30, 0), (0.0, 1), ("0", 1), (True, 0),
     "01", None, 5, (None, 0), ((0,), 1)],
)  # fmt: skip
@pytest.mark.parametrize("gradient", [False, True])
def test_wrong_index_is_refused_with_the_limits(plain: Trace, index: Any, gradient: bool) -> None:
    traced = with_gradients(plain.model, plain.text) if gradient else plain
    with pytest.raises(CellError) as caught:
        explain(traced, "input", index, gradient=gradient)
    assert caught.value.field == "index"
    assert "give a list of 2 whole numbers: position 0 to 18, d_model 0 to 63." in str(caught.value)
    assert f"{index!r}"[:20] in str(caught.value)


@pytest.mark.parametrize("index", [(), (0,), (65, 0), (0, -1)])
def test_wrong_index_of_a_weight_is_refused(plain: Trace, index: tuple[int, ...]) -> None:
    with pytest.raises(CellError, match=r"vocab 0 to 64, d_model 0 to 63\."):
        explain_weight(plain, "embedding.weight", index)


@pytest.mark.parametrize("index", [(4,), [4], np.array([4]), (np.int64(4),)])
def test_index_of_any_whole_numbers_is_read(plain: Trace, index: Any) -> None:
    assert explain(plain, "ids", index).index == (4,)


def test_cell_of_an_empty_loss_is_refused(model: LoadedModel) -> None:
    with pytest.raises(CellError, match="type at least two"):
        explain(trace(model, "a"), "loss", (0,))


@pytest.mark.parametrize("key", ["", "nothing", "blocks.*", "embedding.weight"])
def test_unknown_stage_is_refused(plain: Trace, key: str) -> None:
    with pytest.raises(UnknownStage, match="No stage"):
        explain(plain, key, (0,))


@pytest.mark.parametrize("key", ["", "nothing", "*.weight", "blocks.0.attn.weights"])
def test_unknown_weight_is_refused(plain: Trace, key: str) -> None:
    with pytest.raises(UnknownWeight) as caught:
        explain_weight(plain, key, (0,))
    assert caught.value.field == "weight"


ASKED: list[Callable[[Trace], Cell]] = [
    lambda traced: explain(traced, "input", (0, 0), gradient=True),
    lambda traced: explain_weight(traced, "head.weight", (0, 0), gradient=True),
]


@pytest.mark.parametrize("ask", ASKED)
def test_gradient_that_was_not_taken_is_refused(plain: Trace, ask: Callable[[Trace], Cell]) -> None:
    with pytest.raises(InputError, match="trace with gradients=True") as caught:
        ask(plain)
    assert caught.value.field == "gradient"


def test_gradient_of_ids_is_refused(plain: Trace) -> None:
    with pytest.raises(CellError, match="no gradient") as caught:
        explain(with_gradients(plain.model, "To be"), "ids", (0,), gradient=True)
    assert caught.value.field == "gradient"
