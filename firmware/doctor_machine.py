"""What the doctor asks of the machine itself: board, kernel, Python, rights, power, disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firmware.doctor_place import Line, Patient, absent, failure, ok, warning

OLDEST_KERNEL = (5, 10)
OLDEST_PYTHON = (3, 11)
NO_WHEEL_PYTHON = (3, 13)
MODEL = "/proc/device-tree/model"
THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"
LOW_NOW, LOW_SINCE_START, SLOWED = 1 << 0, 1 << 16, 0b1110 << 16 | 0b1110
STATE_BYTES = 1_000_000
ROOMY_BYTES = 50_000_000
BOARDS = (
    ("Raspberry Pi Zero 2", "rpi-zero-2w"),
    ("Raspberry Pi 3", "rpi3"),
    ("Raspberry Pi Compute Module 3", "rpi3"),
    ("Raspberry Pi 4", "rpi4"),
    ("Raspberry Pi Compute Module 4", "rpi4"),
    ("Raspberry Pi 5", "rpi5"),
    ("Raspberry Pi Compute Module 5", "rpi5"),
)
"""The boards that we have the pins of, by how their models begin (400 and 500 as well)."""


def board_name(model: str) -> str | None:
    """Return the name of the board file for a model, or None."""
    return next((name for beginning, name in BOARDS if model.startswith(beginning)), None)


def board(patient: Patient) -> Iterator[Line]:
    """Which board this is."""
    if patient.model is None:
        yield absent("board", "no Raspberry Pi: no lines, no strip, no I2C here", "play in a browser: pilelight play")
    elif patient.board is None:
        known = "Zero 2 W, 3, 4 and 5"
        yield warning("board", f"{patient.model}: we have the pins of the {known} only", f"use a {known}")
    else:
        yield ok("board", f"{patient.model} ({patient.board.name})")


def kernel(patient: Patient) -> Iterator[Line]:
    """Whether the kernel has the GPIO interface that lgpio needs."""
    release = patient.place.kernel
    numbers = tuple(int(digits) for digits in release.split("-")[0].split(".")[:2] if digits.isdigit())
    if patient.model is None or numbers >= OLDEST_KERNEL:
        yield ok("kernel", release)
    else:
        yield failure("kernel", f"{release} has no GPIO character device, version 2", "update to 5.10 or newer")


def python(patient: Patient) -> Iterator[Line]:
    """Whether Python is new enough, and where its lgpio comes from."""
    version = ".".join(map(str, patient.place.python))
    if patient.place.python < OLDEST_PYTHON:
        yield failure("python", version, "install Python 3.11 or newer")
    elif patient.model is not None and patient.place.python >= NO_WHEEL_PYTHON:
        yield ok("python", f"{version}; lgpio has no wheel for it and comes from apt (python3-lgpio)")
    else:
        yield ok("python", version)


def config(patient: Patient) -> Iterator[Line]:
    """Which config.txt counts."""
    if patient.model is None:
        return
    if patient.config_file is None:
        cure = "mount the boot partition; without it the doctor cannot see what is switched on"
        yield warning("config.txt", "neither /boot/firmware/config.txt nor /boot/config.txt is there", cure)
    else:
        yield ok("config.txt", f"/{patient.config_file} is the one that counts")


def groups(patient: Patient) -> Iterator[Line]:
    """Whether this user is in the groups that own the devices."""
    if patient.model is None:
        return
    user = patient.place.user
    if user.is_root:
        yield ok("groups", "root may use every device; the service needs no root")
        return
    wanted = ("gpio", "spi", "i2c")
    missing = [group for group in wanted if group not in user.groups]
    fresh = [group for group in missing if group in user.granted]
    if not missing:
        yield ok("groups", f"{user.name} is in {', '.join(wanted)}")
    elif fresh == missing:
        yield failure("groups", f"{user.name} got {', '.join(missing)}, but not in this session", "log in again")
    else:
        cure = f"sudo usermod -aG {','.join(missing)} {user.name}, then log in again"
        yield failure("groups", f"{user.name} is not in {', '.join(missing)}", cure)


def power(patient: Patient) -> Iterator[Line]:
    """Whether the supply holds: the kernel's flag, and the firmware's memory since the start."""
    if patient.model is None:
        return
    place = patient.place
    flags = int(place.read(THROTTLED), 16) if place.has(THROTTLED) else 0
    alarm = next(
        (device / "in0_lcrit_alarm" for device in place.find("/sys/class/hwmon/hwmon*")
         if place.read(str((device / "name").relative_to(place.root))) == "rpi_volt"), None,
    )  # fmt: skip
    cure = f"use a supply of 5 V and {patient.board.supply_ma if patient.board else 3000} mA, and a short, thick cable"
    if flags & LOW_NOW or (alarm is not None and alarm.read_text().strip() == "1"):
        yield failure("power", "the supply is too low now (under-voltage)", cure)
    elif flags & LOW_SINCE_START:
        yield warning("power", "the supply was too low at some time since the start", cure)
    elif flags & SLOWED:
        yield warning("power", f"the processor was slowed down (flags {flags:#x}): too hot?", "give it air")
    elif alarm is None and not place.has(THROTTLED):
        yield absent("power", "this board or kernel cannot tell whether the supply sags")
    else:
        yield ok("power", "no under-voltage")


def working_directory(patient: Patient) -> Iterator[Line]:
    """Whether lgpio can make its pipe: in LG_WD, or where the program is started."""
    place = patient.place
    given = place.environ.get("LG_WD")
    where = Path(given) if given else place.working_directory
    name = f"LG_WD={where}" if given else f"{where}"
    if place.may_use(where):
        yield ok("lgpio's directory", f"{name} is writable")
        return
    text = f"{name} is not writable: lgpio makes a pipe there when it is imported"
    cure = "start in another directory, or set LG_WD to a writable one"
    yield failure("lgpio's directory", text, cure) if patient.model else warning("lgpio's directory", text, cure)


def state(patient: Patient) -> Iterator[Line]:
    """Whether a round survives a pulled plug."""
    where = patient.state
    if where is None:
        yield absent("state", "no directory is named: a pulled plug ends the round", "play with --state DIR")
    elif where.exists() and not where.is_dir():
        yield failure("state", f"{where} is a file", "name a directory")
    elif not where.exists():
        yield warning("state", f"{where} is not there yet", "it is made at the first start, if its parent is writable")
    elif not patient.place.may_use(where):
        yield failure("state", f"{where} is not writable: a pulled plug ends the round", f"sudo chown $USER {where}")
    else:
        yield ok("state", f"{where} is writable")


def disk(patient: Patient) -> Iterator[Line]:
    """Whether there is room for the journal of the round."""
    where = patient.state or patient.place.working_directory
    free = patient.place.free_bytes(where)
    text = f"{free / 1e6:,.0f} MB free at {where}"
    if free < STATE_BYTES:
        yield failure("disk", text, "make room: the round cannot be written down")
    elif free < ROOMY_BYTES:
        yield warning("disk", text, "make room")
    else:
        yield ok("disk", text)


PROBES = (board, kernel, python, config, groups, power, working_directory, state, disk)
