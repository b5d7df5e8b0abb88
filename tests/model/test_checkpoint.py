"""What a checkpoint folder may hold, and what loading refuses (C26, C28, C29, C30)."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import LoadedModel, load, trace
from model.checkpoint import CONFIG, TOKENIZER, TRAINING, WEIGHTS, save
from model.errors import CheckpointError
from tests.conftest import SHAKESPEARE

KEY = "blocks.0.attn.query.weight"
FILES = (CONFIG, TOKENIZER, WEIGHTS)
Tensors = dict[str, torch.Tensor]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the committed checkpoint, to be spoiled."""
    return Path(shutil.copytree(SHAKESPEARE, tmp_path / "models" / "copy"))


class Marking:
    """Unpickling this creates a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.marker,)


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    return caught.value.message


def rewrite(folder: Path, change: Callable[[Tensors], None]) -> None:
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS)


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def replace_all(tensors: Tensors, by: Tensors) -> None:
    tensors.clear()
    tensors.update(by)


# What loads


def test_loaded_model_is_named_after_its_folder(folder: Path) -> None:
    assert load(folder).id == "copy"


def test_loading_twice_gives_the_same_weights(folder: Path) -> None:
    one, other = load(folder), load(folder)
    assert one.weights_sha256 == other.weights_sha256
    assert all((array == other.weights[key]).all() for key, array in one.weights.items())


def test_committed_record_belongs_to_the_weights(model: LoadedModel) -> None:
    assert model.training is not None
    assert model.training.weights_sha256 == model.weights_sha256


def test_loading_leaves_torchs_generator_alone(folder: Path) -> None:
    """C33: what a visitor's request loads must not shift another's random draws."""
    before = torch.get_rng_state()
    load(folder)
    assert torch.equal(torch.get_rng_state(), before)


def test_record_of_other_weights_is_not_believed(folder: Path) -> None:
    edit_json(folder / TRAINING, weights_sha256="0" * 64)
    assert load(folder).training is None


def test_checkpoint_without_a_record_loads(folder: Path) -> None:
    (folder / TRAINING).unlink()
    assert load(folder).training is None


def test_double_precision_weights_load_as_float32(folder: Path) -> None:
    rewrite(folder, lambda t: replace_all(t, {key: x.double() for key, x in t.items()}))
    assert load(folder).weights[KEY].dtype == "float32"


# Names, shapes and types, C26


def test_prefixed_keys_are_refused_saying_why(folder: Path) -> None:
    rewrite(folder, lambda t: replace_all(t, {f"_orig_mod.{key}": x for key, x in t.items()}))
    message = refusal(folder)
    assert "_orig_mod." in message
    assert "missing" in message


def test_missing_key_is_refused_by_name(folder: Path) -> None:
    rewrite(folder, lambda t: t.pop(KEY))
    assert f"missing: {KEY}" in refusal(folder)


def test_extra_key_is_refused_by_name(folder: Path) -> None:
    rewrite(folder, lambda t: t.update(surplus=torch.zeros(1)))
    assert "not expected: surplus" in refusal(folder)


def test_wrong_shape_is_refused_with_both_shapes(folder: Path) -> None:
    rewrite(folder, lambda t: t.update({KEY: torch.zeros(64, 32)}))
    message = refusal(folder)
    assert KEY in message
    assert "(64, 32)" in message
    assert "(64, 64)" in message


@pytest.mark.parametrize("value", [torch.nan, torch.inf, 1e300])
def test_weight_that_is_not_finite_is_refused_by_name(folder: Path, value: float) -> None:
    """1e300 is finite as float64, but not as the float32 that the model computes in."""
    rewrite(folder, lambda t: t.update({KEY: torch.full((64, 64), value, dtype=torch.float64)}))
    message = refusal(folder)
    assert KEY in message
    assert "finite" in message


def test_integer_weight_is_refused_by_its_type(folder: Path) -> None:
    rewrite(folder, lambda t: t.update({KEY: torch.zeros(64, 64, dtype=torch.int64)}))
    message = refusal(folder)
    assert KEY in message
    assert "int64" in message


# The configuration and the tokenizer


@pytest.mark.parametrize("name", FILES)
def test_missing_file_is_refused_by_name(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert f"has no {name}" in refusal(folder)


@pytest.mark.parametrize("name", [CONFIG, TOKENIZER, TRAINING])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_broken_json_is_refused_by_name(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert name in refusal(folder)


@pytest.mark.parametrize(
    "change",
    [{"d_model": 63}, {"n_heads": 0}, {"d_ff": 10**9}, {"norm_epsilon": 0}, {"surprise": 1}],
    ids=str,
)
def test_impossible_configuration_is_refused(folder: Path, change: dict[str, int]) -> None:
    edit_json(folder / CONFIG, **change)
    assert CONFIG in refusal(folder)


def test_configuration_of_another_model_is_refused(folder: Path) -> None:
    edit_json(folder / CONFIG, n_blocks=3)
    assert "blocks.2." in refusal(folder)


VOCABULARIES = {
    "a character too few": lambda characters: characters[:-1],
    "a character too many": lambda characters: [*characters, "é"],
    "a character twice": lambda characters: [*characters, characters[0]],
    "one replaced by a repetition": lambda characters: [*characters[:-1], characters[0]],
    "an entry of two characters": lambda characters: [*characters[:-1], "yz"],
    "an empty entry": lambda characters: [*characters[:-1], ""],
}


@pytest.mark.parametrize("change", VOCABULARIES.values(), ids=VOCABULARIES)
def test_vocabulary_that_does_not_fit_is_refused(
    folder: Path, change: Callable[[list[str]], list[str]]
) -> None:
    listed = json.loads((folder / TOKENIZER).read_text())["vocabulary"]
    edit_json(folder / TOKENIZER, vocabulary=change(listed))
    assert TOKENIZER in refusal(folder)


# Files of another format, and code in them (C28, C30)


def test_pickled_checkpoint_is_refused_and_never_opened(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    torch.save({"model": Marking(marker)}, folder / "model.pt")
    (folder / WEIGHTS).unlink()
    message = refusal(folder)
    assert WEIGHTS in message
    assert "pickle" in message
    assert not marker.exists()


@pytest.mark.parametrize("name", [CONFIG, TOKENIZER, WEIGHTS, TRAINING])
def test_pickle_under_another_name_is_refused_and_not_run(
    folder: Path, tmp_path: Path, name: str
) -> None:
    marker = tmp_path / "marker"
    (folder / name).write_bytes(pickle.dumps(Marking(marker)))
    assert name in refusal(folder)
    assert not marker.exists()


def test_the_marking_pickle_would_run(tmp_path: Path) -> None:
    """The two tests above can fail: opened as a pickle, it does create the file."""
    marker = tmp_path / "marker"
    pickle.loads(pickle.dumps(Marking(marker)))
    assert marker.exists()


@pytest.mark.parametrize("content", [b"", b"not tensors", b"\xff" * 64], ids=repr)
def test_file_of_another_format_is_called_no_safetensors_file(folder: Path, content: bytes) -> None:
    (folder / WEIGHTS).write_bytes(content)
    message = refusal(folder)
    assert f"{WEIGHTS} in copy is not a safetensors file" in message


@pytest.mark.parametrize("kept", [4, 100, -1], ids="{} bytes".format)
def test_cut_file_is_refused(folder: Path, kept: int) -> None:
    raw = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(raw[:kept])
    assert "not a safetensors file" in refusal(folder)


def test_model_in_use_survives_a_spoiled_folder(folder: Path) -> None:
    used = load(folder)
    before = trace(used, "To be").tensor("logits").clone()
    (folder / WEIGHTS).write_bytes(b"not tensors")
    refusal(folder)
    assert torch.equal(trace(used, "To be").tensor("logits"), before)


# Out of the folder (C29)


@pytest.mark.parametrize("name", [CONFIG, TOKENIZER, WEIGHTS, TRAINING])
def test_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    assert f"{name} in copy is a link out of the folder" in refusal(folder)


def test_message_about_a_link_does_not_tell_whether_its_target_exists(
    folder: Path, tmp_path: Path
) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(tmp_path / "outside")
    without = refusal(folder)
    (tmp_path / "outside").touch()
    assert refusal(folder) == without
    assert "outside" not in without.replace("out of", "")


def test_relative_link_that_climbs_out_is_refused(folder: Path) -> None:
    (folder.parent / "beside.safetensors").touch()
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(Path("..") / "beside.safetensors")
    assert "link out of the folder" in refusal(folder)


def test_link_to_itself_is_refused(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to(WEIGHTS)
    assert WEIGHTS in refusal(folder)


def test_link_within_the_folder_is_followed(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "step-8000.safetensors")
    (folder / WEIGHTS).symlink_to("step-8000.safetensors")
    assert load(folder).id == "copy"


def test_shard_index_that_climbs_out_is_never_followed(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.parent / "outside.safetensors")
    index = {"weight_map": {KEY: "../outside.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert f"has no {WEIGHTS}" in refusal(folder)


@pytest.mark.parametrize("path", ["../outside", "/nonexistent", "no\nsuch\ud800"])
def test_folder_that_does_not_exist_is_refused(tmp_path: Path, path: str) -> None:
    refusal(tmp_path / path).encode()


def test_folder_in_place_of_a_file_is_refused(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()
    assert WEIGHTS in refusal(folder)


# Saving


def record(seed: int) -> dict[str, Any]:
    return {
        "command": "", "seed": seed, "steps": 1, "recipe": {}, "validation_loss": 1.0,
        "loss_curve": [], "seconds": 0.0, "versions": {}, "corpus_sha256": "",
    }  # fmt: skip


def saved(folder: Path, model: LoadedModel, seed: int = 1) -> None:
    save(
        folder,
        config=model.config,
        tokenizer=model.tokenizer,
        network=model.network,
        record=record(seed),
    )


def test_saved_model_loads_the_same(tmp_path: Path, untrained: LoadedModel) -> None:
    saved(tmp_path / "new", untrained)
    again = load(tmp_path / "new")
    assert again.config == untrained.config
    assert again.tokenizer == untrained.tokenizer
    assert again.training is not None
    assert all((x == untrained.weights[key]).all() for key, x in again.weights.items())


def test_saving_leaves_only_the_checkpoints_files(tmp_path: Path, untrained: LoadedModel) -> None:
    saved(tmp_path, untrained)
    saved(tmp_path, untrained, seed=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, TRAINING])
    assert load(tmp_path).training.seed == 2  # type: ignore[union-attr]


def test_saved_files_can_be_read_by_others(tmp_path: Path, untrained: LoadedModel) -> None:
    """A server often runs as another user than the one who trained."""
    saved(tmp_path, untrained)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o644}


@pytest.mark.parametrize("spoil", ["config", "broken"])
def test_saving_over_another_model_is_refused(
    folder: Path, untrained: LoadedModel, spoil: str
) -> None:
    if spoil == "config":
        edit_json(folder / CONFIG, n_blocks=3)
    else:
        (folder / CONFIG).write_text("{")
    before = (folder / WEIGHTS).read_bytes()
    with pytest.raises(CheckpointError, match=r"config\.json"):
        saved(folder, untrained)
    assert (folder / WEIGHTS).read_bytes() == before
