"""Which addresses answer on an I2C bus: what `i2cdetect` shows, without a library.

Each address is asked for one byte (SMBus "read byte"): harmless for the chips of our units, and known to every adapter,
the kernel's own `i2c-stub` included. The layouts are those of <linux/i2c-dev.h>.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

I2C_SLAVE = 0x0703
I2C_SMBUS = 0x0720
READ, BYTE = 1, 1
FIRST, LAST = 0x08, 0x77
"""Outside lie addresses with a meaning of their own."""
NOBODY = {errno.EREMOTEIO, errno.ENXIO, errno.EIO}


class _Transfer(ctypes.Structure):
    _fields_ = (
        ("read_write", ctypes.c_uint8), ("command", ctypes.c_uint8), ("size", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
    )


def answering(
    device: Path, addresses: Iterable[int] = range(FIRST, LAST + 1), ioctl: Callable[..., Any] = fcntl.ioctl
) -> list[int]:
    """Return the addresses on *device* (`/dev/i2c-1`) where a chip answers, or is held by a driver of the kernel.

    Raises `OSError` when the bus cannot be opened, or is stuck: then no address is worth asking.
    """
    bus = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        return [address for address in addresses if _answers(bus, address, ioctl)]
    finally:
        os.close(bus)


def _answers(bus: int, address: int, ioctl: Callable[..., Any]) -> bool:
    union = (ctypes.c_uint8 * 34)()
    transfer = _Transfer(READ, 0, BYTE, ctypes.addressof(union))
    try:
        ioctl(bus, I2C_SLAVE, address)
        ioctl(bus, I2C_SMBUS, transfer)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return True
        if error.errno in NOBODY:
            return False
        raise
    return True
