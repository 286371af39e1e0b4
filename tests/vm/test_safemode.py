"""GO held while the unit gets its power: the self-test, on real lines of a real kernel, under systemd."""

import pytest

from tests.vm.machine import SERVICE, STATE
from tests.vm.table import CLOSED, LEDS, MS, OPEN

pytestmark = pytest.mark.vm

SETTINGS = "/etc/pilelight/settings.toml"
INVOCATION = f"$(systemctl show -p InvocationID --value {SERVICE})"


def said(machine, text):
    """Wait until the present run of the service has said *text*."""
    machine.wait_for(f"journalctl -o cat _SYSTEMD_INVOCATION_ID={INVOCATION} | grep -F -- '{text}'")


@pytest.fixture
def settings(machine):
    """Write settings that hold until the test is over."""
    before = machine.read(SETTINGS).decode()
    yield lambda text=before: machine.ask(write=SETTINGS, text=text)
    machine.ask(write=SETTINGS, text=before)


def test_go_held_at_the_start_gets_a_unit_out_of_settings_that_are_wrong_and_tests_it(table, settings):
    """Default settings, self-test and panel only; then a usual start. C-21: nothing is lit in between."""
    machine = table.machine
    table.start_round()
    table.tap("pile1")
    table.hears(event="played")
    machine.run(f"kill -9 {table.pid()}; systemctl stop {SERVICE}")
    round_before = machine.read(f"{STATE}/triple-play.state")
    settings("[triple_play]\nturn_seconds = -1\n")
    table.open_all()
    machine.run(f"systemctl start --no-block {SERVICE}")
    machine.wait_for(f"journalctl -u {SERVICE} | grep 'triple_play.turn_seconds = -1: must be seconds from'")

    table.forget_tape()
    table.press("go")
    machine.wait_for(f"systemctl is-active {SERVICE}")
    restarts = machine.property("NRestarts")
    said(machine, "GO is held: safe mode, with default settings, a self-test and the panel only")
    table.shows("tESt")         # as long as it is held
    table.release("go")
    said(machine, "1/14  Press the GO button")
    table.shows("go")
    table.tap("go")
    said(machine, "2/14  Press the pile pad 1")
    table.sees(lambda: "2/14" in machine.property("StatusText") or machine.property("StatusText"), True)
    for number in (1, 2, 3):
        table.tap(f"pile{number}")
        said(machine, f"{number + 2}/14  ")
    for number, switch in enumerate(("power", "timer"), 6):
        table.move((switch, CLOSED, 200 * MS), (switch, OPEN, 0))
        said(machine, f"{number}/14  " if number < 7 else "7/14  Do the 21 LEDs light up red")
    for number in range(7, 14):
        table.tap("go")         # yes
        said(machine, f"{number + 1}/14  ")
    table.move(("go", CLOSED, 1_500 * MS), ("go", OPEN, 0))     # no: the beeps were not heard
    said(machine, "13 ok, 1 failed")
    said(machine, "somebody said no")
    table.shows("F  1")
    table.sees(lambda: {(red > 0, green, blue) for red, green, blue in table.strip()}, {(True, 0, 0)})
    assert len(table.strip()) == LEDS
    assert "to play, switch the power off and on" in machine.property("StatusText")
    assert machine.property("ActiveState") == "active"
    assert machine.property("NRestarts") == restarts, "the watchdog is fed"

    settings()
    assert machine.read(f"{STATE}/triple-play.state") == round_before, "the round was neither read nor touched"
    assert "13 ok, 1 failed" in machine.read(f"{STATE}/triple-play.selftest").decode()
    table.forget_tape()
    table.move(("power", CLOSED, 0))
    table.started_again(int(restarts) + 1)
    [resumed] = [told for told in table.hears(event="resumed") if told.get("event") == "resumed"]
    assert resumed["state"] == "playing", "a usual start: the round goes on"
