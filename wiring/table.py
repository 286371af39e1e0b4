"""The pin table of a unit in Markdown: what to join with what, to tick off while one wires."""

from __future__ import annotations

from wiring.config import config_lines
from wiring.harness import SCL, SDA, SHIFTER, Part, Terminal, Wire, harness
from wiring.model import Board, UnitWiring
from wiring.pins import strip_way


def table(unit: UnitWiring, board: Board) -> str:
    """Return the pin table of *unit* on *board*. The wiring must have passed `wiring.check`."""
    built = harness(unit, board)
    wires = {wire.net: wire for wire in built.wires}
    rows = [
        _row(unit, board, part, terminal, wires[terminal.net]) for part in built.parts for terminal in part.terminals
    ]
    lines = [
        f"# {unit.title} on {board.title}: pins",
        "",
        f"Made from `{unit.file}` by `pilelight wiring table`; change that file, not this one.",
        "GPIO is the number that programs use, pin the place on the 2x20 header: pin 1 is at the SD-card end.",
        "",
        *aligned([["Part", "Terminal", "Wire", "GPIO", "Pin", "Note"], *rows]),
    ]
    config = config_lines(unit, board)
    if config:
        lines += ["", "In `/boot/firmware/config.txt`:", "", "```", *config, "```"]
    if unit.lights is not None:
        lines += ["", f"The strip never draws more than {unit.lights.max_ma} mA: frames are scaled down to that."]
    return "\n".join(lines) + "\n"


def _row(unit: UnitWiring, board: Board, part: Part, terminal: Terminal, wire: Wire) -> list[str]:
    pin = wire.pin
    gpio = "" if pin is None or pin.gpio is None else str(pin.gpio)
    place = "" if pin is None else str(pin.number)
    return [part.title, terminal.label, wire.colour, gpio, place, "; ".join(_notes(unit, board, part, terminal, wire))]


def _notes(unit: UnitWiring, board: Board, part: Part, terminal: Terminal, wire: Wire) -> list[str]:
    """Return what a maker should know about one terminal."""
    notes = []
    pin = wire.pin
    if pin is None:
        others = [f"{each.title} {end.label}" for each, end in wire.ends if each.key != part.key]
        notes.append(f"to {' and '.join(others)}")
    elif pin.gpio is None:
        notes.append(pin.name)
    elif pin.gpio in (SDA, SCL) and terminal.label in ("SDA", "SCL"):
        notes.append(f"I2C1 {terminal.label}")
    elif unit.lights is not None and pin.gpio == unit.lights.data:
        notes.append(f"through {strip_way(unit, board)}")
    elif unit.buzzer is not None and pin.gpio == unit.buzzer.gpio:
        functions = board.functions(pin.gpio, "PWM") if unit.buzzer.drive == "hardware" else ("software PWM",)
        notes.append(functions[0])
    elif part.key.startswith(("contacts", "switches")):
        notes.append("input, pulled up; ground when closed")
    if terminal.resistor:
        notes.append(f"{terminal.resistor} in the wire")
    if part.key == SHIFTER and terminal.label == "GND, 1OE":
        notes.append("2A, 3A, 4A too")
    if part.key == SHIFTER and terminal.label == "VCC":
        notes.append("2OE, 3OE, 4OE too; 100 nF to GND at the chip")
    return notes


def aligned(rows: list[list[str]]) -> list[str]:
    """Return *rows*, the first of them the head, as a Markdown table whose columns line up."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]
