"""Volts, grounds and currents: whether every part gets what it needs, and the board no more than it bears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wiring.findings import Finding
from wiring.model import As5600, Board, UnitWiring

HIGHEST_INPUT_V = 3.6  # what a GPIO bears, with the tolerance of a 3.3 V supply
STRIP_HIGH = 0.7  # of its supply: what a WS2812's data input takes for high
HEADER_STRIP_MA = 500  # what a strip may take from the header's 5 V: beyond that the board's own supply sags
ADC_MV = 3300
FULL_BATTERY = 1.2  # of good_mv


class Fed(NamedTuple):
    """A part that is fed from the header: its section, what it is, and the pins it names."""

    section: str
    name: str
    volts: float
    power_pin: int | None
    ground_pin: int | None
    speaks_to_gpio: bool


def fed_from_header(unit: UnitWiring) -> Iterator[Fed]:
    """Give the parts that take power from the header."""
    if unit.display is not None:
        yield Fed("display", "the display", unit.display.volts, unit.display.power_pin, unit.display.ground_pin, True)
    if unit.wheel is not None:
        name = "the wheel's sensor" if isinstance(unit.wheel, As5600) else "the wheel's sensors"
        yield Fed("wheel", name, unit.wheel.volts, unit.wheel.power_pin, unit.wheel.ground_pin, True)
    if unit.adc is not None:
        yield Fed("adc", "the converter", unit.adc.volts, unit.adc.power_pin, unit.adc.ground_pin, True)
    if unit.lights is not None and unit.supply is None:
        yield Fed("lights", "the strip", unit.lights.volts, unit.lights.power_pin, unit.lights.ground_pin, False)


def _grounded(unit: UnitWiring) -> Iterator[tuple[str, str, int | None]]:
    """Give section, key and ground pin of everything that closes a circuit to the header's ground."""
    for contact in unit.contacts:
        yield "contacts", f"{contact.name}.", contact.ground_pin
    for switch in unit.switches:
        yield "switches", f"{switch.name}.", switch.ground_pin
    for fed in fed_from_header(unit):
        yield fed.section, "", fed.ground_pin
    if unit.buzzer is not None:
        yield "buzzer", "", unit.buzzer.ground_pin


def _names(board: Board, name: str) -> str:
    return ", ".join(str(pin.number) for pin in board.pins if pin.name == name)


def _name(board: Board, number: int) -> str:
    return next(pin.name for pin in board.pins if pin.number == number)


def everything_has_ground(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find parts without a ground wire, or with one that is none; above all the supply's to the board."""
    grounds = _names(board, "GND")
    cure = f"write ground_pin = one of {grounds}"
    for section, prefix, number in _grounded(unit):
        if number is None:
            yield Finding(unit.file, f"[{section}] {prefix}ground_pin", "is missing: no current can flow back", cure)
        elif _name(board, number) != "GND":
            where = f"[{section}] {prefix}ground_pin = {number}"
            yield Finding(unit.file, where, f"pin {number} is {_name(board, number)}, not ground", cure)
    if unit.supply is None:
        return
    number = unit.supply.ground_pin
    if number is None:
        reason = "is missing: the supply's ground must meet the board's, or the strip's data has no reference"
        yield Finding(unit.file, "[supply] ground_pin", reason, cure)
    elif _name(board, number) != "GND":
        where = f"[supply] ground_pin = {number}"
        yield Finding(unit.file, where, f"pin {number} is {_name(board, number)}, not ground", cure)


def everything_has_power(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find parts without power, on a pin that gives none, or on the wrong voltage."""
    for fed in fed_from_header(unit):
        right = "5V" if fed.volts > HIGHEST_INPUT_V else "3V3"
        cure = f"write power_pin = one of {_names(board, right)} ({right})"
        if fed.power_pin is None:
            yield Finding(unit.file, f"[{fed.section}] power_pin", f"is missing: {fed.name} has no power", cure)
            continue
        where = f"[{fed.section}] power_pin = {fed.power_pin}"
        given = _name(board, fed.power_pin)
        if given not in ("3V3", "5V"):
            yield Finding(unit.file, where, f"pin {fed.power_pin} is {given}, which gives no power", cure)
        elif given != right:
            yield Finding(
                unit.file, where, f"pin {fed.power_pin} gives {given}, {fed.name} wants {fed.volts:g} V", cure
            )


def inputs_stay_at_3v3(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find what would put 5 V on a GPIO, which bears 3.3."""
    for fed in fed_from_header(unit):
        if fed.speaks_to_gpio and fed.volts > HIGHEST_INPUT_V:
            where = f"[{fed.section}] volts = {fed.volts:g}"
            reason = f"{fed.name} would put {fed.volts:g} V on pins that bear 3.3 V"
            cure = f"run it at 3.3 V: volts = 3.3, power_pin = one of {_names(board, '3V3')}"
            yield Finding(unit.file, where, reason, cure)
    for contact in unit.contacts:
        where = f"[contacts] {contact.name}."
        cure = f"write power_pin = one of {_names(board, '3V3')}"
        if contact.pull_up_ohm is not None and contact.power_pin is None:
            reason = "is missing: the pull-up resistor leads nowhere"
            yield Finding(unit.file, f"{where}power_pin", reason, cure)
        elif contact.pull_up_ohm is None and contact.power_pin is not None:
            reason = "without pull_up_ohm this would join the contact straight to the supply"
            cure = "write pull_up_ohm = 4700 too, or leave power_pin out"
            yield Finding(unit.file, f"{where}power_pin = {contact.power_pin}", reason, cure)
        elif contact.power_pin is not None and _name(board, contact.power_pin) != "3V3":
            reason = f"pin {contact.power_pin} is {_name(board, contact.power_pin)}; a pull-up must lead to 3.3 V"
            yield Finding(unit.file, f"{where}power_pin = {contact.power_pin}", reason, cure)


def strip_hears_the_board(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a strip whose data input wants more than a GPIO's 3.3 V."""
    if unit.lights is None or unit.lights.level_shifter:
        return
    wants = unit.lights.volts * STRIP_HIGH
    if wants > 3.3:
        reason = f"at {unit.lights.volts:g} V the data input wants {wants:.1f} V, a GPIO gives 3.3 V"
        cure = "write true and put a 74AHCT125 between, or feed the strip with 4.3 V (volts = 4.3)"
        yield Finding(unit.file, "[lights] level_shifter = false", reason, cure)


def current_suffices(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a strip that may draw more than its supply gives, and supplies that do not fit."""
    lights, supply = unit.lights, unit.supply
    if lights is not None and supply is None and lights.max_ma > HEADER_STRIP_MA:
        reason = f"is more than the {HEADER_STRIP_MA} mA that a strip may take from the header"
        cure = f"write {HEADER_STRIP_MA} at most, or give the strip a [supply]"
        yield Finding(unit.file, f"[lights] max_ma = {lights.max_ma}", reason, cure)
    if supply is None:
        return
    if lights is not None and (lights.power_pin is not None or lights.ground_pin is not None):
        key = "power_pin" if lights.power_pin is not None else "ground_pin"
        reason = "the strip has a [supply]; two of them would fight"
        yield Finding(unit.file, f"[lights] {key} = {getattr(lights, key)}", reason, "leave it out")
    if lights is not None and lights.volts != supply.volts:
        reason = f"the strip wants {lights.volts:g} V"
        yield Finding(unit.file, f"[supply] volts = {supply.volts:g}", reason, f"write volts = {lights.volts:g}")
    strip_ma = 0 if lights is None else lights.max_ma
    need = strip_ma + (board.supply_ma if supply.feeds_board else 0)
    if need > supply.max_ma:
        asks = f" and the {board.title} asks for {board.supply_ma} mA" if supply.feeds_board else ""
        reason = f"the strip may draw {strip_ma} mA{asks}"
        cure = f"take a supply of {need} mA or more"
        if supply.max_ma > need - strip_ma and lights is not None:
            cure += f", or write max_ma = {supply.max_ma - need + strip_ma} in [lights]"
        yield Finding(unit.file, f"[supply] max_ma = {supply.max_ma}", reason, cure)


def board_is_fed_once(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a supply that is to feed the board but cannot, and one that feeds nothing."""
    supply = unit.supply
    if supply is None:
        return
    cure = f"write power_pin = one of {_names(board, '5V')} (5V)"
    if not supply.feeds_board:
        if supply.power_pin is not None:
            where = f"[supply] power_pin = {supply.power_pin}"
            cure = "write feeds_board = true, or leave it out"
            yield Finding(unit.file, where, "the supply does not feed the board", cure)
        if unit.lights is None:
            yield Finding(unit.file, "[supply]", "feeds nothing", "leave the section out")
    elif supply.power_pin is None:
        yield Finding(unit.file, "[supply] power_pin", "is missing: feeds_board is true", cure)
    elif _name(board, supply.power_pin) != "5V":
        where = f"[supply] power_pin = {supply.power_pin}"
        yield Finding(unit.file, where, f"pin {supply.power_pin} is {_name(board, supply.power_pin)}", cure)


def battery_can_be_read(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find a battery that nothing measures, or that would overdrive the converter."""
    battery = unit.battery
    if battery is None:
        return
    if battery.source == "under-voltage":
        if not board.under_voltage:
            reason = f"the {board.title} has no detector for it"
            cure = 'leave [battery] out, or measure the cell: source = "adc"'
            yield Finding(unit.file, '[battery] source = "under-voltage"', reason, cure)
        return
    top, bottom = battery.top_ohm or 0, battery.bottom_ohm or 0
    full_mv = (battery.good_mv or 0) * FULL_BATTERY
    seen_mv = full_mv * bottom / max(1, top + bottom)
    if seen_mv > ADC_MV:
        reason = (
            f"full, at about {full_mv / 1000:.1f} V, it would put {seen_mv / 1000:.1f} V on a channel that bears 3.3 V"
        )
        need = -int(-bottom * (full_mv - ADC_MV) // ADC_MV)  # rounded up
        yield Finding(unit.file, f"[battery] top_ohm = {top}", reason, f"write top_ohm = {need} or more")
