"""The rules of thumb of the counting lab: the texts' figures, and both rules done by hand."""

import pytest

from model.config import PRESETS, ModelConfig
from model.counting import itemised
from model.labs.counting import REFERENCES, counting
from model.labs.rules import LENGTHS, rules

GPT_2 = REFERENCES["gpt2"]
LLAMA_2 = REFERENCES["llama-2-7b"]


@pytest.mark.parametrize("config", PRESETS.values(), ids=PRESETS)
def test_blocks_counted_once_are_those_of_the_whole_table(config: ModelConfig) -> None:
    deep = config.having(n_blocks=5)
    assert counting(deep).items == itemised(deep)


def test_a_part_that_each_block_has_another_of_would_not_be_counted_by_the_first() -> None:
    """What the count of one block rests on: each block of a stack has the first one's tensors."""
    for config in PRESETS.values():
        for item in itemised(config.having(n_blocks=3)):
            second = [name.replace("blocks.1.", "blocks.0.") for name in item.tensors
                      if "blocks.1." in name]  # fmt: skip
            assert second == [name for name in item.tensors if "blocks.0." in name]


def test_parameters_by_the_rule_are_the_courses() -> None:
    """12 · 12 · 768² is about 85 million, 50,257 · 768 about 39 million: about 124 million."""
    found = rules(GPT_2).parameters
    assert found.says == 12 * 12 * 768**2 + 50_257 * 768 == 123_532_032
    assert found.counted == 124_439_808
    assert found.error == pytest.approx(-0.0072949, abs=1e-6)


def test_training_by_the_rule_is_six_for_each_parameter_and_token() -> None:
    found = rules(LLAMA_2, 2 * 10**12)
    assert found.compute.says == 6 * 6_738_415_616 * 2e12 == pytest.approx(8.0861e22, rel=1e-4)
    assert (found.inference_per_token, found.training_per_token) == (13_476_831_232, 40_430_493_696)


def test_counted_training_is_matrices_and_mixing_without_look_ups() -> None:
    """By hand for Llama 2 7B: a block has four d × d and three d × h, 2 FLOPs an entry; 4 T d."""
    d, h, n, vocabulary, length = 4096, 11_008, 32, 32_000, 4096
    forward = 2 * (n * (4 * d * d + 3 * d * h) + vocabulary * d) + n * 4 * length * d
    assert rules(LLAMA_2, 10).compute.counted == 3 * forward * 10


def test_six_n_d_is_far_off_for_a_long_text_and_a_narrow_model() -> None:
    near, far = GPT_2.having(context_length=16), GPT_2.having(context_length=2**20)
    assert abs(rules(near).compute.error) < 0.02
    assert rules(far).compute.error < -0.9


def test_shares_of_attention_are_half_where_it_takes_as_long() -> None:
    found = rules(LLAMA_2)
    length = round(found.as_long_as)
    assert length == 25_204
    assert rules(LLAMA_2.having(context_length=length)).attention_share == pytest.approx(0.5)
    assert [each.length for each in found.attention] == list(LENGTHS)
    assert found.attention[4].share == found.attention_share  # T = 4,096, its own context


def test_doubling_tokens_doubles_and_doubling_both_quadruples() -> None:
    factors = {each.name: each.times_compute for each in rules(LLAMA_2).doublings}
    assert factors["twice the tokens D"] == 2
    assert factors["twice the blocks n"] == pytest.approx(2, rel=0.05)
    assert factors["twice the blocks and the tokens"] == pytest.approx(4, rel=0.05)
    assert factors["twice the widths d and h"] == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize("tied", [True, False])
def test_untying_costs_the_vocabulary_times_the_width(tied: bool) -> None:
    found = rules(LLAMA_2.having(vocab_size=256_000, tied_head=tied)).tying
    assert found.difference == 256_000 * 4096 == 1_048_576_000
    assert found.share == pytest.approx(1_048_576_000 / found.untied)
