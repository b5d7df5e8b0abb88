"""Interleaved rounds: on a busy machine only what ran side by side can be compared."""

from collections.abc import Callable, Mapping
from statistics import median

Work = Callable[[], object]
Clock = Callable[[], float]


class Rounds:
    """The time that each piece of work took, round by round."""

    def __init__(self, times: Mapping[str, list[float]]) -> None:
        self.times = times

    def ratio(self, name: str, peer: str) -> float:
        """The median over the rounds of one work's time against another's."""
        pairs = zip(self.times[name], self.times[peer], strict=True)
        return median(mine / other for mine, other in pairs)

    def typical(self, name: str) -> float:
        """The median time of one call."""
        return median(self.times[name])


def interleaved(works: Mapping[str, Work], *, clock: Clock, rounds: int, calls: int) -> Rounds:
    """Time `calls` calls of each work in every round, in turning order, after a warm-up."""
    for work in works.values():
        for _ in range(calls):
            work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            work = works[name]
            start = clock()
            for _ in range(calls):
                work()
            seconds[name].append((clock() - start) / calls)
    return Rounds(seconds)


def readings(
    *works: Callable[[], Mapping[str, float]], rounds: int, turning: bool = True
) -> Rounds:
    """Gather figures that works measure themselves, each under a name, after a warm-up.

    The order turns from round to round, unless one work begins where another must have ended.
    """
    for work in works:
        work()
    found: dict[str, list[float]] = {}
    for number in range(rounds):
        first = number % len(works) if turning else 0
        for work in works[first:] + works[:first]:
            for name, value in work().items():
                found.setdefault(name, []).append(value)
    return Rounds(found)
