"""A TM1637: four 7-segment digits on two lines of their own, bit by bit.

The chip looks like I2C and is not: no address, least bit first. It takes each byte by pulling the data line low; that
is checked (the common libraries do not: a loose wire then shows nothing, and says nothing), and never waited for.
"""

from __future__ import annotations

from collections.abc import Callable

from hal.errors import ChipError
from hal.pi.pins import Claim, Factory, Line, Pin, line_errors, refusal

WRITE_DATA = 0x40
FIRST_DIGIT = 0xC0
SWITCH_ON = 0x88
USUAL_BRIGHTNESS = 3  # of 0 to 7


class Tm1637:
    """The chip on the lines *clock* and *data* (GPIO numbers).

    *brightness* is asked at each write for the share of the usual light (0 to 1), which has four steps; the lowest is
    dim, never dark.

    Both lines are open drain: low is driven, high is let go of and pulled up. Python needs several µs for each step,
    which is slower than the chip asks for, so no pause is needed between them.
    """

    def __init__(self, factory: Factory, clock: int, data: int, brightness: Callable[[], float] = lambda: 1.0) -> None:
        self._factory = factory
        self._brightness = brightness
        self._claim = Claim("the display")
        self._pins: list[Pin] = []
        for name, gpio in (("display clock", clock), ("display data", data)):
            try:
                factory.reserve_pins(self._claim, gpio)
                self._pins.append(factory.pin(gpio))
            except line_errors() as error:
                factory.release_all(self._claim)
                raise refusal(factory, Line(name, gpio, "up"), error) from error
        self._clock, self._data = self._pins
        for pin in self._pins:
            _let_go(pin)

    def write(self, content: bytes) -> None:
        """Show four digits, and switch them on. Raises `ChipError` when the chip does not take a byte."""
        self._send(bytes([WRITE_DATA]))
        self._send(bytes([FIRST_DIGIT]) + content)
        self._send(bytes([SWITCH_ON | round(USUAL_BRIGHTNESS * self._brightness())]))

    def close(self) -> None:
        """Release both lines."""
        for pin in self._pins:
            pin.close()
        self._factory.release_all(self._claim)

    def _send(self, message: bytes) -> None:
        _pull_low(self._data)  # start: data falls while the clock is high
        taken = all(self._byte(byte) for byte in message)
        _pull_low(self._clock)
        _pull_low(self._data)
        _let_go(self._clock)
        _let_go(self._data)  # stop: data rises while the clock is high
        if not taken:
            raise ChipError("the TM1637 does not take a byte: check its clock, data, 3.3 V and ground")

    def _byte(self, byte: int) -> bool:
        """Send a byte, least bit first; return whether the chip took it."""
        for bit in range(8):
            _pull_low(self._clock)
            if byte >> bit & 1:
                _let_go(self._data)
            else:
                _pull_low(self._data)
            _let_go(self._clock)
        _pull_low(self._clock)
        _let_go(self._data)
        _let_go(self._clock)
        taken = not self._data.state
        _pull_low(self._clock)
        return taken


def _let_go(pin: Pin) -> None:
    pin.function = "input"
    pin.pull = "up"


def _pull_low(pin: Pin) -> None:
    pin.function = "output"
    pin.state = 0
