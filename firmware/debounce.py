"""From contact edges to presses, releases and holds; pure, one object a contact.

A press counts at its first edge: nothing waits for the contact to settle (C-9). From then on the press lasts until the
contact has stayed open for the debounce time; the release is stamped when it opened (C-10). While that is not certain
yet, holds that come due wait: the release wins if the contact stays open, the hold if it closes again (C-10a).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from firmware.agenda import HOLD, RELEASE, Act, Agenda, Entry
from firmware.events import Trigger


class Ear(Protocol):
    """Who hears of presses. All times are those of the cause (µs)."""

    def pressed(self, contact: Debounced, at_us: int) -> None:
        """A press began."""

    def released(self, contact: Debounced, at_us: int) -> None:
        """The press ended at *at_us*; this is certain only now."""

    def held(self, contact: Debounced, trigger: Trigger, at_us: int) -> None:
        """The press has lasted as long as *trigger* waits for."""

    def settled(self) -> None:
        """A contact that was open for a moment is no longer in doubt: what waited for it can go on."""

    def wait_for_contact(self, due_us: int, rank: int, act: Act) -> None:
        """Put the deadline aside until the next `settled`."""


class Debounced:
    """A contact and what is left of it after debouncing."""

    __slots__ = (
        *("name", "number", "is_pad", "down", "pressed_us", "opened_us", "fault"),
        *("_agenda", "_ear", "_debounce_us", "_holds", "_next_hold", "_hold", "_hold_due_us", "_release"),
    )

    def __init__(
        self, name: str, number: int, is_pad: bool, debounce_us: int, holds: Sequence[tuple[int, Trigger]],
        agenda: Agenda, ear: Ear,
    ) -> None:
        """*holds* are the times (µs) after which a press that lasts is reported, with the triggers to report."""
        self.name, self.number, self.is_pad = name, number, is_pad
        self.down = False  # a press lasts
        self.pressed_us = 0
        self.opened_us: int | None = None  # open while the press lasts: a release that is not certain yet
        self.fault: str | None = None  # why presses are ignored until the next release
        self._agenda, self._ear = agenda, ear
        self._debounce_us = debounce_us
        self._holds = sorted(holds, key=lambda hold: hold[0])
        self._next_hold = 0
        self._hold: Entry | None = None
        self._hold_due_us = 0
        self._release: Entry | None = None

    @property
    def closed(self) -> bool:
        """Whether the raw contact is closed."""
        return self.down and self.opened_us is None

    @property
    def unsettled(self) -> bool:
        """Whether the contact is open but its release not certain yet."""
        return self.opened_us is not None

    def edge(self, closed: bool, at_us: int) -> None:
        """Take the contact's level from *at_us* (µs) on. The level that it has already changes nothing."""
        if not self.down:
            if closed:
                self.down = True
                self.pressed_us = at_us
                self._next_hold = 0
                self._arm_hold()
                self._ear.pressed(self, at_us)
        elif closed:
            if self.opened_us is not None:
                self.opened_us = None
                self._agenda.drop(self._release)
                self._ear.settled()
        elif self.opened_us is None:
            self.opened_us = at_us
            self._release = self._agenda.set(at_us + self._debounce_us, RELEASE, self._confirm)

    def hold_from(self, at_us: int, trigger: Trigger) -> None:
        """Count a press that lasts anew from *at_us* (µs), for the hold *trigger* and longer ones."""
        self._agenda.drop(self._hold)
        self.pressed_us = at_us
        self._next_hold = next(n for n, (_, held) in enumerate(self._holds) if held is trigger)
        self._arm_hold()

    def _arm_hold(self) -> None:
        if self._next_hold < len(self._holds):
            self._hold_due_us = due_us = self.pressed_us + self._holds[self._next_hold][0]
            self._hold = self._agenda.set(due_us, HOLD, self._come_due)

    def _come_due(self, due_us: int) -> None:
        if not self.down or due_us != self._hold_due_us:
            return  # it was put aside for a contact in doubt, and is out of date now
        if self.opened_us is not None:
            self._ear.wait_for_contact(due_us, HOLD, self._come_due)
        else:
            trigger = self._holds[self._next_hold][1]
            self._next_hold += 1
            self._arm_hold()
            self._ear.held(self, trigger, due_us)

    def _confirm(self, due_us: int) -> None:
        opened_us = self.opened_us
        assert opened_us is not None
        self.down, self.opened_us = False, None
        self._agenda.drop(self._hold)
        self._ear.released(self, opened_us)
        self._ear.settled()
