"""Whether the supply is low: from a cell behind a divider at the ADC, or from the kernel's under-voltage flag.

Both have hysteresis: strips sag the supply for moments, and `battery-low` is for a supply that stays low.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from hal.errors import ChipError
from hal.pi.adc import Adc
from hal.pi.repair import Repair
from hal.ports import Battery, Input

HWMON = Path("/sys/class/hwmon")
FLAG_EVERY_US = 5_000_000
LOW_AFTER_FLAGS = 2
GOOD_AFTER_FLAGS = 12
CELL_EVERY_US = 1_000_000
AVERAGED = 10
LEAST_CELL_MV = 1_000
"""Below this no cell feeds a Pi: the divider is not connected."""


class UnderVoltage:
    """The kernel's word: low after two alarms 5 s apart, good after a minute without. The file is found once."""

    every_us = FLAG_EVERY_US

    def __init__(self, hwmon: Path = HWMON) -> None:
        self._file = find_alarm(hwmon)
        self._alarms = 0
        self._goods = 0
        self._low = False

    def low(self) -> bool:
        """Whether the supply is low by now. Raises `ChipError` when the flag cannot be read."""
        try:
            alarm = self._file.read_text().strip() == "1"
        except OSError as error:
            raise ChipError(f"{self._file} cannot be read: {error}") from error
        self._alarms = self._alarms + 1 if alarm else 0
        self._goods = 0 if alarm else self._goods + 1
        if self._alarms >= LOW_AFTER_FLAGS:
            self._low = True
        elif self._goods >= GOOD_AFTER_FLAGS:
            self._low = False
        return self._low


def find_alarm(hwmon: Path = HWMON) -> Path:
    """Return the file of the under-voltage flag, found by its driver's name. Raises `ChipError`."""
    for device in sorted(hwmon.glob("hwmon*")):
        try:
            name = (device / "name").read_text().strip()
        except OSError:
            continue
        if name == "rpi_volt":
            return device / "in0_lcrit_alarm"
    raise ChipError("this kernel has no under-voltage flag (rpi_volt); [battery] source = 'adc' needs none")


class Cell:
    """The voltage of a cell: low when the average of 10 s falls below *low_mv*, good again from *good_mv*."""

    every_us = CELL_EVERY_US

    def __init__(
        self, adc: Callable[[], Adc], channel: int, top_ohm: int, bottom_ohm: int, low_mv: int, good_mv: int
    ) -> None:
        self._adc = adc
        self._channel = channel
        self._factor = (top_ohm + bottom_ohm) / bottom_ohm
        self._low_mv, self._good_mv = low_mv, good_mv
        self._readings: deque[float] = deque(maxlen=AVERAGED)
        self._low = False

    def low(self) -> bool:
        """Whether the cell is low by now. A reading that cannot be leaves it as it was. Raises what the ADC raises."""
        reading_mv = self._adc().millivolts(self._channel)
        if reading_mv is None or reading_mv * self._factor < LEAST_CELL_MV:
            return self._low
        self._readings.append(reading_mv * self._factor)
        average_mv = sum(self._readings) / len(self._readings)
        if average_mv < self._low_mv:
            self._low = True
        elif average_mv >= self._good_mv:
            self._low = False
        return self._low


class BatteryWatch:
    """Asks a source now and then, on a worker's thread, and tells `Battery` when it turns. No source: it stays good."""

    def __init__(self, open_source: Callable[[], UnderVoltage | Cell], tell: Callable[[Input], None]) -> None:
        self._open_source = open_source
        self._source: UnderVoltage | Cell | None = None
        self._tell = tell
        self._repair = Repair((), tell)
        self._due_us = 0
        self._low = False

    def step(self, now_us: int) -> int | None:
        """Ask; return when to ask again (µs)."""
        if now_us < self._due_us:
            return self._due_us
        if not self._repair.due(now_us):
            return self._repair.next_us()
        if self._source is None:
            self._source = self._open_source()
        low = self._source.low()
        self._repair.works(now_us)
        if low != self._low:
            self._low = low
            self._tell(Battery(low, now_us))
        self._due_us = now_us + self._source.every_us
        return self._due_us

    def failed(self, error: Exception, now_us: int) -> int | None:
        """Look for the source anew, later. A battery that cannot be measured is no reason to stop a game."""
        self._source = None
        return self._repair.broke(error, now_us)

    def close(self) -> None:
        """Nothing to do."""
