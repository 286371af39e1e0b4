"""What every unit has: a voice, a countdown, a volume, chance, and pads that may be faulty.

The body is all that the actions of a chart may touch besides their own game. What they write here becomes the outputs
of the present moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol, TypeVar

from firmware.agenda import MS, OTHER, Agenda
from firmware.countdown import Countdown, Watcher
from firmware.events import Trigger
from firmware.outputs import Colour, Look, Pattern, Tone, tone

Item = TypeVar("Item")

REFUSAL = Look(Colour.RED, Pattern.FLASH)
REFUSAL_US = 500 * MS
LOUDEST = 5


class Volume:
    """How loud the unit is, 0 to 5, and which way the next step goes (TP-17)."""

    __slots__ = ("down", "level", "opening")

    def __init__(self, level: int) -> None:
        self.level = level
        self.down = True
        self.opening = False  # the press that opened the volume lasts

    def open(self) -> None:
        """Begin to set it: the first step goes down, from silence up."""
        self.down = self.level > 0
        self.opening = True

    def step(self) -> None:
        """Go one step, turning round at silence and at the loudest."""
        if self.level == 0:
            self.down = False
        elif self.level == LOUDEST:
            self.down = True
        self.level += -1 if self.down else 1


class Owner(Watcher, Protocol):
    """The unit that has the body."""

    def game_state(self) -> str:
        """The active state of the game's chart."""

    def happens(self, game: object, trigger: Trigger, subject: int, at_us: int) -> None:
        """Feed the chart with what *game* itself found out; nothing if that game is over."""

    def moved_by_hand(self, at_us: int) -> None:
        """Note a movement that counts as an input (C-6)."""

    def spun(self, at_us: int) -> None:
        """Note a spin of the wheel while asleep (SP-10)."""


class Body:
    """The parts of a unit that its chart acts on."""

    __slots__ = (
        *("agenda", "countdown", "covers", "durations_us", "events", "faulty", "owner", "random", "refusals", "rules"),
        *("silent", "tones", "volume"),
    )

    def __init__(
        self, rules: Mapping[str, Any], durations_us: Mapping[str, int], volume: Volume, random: Random,
        agenda: Agenda, owner: Owner,
    ) -> None:
        """*rules* are the settings of the unit by name, *durations_us* those of them that are times, in µs."""
        self.rules, self.durations_us = rules, durations_us
        self.volume, self.random = volume, random
        self.agenda = agenda
        self.countdown = Countdown(agenda, owner)
        self.owner = owner
        self.faulty: set[int] = set()  # pads that cannot be played
        self.silent = False  # the buzzer is broken
        self.events: list[dict[str, object]] = []  # of the present moment
        self.tones: list[Tone] = []
        self.covers: dict[str, tuple[Look, Look, int]] = {}
        self.refusals: dict[str, int] = {}

    def event(self, name: str, **fields: object) -> None:
        """Tell that *name* happened."""
        self.events.append({"event": name, **fields})

    def tone(self, name: str) -> None:
        """Start a tone at the present volume."""
        if not self.silent:
            self.tones.append(tone(name, self.volume.level))

    def cover(self, light: str, over: Look, look: Look, at_us: int, for_us: int) -> None:
        """Show *look* in place of *over* on *light*, since *at_us* for *for_us* (µs); another look ends it sooner."""
        self.covers[light] = (over, look, at_us + for_us)
        self.agenda.set(at_us + for_us, OTHER, _look_again)

    def refuse(self, at_us: int, light: str | None = None) -> None:
        """Refuse a press: tone `denied`, and for a pad a red flash of its light on top of any other look (TP-22)."""
        self.tone("denied")
        if light is not None:
            self.refusals[light] = at_us + REFUSAL_US
            self.agenda.set(at_us + REFUSAL_US, OTHER, _look_again)

    def draw(self, items: Sequence[Item], odds: Sequence[float] | None = None) -> Item:
        """One of *items*, by *odds* (any scale, at least one above 0); without odds all alike (C-23)."""
        if odds is None:
            return items[self.random.randrange(len(items))]
        total = 0.0
        for weight in odds:  # not sum(): its last digit differs between Python versions (C-22)
            total += weight
        point = self.random.random() * total
        for item, weight in zip(items, odds, strict=True):
            if weight and point < weight:
                return item
            point -= weight
        return next(item for item, weight in zip(reversed(items), reversed(odds), strict=True) if weight)


def _look_again(due_us: int) -> None:
    """Nothing to do but to show what is left: every deadline ends in a look at the lights."""
