"""The sheets that a maker prints: nothing runs through anything else, nothing is cut off, nothing is out of date."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests import drawn
from wiring import lanes
from wiring.bom import bom, bom_csv, items
from wiring.config import config_lines
from wiring.draw import described, draw
from wiring.geometry import Layout
from wiring.harness import harness, ohm
from wiring.labels import fitting, led_groups, led_lines, ranges, wrapped
from wiring.layout import layout
from wiring.load import load_board, load_unit, unit_names
from wiring.sheets import BOARDS, differing, sheets, write
from wiring.svg import COLOURS, contrast, readable_on, text_width
from wiring.table import table

REPOSITORY = Path(__file__).parents[2]
FILES = Path(__file__).parent / "wiring_files"

DRAWN = [(name, board) for name in unit_names() for board in BOARDS]
ODD = [(str(path), "rpi5") for path in sorted(FILES.glob("*.toml"))]
every_sheet = pytest.mark.parametrize(("unit", "board"), DRAWN + ODD, ids=lambda value: Path(value).stem)


@cache
def sheet(unit: str, board: str) -> Layout:
    return layout(harness(load_unit(unit), load_board(board)))


@cache
def drawing(unit: str, board: str) -> str:
    return draw(load_unit(unit), load_board(board))


@every_sheet
def test_wires_are_level_or_upright_and_end_where_they_should(unit, board):
    assert list(drawn.slanting_or_loose(sheet(unit, board))) == []


@every_sheet
def test_every_wire_hangs_together(unit, board):
    assert list(drawn.torn(sheet(unit, board))) == []


@every_sheet
def test_no_wire_runs_through_a_label_or_a_part(unit, board):
    assert list(drawn.through_parts(sheet(unit, board))) == []


@every_sheet
def test_no_wire_runs_through_words(unit, board):
    assert list(drawn.through_words(sheet(unit, board), drawing(unit, board))) == []


@every_sheet
def test_no_two_wires_look_like_one_or_like_a_joint(unit, board):
    assert list(drawn.side_by_side(sheet(unit, board))) == []
    assert list(drawn.false_joints(sheet(unit, board))) == []


@every_sheet
def test_parts_and_words_lie_clear_of_each_other_and_on_the_page(unit, board):
    assert list(drawn.parts_on_parts(sheet(unit, board))) == []
    assert list(drawn.words_on_words(drawing(unit, board))) == []
    assert list(drawn.words_out_of_place(sheet(unit, board), drawing(unit, board))) == []


@every_sheet
def test_no_words_are_cut(unit, board):
    """A maker's long names may be; ours have to fit."""
    assert [words for words, _ in drawn.texts(drawing(unit, board)) if "…" in words.split(" ")[-1]] == []


@every_sheet
def test_a_screen_reader_hears_every_wire(unit, board):
    built = harness(load_unit(unit), load_board(board))
    root = ET.fromstring(drawing(unit, board))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "title desc"
    title, desc = root.find(f"{drawn.SVG}title"), root.find(f"{drawn.SVG}desc")
    assert title is not None
    assert title.text == f"{built.unit.title}: wiring for {built.board.title}"
    assert desc is not None
    assert desc.text == " ".join(described(built))
    told = {each.text for each in root.iterfind(f"{drawn.SVG}g/{drawn.SVG}title")}
    assert set(list(described(built))[1:]) <= told


def test_a_wire_is_described_by_colour_pin_and_ends():
    sentences = list(described(harness(load_unit("triple-play"), load_board("rpi5"))))
    assert sentences[0] == "Three-pile unit on a Raspberry Pi 5, 19 wires."
    assert "Green wire from pin 19, GPIO10, to Level shifter 1A." in sentences
    assert "Black wire from pin 30, GND, to Level shifter GND, 1OE, Lights GND, 5 V supply GND." in sentences
    assert "Red wire between Level shifter VCC, Lights +5 V, 5 V supply +5 V." in sentences


def test_neighbouring_signals_have_different_colours():
    for unit, board in DRAWN + ODD:
        signals = [wire for wire in harness(load_unit(unit), load_board(board)).wires if wire.net.startswith("gpio")]
        for side in (0, 1):
            column = [wire.colour for wire in signals if wire.pin is not None and wire.pin.number % 2 == side]
            assert all(one != other for one, other in pairwise(column)), (unit, column)


def test_words_on_a_chip_can_be_read():
    """4.5 to 1 is what the web's guidelines ask for."""
    for name, colour in COLOURS.items():
        assert contrast(readable_on(colour), colour) >= 4.5, name
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


def test_a_wire_takes_the_lane_in_which_it_crosses_none():
    """Two wires that both go down: the lower one turns nearer to the header."""
    runs = [lanes.Run((100,), (200,)), lanes.Run((136,), (225,))]
    assert lanes.order(runs) == (1, 0)
    assert lanes.cost(runs, (1, 0)) == 0
    assert lanes.cost(runs, (0, 1)) == 2


def test_two_wires_never_share_a_line_even_if_they_have_to_cross():
    runs = [lanes.Run((100,), (136,)), lanes.Run((136,), (200,))]
    assert lanes.cost(runs, (0, 1)) >= lanes.OVERLAP
    assert lanes.order(runs) == (1, 0)


def test_leds_are_listed_by_light():
    lights = load_unit("triple-play").lights
    assert lights is not None
    assert led_groups(lights) == [
        "0–3 pile1,",
        "4–6 counter1,",
        "7–10 pile2,",
        "11–13 counter2,",
        "14–17 pile3,",
        "18–20 counter3",
    ]
    spin, party = load_unit("spin").lights, load_unit("party").lights
    assert spin is not None
    assert led_groups(spin) == ["0–17 seg1 … seg9 (2 each)"]
    assert party is not None
    assert led_groups(party) == ["0–15 seat1 … seat16"]
    odd = lights._replace(layout=tuple(light._replace(name=f"{'abcdef'[n]}") for n, light in enumerate(lights.layout)))
    assert led_lines(odd, 60)[-1] == "… see the wiring file"
    assert ranges((0, 1, 2, 7)) == "0–2, 7"


def test_long_words_are_cut_and_long_notes_wrapped():
    assert fitting("short", 16, 200) == "short"
    cut = fitting("a name that is far too long for its box", 16, 100)
    assert cut.endswith("…")
    assert text_width(cut, 16) <= 100
    assert wrapped(["one", "two", "three"], 16, text_width("one two", 16)) == ["one two", "three"]


def test_long_names_from_a_makers_file_stay_in_their_boxes(tmp_path):
    text = (FILES / "odd-one.toml").read_text(encoding="utf-8")
    text = text.replace('title = "Odd & <one>"', f'title = "{"W" * 40}"')
    text = text.replace("go = {", f'go = {{ label = "{"M" * 24}",').replace("{ on = 26 }", f"{{ {'w' * 20} = 26 }}")
    path = tmp_path / "wide.toml"
    path.write_text(text, encoding="utf-8")
    assert drawn.faults(sheet(str(path), "rpi5"), drawing(str(path), "rpi5")) == []


def test_the_config_lines_follow_the_board():
    unit = load_unit("triple-play")
    assert config_lines(unit, load_board("rpi-zero-2w")) == (
        "dtparam=i2c_arm=on",
        "dtparam=spi=on",
        "core_freq=250",
        "dtoverlay=pwm,pin=12,func=4",
        "gpio=13,23,24,25=ip,pu",
    )
    assert config_lines(unit, load_board("rpi4")) == (
        "dtparam=i2c_arm=on",
        "dtparam=spi=on",
        "core_freq=500",
        "core_freq_min=500",
        "dtparam=audio=off",
        "dtoverlay=pwm,pin=12,func=4",
        "gpio=13,23,24,25=ip,pu",
    )
    assert "dtparam=spi=on" not in config_lines(unit, load_board("rpi5"))
    bare = unit._replace(contacts=(), switches=(), lights=None, display=None, buzzer=None, supply=None)
    assert config_lines(bare, load_board("rpi4")) == ()


def test_the_pin_table_names_part_wire_gpio_and_pin():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table(load_unit("triple-play"), load_board("rpi5")).splitlines()
        if line.startswith("| ")
    ]
    assert rows[0] == ["Part", "Terminal", "Wire", "GPIO", "Pin", "Note"]
    assert ["GO button", "contact", "brown", "23", "16", "input, pulled up; ground when closed"] in rows
    assert ["Buzzer", "+", "purple", "12", "32", "PWM0_0; 100 Ω in the wire"] in rows
    assert ["Level shifter", "1A", "green", "10", "19", "through PIO"] in rows
    assert ["Lights", "DIN", "green", "", "", "to Level shifter 1Y; 470 Ω in the wire"] in rows
    assert ["5 V supply", "GND", "black", "", "30", "GND"] in rows


def test_a_table_of_a_unit_without_a_strip_says_nothing_of_current():
    unit = load_unit("triple-play")._replace(
        lights=None, supply=None, display=None, buzzer=None, switches=(), contacts=()
    )
    assert "config.txt" not in table(unit, load_board("rpi5"))
    assert "mA" not in table(unit, load_board("rpi5"))


def test_the_parts_list_counts_what_one_has_to_buy():
    counted = {(item.number, item.part) for item in items(load_unit("triple-play"), load_board("rpi5"))}
    assert {
        (1, "Raspberry Pi 5"),
        (1, "USB supply for the board"),
        (4, "Momentary switch"),
        (21, "Colour LED"),
        (1, "Level shifter"),
        (1, "Resistor 100 Ω"),
        (1, "Resistor 470 Ω"),
        (3, "Resistor 4.7 kΩ"),
        (1, "5 V supply"),
        (11, "Wire, black"),
    } <= counted


def test_the_parts_list_of_odd_units_has_their_parts():
    odd = load_unit(FILES / "odd-one.toml")
    listed = {item.part: item for item in items(odd, load_board("rpi5"))}
    assert "Level shifter" not in listed
    assert listed["Resistor 220 kΩ"].used_for == "battery divider"
    assert listed["Analog-digital converter"].used_for == "battery"
    assert "TM1637" in listed["Display"].look_for
    fed = load_unit(FILES / "fed-board.toml")
    assert "USB supply for the board" not in {item.part for item in items(fed, load_board("rpi5"))}
    hall = {item.part: item.number for item in items(load_unit("spin-hall"), load_board("rpi5"))}
    assert (hall["Sensor"], hall["Mark"], hall["Resistor 10 kΩ"]) == (3, 10, 3)
    pads = {item.part: item.number for item in items(load_unit("triple-play-fsr"), load_board("rpi5"))}
    assert (pads["Force sensing resistor"], pads["Resistor 10 kΩ"]) == (3, 3)


def test_the_list_is_the_same_in_markdown_and_csv():
    unit, board = load_unit("master"), load_board("rpi4")
    assert len(bom(unit, board).splitlines()) - 6 == len(bom_csv(unit, board).splitlines()) - 1
    assert bom_csv(unit, board).startswith("Number,Part,Look for,For\n1,Raspberry Pi 4,")


def test_resistors_are_named_as_on_the_bag():
    assert [ohm(value) for value in (0, 470, 1000, 4700, 100_000, 2_200_000)] == [
        "0 Ω",
        "470 Ω",
        "1 kΩ",
        "4.7 kΩ",
        "100 kΩ",
        "2.2 MΩ",
    ]


def test_the_committed_sheets_are_up_to_date():
    assert differing(REPOSITORY / "docs/wiring") == [], "run `pilelight wiring sheets` and look at the drawings"


def test_a_stale_a_missing_and_a_foreign_file_are_named(tmp_path):
    assert write(tmp_path) == len(sheets()) == len(DRAWN) * 4 + 1
    assert differing(tmp_path) == []
    (tmp_path / "spin-rpi5.svg").write_text("old", encoding="utf-8")
    (tmp_path / "master-rpi5-pins.md").unlink()
    (tmp_path / "attic.svg").write_text("", encoding="utf-8")
    assert [line.removeprefix(f"{tmp_path}/") for line in differing(tmp_path)] == [
        "master-rpi5-pins.md: is missing",
        "spin-rpi5.svg: is stale",
        "attic.svg: belongs to no unit",
    ]


def test_the_same_wiring_gives_the_same_bytes_whatever_the_hash_seed():
    """In processes of their own, with other seeds and another locale."""
    words = "import hashlib, wiring.sheets; print(hashlib.sha256(repr(wiring.sheets.sheets()).encode()).hexdigest())"
    digests = set()
    for seed in ("0", "1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": "C", "PYTHONPATH": str(REPOSITORY)}
        run = subprocess.run([sys.executable, "-c", words], env=environment, check=True, capture_output=True, text=True)
        digests.add(run.stdout)
    assert len(digests) == 1
