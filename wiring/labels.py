"""Words that have to fit: which LEDs belong to which light, and long notes, in lines of a given width."""

from __future__ import annotations

from collections.abc import Sequence

from wiring.model import Lights
from wiring.svg import text_width

LED_TEXT = 14


def led_lines(lights: Lights, width: int) -> list[str]:
    """Return which LEDs belong to which light, in lines of *width*; the wiring file has what does not fit in five."""
    rows = wrapped(led_groups(lights), LED_TEXT, width)
    return rows if len(rows) <= 5 else [*rows[:4], "… see the wiring file"]


def led_groups(lights: Lights) -> list[str]:
    """Return which LEDs belong to which light: `0–3 pile1,`; a series is one entry: `0–17 seg1 … seg9 (2 each)`."""
    series: dict[str, list[int]] = {}
    for place, light in enumerate(lights.layout):
        series.setdefault(light.name.rstrip("0123456789"), []).append(place)
    groups: list[str] = []
    for place, light in enumerate(lights.layout):
        members = series[light.name.rstrip("0123456789")]
        if len(members) <= 3:
            groups.append(f"{ranges(light.leds)} {light.name}")
        elif place == members[0]:
            numbers = [led for member in members for led in lights.layout[member].leds]
            sizes = {len(lights.layout[member].leds) for member in members}
            each = f" ({sizes.pop()} each)" if len(sizes) == 1 and max(sizes) > 1 else ""
            groups.append(f"{ranges(numbers)} {light.name} … {lights.layout[members[-1]].name}{each}")
    return [f"{group}," for group in groups[:-1]] + groups[-1:]


def ranges(numbers: Sequence[int]) -> str:
    """Return *numbers* with runs drawn together: `0–3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def wrapped(words: Sequence[str], size: int, width: int) -> list[str]:
    """Return *words*, which stay whole, in lines that fit *width* at *size*."""
    rows: list[str] = []
    for word in words:
        if rows and text_width(f"{rows[-1]} {word}", size) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows


def fitting(words: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return *words*, cut with an ellipsis if they are wider than *width* at *size*."""
    if text_width(words, size, bold=bold) <= width:
        return words
    while words and text_width(f"{words}…", size, bold=bold) > width:
        words = words[:-1]
    return f"{words}…"
