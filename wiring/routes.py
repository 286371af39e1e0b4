"""The wires of a sheet: from the chips through the lanes to the terminals, and through the band below the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wiring import lanes
from wiring.geometry import (
    CAPACITOR_X,
    CHIP_WIDTH,
    DROP,
    LANE_PITCH,
    LANES,
    RESISTOR,
    Box,
    Chip,
    Point,
    Rect,
    Route,
    Side,
    side_of,
)
from wiring.harness import SHIFTER, STRIP, Wire

Line = tuple[Point, Point]


class Levels(NamedTuple):
    """The heights of the lines that lead from the lanes into the middle of the page."""

    crossing: Mapping[str, int]  # nets that change sides, below the board
    ground: int
    data: int
    power: int

    def of(self, wire: Wire) -> int | None:
        """Return the height at which *wire* leads into the middle, or None if it does not."""
        level = band_level(wire)
        if level in ("ground", "power"):
            return self.ground if level == "ground" else self.power
        return self.crossing.get(wire.net)


def band_level(wire: Wire) -> str:
    """Return the line of the band that *wire* feeds: `ground`, `data`, `power`, `out` of the shifter, or none."""
    rows = {part.terminals.index(terminal) for part, terminal in wire.ends if part.key in (SHIFTER, STRIP)}
    if 3 in rows:  # only the shifter has a fourth terminal
        return "out"
    return ("ground", "data", "power")[rows.pop()] if rows else ""


def lane_sides(wire: Wire, sides: Mapping[str, Side]) -> list[Side]:
    """Return the sides on which *wire* needs a lane, given the column of each part."""
    needed: set[Side] = {sides[part.key] for part, _ in wire.ends if part.key in sides}
    if wire.pin is not None:
        needed.add(side_of(wire.pin.number))
    if band_level(wire) == "data":
        needed.add("left")
    return sorted(needed)


def routes(
    wires: Sequence[Wire], chips: Sequence[Chip], boxes: Sequence[Box], levels: Levels, sides: Mapping[str, Side]
) -> tuple[Route, ...]:
    """Return the way of every wire."""
    lane_x: dict[tuple[str, Side], int] = {}
    runs: dict[tuple[str, Side], lanes.Run] = {}
    for side in LANES:
        here = {wire.net: _run(wire, side, chips, boxes, levels) for wire in wires if side in lane_sides(wire, sides)}
        nets = list(here)
        first, last = LANES[side]
        step = min(LANE_PITCH, abs(last - first) // max(1, len(nets) - 1)) * (1 if last > first else -1)
        for place, number in enumerate(lanes.order([here[net] for net in nets])):
            lane_x[nets[number], side] = first + place * step
            runs[nets[number], side] = here[nets[number]]
    drawn: list[Route] = []
    for wire in wires:
        ways = {side: lane_x[wire.net, side] for side in LANES if (wire.net, side) in lane_x}
        lines = list(_lines(wire, ways, runs, chips, boxes, levels))
        drawn.append(Route(wire, tuple(lines), _joints(lines), tuple(_resistors(wire, boxes))))
    return tuple(drawn)


def _run(wire: Wire, side: Side, chips: Sequence[Chip], boxes: Sequence[Box], levels: Levels) -> lanes.Run:
    """Return the heights at which *wire* enters and leaves its lane on *side*."""
    header = [chip.pin.y for chip in chips if chip.wire is wire and chip.side == side]
    level = levels.of(wire)
    if level is not None:
        header.append(level)
    if band_level(wire) == "data" and side == "left":
        header.append(levels.data)
    return lanes.Run(tuple(header), tuple(dot_y for dot_y, _ in _column_dots(wire, side, boxes)))


def _column_dots(wire: Wire, side: Side, boxes: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Give height and x of the terminals of *wire* in the column of *side*."""
    for box in boxes:
        if box.part.key in (SHIFTER, STRIP) or (box.rect.x < CAPACITOR_X) != (side == "left"):
            continue
        yield from ((dot.at.y, dot.at.x) for dot in box.dots if dot.terminal.net == wire.net)


def _lines(
    wire: Wire,
    ways: Mapping[Side, int],
    runs: Mapping[tuple[str, Side], lanes.Run],
    chips: Sequence[Chip],
    boxes: Sequence[Box],
    levels: Levels,
) -> Iterator[Line]:
    for side, x in ways.items():
        run = runs[wire.net, side]
        if run.top < run.bottom:
            yield Point(x, run.top), Point(x, run.bottom)
        for chip in chips:
            if chip.wire is wire and chip.side == side:
                edge = chip.rect.x if side == "left" else chip.rect.x + CHIP_WIDTH
                yield Point(edge, chip.pin.y), Point(x, chip.pin.y)
        for y, end in _column_dots(wire, side, boxes):
            yield Point(x, y), Point(end, y)
    yield from _band_lines(wire, ways, boxes, levels)


def _band_lines(wire: Wire, ways: Mapping[Side, int], boxes: Sequence[Box], levels: Levels) -> Iterator[Line]:
    """Give the lines of *wire* in the middle of the page, below the board."""
    band = [box for box in boxes if box.part.key in (SHIFTER, STRIP)]
    dots = [dot for box in band for dot in box.dots if dot.terminal.net == wire.net]
    level = band_level(wire)
    y = levels.of(wire)
    if level == "out":
        yield dots[0].at, dots[1].at
    if level == "data":
        yield Point(ways["left"], levels.data), dots[0].at
    if y is None:
        return
    reach = list(ways.values())
    if level in ("ground", "power"):
        reach.append(CAPACITOR_X)
        for dot in dots:
            drop = dot.at.x - DROP
            reach.append(drop)
            yield dot.at, Point(drop, dot.at.y)
            yield Point(drop, dot.at.y), Point(drop, y)
    yield Point(min(reach), y), Point(max(reach), y)


def _joints(lines: Sequence[Line]) -> tuple[Point, ...]:
    """Return the points where three or more ends of *lines* meet."""
    ends = sorted({point for line in lines for point in line})
    return tuple(point for point in ends if sum(_ends_at(line, point) for line in lines) >= 3)


def _ends_at(line: Line, point: Point) -> int:
    """Return how many ways lead from *point* along *line*: one at its end, two in between."""
    if point in line:
        return 1
    (x1, y1), (x2, y2) = line
    return 2 if min(x1, x2) <= point.x <= max(x1, x2) and min(y1, y2) <= point.y <= max(y1, y2) else 0


def _resistors(wire: Wire, boxes: Sequence[Box]) -> Iterator[tuple[Rect, str]]:
    """Give the resistors that lie in the wire itself: the one before the strip's data input."""
    for box in boxes:
        for dot in box.dots:
            if box.part.key == STRIP and dot.terminal.net == wire.net and dot.terminal.resistor:
                x = dot.at.x - DROP - 22 - RESISTOR
                yield Rect(x, dot.at.y - 8, RESISTOR, 16), dot.terminal.resistor
