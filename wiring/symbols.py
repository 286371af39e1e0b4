"""What is drawn inside a part's box: the devices between its terminals, and a small picture of the part."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wiring.geometry import BOX_ROW, LED_ROW, Box, Rect
from wiring.harness import Between, Picture
from wiring.labels import LED_TEXT, led_lines
from wiring.model import Lights
from wiring.svg import INK, PAPER, SOFT, circle, line, path, rect, text

COLUMN = 24  # from the box's edge to the column where devices stand
COLUMN_BEHIND_RESISTOR = 64
LABEL_GAP = 16
LED_FILL = ("#ffffff", "#b0bec5")


def column_x(box: Box) -> int:
    """Return the x of the column in which the devices of *box* stand."""
    inwards = COLUMN_BEHIND_RESISTOR if any(dot.terminal.resistor for dot in box.dots) else COLUMN
    return box.dots[0].at.x + (inwards if box.dots[0].side == "left" else -inwards)


def inside(box: Box) -> Iterator[str]:
    """Give the devices between the terminals of *box*, with their leads."""
    if not box.part.inside:
        return
    x = column_x(box)
    for dot in box.dots:
        yield line(dot.at.x, dot.at.y, x, dot.at.y, SOFT)
        if dot.terminal.resistor:
            yield rect((dot.at.x + x) // 2 - 15, dot.at.y - 6, 30, 12, PAPER, SOFT)
    deeper = 14 if box.dots[0].side == "left" else -14
    for between in box.part.inside:
        yield from _device(between, x, deeper, box.dots[between.upper].at.y, box.dots[between.lower].at.y)


def _device(between: Between, x: int, deeper: int, top: int, bottom: int) -> Iterator[str]:
    middle = (top + bottom) // 2
    if between.device == "slide":
        yield from _slide(x, deeper, top, bottom)
        return
    half = 7
    yield line(x, top, x, middle - half, SOFT)
    yield line(x, middle + half, x, bottom, SOFT)
    if between.device == "contact":
        yield line(x, middle + half, x + deeper // 2, middle - half, SOFT)
        yield circle(x, middle - half, 2, SOFT, SOFT, 1) + circle(x, middle + half, 2, SOFT, SOFT, 1)
    elif between.device == "piezo":
        yield rect(x - 9, middle - 3, 18, 6, PAPER, SOFT)
        yield line(x - 9, middle - half, x + 9, middle - half, SOFT) + line(
            x - 9, middle + half, x + 9, middle + half, SOFT
        )
    else:
        yield rect(x - 5, middle - half, 10, 2 * half, PAPER, SOFT)
        if between.device == "pressure":
            yield path([(x - 10, middle + 6), (x + 10, middle - 6)], SOFT)
            yield path([(x + 4, middle - 6), (x + 10, middle - 6), (x + 8, middle)], SOFT)


def _slide(x: int, deeper: int, top: int, bottom: int) -> Iterator[str]:
    """Give the poles of a slide switch: one a row, and the lever that joins the first to the last."""
    yield line(x, bottom, x + deeper, bottom, SOFT)
    yield line(x + deeper, bottom, x + deeper, top + 8, SOFT)
    yield line(x + deeper, top + 8, x + deeper // 7 * 2, top + 2, SOFT)
    for y in range(top, bottom, BOX_ROW):
        yield circle(x, y, 3, PAPER, SOFT)


def picture(kind: Picture, x: int, y: int) -> Iterator[str]:
    """Give a small picture, about 90 wide and 50 high, with its upper left corner at *x*, *y*."""
    if kind in _PICTURES:
        yield from _PICTURES[kind](x, y)


def _digits(x: int, y: int) -> Iterator[str]:
    yield rect(x, y, 94, 44, "#37474f", "#37474f", 1, 4)
    for left in range(x + 9, x + 90, 21):
        top, right = y + 8, left + 12
        outline = [(left, top), (right, top), (right, top + 28), (left, top + 28), (left, top)]
        yield path(outline, "#ffab91", 3) + line(left, top + 14, right, top + 14, "#ffab91", 3)


def _wheel(x: int, y: int) -> Iterator[str]:
    yield circle(x + 26, y + 24, 24, PAPER, SOFT)
    yield circle(x + 26, y + 24, 8, "#b0bec5", SOFT) + line(x + 26, y + 16, x + 26, y + 32, SOFT)
    yield path([(x + 62, y + 12), (x + 68, y + 24), (x + 62, y + 36)], SOFT)
    yield path([(x + 58, y + 31), (x + 62, y + 36), (x + 68, y + 34)], SOFT)


def _hall(x: int, y: int) -> Iterator[str]:
    for left in range(x, x + 90, 32):
        yield path([(left, y + 26), (left, y + 8), (left + 6, y + 2), (left + 18, y + 2), (left + 24, y + 8)], SOFT)
        yield path([(left + 24, y + 8), (left + 24, y + 26), (left, y + 26)], SOFT)
        for leg in (4, 12, 20):
            yield line(left + leg, y + 26, left + leg, y + 42, SOFT)


def _chip(x: int, y: int) -> Iterator[str]:
    yield rect(x, y + 8, 78, 30, "#37474f", "#37474f", 1, 3)
    for leg in range(x + 9, x + 76, 15):
        yield line(leg, y + 2, leg, y + 7, SOFT, 3) + line(leg, y + 39, leg, y + 44, SOFT, 3)
    yield circle(x + 9, y + 30, 3, PAPER, PAPER, 0)


def _supply(x: int, y: int) -> Iterator[str]:
    yield rect(x, y + 6, 46, 34, PAPER, SOFT, 2, 4)
    yield line(x - 12, y + 15, x, y + 15, SOFT, 4) + line(x - 12, y + 31, x, y + 31, SOFT, 4)
    yield path([(x + 46, y + 23), (x + 62, y + 23), (x + 66, y + 30), (x + 74, y + 30)], SOFT, 3)


_PICTURES: dict[str, Callable[[int, int], Iterator[str]]] = {
    "digits": _digits,
    "wheel": _wheel,
    "hall": _hall,
    "chip": _chip,
    "supply": _supply,
}


def leds(lights: Lights, area: Rect) -> Iterator[str]:
    """Give the chain of LEDs, the LEDs of one light in one shade, and below it which LEDs belong to which light."""
    shades = {led: place % 2 for place, light in enumerate(lights.layout) for led in light.leds}
    shown = min(lights.leds, 24)
    pitch = min(18, area.width // shown)
    y = area.y + 10
    yield line(area.x, y, area.x + shown * pitch, y, SOFT)
    for led in range(shown):
        yield circle(area.x + led * pitch + pitch // 2, y, pitch // 2 - 1, LED_FILL[shades.get(led, 0)], INK, 1)
    for row, words in enumerate(led_lines(lights, area.width)):
        yield text(area.x, y + 30 + LED_ROW * row, words, LED_TEXT, ink=SOFT)
