"""Machines for the doctor: a Raspberry Pi as a directory tree, complete, from which a test takes something away.

    pi = FakePi(tmp_path, "Raspberry Pi 4 Model B Rev 1.4")
    pi.remove("/dev/spidev0.0")
    lines = pi.examined_with("triple-play")
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from firmware.doctor import admit, examine
from firmware.doctor_libraries import FOR_THE_PAGE, ON_THE_BOARD
from firmware.doctor_place import Line, Place, User, Verdict
from hal.pi.gpiochip import Chip
from wiring.load import load_unit

ZERO_2W = "Raspberry Pi Zero 2 W Rev 1.0"
PI_3 = "Raspberry Pi 3 Model B Plus Rev 1.3"
PI_4 = "Raspberry Pi 4 Model B Rev 1.4"
PI_5 = "Raspberry Pi 5 Model B Rev 1.0"
CLOCK = {ZERO_2W: "core_freq=250", PI_3: "core_freq=250", PI_4: "core_freq=500\ncore_freq_min=500", PI_5: ""}
LABEL = {ZERO_2W: "pinctrl-bcm2835", PI_3: "pinctrl-bcm2835", PI_4: "pinctrl-bcm2711", PI_5: "pinctrl-rp1"}
PWM_DEVICE = {PI_5: "1000120000.pcie/1f00098000.pwm"}
ALL_GROUPS = frozenset({"maker", "gpio", "spi", "i2c"})


class FakePi:
    """A Raspberry Pi on which everything is as it should be for any of our units."""

    def __init__(self, root: Path, model: str) -> None:
        self.root = root
        self.locked: set[str] = set()
        self.on_bus: list[int] = [0x36, 0x48, 0x70]
        self.claimed: dict[int, str] = {}
        self.opened_by: list[str] = []
        self.chips = [Chip(0, "gpiochip0", LABEL[model], 54), Chip(1, "gpiochip1", "raspberrypi-exp-gpio", 8)]
        self.versions = {library.name: library.least for library in (*ON_THE_BOARD, *FOR_THE_PAGE)}
        self.modules: set[str] = set()
        self.changes: dict[str, Any] = {}
        self.write("/proc/device-tree/model", model + "\0")
        self.write("/boot/firmware/config.txt", config_of(model))
        for device in ("gpiochip0", "gpiochip1", "spidev0.0", "i2c-1", "pio0"):
            self.write(f"/dev/{device}", "")
        self.write("/sys/module/spidev/parameters/bufsiz", "4096\n")
        pwm = self.root / "sys/devices/platform" / PWM_DEVICE.get(model, "soc/3f20c000.pwm")
        pwm.mkdir(parents=True)
        self.write("/sys/class/pwm/pwmchip0/export", "")
        (self.root / "sys/class/pwm/pwmchip0/device").symlink_to(pwm)
        if model != ZERO_2W:
            self.write("/sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
            self.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
            self.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
        (self.root / "home").mkdir()

    def write(self, name: str, text: str) -> None:
        """Put a file there, or another text into it."""
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def remove(self, name: str) -> None:
        """Take a file or a folder away."""
        path = self.root / name.lstrip("/")
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def place(self) -> Place:
        """The machine as the doctor sees it."""
        parts: dict[str, Any] = {
            "root": self.root, "kernel": "6.12.47+rpt-rpi-v8", "python": (3, 11, 2), "environ": {},
            "user": User("maker", False, ALL_GROUPS, ALL_GROUPS), "working_directory": self.root / "home",
            "installed": self.versions.get, "importable": self.modules.__contains__, "may_use": self._may_use,
            "chips": lambda: [chip for chip in self.chips if f"/dev/{chip.name}" not in self.locked],
            "line_user": lambda chip, gpio: self.claimed.get(gpio), "users_of": lambda device: self.opened_by,
            "on_i2c": lambda device: self.on_bus, "free_bytes": lambda path: 10_000_000_000,
        }  # fmt: skip
        return Place(**{**parts, **self.changes})

    def _may_use(self, path: Path) -> bool:
        return "/" + path.relative_to(self.root).as_posix() not in self.locked and path.exists()

    def examined_with(self, unit: str | None, state: str | None = None) -> list[Line]:
        """What the doctor finds for a unit."""
        wiring = None if unit is None else load_unit(unit)
        return examine(admit(self.place(), wiring, state))


def config_of(model: str) -> str:
    """A config.txt as the maker of *model* ships it, with what our units need."""
    return f"""# For more options see the documentation
dtparam=i2c_arm=on
dtparam=spi=on
dtparam=audio=off
camera_auto_detect=1
dtoverlay=vc4-kms-v3d

[cm4]
otg_mode=1

[all]
{CLOCK[model]}
dtoverlay=pwm,pin=12,func=4
gpio=13,17,22-27=ip,pu
"""


def troubles(lines: list[Line]) -> list[tuple[str, str, str, str]]:
    """The warnings and failures, as (verdict, topic, text, cure)."""
    bad = (Verdict.WARNING, Verdict.FAILURE)
    return [(line.verdict.value, line.topic, line.text, line.cure) for line in lines if line.verdict in bad]
