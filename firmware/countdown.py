"""A countdown that tells every whole second, can stand still, and runs out."""

from __future__ import annotations

from typing import Protocol

from firmware.agenda import OTHER, RUN_OUT, SECOND, Act, Agenda, Entry


class Watcher(Protocol):
    """Who hears of the countdown; times are due times (µs)."""

    def second_passed(self, seconds_left: int, at_us: int) -> None:
        """From now on the display shows *seconds_left*."""

    def ran_out(self, at_us: int) -> None:
        """The time is over."""

    def countdown_waits(self, due_us: int, rank: int, act: Act) -> bool:
        """Whether this second must wait for a contact in doubt; the watcher then calls *act* again later."""


class Countdown:
    """Counts down to zero. Seconds left are rounded up, so 10 s read 10 … 1 and never 0."""

    __slots__ = ("_agenda", "_due_us", "_end_us", "_entry", "_left_us", "_seconds", "_watcher")

    def __init__(self, agenda: Agenda, watcher: Watcher) -> None:
        self._agenda, self._watcher = agenda, watcher
        self._end_us: int | None = None
        self._left_us: int | None = None
        self._seconds = 0
        self._due_us = 0  # of the next second
        self._entry: Entry | None = None

    @property
    def running(self) -> bool:
        """Whether time runs."""
        return self._end_us is not None

    @property
    def standing(self) -> bool:
        """Whether it stands still, with time left."""
        return self._left_us is not None

    @property
    def seconds(self) -> int:
        """The seconds left as the display shows them; 0 when there is no countdown."""
        if self._left_us is not None:
            return -(-self._left_us // SECOND)
        return self._seconds if self._end_us is not None else 0

    def over_at(self, at_us: int) -> bool:
        """Whether the time is over at *at_us* (µs), told already or not."""
        return self._end_us is not None and at_us >= self._end_us

    def start(self, length_us: int, at_us: int) -> None:
        """Count down from *length_us*, since *at_us* (µs)."""
        self._left_us = None
        self._end_us = at_us + length_us
        self._plan(length_us)

    def catch_up(self, at_us: int) -> None:
        """Tell the seconds up to *at_us* that waited for a contact in doubt and wait no more."""
        while self._end_us is not None and self._due_us <= at_us:
            self._come_due(self._due_us)

    def stand(self, at_us: int) -> None:
        """Stand still since *at_us*; nothing if it does not run."""
        if self._end_us is not None:
            self._left_us = self._end_us - at_us
            self._halt()

    def stand_at(self, left_us: int) -> None:
        """Stand still with *left_us* on it."""
        self._halt()
        self._left_us = left_us

    def go_on(self, at_us: int) -> None:
        """Run again since *at_us*, with the time that was left; nothing if it does not stand."""
        if self._left_us is not None:
            self.start(self._left_us, at_us)

    def stop(self) -> None:
        """Be no countdown any more."""
        self._left_us = None
        self._halt()

    def _halt(self) -> None:
        self._end_us = None
        self._agenda.drop(self._entry)

    def _plan(self, left_us: int) -> None:
        assert self._end_us is not None
        self._agenda.drop(self._entry)
        self._seconds = -(-left_us // SECOND)
        self._due_us = self._end_us - (self._seconds - 1) * SECOND
        self._entry = self._agenda.set(self._due_us, OTHER if self._seconds > 1 else RUN_OUT, self._come_due)

    def _come_due(self, due_us: int) -> None:
        if self._end_us is None or due_us != self._due_us:
            return  # it was put aside for a contact in doubt, and is out of date now
        left_us = self._end_us - due_us
        if self._watcher.countdown_waits(due_us, OTHER if left_us else RUN_OUT, self._come_due):
            return
        if left_us:
            self._plan(left_us)
            self._watcher.second_passed(left_us // SECOND, due_us)
        else:
            self.stop()
            self._watcher.ran_out(due_us)
