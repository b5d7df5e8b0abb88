"""What an operation is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

Array = NDArray[Any]


class Op(ABC):
    """One operation: its words, its equation, its result."""

    operation: ClassVar[str]
    masks: ClassVar[bool] = False
    """Whether cells of the result can be −∞ because a mask put it there."""

    @abstractmethod
    def forward(self, *operands: Array) -> Array:
        """The result, from the stage's inputs and then its weights."""

    @abstractmethod
    def equation(self, result: str, operands: Sequence[str]) -> str:
        """The equation in LaTeX, from the symbols of the result and of the operands."""
