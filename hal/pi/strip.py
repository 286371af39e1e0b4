"""The strip: a chain of WS2812 LEDs through Adafruit's neopixel (GPIO10, no root) or neopixel_spi.

Frames arrive as the LEDs want them: GRB, current limited. They go to the library's lowest call as they are, in a buffer
that stays the same object for life (another one makes Blinka set up its DMA anew). One thread owns the library:
rpi_ws281x is not thread safe (jgarff/rpi_ws281x#320), and a write ends with a sleep of a millisecond per 100 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hal.errors import BadSetting, ChipError, NoRights, library
from hal.pi import blinka
from hal.pi.clock import NowUs, now_us
from hal.pi.worker import Device, Keeper
from hal.ports import Input

REFRESH_US = 5_000_000
SPI_RESET_BYTES = 128
SPI_BYTES_PER_BYTE = 8
BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")
SPI_DEVICE = Path("/dev/spidev0.0")
DRIVERS = ("neopixel", "neopixel-spi")


def strip(
    leds: int, open_device: Callable[[], Device[bytes]], tell: Callable[[Input], None], now: NowUs = now_us
) -> Keeper[bytes]:
    """Return the strip as a part that keeps itself alive: dark until the first frame, newest frame wins."""
    return Keeper("strip", open_device, bytes(3 * leds), tell, REFRESH_US, now)


def open_strip(driver: str, gpio: int, leds: int) -> Device[bytes]:
    """Return the chain of *leds* LEDs at *gpio*. Raises `BoardError`; nothing else is tried in place of *driver*."""
    if driver == "neopixel":
        return NeopixelStrip(gpio, leds)
    if driver == "neopixel-spi":
        return SpiStrip(gpio, leds)
    raise BadSetting(f"[lights] driver = {driver!r}: there is no such driver; {' or '.join(DRIVERS)}")


class NeopixelStrip:
    """Through rpi_ws281x on a Pi 0 to 4, through the PIO of a Pi 5 (extra `pi5`)."""

    def __init__(self, gpio: int, leds: int) -> None:
        pin = blinka.pin(gpio)
        with library("adafruit-circuitpython-neopixel", "pi"):
            try:
                import neopixel
            except (RuntimeError, NotImplementedError) as error:
                raise blinka.refusal(error, "pi5" if "pi5" in str(error.__cause__) else "pi") from error
        self._send: Callable[[Any, bytearray], None] = neopixel.neopixel_write
        self._pixels = neopixel.NeoPixel(pin, leds, auto_write=False, pixel_order=neopixel.GRB)
        self._frame = bytearray(3 * leds)

    def write(self, content: bytes) -> None:
        """Send a frame. Raises what the driver raises."""
        self._frame[:] = content
        self._send(self._pixels.pin, self._frame)

    def close(self) -> None:
        """Release the line. Not `deinit`: it would send a frame of its own, from another buffer."""
        self._pixels.pin.deinit()


class SpiStrip:
    """Through spidev: eight SPI bits for each bit, on every Pi. Its buffer bounds how many LEDs there may be."""

    def __init__(self, gpio: int, leds: int) -> None:
        if gpio != 10:
            raise BadSetting(f"[lights] data = {gpio}: neopixel-spi sends on GPIO10 (SPI0 MOSI) only")
        check_spi_buffer(leds)
        with library("adafruit-circuitpython-neopixel-spi", "spi"):
            import neopixel_spi
        self._pixels = neopixel_spi.NeoPixel_SPI(_open_spi(), leds, auto_write=False, pixel_order=neopixel_spi.GRB)

    def write(self, content: bytes) -> None:
        """Send a frame. Raises what the driver raises."""
        greens, reds, blues = content[0::3], content[1::3], content[2::3]
        self._pixels[:] = list(zip(reds, greens, blues, strict=True))
        self._pixels.show()

    def close(self) -> None:
        """Nothing to release: the bus belongs to the process."""


def check_spi_buffer(leds: int, bufsiz: Path = BUFSIZ) -> None:
    """Raise `BadSetting` when a frame does not fit into one transfer: a gap would end it in the middle of the chain."""
    needed = 3 * leds * SPI_BYTES_PER_BYTE + SPI_RESET_BYTES
    try:
        there = int(bufsiz.read_text())
    except (OSError, ValueError):
        return  # spidev is not loaded: opening it says more
    if needed > there:
        raise BadSetting(
            f"[lights] leds = {leds}: a frame takes {needed} bytes, spidev's buffer has {there}; "
            f"add spidev.bufsiz={1 << needed.bit_length()} to cmdline.txt, reboot"
        )


def _open_spi() -> Any:
    try:
        return blinka.load_board().SPI()
    except PermissionError as error:
        raise NoRights(str(SPI_DEVICE), "spi") from error
    except (OSError, RuntimeError, AttributeError, ValueError) as error:
        raise ChipError(f"{SPI_DEVICE} cannot be opened ({error}): set dtparam=spi=on in config.txt, reboot") from error
