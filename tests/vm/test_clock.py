"""The clock on the wall jumps, as on every Pi without a clock chip once it hears from the network. Nobody notices."""

import signal
from itertools import pairwise

import pytest

from firmware.glyphs import segments
from tests.vm.machine import SERVICE
from tests.vm.table import DIGIT_AT, Table, kept, words

pytestmark = pytest.mark.vm

YEAR_S = 365 * 24 * 3600
SECOND_US = 1_000_000


class Wall:
    """The clock on the wall of a machine."""

    def __init__(self, machine):
        self._machine = machine
        self._jumped_s = 0

    def jump(self, by_s):
        """Set it forward (or back, if negative)."""
        before_s = int(self._machine.run("date +%s"))
        self._machine.run(f"date -s @{before_s + by_s}")
        assert abs(int(self._machine.run("date +%s")) - before_s - by_s) < 30
        self._jumped_s += by_s


@pytest.fixture
def wall(machine):
    """The clock on the wall; right again at the end."""
    wall = Wall(machine)
    yield wall
    wall.jump(-wall._jumped_s)


@pytest.fixture
def table(machine, wall):
    """A table whose unit sleeps early, started long before the clock was right, as without a clock chip."""
    table = Table(machine)
    wall.jump(-20 * YEAR_S)
    table.restart({"common.sleep_after": 12})
    yield table
    table.agrees_with_its_replay()


def test_a_clock_that_jumps_changes_no_countdown_and_no_sleep(table, wall):
    """C-15 C-22 TP-13: forward 21 years and back in a countdown; forward before sleep; back while asleep."""
    table.forget_tape()
    table.start_round(timer=True)
    table.hears(display="5")
    wall.jump(21 * YEAR_S)
    table.hears(display="3")
    wall.jump(-2 * YEAR_S)
    told = table.hears(tone="timeout")
    assert words(told, "event")[-1] == ("event", "timeout")
    every_second(table, table.record())
    table.tap("go")
    table.hears(state="playing")
    table.tap("go")
    paused_t = table.hears(state="paused")[-1]["t"]
    wall.jump(YEAR_S)
    asleep_t = table.hears(state="asleep")[-1]["t"]
    assert round(asleep_t - paused_t, 3) == 11.97  # 12 s after the release, which counts 30 ms later
    table.is_dark()
    wall.jump(-3 * YEAR_S)
    table.machine.wait_for(f"[ $(systemctl show -p NRestarts --value {SERVICE}) = 0 ]")
    assert words(table.said(), "event", "state") == []
    table.is_dark()
    table.tap("go")
    table.hears(state="paused")
    assert "Watchdog" not in table.machine.run(f"journalctl -o cat -u {SERVICE} -n 20")


def every_second(table, told):
    """The countdown was told to the millisecond, and came to the display in step with the kernel's clock.

    A processor that has other work may leave out faces, and be late with the next; not by as much as a second.
    """
    at_s = [message["t"] for message in told if message.get("display") in {"5", "4", "3", "2", "1"}]
    assert [round(later - earlier, 3) for earlier, later in pairwise(at_s)] == [1, 1, 1, 1]
    came_us = {}
    for sent in table.tape():
        if sent.part == "display" and len(sent.what) == 17:
            came_us.setdefault(bytes(sent.what[1 + at] for at in DIGIT_AT), sent.at_us)
    due_us = [came_us[segments(face)] + int(face) * SECOND_US for face in "54321" if segments(face) in came_us]
    assert len(due_us) >= 2 and max(due_us) - min(due_us) < SECOND_US, due_us


def test_a_round_is_resumed_whatever_the_clock_says(table, wall):
    """C-5: kept today, killed in a year, resumed long before both."""
    table.start_round()
    table.tap("pile1")
    table.hears(event="played")
    wall.jump(20 * YEAR_S)
    table.tap("pile1")
    table.hears(event="played", count=2)
    before = kept(table.machine)
    assert before["round"]["counts"][0] == 2
    table.agrees_with_its_replay()
    table.signal(signal.SIGKILL)
    wall.jump(-10 * YEAR_S)
    table.started_again(1)
    [resumed] = [said for said in table.hears(event="resumed") if said.get("event") == "resumed"]
    assert (resumed["state"], resumed["lit"]) == ("playing", [1, 2, 3])
    assert kept(table.machine) == before
