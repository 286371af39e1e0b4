"""The display: four 7-segment digits on an HT16K33, over I2C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hal.errors import ChipError, library
from hal.pi.clock import NowUs, now_us
from hal.pi.worker import Device, Keeper
from hal.ports import Input

DIGITS = 4
DARK = bytes(DIGITS)
REFRESH_US = 5_000_000
OSCILLATOR_ON = b"\x21"
USUAL_BRIGHTNESS = 0.5  # of what the chip can: eight of its sixteen steps


def display(
    open_device: Callable[[], Device[bytes]], tell: Callable[[Input], None], now: NowUs = now_us
) -> Keeper[bytes]:
    """Return a display as a part that keeps itself alive: blank at first, whole again whenever it comes back."""
    return Keeper("display", open_device, DARK, tell, REFRESH_US, now)


class Ht16k33:
    """The chip at *address* of *bus*, opened with its memory cleared before the digits are switched on.

    A chip whose supply dipped answers again, but its oscillator stands still and its memory is random: so each write
    says everything, segments, oscillator, on, brightness (26 bytes on the bus, under 3 ms at 100 kHz), the segments
    first: a chip that runs shows them 1 ms sooner. *brightness* is asked at each write for the share of the usual
    light (0 to 1), which has nine steps; the lowest is dim, never dark.
    """

    def __init__(self, bus: Any, address: int = 0x70, brightness: Callable[[], float] = lambda: 1.0) -> None:
        with library("adafruit-circuitpython-ht16k33", "pi"):
            from adafruit_ht16k33.segments import Seg7x4
        self._address, self._brightness = address, brightness
        try:
            self._chip = Seg7x4(bus, address, auto_write=True)
        except (OSError, ValueError) as error:
            raise self._silent(error) from error
        self._chip.auto_write = False

    def write(self, content: bytes) -> None:
        """Show four digits. Raises `ChipError` when the chip does not answer."""
        try:
            for digit, segments in enumerate(content):
                self._chip.set_digit_raw(digit, segments)
            self._chip.show()
            with self._chip.i2c_device[0] as wire:
                wire.write(OSCILLATOR_ON)
            self._chip.blink_rate = 0
            self._chip.brightness = USUAL_BRIGHTNESS * self._brightness()
        except OSError as error:
            raise self._silent(error) from error

    def close(self) -> None:
        """Nothing to release: the digits were made dark before."""

    def _silent(self, error: Exception) -> ChipError:
        return ChipError(f"no answer at 0x{self._address:02x} ({error})")
