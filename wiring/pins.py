"""Which part claims which GPIO, and whether the board's pin can do what the part wants of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wiring.findings import Finding
from wiring.model import Board, Quadrature, UnitWiring

I2C_GPIOS = (2, 3)
SPI0_GPIOS = (7, 8, 9, 10, 11)
# Nothing else wants these, on any board; the order in which they are proposed.
GOOD_FOR_CONTACTS = (5, 6, 13, 16, 17, 22, 23, 24, 25, 26, 27)


class Claim(NamedTuple):
    """A part's claim on a GPIO: where it is written, and whose it is in a sentence."""

    where: str
    gpio: int
    owner: str


def claims(unit: UnitWiring, board: Board) -> Iterator[Claim]:
    """Give every claim of the unit's parts, buses last."""
    for contact in unit.contacts:
        yield Claim(f"[contacts] {contact.name}.gpio = {contact.gpio}", contact.gpio, contact.label)
    for switch in unit.switches:
        for position, gpio in switch.closed.items():
            yield Claim(f"[switches] {switch.name}.closed.{position} = {gpio}", gpio, f"{switch.label}, {position}")
    if unit.lights is not None:
        yield Claim(f"[lights] data = {unit.lights.data}", unit.lights.data, "the strip")
    if unit.buzzer is not None:
        yield Claim(f"[buzzer] gpio = {unit.buzzer.gpio}", unit.buzzer.gpio, "the buzzer")
    if unit.display is not None and unit.display.clock is not None and unit.display.data is not None:
        yield Claim(f"[display] clock = {unit.display.clock}", unit.display.clock, "the display's clock")
        yield Claim(f"[display] data = {unit.display.data}", unit.display.data, "the display's data")
    if isinstance(unit.wheel, Quadrature):
        yield Claim(f"[wheel] a = {unit.wheel.a}", unit.wheel.a, "the wheel's sensor a")
        yield Claim(f"[wheel] b = {unit.wheel.b}", unit.wheel.b, "the wheel's sensor b")
        yield Claim(f"[wheel] index_mark = {unit.wheel.index_mark}", unit.wheel.index_mark, "the wheel's index")
    for section in i2c_sections(unit)[:1]:
        yield from (Claim(f"[{section}]", gpio, "the I2C bus") for gpio in I2C_GPIOS)
    if unit.lights is not None and strip_way(unit, board) == "SPI0":
        others = (gpio for gpio in SPI0_GPIOS if gpio != unit.lights.data)
        yield from (
            Claim(f"[lights] data = {unit.lights.data}", gpio, "SPI0, which drives the strip") for gpio in others
        )


def i2c_sections(unit: UnitWiring) -> list[str]:
    """Return the sections whose part sits on the I2C bus."""
    parts = {
        "display": unit.display is not None and unit.display.chip == "ht16k33",
        "wheel": unit.wheel is not None and not isinstance(unit.wheel, Quadrature),
        "adc": unit.adc is not None,
    }
    return [section for section, there in parts.items() if there]


def strip_way(unit: UnitWiring, board: Board) -> str:
    """Return what drives the strip on this board: `SPI0`, `PIO`, `PCM`, a PWM channel, or nothing (empty)."""
    if unit.lights is None:
        return ""
    gpio = unit.lights.data
    if unit.lights.driver == "neopixel-spi":
        return "SPI0" if "SPI0 MOSI" in board.pin(gpio).functions else ""
    for kind in ("PIO", "SPI0 MOSI", "PWM", "PCM DOUT"):
        for function in board.functions(gpio, kind):
            return function.split()[0]
    return ""


def spare(unit: UnitWiring, board: Board) -> str:
    """Return the proposal of a free GPIO for a contact."""
    taken = {claim.gpio for claim in claims(unit, board)}
    for gpio in GOOD_FOR_CONTACTS:
        if gpio not in taken:
            return f"use GPIO{gpio} (pin {board.pin(gpio).number}), which is free"
    return "free a GPIO by leaving out another part"


def one_part_a_pin(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find GPIOs that two parts claim."""
    owner: dict[int, Claim] = {}
    for claim in claims(unit, board):
        first = owner.setdefault(claim.gpio, claim)
        if first is not claim:
            # A bus cannot move: then the part that came first has to.
            place, other = (first, claim) if claim.gpio in (*I2C_GPIOS, *SPI0_GPIOS) else (claim, first)
            yield Finding(unit.file, place.where, f"GPIO{claim.gpio} belongs to {other.owner}", spare(unit, board))


def nothing_reserved(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find parts on pins that belong to the board itself."""
    for claim in claims(unit, board):
        if board.pin(claim.gpio).reserved:
            reason = f"GPIO{claim.gpio} is reserved for {board.pin(claim.gpio).reserved}"
            yield Finding(unit.file, claim.where, reason, spare(unit, board))


def strip_can_be_driven(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a strip on a pin that the driver cannot use here, or only as root."""
    if unit.lights is None:
        return
    where = f"[lights] data = {unit.lights.data}"
    way = strip_way(unit, board)
    if not way:
        reason = f"{unit.lights.driver} cannot drive a strip from GPIO{unit.lights.data} of the {board.title}"
        yield Finding(unit.file, where, reason, "use GPIO10 (SPI0 MOSI)")
    elif way == "PCM" or way.startswith("PWM"):
        reason = f"GPIO{unit.lights.data} drives a strip through {way.split('_')[0]}, which only root may do"
        yield Finding(unit.file, where, reason, "use GPIO10 (needs no root)")


def strip_fits_the_buffer(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a strip that is too long for one SPI transfer: the gap after it would begin the strip anew."""
    if unit.lights is None or strip_way(unit, board) != "SPI0":
        return
    most = most_leds(unit.lights.driver, unit.lights.spidev_bytes)
    if unit.lights.leds > most:
        need = unit.lights.spidev_bytes
        while most_leds(unit.lights.driver, need) < unit.lights.leds:
            need *= 2
        reason = f"{unit.lights.driver} gets {most} LEDs through SPI's buffer of {unit.lights.spidev_bytes} bytes"
        cure = f"use {most} LEDs at most, or boot with spidev.bufsiz={need} and write spidev_bytes = {need}"
        yield Finding(unit.file, f"[lights] leds = {unit.lights.leds}", reason, cure)


def most_leds(driver: str, spidev_bytes: int) -> int:
    """Return how many LEDs *driver* sends in one SPI transfer.

    neopixel-spi: 8 bits for each of an LED's 24, and 64 bytes of silence before and after. neopixel (rpi_ws281x):
    3 bits for each, room for a fourth colour, 55 µs of silence (132 bits) and 8 bytes. In the field: 165 and 339.
    """
    if driver == "neopixel-spi":
        return (spidev_bytes - 2 * 64) // 24
    whole = (spidev_bytes - 8) // 8 * 8  # it rounds down to 64 bits
    return (8 * whole + 63 - 132) // 96


def pwm_is_not_shared(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a strip and a buzzer in one PWM block, and either of them beside analog audio."""
    strip = strip_way(unit, board)
    strip_block = strip.split("_")[0] if strip.startswith("PWM") else ""
    tone = board.functions(unit.buzzer.gpio, "PWM") if unit.buzzer and unit.buzzer.drive == "hardware" else ()
    tone_block = tone[0].split("_")[0] if tone else ""
    if unit.lights and unit.buzzer and strip_block and strip_block == tone_block:
        reason = f"GPIO{unit.lights.data} shares its PWM with the buzzer on GPIO{unit.buzzer.gpio}"
        yield Finding(unit.file, f"[lights] data = {unit.lights.data}", reason, "use GPIO10 (needs no root)")
    if not unit.analog_audio:
        return
    where = "analog_audio = true"
    if not board.analog_audio:
        yield Finding(unit.file, where, f"the {board.title} has no analog audio", "write analog_audio = false")
    elif strip_block or tone_block:
        user = "the strip" if strip_block else "the buzzer"
        reason = f"the board's sound comes out of PWM, which {user} needs"
        yield Finding(unit.file, where, reason, "write false, and dtparam=audio=off in config.txt")


def buzzer_has_pwm(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a buzzer that wants hardware PWM on a pin without."""
    if unit.buzzer is None or unit.buzzer.drive == "software" or board.functions(unit.buzzer.gpio, "PWM"):
        return
    able = [f"GPIO{pin.gpio}" for pin in board.pins if pin.gpio is not None and board.functions(pin.gpio, "PWM")]
    reason = f"GPIO{unit.buzzer.gpio} has no PWM on the {board.title}"
    cure = f'use one of {", ".join(able)}, or write drive = "software"'
    yield Finding(unit.file, f"[buzzer] gpio = {unit.buzzer.gpio}", reason, cure)
