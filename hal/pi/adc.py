"""An ADS1115: the millivolts at one of its four channels, fresh, plausible, and never waited for without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hal.errors import ChipError, library

LOWEST_MV = -100
HIGHEST_MV = 3_500
"""Outside lies no voltage that a 3.3 V circuit can have: a bus error that was read as a value (ESPEasy#2654)."""
FULL_SCALE_MV = 4_096
STEPS = 32_768
SAMPLES_A_SECOND = 860
AGAINST_GROUND = 4
"""Added to a channel, the driver measures it against ground, not against another channel."""
MOST_POLLS = 50
"""A conversion takes 1.2 ms, two or three questions; a chip that is never ready must not hold up the bus."""


class Adc(Protocol):
    """Four voltages."""

    def millivolts(self, channel: int) -> float | None:
        """The voltage at *channel* now (mV), or None for a reading that cannot be. Raises when the chip is silent."""


class Ads1115:
    """The chip at *address* of *bus*, one conversion for each question.

    After a change of channel the first conversion has some of the other one in it (ADS1X15#58): it is thrown away.
    """

    def __init__(self, bus: Any, address: int = 0x48) -> None:
        with library("adafruit-circuitpython-ads1x15", "pi"):
            from adafruit_ads1x15 import ads1115
        self._address = address
        self._channel: int | None = None
        self._polls_left = MOST_POLLS
        try:
            self._chip = ads1115.ADS1115(bus, gain=1, data_rate=SAMPLES_A_SECOND, address=address)
        except (OSError, ValueError) as error:
            raise ChipError(f"no answer at 0x{address:02x} ({error})") from error
        _bound(self._chip, self._spend_poll)

    def millivolts(self, channel: int) -> float | None:
        """The voltage at *channel* now. Raises `ChipError` when the chip is silent or never ready."""
        try:
            if channel != self._channel:
                self._convert(channel)
                self._channel = channel
            value = self._convert(channel) * FULL_SCALE_MV / STEPS
        except OSError as error:
            self._channel = None
            raise ChipError(f"the ADC at 0x{self._address:02x} failed ({error})") from error
        return value if LOWEST_MV <= value <= HIGHEST_MV else None

    def _convert(self, channel: int) -> int:
        self._polls_left = MOST_POLLS
        return int(self._chip.read(channel + AGAINST_GROUND))

    def _spend_poll(self) -> None:
        self._polls_left -= 1
        if self._polls_left < 0:
            raise TimeoutError("a conversion that never ends")


def _bound(chip: Any, spend: Callable[[], None]) -> None:
    """Make the driver give up: it asks "ready?" in a loop without end. A contract test fails if that changes."""
    ready = chip._conversion_complete  # the one place; there is no public one

    def ready_or_raise() -> int:
        spend()
        return int(ready())

    chip._conversion_complete = ready_or_raise
