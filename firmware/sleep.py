"""When a unit falls asleep: a while after the last input and the last run-out, as soon as it may (C-6)."""

from __future__ import annotations

from typing import Protocol

from firmware.agenda import SLEEP, Act, Agenda, Entry


class Sleeper(Protocol):
    """A unit that can fall asleep."""

    def may_sleep(self) -> bool:
        """Whether it is awake, no countdown runs and no sound pad is down."""

    def is_in_doubt(self) -> bool:
        """Whether some release is not certain yet."""

    def fall_asleep(self, at_us: int) -> None:
        """Be asleep."""

    def wait_for_contact(self, due_us: int, rank: int, act: Act) -> None:
        """Put the deadline aside until no contact is in doubt."""


class SleepClock:
    """One deadline, moved only when it comes due: an input costs no more than a note of its time."""

    __slots__ = ("_after_us", "_agenda", "_entry", "_since_us", "_sleeper", "is_overdue")

    def __init__(self, agenda: Agenda, sleeper: Sleeper, after_us: int | None) -> None:
        """*after_us* None: it never sleeps."""
        self._agenda, self._sleeper, self._after_us = agenda, sleeper, after_us
        self._since_us = 0
        self.is_overdue = False  # the time is over, but the unit could not sleep yet
        self._entry: Entry | None = None

    def note(self, at_us: int) -> None:
        """Something happened at *at_us* (µs) that keeps the unit awake."""
        if at_us > self._since_us:  # noqa: PLR1730 - max() takes four times as long
            self._since_us = at_us
        if self.is_overdue:
            self._plan()

    def start(self, at_us: int) -> None:
        """Run, since *at_us* (µs)."""
        self._since_us = max(self._since_us, at_us)
        self._plan()

    def stop(self) -> None:
        """Do not run: the unit is off or asleep."""
        self._agenda.drop(self._entry)
        self.is_overdue = False

    def look(self, now_us: int) -> None:
        """See whether a unit that could not sleep in time can do so now; it does, last of all at this time (C-14)."""
        if self.is_overdue and self._sleeper.may_sleep():
            self.is_overdue = False
            self._entry = self._agenda.set(now_us, SLEEP, self._come_due)

    def _plan(self) -> None:
        self.stop()
        if self._after_us is not None:
            self._entry = self._agenda.set(self._since_us + self._after_us, SLEEP, self._come_due)

    def _come_due(self, due_us: int) -> None:
        assert self._after_us is not None
        if self._since_us + self._after_us > due_us:
            self._plan()
        elif self._sleeper.is_in_doubt():
            self._sleeper.wait_for_contact(due_us, SLEEP, self._come_due)
        elif self._sleeper.may_sleep():
            self._sleeper.fall_asleep(due_us)
        else:
            self.is_overdue = True
