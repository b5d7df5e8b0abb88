"""What a trace promises: what it refuses, and what in it equals what, bit for bit or nearly."""

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from model import LoadedModel, trace
from model.config import ModelConfig
from model.equality import END_TO_END, difference, tolerance
from model.errors import PositionError, TextError, UnknownStage
from model.reading import pieces_of
from model.table.axes import Lengths
from model.table.stage import Kind
from model.tracing import Trace, matching, stage_of
from model.training.corpus import Corpus
from model.training.loop import Recipe, train
from tests.model.texts import another, before, random_text

THREADS = 8


def same(one: Trace, other: Trace) -> bool:
    return all(torch.equal(tensor, other.tensors[key]) for key, tensor in one.tensors.items())


def ending(model: LoadedModel, suffix: str) -> list[str]:
    return [stage.key for stage in model.stages if stage.key.endswith(suffix)]


def refusal(model: LoadedModel, text: str) -> TextError:
    with pytest.raises(TextError) as caught:
        trace(model, text)
    assert caught.value.field == "text"
    caught.value.message.encode()  # can be sent, whatever the text held
    return caught.value


# Characters outside the vocabulary (C06, C07, C08)


def test_unknown_character_is_named_with_code_point_and_position(model: LoadedModel) -> None:
    error = refusal(model, "O Romeo 🙂")
    assert "'🙂' (U+1F642) at position 8" in error.message
    (detail,) = error.details
    assert detail["position"] == 8
    assert (detail["character"], detail["code_point"]) == ("🙂", "U+1F642")


def test_only_what_is_unknown_is_reported(model: LoadedModel) -> None:
    error = refusal(model, "Act 1, 3")
    assert [(d["position"], d["character"]) for d in error.details] == [(4, "1")]


def test_digit_of_the_vocabulary_is_accepted(model: LoadedModel) -> None:
    assert [token.id for token in trace(model, "3").tokens] == [9]


def test_all_unknown_characters_are_listed_at_once(model: LoadedModel) -> None:
    error = refusal(model, "1a2b%")
    assert [detail["position"] for detail in error.details] == [0, 2, 4]
    assert all(code in error.message for code in ("U+0031", "U+0032", "U+0025"))


def test_emoji_counts_as_one_character(model: LoadedModel) -> None:
    error = refusal(model, "a" * 63 + "🙂")
    assert [detail["position"] for detail in error.details] == [63]
    assert "at most" not in error.message


def test_lone_surrogate_is_refused_in_an_encodable_message(model: LoadedModel) -> None:
    assert "U+D800" in refusal(model, "a\ud800").message


def test_message_about_many_unknown_characters_stays_short(model: LoadedModel) -> None:
    assert len(refusal(model, "é" * 64).message) < 1000


# Whitespace and line ends (C09, C10)


@pytest.mark.parametrize(
    ("text", "ids"), [("a", [39]), ("a ", [39, 1]), (" \n ", [1, 0, 1])], ids=repr
)
def test_whitespace_is_kept(model: LoadedModel, text: str, ids: list[int]) -> None:
    traced = trace(model, text)
    assert traced.text == text
    assert [token.id for token in traced.tokens] == traced.tensor("ids").tolist() == ids


@pytest.mark.parametrize("line_end", ["\r\n", "\r"], ids=["CR LF", "CR"])
def test_line_ends_become_newlines_with_a_notice(model: LoadedModel, line_end: str) -> None:
    traced = trace(model, f"To be,{line_end}or not")
    assert traced.text == "To be,\nor not"
    assert len(traced.tokens) == 13
    assert len(traced.notices) == 1
    assert "newline" in traced.notices[0]


def test_converted_text_is_measured_after_conversion(model: LoadedModel) -> None:
    assert len(trace(model, "a" * 63 + "\r\n").tokens) == model.config.context_length


def test_plain_text_has_no_notice(model: LoadedModel) -> None:
    assert trace(model, "To be\n").notices == ()


# Length limits (C11, C12, C13)


def test_longest_text_is_traced_to_its_last_position(model: LoadedModel) -> None:
    assert trace(model, "a" * 64).tokens[-1].position == 63


def test_text_a_character_too_long_is_refused_with_both_numbers(model: LoadedModel) -> None:
    message = refusal(model, "a" * 65).message
    assert "65" in message
    assert "64" in message


def test_long_text_with_unknown_characters_names_both_faults(model: LoadedModel) -> None:
    message = refusal(model, "a" * 70 + "é").message
    assert "71 characters" in message
    assert "U+00E9" in message


def test_empty_text_is_refused(model: LoadedModel) -> None:
    assert "empty" in refusal(model, "").message
    assert "At least one character" in refusal(model, "").message


def test_one_character_keeps_every_axis(model: LoadedModel) -> None:
    one, two = trace(model, "a"), trace(model, "ab")
    for stage in model.stages:
        assert one.tensor(stage.key).ndim == two.tensor(stage.key).ndim == len(stage.axes)
        assert one.tensor(stage.key).shape == stage.shape(model.config, Lengths(1))


def test_one_character_attends_to_itself_alone(model: LoadedModel) -> None:
    traced = trace(model, "a")
    for key in ending(model, ".weights"):
        assert torch.equal(traced.tensor(key), torch.ones(model.config.n_heads, 1, 1))


def test_one_character_has_no_loss(model: LoadedModel) -> None:
    assert trace(model, "a").array("loss").shape == (0,)


# The trace is the model (C20, C21, C22)


def test_traced_and_untraced_logits_are_identical(model: LoadedModel, random: Random) -> None:
    for _ in range(50):
        traced = trace(model, random_text(model, random))
        with torch.inference_mode():
            plain = model.network(traced.tensor("ids")[None])[0]
        assert torch.equal(traced.tensor("logits"), plain)


@pytest.mark.parametrize("part", ["attn", "ffn"])
def test_residual_before_and_after_differ_by_the_output(model: LoadedModel, part: str) -> None:
    traced = trace(model, "To be, or not to be")
    for key in ending(model, f".{part}_residual"):
        stream, output = traced.stage(key).inputs
        assert output.endswith(f".{part}.output")
        after, earlier = traced.array(key), traced.array(stream)
        assert difference(after - earlier, traced.array(output), tolerance()).equal
        assert not np.array_equal(after, earlier)


def test_contributions_and_bias_sum_to_the_attention_output(model: LoadedModel) -> None:
    traced = trace(model, "To be, or not to be")
    for key in ending(model, ".attn.output"):
        stage = traced.stage(key)
        summed = traced.array(stage.inputs[0]).sum(0) + model.weights[stage.weights[0].key]
        assert difference(traced.array(key), summed, tolerance()).equal


def test_repeated_traces_are_identical_across_a_training_run(
    model: LoadedModel, corpus: Corpus, tiny: ModelConfig, tmp_path: Path
) -> None:
    first = trace(model, "To be")
    recipe = Recipe(steps=3, warmup=1)
    train(tiny, corpus, recipe, tmp_path / "run", command="", quiet=True)
    assert all(same(first, trace(model, "To be")) for _ in range(9))


def test_network_is_in_evaluation_mode(model: LoadedModel) -> None:
    assert not any(module.training for module in model.network.modules())


@pytest.mark.parametrize("inference", [False, True], ids=["plain", "inference mode"])
def test_heads_are_recomputed_from_shown_queries_keys_values(
    model: LoadedModel, random: Random, inference: bool
) -> None:
    with torch.inference_mode(inference):
        traced = trace(model, random_text(model, random, 40))
    for key in ending(model, ".heads"):
        q, k, v = (traced.tensor(key.replace("heads", part)) for part in "qkv")
        scores = q @ k.mT / math.sqrt(q.shape[-1]) + torch.full((40, 40), -math.inf).triu(1)
        assert difference(traced.array(key), (scores.softmax(-1) @ v).numpy(), tolerance()).equal


def test_attention_rows_sum_to_one(model: LoadedModel, random: Random) -> None:
    for _ in range(50):
        traced = trace(model, random_text(model, random))
        for key in ending(model, ".weights"):
            assert np.abs(traced.array(key).sum(-1, dtype=np.float64) - 1).max() <= 1e-6


def test_attention_is_exactly_zero_above_the_diagonal(model: LoadedModel, random: Random) -> None:
    traced = trace(model, random_text(model, random, 64))
    for key in ending(model, ".weights"):
        assert not np.triu(traced.array(key), 1).any()


def test_probabilities_sum_to_one_and_give_the_loss(model: LoadedModel) -> None:
    traced = trace(model, "To be, or not to be")
    probabilities, ids = traced.array("probabilities"), traced.array("ids")
    assert np.abs(probabilities.sum(-1, dtype=np.float64) - 1).max() <= 1e-6
    expected = [-math.log(probabilities[i, ids[i + 1]]) for i in range(len(ids) - 1)]
    assert difference(traced.array("loss"), np.array(expected), tolerance()).equal


# Nothing later reaches back (C23)


def test_changed_later_character_leaves_earlier_positions_identical(
    model: LoadedModel, random: Random
) -> None:
    """Bit for bit, in every stage, wherever the change is."""
    for _ in range(50):
        text = random_text(model, random, random.randint(2, 64))
        position = random.randrange(1, len(text))
        one, other = trace(model, text), trace(model, another(model, text, position))
        for stage in model.stages:
            a, b = (before(stage, t.array(stage.key), position) for t in (one, other))
            assert a.tobytes() == b.tobytes(), (text, position, stage.key)


def test_changed_character_shows_at_its_position(model: LoadedModel) -> None:
    """The comparison above can fail: every stage sees the change, the position vectors aside."""
    one, other = trace(model, "To be"), trace(model, "To bu")
    for stage in model.stages:
        if stage.key != "positions":
            assert not np.array_equal(one.array(stage.key), other.array(stage.key)), stage.key


def test_longer_text_leaves_earlier_positions_equal(model: LoadedModel) -> None:
    one, other = trace(model, "ab"), trace(model, "abc")
    for stage in model.stages:
        a, b = (before(stage, t.array(stage.key), 2) for t in (one, other))
        assert difference(a, b, END_TO_END, masked=stage.op.masked(a.shape)).equal, stage.key


def test_masked_cells_are_the_only_ones_that_are_not_finite(
    model: LoadedModel, random: Random
) -> None:
    traced = trace(model, random_text(model, random, 64))
    for stage in model.stages:
        nonfinite = int((~np.isfinite(traced.array(stage.key))).sum())
        masked = model.config.n_heads * 2016 if stage.null_means else 0
        assert nonfinite == masked, stage.key


# Sharing (C31) and what a trace keeps alive (C39)


def test_threads_share_a_model_without_mixing(model: LoadedModel) -> None:
    texts = ("aaaa", "bbbb")
    alone = {text: trace(model, text) for text in texts}
    assert [alone[text].array("ids").tolist() for text in texts] == [[39] * 4, [40] * 4]

    def repeat(worker: int) -> bool:
        text = texts[worker % 2]
        return all(same(alone[text], trace(model, text)) for _ in range(50))

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(repeat, range(THREADS)))


def test_no_tensor_carries_a_gradient_function(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    assert all(tensor.grad_fn is None for tensor in traced.tensors.values())
    assert not any(tensor.requires_grad for tensor in traced.tensors.values())


# The trace as a Python object


def test_arrays_are_float32_and_ids_int32(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    for stage in model.stages:
        expected = "int32" if stage.kind is Kind.IDS else "float32"
        assert str(traced.array(stage.key).dtype) == expected


def test_next_characters_come_likeliest_first(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    likeliest = traced.next()
    assert len(likeliest) == 10
    row = traced.array("probabilities")[-1]
    assert likeliest[0].probability == row.max()
    assert [p.probability for p in likeliest] == sorted(row, reverse=True)[:10]
    assert all(model.tokenizer.vocabulary[p.id] == p.text for p in likeliest)


def test_next_of_an_earlier_position_is_its_row(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    best = traced.next(2, 1)[0]
    assert best.id == traced.array("probabilities")[2].argmax()


@pytest.mark.parametrize(("position", "n"), [(5, 1), (-1, 1), (99, 10), (0, 0), (None, -3)])
def test_next_of_no_position_or_none_is_refused(
    model: LoadedModel, position: int | None, n: int
) -> None:
    with pytest.raises(PositionError) as refused:
        trace(model, "To be").next(position, n)
    assert str(n if position in (0, None) else position) in refused.value.message


def test_tokens_carry_visible_labels(model: LoadedModel) -> None:
    assert [token.label for token in trace(model, "a \n").tokens] == ["a", "␣", "↵"]


def test_unknown_stage_is_refused_by_name(model: LoadedModel) -> None:
    with pytest.raises(UnknownStage, match=r"blocks\.9\.attn"):
        trace(model, "a").tensor("blocks.9.attn.weights")
    with pytest.raises(UnknownStage, match="nothing"):
        stage_of(model.stages, "nothing")


def test_patterns_choose_stages_in_table_order(model: LoadedModel) -> None:
    chosen = matching(model.stages, ["logits", "blocks.*.attn.weights", "logits"])
    expected = [s.key for s in model.stages if s.key.endswith("attn.weights") or s.key == "logits"]
    assert [stage.key for stage in chosen] == expected


def test_pattern_without_a_match_is_refused(model: LoadedModel) -> None:
    with pytest.raises(UnknownStage, match="nothing"):
        matching(model.stages, ["*", "nothing.*"])


def test_reading_is_undone_by_writing(model: LoadedModel, random: Random) -> None:
    text = random_text(model, random)
    assert model.tokenizer.write([piece.id for piece in pieces_of(model, text)]) == text
