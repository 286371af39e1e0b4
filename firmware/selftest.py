"""A self-test that runs: inputs in, moments out, like a unit; the same loop plays it on every board.

It takes no part of a unit's rules: no power switch, no sleep, no stuck pads. What it shares is the debouncing of
contacts, the chart's kernel, looks, glyphs and tones.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware.agenda import MS, OTHER, SECOND, Act, Agenda, Entry
from firmware.chart import Machine
from firmware.debounce import Debounced
from firmware.events import Trigger
from firmware.moment import Moment
from firmware.outputs import BLANK, OFF, Face, Look
from firmware.selftest_steps import Picture, Step, announcement, outcome
from firmware.selftest_walk import (
    ANNOUNCING,
    ANSWERS,
    ASKING,
    BROKE,
    CHART,
    HELD,
    MOVED,
    OVER,
    PRESSED,
    RELEASED,
    TURNED,
    Walk,
)
from hal.ports import Answered, Broke, Contact, Input, Mended, Moved, WheelAt

PAUSE_US = 400 * MS
ANNOUNCE_US = 3 * SECOND
HOLD_FOR_NO_US = 1 * SECOND
STATE = "self-test"
NOTHING = Picture(0)


class SelfTest:
    """One walk through *steps*. It is a `runner.Playable`; `walk` has the results, `over` is true when it is done."""

    def __init__(
        self, steps: Sequence[Step], contacts: Sequence[str], main: str, lights: Sequence[str], *,
        slots: int = 0, within_us: int | None = None, debounce_us: int = 30 * MS, announced_on: Sequence[str] = (),
        start_us: int = 0,
    ) -> None:
        """*lights* are all that a step can light. *within_us* is how long each answer may take; None: without end.

        Where nobody reads a terminal the lights *announced_on* say first that it begins, while the main button is still
        held and for a moment, and at last how it ended. It begins at *start_us* on the board's clock.
        """
        self.now_us = start_us
        self._announced_on = tuple(announced_on)
        self.walk = Walk(
            steps, contacts, main, slots, patient=within_us is None, announced=bool(announced_on)
        )
        self._agenda = Agenda()
        announce_us = ANNOUNCE_US if announced_on else 0
        durations_us = {"announcement": announce_us, "pause": PAUSE_US, "patience": within_us or 0}
        self._machine: Machine[Walk] = Machine(CHART, self.walk, self._agenda, durations_us)
        self._contacts = {
            name: Debounced(
                name, number, False, debounce_us, [(HOLD_FOR_NO_US, HELD)] if name == main else [], self._agenda, self
            )
            for number, name in enumerate(contacts)
        }
        self._waiting: list[tuple[int, int, Act]] = []
        self._lights = tuple(lights)
        self._shown: dict[str, Look] = dict.fromkeys(lights, OFF)
        self._face: Face = BLANK
        self._state = ""
        self._drawn: tuple[str, int] | None = None  # of what the pictures are that are shown
        self._picture = 0
        self._next_picture: Entry | None = None
        self._moments: list[Moment] = []
        self._machine.enter(CHART.start, start_us)

    @property
    def over(self) -> bool:
        """Whether every step has a result."""
        return self._machine.state == OVER

    @property
    def deadline_us(self) -> int | None:
        """See `runner.Playable`."""
        return self._agenda.next_us

    def tick(self, now_us: int) -> list[Moment]:
        """See `runner.Playable`."""
        while (due_us := self._agenda.next_us) is not None and due_us <= now_us:
            self.now_us = max(self.now_us, due_us)
            due_us, act = self._agenda.take()
            act(due_us)
            self._flush()
        self._flush()
        moments, self._moments = self._moments, []
        return moments

    def feed(self, heard: Input) -> list[Moment]:
        """See `runner.Playable`."""
        at_us = max(heard.at_us, self.now_us)
        before = self.tick(at_us)
        self.now_us = at_us
        self._take(heard, at_us)
        self._flush()
        return [*before, *self.tick(at_us)]

    def _take(self, heard: Input, at_us: int) -> None:
        walk, feed = self.walk, self._machine.feed
        match heard:
            case Contact(name, closed):
                if (contact := self._contacts.get(name)) is not None:
                    self._take_contact(contact, closed, heard.at_start, at_us)
            case Moved(switch, to):
                walk.moves(switch, to)
                feed(MOVED, 0, at_us)
            case WheelAt(slot):
                walk.turns(slot)
                feed(TURNED, 0, at_us)
            case Broke(part, why):
                walk.broken[part] = why
                feed(BROKE, 0, at_us)
            case Mended(part):
                walk.broken.pop(part, None)
            case Answered(word):
                feed(ANSWERS[word], 0, at_us)

    def _take_contact(self, contact: Debounced, closed: bool, at_start: bool, at_us: int) -> None:
        if closed:
            self.walk.closes(contact.name)
            if at_start:
                self.walk.closed_at_start.add(contact.name)
        contact.edge(closed, at_us)

    # -- what the debouncing leaves: see `debounce.Ear` ------------------------------------------------------------

    def pressed(self, contact: Debounced, at_us: int) -> None:
        """See `debounce.Ear`. A contact that was found closed is not pressed."""
        self.walk.down.add(contact.number)
        if contact.name not in self.walk.closed_at_start:
            self._machine.feed(PRESSED, contact.number, at_us)

    def released(self, contact: Debounced, at_us: int) -> None:
        """See `debounce.Ear`."""
        self.walk.down.discard(contact.number)
        if contact.name in self.walk.closed_at_start:
            self.walk.closed_at_start.discard(contact.name)
        else:
            self._machine.feed(RELEASED, contact.number, at_us)

    def held(self, contact: Debounced, trigger: Trigger, at_us: int) -> None:
        """See `debounce.Ear`."""
        self._machine.feed(trigger, contact.number, at_us)

    def settled(self) -> None:
        """See `debounce.Ear`."""
        waiting, self._waiting = self._waiting, []
        for due_us, rank, act in waiting:
            self._agenda.set(due_us, rank, act)

    def wait_for_contact(self, due_us: int, rank: int, act: Act) -> None:
        """See `debounce.Ear`."""
        self._waiting.append((due_us, rank, act))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Close the present moment."""
        walk = self.walk
        self._show_pictures()
        picture = self._pictures[self._picture] if self._pictures else NOTHING
        wanted = {light: picture.lights.get(light, OFF) for light in self._lights}
        lights = {light: look for light, look in wanted.items() if look != self._shown[light]}
        face = picture.face if picture.face != self._face else None
        states = [] if self._state else [STATE]
        if lights or face is not None or walk.events or walk.tones or states:
            self._moments.append(Moment(self.now_us, walk.events, states, lights or None, face, walk.tones))
            walk.events, walk.tones = [], []
        self._shown, self._face, self._state = wanted, picture.face, STATE

    @property
    def _phase(self) -> str:
        """Announcing, asking, between two steps, or over."""
        return CHART.path(self._machine.state)[-1]

    @property
    def _pictures(self) -> Sequence[Picture]:
        """The pictures of the step that is asked for, or of what is said before the first and after the last one."""
        phase, lamps = self._phase, self._announced_on
        if phase == ASKING:
            return self.walk.asked.pictures
        if phase == ANNOUNCING and lamps:
            return (announcement(lamps),)
        return (outcome(lamps, self.walk.failures),) if phase == OVER and lamps else ()

    def _show_pictures(self) -> None:
        """Begin with the first picture when a step begins; stop with its end."""
        drawn = (self._phase, len(self.walk.results)) if self._pictures else None
        if drawn != self._drawn:
            self._drawn = drawn
            self._agenda.drop(self._next_picture)
            if drawn is not None:
                self._begin_picture(0, self.now_us)

    def _begin_picture(self, number: int, at_us: int) -> None:
        self._picture = number
        picture = self._pictures[number]
        if picture.tone is not None:
            self.walk.tones.append(picture.tone)
        if len(self._pictures) > 1:
            following = (number + 1) % len(self._pictures)
            self._next_picture = self._agenda.set(
                at_us + picture.lasts_us, OTHER, lambda due_us: self._begin_picture(following, due_us)
            )
