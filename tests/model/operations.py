"""Every operation that there is, found in its modules."""

from importlib import import_module
from pkgutil import iter_modules

import model.ops
from model.ops.op import Op


def every_operation() -> set[type[Op]]:
    """The operations that a stage can be made by, without the classes that only some share."""
    for module in iter_modules(model.ops.__path__):
        import_module(f"model.ops.{module.name}")
    found: set[type[Op]] = set()
    waiting = Op.__subclasses__()
    while waiting:
        one = waiting.pop()
        found.add(one)
        waiting += one.__subclasses__()
    return {one for one in found if one.__module__.startswith("model.ops.")}
