"""Pads that are pressure sensors: from millivolts to `Contact`.

The pile lies on its pad, and grows. So a press is not a voltage but a quick rise above what the pad carries at rest
(its baseline). The baseline follows slowly, and only while nobody presses; after each release it is taken afresh. A
whole deck that is dropped on a pad at once reads as a press, and becomes a stuck pad (C-13) until it is lifted.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hal.errors import BadSetting
from hal.pi.adc import Adc
from hal.pi.repair import Repair
from hal.ports import Broke, Contact, Input, Mended
from hal.whole import write_whole

EVERY_US = 20_000
RISE_FOLLOWED_IN_US = 2_000_000
FALL_FOLLOWED_IN_US = 300_000
SETTLE_US = 200_000
BAD_SAMPLES = 25
GOOD_SAMPLES = 5
LEAST_PRESS_MV = 100


class PadCalibration(NamedTuple):
    """What a pad carries when nobody touches it (None: not measured); the rises at which a press begins and ends."""

    rest_mv: float | None = None
    press_mv: float = 600.0
    release_mv: float = 350.0


class PadSensor:
    """One pad, fed with readings; pure."""

    def __init__(self, name: str, calibration: PadCalibration = PadCalibration()) -> None:  # noqa: B008  immutable
        self.name = name
        self._calibration = calibration
        self._baseline_mv: float | None = None
        self._closed = False
        self._last_us = 0
        self._released_us: int | None = None
        self._settled: list[float] = []
        self._bad = 0
        self._good = 0
        self._broken = False

    def changes(self, reading_mv: float | None) -> bool:
        """Whether *reading_mv* would open or close the contact. Such a reading is worth a second one."""
        if reading_mv is None or self._baseline_mv is None:
            return False
        return self._closed_at(reading_mv - self._baseline_mv) != self._closed

    def feed(self, reading_mv: float | None, at_us: int) -> Sequence[Input]:
        """Take a reading (mV; None for one that cannot be: the state stays, until there are too many of them)."""
        if reading_mv is None:
            return self._implausible(at_us)
        told = self._plausible(at_us)
        at_start = self._baseline_mv is None
        if self._baseline_mv is None:
            self._baseline_mv = self._first_baseline(reading_mv)
        closed = self._closed_at(reading_mv - self._baseline_mv)
        if closed != self._closed:
            self._closed = closed
            self._released_us = None if closed else at_us
            self._settled = []
            told = [*told, Contact(self.name, closed, at_us, at_start)]
        elif not closed:
            self._follow(reading_mv, at_us)
        self._last_us = at_us
        return told

    def _first_baseline(self, reading_mv: float) -> float:
        rest_mv = self._calibration.rest_mv
        held = rest_mv is not None and reading_mv - rest_mv >= self._calibration.press_mv
        return rest_mv if held and rest_mv is not None else reading_mv

    def _closed_at(self, rise_mv: float) -> bool:
        return rise_mv >= (self._calibration.release_mv if self._closed else self._calibration.press_mv)

    def _follow(self, reading_mv: float, at_us: int) -> None:
        assert self._baseline_mv is not None
        if self._released_us is not None:
            since_us = at_us - self._released_us
            if since_us >= SETTLE_US // 2:
                self._settled.append(reading_mv)
            if since_us >= SETTLE_US:
                self._baseline_mv = sum(self._settled) / len(self._settled)
                self._released_us = None
            return
        rise_mv = reading_mv - self._baseline_mv
        passed_us = at_us - self._last_us
        followed_in_us = RISE_FOLLOWED_IN_US if rise_mv > 0 else FALL_FOLLOWED_IN_US
        self._baseline_mv += rise_mv * passed_us / (passed_us + followed_in_us)

    def _implausible(self, at_us: int) -> Sequence[Input]:
        self._bad, self._good = self._bad + 1, 0
        if self._bad < BAD_SAMPLES or self._broken:
            return []
        self._broken = True
        return [Broke(self.name, "its voltage cannot be: check the sensor's wires and its resistor", at_us)]

    def _plausible(self, at_us: int) -> Sequence[Input]:
        self._bad, self._good = 0, self._good + 1
        if not self._broken or self._good < GOOD_SAMPLES:
            return []
        self._broken = False
        return [Mended(self.name, at_us)]


class PressurePads:
    """All pads of a unit on one ADC: a job of the bus's thread, 50 rounds a second.

    A reading that would change a contact is taken twice: one bad transfer is no press. The stamp is the first's.
    """

    def __init__(
        self, open_adc: Callable[[], Adc], forget_adc: Callable[[Exception], None],
        pads: Mapping[int, PadSensor], tell: Callable[[Input], None],
    ) -> None:
        """*pads* are by channel. *open_adc* returns the chip, the same one while it works."""
        self._open_adc, self._forget_adc = open_adc, forget_adc
        self._pads = dict(pads)
        self._tell = tell
        self._repair = Repair([pad.name for pad in pads.values()], tell)
        self._due_us = 0

    def step(self, now_us: int) -> int | None:
        """Read every pad; return when to do so again (µs)."""
        if now_us < self._due_us:
            return self._due_us
        if not self._repair.due(now_us):
            return self._repair.next_us()
        adc = self._open_adc()
        for channel, pad in self._pads.items():
            reading_mv = adc.millivolts(channel)
            if pad.changes(reading_mv):
                again_mv = adc.millivolts(channel)
                if not pad.changes(again_mv):
                    reading_mv = again_mv
            for told in pad.feed(reading_mv, now_us):
                self._tell(told)
        self._repair.works(now_us)
        self._due_us = now_us + EVERY_US
        return self._due_us

    def failed(self, error: Exception, now_us: int) -> int | None:
        """Forget the chip; return when to look for it again (µs)."""
        self._forget_adc(error)
        return self._repair.broke(error, now_us)

    def close(self) -> None:
        """Nothing to do: the chip only measures."""


def load_calibration(path: Path, names: Sequence[str]) -> dict[str, PadCalibration]:
    """Return the calibration of each pad in *names* that *path* has; none if there is no such file.

    Raises `BadSetting` with everything that is wrong.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadSetting(f"{path}: cannot be read ({error}); run: pilelight calibrate") from error
    found, wrong = {}, []
    for name, table in tables.items():
        problem = _problem(name, table, names)
        if problem:
            wrong.append(f"{path}: [{name}] {problem}")
        else:
            found[name] = PadCalibration(**table)
    if wrong:
        raise BadSetting("\n".join(wrong))
    return found


def _problem(name: str, table: object, names: Sequence[str]) -> str | None:
    if name not in names:
        return f"is no pressure pad of this unit; it has {', '.join(names) or 'none'}"
    if not isinstance(table, dict) or set(table) != set(PadCalibration._fields):
        return f"must have {', '.join(PadCalibration._fields)}; run: pilelight calibrate"
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in table.values()):
        return "must have numbers only (mV)"
    if not 0 < table["release_mv"] < table["press_mv"] or table["press_mv"] < LEAST_PRESS_MV:
        return f"must have 0 < release_mv < press_mv, and press_mv at least {LEAST_PRESS_MV}"
    return None


def save_calibration(path: Path, pads: Mapping[str, PadCalibration]) -> None:
    """Write the calibration, whole or not at all. Raises OSError."""
    lines = ["# Written by pilelight calibrate. All in millivolts; a press is a rise above what lies on the pad.\n"]
    for name, pad in pads.items():
        rest_mv = 0.0 if pad.rest_mv is None else pad.rest_mv
        lines.append(
            f"\n[{name}]\nrest_mv = {rest_mv:.1f}\npress_mv = {pad.press_mv:.1f}\nrelease_mv = {pad.release_mv:.1f}\n"
        )
    write_whole(path, "".join(lines))
