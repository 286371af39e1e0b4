"""A unit's parts and a board's pins, as the wiring files state them.

A field has the name and the unit of its key in the TOML file, so that one can be read beside the other. `gpio` and
names of header signals are BCM numbers (GPIO10); `…_pin` is a position on the 2x20 header (pin 19). Everything here is
a NamedTuple: immutable, and half the cost of a dataclass when the program starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Pull: TypeAlias = Literal["up", "down", "none"]
DisplayChip: TypeAlias = Literal["ht16k33", "tm1637"]


class Contact(NamedTuple):
    """A button or a pad that closes a GPIO to ground; *label* is what a sheet calls it.

    The internal pull-up is on; *pull_up_ohm* is a resistor beside it, to the 3.3 V at *power_pin*.
    """

    name: str
    label: str
    gpio: int
    ground_pin: int | None
    pull_up_ohm: int | None
    power_pin: int | None


class PressurePad(NamedTuple):
    """A pad that is a force sensing resistor from 3.3 V to an ADC channel, with *divider_ohm* from there to ground."""

    name: str
    label: str
    channel: int
    divider_ohm: int


class Switch(NamedTuple):
    """A slide switch: each position in *closed* joins its GPIO to ground.

    *open* is the position while no line is closed; None means that then the switch stands between two positions.
    """

    name: str
    label: str
    closed: Mapping[str, int]
    open: str | None
    ground_pin: int | None

    @property
    def positions(self) -> tuple[str, ...]:
        """The names of all positions, the open one first."""
        return (*(() if self.open is None else (self.open,)), *self.closed)


class Light(NamedTuple):
    """Some LEDs of the strip that show one look.

    *lit* says how many of them, from the first, a colour lights; a colour that it does not name lights all.
    """

    name: str
    leds: tuple[int, ...]
    lit: Mapping[str, int]


class Lights(NamedTuple):
    """The strip: a chain of WS2812 LEDs behind one data line.

    *max_ma* is what the whole strip may draw. A channel at 255 counts *ma_per_channel*, in proportion below, and each
    LED *ma_idle* even when dark. A strip without a `Supply` takes its power from the header, at *power_pin* and
    *ground_pin*.
    """

    data: int
    leds: int
    order: str
    driver: Literal["neopixel", "neopixel-spi"]
    spidev_bytes: int
    volts: float
    max_ma: int
    ma_per_channel: float
    ma_idle: float
    level_shifter: bool
    series_ohm: int
    capacitor_uf: int
    power_pin: int | None
    ground_pin: int | None
    layout: tuple[Light, ...]


class Display(NamedTuple):
    """Four 7-segment digits: an HT16K33 at *address* on I2C, or a TM1637 on two lines of its own."""

    chip: DisplayChip
    address: int | None
    clock: int | None
    data: int | None
    volts: float
    power_pin: int | None
    ground_pin: int | None


class Buzzer(NamedTuple):
    """A passive piezo behind *series_ohm*. *drive* `hardware` is the kernel's PWM, `software` gpiozero's."""

    gpio: int
    drive: Literal["hardware", "software"]
    series_ohm: int
    ground_pin: int | None


class As5600(NamedTuple):
    """A magnet on the axle over an AS5600: *zero* is the raw angle (0 to 4095) at slot 0."""

    address: int
    zero: int
    reversed: bool
    volts: float
    power_pin: int | None
    ground_pin: int | None


class Quadrature(NamedTuple):
    """Two sensors *a* and *b*, a quarter period apart, over *cycles* marks a turn, and one *index* mark at slot 0.

    The outputs are open collector; *pull_up_ohm* joins each to 3.3 V.
    """

    a: int
    b: int
    index_mark: int
    cycles: int
    reversed: bool
    volts: float
    pull_up_ohm: int
    power_pin: int | None
    ground_pin: int | None


class Adc(NamedTuple):
    """An ADS1115 with four channels."""

    address: int
    volts: float
    power_pin: int | None
    ground_pin: int | None


class Battery(NamedTuple):
    """How the unit learns that its supply is low.

    `under-voltage` asks the kernel and has none of the numbers. `adc` measures the cell on *channel* behind a divider
    of *top_ohm* and *bottom_ohm*: low below *low_mv*, good again from *good_mv*.
    """

    source: Literal["under-voltage", "adc"]
    channel: int | None
    top_ohm: int | None
    bottom_ohm: int | None
    low_mv: int | None
    good_mv: int | None


class Supply(NamedTuple):
    """The 5 V supply of the strip; its ground meets the board's at *ground_pin*.

    *feeds_board*: it powers the board too, through *power_pin*.
    """

    volts: float
    max_ma: int
    ground_pin: int | None
    feeds_board: bool
    power_pin: int | None


class UnitWiring(NamedTuple):
    """Everything that a unit has, from one file. *analog_audio*: the operating system's sound stays on beside it."""

    name: str
    file: str
    unit: str
    title: str
    contacts: tuple[Contact, ...]
    pressure_pads: tuple[PressurePad, ...]
    switches: tuple[Switch, ...]
    lights: Lights | None
    display: Display | None
    buzzer: Buzzer | None
    wheel: As5600 | Quadrature | None
    adc: Adc | None
    battery: Battery | None
    supply: Supply | None
    analog_audio: bool

    @property
    def input_names(self) -> tuple[str, ...]:
        """The buttons and pads, as the bench calls them."""
        return (*(contact.name for contact in self.contacts), *(pad.name for pad in self.pressure_pads))

    @property
    def light_names(self) -> tuple[str, ...]:
        """The lights, in the order of the strip."""
        return () if self.lights is None else tuple(light.name for light in self.lights.layout)


class Pin(NamedTuple):
    """One position of the header: power, ground, or a GPIO and the *functions* that the board's chip can put there.

    *boot_pull* is the pull after power-on, before a program claims the pin. *reserved* says who owns it; empty is free.
    """

    number: int
    name: str
    gpio: int | None
    functions: tuple[str, ...]
    boot_pull: Pull | None
    fixed_pull_up_ohm: int | None
    reserved: str


class Board(NamedTuple):
    """A family of Raspberry Pi and its 2x20 header.

    *supply_ma* is the supply that its maker asks for. *under_voltage*: the kernel can tell that the supply sags.
    *spi_strip_needs* are the lines in config.txt without which a strip on SPI0 flickers. *analog_audio*: the sound
    of the operating system can come out of the PWM block.
    """

    name: str
    file: str
    title: str
    pins: tuple[Pin, ...]
    analog_audio: bool
    spi_strip_needs: tuple[str, ...]
    supply_ma: int
    under_voltage: bool

    def pin(self, gpio: int) -> Pin:
        """Return the header pin of *gpio*. Raises `KeyError` for a GPIO that is not on the header."""
        for pin in self.pins:
            if pin.gpio == gpio:
                return pin
        raise KeyError(gpio)

    def functions(self, gpio: int, kind: str) -> tuple[str, ...]:
        """Return the functions of *gpio* that begin with *kind*: `functions(12, "PWM")` is `("PWM0_0",)`."""
        return tuple(function for function in self.pin(gpio).functions if function.startswith(kind))
