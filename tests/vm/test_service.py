"""The service on a real systemd: what it may do, and how it ends and begins again."""

import json
import statistics

import pytest

from hal.pi.gpiochip import HEADER_LABELS
from tests.vm.machine import SERVICE, STATE
from tests.vm.table import GPIO, LEDS, SWITCH, colours, words

pytestmark = pytest.mark.vm

PILELIGHT = "/opt/pilelight/bin/pilelight"
PYTHON = "/opt/pilelight/bin/python"

# Run in the service's own sandbox, as its user: what works, and with which error the rest fails.
PROBE = '''
import ctypes, errno, json, mmap, os, socket

def write(path):
    with open(path, "a") as file:
        file.write("1")

def opened(path):
    os.close(os.open(path, os.O_RDWR))

libc = ctypes.CDLL(None, use_errno=True)

def unshare():
    if libc.unshare(0x10000000):
        raise OSError(ctypes.get_errno(), "")

tasks = {
    "keep a round": lambda: write("/var/lib/pilelight/probe"),
    "claim lines": lambda: opened("/dev/gpiochip0"),
    "draw on the display": lambda: opened("/dev/i2c-1"),
    "light the strip": lambda: opened("/dev/spidev0.0"),
    "sound the buzzer": lambda: write("/sys/class/pwm/pwmchip0/export"),
    "change settings": lambda: write("/etc/pilelight/settings.toml"),
    "change the program": lambda: write("/opt/pilelight/probe"),
    "change the system": lambda: write("/usr/probe"),
    "write elsewhere in /var": lambda: write("/var/lib/probe"),
    "read passwords": lambda: open("/etc/shadow").close(),
    "open the disk": lambda: opened("/dev/vda"),
    "open the kernel's log": lambda: opened("/dev/kmsg"),
    "change the kernel": lambda: write("/proc/sys/kernel/hostname"),
    "read other parts of sysfs": lambda: write("/sys/power/state"),
    "reach the network": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
    "become root": lambda: os.setuid(0),
    "take the processor": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "make namespaces": unshare,
    "run what it wrote": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close(),
    "see other people's processes": lambda: os.stat("/proc/1"),
}
done = {}
for name, task in tasks.items():
    try:
        task()
        done[name] = "yes"
    except OSError as error:
        done[name] = errno.errorcode[error.errno]
os.remove("/var/lib/pilelight/probe")
print(json.dumps(done))
'''
WIDE_OPEN = ("/etc/pilelight/settings.toml", "/dev/vda", "/dev/kmsg", "/sys/power/state")
DROP_IN = """
[Service]
Type=oneshot
WatchdogSec=0
Restart=no
ExecStart=
ExecStart=/usr/bin/python3 /run/unit/probe
ExecStopPost=
"""


def kept(machine):
    """Return the last entry of the journal of rounds."""
    return json.loads(machine.run(f"tail -n 1 {STATE}/triple-play.state").partition(" ")[2])


def test_it_may_play_and_nothing_else(machine):
    """What everybody else may use meanwhile is closed to it by its sandbox, not by a file's rights."""
    folder = "/run/systemd/system/pilelight@probe.service.d"
    machine.run(f"mkdir -p {folder}")
    machine.ask(write=f"{folder}/probe.conf", text=DROP_IN)
    machine.ask(write="/run/unit/probe", text=PROBE)
    machine.run("systemctl daemon-reload; chmod a+rw " + " ".join(WIDE_OPEN))
    machine.run("systemctl start pilelight@probe; chmod go-w " + " ".join(WIDE_OPEN))
    said = machine.run("journalctl -o cat -t python3 -u pilelight@probe")
    assert json.loads(said.splitlines()[-1]) == {
        "keep a round": "yes",
        "claim lines": "yes",
        "draw on the display": "yes",
        "light the strip": "yes",
        "sound the buzzer": "yes",
        "change settings": "EROFS",
        "change the program": "EROFS",
        "change the system": "EROFS",
        "write elsewhere in /var": "EROFS",
        "read passwords": "EACCES",
        "open the disk": "EPERM",
        "open the kernel's log": "EACCES",
        "change the kernel": "EACCES",
        "read other parts of sysfs": "EROFS",
        "reach the network": "EAFNOSUPPORT",
        "become root": "EPERM",
        "take the processor": "EPERM",
        "make namespaces": "EPERM",
        "run what it wrote": "EPERM",
        "see other people's processes": "ENOENT",
    }


def test_it_waits_for_no_network_and_says_that_it_is_well(table):
    assert "network" not in table.machine.property("After")
    table.sees(lambda: table.machine.property("StatusText"), "inputs listen, strip writes")
    assert table.machine.property("StartLimitIntervalUSec") == "0"
    table.power_on()


def test_stopped_it_leaves_everything_dark_silent_and_free(table):
    """C-21 C-5: stopping ends the round."""
    table.start_round()
    table.tap("pile1")
    table.hears(event="played")
    table.machine.run(f"systemctl stop {SERVICE}")
    table.is_dark()
    assert not table.sounds()
    lines = sorted([*GPIO.values(), *SWITCH.values()])
    ask = f"from hal.pi.gpiochip import line_user; print([line_user(0, line) for line in {lines}])"
    assert table.machine.run(f'cd /opt; {PYTHON} -c "{ask}"') == str([None] * len(lines))
    assert kept(table.machine)["round"] is None
    table.machine.run(f"systemctl start {SERVICE}")
    table._read = 0
    assert words(table.hears(state="standby"), "event") == []


def test_a_second_copy_says_who_plays_and_disturbs_nobody(table):
    table.start_round()
    table.tap("pile1")
    table.hears(event="played")
    second = f"cd /tmp && runuser -u pilelight -- {PILELIGHT} play triple-play --board pi"
    busy = table.machine.run(second, status=2)
    assert busy == f"GPIO23 (go) is busy: claimed as 'lg'; open in pilelight ({table.pid()})"
    in_use = table.machine.run(f"{second} --state {STATE}", status=2)
    assert in_use.endswith("triple-play.state is in use: another pilelight plays triple-play on it")
    table.tap("pile1")
    assert table.hears(event="played")[-1]["count"] == 2


def is_dark_after_the_end(table, ended_us):
    """The last that the parts heard before the service began anew is darkness; return how long it took (µs)."""
    began_us = int(table.machine.property("ExecMainStartTimestampMonotonic"))
    between = [sent for sent in table.tape() if ended_us <= sent.at_us < began_us]
    strip = [sent for sent in between if sent.part == "strip"]
    display = [sent for sent in between if sent.part == "display"]
    assert colours(strip[-1].what) == [(0, 0, 0)] * LEDS
    assert [sent.what for sent in display] == [bytes(17), b"\x80"]
    return display[-1].at_us - ended_us


def test_a_loop_that_hangs_is_ended_and_the_round_goes_on(table):
    """C-5 C-21."""
    table.start_round()
    table.tap("pile1")
    table.hears(event="played")
    before = kept(table.machine)
    table.forget_tape()
    table.machine.run(f"kill -STOP {table.pid()}")
    table.started_again(1)
    assert "Failed with result 'watchdog'" in table.machine.journal()
    [resumed] = [said for said in table.hears(event="resumed") if said.get("event") == "resumed"]
    assert (resumed["state"], resumed["lit"]) == ("playing", [1, 2, 3])
    assert kept(table.machine)["round"] == before["round"]


def test_killed_twenty_times_in_play_it_goes_on_with_the_same_round(table):
    """C-5 C-21. Prints how long it takes to be ready, and dark."""
    table.restart({"triple_play.overload_presses": [20, 20]})
    table.start_round()
    ready_us, dark_us = [], []
    for number in range(1, 21):
        table.tap(f"pile{1 + number % 3}")
        table.hears(event="played")
        before = kept(table.machine)
        table.forget_tape()
        killed_us = table.machine.ask(run=f"kill -9 {table.pid()}", limit_s=30)["now_us"]
        table.started_again(number)
        dark_us.append(is_dark_after_the_end(table, killed_us))
        ready_us.append(
            int(table.machine.property("ActiveEnterTimestampMonotonic"))
            - int(table.machine.property("ExecMainStartTimestampMonotonic"))
        )
        [resumed] = [said for said in table.hears(event="resumed") if said.get("event") == "resumed"]
        assert (resumed["state"], resumed["lit"]) == ("playing", [1, 2, 3])
        assert kept(table.machine)["round"] == before["round"]
    assert kept(table.machine)["round"]["counts"] == [6, 7, 7]
    assert table.machine.property("NRestarts") == "20"
    print(f"\nstart to ready: median {statistics.median(ready_us) / 1e6:.1f} s, worst {max(ready_us) / 1e6:.1f} s; "
          f"killed to dark: median {statistics.median(dark_us) / 1e6:.2f} s, worst {max(dark_us) / 1e6:.2f} s")


def test_the_chip_is_found_by_the_label_that_a_pi_gives_it(machine):
    ask = "from hal.pi.gpiochip import header_chip; print(header_chip().label)"
    assert machine.run(f'cd /opt; {PYTHON} -c "{ask}"') in HEADER_LABELS
