"""Wiring files: what they say arrives in the model, and what is wrong with one is named all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from wiring.findings import UnknownName, WiringError
from wiring.load import board_names, load_board, load_unit, unit_names
from wiring.model import As5600, Battery, Quadrature

UNITS = Path("wiring/units")
REPOSITORY = Path(__file__).parents[2]


def refusal(tmp_path: Path, text: str) -> list[str]:
    """Return the lines of the error that loading *text* as a unit gives, with the path taken off."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WiringError) as refused:
        load_unit(path)
    return [line.removeprefix(f"{path}: ") for line in str(refused.value).splitlines()]


def test_the_units_that_come_with_the_program():
    assert unit_names() == ("master", "party", "spin", "spin-hall", "triple-play", "triple-play-fsr")
    assert board_names() == ("rpi-zero-2w", "rpi3", "rpi4", "rpi5")


def test_triple_play_has_the_parts_that_the_bench_names():
    """C-18, C-19: a level lights 1, 2 or 3 LEDs of its counter; the current limit stands in the wiring file."""
    unit = load_unit("triple-play")
    assert unit.input_names == ("go", "pile1", "pile2", "pile3")
    assert [(switch.name, switch.positions) for switch in unit.switches] == [
        ("power", ("off", "on")),
        ("timer", ("off", "on")),
    ]
    lights = unit.lights
    assert lights is not None
    assert [(light.name, light.leds, dict(light.lit)) for light in lights.layout] == [
        ("pile1", (0, 1, 2, 3), {}),
        ("counter1", (4, 5, 6), {"green": 1, "yellow": 2, "red": 3}),
        ("pile2", (7, 8, 9, 10), {}),
        ("counter2", (11, 12, 13), {"green": 1, "yellow": 2, "red": 3}),
        ("pile3", (14, 15, 16, 17), {}),
        ("counter3", (18, 19, 20), {"green": 1, "yellow": 2, "red": 3}),
    ]
    assert (lights.data, lights.leds, lights.order) == (10, 21, "GRB")
    assert (lights.max_ma, lights.ma_per_channel, lights.ma_idle) == (1000, 20, 1)


@pytest.mark.parametrize(
    ("name", "inputs", "lights", "leds"),
    [
        ("master", ("timer",), ("timer",), 12),
        ("spin", ("go",), tuple(f"seg{number}" for number in range(1, 10)), 18),
        ("spin-hall", ("go",), tuple(f"seg{number}" for number in range(1, 10)), 18),
        ("party", ("go", "reverse", "next"), tuple(f"seat{number}" for number in range(1, 17)), 16),
        (
            "triple-play-fsr",
            ("go", "pile1", "pile2", "pile3"),
            ("pile1", "counter1", "pile2", "counter2", "pile3", "counter3"),
            21,
        ),
    ],
)
def test_the_other_units_have_the_parts_that_the_bench_names(name, inputs, lights, leds):
    unit = load_unit(name)
    assert unit.lights is not None
    assert (unit.input_names, unit.light_names, unit.lights.leds) == (inputs, lights, leds)


def test_masters_speed_switch_has_a_line_for_each_speed_and_none_between():
    """MA-4"""
    (speed,) = load_unit("master").switches
    assert (speed.name, dict(speed.closed), speed.open) == ("speed", {"4": 23, "6": 24, "8": 25}, None)
    assert speed.positions == ("4", "6", "8")


def test_the_wheel_is_an_as5600_or_two_sensors_with_as_many_edges_as_slots():
    """SP-2: nine icons, four slots each."""
    assert isinstance(load_unit("spin").wheel, As5600)
    hall = load_unit("spin-hall").wheel
    assert isinstance(hall, Quadrature)
    assert hall.cycles * 4 == 36


def test_a_unit_may_have_less_than_everything(tmp_path):
    path = tmp_path / "bare.toml"
    path.write_text('unit = "spin"\ntitle = "Bare"\n', encoding="utf-8")
    unit = load_unit(path)
    assert unit.name == "bare"
    assert (unit.lights, unit.display, unit.buzzer, unit.wheel, unit.adc, unit.battery, unit.supply) == (None,) * 7
    assert (unit.input_names, unit.light_names) == ((), ())


def test_a_battery_is_measured_or_asked_for(tmp_path):
    path = tmp_path / "battery.toml"
    path.write_text('unit = "spin"\ntitle = "Asks"\n[battery]\nsource = "under-voltage"\n', encoding="utf-8")
    assert load_unit(path).battery == Battery("under-voltage", None, None, None, None, None)
    odd = load_unit(REPOSITORY / "tests/unit/wiring_files/odd-one.toml")
    assert odd.battery == Battery("adc", 2, 220_000, 100_000, 6400, 6800)


@pytest.mark.parametrize("name", board_names())
def test_every_board_has_the_same_header_and_its_own_functions(name):
    board = load_board(name)
    assert [pin.number for pin in board.pins] == list(range(1, 41))
    assert [pin.number for pin in board.pins if pin.name == "GND"] == [6, 9, 14, 20, 25, 30, 34, 39]
    assert [pin.number for pin in board.pins if pin.name == "3V3"] == [1, 17]
    assert [pin.number for pin in board.pins if pin.name == "5V"] == [2, 4]
    assert sorted(pin.gpio for pin in board.pins if pin.gpio is not None) == list(range(28))
    assert board.pin(10).number == 19
    assert "SPI0 MOSI" in board.pin(10).functions
    assert [pin.gpio for pin in board.pins if pin.fixed_pull_up_ohm] == [2, 3]


def test_twelve_and_eighteen_are_one_pwm_channel_except_on_a_pi_5():
    for name in ("rpi-zero-2w", "rpi3", "rpi4"):
        board = load_board(name)
        assert board.functions(12, "PWM") == board.functions(18, "PWM")
        assert board.functions(13, "PWM") == board.functions(19, "PWM")
    assert load_board("rpi5").functions(12, "PWM") != load_board("rpi5").functions(18, "PWM")


def test_a_gpio_that_is_not_on_the_header_has_no_pin():
    with pytest.raises(KeyError):
        load_board("rpi4").pin(40)


def test_a_mistyped_name_is_met_with_the_nearest_one():
    with pytest.raises(UnknownName) as refused:
        load_unit("tripel-play")
    assert str(refused.value) == "tripel-play: there is no unit of this name; did you mean triple-play?"
    with pytest.raises(UnknownName) as refused:
        load_board("beagle")
    assert str(refused.value) == "beagle: there is no board of this name; known here: rpi-zero-2w, rpi3, rpi4, rpi5"


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path):
    text = (REPOSITORY / UNITS / "triple-play.toml").read_text(encoding="utf-8")
    text = text.replace("max_ma = 1000 ", 'max_ma = "lots" ').replace("data = 10 ", "date = 10 ")
    text = text.replace("gpio = 5,", "gpio = 5.5,").replace("address = 0x70", "address = 0x170")
    text = text.replace('drive = "hardware"', 'drive = "hard"').replace("level_shifter = true", 'level_shifter = "yes"')
    text = text.replace("leds = [4, 5, 6]", "leds = [3, 5, 6]").replace("red = 3 } }", "rad = 4 } }", 1)
    text = text.replace("[supply]", "[suply]").replace('open = "off", ground_pin = 20 }', "ground_pin = 20 }", 1)
    assert refusal(tmp_path, text) == [
        "[contacts] pile1.gpio = 5.5: is not a whole number; write a number from 0 to 27",
        '[switches] power.open: is missing; with one position in `closed`, write open = "off"',
        "[lights] data: is missing; write data = 10",
        '[lights] max_ma = "lots": is not a whole number; write a number from 1 to 100000',
        '[lights] level_shifter = "yes": is neither true nor false; write true or false, without quotes',
        "[lights.layout] counter1.lit.rad = 4: is out of range; write a number from 1 to 3",
        "[lights.layout] counter1.lit = {…}: rad is not a colour; did you mean red?",
        "[lights.layout] counter1.leds = [3, 5, 6]: LED 3 belongs to pile1; give each LED to one light",
        "[lights] date = 10: is unknown; did you mean data?",
        "[display] address = 0x170: is out of range; write a number from 0x8 to 0x77",
        '[buzzer] drive = "hard": is unknown; did you mean hardware?',
        "suply = {…}: is unknown; did you mean supply?",
    ]


HEAD = 'unit = "spin"\ntitle = "Mine"\n'
LIGHTS = (
    HEAD
    + """[lights]
data = 10
leds = 4
order = "GRB"
volts = 5.0
level_shifter = true
series_ohm = 470
capacitor_uf = 1000
max_ma = 100
ma_per_channel = 20
ma_idle = 1
"""
)
SEG1 = "[lights.layout]\nseg1 = { leds = [0] }\n"
BATTERY = '[battery]\nsource = "adc"\nchannel = 0\ntop_ohm = 1\nbottom_ohm = 100\nlow_mv = 3600\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("contacts = 3\n", "contacts = 3: is not a table; write a table, such as [contacts] or contacts = { … }"),
        ("[contacts]\ngo = 5\n", "[contacts] go = 5: is not a table; write a table, such as [go] or go = { … }"),
        (
            '[contacts]\n"Go!" = { gpio = 5 }\n',
            "[contacts] Go! = {…}: is not a name; write small letters, digits and dashes, such as pile1",
        ),
        ("[contacts]\ngo = { gpio = 28 }\n", "[contacts] go.gpio = 28: is out of range; write a number from 0 to 27"),
        (
            "[contacts]\ngo = { gpio = true }\n",
            "[contacts] go.gpio = true: is not a whole number; write a number from 0 to 27",
        ),
        (
            "[switches]\npower = {}\n",
            "[switches] power.closed: is missing; "
            "write closed = { on = 24 }: each position and the GPIO it joins to ground",
        ),
        (
            '[switches]\npower = { closed = { on = 24 }, open = "on" }\n',
            '[switches] power.open = "on": is no name of its own; '
            'write another position than those in `closed`, such as "off"',
        ),
        (
            "[contacts]\ngo = { gpio = 5 }\n[switches]\ngo = { closed = { a = 1, b = 2 } }\n",
            "[switches] go: stands in [contacts] too; keep one of the two",
        ),
        (
            BATTERY + "good_mv = 3600\n",
            "[battery] good_mv = 3600: is out of range; write a number from 3601 to 60001",
        ),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(tmp_path, text, line):
    assert refusal(tmp_path, HEAD + text) == [line]


def test_the_first_things_a_file_says_are_unit_and_title(tmp_path):
    assert refusal(tmp_path, "") == [
        'unit: is missing; write unit = "triple-play"',
        'title: is missing; write title = "Three-pile unit"',
    ]
    assert refusal(tmp_path, 'unit = "spin"\ntitle = "a\\u0007b"\n') == [
        'title = "a\\x07b": is not a line of text; write 1 to 40 printable characters, such as "Three-pile unit"'
    ]


def test_a_display_of_no_known_chip_is_met_with_those_that_are(tmp_path):
    assert refusal(tmp_path, HEAD + "[display]\nchip = 7\n") == [
        "[display] chip = 7: is unknown; known here: ht16k33, tm1637",
        "[display] address: is missing; write address = 0x70",
        "[display] volts: is missing; write volts = 3.3",
    ]


def test_each_led_belongs_to_one_light_of_the_strip(tmp_path):
    assert refusal(tmp_path, LIGHTS) == [
        "[lights] layout: names no light; write [lights.layout] with a line such as pile1 = { leds = [0, 1] }"
    ]
    layout = "[lights.layout]\nseg1 = { leds = [0, 4] }\nseg2 = { leds = [] }\nseg3 = { leds = [1, 1] }\n"
    assert refusal(tmp_path, LIGHTS + layout) == [
        "[lights.layout] seg1.leds = [0, 4]: has a number out of range; write numbers from 0 to 3",
        "[lights.layout] seg2.leds = []: is not a list of whole numbers; write a list such as [0, 1, 2]",
        "[lights.layout] seg3.leds = [1, 1]: names a number twice; write each once",
    ]


def test_currents_and_volts_are_numbers_that_can_be_kept(tmp_path):
    """C-19: a dark strip draws current too, so the limit cannot be less than that."""
    text = LIGHTS.replace("ma_idle = 1", "ma_idle = nan").replace("5.0", '"5"')
    assert refusal(tmp_path, text + SEG1) == [
        '[lights] volts = "5": is not a number; write a number from 1.8 to 5.5',
        "[lights] ma_idle = nan: is out of range; write a number from 0 to 20",
    ]
    assert refusal(tmp_path, LIGHTS.replace("max_ma = 100", "max_ma = 3") + SEG1) == [
        "[lights] max_ma = 3: is less than the 4 mA that the dark strip draws; write at least 4"
    ]


def test_what_is_no_toml_is_refused_with_the_line(tmp_path):
    (line,) = refusal(tmp_path, 'unit = "spin"\ntitle "Mine"\n')
    assert line.startswith("is not TOML (")
    assert line.endswith("(at line 2, column 7)); correct that line; see https://toml.io")


def test_files_that_are_no_wiring_files_are_refused(tmp_path):
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'title = "\xe9"')
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * (1 << 20) + b"\n")
    deep = tmp_path / "deep.toml"
    deep.write_text("x = " + "[" * 100_000, encoding="utf-8")
    number = tmp_path / "number.toml"
    number.write_text("x = " + "9" * 10_000, encoding="utf-8")
    reasons = {
        latin: "is not UTF-8 text (byte 9); save it as UTF-8",
        huge: "is larger than a megabyte; give a wiring file",
        deep: "is nested too deep; give a wiring file",
        tmp_path / "absent.toml": "cannot be read (No such file or directory); check the path and its rights",
        tmp_path: "cannot be read (Is a directory); check the path and its rights",
    }
    for path, reason in reasons.items():
        with pytest.raises(WiringError) as refused:
            load_unit(path)
        assert str(refused.value) == f"{path}: {reason}"
    with pytest.raises(WiringError, match="is not TOML"):
        load_unit(number)
    with pytest.raises(WiringError, match="cannot be read"):
        load_unit("a/\0b.toml")


def test_a_board_with_mistakes_is_refused_as_a_whole(tmp_path):
    text = (REPOSITORY / "wiring/boards/rpi4.toml").read_text(encoding="utf-8")
    text = text.replace("\n40 = {", "\n41 = {").replace('boot_pull = "up"', 'boot_pull = "upp"', 1)
    path = tmp_path / "mine.toml"
    path.write_text(text + '42 = { power = "12V", fuse = 1 }\n', encoding="utf-8")
    with pytest.raises(WiringError) as refused:
        load_board(path)
    assert [line.removeprefix(f"{path}: ") for line in str(refused.value).splitlines()] == [
        "pins = {…}: pin 40 is missing; write all pins from 1 to 40",
        "pins = {…}: 41 is not a pin; write the pins from 1 to 40",
        "pins = {…}: 42 is not a pin; write the pins from 1 to 40",
        '[pins] 3.boot_pull = "upp": is unknown; did you mean up?',
    ]


def test_a_board_whose_header_lacks_a_gpio_is_refused(tmp_path):
    """A part on that GPIO would have no pin."""
    text = (REPOSITORY / "wiring/boards/rpi4.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("\n3 = { gpio = 2,", "\n3 = { gpio = 0,"), encoding="utf-8")
    with pytest.raises(WiringError) as refused:
        load_board(path)
    assert [line.removeprefix(f"{path}: ") for line in str(refused.value).splitlines()] == [
        "[pins] 27.gpio = 0: pin 3 is GPIO0 too; keep one of the two",
        "pins = {…}: no pin is GPIO2; write GPIO0 to GPIO27, each once",
    ]
