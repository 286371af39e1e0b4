"""Buttons, pads and slide switches: from the levels of lines to `Contact` and `Moved`. Pure; the board feeds it.

A line tells of itself in two ways. Its *edges* come from the kernel, stamped, bounces and all. Its *level* is read
again now and then ("a look"), because kernels and libraries lose edges (gpiozero#1039, #697, joan2937/lg#18): whatever
the edges said, after a look the board knows what is true. Nothing is debounced here but the slide switches, whose
meaning is a position and not an edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hal.ports import Broke, Contact, Input, Mended, Moved

MS = 1_000
HEAL_AFTER_US = 5 * MS
"""How long a level may contradict the edges before it is believed. The kernel's edges come within 1 to 3 ms."""
SWITCH_SETTLE_US = 30 * MS
BETWEEN_US = 1_000 * MS
"""A slide switch that reports no position, or two, for so long is a fault."""


class Subject(Protocol):
    """Something that stands behind one or several input lines; it knows its lines by their index."""

    heals: int

    def start(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Take the levels (true is high) when the board starts, and tell what must be known then."""

    def edge(self, index: int, high: bool, at_us: int) -> Sequence[Input]:
        """Take an edge to *high* on the line *index*."""

    def look(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Take the levels as they are now: heal what edges did not say, settle what waited."""

    def look_again_us(self) -> int | None:
        """When the next look is wanted (µs), or None for "whenever the board looks anyhow"."""

    def busy(self) -> bool:
        """Whether something goes on that must not depend on one edge alone, such as a press that lasts."""


class ContactLine:
    """A button or a pad. *closed_high* is for a contact that joins its line to 3.3 V; the usual one goes to ground."""

    def __init__(self, name: str, closed_high: bool = False) -> None:
        self.name = name
        self.heals = 0
        self._closed_high = closed_high
        self._closed = False
        self._doubt_us: int | None = None

    def start(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """A contact that is closed at the start is told, marked as no press (C-12)."""
        self._closed = levels[0] == self._closed_high
        return [Contact(self.name, True, now_us, at_start=True)] if self._closed else []

    def edge(self, index: int, high: bool, at_us: int) -> Sequence[Input]:
        """An edge to the level that the line has already proves that the one between was lost: both are told.

        So a tap of which one edge was lost is still a tap (C-11), and a hold still ends.
        """
        closed = high == self._closed_high
        between = [Contact(self.name, not closed, at_us)] if closed == self._closed else []
        self._closed = closed
        self._doubt_us = None
        return [*between, Contact(self.name, closed, at_us)]

    def look(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """A level that contradicts the edges for `HEAL_AFTER_US` is told, stamped now: when it changed nobody knows."""
        closed = levels[0] == self._closed_high
        if closed == self._closed:
            self._doubt_us = None
            return []
        if self._doubt_us is None:
            self._doubt_us = now_us
        if now_us - self._doubt_us < HEAL_AFTER_US:
            return []
        self._closed, self._doubt_us = closed, None
        self.heals += 1
        return [Contact(self.name, closed, now_us)]

    def look_again_us(self) -> int | None:
        """Soon, while a level contradicts the edges."""
        return None if self._doubt_us is None else self._doubt_us + HEAL_AFTER_US

    def busy(self) -> bool:
        """While the contact is closed: a hold ends by the level too, not only by the edge."""
        return self._closed


class SwitchLines:
    """A slide switch: *positions* close a line each, in the order of the lines; *rest* is when none is closed.

    A position counts once it has stood for `SWITCH_SETTLE_US`, and is stamped then. Without a position (*rest* is None
    and no line closed, or two closed) the last one stays; after a second that is a fault.
    """

    def __init__(self, name: str, positions: Sequence[str], rest: str | None) -> None:
        self.name = name
        self.heals = 0
        self._positions = tuple(positions)
        self._rest = rest
        self._levels = [True] * len(positions)
        self._since_us = 0
        self._told: str | None = None
        self._broken = False

    def start(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Tell where the switch stands."""
        self._levels, self._since_us = list(levels), now_us
        self._told = self._position()
        return [] if self._told is None else [Moved(self.name, self._told, now_us)]

    def edge(self, index: int, high: bool, at_us: int) -> Sequence[Input]:
        """Wait for the switch to settle."""
        self._levels[index] = high
        self._since_us = at_us
        return []

    def look(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Tell a position that has settled, or that there is none."""
        if list(levels) != self._levels:
            self._levels, self._since_us = list(levels), now_us
            self.heals += 1
        position = self._position()
        stood_us = now_us - self._since_us
        if position is None:
            if stood_us < BETWEEN_US or self._broken:
                return []
            self._broken = True
            return [Broke(self.name, f"the switch stands at no position, or at two of {self._names()}", now_us)]
        if stood_us < SWITCH_SETTLE_US:
            return []
        settled_us = self._since_us + SWITCH_SETTLE_US
        inputs: list[Input] = [Mended(self.name, settled_us)] if self._broken else []
        self._broken = False
        if position != self._told:
            self._told = position
            inputs.append(Moved(self.name, position, settled_us))
        return inputs

    def look_again_us(self) -> int | None:
        """When the position that the switch was moved to has settled, or is missed."""
        position = self._position()
        if position is None:
            return None if self._broken else self._since_us + BETWEEN_US
        return None if position == self._told and not self._broken else self._since_us + SWITCH_SETTLE_US

    def busy(self) -> bool:
        """Never: a switch may stay closed for ever, and whoever looks next sees where it stands."""
        return False

    def _position(self) -> str | None:
        closed = [position for position, high in zip(self._positions, self._levels, strict=True) if not high]
        if not closed:
            return self._rest
        return closed[0] if len(closed) == 1 else None

    def _names(self) -> str:
        return ", ".join(self._positions)
