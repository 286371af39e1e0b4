"""The shapes of a sheet and the page they lie on. All numbers are whole pixels."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from wiring.harness import Harness, Part, Terminal, Wire

Side: TypeAlias = Literal["left", "right"]

WIDTH = 1760
TOP = 118
ROW = 36  # between two rows of the header
PIN_X: dict[Side, int] = {"left": 860, "right": 900}
CHIP_WIDTH, CHIP_HEIGHT = 126, 26
CHIP_X: dict[Side, int] = {"left": 538, "right": 1096}  # left edges
LANES: dict[Side, tuple[int, int]] = {
    "left": (526, 316),
    "right": (1234, 1444),
}  # from the one next to the chips to the one next to the parts
LANE_PITCH = 17
BOX_X: dict[Side, int] = {"left": 36, "right": 1460}
BOX_WIDTH = 264
BOX_HEAD = 74  # from the upper edge to the first terminal
BOX_ROW = 25
BOX_FOOT = 18
GAP = 16  # between two boxes of a column
SHIFTER_X, SHIFTER_WIDTH = 560, 200
STRIP_X, STRIP_WIDTH, STRIP_MARGIN = 860, 260, 14
CAPACITOR_X = STRIP_X + STRIP_WIDTH + 20
DROP = 17  # from a box of the band to the lanes that lead up and down from it
LED_ROW = 19  # a line of text below the strip's LEDs
RESISTOR = 46


class Point(NamedTuple):
    """A place on the page."""

    x: int
    y: int


class Rect(NamedTuple):
    """An upright rectangle."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The lower edge."""
        return self.y + self.height


class Dot(NamedTuple):
    """A terminal of a box; *side* is the edge it sits on."""

    terminal: Terminal
    at: Point
    side: Side


class Box(NamedTuple):
    """A part on the page."""

    part: Part
    rect: Rect
    dots: tuple[Dot, ...]


class Chip(NamedTuple):
    """The label of a used header pin, and the pin itself."""

    wire: Wire
    rect: Rect
    pin: Point
    side: Side


class Route(NamedTuple):
    """A wire on the page: level and upright lines only, dots where three ends meet, and resistors in the way."""

    wire: Wire
    lines: tuple[tuple[Point, ...], ...]
    joints: tuple[Point, ...]
    resistors: tuple[tuple[Rect, str], ...]


class Layout(NamedTuple):
    """A whole sheet."""

    harness: Harness
    height: int
    board: Rect
    boxes: tuple[Box, ...]
    chips: tuple[Chip, ...]
    routes: tuple[Route, ...]
    capacitor: tuple[Point, Point] | None


def row_y(number: int) -> int:
    """Return the height of header pin *number*."""
    return TOP + 46 + (number - 1) // 2 * ROW


def side_of(number: int) -> Side:
    """Return the column of header pin *number*."""
    return "left" if number % 2 else "right"
