"""What a battery promises: low means low, not a flicker when the strip flashes."""

import pytest

from hal.errors import ChipError
from hal.pi.battery import (
    FLAG_EVERY_US,
    GOOD_AFTER_FLAGS,
    BatteryWatch,
    Cell,
    UnderVoltage,
    find_alarm,
)
from hal.ports import Battery
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_work import Shift

SECOND_US = 1_000_000


@pytest.fixture
def shift():
    return Shift(BenchClock())


@pytest.fixture
def hwmon(tmp_path):
    """The kernel's sensors: a CPU's temperature, and the one that matters."""
    for number, name in ((0, "cpu_thermal"), (1, "rpi_volt")):
        device = tmp_path / f"hwmon{number}"
        device.mkdir()
        (device / "name").write_text(f"{name}\n")
    (tmp_path / "hwmon1" / "in0_lcrit_alarm").write_text("0\n")
    return tmp_path


@pytest.fixture
def alarm(hwmon, shift):
    """The kernel's flag, watched; call it with True or False."""
    shift.hire(BatteryWatch(lambda: UnderVoltage(hwmon), shift.tell))
    return lambda on: find_alarm(hwmon).write_text(f"{int(on)}\n")


def test_one_dip_is_no_low_battery(alarm, shift):
    alarm(True)
    shift.work(FLAG_EVERY_US)
    alarm(False)
    shift.work(60 * SECOND_US)
    assert shift.told == []


def test_a_supply_that_stays_low_is_told_once_and_good_only_after_a_quiet_minute(alarm, shift):
    """C-4."""
    alarm(True)
    shift.work(30 * SECOND_US)
    assert [given.low for given in shift.take_told()] == [True]
    alarm(False)
    shift.work((GOOD_AFTER_FLAGS - 1) * FLAG_EVERY_US)
    assert shift.told == []
    shift.work(2 * FLAG_EVERY_US)
    assert [given.low for given in shift.take_told()] == [False]


def test_a_kernel_without_the_flag_stays_good_and_is_no_fault(tmp_path, shift):
    """Every optional part may be missing."""
    shift.hire(BatteryWatch(lambda: UnderVoltage(tmp_path), shift.tell))
    shift.work(10 * SECOND_US)
    assert shift.told == []
    with pytest.raises(ChipError, match="source = 'adc'"):
        find_alarm(tmp_path)


class Converter:
    """One voltage."""

    def __init__(self):
        self.mv = 1_900.0

    def millivolts(self, channel):
        assert channel == 3
        return self.mv


@pytest.fixture
def cell(shift):
    """A lithium cell behind 100 k and 100 k: twice the voltage at the channel."""
    converter = Converter()
    shift.hire(BatteryWatch(
        lambda: Cell(lambda: converter, 3, 100_000, 100_000, low_mv=3_400, good_mv=3_600), shift.tell))
    return converter


def test_a_cell_is_low_below_one_voltage_and_good_from_another(cell, shift):
    cell.mv = 1_690
    shift.work(20 * SECOND_US)
    assert [given.low for given in shift.take_told()] == [True]
    cell.mv = 1_780
    shift.work(20 * SECOND_US)
    assert shift.told == []
    cell.mv = 1_810
    shift.work(20 * SECOND_US)
    assert [given.low for given in shift.take_told()] == [False]


def test_a_flash_of_the_strip_is_averaged_away(cell, shift):
    for mv in (1_900, 1_500, 1_900, 1_900, 1_900) * 6:
        cell.mv = mv
        shift.work(SECOND_US)
    assert shift.told == []


def test_a_low_cell_at_the_start_is_told_with_the_first_reading(shift):
    """C-3: before power comes on."""
    converter = Converter()
    converter.mv = 1_500
    shift.hire(BatteryWatch(lambda: Cell(lambda: converter, 3, 1, 1, 3_400, 3_600), shift.tell))
    assert shift.told == [Battery(True, shift.clock())]


def test_a_divider_that_is_not_connected_is_no_low_battery(cell, shift):
    cell.mv = 2.0
    shift.work(30 * SECOND_US)
    cell.mv = None
    shift.work(30 * SECOND_US)
    assert shift.told == []
