"""A run killed at any moment of a save (C43), two runs on a folder (C41), memory (C39)."""

from pathlib import Path

import pytest

from app.server.service import Service
from app.server.settings import Settings
from model import load
from model.checkpoint import WEIGHTS
from model.config import ModelConfig
from model.errors import CheckpointError, TrainingError
from model.training.corpus import Corpus
from model.training.loop import Recipe, train
from tests.conftest import SHAKESPEARE
from tests.model.processes import OPERATIONS_OF_A_SAVE, child, train_until, weigh_traces

ONE_STEP = Recipe(steps=1, batch_size=4)
MEGABYTE = 1 << 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints" / "tiny"


@pytest.mark.parametrize("operation", range(1, OPERATIONS_OF_A_SAVE + 1))
def test_kill_during_a_save_leaves_a_checkpoint_that_loads(
    folder: Path, tiny: ModelConfig, corpus: Corpus, operation: int
) -> None:
    """Killed before each file operation of its second save: the folder loads, a half-written
    file is not offered, and the next run is not refused and cleans up."""
    with child(train_until, folder, tiny, OPERATIONS_OF_A_SAVE + operation) as running:
        running.receive()
        running.kill()
    assert load(folder).config == tiny
    assert list(Service(Settings(checkpoints=folder.parent)).models) == ["tiny"]
    train(tiny, corpus, ONE_STEP, folder, command="", quiet=True)
    assert list(folder.glob(".saving-*")) == []


@pytest.mark.parametrize("operation", [1, 3, 6, 9])
def test_kill_during_the_first_save_offers_no_model(
    folder: Path, tiny: ModelConfig, corpus: Corpus, operation: int
) -> None:
    with child(train_until, folder, tiny, operation) as running:
        running.receive()
        running.kill()
    with pytest.raises(CheckpointError, match="has no"):
        load(folder)
    assert Service(Settings(checkpoints=folder.parent)).models == {}
    train(tiny, corpus, ONE_STEP, folder, command="", quiet=True)
    assert load(folder).config == tiny


def test_weights_are_the_new_ones_only_once_whole(folder: Path, tiny: ModelConfig) -> None:
    """Before the rename of the weights the old ones load, with the record that names them."""
    renamed = OPERATIONS_OF_A_SAVE + 9
    with child(train_until, folder, tiny, renamed) as running:
        assert running.receive() == "os.rename"
        running.kill()
    leftovers = list(folder.glob(".saving-*"))
    assert [path.stat().st_size for path in leftovers] == [(folder / WEIGHTS).stat().st_size]
    training = load(folder).training
    assert training is not None
    assert training.steps == 1


def test_weights_without_their_record_load_without_it(folder: Path, tiny: ModelConfig) -> None:
    """Killed between the two: the new weights load, the old record is not believed."""
    with child(train_until, folder, tiny, OPERATIONS_OF_A_SAVE + 10) as running:
        running.receive()
        running.kill()
    assert load(folder).training is None


def test_second_run_on_a_folder_is_refused_while_the_first_lives(
    folder: Path, tiny: ModelConfig, corpus: Corpus
) -> None:
    with child(train_until, folder, tiny, OPERATIONS_OF_A_SAVE + 1) as running:
        running.receive()
        with pytest.raises(TrainingError, match="Another run is training"):
            train(tiny, corpus, ONE_STEP, folder, command="", quiet=True)
        running.kill()
    assert train(tiny, corpus, ONE_STEP, folder, command="", quiet=True).steps == 1


def test_refused_second_run_leaves_the_firsts_half_written_file(
    folder: Path, tiny: ModelConfig, corpus: Corpus
) -> None:
    with child(train_until, folder, tiny, OPERATIONS_OF_A_SAVE + 2) as running:
        running.receive()
        before = list(folder.glob(".saving-*"))
        assert len(before) == 1
        with pytest.raises(TrainingError):
            train(tiny, corpus, ONE_STEP, folder, command="", quiet=True)
        assert list(folder.glob(".saving-*")) == before


def test_traces_do_not_pile_up_in_memory() -> None:
    """500 traces of 64 characters; kept, the last 450 would be 540 MB."""
    with child(weigh_traces, SHAKESPEARE, (50, 500)) as running:
        after_50, after_500 = running.receive(), running.receive()
    assert after_500 - after_50 < 50 * MEGABYTE
