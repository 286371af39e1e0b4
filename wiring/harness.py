"""A unit's wiring as boxes and wires: what a sheet draws, a pin table lists and a parts list counts.

The wiring file speaks of parts and pins; a person with a crimping tool needs terminals and wires. This is the one place
where the first becomes the second. Everything is in a fixed order, so that whatever is made from it is the same on
every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from wiring.model import Adc, As5600, Board, Contact, Lights, Pin, Quadrature, Switch, UnitWiring

Picture: TypeAlias = Literal["", "digits", "wheel", "hall", "chip", "leds", "supply"]
Device: TypeAlias = Literal["resistor", "contact", "pressure", "piezo", "slide"]

POWER_COLOUR = {"5V": "red", "3V3": "orange", "GND": "black"}
SIGNAL_COLOURS = ("brown", "grey", "purple", "blue", "green", "yellow")
SDA, SCL = 2, 3
DATA_5V = "data"
SUPPLY_5V = "supply"
SHIFTER, STRIP = "shifter", "lights"


class Terminal(NamedTuple):
    """Where a wire of *net* ends: *label* at the part, and the *resistor* that sits in the wire there, if any."""

    label: str
    net: str
    resistor: str = ""


class Between(NamedTuple):
    """A device inside a part's box, between two of its terminals (counted from the top)."""

    device: Device
    upper: int
    lower: int


class Part(NamedTuple):
    """A box of the sheet: its *title*, a *note* on what it is, its terminals from top to bottom, and what is inside."""

    key: str
    title: str
    note: str
    terminals: tuple[Terminal, ...]
    inside: tuple[Between, ...] = ()
    picture: Picture = ""


class Wire(NamedTuple):
    """A wire from a header pin, or between parts only (*pin* is None), to all terminals of its *net*."""

    net: str
    colour: str
    pin: Pin | None
    ends: tuple[tuple[Part, Terminal], ...]


class Harness(NamedTuple):
    """A unit on a board: its parts and wires, in order."""

    unit: UnitWiring
    board: Board
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]


def harness(unit: UnitWiring, board: Board) -> Harness:
    """Return the parts and wires of *unit* on *board*. The wiring must have passed `wiring.check`."""
    parts = tuple(_in_header_order(part, board) for part in _parts(unit))
    nets: dict[str, list[tuple[Part, Terminal]]] = {}
    for part in parts:
        for terminal in part.terminals:
            nets.setdefault(terminal.net, []).append((part, terminal))
    pins = {net: _pin(net, board) for net in nets}

    def place(net: str) -> tuple[int, str]:
        pin = pins[net]
        return (len(board.pins) + 1 if pin is None else pin.number, net)

    order = sorted(nets, key=place)
    colours = _colours(unit, order, pins)
    return Harness(unit, board, parts, tuple(Wire(net, colours[net], pins[net], tuple(nets[net])) for net in order))


def _in_header_order(part: Part, board: Board) -> Part:
    """Return *part* with its terminals in the order of their header pins, so that fewer wires cross.

    Where a device stands between two terminals, or one feeds the next part, their order has a meaning and stays.
    """
    if part.inside or part.key in (SHIFTER, STRIP, "supply"):
        return part
    pins = [_pin(terminal.net, board) for terminal in part.terminals]
    order = sorted(range(len(pins)), key=lambda row: 99 if (pin := pins[row]) is None else pin.number)
    return part._replace(terminals=tuple(part.terminals[row] for row in order))


def _pin(net: str, board: Board) -> Pin | None:
    kind, _, number = net.partition(" ")
    if kind == "pin":
        return next(pin for pin in board.pins if pin.number == int(number))
    return board.pin(int(number)) if kind == "gpio" else None


def _colours(unit: UnitWiring, nets: list[str], pins: dict[str, Pin | None]) -> dict[str, str]:
    """Give power its usual colours, the I2C bus those of its usual cables, and spread the rest."""
    colours = {f"gpio {SDA}": "blue", f"gpio {SCL}": "yellow", DATA_5V: "green", SUPPLY_5V: "red"}
    if unit.lights is not None:
        colours[f"gpio {unit.lights.data}"] = "green"
    if unit.buzzer is not None:
        colours[f"gpio {unit.buzzer.gpio}"] = "purple"
    for net in nets:
        pin = pins[net]
        if pin is not None and pin.name in POWER_COLOUR:
            colours[net] = POWER_COLOUR[pin.name]
    worn = [colours[net] for net in nets if net in colours]
    for net in nets:
        if net not in colours:
            beside = _beside(net, nets, pins)
            colours[net] = min(SIGNAL_COLOURS, key=partial(_rarity, worn, [colours.get(each, "") for each in beside]))
            worn.append(colours[net])
    return colours


def _beside(net: str, nets: list[str], pins: dict[str, Pin | None]) -> list[str]:
    """Return the signals above and below *net* in its column of the header."""
    pin = pins[net]
    if pin is None:
        return []
    column = [
        each
        for each in nets
        if each.startswith("gpio") and (other := pins[each]) is not None and (other.number - pin.number) % 2 == 0
    ]
    place = column.index(net)
    return column[max(0, place - 1) : place] + column[place + 1 : place + 2]


def _rarity(worn: list[str], beside: list[str], colour: str) -> tuple[bool, int, int, int]:
    """Return a key that is least for a colour no neighbour wears, that is rare, and that was used longest ago."""
    last = max((place for place, each in enumerate(worn) if each == colour), default=-1)
    return colour in beside, worn.count(colour), last, SIGNAL_COLOURS.index(colour)


def _parts(unit: UnitWiring) -> Iterator[Part]:
    yield from _bus_parts(unit)
    yield from (_contact(contact) for contact in unit.contacts)
    yield from (_switch(switch) for switch in unit.switches)
    if unit.buzzer is not None:
        plus = _gpio("+", unit.buzzer.gpio)
        if unit.buzzer.series_ohm:
            plus = plus._replace(resistor=ohm(unit.buzzer.series_ohm))
        terminals = (plus, _ground("−", unit.buzzer.ground_pin))
        yield Part("buzzer", "Buzzer", "passive piezo", terminals, (Between("piezo", 0, 1),))
    if unit.lights is not None:
        yield from _strip(unit, unit.lights)
    if unit.supply is not None:
        terminals = (
            _ground("GND", unit.supply.ground_pin),
            Terminal(f"+{unit.supply.volts:g} V", _strip_power(unit)),
        )
        title = f"{unit.supply.volts:g} V supply"
        yield Part("supply", title, f"{unit.supply.max_ma / 1000:g} A or more", terminals, picture="supply")


def _bus_parts(unit: UnitWiring) -> Iterator[Part]:
    display, wheel, adc = unit.display, unit.wheel, unit.adc
    if display is not None:
        lines = _i2c() if display.chip == "ht16k33" else (_gpio("CLK", display.clock), _gpio("DIO", display.data))
        where = f" at {display.address:#x}" if display.address is not None else ""
        feed = _fed(display.power_pin, display.ground_pin)
        yield Part("display", "Display", f"{display.chip.upper()}{where}", (*feed, *lines), picture="digits")
    if isinstance(wheel, As5600):
        feed = _fed(wheel.power_pin, wheel.ground_pin)
        note = f"AS5600 at {wheel.address:#x}, DIR to GND"
        yield Part("wheel", "Wheel sensor", note, (*feed, *_i2c()), picture="wheel")
    elif isinstance(wheel, Quadrature):
        sensors = (_gpio("A", wheel.a), _gpio("B", wheel.b), _gpio("index", wheel.index_mark))
        note = f"three, each {ohm(wheel.pull_up_ohm)} to VCC"
        feed = _fed(wheel.power_pin, wheel.ground_pin)
        yield Part("wheel", "Wheel sensors", note, (*feed, *sensors), picture="hall")
    if adc is not None:
        yield from _analog_parts(unit, adc)


def _analog_parts(unit: UnitWiring, adc: Adc) -> Iterator[Part]:
    channels = [pad.channel for pad in unit.pressure_pads]
    battery = unit.battery
    if battery is not None and battery.channel is not None:
        channels.append(battery.channel)
    inputs = (_analog(f"A{channel}", channel) for channel in sorted(channels))
    feed = _fed(adc.power_pin, adc.ground_pin)
    yield Part("adc", "Converter", f"ADS1115 at {adc.address:#x}", (*feed, *_i2c(), *inputs), picture="chip")
    for pad in unit.pressure_pads:
        ends: tuple[Terminal, ...] = (
            Terminal("3.3 V", f"pin {adc.power_pin}"),
            _analog("out", pad.channel),
            _ground(f"GND, {ohm(pad.divider_ohm)}", adc.ground_pin),
        )
        inside = (Between("pressure", 0, 1), Between("resistor", 1, 2))
        yield Part(f"pressure_pads.{pad.name}", pad.label, "force sensing resistor", ends, inside)
    if battery is not None and battery.channel is not None:
        note = f"{ohm(battery.top_ohm or 0)} to +, {ohm(battery.bottom_ohm or 0)} to −"
        ends = (_analog("tap", battery.channel), _ground("−", adc.ground_pin))
        yield Part("battery", "Battery", note, ends)


def _contact(contact: Contact) -> Part:
    terminals: tuple[Terminal, ...] = (_gpio("contact", contact.gpio), _ground("ground", contact.ground_pin))
    inside: tuple[Between, ...] = (Between("contact", 0, 1),)
    if contact.pull_up_ohm is not None:
        terminals = (Terminal(f"3.3 V, {ohm(contact.pull_up_ohm)}", f"pin {contact.power_pin}"), *terminals)
        inside = (Between("resistor", 0, 1), Between("contact", 1, 2))
    return Part(f"contacts.{contact.name}", contact.label, "closes when pressed", terminals, inside)


def _switch(switch: Switch) -> Part:
    terminals = (*(_gpio(name, gpio) for name, gpio in switch.closed.items()), _ground("common", switch.ground_pin))
    note = "slide switch" if len(terminals) == 2 else f"slide switch, {len(switch.positions)} positions"
    return Part(f"switches.{switch.name}", switch.label, note, terminals, (Between("slide", 0, len(terminals) - 1),))


def _strip(unit: UnitWiring, lights: Lights) -> Iterator[Part]:
    ground = unit.supply.ground_pin if unit.supply is not None else lights.ground_pin
    power = _strip_power(unit)
    data = f"gpio {lights.data}"
    if lights.level_shifter:
        ways = (_ground("GND, 1OE", ground), Terminal("1A", data), Terminal("VCC", power), Terminal("1Y", DATA_5V))
        yield Part(SHIFTER, "Level shifter", "74AHCT125", ways)
        data = DATA_5V
    resistor = ohm(lights.series_ohm) if lights.series_ohm else ""
    din = Terminal("DIN", data, resistor)
    plus = Terminal(f"+{lights.volts:g} V", power)
    terminals = (_ground("GND", ground), din, plus)
    note = f"{lights.leds} {'LED' if lights.leds == 1 else 'LEDs'} WS2812B"
    yield Part(STRIP, "Lights", note, terminals, picture="leds")


def _strip_power(unit: UnitWiring) -> str:
    """Return the net that feeds the strip."""
    if unit.supply is None:
        return f"pin {unit.lights.power_pin}" if unit.lights is not None else ""
    return f"pin {unit.supply.power_pin}" if unit.supply.feeds_board else SUPPLY_5V


def _fed(power_pin: int | None, ground_pin: int | None) -> tuple[Terminal, Terminal]:
    return Terminal("VCC", f"pin {power_pin}"), _ground("GND", ground_pin)


def _ground(label: str, number: int | None) -> Terminal:
    return Terminal(label, f"pin {number}")


def _gpio(label: str, gpio: int | None) -> Terminal:
    return Terminal(label, f"gpio {gpio}")


def _analog(label: str, channel: int) -> Terminal:
    return Terminal(label, f"channel {channel}")


def _i2c() -> tuple[Terminal, Terminal]:
    return _gpio("SDA", SDA), _gpio("SCL", SCL)


def ohm(value: int) -> str:
    """Return a resistance as it is printed on a bag: `470 Ω`, `4.7 kΩ`, `1 MΩ`."""
    for factor, unit in ((1_000_000, "MΩ"), (1000, "kΩ")):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value} Ω"
