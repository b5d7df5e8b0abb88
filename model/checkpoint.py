"""A checkpoint folder: config.json, tokenizer.json, model.safetensors, training.json.

Loading reads JSON and safetensors alone; nothing is ever unpickled.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors
from safetensors.torch import save as save_safetensors
from torch import Tensor

from model.budget import within_budget
from model.config import Architecture, ModelConfig
from model.errors import BudgetError, CheckpointError, quoted
from model.frozen import FrozenArrays
from model.network.build import build
from model.network.transformer import Transformer
from model.ops.op import Array
from model.table.architectures import stages, weights_of
from model.table.stage import Stage
from model.tokenizer import LINE_END, MASK, CharacterTokenizer, Tokenizer

CONFIG, TOKENIZER, WEIGHTS, TRAINING = (
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "training.json",
)
LARGEST_FILE = 1 << 30
NEEDED = {Architecture.ENCODER_ONLY: MASK, Architecture.ENCODER_DECODER: LINE_END}
"""The symbol that a vocabulary must have, by architecture."""
Shape = TypeVar("Shape", bound=BaseModel)


class LossPoint(BaseModel):
    """One measurement during training; losses in nats a character."""

    step: int
    train: float
    validation: float


class TrainingRecord(BaseModel):
    """How a checkpoint came to be: enough to do it again. Losses in nats a predicted character;
    `held_out` has what else was measured on the held-out text, by name."""

    model_config = ConfigDict(frozen=True)

    command: str
    seed: int
    steps: int
    recipe: dict[str, float | int]
    validation_loss: float
    loss_curve: list[LossPoint]
    seconds: float
    versions: dict[str, str]
    corpus_sha256: str
    weights_sha256: str
    held_out: dict[str, float] = {}


class _TokenizerFile(BaseModel):
    kind: Literal["characters"] = "characters"
    vocabulary: tuple[Annotated[str, Field(min_length=1, max_length=1)], ...]

    @field_validator("vocabulary")
    @classmethod
    def every_character_has_one_id(cls, vocabulary: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(vocabulary)) != len(vocabulary):
            raise ValueError("a character is listed twice")
        return vocabulary


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A checkpoint in memory: the network in evaluation mode, and all that describes it.

    `training` is None when the folder has no record, or one of other weights. `weights_dtype` is
    how the file stores the weights; the network computes in float32, which has every bfloat16 and
    float16 number exactly.

    All traces share the network. Its parameters are torch's and can be written into, which changes
    every later trace and no earlier one; `weights` cannot.
    """

    id: str
    config: ModelConfig
    tokenizer: Tokenizer
    network: Transformer
    weights_sha256: str
    training: TrainingRecord | None
    weights_dtype: str = "float32"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return stages(self.config)

    @cached_property
    def weights(self) -> Mapping[str, Array]:
        """The parameters as NumPy arrays, by the checkpoint's names: views of the network's own,
        read-only."""
        state = self.network.state_dict()
        return FrozenArrays({key: tensor.numpy() for key, tensor in state.items()})

    @cached_property
    def exact_weights(self) -> Mapping[str, Array]:
        """The same in float64, in which the second implementation computes; read-only too."""
        return FrozenArrays({key: a.astype(np.float64) for key, a in self.weights.items()})


def load(folder: str | Path) -> LoadedModel:
    """Load a checkpoint folder; its name becomes the model's id.

    Raises:
        CheckpointError: a file is missing, of another format, or does not fit the configuration.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CheckpointError(f"There is no checkpoint folder {quoted(str(folder), 200)}.")
    config = _read_json(folder, CONFIG, ModelConfig)
    try:
        within_budget(config)
    except BudgetError as error:
        raise CheckpointError(f"{CONFIG} in {folder.name}: {error.message}") from None
    tokenizer = CharacterTokenizer(_read_json(folder, TOKENIZER, _TokenizerFile).vocabulary)
    if len(tokenizer.vocabulary) != config.vocab_size:
        raise CheckpointError(
            f"{TOKENIZER} in {folder.name} lists {len(tokenizer.vocabulary)} "
            f"characters, but {CONFIG} says vocab_size {config.vocab_size}."
        )
    needed = NEEDED.get(config.architecture)
    if needed is not None and needed not in tokenizer.ids:
        raise CheckpointError(
            f"{TOKENIZER} in {folder.name} lacks {needed!r}, which an {config.architecture} model "
            "needs."
        )
    raw = _read_bytes(folder, WEIGHTS)
    shapes = {key: weight.shape(config) for key, weight in weights_of(config).items()}
    found = _fitting(_tensors(folder, raw), shapes, folder)
    network = build(config).eval()
    network.load_state_dict(found)
    sha256 = hashlib.sha256(raw).hexdigest()
    training: TrainingRecord | None = None
    if (folder / TRAINING).exists():
        training = _read_json(folder, TRAINING, TrainingRecord)
        if training.weights_sha256 != sha256:  # a run was killed between its two last files
            training = None
    dtypes = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in found.values()})
    return LoadedModel(
        folder.resolve().name, config, tokenizer, network, sha256, training, ", ".join(dtypes)
    )


def save(
    folder: Path,
    *,
    config: ModelConfig,
    tokenizer: CharacterTokenizer,
    network: Transformer,
    record: Mapping[str, Any],
) -> TrainingRecord:
    """Write a checkpoint so that a kill at any moment leaves a loadable folder.

    Every file is replaced whole. The weights come before their record, which names their
    SHA-256: a record of other weights is not believed. `record` is a TrainingRecord without
    `weights_sha256`.

    Raises:
        CheckpointError: the folder holds a model of another shape or vocabulary.
    """
    folder.mkdir(parents=True, exist_ok=True)
    refuse_another(folder, config, tokenizer)
    raw = save_safetensors(dict(network.state_dict()))
    training = TrainingRecord(weights_sha256=hashlib.sha256(raw).hexdigest(), **record)
    for name, content in _description(config, tokenizer).items():
        _replace(folder / name, f"{content.model_dump_json(indent=2)}\n".encode())
    _replace(folder / WEIGHTS, raw)
    _replace(folder / TRAINING, f"{training.model_dump_json(indent=2)}\n".encode())
    return training


def amend(folder: Path, record: TrainingRecord, **changes: Any) -> TrainingRecord:
    """Replace a folder's record by the same with other entries."""
    amended = record.model_copy(update=changes)
    _replace(folder / TRAINING, f"{amended.model_dump_json(indent=2)}\n".encode())
    return amended


def refuse_another(folder: Path, config: ModelConfig, tokenizer: CharacterTokenizer) -> None:
    """Keep a folder's model from being mixed with one that it does not describe.

    Raises:
        CheckpointError: the folder holds a model of another shape or vocabulary.
    """
    for name, content in _description(config, tokenizer).items():
        if (folder / name).exists() and _read_json(folder, name, type(content)) != content:
            raise CheckpointError(
                f"{quoted(str(folder), 200)} already holds another model: its {name} differs. "
                "Choose another folder with --out, or remove this one."
            )


def _description(config: ModelConfig, tokenizer: CharacterTokenizer) -> dict[str, BaseModel]:
    """What a folder says of its weights, by file name."""
    return {CONFIG: config, TOKENIZER: _TokenizerFile(vocabulary=tokenizer.vocabulary)}


def _replace(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".saving-", delete=False) as part:
        part.write(content)
        part.flush()
        os.fsync(part.fileno())
    Path(part.name).chmod(0o644)
    os.replace(part.name, path)


def _read_bytes(folder: Path, name: str) -> bytes:
    path = folder / name
    # A link may point anywhere; a checkpoint is what lies in its own folder.
    # (realpath, because resolve raises on a link to itself.)
    if path.is_symlink() and folder.resolve() not in Path(os.path.realpath(path)).parents:
        raise CheckpointError(f"{name} in {folder.name} is a link out of the folder; refused.")
    if path.exists() and not path.is_file():  # reading a pipe would wait for ever
        raise CheckpointError(f"{name} in {folder.name} is not a file.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise CheckpointError(f"{name} in {folder.name} is larger than {LARGEST_FILE} bytes.")
        return path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder.name} has no {name}; a checkpoint folder holds {CONFIG}, {TOKENIZER} and "
            f"{WEIGHTS}. Other formats are not loaded, pickles least of all."
        ) from None
    except OSError as error:
        raise CheckpointError(
            f"{name} in {folder.name} cannot be read: {error.strerror}."
        ) from None


def _read_json(folder: Path, name: str, shape: type[Shape]) -> Shape:
    try:
        return shape.model_validate_json(_read_bytes(folder, name))
    except ValidationError as error:
        problem = error.errors()[0]
        place = "".join(f"{part}: " for part in problem["loc"])
        raise CheckpointError(
            f"{name} in {folder.name} does not fit: {place}{problem['msg']}."
        ) from None


def _tensors(folder: Path, raw: bytes) -> dict[str, Tensor]:
    try:
        return load_safetensors(raw)
    except (SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"{WEIGHTS} in {folder.name} is not a safetensors file ({quoted(str(error), 100)}). "
            "A file of another format under this name is not opened."
        ) from None


def _fitting(
    found: dict[str, Tensor], expected: Mapping[str, tuple[int, ...]], folder: Path
) -> dict[str, Tensor]:
    """The file's tensors, when they are just those that the configuration asks for."""
    missing, extra = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
    if missing or extra:
        parts = [
            f"{noun} {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
            for noun, names in (("missing:", missing), ("not expected:", extra))
            if names
        ]
        raise CheckpointError(f"{WEIGHTS} in {folder.name} does not fit: {'; '.join(parts)}.")
    for name, tensor in found.items():
        if tensor.shape != expected[name]:
            raise CheckpointError(
                f"{name} in {folder.name} has shape {tuple(tensor.shape)}, but the configuration "
                f"asks for {expected[name]}."
            )
        if not tensor.is_floating_point():
            raise CheckpointError(
                f"{name} in {folder.name} has type {tensor.dtype}; weights are floating-point."
            )
        if not torch.isfinite(tensor.float()).all():
            raise CheckpointError(f"{name} in {folder.name} holds numbers that are not finite.")
    return found
