"""The presets in float64, in torch: what the NumPy interpreter's gradients are compared with."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.config import PRESETS, ModelConfig
from model.network.build import build
from model.network.positions import Rotation, SinusoidalPositions, angles
from model.network.transformer import Transformer
from model.ops.op import Array
from model.recorder import Recorder
from model.table.architectures import stages
from model.table.stage import Stage
from tests.model.texts import lengths_given

TINY = {"vocab_size": 7, "context_length": 6, "d_model": 4, "n_heads": 2, "d_ff": 6, "n_blocks": 1}
TINY_PRESETS = {name: preset.having(**TINY) for name, preset in PRESETS.items()}
"""Each preset's wiring in few enough numbers to move them one at a time."""


@dataclass(frozen=True, eq=False)
class ExactModel:
    """A network in float64 with its stage table and its parameters, seen by NumPy."""

    config: ModelConfig
    network: Transformer

    @property
    def stages(self) -> tuple[Stage, ...]:
        return stages(self.config)

    @property
    def weights(self) -> dict[str, Array]:
        """Copies, so that neither side writes into the other's."""
        named = self.network.named_parameters()
        return {key: parameter.detach().numpy().copy() for key, parameter in named}

    def record(self, given: Mapping[str, Array]) -> dict[str, Tensor]:
        """Every stage with its batch axis, in one graph that reaches from the loss to each of
        them."""
        recorder = Recorder(self.stages, self.config, lengths_given(given))
        recorded: dict[str, Tensor] = {}

        def tap(key: str, tensor: Tensor) -> Tensor:
            if tensor.is_floating_point():
                tensor = tensor.requires_grad_()  # computed positions would need none
            recorded[key] = recorder(key, tensor)
            return recorded[key]

        self.network.score({key: torch.tensor(ids[None]) for key, ids in given.items()}, tap)
        recorder.finish()
        return recorded


def exact_model(config: ModelConfig, *, deviation: float | None = None) -> ExactModel:
    """A model with the weights it would start training with, or, given a deviation, with every
    parameter random, so that a forgotten γ, β or bias shows."""
    generator = torch.Generator().manual_seed(1)
    network = build(config, generator).double()
    if deviation is not None:
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=deviation, generator=generator)
    for module in network.modules():  # their tables were rounded to float32
        if isinstance(module, Rotation):
            turned = angles(config.context_length, config.d_head)
            module.cos, module.sin = turned.cos(), turned.sin()
        if isinstance(module, SinusoidalPositions):
            turned = angles(config.context_length, config.d_model)
            module.table = torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2)
    return ExactModel(config, network)


def arrays(recorded: dict[str, Tensor]) -> dict[str, Array]:
    """A record as the interpreter reads it: without the batch axis."""
    return {key: tensor.detach().numpy()[0] for key, tensor in recorded.items()}
