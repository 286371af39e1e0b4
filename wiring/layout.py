"""Where everything on a sheet lies: boxes, chips and wires. Geometry only; `wiring.draw` makes the SVG.

The header stands in the middle, odd pins left and even pins right, as on the board. Each part sits in the column on the
side of the pins it uses, as near to them as there is room; level shifter and strip lie in a band below the board,
between a ground line above and a 5 V line below.
"""

from __future__ import annotations

from wiring import lanes, routes
from wiring.geometry import (
    BOX_FOOT,
    BOX_HEAD,
    BOX_ROW,
    BOX_WIDTH,
    BOX_X,
    CAPACITOR_X,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    CHIP_X,
    GAP,
    LANE_PITCH,
    LED_ROW,
    PIN_X,
    ROW,
    SHIFTER_WIDTH,
    SHIFTER_X,
    STRIP_MARGIN,
    STRIP_WIDTH,
    STRIP_X,
    TOP,
    Box,
    Chip,
    Dot,
    Layout,
    Point,
    Rect,
    Side,
    row_y,
    side_of,
)
from wiring.harness import SHIFTER, STRIP, Harness, Part, Wire
from wiring.labels import led_lines


def layout(harness: Harness) -> Layout:
    """Return where everything lies on the sheet of *harness*."""
    board = Rect(676, TOP, 408, 20 * ROW + 58)
    chips = tuple(_chip(wire, wire.pin.number) for wire in harness.wires if wire.pin is not None)
    sides = _sides(harness)
    levels, boxes = _band(harness, sides, board.bottom)
    boxes += _column(harness, "left", sides, board.bottom)
    boxes += _column(harness, "right", sides, board.bottom)
    ways = routes.routes(harness.wires, chips, boxes, levels, sides)
    bottom = max([board.bottom, levels.power, *(box.rect.bottom for box in boxes)])
    capacitor = None
    if harness.unit.lights is not None and harness.unit.lights.capacitor_uf:
        capacitor = (Point(CAPACITOR_X, levels.ground), Point(CAPACITOR_X, levels.power))
    return Layout(harness, bottom, board, tuple(boxes), chips, ways, capacitor)


def _chip(wire: Wire, number: int) -> Chip:
    side, y = side_of(number), row_y(number)
    return Chip(wire, Rect(CHIP_X[side], y - CHIP_HEIGHT // 2, CHIP_WIDTH, CHIP_HEIGHT), Point(PIN_X[side], y), side)


def _signals(harness: Harness, part: Part) -> list[int]:
    """Return the header pins of the part's signals; of its other wires if it has none."""
    numbers = {wire.net: wire.pin.number for wire in harness.wires if wire.pin is not None}
    own = [terminal.net for terminal in part.terminals if terminal.net in numbers]
    return [numbers[net] for net in own if net.startswith("gpio")] or [numbers[net] for net in own]


def _sides(harness: Harness) -> dict[str, Side]:
    """Return the column of each part: that of most of its signals, or that of the converter it hangs on."""
    sides: dict[str, Side] = {}
    for part in harness.parts:
        if part.key in (SHIFTER, STRIP):
            continue
        odd = sum(1 if number % 2 else -1 for number in _signals(harness, part))
        sides[part.key] = "left" if odd > 0 or (odd == 0 and part.key != "supply") else "right"
        if any(terminal.net.startswith("channel") for terminal in part.terminals):
            sides[part.key] = sides["adc"]
    if "supply" in sides:
        sides["supply"] = "right"
    return sides


def _box(part: Part, side: Side, y: int) -> Box:
    """Return the box of *part* in the column of *side*, its terminals towards the header."""
    rect = Rect(BOX_X[side], y, BOX_WIDTH, BOX_HEAD + BOX_ROW * (len(part.terminals) - 1) + BOX_FOOT)
    x = rect.right if side == "left" else rect.x
    edge: Side = "right" if side == "left" else "left"
    dots = (Dot(terminal, Point(x, y + BOX_HEAD + BOX_ROW * row), edge) for row, terminal in enumerate(part.terminals))
    return Box(part, rect, tuple(dots))


def _column(harness: Harness, side: Side, sides: dict[str, Side], board_bottom: int) -> list[Box]:
    """Return the boxes of a column, in the order of their header pins, each as near to its pins as there is room."""
    parts = [part for part in harness.parts if sides.get(part.key) == side and part.key != "supply"]
    places = {part.key: _wanted(harness, part) for part in parts}
    for part in parts:  # what hangs on the converter follows it
        if part.key != "adc" and any(terminal.net.startswith("channel") for terminal in part.terminals):
            places[part.key] = places["adc"] + 1
    parts.sort(key=lambda part: places[part.key])
    heights = [_box(part, side, 0).rect.height for part in parts]
    room = max(board_bottom - TOP, sum(heights) + GAP * (len(parts) - 1))
    tops: list[int] = []
    y = TOP
    for number, part in enumerate(parts):
        below = sum(heights[number:]) + GAP * (len(parts) - number - 1)
        y = max(y, min(places[part.key], TOP + room - below))
        tops.append(y)
        y += heights[number] + GAP
    boxes = [_box(part, side, top) for part, top in zip(parts, tops, strict=True)]
    boxes = _settle(harness, boxes, side)
    supply = [part for part in harness.parts if part.key == "supply" and side == "right"]
    lowest = max([board_bottom + 2 * ROW, *(box.rect.bottom + GAP for box in boxes)])
    return boxes + [_box(part, side, lowest) for part in supply]


def _wanted(harness: Harness, part: Part) -> int:
    """Return the top of *part* that would put its signal terminals level with their pins."""
    rows = {wire.net: row_y(wire.pin.number) for wire in harness.wires if wire.pin is not None}
    offsets = [
        rows[terminal.net] - BOX_HEAD - BOX_ROW * row
        for row, terminal in enumerate(part.terminals)
        if terminal.net.startswith("gpio")
    ]
    return sum(offsets) // len(offsets) if offsets else TOP


def _settle(harness: Harness, boxes: list[Box], side: Side) -> list[Box]:
    """Return *boxes*, each moved a little so that its terminals are not nearly level with other wires' chips."""
    chips = {
        wire.net: row_y(wire.pin.number)
        for wire in harness.wires
        if wire.pin is not None and side_of(wire.pin.number) == side
    }
    settled: list[Box] = []
    for box in boxes:
        least = settled[-1].rect.bottom + GAP if settled else TOP
        wanted = max(least, box.rect.y)
        tops = range(max(least, wanted - ROW), wanted + ROW)
        calm = min(tops, key=lambda top: (*_unease(_box(box.part, side, top), chips), abs(top - wanted), top))
        settled.append(_box(box.part, side, calm))
    return settled


def _unease(box: Box, chips: dict[str, int]) -> tuple[int, int]:
    """Return how many terminals are nearly level with a foreign chip, and how many almost with their own."""
    foreign = own = 0
    for dot in box.dots:
        for net, y in chips.items():
            near = abs(dot.at.y - y)
            foreign += net != dot.terminal.net and near < lanes.CLEARANCE
            own += net == dot.terminal.net and 0 < near < lanes.CLEARANCE
    return foreign, own


def _band(harness: Harness, sides: dict[str, Side], board_bottom: int) -> tuple[routes.Levels, list[Box]]:
    """Return the heights of the lines below the board, and the boxes of level shifter and strip among them."""
    crossing: dict[str, int] = {}
    y = board_bottom + 20
    for wire in harness.wires:
        if len(routes.lane_sides(wire, sides)) == 2 and routes.band_level(wire) in ("", "data"):
            crossing[wire.net] = y
            y += LANE_PITCH
    top = y + 34
    parts = {part.key: part for part in harness.parts}
    boxes: list[Box] = []
    bottom = top
    for key, x, width in ((SHIFTER, SHIFTER_X, SHIFTER_WIDTH), (STRIP, STRIP_X, STRIP_WIDTH)):
        if key in parts:
            rect = Rect(x, top, width, BOX_HEAD + 2 * BOX_ROW + BOX_FOOT)
            if key == STRIP and harness.unit.lights is not None:
                lines = len(led_lines(harness.unit.lights, width - 2 * STRIP_MARGIN))
                rect = rect._replace(height=rect.height + 34 + lines * LED_ROW)
            boxes.append(_band_box(parts[key], rect))
            bottom = max(bottom, boxes[-1].rect.bottom)
    data = top + BOX_HEAD + BOX_ROW
    return routes.Levels(crossing, top - 28, data, bottom + 24), boxes


def _band_box(part: Part, rect: Rect) -> Box:
    dots = []
    for row, terminal in enumerate(part.terminals):
        out = row == 3  # the shifter's output, opposite its input
        at = Point(rect.right if out else rect.x, rect.y + BOX_HEAD + BOX_ROW * (1 if out else row))
        dots.append(Dot(terminal, at, "right" if out else "left"))
    return Box(part, rect, tuple(dots))
