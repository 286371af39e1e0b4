"""From the slots that a wheel's sensor reports to travel: unwrapped, with flicker and jumps told apart. Pure.

A *place* is a slot that is counted on over the end of the turn, so that 35, 0, 1 reads 35, 36, 37.
"""

from __future__ import annotations

from collections import deque

from firmware.agenda import MS

RECENT_US = 500 * MS  # SP-2
JUMP_US = 5 * MS  # SP-9
SPIN_SLOTS = 2  # SP-2, SP-5


class WheelTrack:
    """Where the wheel stands, where it stood shortly before, and how far it got in the present movement."""

    __slots__ = ("_recent", "furthest", "moved_us", "place", "read_us", "slots", "stepped", "stepped_back_us", "way")

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.place: int | None = None  # None: nothing was read yet
        self.read_us = 0
        self.stepped = False  # the last reading was of another slot than the one before
        self._recent: deque[tuple[int, int]] = deque()  # places it left, and when
        self.furthest = 0  # of the present movement
        self.way = 1  # which way that goes: 1 clockwise, -1 counter-clockwise
        self.moved_us = 0  # when it moved last; a flicker is no movement (SP-5)
        self.stepped_back_us: int | None = None  # since when it stands one slot back from the furthest

    def forget(self) -> None:
        """Take the next reading as the first one."""
        self.place = None
        self._recent.clear()

    def stand_at(self, slot: int, at_us: int) -> None:
        """Only note where it stands, as if it had always stood there."""
        self.forget()
        self.place, self.read_us, self.moved_us = slot, at_us, at_us
        self.furthest, self.stepped_back_us = slot, None

    def is_jump(self, slot: int, at_us: int) -> bool:
        """Whether no hand can have turned it there: more than a third of a turn in less than 5 ms (SP-9)."""
        far = self.place is not None and 3 * abs(self._shorter_way(slot)) > self.slots
        return far and at_us - self.read_us < JUMP_US

    def read(self, slot: int, at_us: int) -> bool:
        """Take a reading; whether the wheel moved, which a flicker of one slot does not (SP-5)."""
        if self.place is None:
            self.stand_at(slot, at_us)
            return False
        step = self._shorter_way(slot)
        self.read_us = at_us
        self.stepped = step != 0
        if not step:
            return False
        self._recent.append((self.place, at_us))
        while self._recent and self._recent[0][1] < at_us - RECENT_US:
            self._recent.popleft()
        self.place += step
        beyond = self.way * (self.place - self.furthest)
        if beyond == -1:
            self.stepped_back_us = at_us
            return False
        self.stepped_back_us = None
        if beyond == 0:
            return False
        if beyond < 0:
            self.way = -self.way
        self.furthest, self.moved_us = self.place, at_us
        return True

    def spin_start(self, at_us: int) -> int | None:
        """The place from which it was turned two slots or more within half a second, the furthest one, or None.

        Only a reading of another slot can tell: where it stood before it came to rest is no beginning.
        """
        if self.place is None or not self.stepped:
            return None
        recent = [place for place, left_us in self._recent if left_us >= at_us - RECENT_US]
        start = max(recent, key=lambda place: abs(place - self.place), default=self.place)  # type: ignore[operator]
        return start if abs(start - self.place) >= SPIN_SLOTS else None

    def start_from(self, start: int, at_us: int) -> None:
        """Begin a movement that came from *start*."""
        assert self.place is not None
        self.way = 1 if self.place > start else -1
        self.furthest, self.moved_us, self.stepped_back_us = self.place, at_us, None

    def rest(self) -> None:
        """Be at rest: from now on only where it stands counts as the beginning of a spin."""
        self._recent.clear()

    def settle_one_back(self) -> None:
        """Let the slot one back from the furthest count: the wheel has stood there long enough (SP-5)."""
        self.furthest -= self.way
        self.stepped_back_us = None

    def _shorter_way(self, slot: int) -> int:
        assert self.place is not None
        step = (slot - self.place) % self.slots
        return step - self.slots if 2 * step > self.slots else step
