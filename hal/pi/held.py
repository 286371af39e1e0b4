"""Whether a contact is closed right now, asked of the kernel alone: before a library is loaded or a setting read."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from pathlib import Path

from hal.pi.gpiochip import header_chip

GET_LINE, GET_VALUES = 0xC250B407, 0xC010B40E   # <linux/gpio.h>, ABI version 2
INPUT_PULLED_UP = 1 << 2 | 1 << 8
REQUEST = struct.Struct("=I252x32sQI260xII20xi")
VALUES = struct.Struct("=QQ")
SETTLE_S = 0.03                                 # a pull-up has to charge the cable


def is_held(gpio: int, dev: Path = Path("/dev")) -> bool:
    """Return whether the contact at *gpio* is closed to ground. The line is free again afterwards.

    Raises `OSError` when it cannot be asked, such as when another program has it; False where there is no header.
    """
    chip = header_chip(dev)
    if chip is None:
        return False
    request = bytearray(REQUEST.pack(gpio, b"pilelight", INPUT_PULLED_UP, 0, 1, 0, 0))
    with (dev / f"gpiochip{chip.number}").open("rb") as device:
        fcntl.ioctl(device, GET_LINE, request)
    line = REQUEST.unpack(request)[-1]
    try:
        time.sleep(SETTLE_S)
        values = bytearray(VALUES.pack(0, 1))
        fcntl.ioctl(line, GET_VALUES, values)
    finally:
        os.close(line)
    return not VALUES.unpack(values)[0] & 1
