"""What a cell's arithmetic says: symbols with their block, heads from 1, whole sentences."""

import re

import pytest

from model import LoadedModel, Trace, trace
from model.arithmetic import Cell
from model.cells import explain, explain_weight
from model.config import PRESETS
from model.errors import CellError
from model.table.stage import Kind
from tests.model.presets import of_preset, with_gradients

UNFILLED = re.compile(r"[{}@]")
LONE_X = re.compile(r"(?<![\w])x(?![\w])")


@pytest.fixture(scope="module")
def plain(model: LoadedModel) -> Trace:
    return trace(model, "To be, or not")


@pytest.fixture(scope="module", params=PRESETS)
def every(request: pytest.FixtureRequest) -> list[Cell]:
    """The second cell of each stage and weight, and of their gradients, folded and whole."""
    traced = with_gradients(of_preset(request.param), "Tobenomebone")
    found = []
    for stage in traced.stages:
        place = tuple(min(1, size - 1) for size in traced.array(stage.key).shape)
        found += [explain(traced, stage.key, place, largest=n) for n in (2, None)]
        if stage.kind is not Kind.IDS:
            found.append(explain(traced, stage.key, place, gradient=True))
    for key, array in traced.model.weights.items():
        place = tuple(min(1, size - 1) for size in array.shape)
        found.append(explain_weight(traced, key, place))
        found.append(explain_weight(traced, key, place, gradient=True))
    return found


def words(cell: Cell) -> list[str]:
    return [
        cell.joined, cell.note or "", *(term.label for term in cell.terms),
        *(step.label for step in cell.steps),
    ]  # fmt: skip


def labels(cell: Cell) -> list[str]:
    return [term.label for term in cell.terms]


def test_words_have_the_operands_own_symbols_filled_in(every: list[Cell]) -> None:
    for cell in every:
        for said in words(cell):
            assert not UNFILLED.search(said), (cell.name, said)
            assert not LONE_X.search(said), (cell.name, said)


def test_sentence_is_the_same_however_many_terms_are_listed(plain: Trace) -> None:
    for key, place in (("blocks.0.attn.scores", (0, 3, 2)), ("probabilities", (3, 5))):
        assert len({explain(plain, key, place, largest=n).joined for n in (1, 5, None)}) == 1


@pytest.mark.parametrize(("block", "above"), [(0, "⁽¹⁾"), (1, "⁽²⁾")])
def test_score_is_said_to_be_the_products_divided_by_the_root(
    plain: Trace, block: int, above: str
) -> None:
    cell = explain(plain, f"blocks.{block}.attn.scores", (2, 6, 4))
    assert cell.joined == f"the sum of the products of Q{above} and K{above}, divided by √d_head"
    assert labels(cell)[-1] == "√d_head, the root of 16"


def test_softmax_names_its_operand_and_its_maximum(plain: Trace) -> None:
    cell = explain(plain, "blocks.1.attn.weights", (2, 6, 4))
    own = "the exponential of this cell’s own S_masked⁽²⁾"
    assert cell.joined == f"{own}, divided by the sum of those of its row"
    assert labels(cell)[0] == "exp(S_masked⁽²⁾[head 3, 6, 4] − maximum)"
    assert "The maximum, the largest S_masked⁽²⁾ of the row" in str(cell.note)
    assert explain(plain, "probabilities", (4, 1)).terms[0].label == "exp(Z[4, 1] − maximum)"


def test_normalized_says_what_is_divided_by_what(plain: Trace) -> None:
    cell = explain(plain, "blocks.1.ffn_norm.normalized", (4, 1))
    assert cell.joined == "R_f⁽²⁾ minus μ_f⁽²⁾, divided by √((σ_f⁽²⁾)² + ε)"
    assert labels(cell) == ["R_f⁽²⁾", "−μ_f⁽²⁾", "√((σ_f⁽²⁾)² + ε), with ε = 1e-05"]


def test_normalized_without_a_mean_says_what_is_divided_by_what() -> None:
    traced = trace(of_preset("shakespeare-modern"), "Tobe")
    cell = explain(traced, "blocks.1.attn_norm.normalized", (1, 2))
    assert cell.joined == "X_1 divided by √(m_a⁽²⁾ + ε)"


def test_sum_of_two_names_both(plain: Trace) -> None:
    cell = explain(plain, "blocks.0.attn_residual", (4, 1))
    assert (labels(cell), cell.joined) == (["X_0", "O⁽¹⁾"], "X_0 plus O⁽¹⁾")
    assert labels(explain(plain, "input", (4, 1))) == ["X_tok", "P"]


def test_symbols_of_the_words_have_their_titles(plain: Trace) -> None:
    cell = explain(plain, "blocks.1.ffn.hidden", (4, 1))
    assert {one.symbol: one.title for one in cell.symbols} == {
        "X_a⁽²⁾": "Block 2 · norm 1: output",
        "W_1⁽²⁾": "Block 2 · feed-forward hidden: weight",
        "b_1⁽²⁾": "Block 2 · feed-forward hidden: bias",
    }


def test_derivative_of_a_gradients_term_names_both_tensors() -> None:
    traced = with_gradients(of_preset("shakespeare"), "Tobe")
    cell = explain(traced, "blocks.1.attn.q", (2, 3, 4), gradient=True)
    assert cell.name == "∂ℓ̄/∂Q⁽²⁾[head 3, 3, 4]"
    assert all(label.startswith("∂S⁽²⁾/∂Q⁽²⁾ = ") for label in labels(cell))


# Heads count from 1, indices from 0


@pytest.mark.parametrize("head", [0, 2])
def test_head_of_a_name_counts_from_one_and_says_so(plain: Trace, head: int) -> None:
    cell = explain(plain, "blocks.1.attn.weights", (head, 6, 4))
    assert cell.index == (head, 6, 4)
    assert cell.name == f"A⁽²⁾[head {head + 1}, 6, 4]"
    assert cell.counted == f"head {head + 1} is index {head}"


def test_name_without_a_head_counts_as_its_index(plain: Trace) -> None:
    cell = explain(plain, "probabilities", (4, 1))
    assert (cell.name, cell.counted) == ("p[4, 1]", None)


def test_every_operand_with_a_head_is_named_from_one(every: list[Cell]) -> None:
    for cell in every:
        for one in (factor for term in cell.terms for factor in term.factors):
            found = re.search(r"\[head (\d+), ", one.name)
            assert found is None or int(found[1]) == one.index[0] + 1, one.name


def test_summed_heads_are_called_as_the_page_calls_them(plain: Trace) -> None:
    cell = explain(plain, "blocks.0.attn.output", (4, 1))
    assert labels(cell)[:4] == [f"C⁽¹⁾[head {n}, 4, 1]" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("largest", [0, -3])
def test_fewer_terms_than_one_are_refused(plain: Trace, largest: int) -> None:
    with pytest.raises(CellError, match=str(largest)):
        explain(plain, "logits", (0, 0), largest=largest)
