"""GPIO lines through gpiozero's pins: the factory by name, inputs as raw edges, and what to say when a line is busy.

gpiozero's own debounce, holds and decoders are left out on purpose: they differ between factories, lose releases and
start threads (docs/field-reports.md). A callback does one thing, it puts the edge into a queue.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from hal.errors import BadSetting, BoardError, LineBusy, MissingLibrary, NoGpio, NoRights
from hal.pi import gpiochip

Pull = Literal["up", "down", "none"]
PULLS = {"up": "up", "down": "down", "none": "floating"}


class RawEdge(NamedTuple):
    """A level changed on input line number *line*; *ticks* is the factory's stamp."""

    line: int
    high: bool
    ticks: float


class Line(NamedTuple):
    """An input line: the name it has in messages, its GPIO (BCM) and its pull."""

    name: str
    gpio: int
    pull: Pull


class Claim:
    """Who has reserved pins, in gpiozero's book for this process: a pin has one owner."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def __repr__(self) -> str:
        return self._owner

    def _conflicts_with(self, other: object) -> bool:
        return other is not self


class Pin(Protocol):
    """What is used of a gpiozero pin."""

    function: str
    pull: str
    bounce: float | None
    edges: str
    state: float
    when_changed: Callable[[float, float], None] | None

    def close(self) -> None:
        """Make it an input without pull again."""


class Factory(Protocol):
    """What is used of a gpiozero pin factory."""

    def pin(self, name: int) -> Any:
        """The `Pin` of a GPIO number; claims the line."""

    def ticks(self) -> float:
        """The time now, in the unit of the edges' stamps."""

    def ticks_diff(self, later: float, earlier: float) -> float:
        """The seconds from *earlier* to *later*."""

    def reserve_pins(self, requester: object, *pins: int) -> None:
        """Keep pins for *requester*, in this process. Raises when somebody has one."""

    def release_all(self, reserver: object) -> None:
        """Give back all pins of *reserver*."""

    def close(self) -> None:
        """Release every line and the chip."""


def open_factory(gpio: str = "lgpio", chip: int | None = None) -> Factory:
    """Return the pin factory of that name, and no other: `lgpio`, or `rpigpio` on kernels before 6.6.

    *chip* is the number of the GPIO chip (lgpio only); by itself the chip with the header's label is taken. Raises
    `BoardError`: no such factory, library missing, no rights, no chip.
    """
    if gpio == "lgpio":
        return _open_lgpio(chip)
    if gpio != "rpigpio":
        raise BadSetting(f"gpio = {gpio!r}: there is no such pin factory; lgpio or rpigpio")
    if chip is not None:
        raise BadSetting("gpiochip works with gpio = 'lgpio' only; remove one of the two settings")
    try:
        from gpiozero.pins.rpigpio import RPiGPIOFactory
    except ModuleNotFoundError as error:
        raise MissingLibrary("RPi.GPIO", "pi") from error
    except RuntimeError as error:  # what RPi.GPIO raises on import anywhere else
        raise NoGpio("gpio = 'rpigpio' works on a Raspberry Pi only; --board panel works here") from error
    factory: Factory = RPiGPIOFactory()
    return factory


def _open_lgpio(chip: int | None) -> Factory:
    try:
        from gpiozero.exc import PinUnknownPi
        from gpiozero.pins.lgpio import LGPIOFactory
    except ModuleNotFoundError as error:
        raise MissingLibrary("lgpio", "pi", hint=" (Python 3.13: sudo apt install python3-lgpio)") from error
    except FileNotFoundError as error:
        raise NoGpio(
            "lgpio makes a pipe in the working directory, which is not writable; start in another one, or set LG_WD"
        ) from error
    if chip is None and (found := gpiochip.header_chip()) is not None:
        chip = found.number
    try:
        factory: Factory = LGPIOFactory(chip=chip)
    except PinUnknownPi as error:
        raise NoGpio("this machine is no Raspberry Pi; --board panel works here") from error
    except line_errors() as error:
        raise _chip_refused(chip or 0) from error
    return factory


def _chip_refused(chip: int) -> BoardError:
    device = f"/dev/gpiochip{chip}"
    try:
        gpiochip.chip_info(chip)
    except PermissionError:
        return NoRights(device, "gpio")
    except OSError as error:
        present = ", ".join(f"gpiochip{c.number} ({c.label})" for c in gpiochip.chips()) or "none that may be opened"
        return NoGpio(f"{device} cannot be opened ({error.strerror}); present: {present}. Set gpiochip = N")
    return NoGpio(f"{device}: lgpio cannot open it, though it is there and may be opened")


def line_errors() -> tuple[type[Exception], ...]:
    """Return what a factory that is loaded raises for a line that it cannot have. Of no use before one is loaded."""
    from gpiozero.exc import GPIOZeroError

    own: object = getattr(sys.modules.get("lgpio"), "error", None)
    lgpio = (own,) if isinstance(own, type) and issubclass(own, Exception) else ()
    return (GPIOZeroError, OSError, RuntimeError, *lgpio)


class InputPins:
    """Input lines whose edges arrive through *put*: one call, from the factory's thread, for each edge.

    *put* may raise; that edge is then lost and counted in `lost`, and nothing else happens. Lines are claimed by
    `claim`, and given back by `close`, both on the caller's thread.
    """

    def __init__(self, factory: Factory, lines: Sequence[Line], put: Callable[[RawEdge], None]) -> None:
        self.lines = tuple(lines)
        self.lost = 0
        self._factory = factory
        self._put = put
        self._pins: list[Pin] = []
        # gpiozero keeps weak references only, to both
        self._claim_of = Claim("the unit's inputs")
        self._listeners = [self._listener(number) for number in range(len(lines))]

    def claim(self) -> None:
        """Claim the lines and listen. Raises `LineBusy`, and has claimed none then."""
        try:
            for line, listener in zip(self.lines, self._listeners, strict=True):
                self._pins.append(self._claim(line, listener))
        except BoardError:
            self.close()
            raise

    def _claim(self, line: Line, listener: Callable[[float, float], None]) -> Pin:
        try:
            self._factory.reserve_pins(self._claim_of, line.gpio)
            pin: Pin = self._factory.pin(line.gpio)
            pin.function = "input"
            pin.pull = PULLS[line.pull]
            pin.bounce = None
            pin.edges = "both"
            pin.when_changed = listener
        except line_errors() as error:
            raise refusal(self._factory, line, error) from error
        return pin

    def _listener(self, number: int) -> Callable[[float, float], None]:
        def edge(ticks: float, state: float) -> None:
            try:
                self._put(RawEdge(number, bool(state), ticks))
            except Exception:  # noqa: BLE001  what rises from here ends lgpio's only thread, and with it every input
                self.lost += 1

        return edge

    def levels(self) -> list[bool]:
        """Read all lines now: true is high. Raises one of `line_errors`."""
        return [bool(pin.state) for pin in self._pins]

    def alive(self) -> bool:
        """Whether the thread that calls back still runs, as far as the factory lets one see."""
        thread = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
        return not self._of_lgpio() or thread is None or bool(thread.is_alive())

    def renew(self) -> None:
        """Listen again after the thread has died, or says nothing any more. Raises one of `line_errors`."""
        lgpio = sys.modules.get("lgpio")
        if self._of_lgpio() and not self.alive() and lgpio is not None:
            setattr(lgpio, "_notify_thread", getattr(lgpio, "_callback_thread")())  # noqa: B009, B010  no public way
        for pin, listener in zip(self._pins, self._listeners, strict=True):
            pin.when_changed = None
            pin.when_changed = listener

    def _of_lgpio(self) -> bool:
        return type(self._factory).__module__ == "gpiozero.pins.lgpio"

    def close(self) -> None:
        """Stop listening and make the lines inputs without pull. May be called twice."""
        pins, self._pins = self._pins, []
        for pin in pins:
            pin.when_changed = None
            pin.close()
        self._factory.release_all(self._claim_of)


def refusal(factory: Factory, line: Line, error: Exception) -> LineBusy:
    """Return the error that says which line cannot be had, and who has it if that can be found out."""
    place = f"GPIO{line.gpio} ({line.name})"
    text = str(error).strip("'\"")
    if "busy" not in text.lower() and "in use" not in text.lower():
        return LineBusy(f"{place} cannot be claimed: {text}")
    if "in use by" in text:  # gpiozero's own book: somebody in this process
        return LineBusy(f"{place} is used twice by this unit: {text}")
    chip: object = getattr(factory, "chip", None)
    return LineBusy(f"{place} is busy: {gpiochip.holder(chip if isinstance(chip, int) else 0, line.gpio)}")
