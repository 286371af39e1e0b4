"""A few SVG elements as text, with whole numbers and escaped words, so that the same sheet is the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

INK = "#212121"
SOFT = "#455a64"
PAPER = "#ffffff"
COLOURS = {
    "red": "#c62828",
    "orange": "#ef6c00",
    "black": "#212121",
    "brown": "#6d4c41",
    "grey": "#90a4ae",
    "purple": "#7b1fa2",
    "blue": "#1565c0",
    "green": "#2e7d32",
    "yellow": "#fbc02d",
}

# Advance widths of DejaVu Sans Bold in thousandths of the size, by kind of letter; the regular face is narrower.
_NARROW, _WIDE = set("iljI.,:;'|!·()[]t fr-"), set("mwMW%@ΩQOGD…+−")


def text_width(words: str, size: int, *, bold: bool = False) -> int:
    """Return about how wide *words* are, in pixels, rather more than less."""
    thousandths = sum(440 if letter in _NARROW else 1000 if letter in _WIDE else 720 for letter in words)
    return thousandths * size // (1000 if bold else 1110)


def readable_on(colour: str) -> str:
    """Return the ink, dark or white, that has more contrast on *colour*."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (`#rrggbb`), 1 to 21, as the web's guidelines define it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def escaped(words: str) -> str:
    """Return *words* as character data."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text(
    x: int,
    y: int,
    words: str,
    size: int,
    *,
    bold: bool = False,
    ink: str = INK,
    anchor: Literal["start", "middle", "end"] = "start",
) -> str:
    """Return *words* with their baseline at *y*."""
    weight = ' font-weight="bold"' if bold else ""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{ink}"{weight}{placed}>{escaped(words)}</text>'


def line(x1: int, y1: int, x2: int, y2: int, stroke: str = INK, width: int = 2) -> str:
    """Return a straight line with round ends."""
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{stroke}" stroke-width="{width}"/>'


def path(points: Iterable[tuple[int, int]], stroke: str = INK, width: int = 2, fill: str = "none") -> str:
    """Return a line through *points*."""
    way = "L".join(f"{x} {y}" for x, y in points)
    return f'<path d="M{way}" stroke="{stroke}" stroke-width="{width}" fill="{fill}"/>'


def rect(
    x: int, y: int, width: int, height: int, fill: str = PAPER, stroke: str = INK, thick: int = 2, radius: int = 0
) -> str:
    """Return a rectangle; *radius* rounds its corners."""
    rounded = f' rx="{radius}"' if radius else ""
    edge = f' stroke="{stroke}" stroke-width="{thick}"' if thick else ""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}"{rounded} fill="{fill}"{edge}/>'


def circle(x: int, y: int, radius: int, fill: str = PAPER, stroke: str = INK, thick: int = 2) -> str:
    """Return a circle."""
    edge = f' stroke="{stroke}" stroke-width="{thick}"' if thick else ""
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"{edge}/>'
