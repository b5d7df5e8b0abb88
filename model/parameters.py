"""The parameters of a model by the checkpoint's names, as the stage table declares them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from model.checkpoint import LoadedModel
from model.errors import UnknownWeight, quoted
from model.table.stage import Stage, Weight


@dataclass(frozen=True)
class Parameter:
    """One weight and the stages that use it, in the order of the table; a tied one has several."""

    weight: Weight
    used_by: tuple[Stage, ...]

    @property
    def title(self) -> str:
        """For people: what it is to the first stage that uses it."""
        leaf = self.weight.key.rpartition(".")[2]
        return f"{self.used_by[0].title}: {leaf}"

    @property
    def symbolic_shape(self) -> tuple[str, ...]:
        return tuple(axis.symbol for axis in self.weight.axes)


@lru_cache(maxsize=64)
def parameters(stages: tuple[Stage, ...]) -> Mapping[str, Parameter]:
    """Every parameter of a table by its key, in the order in which the stages use them."""
    found: dict[str, Parameter] = {}
    for stage in stages:
        for weight in stage.weights:
            before = found[weight.key].used_by if weight.key in found else ()
            found[weight.key] = Parameter(weight, (*before, stage))
    return MappingProxyType(found)  # the same for all who ask


def parameter_of(model: LoadedModel, key: str) -> Parameter:
    """The parameter of that exact name.

    Raises:
        UnknownWeight: the model has none.
    """
    known = parameters(model.stages)
    if key not in known:
        first, *_, last = known
        raise UnknownWeight(
            f"No weight of {model.id} is called {quoted(key)}. It has {len(known)} weights from "
            f"{first} to {last}; the stage table names each stage's.",
            field="weight",
        )
    return known[key]
