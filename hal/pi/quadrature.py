"""A wheel with two sensors a quarter period apart and an index mark: from edges to slots. Pure; the board feeds it.

Every edge counts (four for each mark): gpiozero's RotaryEncoder uses one in four, and loses it when an edge is lost
(gpiozero#1086, #1062). Until the index mark has passed once nobody knows where the wheel stands, and nothing is told:
a wrong icon would be worse than none.
"""

from __future__ import annotations

from collections.abc import Sequence

from hal.ports import Broke, Input, Mended, WheelAt

A, B, INDEX = 0, 1, 2
PHASES = {(False, False): 0, (True, False): 1, (True, True): 2, (False, True): 3}
"""The order in which (a, b) change when the wheel turns clockwise. True is a mark before the sensor."""
TURNS_WITHOUT_INDEX = 2


class QuadratureWheel:
    """*cycles* marks a turn for *slots* slots; *reversed_*: a and b swapped. A sensor at a mark pulls its line low."""

    def __init__(self, cycles: int, slots: int, reversed_: bool = False) -> None:
        self.heals = 0
        self.skips = 0
        """Steps that cannot be: both sensors changed at once, so an edge was lost or the wheel is too fast."""
        self._counts_per_turn = 4 * cycles
        self._slots = slots
        self._sign = -1 if reversed_ else 1
        self._marks = [False, False, False]
        self._count = 0
        self._turning = 1
        self._homed = False
        self._since_index = 0
        self._broken = False
        self._told: int | None = None

    def start(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Take where the sensors stand. The place is told once the index mark has passed."""
        self._marks = [not high for high in levels]
        return []

    def edge(self, index: int, high: bool, at_us: int) -> Sequence[Input]:
        """Count an edge, and tell the slot that the wheel entered with it."""
        mark = not high
        if self._marks[index] == mark:
            return []  # the edge between was lost: they cancel each other
        if index == INDEX:
            self._marks[INDEX] = mark
            return self._index(mark, at_us)
        before = PHASES[self._marks[A], self._marks[B]]
        self._marks[index] = mark
        after = PHASES[self._marks[A], self._marks[B]]
        self._step(1 if (after - before) % 4 == 1 else -1)
        return [*self._missed_index(at_us), *self._place(at_us)]

    def look(self, levels: Sequence[bool], now_us: int) -> Sequence[Input]:
        """Take sensors that changed without an edge. If both did, the way between is not known, and is not counted."""
        marks = [not high for high in levels]
        changed = [number for number in (A, B) if marks[number] != self._marks[number]]
        inputs: list[Input] = []
        if changed:
            self.heals += 1
        if len(changed) == 2:
            self.skips += 1
            self._marks[A], self._marks[B] = marks[A], marks[B]
        elif changed:
            inputs += self.edge(changed[0], levels[changed[0]], now_us)
        if marks[INDEX] != self._marks[INDEX]:
            inputs += self.edge(INDEX, levels[INDEX], now_us)
        return inputs

    def look_again_us(self) -> int | None:
        """Whenever the board looks anyhow."""
        return None

    def busy(self) -> bool:
        """Never: the board looks for a while after each edge."""
        return False

    def _step(self, way: int) -> None:
        self._turning = way * self._sign
        self._count += self._turning
        self._since_index += self._turning

    def _index(self, mark: bool, at_us: int) -> Sequence[Input]:
        # one and the same end of the mark in both directions: its front when clockwise is its back when not
        if mark != (self._turning > 0):
            return []
        self._count, self._since_index, self._homed = 0, 0, True
        mended: list[Input] = [Mended("wheel", at_us)] if self._broken else []
        self._broken = False
        return [*mended, *self._place(at_us)]

    def _missed_index(self, at_us: int) -> list[Input]:
        if self._broken or abs(self._since_index) <= TURNS_WITHOUT_INDEX * self._counts_per_turn:
            return []
        self._broken, self._homed = True, False
        return [Broke("wheel", f"no index mark in {TURNS_WITHOUT_INDEX} turns: check that sensor and its wire", at_us)]

    def _place(self, at_us: int) -> Sequence[Input]:
        slot = self._count % self._counts_per_turn * self._slots // self._counts_per_turn
        if not self._homed or slot == self._told:
            return []
        self._told = slot
        return [WheelAt(slot, at_us)]
