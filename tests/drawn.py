"""What can be wrong with a drawn sheet, found by geometry: each function returns its faults, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree as ET

from wiring.geometry import Layout, Point, Rect
from wiring.svg import text_width

SVG = "{http://www.w3.org/2000/svg}"
APART = 8  # between two lines of different wires, from middle to middle

Line = tuple[Point, Point]


def lines_of(drawn: Layout) -> list[tuple[str, Point, Point]]:
    """Return the net and the two ends of every line of every wire, those over the board included."""
    lines = [(route.wire.net, *line) for route in drawn.routes for line in route.lines]
    for chip in drawn.chips:
        edge = chip.rect.right if chip.side == "left" else chip.rect.x
        lines.append((chip.wire.net, Point(edge, chip.pin.y), chip.pin))
    return lines


def texts(svg: str) -> list[tuple[str, Rect]]:
    """Return every text of *svg* and about the room that it takes."""
    found = []
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        words = "".join(element.itertext())
        size, x, y = (int(element.attrib[key]) for key in ("font-size", "x", "y"))
        width = text_width(words, size, bold="font-weight" in element.attrib)
        left = {"start": x, "middle": x - width // 2, "end": x - width}[element.get("text-anchor", "start")]
        found.append((words, Rect(left, y - size * 3 // 4, width, size * 3 // 4)))
    return found


def faults(drawn: Layout, svg: str) -> list[str]:
    """Return everything that is wrong with a sheet."""
    return [
        *slanting_or_loose(drawn),
        *torn(drawn),
        *through_parts(drawn),
        *through_words(drawn, svg),
        *side_by_side(drawn),
        *false_joints(drawn),
        *parts_on_parts(drawn),
        *words_on_words(svg),
        *words_out_of_place(drawn, svg),
    ]


def slanting_or_loose(drawn: Layout) -> Iterator[str]:
    """Give wires that are neither level nor upright, and terminals that a wire does not reach."""
    for net, one, other in lines_of(drawn):
        if one.x != other.x and one.y != other.y:
            yield f"{net} slants"
    for route in drawn.routes:
        ends = {point for line in route.lines for point in line}
        for box in drawn.boxes:
            for dot in box.dots:
                if dot.terminal.net == route.wire.net and dot.at not in ends:
                    yield f"{route.wire.net} does not reach {box.part.title}"


def torn(drawn: Layout) -> Iterator[str]:
    """Give wires of which one cannot come from every end to every other."""
    for route in drawn.routes:
        reached, left = [route.lines[0]], list(route.lines[1:])
        while joined := [line for line in left if any(touch(line, other) for other in reached)]:
            reached += joined
            left = [line for line in left if line not in joined]
        if left:
            yield f"{route.wire.net} is torn"


def through_parts(drawn: Layout) -> Iterator[str]:
    """Give wires that run through a chip or a box."""
    for net, one, other in lines_of(drawn):
        for chip in drawn.chips:
            if overlaps(chip.rect, one, other):
                yield f"{net} runs through the chip of {chip.wire.net}"
        for box in drawn.boxes:
            if overlaps(box.rect, one, other):
                yield f"{net} runs through {box.part.title}"


def through_words(drawn: Layout, svg: str) -> Iterator[str]:
    """Give wires that run through words, but for the number of their own pin."""
    pins = {str(number) for number in range(1, 41)}
    chips = {f"{chip.wire.pin.number} · {chip.wire.pin.name}" for chip in drawn.chips if chip.wire.pin is not None}
    lines = lines_of(drawn)
    for words, place in texts(svg):
        if words not in pins | chips:
            yield from (f"{net} runs through {words!r}" for net, *line in lines if overlaps(place, *line))


def side_by_side(drawn: Layout) -> Iterator[str]:
    """Give wires that run side by side so closely that they look like one."""
    for one, other in combinations(lines_of(drawn), 2):
        if one[0] != other[0] and beside(one[1:], other[1:]):
            yield f"{one[0]} and {other[0]} look like one"


def false_joints(drawn: Layout) -> Iterator[str]:
    """Give ends of a wire on the line of another: they would look like a joint."""
    lines = lines_of(drawn)
    for net, *ends in lines:
        for other, *line in lines:
            if other != net and any(touch((point, point), (line[0], line[1])) for point in ends):
                yield f"{net} ends on {other}"


def parts_on_parts(drawn: Layout) -> Iterator[str]:
    """Give boxes, chips and board that lie on each other."""
    rects = [(box.part.title, box.rect) for box in drawn.boxes]
    rects += [(chip.wire.net, chip.rect) for chip in drawn.chips] + [("the board", drawn.board)]
    for (one, first), (other, second) in combinations(rects, 2):
        if overlaps(first, *corners(second)):
            yield f"{one} lies on {other}"


def words_on_words(svg: str) -> Iterator[str]:
    """Give words that lie on other words."""
    for (one, first), (other, second) in combinations(texts(svg), 2):
        if overlaps(first, *corners(second)):
            yield f"{one!r} lies on {other!r}"


def words_out_of_place(drawn: Layout, svg: str) -> Iterator[str]:
    """Give words that hang over the page's edge or their part's."""
    root = ET.fromstring(svg)
    page = Rect(0, 0, int(root.attrib["width"]), int(root.attrib["height"]))
    for words, place in texts(svg):
        if not holds(page, place):
            yield f"{words!r} hangs over the page"
        for box in drawn.boxes:
            if overlaps(box.rect, *corners(place)) and not holds(box.rect, place):
                yield f"{words!r} hangs over {box.part.title}"


def corners(rect: Rect) -> Line:
    """Return the upper left and lower right corner."""
    return Point(rect.x, rect.y), Point(rect.right, rect.bottom)


def holds(outer: Rect, inner: Rect) -> bool:
    """Tell whether *inner* lies in *outer*."""
    return outer.x <= inner.x and inner.right <= outer.right and outer.y <= inner.y and inner.bottom <= outer.bottom


def overlaps(rect: Rect, one: Point, other: Point) -> bool:
    """Tell whether the line (or rectangle) between two points runs through *rect*; touching its edge is fine."""
    return (
        min(one.x, other.x) < rect.right
        and max(one.x, other.x) > rect.x
        and min(one.y, other.y) < rect.bottom
        and max(one.y, other.y) > rect.y
    )


def beside(one: Line, other: Line) -> bool:
    """Tell whether two parallel lines are nearer than `APART` for a part of their way."""
    for along, across in ((0, 1), (1, 0)):
        if one[0][across] == one[1][across] and other[0][across] == other[1][across]:
            near = abs(one[0][across] - other[0][across]) < APART
            first, second = (sorted((line[0][along], line[1][along])) for line in (one, other))
            if near and max(first[0], second[0]) < min(first[1], second[1]):
                return True
    return False


def touch(one: Line, other: Line) -> bool:
    """Tell whether an end of one line lies on the other."""

    def on(point: Point, line: Line) -> bool:
        xs, ys = sorted((line[0].x, line[1].x)), sorted((line[0].y, line[1].y))
        return xs[0] <= point.x <= xs[1] and ys[0] <= point.y <= ys[1]

    return any(on(point, other) for point in one) or any(on(point, one) for point in other)
