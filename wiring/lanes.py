"""Puts the wires of one side of a sheet into lanes, so that they cross as seldom as they can and never share a line.

Between the header's chips and the parts' column runs a channel. A wire leaves its chip level, goes up or down in a lane
of its own, and runs level to its terminals. The only choice is the order of the lanes; it is improved by moving one
lane at a time until nothing gets better, which for a dozen wires is quick and always ends the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

CLEARANCE = 11  # two level lines of different wires closer than this would be read as one
OVERLAP = 1000  # what an overlap costs, in crossings


class Run(NamedTuple):
    """A wire in the channel: the heights at which it leaves towards the header, and those towards the parts."""

    header: tuple[int, ...]
    parts: tuple[int, ...]

    @property
    def top(self) -> int:
        """The upper end of its lane."""
        return min(self.header + self.parts)

    @property
    def bottom(self) -> int:
        """The lower end of its lane."""
        return max(self.header + self.parts)


def order(runs: Sequence[Run]) -> tuple[int, ...]:
    """Return the numbers of *runs* in the order of their lanes, the one nearest to the header first."""
    best = tuple(sorted(range(len(runs)), key=lambda each: (runs[each].top, each)))
    lowest = cost(runs, best)
    improved = True
    while improved:
        improved = False
        for number in range(len(runs)):
            rest = [each for each in best if each != number]
            for place in range(len(runs)):
                tried = (*rest[:place], number, *rest[place:])
                price = cost(runs, tried)
                if price < lowest:
                    best, lowest, improved = tried, price, True
    return best


def cost(runs: Sequence[Run], lanes: Sequence[int]) -> int:
    """Return what the order *lanes* costs: a crossing 1, an overlap `OVERLAP`."""
    total = 0
    for place, outer in enumerate(lanes):
        for inner in lanes[place + 1 :]:
            total += _pair(runs[outer], runs[inner])
    return total


def _pair(near: Run, far: Run) -> int:
    """Return the cost of *near*'s lane lying nearer to the header than *far*'s."""
    crossings = sum(near.top < height < near.bottom for height in far.header)
    crossings += sum(far.top < height < far.bottom for height in near.parts)
    # Level lines lie side by side only where far's way to the header meets near's way to the parts.
    overlaps = sum(abs(one - other) < CLEARANCE for one in far.header for other in near.parts)
    return crossings + OVERLAP * overlaps
