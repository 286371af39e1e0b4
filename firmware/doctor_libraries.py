"""What the doctor asks of the installed libraries: there, new enough, and not in each other's way.

The bounds are those of pyproject.toml; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from firmware.doctor_place import Line, Patient, absent, failure, ok, warning
from hal.errors import remedy
from wiring.model import As5600, Board, UnitWiring
from wiring.pins import i2c_sections, strip_way

Needed = Callable[[UnitWiring, Board], bool]


class Library(NamedTuple):
    """A distribution, its least version and the first that is too new (or ""), the extra that brings it, its use."""

    name: str
    least: str
    below: str
    extra: str
    use: str
    module: str
    needed: Needed


def always(unit: UnitWiring, board: Board) -> bool:
    return True


def _strip(driver: str, *ways: str) -> Needed:
    def needed(unit: UnitWiring, board: Board) -> bool:
        way = strip_way(unit, board).split("_")[0]
        return unit.lights is not None and unit.lights.driver == driver and (not ways or way in ways)

    return needed


def has_ht16k33(unit: UnitWiring, board: Board) -> bool:
    return unit.display is not None and unit.display.chip == "ht16k33"


def has_as5600(unit: UnitWiring, board: Board) -> bool:
    return isinstance(unit.wheel, As5600)


def has_adc(unit: UnitWiring, board: Board) -> bool:
    return unit.adc is not None


def has_hardware_pwm(unit: UnitWiring, board: Board) -> bool:
    return unit.buzzer is not None and unit.buzzer.drive == "hardware"


def uses_blinka(unit: UnitWiring, board: Board) -> bool:
    return bool(i2c_sections(unit)) or unit.lights is not None


PI5_PIXELS = "Adafruit-Blinka-Raspberry-Pi5-Neopixel"
ON_THE_BOARD = (
    Library("gpiozero", "2.0.1.post3", "3", "", "buttons and switches", "gpiozero", always),
    Library("lgpio", "0.2.2.0", "", "pi", "GPIO lines", "lgpio", always),
    Library("gpiod", "2.2.2", "3", "pi", "Blinka's pins", "gpiod", uses_blinka),
    Library("adafruit-circuitpython-neopixel", "6.4", "7", "pi", "the strip", "neopixel", _strip("neopixel")),
    Library("rpi_ws281x", "5", "", "pi", "the strip", "rpi_ws281x", _strip("neopixel", "SPI0", "PWM", "PCM")),
    Library(PI5_PIXELS, "1.0.0rc2", "", "pi5", "the strip on a Pi 5", "adafruit_raspberry_pi5_neopixel_write",
            _strip("neopixel", "PIO")),
    Library("adafruit-circuitpython-neopixel-spi", "1.0.16", "", "spi", "the strip", "neopixel_spi",
            _strip("neopixel-spi")),
    Library("adafruit-circuitpython-ht16k33", "4.6", "5", "pi", "the display", "adafruit_ht16k33", has_ht16k33),
    Library("adafruit-circuitpython-as5600", "1.0.3", "", "pi", "the wheel", "adafruit_as5600", has_as5600),
    Library("adafruit-circuitpython-ads1x15", "3", "4", "pi", "pressure pads", "adafruit_ads1x15", has_adc),
    Library("rpi-hardware-pwm", "0.3.1", "", "pwm", "the buzzer", "rpi_hardware_pwm", has_hardware_pwm),
)  # fmt: skip
FOR_THE_PAGE = (
    Library("starlette", "1", "2", "panel", "the page", "starlette", always),
    Library("uvicorn", "0.30", "", "panel", "the page", "uvicorn", always),
    Library("wsproto", "1.2", "", "panel", "the page", "wsproto", always),
    Library("segno", "1.6", "", "panel", "QR codes", "segno", always),
)


def libraries(patient: Patient) -> Iterator[Line]:
    """The libraries that this machine, and the named unit on it, need."""
    for library in ON_THE_BOARD:
        if patient.model is None and library.name != "gpiozero":
            continue
        if patient.unit is None or patient.board is None or library.needed(patient.unit, patient.board):
            yield _line(patient, library, failure if _surely(patient, library) else absent)
    if patient.model is not None:
        yield from _clash(patient)
    for library in FOR_THE_PAGE:
        yield _line(patient, library, absent)


def _surely(patient: Patient, library: Library) -> bool:
    """Whether nothing works without it: with a unit what it needs, without one what all need."""
    return patient.unit is not None or library.needed is always


def _line(patient: Patient, library: Library, missing: Callable[[str, str, str], Line]) -> Line:
    version = patient.place.installed(library.name)
    install = remedy(library.extra) if library.extra else "in Pilelight's folder .venv/bin/pip install -e ."
    if library.name == "lgpio":
        install += " (Python 3.13: sudo apt install python3-lgpio, and a venv with --system-site-packages)"
    bounds = f">={library.least}" + (f",<{library.below}" if library.below else "")
    if version is None:
        if patient.place.importable(library.module):
            return warning("library", f"{library.name} is there, but does not say its version", f"it must be {bounds}")
        return missing("library", f"{library.name} is not installed ({library.use})", install)
    mine, least, below = key(version), key(library.least), key(library.below)
    if mine is None or least is None:
        return warning("library", f"{library.name} {version} cannot be compared", f"it must be {bounds}")
    if mine < least:
        empty = ": this one is an empty package" if library.name == "lgpio" and version == "0.0.0.2" else ""
        cure = f"pip install '{library.name}{bounds}'" if library.name != "lgpio" else install
        return failure("library", f"{library.name} {version} is older than {library.least}{empty}", cure)
    if below is not None and mine >= below:
        text = f"{library.name} {version} is newer than we know"
        return warning("library", text, f"pip install '{library.name}{bounds}'")
    return ok("library", f"{library.name} {version} ({library.use})")


def _clash(patient: Patient) -> Iterator[Line]:
    both = [name for name in ("RPi.GPIO", "rpi-lgpio") if patient.place.installed(name) is not None]
    if len(both) == 2:
        text = "RPi.GPIO and rpi-lgpio are both installed: they are the same files, and the last one won"
        yield failure("library", text, "pip uninstall RPi.GPIO rpi-lgpio, then install the one that you need again")


def key(version: str) -> tuple[tuple[int, ...], int, int, int] | None:
    """Return what versions are compared by, or None for one that has another shape.

    Enough of PEP 440 for our libraries: numbers, a pre-release, a post-release; what comes after them is not looked at.
    """
    found = re.match(r"v?(\d+(?:\.\d+)*)(?:\.?(a|b|rc)(\d+))?(?:\.post(\d+))?(?:[-+.].*)?$", version)
    if found is None:
        return None
    numbers = [int(number) for number in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    stage = {"a": 0, "b": 1, "rc": 2, None: 3}[found[2]]
    return tuple(numbers), stage, int(found[3] or 0), int(found[4] or -1)


PROBES = (libraries,)
