"""The doctor and the libraries: missing, too old, too new, empty, or two that are the same files."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from firmware.doctor_libraries import FOR_THE_PAGE, ON_THE_BOARD, key
from firmware.doctor_place import Line, Verdict
from tests.machines import PI_4, PI_5, FakePi, troubles

ROOT = Path(__file__).resolve().parents[2]
CURE = ("in Pilelight's folder sudo systemd/install.sh --with panel UNIT, or "
        ".venv/bin/pip install -e '.[panel]'")


@pytest.fixture
def pi4(tmp_path):
    return FakePi(tmp_path, PI_4)


def test_the_empty_lgpio_is_seen_through(pi4):
    """PyPI has an lgpio of 0 bytes that installs on every Python."""
    pi4.versions["lgpio"] = "0.0.0.2"
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "library", "lgpio 0.0.0.2 is older than 0.2.2.0: this one is an empty package",
         "in Pilelight's folder sudo systemd/install.sh --with pi UNIT, or .venv/bin/pip install -e '.[pi]' "
         "(Python 3.13: sudo apt install python3-lgpio, and a venv with --system-site-packages)"),
    ]  # fmt: skip


def test_two_libraries_that_are_the_same_files(pi4):
    pi4.versions |= {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "library",
         "RPi.GPIO and rpi-lgpio are both installed: they are the same files, and the last one won",
         "pip uninstall RPi.GPIO rpi-lgpio, then install the one that you need again"),
    ]  # fmt: skip


def test_libraries_too_old_too_new_and_of_unknown_version(pi4):
    pi4.versions |= {"gpiozero": "2.0.1", "gpiod": "1.5.4", "adafruit-circuitpython-neopixel": "7.0.0"}
    pi4.versions["rpi_ws281x"] = "from a branch"
    del pi4.versions["lgpio"]
    pi4.modules.add("lgpio")
    assert troubles(pi4.examined_with("triple-play")) == [
        ("failure", "library", "gpiozero 2.0.1 is older than 2.0.1.post3", "pip install 'gpiozero>=2.0.1.post3,<3'"),
        ("warning", "library", "lgpio is there, but does not say its version", "it must be >=0.2.2.0"),
        ("failure", "library", "gpiod 1.5.4 is older than 2.2.2", "pip install 'gpiod>=2.2.2,<3'"),
        ("warning", "library", "adafruit-circuitpython-neopixel 7.0.0 is newer than we know",
         "pip install 'adafruit-circuitpython-neopixel>=6.4,<7'"),
        ("warning", "library", "rpi_ws281x from a branch cannot be compared", "it must be >=5"),
    ]  # fmt: skip


def test_a_strip_on_a_pi_5_needs_another_library_than_on_a_pi_4(tmp_path):
    for model, missing in ((PI_4, "rpi_ws281x"), (PI_5, "Adafruit-Blinka-Raspberry-Pi5-Neopixel")):
        pi = FakePi(tmp_path / model, model)
        for name in ("rpi_ws281x", "Adafruit-Blinka-Raspberry-Pi5-Neopixel"):
            del pi.versions[name]
        assert [text.split()[0] for _, _, text, _ in troubles(pi.examined_with("triple-play"))] == [missing]


def test_without_its_libraries_the_page_is_not_offered(pi4):
    del pi4.versions["wsproto"]
    lines = pi4.examined_with("triple-play")
    assert troubles(lines) == []
    assert Line("works", Verdict.ABSENT, "not in a browser: its libraries are missing",
                CURE) in lines


def test_the_doctor_and_pip_agree_about_every_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    extras["pi"] = [*extras["pi"], *extras["chips"]]
    for library in (*ON_THE_BOARD, *FOR_THE_PAGE):
        asked = {canonicalize_name(each.name): each for each in map(Requirement, extras[library.extra])}
        bounds = {part.operator: part.version for part in asked[canonicalize_name(library.name)].specifier}
        assert bounds == {">=": library.least, **({"<": library.below} if library.below else {})}, library.name


@pytest.mark.parametrize("older, newer", [
    ("2.0.1", "2.0.1.post3"), ("2.0.1.post3", "2.0.2"), ("1.0.0rc2", "1.0.0"), ("1.0.0rc1", "1.0.0rc2"),
    ("0.0.0.2", "0.2.2.0"), ("0.9", "0.10"), ("1.0a1", "1.0b1"),
])  # fmt: skip
def test_versions_are_in_the_order_that_pip_gives_them(older, newer):
    assert key(older) < key(newer) and Version(older) < Version(newer)


def test_versions_that_are_written_differently_are_the_same():
    assert key("2.0") == key("2") == key("2.0.0")
    assert key("0.2.2.0-1") == key("0.2.2.0"), "as Debian may call it"
    assert key("6.12") is not None and key("newest") is None
