"""Numbers that are handed out: they can be read, and not written into.

What is handed out shares memory with a trace or a model, and every later answer is read from there.
`array.copy()` is one's own.
"""

from collections.abc import Iterator, Mapping

from model.ops.op import Array


def frozen(array: Array) -> Array:
    """The same memory under a view that refuses to be written into (a microsecond at most)."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays(Mapping[str, Array]):
    """Arrays by name, none of which can be written into or replaced. Unlike MappingProxyType it
    can be copied, as the model that has it can."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = {key: frozen(array) for key, array in arrays.items()}

    def __getitem__(self, key: str) -> Array:
        return self._arrays[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)
