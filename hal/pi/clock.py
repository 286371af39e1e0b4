"""Time on a Pi: CLOCK_MONOTONIC in whole microseconds, and the stamps of gpiozero's edges brought to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeAlias

NowUs: TypeAlias = Callable[[], int]

NEW_ANCHOR_AFTER_S = 60.0


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
    pair is read at the start, and every stamp is a distance from it. The pair moves along, so that ticks may wrap.
    """

    def __init__(self, factory: Ticks, now: NowUs = now_us) -> None:
        self._factory = factory
        self._anchor_ticks, self._anchor_ns = _closest_pair(factory, now)

    def at_us(self, ticks: float) -> int:
        """The time (µs) of an edge that carries *ticks*; edges from before the start are fine."""
        ahead_s = self._factory.ticks_diff(ticks, self._anchor_ticks)
        behind_s = self._factory.ticks_diff(self._anchor_ticks, ticks)
        from_anchor_s = ahead_s if abs(ahead_s) <= abs(behind_s) else -behind_s
        at_ns = self._anchor_ns + round(from_anchor_s * 1e9)
        if from_anchor_s > NEW_ANCHOR_AFTER_S:
            self._anchor_ticks, self._anchor_ns = ticks, at_ns
        return at_ns // 1000

    def keep_up(self) -> None:
        """Move along though no edge came. Ticks that wrap (every 71 minutes, some) need it once in a while."""
        self.at_us(self._factory.ticks())


def _closest_pair(factory: Ticks, now: NowUs) -> tuple[float, int]:
    """The tick and the time (ns) that were read closest together, of three tries."""
    best: tuple[int, float, int] | None = None
    for _ in range(3):
        before_us = now()
        ticks = factory.ticks()
        apart_us = now() - before_us
        if best is None or apart_us < best[0]:
            best = (apart_us, ticks, before_us * 1000)
    assert best is not None
    return best[1], best[2]
