"""A Raspberry Pi as a board: edges from gpiozero in, strip, display and buzzer out, everything through one queue.

Threads: gpiozero's (edges, queued by one call), one for each bus (`hal.pi.worker`), and the caller's, which owns the
game. Only the last one reads levels and makes inputs of edges.

The board's clock runs a little behind CLOCK_MONOTONIC (`EDGE_DELIVERY_US`). The kernel's edges need 1 to 3 ms to come
through; so when the board says that it is 12:00, every edge stamped before 12:00 has been told, and a press that came
just before a countdown ran out is never judged after it (C-15). A press itself is told at once.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol, TypeAlias

from hal.pi import clock
from hal.pi.devices import Devices
from hal.pi.fsr import PadCalibration
from hal.pi.inputs import Inputs
from hal.pi.parts import Parts
from hal.pi.pins import Factory, RawEdge, open_factory
from hal.ports import Answered, Buzzer, Display, Input, Moved, Seeded, Stop, Strip, Wish
from wiring.model import UnitWiring

log = logging.getLogger(__name__)

EDGE_DELIVERY_US = 3_000
STUCK_AFTER_US = 2_000_000

Item: TypeAlias = "Input | RawEdge"


class Inbox(Protocol):
    """The one way in. `put` comes from any thread, and from signal handlers."""

    def put(self, item: Item) -> None:
        """Add an item. Never blocks."""

    def take(self, timeout_us: int | None) -> Item | None:
        """Return the next item, waiting for it at most *timeout_us* (None: without end)."""


class QueueInbox:
    """The inbox of a real board: a SimpleQueue, the quickest way to wake a thread, and safe in signal handlers."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Item] = SimpleQueue()
        self.put: Callable[[Item], None] = self._queue.put

    def take(self, timeout_us: int | None) -> Item | None:
        """Return the next item, waiting for it at most *timeout_us*."""
        if self._queue.empty() and timeout_us is not None and timeout_us <= 0:
            return None
        try:
            return self._queue.get(timeout=None if timeout_us is None else max(0, timeout_us) / 1e6)
        except Empty:
            return None


class PiSettings(NamedTuple):
    """What a maker may set for a Pi.

    *wheel_slots* is four times the icons; *pads* are the calibrations of `fsr`; *brightness* (0 to 1) is the display's
    share of its usual light. The strip is told in its frames.
    """

    gpio: str = "lgpio"
    gpiochip: int | None = None
    wheel_slots: int | None = None
    pads: Mapping[str, PadCalibration] = {}
    brightness: float = 1.0


class Health(NamedTuple):
    """Whether the service's watchdog may be fed; *why* not, in words."""

    ok: bool
    why: str


class PiBoard:
    """The board of a unit wired as *wiring* says. Parts that do not work are told as `Broke`; lines must all be had.

    Raises `BoardError` when the input lines cannot be claimed; everything that was opened is then closed again.
    `close` it: nobody else makes it dark.
    """

    name = "pi"
    strip: Strip | None
    display: Display | None
    buzzer: Buzzer | None

    def __init__(
        self, wiring: UnitWiring, settings: PiSettings = PiSettings(), factory: Factory | None = None,  # noqa: B008
        devices: Devices | None = None, inbox: Inbox | None = None, now: clock.NowUs | None = None,
        seed: Callable[[], int] = lambda: secrets.randbits(53),
    ) -> None:
        """*factory*, *devices*, *inbox* and *now* are the real ones unless given."""
        started_us = clock.now_us()
        self._now = now or (lambda: clock.now_us() - started_us)
        self._inbox = inbox or QueueInbox()
        self._seed = seed
        self._told_us = 0
        self._closing = ExitStack()
        with ExitStack() as undo:
            self._factory = factory or open_factory(settings.gpio, settings.gpiochip)
            undo.callback(self._factory.close)
            self._inputs = Inputs(wiring, settings.wheel_slots, self._factory, self._inbox.put, self._now)
            self._inputs.claim()
            undo.callback(self._inputs.close)
            self._inbox.put(Seeded(self._seed(), 0))
            self._devices = devices or Devices(wiring, self._factory, brightness=settings.brightness)
            self._parts = Parts(wiring, self._devices, settings.wheel_slots, settings.pads, self._inbox.put, self._now)
            undo.callback(self._parts.close)
            self._parts.start()
            self._closing = undo.pop_all()
        self.strip, self.display, self.buzzer = self._parts.strip, self._parts.display, self._parts.buzzer

    def dim(self, share: float) -> None:
        """See `hal.ports.Dims`."""
        self._devices.brightness = share
        if self._parts.display is not None:
            self._parts.display.show_again()

    def now_us(self) -> int:
        """The time up to which everything has been told (µs since the board was opened, monotonic)."""
        self._told_us = max(self._told_us, self._now() - EDGE_DELIVERY_US)
        return self._told_us

    def wait(self, until_us: int | None) -> Sequence[Input]:
        """Return what happened, oldest first, as soon as something did; an empty list once *until_us* has come.

        An input stamped before *until_us* is never handed over after the empty list for it.
        """
        first = self._inbox.take(0)
        while True:
            told = [] if first is None else self._drain(first)
            now_us = self._now()
            if not told or self._inputs.stale(now_us):
                told += self._inputs.look(now_us)
            if told:
                return self._in_order(told)
            if until_us is not None and self.now_us() >= until_us:
                return []
            first = self._inbox.take(self._patience_us(until_us, now_us))

    def _patience_us(self, until_us: int | None, now_us: int) -> int | None:
        """How long (µs) nothing has to be done but wait for the inbox."""
        ends_us = None if until_us is None else until_us + EDGE_DELIVERY_US
        dues = [due for due in (ends_us, self._inputs.look_due_us(now_us)) if due is not None]
        return max(0, min(dues) - now_us) if dues else None

    def _drain(self, first: Item | None) -> list[Input]:
        """Return the inputs of *first* and of all that waits behind it."""
        told: list[Input] = []
        item = first
        while item is not None:
            if isinstance(item, RawEdge):
                told += self._inputs.edge(item)
            else:
                told.append(item)
            item = self._inbox.take(0)
        return told

    def _in_order(self, told: list[Input]) -> Sequence[Input]:
        """Sort by stamp, never before what was told already, and put a fresh seed before each power-on (C-22)."""
        ordered: list[Input] = []
        told.sort(key=_stamp)
        for given in told:
            self._told_us = max(self._told_us, given.at_us)
            if isinstance(given, Moved) and given.switch == "power" and given.to == "on":
                ordered.append(Seeded(self._seed(), self._told_us))
            ordered.append(given if given.at_us == self._told_us else given._replace(at_us=self._told_us))
        return ordered

    def stop(self) -> None:
        """End the game as with Ctrl-C. May be called from a signal handler and from any thread."""
        self._inbox.put(Stop(self._now()))

    def answer(self, word: str) -> None:
        """Pass on what somebody typed at a terminal, stamped now. May be called from any thread."""
        self.put(Answered(word, 0))

    def put(self, given: Wish | Answered) -> None:
        """See `hal.ports.TakesWishes`."""
        self._inbox.put(given._replace(at_us=self._now()))

    def health(self) -> Health:
        """Return whether edges can arrive and frames can leave: what the watchdog of a service is fed by."""
        for why in (self._inputs.health(), self._parts.health(STUCK_AFTER_US)):
            if why is not None:
                return Health(False, why)
        return Health(True, "inputs listen, strip writes")

    def close(self) -> None:
        """Lights dark, buzzer silent, lines released, in this order and within 2 s. May be called twice."""
        self._closing.close()


def _stamp(given: Input) -> int:
    return given.at_us
