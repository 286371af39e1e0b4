"""Darkness at once, and the first light before anything else is loaded: through the kernel alone.

For the moments in which no driver is there: the program was killed (see `hal.pi.nightwatch`), or it has just begun.
Neither Blinka nor gpiozero nor a driver is imported as long as the strip hangs on SPI (GPIO10), the display is an
HT16K33 and the buzzer has a hardware PWM; what is wired otherwise goes through its driver, and takes the second or two
that costs.
"""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hal.errors import BoardError
from hal.pi.pwm import SYS_PWM, find_channel, silence_left_over

if TYPE_CHECKING:
    from wiring.model import Buzzer, Display, Lights, UnitWiring

SPI_GPIO = 10
SPI_HZ = 6_400_000
"""Eight SPI bits last as long as one bit of a WS2812B, 1.25 µs; how many of them are high says which bit it is."""
ZERO, ONE = 0b1100_0000, 0b1111_0000
RESET = bytes(64)
SET_SPEED = 0x40046B04          # SPI_IOC_WR_MAX_SPEED_HZ, <linux/spi/spidev.h>
SET_ADDRESS = 0x0703            # I2C_SLAVE, <linux/i2c-dev.h>
MEMORY_CLEAR = bytes(17)        # address 0, then the HT16K33's 16 bytes
DISPLAY_OFF = b"\x80"
GLOW = 12                       # of 255: seen in a lit room, kind to a weak supply

DEV = Path("/dev")


def darken(wiring: UnitWiring, dev: Path = DEV, sys_pwm: Path = SYS_PWM) -> list[str]:
    """Make lights dark, display blank and buzzer silent; return what could not be, and why, in words.

    The sound goes first: it is what people want to end. A part that fails keeps no other from its turn.
    """
    tasks: list[tuple[str, Callable[[], None]]] = []
    if (buzzer := wiring.buzzer) is not None:
        tasks.append(("buzzer", lambda: _silence(buzzer, wiring, sys_pwm)))
    if (lights := wiring.lights) is not None:
        tasks.append(("strip", lambda: _strip_dark(lights, dev)))
    if (display := wiring.display) is not None:
        tasks.append(("display", lambda: _blank(display, wiring, dev)))
    failed = []
    for part, task in tasks:
        try:
            task()
        except (BoardError, OSError, ValueError) as error:
            failed.append(f"{part}: {error}")
    return failed


def first_light(lights: Lights, dev: Path = DEV) -> None:
    """Let the first LED glow, as a sign of life; nothing happens to a strip that hangs on another pin than SPI's.

    Raises `OSError` if the bus cannot be written to.
    """
    if lights.data == SPI_GPIO:
        send(bytes([GLOW] * 3) + bytes(3 * (lights.leds - 1)), dev)


def no_light(lights: Lights, dev: Path = DEV) -> None:
    """Put out what `first_light` lit. Raises `OSError` if the bus cannot be written to."""
    if lights.data == SPI_GPIO:
        send(bytes(3 * lights.leds), dev)


def send(frame: bytes, dev: Path = DEV) -> None:
    """Send a frame to the strip on SPI0. Raises `OSError`."""
    bits = b"".join(_AS_SPI[byte] for byte in frame)
    with (dev / "spidev0.0").open("r+b", buffering=0) as bus:
        fcntl.ioctl(bus, SET_SPEED, struct.pack("I", SPI_HZ))
        bus.write(RESET + bits + RESET)


_AS_SPI = [bytes(ONE if byte >> bit & 1 else ZERO for bit in range(7, -1, -1)) for byte in range(256)]


def _strip_dark(lights: Lights, dev: Path) -> None:
    if lights.data == SPI_GPIO:
        no_light(lights, dev)
        return
    from hal.pi.strip import open_strip

    strip = open_strip(lights.driver, lights.data, lights.leds)
    strip.write(bytes(3 * lights.leds))
    strip.close()


def _blank(display: Display, wiring: UnitWiring, dev: Path) -> None:
    if display.chip == "ht16k33" and display.address is not None:
        with (dev / "i2c-1").open("r+b", buffering=0) as bus:
            fcntl.ioctl(bus, SET_ADDRESS, display.address)
            bus.write(MEMORY_CLEAR)
            bus.write(DISPLAY_OFF)
        return
    from hal.pi.devices import Devices
    from hal.pi.pins import open_factory

    factory = open_factory()
    chip = Devices(wiring, factory).display()
    chip.write(bytes(4))
    chip.close()
    factory.close()


def _silence(buzzer: Buzzer, wiring: UnitWiring, sys_pwm: Path) -> None:
    if buzzer.drive == "hardware":
        chip, channel = find_channel(buzzer.gpio, sys_pwm)
        silence_left_over(sys_pwm / f"pwmchip{chip}" / f"pwm{channel}")
        return
    from hal.pi.buzzer import SILENCE
    from hal.pi.devices import Devices
    from hal.pi.pins import open_factory

    factory = open_factory()
    voice = Devices(wiring, factory).buzzer()
    voice.write(SILENCE)
    voice.close()
    factory.close()
