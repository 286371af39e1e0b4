"""The sheets that a maker prints: nothing runs through anything else, nothing is cut off, nothing is out of date."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from wiring import lanes
from wiring.bom import bom, bom_csv, items
from wiring.config import config_lines
from wiring.draw import described, draw
from wiring.geometry import Layout, Point, Rect
from wiring.harness import harness, ohm
from wiring.labels import fitting, led_groups, led_lines, ranges, wrapped
from wiring.layout import layout
from wiring.load import load_board, load_unit, unit_names
from wiring.sheets import BOARDS, differing, sheets, write
from wiring.svg import COLOURS, contrast, readable_on, text_width
from wiring.table import table

REPOSITORY = Path(__file__).parents[2]
FILES = Path(__file__).parent / "wiring_files"
SVG = "{http://www.w3.org/2000/svg}"
APART = 8  # between two lines of different wires, from middle to middle

DRAWN = [(name, board) for name in unit_names() for board in BOARDS]
ODD = [(str(path), "rpi5") for path in sorted(FILES.glob("*.toml"))]
every_sheet = pytest.mark.parametrize(("unit", "board"), DRAWN + ODD, ids=lambda value: Path(value).stem)


@cache
def sheet(unit: str, board: str) -> Layout:
    return layout(harness(load_unit(unit), load_board(board)))


@cache
def drawing(unit: str, board: str) -> str:
    return draw(load_unit(unit), load_board(board))


def lines_of(drawn: Layout) -> list[tuple[str, Point, Point]]:
    """Return the net and the two ends of every line of every wire, those over the board included."""
    lines = [(route.wire.net, *line) for route in drawn.routes for line in route.lines]
    for chip in drawn.chips:
        edge = chip.rect.right if chip.side == "left" else chip.rect.x
        lines.append((chip.wire.net, Point(edge, chip.pin.y), chip.pin))
    return lines


def inside(rect: Rect, one: Point, other: Point) -> bool:
    """Tell whether the level or upright line between two points runs through *rect* (touching its edge is fine)."""
    return (
        min(one.x, other.x) < rect.right
        and max(one.x, other.x) > rect.x
        and min(one.y, other.y) < rect.bottom
        and max(one.y, other.y) > rect.y
    )


def beside(one: tuple[str, Point, Point], other: tuple[str, Point, Point]) -> bool:
    """Tell whether two lines run side by side so closely that they look like one."""
    for along, across in ((0, 1), (1, 0)):
        if one[1][across] == one[2][across] and other[1][across] == other[2][across]:
            near = abs(one[1][across] - other[1][across]) < APART
            ends = [sorted((line[1][along], line[2][along])) for line in (one, other)]
            if near and max(ends[0][0], ends[1][0]) < min(ends[0][1], ends[1][1]):
                return True
    return False


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


@every_sheet
def test_wires_are_level_or_upright_and_end_where_they_should(unit, board):
    drawn = sheet(unit, board)
    for net, one, other in lines_of(drawn):
        assert one.x == other.x or one.y == other.y, net
    for route in drawn.routes:
        ends = {point for line in route.lines for point in line}
        dots = {dot.at for box in drawn.boxes for dot in box.dots if dot.terminal.net == route.wire.net}
        assert dots <= ends, route.wire.net


@every_sheet
def test_every_wire_hangs_together(unit, board):
    """From any end of a wire one comes to every other."""
    for route in sheet(unit, board).routes:
        reached = [route.lines[0]]
        left = list(route.lines[1:])
        while joined := [line for line in left if any(_touch(line, other) for other in reached)]:
            reached += joined
            left = [line for line in left if line not in joined]
        assert left == [], route.wire.net


def _touch(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    def on(point: Point, line: tuple[Point, Point]) -> bool:
        xs, ys = sorted((line[0].x, line[1].x)), sorted((line[0].y, line[1].y))
        return xs[0] <= point.x <= xs[1] and ys[0] <= point.y <= ys[1]

    return any(on(point, other) for point in one) or any(on(point, one) for point in other)


@every_sheet
def test_no_wire_runs_through_a_label_or_a_part(unit, board):
    drawn = sheet(unit, board)
    for net, one, other in lines_of(drawn):
        for chip in drawn.chips:
            assert not inside(chip.rect, one, other), (net, chip.wire.net)
        for box in drawn.boxes:
            assert not inside(box.rect, one, other), (net, box.part.title)


@every_sheet
def test_no_wire_runs_through_words(unit, board):
    drawn = sheet(unit, board)
    words = texts(drawing(unit, board))
    lines = lines_of(drawn)
    pins = {str(number) for number in range(1, 41)}
    chips = {f"{chip.wire.pin.number} · {chip.wire.pin.name}" for chip in drawn.chips if chip.wire.pin is not None}
    for text, place in words:
        if text not in pins and text not in chips:  # a wire ends in the middle of its pin
            for net, one, other in lines:
                assert not inside(place, one, other), (text, net)


@every_sheet
def test_no_two_wires_run_side_by_side_as_one(unit, board):
    for one, other in combinations(lines_of(sheet(unit, board)), 2):
        assert one[0] == other[0] or not beside(one, other), (one, other)


@every_sheet
def test_no_two_wires_meet_but_in_a_crossing(unit, board):
    """An end of one on the line of another would look like a joint."""
    lines = lines_of(sheet(unit, board))
    for net, *ends in lines:
        for point in ends:
            touched = {other for other, *line in lines if _touch((point, point), (line[0], line[1]))}
            assert touched == {net}, (point, touched)


@every_sheet
def test_parts_stand_clear_of_each_other_and_of_the_board(unit, board):
    drawn = sheet(unit, board)
    rects = [box.rect for box in drawn.boxes] + [chip.rect for chip in drawn.chips] + [drawn.board]
    for one, other in combinations(rects, 2):
        corners = (Point(one.x, one.y), Point(one.right, one.bottom))
        assert not inside(other, *corners), (one, other)


@every_sheet
def test_words_lie_on_the_page_and_not_on_each_other(unit, board):
    svg = drawing(unit, board)
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    found = texts(svg)
    for words, place in found:
        assert place.x >= 0 and place.y >= 0 and place.right <= width and place.bottom <= height, words
    for (one, first), (other, second) in combinations(found, 2):
        corners = (Point(second.x, second.y), Point(second.right, second.bottom))
        assert not inside(first, *corners), (one, other)


@every_sheet
def test_words_of_a_part_stay_in_its_box(unit, board):
    drawn = sheet(unit, board)
    for words, place in texts(drawing(unit, board)):
        for box in drawn.boxes:
            if inside(box.rect, Point(place.x, place.y), Point(place.right, place.bottom)):
                assert box.rect.x <= place.x and place.right <= box.rect.right, (words, box.part.title)
                assert box.rect.y <= place.y and place.bottom <= box.rect.bottom, (words, box.part.title)


@every_sheet
def test_a_screen_reader_hears_every_wire(unit, board):
    built = harness(load_unit(unit), load_board(board))
    root = ET.fromstring(drawing(unit, board))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "title desc"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == f"{built.unit.title}: wiring for {built.board.title}"
    assert desc is not None
    assert desc.text == " ".join(described(built))
    told = {each.text for each in root.iterfind(f"{SVG}g/{SVG}title")}
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
    test_words_of_a_part_stay_in_its_box(str(path), "rpi5")
    test_words_lie_on_the_page_and_not_on_each_other(str(path), "rpi5")


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
