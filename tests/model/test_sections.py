"""Which sections teach each stage: read line by line against module 7, lesson 56 and the chapter.

A line is the leaves of a preset's stages, then the sections of the course, the lesson and the
chapter, by their names in model/table/sections.py. `norm` and `residual` are those of attention and
of the feed-forward network. A comment gives the reason of the line below it where the texts do not
say it plainly. What counts a stage's weights teaches the lab on counting, not the stage.
"""

import re

import pytest

from model.config import PRESETS, ModelConfig, Norm, Position, Wiring
from model.table import sections
from model.table.architectures import stages
from model.table.sections import CHAPTER, COURSE, EVERY, LESSON, Section
from model.table.stage import Stage

TEXTS = (COURSE, LESSON, CHAPTER)
READ = """
## shakespeare
ids | complete_model | tiny_pass | stacking
embeddings | embedding complete_model | tiny_pass | stacking
# the lesson has only its sum with the embeddings, and a table's size
positions | positions which_encoding | tiny_pass | -
# a sum, but no residual connection: nothing leaves the stream here
input | positions complete_model | tiny_pass | -
# the chapter has attention inside its pre-norm block alone
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers mini_gpt | -
attn.masked_scores | attention | causal_masking mask_first mini_gpt | -
# §7.6 has the N × N tables, and its figure the first row
attn.weights
    | attention complete_model follow_one_input
    | attention_by_numbers causal_masking mask_first mini_gpt sanity_checks
    | -
attn.output | attention complete_model | attention_by_numbers mini_gpt | -
residual | residuals complete_model | skips post_ln | -
norm.mean norm.variance norm.normalized | layer_norm | normalization | -
norm.output | layer_norm complete_model | normalization gamma_and_beta post_ln | -
# the chapter's network is SwiGLU; of the plain one it counts the weights
ffn.hidden | feed_forward | ffn mini_gpt | -
ffn.activation | feed_forward | gelu mini_gpt | -
ffn.output | feed_forward complete_model | ffn mini_gpt | -
# §7.5 and the chapter speak of heads that are tied and of those that are not
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
probabilities | output_layer complete_model next_token_loss | decoder_only | stacking
# the mask lets all positions be trained at once
loss | output_layer next_token_loss | mask_first | stacking
## shakespeare-2017
ids | complete_model | tiny_pass | stacking
# the same matrix is the head
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
# waves, whose shift is a turn; the lesson's positions are learned
positions | positions shift | tiny_pass | -
input | positions complete_model | tiny_pass | -
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers mini_gpt | -
attn.masked_scores | attention | causal_masking mask_first mini_gpt | -
attn.weights
    | attention complete_model follow_one_input
    | attention_by_numbers causal_masking mask_first mini_gpt sanity_checks
    | -
attn.output | attention complete_model | attention_by_numbers mini_gpt | -
residual | residuals complete_model | skips post_ln | -
norm.mean norm.variance norm.normalized | layer_norm | normalization | -
norm.output | layer_norm complete_model | normalization gamma_and_beta post_ln | -
ffn.hidden | feed_forward | ffn | -
# ReLU: the lesson only sets GELU against it
ffn.activation | feed_forward | - | -
ffn.output | feed_forward complete_model | ffn | -
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
probabilities | output_layer complete_model next_token_loss | decoder_only | stacking
loss | output_layer next_token_loss | mask_first | stacking
## shakespeare-preln
ids | complete_model | tiny_pass | stacking
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
positions | positions which_encoding | tiny_pass | -
input | positions complete_model | tiny_pass | -
# the chapter's norm is RMSNorm
norm.mean norm.variance norm.normalized final_norm.mean final_norm.variance final_norm.normalized
    | layer_norm | normalization | -
# its place on the branch; §7.6 norms after the addition
norm.output | layer_norm | normalization gamma_and_beta pre_ln following_shapes | pre_norm_block
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers mini_gpt | -
attn.masked_scores | attention | causal_masking mask_first mini_gpt | pre_norm_block
attn.weights
    | attention
    | attention_by_numbers causal_masking mask_first mini_gpt sanity_checks
    | pre_norm_block
attn.output | attention | attention_by_numbers following_shapes mini_gpt | pre_norm_block
# §7.3 sends its reader to §8.5 for pre-LN
residual | residuals norm_placement | skips pre_ln following_shapes mini_gpt | pre_norm_block
ffn.hidden | feed_forward | ffn following_shapes mini_gpt | -
ffn.activation | feed_forward | gelu mini_gpt | -
ffn.output | feed_forward | ffn following_shapes mini_gpt | pre_norm_block
# no post-LN model has it, so it is none of §7.6's steps
final_norm.output | layer_norm | normalization gamma_and_beta post_against_pre | stacking
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
probabilities | output_layer complete_model next_token_loss | decoder_only | stacking
loss | output_layer next_token_loss | mask_first | stacking
## shakespeare-modern
ids | complete_model | tiny_pass | stacking
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
# module 7 knows no RMSNorm
norm.mean_square norm.normalized final_norm.mean_square final_norm.normalized
    | - | rms_norm_too | rms_norm
# the lesson's RMSNorm has no gain
norm.output | - | pre_ln following_shapes | pre_norm_block rms_norm
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers mini_gpt | -
# §7.1 derives the turn that §15.1 builds in
attn.q_rotated attn.k_rotated | shift rotary | - | pre_norm_block
attn.masked_scores | attention | causal_masking mask_first mini_gpt | pre_norm_block
attn.weights
    | attention
    | attention_by_numbers causal_masking mask_first mini_gpt sanity_checks
    | pre_norm_block
attn.output | attention | attention_by_numbers following_shapes mini_gpt | pre_norm_block
residual | residuals norm_placement | skips pre_ln following_shapes mini_gpt | pre_norm_block
# neither module 7 nor the lesson has a gate
ffn.gate ffn.gate_activation ffn.up ffn.gated | - | - | swiglu
ffn.output | - | - | pre_norm_block swiglu
final_norm.output | - | post_against_pre | rms_norm stacking
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
probabilities | output_layer complete_model next_token_loss | decoder_only | stacking
loss | output_layer next_token_loss | mask_first | stacking
## shakespeare-encoder
ids | complete_model | tiny_pass | stacking
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
positions | positions which_encoding | tiny_pass | -
input | positions complete_model | tiny_pass | -
# the lesson's code is a GPT's
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers | -
# nothing is masked, which is what the lesson teaches of it
attn.masked_scores | - | encoder_only | -
attn.weights | attention complete_model | attention_by_numbers encoder_only | -
attn.output | attention complete_model | attention_by_numbers | -
residual | residuals complete_model | skips post_ln | -
norm.mean norm.variance norm.normalized | layer_norm | normalization | -
norm.output | layer_norm complete_model | normalization gamma_and_beta post_ln | -
ffn.hidden | feed_forward | ffn | -
ffn.activation | feed_forward | gelu | -
ffn.output | feed_forward complete_model | ffn | -
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
# of hidden characters, so §8.4 is not about them
probabilities | output_layer complete_model | - | -
# what an encoder is asked in training the lesson leaves to lesson 57
hidden targets | - | pretraining | -
loss | output_layer | pretraining | -
## shakespeare-seq2seq encoder
ids | complete_model | encoder_decoder tiny_pass | stacking
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
positions | positions which_encoding | tiny_pass | -
input | positions complete_model | tiny_pass | -
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers | -
attn.masked_scores | - | encoder_decoder | -
attn.weights | attention complete_model | attention_by_numbers encoder_decoder | -
attn.output | attention complete_model | attention_by_numbers | -
residual | residuals complete_model | skips post_ln | -
norm.mean norm.variance norm.normalized | layer_norm | normalization | -
norm.output | layer_norm complete_model | normalization gamma_and_beta post_ln | -
ffn.hidden | feed_forward | ffn | -
ffn.activation | feed_forward | gelu | -
ffn.output | feed_forward complete_model | ffn | -
## shakespeare-seq2seq decoder
ids | complete_model | encoder_decoder tiny_pass | stacking
embeddings | embedding tied_or_not complete_model | tiny_pass | stacking
positions | positions which_encoding | tiny_pass | -
input | positions complete_model | tiny_pass | -
attn.q attn.k attn.v attn.scores attn.heads attn.contributions
    | attention | attention_by_numbers | -
# masked self-attention, the first of three sub-layers
attn.masked_scores | attention | causal_masking mask_first encoder_decoder | -
attn.weights
    | attention complete_model | attention_by_numbers causal_masking mask_first encoder_decoder | -
attn.output | attention complete_model | attention_by_numbers | -
residual | residuals complete_model | skips post_ln encoder_decoder | -
norm.mean norm.variance norm.normalized
    cross_attn_norm.mean cross_attn_norm.variance cross_attn_norm.normalized
    | layer_norm | normalization | -
norm.output | layer_norm complete_model | normalization gamma_and_beta post_ln encoder_decoder | -
# §7.6 has no third sub-layer
cross_attn.q cross_attn.k cross_attn.v cross_attn.scores
    cross_attn.weights cross_attn.heads cross_attn.contributions cross_attn.output
    | attention | attention_by_numbers cross_attention | -
cross_attn.masked_scores | - | cross_attention | -
cross_attn_residual | residuals | skips post_ln encoder_decoder | -
cross_attn_norm.output | layer_norm | normalization gamma_and_beta post_ln encoder_decoder | -
ffn.hidden | feed_forward | ffn | -
ffn.activation | feed_forward | gelu | -
ffn.output | feed_forward complete_model | ffn | -
## shakespeare-seq2seq
logits | output_layer tied_or_not complete_model | tiny_pass | stacking
# the chapter's sampling is a decoder-only model's
probabilities | output_layer complete_model next_token_loss | encoder_decoder | -
loss | output_layer next_token_loss | mask_first | -
"""

Cited = tuple[set[Section], ...]


def named(names: str) -> set[Section]:
    """The sections of a column."""
    return {getattr(sections, name.upper()) for name in names.split() if name != "-"}


def expected() -> dict[tuple[str, str], Cited]:
    """The lines of the table: the sections in each text, by preset and leaf."""
    found: dict[tuple[str, str], Cited] = {}
    preset = ""
    for line in re.sub(r"\n +", " ", READ).strip().splitlines():
        if line.startswith("## "):
            preset = line.removeprefix("## ")
        elif not line.startswith("#"):
            leaves, *columns = line.split("|")
            for leaf in leaves.split():
                assert (preset, leaf) not in found, f"{leaf} of {preset} has two lines"
                found[preset, leaf] = tuple(map(named, columns))
    return found


def place(preset: str, stage: Stage) -> tuple[str, str]:
    """Where the table has a stage."""
    stack, leaf = re.fullmatch(r"(?:(encoder|decoder)\.)?(.*)", stage.key).groups()  # type: ignore[union-attr]
    leaf = re.sub(r"^blocks\.\d+\.", "", leaf)
    leaf = re.sub(r"^(attn|ffn)_(?=norm|residual)", "", leaf)
    return f"{preset} {stack}" if stack else preset, leaf


EXPECTED = expected()
every_stage = pytest.mark.parametrize(
    ("preset", "stage"),
    [(name, stage) for name, config in PRESETS.items() for stage in stages(config)],
    ids=lambda value: value if isinstance(value, str) else value.key,
)


@every_stage
def test_stage_cites_what_teaches_it_and_nothing_else(preset: str, stage: Stage) -> None:
    cited = tuple({s for s in stage.sections if s.course == text} for text in TEXTS)
    assert cited == EXPECTED[place(preset, stage)]


def test_every_line_is_a_stage() -> None:
    places = {place(name, stage) for name, config in PRESETS.items() for stage in stages(config)}
    assert EXPECTED.keys() == places


@every_stage
def test_sections_stand_in_reading_order(preset: str, stage: Stage) -> None:
    assert list(stage.sections) == sorted(set(stage.sections), key=EVERY.index)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_cites_all_three_texts(preset: str) -> None:
    cited = {section.course for stage in stages(PRESETS[preset]) for section in stage.sections}
    assert cited == set(TEXTS)


@pytest.mark.parametrize(
    "config",
    [
        PRESETS["shakespeare"].having(wiring=Wiring.PRE_LN),
        PRESETS["shakespeare-preln"].having(norm=Norm.RMS_NORM),
        PRESETS["shakespeare-encoder"].having(wiring=Wiring.PRE_LN),
        PRESETS["shakespeare-2017"].having(position=Position.ROTARY),
    ],
    ids=["pre-ln", "rms-norm", "pre-ln encoder", "post-ln rotary"],
)
def test_teaching_follows_the_configuration(config: ModelConfig) -> None:
    """The same holds for what no preset is: a pre-LN block is not §7.6's, no post-LN one the
    chapter's, RMSNorm not §7.3's, and a GPT's code not an encoder's."""
    wrong = {sections.PRE_NORM_BLOCK, sections.PRE_LN, sections.NORM_PLACEMENT}
    if config.wiring is Wiring.PRE_LN:
        wrong = {sections.COMPLETE_MODEL, sections.FOLLOW_ONE_INPUT, sections.POST_LN}
    if config.norm is Norm.RMS_NORM:
        wrong |= {sections.LAYER_NORM, sections.GAMMA_AND_BETA}
    if config.guesses:
        wrong |= {sections.MINI_GPT, sections.PRE_NORM_BLOCK, sections.NEXT_TOKEN_LOSS}
    inside = [stage for stage in stages(config) if stage.key.startswith("blocks.")]
    assert inside
    assert [stage.key for stage in inside if wrong & set(stage.sections)] == []


def test_labels_tell_sections_apart() -> None:
    labels = [section.label for section in EVERY]
    assert len(set(labels)) == len(labels)


def test_figures_have_the_addresses_that_module_7_gives() -> None:
    page = "https://transformers-and-math.drmhse.com/modules/07-the-block-and-the-full-model"
    assert [section.figure_url for section in EVERY if section.figure] == [
        f"{page}#figure-sinusoidal-positions",
        f"{page}#figure-layernorm-demo",
        f"{page}#figure-token-tracer-full",
    ]
