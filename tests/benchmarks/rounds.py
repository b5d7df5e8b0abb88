"""Interleaved rounds: on a busy machine only what ran side by side can be compared."""

from collections.abc import Callable, Mapping
from statistics import median

Work = Callable[[], object]
Clock = Callable[[], float]


class Rounds:
    """The seconds that each piece of work took, round by round."""

    def __init__(self, seconds: Mapping[str, list[float]]) -> None:
        self.seconds = seconds

    def ratio(self, name: str, peer: str) -> float:
        """The median over the rounds of one work's time against another's."""
        pairs = zip(self.seconds[name], self.seconds[peer], strict=True)
        return median(mine / other for mine, other in pairs)

    def typical(self, name: str) -> float:
        """The median seconds of one call."""
        return median(self.seconds[name])


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
