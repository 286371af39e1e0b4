"""Time on a Pi: CLOCK_MONOTONIC in whole microseconds, and the stamps of gpiozero's edges brought to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeAlias

NowUs: TypeAlias = Callable[[], int]

OLDEST_EDGE_US = 60_000_000
AHEAD_US = 1_000


def now_us() -> int:
    """The time now (µs, CLOCK_MONOTONIC): the clock by which the kernel stamps edges. Never steps back."""
    return time.monotonic_ns() // 1000


class Ticks(Protocol):
    """What of a gpiozero factory concerns time. Ticks mean nothing by themselves; they may wrap."""

    def ticks(self) -> float:
        """The time now, in ticks."""

    def ticks_diff(self, later: float, earlier: float) -> float:
        """The seconds from *earlier* to *later*."""


class TickClock:
    """Turns a factory's ticks into µs of CLOCK_MONOTONIC.

    Two pairs of readings would jitter by as much as a thread may be held up between them, and could swap edges. So one
    pair is read at the start, and every stamp is a distance from it. Where that cannot be the time of an edge that is
    handled now, the ticks have wrapped meanwhile, and a new pair is taken.
    """

    def __init__(self, factory: Ticks, now: NowUs = now_us) -> None:
        self._factory = factory
        self._now = now
        self._anchor_ticks, self._anchor_us = _closest_pair(factory, now)

    def at_us(self, ticks: float) -> int:
        """The time (µs) of an edge that carries *ticks*, not long ago; from before the start is fine."""
        at_us = self._anchor_us + round(self._factory.ticks_diff(ticks, self._anchor_ticks) * 1e6)
        if -OLDEST_EDGE_US <= at_us - self._now() <= AHEAD_US:
            return at_us
        self._anchor_ticks, self._anchor_us = _closest_pair(self._factory, self._now)
        ago_s = self._factory.ticks_diff(self._anchor_ticks, ticks)
        return self._anchor_us - round(ago_s * 1e6)


def _closest_pair(factory: Ticks, now: NowUs) -> tuple[float, int]:
    """The tick and the time (µs) that were read closest together, of three tries."""
    best: tuple[int, float, int] | None = None
    for _ in range(3):
        before_us = now()
        ticks = factory.ticks()
        apart_us = now() - before_us
        if best is None or apart_us < best[0]:
            best = (apart_us, ticks, before_us)
    assert best is not None
    return best[1], best[2]
