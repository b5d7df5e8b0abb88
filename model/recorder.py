"""The tap that keeps every stage, and what it has kept."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from torch import Tensor

from model.config import ModelConfig
from model.ops.op import Array
from model.table.axes import Lengths
from model.table.stage import Stage


class Record(Mapping[str, Tensor]):
    """Tensors by stage key. Each is kept as the model made it; its batch axis of 1 is dropped
    when it is read, because a trace has many and most are never read one by one.

    Nobody can write into what is kept: `array` is a read-only view, and a tensor is a copy, because
    torch knows no tensor that cannot be written into and some are the model's own parameters. (A
    copy of every stage takes a tenth of a trace; of the few that one reads, microseconds.)
    """

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def array(self, key: str) -> Array:
        """The tensor as NumPy sees it: the same memory, read-only, twice as quick as by torch."""
        array: Array = self._tensors[key].numpy()[0]
        array.flags.writeable = False
        return array

    def __getitem__(self, key: str) -> Tensor:
        return self._tensors[key][0].clone()

    def __contains__(self, key: object) -> bool:
        return key in self._tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


class Recorder:
    """A tap that keeps every stage, and accepts nothing but what the table of `stages` declares.

    Tensors come with a batch axis of 1, which the record drops. An undeclared, misordered or
    wrongly shaped tensor is our mistake, so it raises AssertionError; `finish` raises it for a
    missing one.
    """

    def __init__(self, stages: Sequence[Stage], config: ModelConfig, lengths: Lengths) -> None:
        self._expected = iter(_declared(tuple(stages), config, lengths))
        self._tensors: dict[str, Tensor] = {}

    def record(self, key: str, tensor: Tensor) -> Tensor:
        expected_key, expected_shape = next(self._expected, (None, ()))
        assert key == expected_key, f"tapped {key}, but the table has {expected_key} here"
        assert tensor.shape == expected_shape, (
            f"{key} has shape {tuple(tensor.shape)}, but the table says {expected_shape}"
        )
        self._tensors[key] = tensor
        return tensor

    __call__ = record

    def finish(self) -> Record:
        """The record, once the forward pass is over. Its tensors belong to no graph: one that was
        differentiated does, and so does a view of a parameter."""
        missing, _ = next(self._expected, (None, ()))
        assert missing is None, f"the forward pass never tapped {missing}"
        return Record(
            {
                key: tensor.detach() if tensor.requires_grad else tensor
                for key, tensor in self._tensors.items()
            }
        )


@lru_cache(maxsize=256)
def _declared(
    stages: tuple[Stage, ...], config: ModelConfig, lengths: Lengths
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Key and shape, batch axis included, of every stage, in order; once for the same lengths."""
    return tuple((stage.key, (1, *stage.shape(config, lengths))) for stage in stages)
