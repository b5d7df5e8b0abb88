"""What the stage tables say in words, where a word too many or too few made a sentence false."""

import pytest

from model.config import PRESETS
from model.ops.arithmetic import Add
from model.table.architectures import stages
from model.table.axes import POSITION, TARGET, Lengths

every_preset = pytest.mark.parametrize("preset", PRESETS)


def test_axis_of_the_target_counts_the_line_end_that_begins_it() -> None:
    """M is one more than the target has characters."""
    config = PRESETS["shakespeare-seq2seq"]
    target = "To be"
    assert TARGET.size(config, Lengths(text=3, target=1 + len(target))) == 6
    assert TARGET.meaning == "the line end that begins the target, then its characters"
    assert "line end" not in POSITION.meaning


@every_preset
def test_addition_on_the_stream_names_what_it_adds_to_the_stream(preset: str) -> None:
    """A post-LN feed-forward adds to what norm 1 has made, which is not the block's input."""
    added = [stage for stage in stages(PRESETS[preset]) if isinstance(stage.op, Add)]
    skips = [stage for stage in added if stage.key.endswith("_residual")]
    assert skips
    assert all(" · stream + " in stage.title for stage in skips)


@every_preset
def test_missing_mask_speaks_of_a_source_where_there_is_one(preset: str) -> None:
    for stage in stages(PRESETS[preset]):
        said = getattr(stage.op, "operation", "")
        if said.startswith("no mask"):
            assert ("source" in said) is ("cross_attn" in stage.key), stage.key
