"""The wiring sheet of a unit as SVG: a page to print, to read on a screen, and to have read aloud.

Wires come first and labels over them; each wire has a white edge, so that a crossing is seen in grey print as well.
Nothing depends on a clock, a hash or a locale: the same wiring gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from wiring import symbols
from wiring.config import config_lines
from wiring.geometry import (
    BOX_HEAD,
    BOX_ROW,
    CHIP_HEIGHT,
    PIN_X,
    STRIP_MARGIN,
    WIDTH,
    Box,
    Chip,
    Dot,
    Layout,
    Rect,
    Route,
    row_y,
    side_of,
)
from wiring.harness import SHIFTER, STRIP, Harness, Part, Terminal, Wire, harness
from wiring.labels import fitting, wrapped
from wiring.layout import layout
from wiring.model import Board, UnitWiring
from wiring.svg import COLOURS, INK, PAPER, SOFT, circle, escaped, line, readable_on, rect, text, text_width

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
BOARD_FILL, BOARD_EDGE = "#e8f5e9", "#2e7d32"
MARGIN = 36
NOTE_TEXT, NOTE_ROW = 16, 23
LABEL_TEXT = 16


def draw(unit: UnitWiring, board: Board) -> str:
    """Return the sheet of *unit* on *board* as SVG. The wiring must have passed `wiring.check`."""
    sheet = layout(harness(unit, board))
    notes = _notes(sheet.harness)
    first_note = sheet.height + 52
    height = sheet.height + 62 + NOTE_ROW * len(notes)
    title = f"{unit.title}: wiring for {board.title}"
    heading = fitting(title, 32, WIDTH - 2 * MARGIN, bold=True)
    legend = "The header is seen from above: SD-card end at the top, pin 1 (square) at the top left."
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    strokes = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" {strokes}',
        ' role="img" aria-labelledby="title desc">',
        f'<title id="title">{escaped(title)}</title>',
        f'<desc id="desc">{escaped(" ".join(described(sheet.harness)))}</desc>',
        rect(0, 0, WIDTH, height, PAPER, thick=0),
        text(MARGIN, 54, heading, 32, bold=True),
        text(MARGIN, 86, legend, 18, ink=SOFT),
        *_board(sheet),
        *(_wire(route, sheet) for route in sheet.routes),
        *_capacitor(sheet),
        *(_header_pin(number, sheet) for number in range(1, 41)),
        *(_chip(chip) for chip in sheet.chips),
        *(_box(box, sheet.harness) for box in sheet.boxes),
        *(text(MARGIN, first_note + NOTE_ROW * row, words, NOTE_TEXT, ink=SOFT) for row, words in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def described(harness: Harness) -> Iterator[str]:
    """Give a sentence for each wire, for whoever cannot see the sheet."""
    yield f"{harness.unit.title} on a {harness.board.title}, {len(harness.wires)} wires."
    for wire in harness.wires:
        yield _sentence(wire)


def _sentence(wire: Wire) -> str:
    ends = ", ".join(f"{part.title} {terminal.label}" for part, terminal in wire.ends)
    if wire.pin is None:
        return f"{wire.colour.capitalize()} wire between {ends}."
    return f"{wire.colour.capitalize()} wire from pin {wire.pin.number}, {wire.pin.name}, to {ends}."


def _wire(route: Route, sheet: Layout) -> str:
    colour = COLOURS[route.wire.colour]
    lines = [(*a, *b) for a, b in route.lines]
    for chip in sheet.chips:
        if chip.wire is route.wire:
            edge = chip.rect.right if chip.side == "left" else chip.rect.x
            lines.append((edge, chip.pin.y, *chip.pin))
    halo = "".join(line(*each, PAPER, 9) for each in lines)
    core = "".join(line(*each, colour, 4) for each in lines)
    joints = "".join(circle(*joint, 6, colour, PAPER, 1) for joint in route.joints)
    resistors = "".join(
        rect(*box, PAPER, INK, 2, 3) + text(box.x + box.width // 2, box.y - 7, ohm, 15, bold=True, anchor="middle")
        for box, ohm in route.resistors
    )
    return f"<g><title>{escaped(_sentence(route.wire))}</title>{halo}{core}{joints}{resistors}</g>"


def _board(sheet: Layout) -> Iterator[str]:
    board = sheet.board
    yield rect(*board, BOARD_FILL, BOARD_EDGE, 3, 16)
    yield text(board.x + board.width // 2, board.y + 20, "SD-card end", 15, ink=BOARD_EDGE, anchor="middle")
    middle = (PIN_X["left"] + PIN_X["right"]) // 2
    yield rect(middle - 42, row_y(1) - 19, 84, row_y(39) - row_y(1) + 38, INK, INK, 1, 5)


def _header_pin(number: int, sheet: Layout) -> str:
    pin = next(pin for pin in sheet.harness.board.pins if pin.number == number)
    wire = next((chip.wire for chip in sheet.chips if chip.wire.pin == pin), None)
    side, y = side_of(number), row_y(number)
    x = PIN_X[side]
    fill = "#616161" if wire is None else COLOURS[wire.colour]
    edge = "#9e9e9e" if wire is None else PAPER
    shape = rect(x - 14, y - 14, 28, 28, fill, edge, 2) if number == 1 else circle(x, y, 14, fill, edge, 2)
    drawn = shape + text(x, y + 5, str(number), 14, bold=True, ink=readable_on(fill), anchor="middle")
    if wire is None:
        function = f" {pin.functions[0]}" if pin.functions else ""
        words = pin.name + function
        away = x - 30 if side == "left" else x + 30
        drawn += text(away, y + 5, words, 14, ink="#37574a", anchor="end" if side == "left" else "start")
    return drawn


def _chip(chip: Chip) -> str:
    pin = chip.wire.pin
    if pin is None:
        return ""
    colour = COLOURS[chip.wire.colour]
    words = text(
        chip.rect.x + chip.rect.width // 2,
        chip.rect.y + CHIP_HEIGHT - 7,
        f"{pin.number} · {pin.name}",
        17,
        bold=True,
        ink=readable_on(colour),
        anchor="middle",
    )
    return rect(*chip.rect, colour, INK, 1, 6) + words


def _box(box: Box, harness: Harness) -> str:
    room = box.rect.width - 28
    drawn = [
        rect(*box.rect, PAPER, "#37474f", 2, 10),
        text(box.rect.x + 16, box.rect.y + 28, fitting(box.part.title, 20, room, bold=True), 20, bold=True),
        text(box.rect.x + 16, box.rect.y + 50, fitting(box.part.note, 15, room), 15, ink=SOFT),
        *symbols.inside(box),
    ]
    lights = harness.unit.lights
    if box.part.key == STRIP and lights is not None:
        top = box.rect.y + BOX_HEAD + 2 * BOX_ROW + 20
        left, width = box.rect.x + STRIP_MARGIN, box.rect.width - 2 * STRIP_MARGIN
        drawn += symbols.leds(lights, Rect(left, top, width, box.rect.bottom - top))
    far = box.rect.x + 20 if box.dots[0].side == "right" else box.rect.right - 110
    drawn += symbols.picture(box.part.picture, far, box.rect.bottom - 62)
    drawn += (circle(*dot.at, 7, "#d4af37", "#6d5610", 2) for dot in box.dots)
    drawn += (_label(dot, box, harness) for dot in box.dots)
    return f"<g><title>{escaped(box.part.title)}</title>{''.join(drawn)}</g>"


def _label(dot: Dot, box: Box, harness: Harness) -> str:
    """Return a terminal's name, bold, and softly where its wire leads."""
    gap = symbols.LABEL_GAP
    edge = dot.at.x
    if box.part.inside:
        edge, gap = symbols.column_x(box), gap + 14
    other = _other_end(dot.terminal, box.part, harness)
    room = box.rect.width - abs(edge - dot.at.x) - gap - 12
    other = fitting(other, LABEL_TEXT, room - 60)
    room -= text_width(f"{other} ", LABEL_TEXT) if other else 0
    name = fitting(_name(dot.terminal), LABEL_TEXT, room, bold=True)
    words = [f'<tspan font-weight="bold" fill="{INK}">{escaped(name)}</tspan>', f"<tspan>{escaped(other)}</tspan>"]
    if not other:
        words.pop()
    x, y = (edge + gap if dot.side == "left" else edge - gap), dot.at.y + 6
    anchor = "" if dot.side == "left" else ' text-anchor="end"'
    row = " ".join(words if dot.side == "left" else reversed(words))
    return f'<text x="{x}" y="{y}" font-size="{LABEL_TEXT}" fill="{SOFT}"{anchor}>{row}</text>'


def _name(terminal: Terminal) -> str:
    return f"{terminal.label}, {terminal.resistor}" if terminal.resistor and terminal.label == "+" else terminal.label


def _other_end(terminal: Terminal, part: Part, harness: Harness) -> str:
    """Return where the wire at *terminal* leads: a header pin, or the part at its other end if that is one and far."""
    wire = next(wire for wire in harness.wires if wire.net == terminal.net)
    if wire.pin is not None:
        return f"pin {wire.pin.number}"
    others = [each.title for each, _ in wire.ends if each.key != part.key]
    return f"to {others[0]}" if len(others) == 1 and part.key not in (SHIFTER, "supply") else ""


def _capacitor(sheet: Layout) -> Iterator[str]:
    if sheet.capacitor is None or sheet.harness.unit.lights is None:
        return
    (x, top), (_, bottom) = sheet.capacitor
    middle = (top + bottom) // 2
    yield line(x, top, x, middle - 5, COLOURS["black"], 4) + line(x, middle + 5, x, bottom, COLOURS["red"], 4)
    yield circle(x, top, 6, COLOURS["black"], PAPER, 1) + circle(x, bottom, 6, COLOURS["red"], PAPER, 1)
    yield rect(x - 15, middle - 8, 30, 5, INK, INK, 1) + rect(x - 15, middle + 4, 30, 5, PAPER, INK, 2)
    yield text(x + 14, middle - 14, "−", 16, bold=True) + text(x + 14, middle + 26, "+", 16, bold=True)
    micro = sheet.harness.unit.lights.capacitor_uf
    yield text(x + 21, middle + 6, f"{micro} µF" if micro < 10_000 else f"{micro / 1000:.3g} mF", 14, bold=True)


def _notes(harness: Harness) -> list[str]:
    unit = harness.unit
    notes = ["Wires join where there is a dot, and only there. Switch everything off before you wire."]
    if any(part.key == SHIFTER for part in harness.parts):
        notes.append(
            "74AHCT125: 1OE is its pin 1, 1A 2, 1Y 3, GND 7, VCC 14. Join 2A, 3A, 4A to GND and 2OE, 3OE, 4OE to VCC; "
            "100 nF between VCC and GND, at the chip."
        )
    if unit.supply is not None and unit.supply.feeds_board:
        notes.append("The supply feeds the board too: leave the board's own power socket empty.")
    elif unit.supply is not None:
        notes.append("The board keeps its own USB supply. The two supplies share ground; never join their 5 V.")
    notes.append(f"In /boot/firmware/config.txt: {'; '.join(config_lines(unit, harness.board))}")
    return [row for note in notes for row in wrapped(note.split(" "), NOTE_TEXT, WIDTH - 2 * MARGIN)]
