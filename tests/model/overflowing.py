"""Checkpoints whose weights are finite and whose tensors are not."""

from pathlib import Path
from shutil import copytree

from safetensors.torch import load_file, save_file

from tests.conftest import ROOT

LARGEST = 3e38
ONE_NUMBER = "one-embedding"
OVERFLOWING = {
    ONE_NUMBER: ("shakespeare", {}),  # F02: the embedding of "z", id 64, has one huge feature
    "large-head": ("shakespeare", {"head.weight": 1e39}),
    "large-queries": ("shakespeare", {"blocks.0.attn.query.weight": 1e38}),
    "large-keys": ("shakespeare-modern", {"blocks.1.attn.key.weight": 1e38}),
}
"""By name: the preset, and how many times as large which of its weights are."""


def write(folder: Path) -> None:
    """Write them all, each in a folder of its own."""
    for name, (base, factors) in OVERFLOWING.items():
        copytree(ROOT / "checkpoints" / base, folder / name)
        weights = load_file(folder / name / "model.safetensors")
        for key, factor in factors.items():
            weights[key] = (weights[key] * factor).clamp(-LARGEST, LARGEST)
        if name == ONE_NUMBER:
            weights["embedding.weight"][64, 3] = LARGEST
        save_file(weights, folder / name / "model.safetensors")
