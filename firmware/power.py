"""Off, awake, asleep: the same in every unit, around its game (C-1 to C-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware.chart import Chart, On
from firmware.events import Trigger

if TYPE_CHECKING:
    from firmware.unit import Unit

OFF, AWAKE, ASLEEP = "off", "awake", "asleep"

SWITCHED_ON = Trigger("power switched on")
SWITCHED_OFF = Trigger("power switched off")
MAIN_PRESSED = Trigger("main button pressed")
SPUN = Trigger("wheel spun")
TIRED = Trigger("nothing happened for sleep_after")


def battery_is_low(unit: Unit, _: int, at_us: int) -> bool:
    return unit.battery_low


def power_on_was_missed(unit: Unit, _: int, at_us: int) -> bool:
    return unit.game is None


def still_too_low(unit: Unit, _: int, at_us: int) -> bool:
    return unit.game is None and unit.battery_low


def has_a_game(unit: Unit, _: int, at_us: int) -> bool:
    return unit.game is not None


def power_down(unit: Unit, _: int, at_us: int) -> None:
    unit.voice("power-down")


def start(unit: Unit, _: int, at_us: int) -> None:
    unit.start(at_us)


def start_late(unit: Unit, _: int, at_us: int) -> None:
    unit.tell("awake")
    unit.start(at_us)


def wake(unit: Unit, _: int, at_us: int) -> None:
    unit.wake(at_us)


def fall_asleep(unit: Unit, _: int, at_us: int) -> None:
    unit.tell("asleep")
    unit.front.uncover()
    unit.sleep.stop()


def end(unit: Unit, _: int, at_us: int) -> None:
    unit.end()


BY_SWITCH: Chart[Unit] = Chart(
    name="power",
    start=OFF,
    rows=(
        On(OFF, SWITCHED_ON, ASLEEP, when=battery_is_low, do=power_down),  # C-3
        On(OFF, SWITCHED_ON, AWAKE, do=start),
        On(AWAKE, TIRED, ASLEEP, do=fall_asleep),  # C-6
        On(ASLEEP, MAIN_PRESSED, None, when=still_too_low, do=power_down),  # C-3
        On(ASLEEP, MAIN_PRESSED, AWAKE, when=power_on_was_missed, do=start_late),  # C-3
        On(ASLEEP, MAIN_PRESSED, AWAKE, do=wake),  # C-7
        On(ASLEEP, SPUN, AWAKE, when=has_a_game, do=wake),  # SP-10
        On(AWAKE, SWITCHED_OFF, OFF, do=end),  # C-1
        On(ASLEEP, SWITCHED_OFF, OFF, do=end),
    ),
)

BY_BUTTON: Chart[Unit] = Chart(
    name="power by button",
    start=OFF,
    rows=(
        On(OFF, MAIN_PRESSED, None, when=battery_is_low, do=power_down),  # MA-1, C-3
        On(OFF, MAIN_PRESSED, AWAKE, do=start),  # MA-1
        On(AWAKE, SWITCHED_OFF, OFF, do=end),  # MA-10, MA-11
    ),
)
