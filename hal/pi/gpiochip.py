"""What the kernel says about GPIO chips and lines: which chip is the header's, and who holds a line.

Only reads: asking does not claim anything. The layouts are those of <linux/gpio.h> (ABI version 2, kernel 5.10 on).
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""The chips that have the 40 pins: Zero to 3, 4, and 5. Their numbers changed with the kernel; their labels did not."""

GET_CHIPINFO = 0x8044B401
GET_LINEINFO = 0xC100B405
CHIPINFO = struct.Struct("32s32sI")
LINEINFO = struct.Struct("32s32sIIQ160s16x")
FLAG_USED = 1


class Chip(NamedTuple):
    """A GPIO chip as the kernel names it."""

    number: int
    name: str
    label: str
    lines: int


def chips(dev: Path = Path("/dev")) -> Iterator[Chip]:
    """Give the GPIO chips that this user may open, lowest number first."""
    for number in sorted({int(path.name[8:]) for path in dev.glob("gpiochip*") if path.name[8:].isdigit()}):
        try:
            yield chip_info(number, dev)
        except OSError:
            continue  # not ours to open; `header_chip` says so when it is the one that matters


def chip_info(number: int, dev: Path = Path("/dev")) -> Chip:
    """Return what the kernel says of chip *number*. Raises `OSError`."""
    answer = bytearray(CHIPINFO.size)
    with (dev / f"gpiochip{number}").open("rb") as chip:
        fcntl.ioctl(chip, GET_CHIPINFO, answer)
    name, label, lines = CHIPINFO.unpack(answer)
    return Chip(number, _text(name), _text(label), lines)


def header_chip(dev: Path = Path("/dev")) -> Chip | None:
    """Return the chip that has the header's pins, found by its label, or None."""
    return next((chip for chip in chips(dev) if chip.label in HEADER_LABELS), None)


def line_user(chip_number: int, gpio: int, dev: Path = Path("/dev")) -> str | None:
    """Return the name that whoever claimed the line gave the kernel ("" if none), or None if the line is free."""
    question = LINEINFO.pack(b"", b"", gpio, 0, 0, b"")
    answer = bytearray(question)
    with (dev / f"gpiochip{chip_number}").open("rb") as chip:
        fcntl.ioctl(chip, GET_LINEINFO, answer)
    _, consumer, _, _, flags, _ = LINEINFO.unpack(answer)
    return _text(consumer) if flags & FLAG_USED else None


def processes_with(device: Path, proc: Path = Path("/proc")) -> list[str]:
    """Return the other processes that have *device* open ("pigpiod (412)"), as far as this user may see."""
    found = []
    for process in sorted(proc.glob("[0-9]*"), key=lambda path: int(path.name)):
        if int(process.name) == os.getpid():
            continue
        try:
            if any(os.readlink(fd) == str(device) for fd in (process / "fd").iterdir()):
                found.append(f"{(process / 'comm').read_text().strip()} ({process.name})")
        except OSError:
            continue  # it has ended, or belongs to somebody else
    return found


def holder(chip_number: int, gpio: int, dev: Path = Path("/dev"), proc: Path = Path("/proc")) -> str:
    """Return who holds the line, in words for an error: what can be found out, and no more."""
    try:
        user = line_user(chip_number, gpio, dev)
    except OSError:
        user = None
    others = processes_with(dev / f"gpiochip{chip_number}", proc)
    by = f"claimed as {user!r}" if user else "claimed by another program"
    return f"{by}; open in {', '.join(others)}" if others else by


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "replace")
