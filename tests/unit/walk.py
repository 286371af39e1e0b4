"""A walk through everything that a unit can be in: each input in each configuration, until nothing new turns up.

A configuration is what the unit is in, without the exact times: states, game, contacts, parts. Each is reached again by
playing the inputs that led to it, so the walk needs no copy of a running unit, and every find comes with its story.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

from firmware import power
from firmware.chart import Chart
from firmware.kind import Kind
from firmware.moment import Moment
from firmware.unit import Unit
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, WheelAt
from tests.onlooker import Onlooker

MOST_DEADLINES = 5  # some change nothing, like a look at whether it is time to sleep

Step = Callable[["Visitor"], bool]
"""Something to do; whether it could be done."""


class Visitor:
    """A unit, what was done to it, its contacts and who looks at it, at some point of the walk."""

    def __init__(self, make: Callable[[], Unit], seen: Callable[[Unit], Hashable]) -> None:
        self.unit, self._make, self._seen = make(), make, seen
        self.onlooker = Onlooker(self.unit)
        self.log: tuple[Input | int, ...] = (0,)  # inputs, and times up to which nothing came in
        self.story: tuple[str, ...] = ()
        self.told: tuple[str, ...] = ()  # at the last step
        self.closed: frozenset[str] = frozenset()
        self.slot = 0
        self.now_us = 0
        self.unit.tick(0)

    def again(self) -> Visitor:
        """Return another visitor at the same point, with a unit of its own; nobody looks on the way."""
        other = copy(self)
        other.unit = unit = self._make()
        for entry in self.log:
            if type(entry) is int:
                unit.tick(entry)
            else:
                unit.feed(entry)
        other.onlooker, other.told = self.onlooker.beside(unit), ()
        return other

    def feed(self, heard: Input) -> bool:
        self.log = (*self.log, heard)
        return self._see(self.unit.feed(heard))

    def tick(self) -> bool:
        self.log = (*self.log, self.now_us)
        return self._see(self.unit.tick(self.now_us))

    def _see(self, moments: list[Moment]) -> bool:
        self.onlooker.see(moments)
        self.told += tuple(str(moment.outputs) for moment in moments)
        return True

    def configuration(self) -> Hashable:
        """What the unit is in, without times."""
        unit, countdown = self.unit, self.unit.body.countdown
        contacts = tuple((c.down, c.unsettled, c.fault, c._next_hold if c.down else 0) for c in unit.contacts.values())
        return (
            *(unit.power.state, unit.machine.state, *unit.positions.values(), *contacts, *sorted(unit.broken)),
            *(countdown.running, countdown.seconds, countdown.over_at(self.now_us)),
            *(unit.battery_low, frozenset(unit.body.faulty)),
            *(unit.body.volume.opening, None if unit.game is None else self._seen(unit)),
        )


def edge(contact: str) -> Step:
    """The contact closes if it is open, and opens if it is closed."""

    def step(at: Visitor) -> bool:
        at.closed ^= {contact}
        return at.feed(Contact(contact, contact in at.closed, at.now_us))

    return step


def tap(contact: str) -> Step:
    """The contact, which is open, closes for 50 ms; its release is sure at the end."""

    def step(at: Visitor) -> bool:
        for closed in (True, False):
            at.feed(Contact(contact, closed, at.now_us))
            at.now_us += 50_000
        return at.tick()

    return step


def time_out(at: Visitor) -> bool:
    """Time passes, deadline by deadline, until something has changed."""
    here = at.configuration()
    for _ in range(MOST_DEADLINES):
        due_us = at.unit.deadline_us
        if due_us is None:
            return False
        at.now_us = due_us
        at.tick()
        if at.configuration() != here:
            return True
    return False


def wait(seconds: float) -> Step:
    """So much time passes."""

    def step(at: Visitor) -> bool:
        at.now_us += round(seconds * 1_000_000)
        return at.tick()

    return step


def almost_over(at: Visitor) -> bool:
    """Time passes until the countdown has 10 ms left."""
    while at.unit.body.countdown.seconds > 1:
        time_out(at)
    at.now_us = at.unit.deadline_us - 10_000
    return at.tick()


def switch(name: str) -> Step:
    """The switch goes on to its next position."""

    def step(at: Visitor) -> bool:
        positions = at.unit.switches[name]
        to = positions[(positions.index(at.unit.positions[name]) + 1) % len(positions)]
        return at.feed(Moved(name, to, at.now_us))

    return step


def battery(at: Visitor) -> bool:
    """The battery turns low, or is good again."""
    return at.feed(Battery(not at.unit.battery_low, at.now_us))


def part(name: str) -> Step:
    """The part breaks, or works again."""

    def step(at: Visitor) -> bool:
        is_broken = name in at.unit.broken
        return at.feed(Mended(name, at.now_us) if is_broken else Broke(name, "no answer", at.now_us))

    return step


def turn(slots: int, gap_us: int = 20_000) -> Step:
    """The wheel is turned by so many slots, one every *gap_us*."""

    def step(at: Visitor) -> bool:
        count = at.unit.kind.slots(at.unit.rules)
        for _ in range(abs(slots)):
            at.slot = (at.slot + (1 if slots > 0 else -1)) % count
            at.feed(WheelAt(at.slot, at.now_us))
            at.now_us += gap_us
        return at.tick()

    return step


def jump(at: Visitor) -> bool:
    """The sensor of the wheel tells half a turn at once."""
    at.feed(WheelAt(at.slot, at.now_us))
    at.slot = (at.slot + at.unit.kind.slots(at.unit.rules) // 2) % at.unit.kind.slots(at.unit.rules)
    return at.feed(WheelAt(at.slot, at.now_us))


@dataclass
class Walk:
    """What a walk found."""

    visitors: dict[Hashable, Visitor] = field(default_factory=dict)
    """Who came first to each configuration."""
    ways: dict[Hashable, dict[str, Hashable]] = field(default_factory=dict)
    """Where each step led from each configuration."""
    told: dict[tuple[Hashable, str], tuple[str, ...]] = field(default_factory=dict)
    """What was told at each step."""
    states: set[str] = field(default_factory=set)
    """Every state of the chart that was active."""
    taken: set[int] = field(default_factory=set)
    """The rows of the unit's chart that were taken, by number."""
    power_taken: set[int] = field(default_factory=set)
    is_over: bool = False
    """Whether nothing new was left."""

    def cannot_reach(self, home: set[str], without: set[str]) -> list[tuple[tuple[str, ...], str]]:
        """Stories and states of all configurations from which no steps, *without* these, lead to a state of *home*."""
        back: dict[Hashable, set[Hashable]] = {}
        for here, ways in self.ways.items():
            for step, there in ways.items():
                if step not in without:
                    back.setdefault(there, set()).add(here)
        todo = [here for here, visitor in self.visitors.items() if visitor.onlooker.state in home]
        can = set(todo)
        while todo:
            for here in back.get(todo.pop(), ()):
                if here not in can:
                    can.add(here)
                    todo.append(here)
        return [(at.story, at.onlooker.state) for here, at in self.visitors.items() if here not in can]


def noting(chart: Chart, taken: set[int]) -> Chart:
    """Return the same chart, whose rows write down their numbers when they are taken."""

    def note(number: int, do: Callable | None) -> Callable:
        def action(game: object, subject: int, at_us: int) -> None:
            taken.add(number)
            if do is not None:
                do(game, subject, at_us)

        return action

    rows = tuple(row._replace(do=note(number, row.do)) for number, row in enumerate(chart.rows))
    return Chart(chart.name, chart.start, rows, chart.parents, chart.reports)


def walk(
    make: Callable[[Kind], Unit], kind: Kind, steps: Mapping[str, Step], seen: Callable[[Unit], Hashable],
    start: Sequence[Step] = (), bound: int = 20_000,
) -> Walk:
    """Do *start*, then walk on from there, at most *bound* configurations far. Every step is checked by an onlooker.

    *seen* tells the game of one configuration from that of another.
    """
    found = Walk()
    noted = kind._replace(chart=noting(kind.chart, found.taken))
    power_name = "BY_BUTTON" if kind.off_state else "BY_SWITCH"
    plain = getattr(power, power_name)
    setattr(power, power_name, noting(plain, found.power_taken))
    try:
        first = Visitor(lambda: make(noted), seen)
        for step in start:
            step(first)
        _walk(found, first, steps, bound)
    finally:
        setattr(power, power_name, plain)
    return found


def _walk(found: Walk, first: Visitor, steps: Mapping[str, Step], bound: int) -> None:
    todo: deque[Hashable] = deque()

    def arrive(at: Visitor) -> Hashable:
        at.onlooker.check()
        here = at.configuration()
        if here not in found.visitors:
            found.visitors[here] = at
            found.states.add(at.unit.machine.state)
            todo.append(here)
        return here

    arrive(first)
    while todo and len(found.visitors) < bound:
        here = todo.popleft()
        ways = found.ways[here] = {}
        for name, step in steps.items():
            at = found.visitors[here].again()
            at.story = (*at.story, name)
            try:
                if step(at):
                    ways[name] = arrive(at)
                    found.told[here, name] = at.told
            except Exception as why:
                why.add_note(f"after {', '.join(at.story)}")
                raise
        found.visitors[here].unit = None  # its story is enough from now on
    found.is_over = not todo
