"""A maker asks the doctor: what is wrong with my Pi, and what do I do about it?"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.doctor import admit, as_data, as_text, examine, failed
from firmware.doctor_place import Line, User, Verdict
from tests.machines import ALL_GROUPS, PI_3, PI_4, PI_5, ZERO_2W, FakePi, troubles
from wiring.load import unit_names

ROOT = Path(__file__).resolve().parents[2]
BOARDS = (ZERO_2W, PI_3, PI_4, PI_5)

CURE = ("in Pilelight's folder sudo systemd/install.sh --with panel UNIT, or "
        ".venv/bin/pip install -e '.[panel]'")


@pytest.fixture
def pi4(tmp_path):
    return FakePi(tmp_path, PI_4)


# -- all is well -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [None, *unit_names()])
@pytest.mark.parametrize("model", BOARDS)
def test_a_pi_that_is_set_up_as_we_say_has_nothing_wrong_with_it(tmp_path, model, unit):
    lines = FakePi(tmp_path, model).examined_with(unit)
    assert troubles(lines) == []
    assert lines[-1] == Line("works", Verdict.OK, "on the real board: pilelight play --board pi")


def test_everything_that_a_healthy_pi_says(pi4):
    lines = pi4.examined_with("triple-play", state=str(pi4.root))
    libraries = [line for line in lines if line.topic == "library"]
    assert [(line.verdict.value, line.topic, line.text) for line in lines if line not in libraries] == [
        ("ok", "board", "Raspberry Pi 4 Model B Rev 1.4 (rpi4)"),
        ("ok", "kernel", "6.12.47+rpt-rpi-v8"),
        ("ok", "python", "3.11.2"),
        ("ok", "config.txt", "/boot/firmware/config.txt is the one that counts"),
        ("ok", "groups", "maker is in gpio, spi, i2c"),
        ("ok", "power", "no under-voltage"),
        ("ok", "lgpio's directory", f"{pi4.root}/home is writable"),
        ("ok", "state", f"{pi4.root} is writable"),
        ("ok", "disk", f"10,000 MB free at {pi4.root}"),
        ("ok", "wiring", "wiring/units/triple-play.toml fits a Raspberry Pi 4"),
        ("ok", "gpio", "factory lgpio on gpiochip0 (pinctrl-bcm2711, 54 lines)"),
        ("ok", "lines", "nobody else has a line of this unit"),
        ("ok", "pulls", "every input is pulled up from the start"),
        ("ok", "spi", "/dev/spidev0.0 is there and may be used"),
        ("ok", "core_freq", "SPI's clock is fixed (core_freq=500, core_freq_min=500)"),
        ("ok", "spidev", "the buffer of 4096 bytes has room for 339 LEDs"),
        ("ok", "i2c", "/dev/i2c-1 is there and may be used"),
        ("ok", "i2c", "HT16K33 answers at 0x70 (display)"),
        ("ok", "i2c", "also on the bus: 0x36, 0x48"),
        ("ok", "pwm", "pwmchip0, channel 0 reaches GPIO12"),
        ("ok", "works", "in virtual time: pilelight bench, replay, play --board virtual"),
        ("ok", "works", "in a browser: pilelight play --board panel"),
        ("ok", "works", "on the real board: pilelight play --board pi"),
    ]
    assert [line.text.split()[0] for line in libraries] == [
        *("gpiozero", "lgpio", "gpiod", "adafruit-circuitpython-neopixel", "rpi_ws281x"),
        *("adafruit-circuitpython-ht16k33", "rpi-hardware-pwm", "starlette", "uvicorn", "wsproto", "segno"),
    ]


def test_a_unit_is_told_only_about_parts_that_it_has(pi4):
    """The fling wheel's angle sensor and the pressure pads' converter are nobody's business in a turn timer."""
    pi4.on_bus = [0x70]
    del pi4.versions["adafruit-circuitpython-as5600"], pi4.versions["adafruit-circuitpython-ads1x15"]
    assert troubles(pi4.examined_with("master")) == []
    assert [(topic, text) for _, topic, text, _ in troubles(pi4.examined_with("spin"))] == [
        ("i2c", "AS5600 does not answer at 0x36 (wheel)"),
        ("library", "adafruit-circuitpython-as5600 is not installed (the wheel)"),
    ]


# -- the board and its system ------------------------------------------------------------------------------------------


def test_a_pi_whose_pins_we_do_not_have(tmp_path):
    pi = FakePi(tmp_path, ZERO_2W)
    pi.write("/proc/device-tree/model", "Raspberry Pi 2 Model B Rev 1.1\0")
    assert troubles(pi.examined_with(None))[0] == (
        "warning", "board", "Raspberry Pi 2 Model B Rev 1.1: we have the pins of the Zero 2 W, 3, 4 and 5 only",
        "use a Zero 2 W, 3, 4 and 5",
    )  # fmt: skip


@pytest.mark.parametrize("model, name", [
    ("Raspberry Pi 400 Rev 1.0", "rpi4"), ("Raspberry Pi Compute Module 4 Rev 1.0", "rpi4"),
    ("Raspberry Pi 500 Rev 1.0", "rpi5"), ("Raspberry Pi 3 Model A Plus Rev 1.0", "rpi3"),
])  # fmt: skip
def test_a_relative_of_a_board_counts_as_it(tmp_path, model, name):
    pi = FakePi(tmp_path, PI_4)
    pi.write("/proc/device-tree/model", model + "\0")
    assert pi.examined_with(None)[0] == Line("board", Verdict.OK, f"{model} ({name})")


def test_an_old_kernel_and_an_old_python(pi4):
    pi4.changes = {"kernel": "5.4.83-v7l+", "python": (3, 9, 2)}
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "kernel", "5.4.83-v7l+ has no GPIO character device, version 2", "update to 5.10 or newer"),
        ("failure", "python", "3.9.2", "install Python 3.11 or newer"),
    ]


def test_on_trixie_lgpio_comes_from_apt(pi4):
    pi4.changes = {"python": (3, 13, 5)}
    lines = pi4.examined_with(None)
    assert troubles(lines) == []
    assert Line("python", Verdict.OK, "3.13.5; lgpio has no wheel for it and comes from apt (python3-lgpio)") in lines


def test_who_is_not_in_the_groups(pi4):
    pi4.changes = {"user": User("maker", False, frozenset({"maker", "gpio"}), frozenset({"gpio"}))}
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "groups", "maker is not in spi, i2c", "sudo usermod -aG spi,i2c maker, then log in again"),
    ]


def test_who_was_put_into_the_groups_but_did_not_log_in_again(pi4):
    pi4.changes = {"user": User("maker", False, frozenset({"maker"}), ALL_GROUPS)}
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "groups", "maker got gpio, spi, i2c, but not in this session", "log in again"),
    ]


def test_root_is_told_that_no_root_is_needed(pi4):
    pi4.changes = {"user": User("root", True, frozenset(), frozenset())}
    lines = pi4.examined_with(None)
    assert troubles(lines) == []
    assert Line("groups", Verdict.OK, "root may use every device; the service needs no root") in lines


@pytest.mark.parametrize("flags, alarm, verdict, text", [
    ("0x50005", "0", "failure", "the supply is too low now (under-voltage)"),
    ("0x0", "1", "failure", "the supply is too low now (under-voltage)"),
    (None, "1", "failure", "the supply is too low now (under-voltage)"),
    ("0x50000", "0", "warning", "the supply was too low at some time since the start"),
    ("0x80008", "0", "warning", "the processor was slowed down (flags 0x80008): too hot?"),
])  # fmt: skip
def test_a_weak_supply_is_seen(pi4, flags, alarm, verdict, text):
    pi4.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm + "\n")
    if flags is not None:
        pi4.write("/sys/devices/platform/soc/soc:firmware/get_throttled", flags + "\n")
    supply = "give it air" if "slowed" in text else "use a supply of 5 V and 3000 mA, and a short, thick cable"
    assert troubles(pi4.examined_with(None)) == [(verdict, "power", text, supply)]


def test_a_zero_cannot_tell_whether_its_supply_sags(tmp_path):
    lines = FakePi(tmp_path, ZERO_2W).examined_with(None)
    assert Line("power", Verdict.ABSENT, "this board or kernel cannot tell whether the supply sags") in lines


def test_lgpio_has_nowhere_to_make_its_pipe(pi4):
    """As a service that is started in `/` (gpiozero#1106)."""
    pi4.locked.add("/home")
    cure = "start in another directory, or set LG_WD to a writable one"
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "lgpio's directory",
         f"{pi4.root}/home is not writable: lgpio makes a pipe there when it is imported", cure),
    ]  # fmt: skip
    pi4.changes = {"environ": {"LG_WD": str(pi4.root / "boot")}}
    assert troubles(pi4.examined_with(None)) == []


def test_the_round_has_nowhere_to_be_kept(pi4):
    pi4.write("/a-file", "")
    (pi4.root / "locked").mkdir()
    pi4.locked.add("/locked")
    pi4.changes = {"free_bytes": lambda path: 20_000}

    def of(name):
        where = str(pi4.root / name)
        return [(verdict, text.replace(where, "HERE"), cure.replace(where, "HERE"))
                for verdict, _, text, cure in troubles(pi4.examined_with(None, state=where))]

    full = ("failure", "0 MB free at HERE", "make room: the round cannot be written down")
    assert of("a-file") == [("failure", "HERE is a file", "name a directory"), full]
    assert of("locked") == [
        ("failure", "HERE is not writable: a pulled plug ends the round", "sudo chown $USER HERE"), full,
    ]  # fmt: skip
    assert of("new") == [
        ("warning", "HERE is not there yet", "it is made at the first start, if its parent is writable"), full,
    ]  # fmt: skip


def test_a_disk_that_is_nearly_full(pi4):
    pi4.changes = {"free_bytes": lambda path: 20_000_000}
    assert troubles(pi4.examined_with(None)) == [("warning", "disk", f"20 MB free at {pi4.root}/home", "make room")]


def test_a_service_learns_its_state_directory_from_systemd(pi4):
    pi4.changes = {"environ": {"STATE_DIRECTORY": str(pi4.root / "home")}}
    assert Line("state", Verdict.OK, f"{pi4.root}/home is writable") in pi4.examined_with(None)


# -- a desktop, and the command ----------------------------------------------------------------------------------------


@pytest.fixture
def desktop(tmp_path):
    """A machine that has never heard of GPIO, with our dependencies and nothing else."""
    machine = FakePi(tmp_path, PI_4)
    for name in ("/proc", "/boot", "/dev", "/sys"):
        machine.remove(name)
    machine.versions = {"gpiozero": "2.0.1.post3"}
    return machine


def test_a_desktop_is_told_what_is_missing_and_what_still_works(desktop):
    lines = desktop.examined_with("spin")
    assert failed(lines) == 0
    assert list(as_text(lines)) == [
        "not here board             no Raspberry Pi: no lines, no strip, no I2C here",
        "                           → play in a browser: pilelight play",
        "ok       kernel            6.12.47+rpt-rpi-v8",
        "ok       python            3.11.2",
        f"ok       lgpio's directory {desktop.root}/home is writable",
        "not here state             no directory is named: a pulled plug ends the round",
        "                           → play with --state DIR",
        f"ok       disk              10,000 MB free at {desktop.root}/home",
        "not here parts             buttons and pads, switches, strip, display, buzzer, wheel: drawn in the browser "
        "instead",
        "ok       library           gpiozero 2.0.1.post3 (buttons and switches)",
        "not here library           starlette is not installed (the page)",
        f"                           → {CURE}",
        "not here library           uvicorn is not installed (the page)",
        f"                           → {CURE}",
        "not here library           wsproto is not installed (the page)",
        f"                           → {CURE}",
        "not here library           segno is not installed (QR codes)",
        f"                           → {CURE}",
        "ok       works             in virtual time: pilelight bench, replay, play --board virtual",
        "not here works             not in a browser: its libraries are missing",
        f"                           → {CURE}",
        "not here works             not on the real board: this is no Raspberry Pi",
        "",
        "no failures, no warnings",
    ]


def test_the_summary_counts(pi4):
    pi4.remove("/dev/spidev0.0")
    pi4.claimed = {5: "x"}
    pi4.versions["gpiozero"] = "3.1"
    assert list(as_text(pi4.examined_with("triple-play")))[-1] == "2 failures, 1 warning"


def test_as_json_it_is_the_same(pi4):
    pi4.on_bus = []
    data = as_data("triple-play", examine(admit(pi4.place(), None)))
    assert (data["unit"], data["fine"]) == ("triple-play", True)
    data = as_data("triple-play", pi4.examined_with("triple-play"))
    assert data["fine"] is False
    assert json.loads(json.dumps(data)) == data
    assert {"topic": "i2c", "verdict": "failure", "text": "HT16K33 does not answer at 0x70 (display)",
            "cure": "check its power, its ground, SDA (pin 3) and SCL (pin 5)"} in data["lines"]


def command(*words, **env):
    """Run `pilelight doctor` on this very machine."""
    return subprocess.run([sys.executable, "-m", "firmware", "doctor", *words], capture_output=True, text=True,
                          cwd=ROOT, timeout=60, env={**os.environ, **env})


def test_the_command_on_this_machine_ends_well_or_names_a_failure():
    done = command("triple-play")
    assert done.stderr == ""
    assert done.returncode == (1 if "\nfailure " in f"\n{done.stdout}" else 0)


def test_the_command_speaks_json():
    done = command("--json")
    data = json.loads(done.stdout)
    assert (data["unit"], done.returncode) == (None, 0 if data["fine"] else 1)


def test_an_unknown_unit_is_no_traceback():
    done = command("tripel-play")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tripel-play: there is no unit of this name; did you mean triple-play?\n"


@pytest.mark.parametrize("unit, said", [
    ("triple-play", "this unit has no pressure pads; its pads are switches and need nothing"),
    ("triple-play-fsr", "cannot be opened"), ("tripel-play", "there is no unit of this name"),
])  # fmt: skip
def test_pads_that_cannot_be_calibrated_here_are_no_traceback(tmp_path, unit, said):
    done = subprocess.run([sys.executable, "-m", "firmware", "calibrate", unit, "--file", tmp_path / "pads.toml"],
                          capture_output=True, text=True, cwd=ROOT, timeout=60, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "pads.toml").exists()
