"""The seam between the game and the world: what a board hears, what it shows, and the one call that waits.

A board is anything that gives inputs with time stamps and may own a strip, a display and a buzzer: a Raspberry Pi,
a script in virtual time, a browser. The whole game blocks in `Board.wait` and nowhere else.

Times are whole microseconds of the board's own monotonic clock (`…_us`). Inputs carry the stamp of what happened
(on a Pi the kernel's), not of when somebody looked; a board hands them over in the order of their stamps.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable


class Contact(NamedTuple):
    """The raw contact of a button or pad closed or opened; bounces and all. Polarity is settled before this.

    *at_start* marks what was found closed when the board was opened: no press, but a button held down (C-12).
    """

    name: str
    closed: bool
    at_us: int
    at_start: bool = False


class Moved(NamedTuple):
    """A switch stands at the position *to* (`power`: off, on; `timer`: off, on; `speed`: one of the unit's speeds)."""

    switch: str
    to: str
    at_us: int


class WheelAt(NamedTuple):
    """The wheel stands at *slot* (0 up to four times the number of icons, clockwise)."""

    slot: int
    at_us: int


class Battery(NamedTuple):
    """The supply turned low, or is good again."""

    low: bool
    at_us: int


class Broke(NamedTuple):
    """A part does not work any more (`display`, `strip`, `buzzer`, `wheel` or a pad), *why* in words."""

    part: str
    why: str
    at_us: int


class Mended(NamedTuple):
    """A part that broke works again."""

    part: str
    at_us: int


class Seeded(NamedTuple):
    """Fresh entropy for the next power-on. Real boards give one before each; a trace keeps it (C-22)."""

    seed: int
    at_us: int


class Answered(NamedTuple):
    """Somebody at a terminal answered a question: `yes`, `no` or `skip`. Only a self-test asks."""

    word: str
    at_us: int


class Stop(NamedTuple):
    """Somebody asked the program to end (SIGTERM, Ctrl-C): the round ends with it."""

    at_us: int


class Unplugged(NamedTuple):
    """Nothing more will come, as after a pulled plug: the round is kept for the next power-on."""

    at_us: int


class Wish(NamedTuple):
    """Somebody at a panel wants the next game to be another one: *what* has `unit`, `settings` or `record`.

    The panel that it came from knows by its *number* whom to tell that it was refused.
    """

    what: Mapping[str, object]
    at_us: int
    number: int = 0


Input: TypeAlias = (
    "Contact | Moved | WheelAt | Battery | Broke | Mended | Seeded | Answered | Stop | Unplugged | Wish"
)


class Strip(Protocol):
    """A chain of WS2812 LEDs. A write that fails never raises: the board reports it as `Broke("strip", …)`."""

    def show(self, frame: bytes) -> None:
        """Send *frame* (three bytes an LED, wire order GRB, current already limited). Never blocks the caller."""


class Display(Protocol):
    """Four 7-segment digits. Faults arrive as `Broke("display", …)`."""

    def show(self, segments: bytes) -> None:
        """Light the segments: four bytes, left to right; bits 0 to 6 are segments a to g, bit 7 the point."""


class Buzzer(Protocol):
    """One voice. Faults arrive as `Broke("buzzer", …)`."""

    def sound(self, pitch_hz: int, volume: int) -> None:
        """Sound *pitch_hz* from now on, at *volume* 1 (soft) to 5 (loud). A pitch or a volume of 0 is silence."""


class Board(Protocol):
    """A board: one way in, three parts out. `close` leaves lights dark, buzzer silent and lines released."""

    name: str
    strip: Strip | None
    display: Display | None
    buzzer: Buzzer | None

    def now_us(self) -> int:
        """The time on the board's clock (µs, monotonic). After `wait` never earlier than a stamp it gave."""

    def wait(self, until_us: int | None) -> Sequence[Input]:
        """Return what happened, oldest first, as soon as something did; an empty list once *until_us* has come.

        None waits without end. `Stop`, `Unplugged` and `Wish` end a game; only after a wish it may be called again.
        """

    def close(self) -> None:
        """Release everything, lights and sound first. May be called twice."""


@runtime_checkable
class TakesWishes(Protocol):
    """A board that takes what somebody elsewhere wants, besides what its own parts tell."""

    def put(self, given: Wish | Answered) -> None:
        """Have `wait` hand over *given*, stamped now. From any thread; never blocks."""


@runtime_checkable
class Dims(Protocol):
    """A board whose display has a light of its own to dim; the strip's is in its frames."""

    def dim(self, share: float) -> None:
        """Have the display give *share* (0 to 1) of its usual light from now on. Never blocks."""


class Telling(Protocol):
    """What was shown at one moment, as the bench protocol says it."""

    at_us: int

    @property
    def outputs(self) -> Sequence[Mapping[str, object]]:
        """The outputs in order, without their time: `{"event": …}`, `{"state": …}`, `{"lights": …}` …"""

    @property
    def lines(self) -> Sequence[str]:
        """The same as protocol lines (JSON with `t`, without newline), encoded once however many listen."""


@runtime_checkable
class Listener(Protocol):
    """Somebody who is told everything that is shown: a recorder, a browser, the bench."""

    def hear(self, moment: Telling) -> None:
        """Take what was shown at one moment. Must neither block nor raise."""
