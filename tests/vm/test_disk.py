"""A disk that is full, gives up or is read-only, as docs/service.md has it: a partition of its own for the rounds."""

import pytest

from tests.vm.machine import SERVICE, SMALL_DISK, STATE
from tests.vm.table import LEDS, Table, kept, words

pytestmark = pytest.mark.vm

ELSEWHERE = "/run/pilelight/triple-play/record"  # not on the disk that is full
LONG = {"triple_play.overload_presses": [20, 20]}
WILL_BE_LOST = "the round will not survive a pulled plug"
WELL = "inputs listen, strip writes"
NOT_KEPT = f"{WELL}; the round is not kept: "


@pytest.fixture
def table(machine):
    """A table whose rounds are kept on a small disk of their own, which is new."""
    table = Table(machine, ELSEWHERE)
    machine.run(f"systemctl stop {SERVICE}; mke2fs -q -F -m 0 -t ext4 {SMALL_DISK}; rm -rf {STATE}/*; "
                f"mount -o errors=remount-ro {SMALL_DISK} {STATE}")
    try:
        table.restart(LONG)
        yield table
        table.agrees_with_its_replay()
    finally:
        machine.run(f"systemctl stop {SERVICE}; umount {STATE} && systemctl start {SERVICE}")


def play(table, pile):
    """Press a pile once; return what was said until it had counted, and how often it counts now."""
    table.tap(f"pile{pile}")
    told = table.hears(event="played")
    return told, told[-1]["count"]


def goes_on(table, told, why, begins="the round is not kept, the game goes on"):
    """The unit plays on, with all lights, and says in three places that the round is not kept."""
    [fault] = [message for message in told if message.get("event") == "fault"]
    assert (fault["part"], why in fault["reason"]) == ("memory", True)
    _, count = play(table, 2)
    assert play(table, 2)[1] == count + 1
    table.sees(lambda: len([led for led in table.strip() if any(led)]) >= LEDS // 2, True)
    table.sees(lambda: table.machine.property("StatusText").startswith(NOT_KEPT + why), True)
    log = table.machine.run(f"journalctl -o cat -u {SERVICE} -n 40")
    assert f"{begins}: {fault['reason']}" in log


def until_it_cannot_be_kept(table):
    """Play until a fault is told, but not for long; return what was said."""
    told = []
    for _ in range(15):
        more, _ = play(table, 1)
        told += more + table.said()
        if ("event", "fault") in words(told, "event"):
            return told
    raise AssertionError(f"no fault, but {told[-1]}; {table.machine.journal()}")


def test_a_disk_that_fills_up_costs_the_memory_and_not_the_game(table):
    """C-5 C-20: with room again the round is kept again, and survives a kill."""
    table.start_round()
    table.machine.run(f"for part in 1 2 3; do cat /dev/zero >{STATE}/filler$part; sync; done")
    told = until_it_cannot_be_kept(table)
    goes_on(table, told, "No space left on device")
    table.machine.run(f"rm {STATE}/filler*")
    table.tap("pile3")
    assert table.hears(event="healed")[-1]["part"] == "memory"
    play(table, 3)
    counts = kept(table.machine)["round"]["counts"]
    assert counts[1] == 2 and counts[2] >= 1
    table.sees(lambda: table.machine.property("StatusText"), WELL)
    table.agrees_with_its_replay()
    table.machine.run(f"kill -9 {table.pid()}")
    table.started_again(1)
    [resumed] = [said for said in table.hears(event="resumed") if said.get("event") == "resumed"]
    assert resumed["state"] == "playing" and kept(table.machine)["round"]["counts"] == counts


def test_a_disk_that_gives_up_costs_the_memory_and_not_the_game(table):
    """C-5 C-20: an error makes the kernel mount it read-only, as it does with a card that dies.

    The kernel still takes entries then, and says only when they are synced that they will never be on the disk.
    """
    table.start_round()
    play(table, 1)
    table.machine.run(f"echo 1 >/sys/fs/ext4/{SMALL_DISK.removeprefix('/dev/')}/trigger_fs_error")
    goes_on(table, until_it_cannot_be_kept(table), "Read-only file system")
    table.agrees_with_its_replay()
    table.machine.run(f"kill -9 {table.pid()}")
    table.started_again(1)
    goes_on(table, table.hears(event="resumed"), "Read-only file system", WILL_BE_LOST)
    assert "starting fresh" not in table.machine.journal()


def begin_round(table):
    """From standby to the first turn; return all that was said since the service began."""
    table.tap("go")
    table.hears(state="ready")
    table.tap("go")
    table.hears(event="turn")
    return table.record()


def test_begun_on_a_disk_that_is_read_only_it_plays_and_says_so(table):
    """C-5 C-20: nothing can be kept. In its sandbox the disk stays read-only until the service begins again."""
    machine = table.machine
    machine.run(f"systemctl stop {SERVICE}; rm -f {STATE}/*; mount -o remount,ro {STATE}; systemctl start {SERVICE}")
    table._read = 0
    table.power_on()
    goes_on(table, begin_round(table), "Read-only file system", WILL_BE_LOST)
    table.agrees_with_its_replay()
    machine.run(f"mount -o remount,rw {STATE}; kill -9 {table.pid()}")
    table.started_again(1)
    table.hears(state="standby")
    assert ("event", "fault") not in words(begin_round(table), "event")
    play(table, 3)
    table.sees(lambda: kept(machine)["round"]["counts"], [0, 0, 1])
