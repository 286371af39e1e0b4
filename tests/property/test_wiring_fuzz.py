"""Whatever a maker types into a wiring file: it is used, or refused in words. Never a traceback."""

from __future__ import annotations

import tomllib
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawn import faults
from wiring.bom import bom, bom_csv
from wiring.check import check
from wiring.draw import draw
from wiring.findings import WiringError
from wiring.harness import harness
from wiring.layout import layout
from wiring.load import board_names, load_board, load_unit, unit_names
from wiring.model import Quadrature
from wiring.table import table

REPOSITORY = Path(__file__).parents[2]
UNITS = {
    name: tomllib.loads((REPOSITORY / f"wiring/units/{name}.toml").read_text(encoding="utf-8")) for name in unit_names()
}
BOARDS = {name: load_board(name) for name in board_names()}

NAMES = st.sampled_from(["go", "pile1", "data", "leds", "volts", "power_pin", "ground_pin", "chip", "unit", "x", "0"])
NUMBERS = st.integers(-5, 45) | st.sampled_from([0x36, 0x48, 0x70, 1000, 10**6, 2**63, -(2**63)])
VALUES = st.recursive(
    NUMBERS
    | st.booleans()
    | st.floats()
    | st.sampled_from(["ht16k33", "tm1637", "adc", "quadrature", "neopixel-spi", "software", "spin", "off", ""])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def toml(value: Any) -> str:
    """Return *value* in TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(key))} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(each):08x}" if not each.isalnum() else each for each in value) + '"'
    return {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) else repr(value)


def paths(table: dict[str, Any], way: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the ways to every key of *table*, and to those of the tables in it."""
    found = []
    for key, value in table.items():
        found.append((*way, key))
        if isinstance(value, dict):
            found += paths(value, (*way, key))
    return found


@st.composite
def changed(draw_: st.DrawFn) -> str:
    """Return a unit's file in which up to four things are changed, taken out or put in."""
    unit = tomllib.loads(
        "\n".join(f"{key} = {toml(value)}" for key, value in UNITS[draw_(st.sampled_from(sorted(UNITS)))].items())
    )
    for _ in range(draw_(st.integers(1, 4))):
        way = draw_(st.sampled_from(paths(unit) or [("unit",)]))
        table = unit
        for key in way[:-1]:
            table = table[key]
        kind = draw_(st.sampled_from(["change", "remove", "add"]))
        if kind == "remove":
            table.pop(way[-1], None)
        else:
            table[way[-1] if kind == "change" else draw_(NAMES)] = draw_(VALUES)
    return "\n".join(f"{toml(str(key))} = {toml(value)}" for key, value in unit.items())


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "mine.toml"


def refusal(path: Path, board: str) -> WiringError | None:
    """Do everything with the file that the command does; return what was said if it was refused."""
    try:
        unit = load_unit(path)
    except WiringError as refused:
        return refused
    findings = check(unit, BOARDS[board])
    if findings:
        return WiringError(findings)
    for make in (draw, table, bom, bom_csv):
        assert make(unit, BOARDS[board])
    return None


def is_in_words(refused: WiringError, path: Path) -> bool:
    """Tell whether an error names the file in each line, and has nothing that a terminal might act on."""
    lines = str(refused).split("\n")
    return all(line.startswith(f"{path}: ") and line.isprintable() for line in lines)


@given(text=changed(), board=st.sampled_from(sorted(BOARDS)))
@settings(max_examples=200)
def test_a_changed_file_is_used_or_refused_in_words(file, text, board):
    file.write_text(text, encoding="utf-8")
    refused = refusal(file, board)
    assert refused is None or is_in_words(refused, file)


@given(content=st.binary(max_size=200) | st.text(alphabet="[]{}=\"'\n #.ab01", max_size=80).map(str.encode))
def test_any_bytes_are_used_or_refused_in_words(file, content):
    file.write_bytes(content)
    refused = refusal(file, "rpi4")
    assert refused is not None
    assert is_in_words(refused, file)


GROUNDS = st.sampled_from([6, 9, 14, 20, 25, 30, 34, 39])
GPIOS = st.permutations([4, 5, 6, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27])


@given(name=st.sampled_from(unit_names()), gpios=GPIOS, grounds=st.lists(GROUNDS, min_size=8, max_size=8))
@settings(max_examples=12)
def test_a_wiring_with_other_pins_is_drawn_as_cleanly(name, gpios, grounds):
    """Whatever pins a maker takes: no wire through a label or a part, none that looks like another."""
    unit = load_unit(name)
    free, ground = list(gpios), cycle(grounds)
    unit = unit._replace(
        contacts=tuple(each._replace(gpio=free.pop(), ground_pin=next(ground)) for each in unit.contacts),
        switches=tuple(
            each._replace(closed={position: free.pop() for position in each.closed}, ground_pin=next(ground))
            for each in unit.switches
        ),
    )
    if isinstance(unit.wheel, Quadrature):
        unit = unit._replace(wheel=unit.wheel._replace(a=free.pop(), b=free.pop(), index_mark=free.pop()))
    if unit.display is not None and unit.buzzer is not None:
        display = unit.display._replace(ground_pin=next(ground))
        buzzer = unit.buzzer._replace(gpio=free.pop(), drive="software", ground_pin=next(ground))
        unit = unit._replace(display=display, buzzer=buzzer)
    assert check(unit, BOARDS["rpi5"]) == ()
    sheet = layout(harness(unit, BOARDS["rpi5"]))
    assert faults(sheet, draw(unit, BOARDS["rpi5"])) == []


@given(way=st.sampled_from(paths(tomllib.loads((REPOSITORY / "wiring/boards/rpi4.toml").read_text()))), value=VALUES)
@settings(max_examples=50)
def test_a_changed_board_is_used_or_refused_in_words(file, way, value):
    board = tomllib.loads((REPOSITORY / "wiring/boards/rpi4.toml").read_text(encoding="utf-8"))
    part = board
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = value
    file.write_text("\n".join(f"{key} = {toml(each)}" for key, each in board.items()), encoding="utf-8")
    try:
        used = load_board(file)
    except WiringError as why:
        refused = why
    else:
        refused = None
        check(load_unit("triple-play"), used)
    assert refused is None or is_in_words(refused, file)
