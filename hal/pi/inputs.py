"""All input lines of a unit: claimed together, their edges brought to their subjects, their levels looked at.

When to look, so that a lost edge heals and a unit at rest does not wake up for nothing:

- for two seconds after an edge, and while a button or pad is closed: every 250 ms (a lost release ends a hold then);
- while a level contradicts the edges: again after 5 ms, to be sure;
- otherwise whenever `wait` comes by anyhow (a frame, a deadline, the service's watchdog), at most every 250 ms.

So what can be lost for longer is the press out of a long rest, until the next edge of any line or the next deadline; a
service wakes up for its watchdog every few seconds, and a player presses again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hal.errors import BadSetting
from hal.pi.clock import NowUs, TickClock
from hal.pi.contacts import ContactLine, Subject, SwitchLines
from hal.pi.pins import Factory, InputPins, Line, RawEdge, line_errors
from hal.pi.quadrature import QuadratureWheel
from hal.pi.repair import Repair
from hal.ports import Contact, Input, Moved
from wiring.model import Quadrature, UnitWiring

log = logging.getLogger(__name__)

LOOK_EVERY_US = 250_000
ACTIVE_FOR_US = 2_000_000
SETTLE_US = 30_000
"""From claiming the lines to believing them: a pull-up has to charge the cable and its capacitor (mpf#1142)."""
DEAF_AFTER_HEALS = 3


class Placed(NamedTuple):
    """A subject and the numbers of its lines."""

    subject: Subject
    lines: range


class Inputs:
    """The input lines of *wiring* on *factory*. `put` of the queue gets raw edges; everything else is on one thread."""

    def __init__(self, wiring: UnitWiring, slots: int | None, factory: Factory, put: Callable[[RawEdge], None],
                 now: NowUs) -> None:
        self._placed, lines = _place(wiring, slots)
        self._of_line = [(placed, index) for placed in self._placed for index in range(len(placed.lines))]
        self._factory = factory
        self._pins = InputPins(factory, lines, put)
        self._now = now
        self._ticks = TickClock(factory, now)
        self._told: list[Input] = []
        self._repair = Repair([contact.name for contact in wiring.contacts], self._told.append)
        self._settled_us = 0
        self._started = False
        self._last_edge_us = -ACTIVE_FOR_US
        self._last_look_us = 0
        self._heals_since_edge = 0

    def claim(self) -> None:
        """Claim all lines. Raises `BoardError`, and has claimed none then."""
        self._pins.claim()
        self._settled_us = self._now() + SETTLE_US

    def edge(self, raw: RawEdge) -> Sequence[Input]:
        """Take an edge from the queue. One from before the lines have settled says nothing."""
        if not self._started:
            return []
        at_us = self._ticks.at_us(raw.ticks)
        if at_us < self._settled_us:
            return []
        self._last_edge_us = at_us
        self._heals_since_edge = 0
        placed, index = self._of_line[raw.line]
        return placed.subject.edge(index, raw.high, at_us)

    def look_due_us(self, now_us: int) -> int | None:
        """When the levels must be looked at (µs), or None while nothing depends on it."""
        if not self._started:
            return self._settled_us
        dues = [due for placed in self._placed if (due := placed.subject.look_again_us()) is not None]
        if self._repair.broken:
            dues.append(self._repair.next_us() or now_us)
        active = now_us - self._last_edge_us < ACTIVE_FOR_US or any(placed.subject.busy() for placed in self._placed)
        if active:
            dues.append(self._last_look_us + LOOK_EVERY_US)
        return min(dues, default=None)

    def stale(self, now_us: int) -> bool:
        """Whether the last look is so long ago that one should not be put off, even by edges without end."""
        return self._started and now_us - self._last_look_us >= LOOK_EVERY_US

    def look(self, now_us: int) -> Sequence[Input]:
        """Look at the levels, if it is due or a look costs no wake-up. Tell what that brought to light."""
        if not self.stale(now_us):
            due_us = self.look_due_us(now_us)
            if due_us is None or now_us < due_us:
                return []
        self._last_look_us = now_us
        try:
            return self._start(now_us) if not self._started else self._look(now_us)
        except line_errors() as error:
            log.warning("inputs: %s", error)
            self._repair.broke(error, now_us)
        return self._take_told()

    def _start(self, now_us: int) -> Sequence[Input]:
        """Tell where everything stands at the start: mode switches first, `power` last, as a player would do it."""
        levels = self._pins.levels()
        told = [given for placed in self._placed for given in placed.subject.start(_part(levels, placed), now_us)]
        self._started = True
        return sorted(told, key=_at_the_start)

    def _look(self, now_us: int) -> Sequence[Input]:
        if not self._pins.alive() or self._heals_since_edge >= DEAF_AFTER_HEALS or self._repair.broken:
            log.warning("inputs: no edges arrive any more; listening anew")
            self._heals_since_edge = 0
            self._pins.renew()
        levels = self._pins.levels()
        told: list[Input] = []
        for placed in self._placed:
            before = placed.subject.heals
            told += placed.subject.look(_part(levels, placed), now_us)
            self._heals_since_edge += placed.subject.heals - before
        self._repair.works(now_us)
        return [*self._take_told(), *told]

    def _take_told(self) -> list[Input]:
        told = self._told.copy()
        self._told.clear()
        return told

    def health(self) -> str | None:
        """Return why the inputs cannot be trusted, or None."""
        if self._repair.broken:
            return "the input lines cannot be read"
        return None if self._pins.alive() else "the thread that brings edges has died"

    @property
    def lost(self) -> int:
        """How many edges could not be queued."""
        return self._pins.lost

    def close(self) -> None:
        """Release the lines. May be called twice."""
        self._pins.close()


def _place(wiring: UnitWiring, slots: int | None) -> tuple[list[Placed], list[Line]]:
    """Give each part of the unit its lines. Every contact of a wiring file closes to ground, so all are pulled up."""
    placed: list[Placed] = []
    lines: list[Line] = []

    def add(subject: Subject, *named: tuple[str, int]) -> None:
        placed.append(Placed(subject, range(len(lines), len(lines) + len(named))))
        lines.extend(Line(name, gpio, "up") for name, gpio in named)

    for contact in wiring.contacts:
        add(ContactLine(contact.name), (contact.name, contact.gpio))
    for switch in wiring.switches:
        named = [(f"{switch.name} {position}", gpio) for position, gpio in switch.closed.items()]
        add(SwitchLines(switch.name, list(switch.closed), switch.open), *named)
    if isinstance(wheel := wiring.wheel, Quadrature):
        if slots is None:
            raise BadSetting("a unit with a wheel must be told how many slots it has: four times its icons")
        sensors = (("wheel a", wheel.a), ("wheel b", wheel.b), ("wheel index", wheel.index_mark))
        add(QuadratureWheel(wheel.cycles, slots, wheel.reversed), *sensors)
    return placed, lines


def _part(levels: Sequence[bool], placed: Placed) -> Sequence[bool]:
    return levels[placed.lines.start : placed.lines.stop]


def _at_the_start(told: Input) -> int:
    if isinstance(told, Moved):
        return 2 if told.switch == "power" else 0
    return 1 if isinstance(told, Contact) else 0
