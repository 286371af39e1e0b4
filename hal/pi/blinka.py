"""Blinka, the layer under Adafruit's drivers: loaded without its questions, its pins by number, its I2C bus.

On import Blinka looks for missing libraries and, on a terminal, offers to run pip; a service would wait for ever. That
check is switched off here, before the first import: our extras name what is needed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hal.errors import BadSetting, BoardError, ChipError, MissingLibrary, NoRights, library

NO_QUESTIONS = "BLINKA_SKIP_DEPENDENCY_CHECK"
I2C_DEVICE = Path("/dev/i2c-1")
GONE = ("no such device", "bad file descriptor")


def load_board() -> Any:
    """Return Blinka's module `board`, the pins of this machine. Raises `BoardError`."""
    os.environ.setdefault(NO_QUESTIONS, "1")
    with library("adafruit-blinka", "pi"):
        try:
            import board
        except (RuntimeError, NotImplementedError) as error:
            raise refusal(error, "pi") from error
    return board


def pin(gpio: int) -> Any:
    """Return Blinka's pin of a BCM number. Raises `BoardError`."""
    pins = load_board()
    found = getattr(pins, f"D{gpio}", None)
    if found is None:
        raise BadSetting(f"Blinka knows no GPIO{gpio} on this machine ({getattr(pins, 'board_id', 'unknown')})")
    return found


def refusal(error: Exception, extra: str) -> BoardError:
    """Return the error for what Blinka raises when a platform's library is missing (`RuntimeError`) or unknown."""
    cause = error.__cause__
    if isinstance(cause, ModuleNotFoundError):
        return MissingLibrary(cause.name or "a library of Blinka's", extra)
    if isinstance(error, NotImplementedError):
        return BadSetting(f"Blinka has no driver for this machine ({error}); on a desktop use --board panel")
    return ChipError(" ".join(str(error).split()))


class I2cBus:
    """The I2C bus of the header (pins 3 and 5), opened when first asked for. One thread owns it."""

    def __init__(self) -> None:
        self._bus: Any = None

    def get(self) -> Any:
        """Return the bus. Raises `BoardError` when it is not there or not allowed."""
        if self._bus is None:
            self._bus = open_i2c()
        return self._bus

    def failed(self, error: Exception) -> None:
        """Forget the bus when *error* says that the device file itself is dead, to open it anew."""
        if any(word in str(error).lower() for word in GONE):
            self._bus = None


def open_i2c(device: Path = I2C_DEVICE) -> Any:
    """Return the bus, opened. Raises `BoardError`."""
    if device.exists() and not os.access(device, os.R_OK | os.W_OK):
        raise NoRights(str(device), "i2c")
    try:
        return load_board().I2C()
    except BoardError:
        raise
    except (OSError, RuntimeError, AttributeError, ValueError) as error:
        raise ChipError(f"{device} cannot be opened ({error}): set dtparam=i2c_arm=on in config.txt, reboot") from error
