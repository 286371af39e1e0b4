"""The parts list of a unit: what to buy, how many, and what to look for. Kinds of parts, no shops and no brands."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wiring.harness import Wire, harness, ohm
from wiring.model import As5600, Board, Display, Lights, Quadrature, UnitWiring
from wiring.table import aligned

HEAD = ["Number", "Part", "Look for", "For"]


class Item(NamedTuple):
    """One line of the list."""

    number: int
    part: str
    look_for: str
    used_for: str


def bom(unit: UnitWiring, board: Board) -> str:
    """Return the parts list of *unit* on *board* in Markdown."""
    rows = [[str(item.number), *item[1:]] for item in items(unit, board)]
    lines = [
        f"# {unit.title} on {board.title}: parts",
        "",
        f"Made from `{unit.file}` by `pilelight wiring bom`; change that file, not this one.",
        "",
        *aligned([HEAD, *rows]),
    ]
    return "\n".join(lines) + "\n"


def bom_csv(unit: UnitWiring, board: Board) -> str:
    """Return the same list as CSV, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(items(unit, board))
    return text.getvalue()


def items(unit: UnitWiring, board: Board) -> Iterator[Item]:
    """Give the lines of the list: the board first, the wires last."""
    yield from _board(unit, board)
    yield from _controls(unit)
    if unit.display is not None:
        yield Item(1, "Display", _display(unit.display), "display")
    if unit.buzzer is not None:
        yield Item(
            1, "Piezo buzzer", "passive: a bare disc or a case without electronics that would hum by itself", "tones"
        )
    yield from _wheel(unit)
    if unit.adc is not None:
        look_for = f"ADS1115 module, I2C, set to {unit.adc.address:#x}"
        yield Item(1, "Analog-digital converter", look_for, "pads" if unit.pressure_pads else "battery")
    if unit.lights is not None:
        yield from _strip(unit, unit.lights)
    yield from _resistors(unit)
    yield from _wires(harness(unit, board).wires)


def _wires(wires: Sequence[Wire]) -> Iterator[Item]:
    """Give the pieces of wire by colour: one from the header to the first terminal, and one on to each further."""
    pieces: Counter[str] = Counter()
    for wire in wires:
        pieces[wire.colour] += len(wire.ends) - (wire.pin is None)
    for colour, number in sorted(pieces.items()):
        look_for = "0.5 mm² or more for the supply, else 0.14 mm²; sockets for the header"
        yield Item(number, f"Wire, {colour}", look_for, "see the pin table")


def _board(unit: UnitWiring, board: Board) -> Iterator[Item]:
    yield Item(1, board.title, "with a soldered 2x20 pin header", "everything")
    yield Item(1, "microSD card", "8 GB or more, from a known maker", "system and records")
    fed = unit.supply is not None and unit.supply.feeds_board
    if not fed:
        yield Item(1, "USB supply for the board", f"5 V, {board.supply_ma / 1000:g} A or more", "the board")


def _controls(unit: UnitWiring) -> Iterator[Item]:
    if unit.contacts:
        names = ", ".join(contact.label for contact in unit.contacts)
        yield Item(
            len(unit.contacts), "Momentary switch", "normally open; for a pad a micro switch under a plate", names
        )
    if unit.pressure_pads:
        names = ", ".join(pad.label for pad in unit.pressure_pads)
        yield Item(len(unit.pressure_pads), "Force sensing resistor", "square, about 40 mm, 0.1 to 10 kg", names)
    for switch in unit.switches:
        throws = len(switch.positions)
        look_for = f"single pole, {throws} positions" + (" (SPST or SPDT)" if throws == 2 else "; break before make")
        yield Item(1, "Slide switch", look_for, switch.label)


def _display(display: Display) -> str:
    if display.chip == "tm1637":
        return "TM1637 module, four red 7-segment digits (blue and white want 5 V)"
    return f"HT16K33 backpack, four red 7-segment digits (blue and white want 5 V), I2C, set to {display.address:#x}"


def _wheel(unit: UnitWiring) -> Iterator[Item]:
    if isinstance(unit.wheel, As5600):
        yield Item(1, "Angle sensor", "AS5600 module, set for 3.3 V", "wheel")
        yield Item(1, "Magnet", "disc of about 6 x 2.5 mm, magnetised across its diameter", "the wheel's axle")
    elif isinstance(unit.wheel, Quadrature):
        look_for = "hall or photo sensor, open collector output, works at 3.3 V (many need 4.5 V)"
        yield Item(3, "Sensor", look_for, "wheel: a, b and index")
        yield Item(unit.wheel.cycles + 1, "Mark", "small magnets, or vanes for photo sensors", "the wheel's rim")


def _strip(unit: UnitWiring, lights: Lights) -> Iterator[Item]:
    look_for = f"WS2812B, {lights.volts:g} V, colour order {lights.order}; strip, ring or single ones in a chain"
    yield Item(lights.leds, "Colour LED", look_for, ", ".join(_lights_in_words(lights)))
    if lights.level_shifter:
        yield Item(1, "Level shifter", "74AHCT125 or 74HCT125 (not 74HC125), DIP-14", "the strip's data")
        yield Item(1, "Capacitor", "100 nF, ceramic", "across the level shifter's supply")
    if lights.capacitor_uf:
        look_for = f"{lights.capacitor_uf} µF, electrolytic, 10 V or more"
        yield Item(1, "Capacitor", look_for, "across the strip's supply; mind the polarity")
    if unit.supply is not None:
        feeds = "the strip and the board" if unit.supply.feeds_board else "the strip"
        look_for = (
            f"{unit.supply.volts:g} V regulated, {unit.supply.max_ma / 1000:g} A or more, with over-current protection"
        )
        yield Item(1, f"{unit.supply.volts:g} V supply", look_for, feeds)


def _lights_in_words(lights: Lights) -> list[str]:
    """Return the kinds of lights with their numbers: `3 pile`, `3 counter`."""
    kinds = Counter(light.name.rstrip("0123456789") for light in lights.layout)
    return [kind if number == 1 else f"{number} {kind}" for kind, number in kinds.items()]


def _resistors(unit: UnitWiring) -> Iterator[Item]:
    uses: dict[int, list[str]] = {}
    if unit.lights is not None and unit.lights.series_ohm:
        uses.setdefault(unit.lights.series_ohm, []).append("strip data")
    if unit.buzzer is not None and unit.buzzer.series_ohm:
        uses.setdefault(unit.buzzer.series_ohm, []).append("buzzer")
    for contact in unit.contacts:
        if contact.pull_up_ohm is not None:
            uses.setdefault(contact.pull_up_ohm, []).append(f"{contact.label} pull-up")
    for pad in unit.pressure_pads:
        uses.setdefault(pad.divider_ohm, []).append(f"{pad.label} divider")
    if isinstance(unit.wheel, Quadrature):
        uses.setdefault(unit.wheel.pull_up_ohm, []).extend(f"wheel {name} pull-up" for name in ("a", "b", "index"))
    if unit.battery is not None:
        for value in (unit.battery.top_ohm, unit.battery.bottom_ohm):
            if value:
                uses.setdefault(value, []).append("battery divider")
    for value in sorted(uses):
        yield Item(
            len(uses[value]), f"Resistor {ohm(value)}", "0.25 W, 5 % or better", ", ".join(dict.fromkeys(uses[value]))
        )
