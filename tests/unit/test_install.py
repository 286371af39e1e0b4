"""What a maker mistypes, or has to know before the first step of the installation: said at once, nothing changed.

The steps themselves are tried in a Debian of their own (`tests/vm/test_install.py`).
"""

import os
import platform
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def look(*words):
    """Run install.sh without changing anything: exit status, and its lines."""
    done = subprocess.run([ROOT / "systemd" / "install.sh", "--dry-run", *words], capture_output=True, text=True,
                          timeout=60, check=False, cwd=ROOT)
    return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.fixture
def debian():
    """A system that install.sh knows; it looks at no other."""
    if platform.freedesktop_os_release().get("VERSION_CODENAME") not in ("bookworm", "trixie"):
        assert os.environ.get("CI") != "true", "CI runs on Debian"
        pytest.skip("neither bookworm nor trixie")


def test_a_part_that_there_is_not_is_refused():
    """pip only warns of it, and would leave the buzzer mute."""
    assert look("--with", "pmw", "triple-play") == (
        2, ["install.sh: --with pmw: there is no such part; there are pwm, spi, pi5 and panel"])


@pytest.mark.usefixtures("debian")
def test_a_wiring_given_as_the_unit_is_told_how_to_be_given():
    status, said = look("spin-hall")
    assert status == 2
    assert said[0].endswith("; give spin --wiring wiring/units/spin-hall.toml")


@pytest.mark.usefixtures("debian")
@pytest.mark.parametrize(("words", "noted"), [
    (["--board", "rpi5"], ["pwm", "pi5"]),
    (["--board", "rpi5", "--with", "pi5", "--with", "pwm"], []),
    (["--board", "rpi4"], ["pwm"]),
])
def test_libraries_that_are_never_installed_unasked_are_named(words, noted):
    status, said = look(*words, "triple-play")
    assert (status, said[-1]) == (0, "Nothing was changed.")
    assert [line.rpartition("--with ")[2] for line in said if line.startswith("Note: ")] == noted


@pytest.mark.usefixtures("debian")
def test_a_wiring_of_ones_own_with_the_spi_driver_needs_its_library(tmp_path):
    text = (ROOT / "wiring/units/triple-play.toml").read_text(encoding="utf-8")
    own = tmp_path / "triple-play.toml"
    own.write_text(text.replace('driver = "neopixel"', 'driver = "neopixel-spi"'), encoding="utf-8")
    status, said = look("--with", "pwm", "--wiring", str(own), "triple-play")
    assert status == 0
    assert [line.rpartition("--with ")[2] for line in said if line.startswith("Note: ")] == ["spi"]
