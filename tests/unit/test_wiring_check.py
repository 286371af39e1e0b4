"""What a maker does wrong with a soldering iron in hand is found before: every check has an example that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from wiring.check import CHECKS, check
from wiring.load import board_names, load_board, load_unit, unit_names
from wiring.pins import most_leds, spare, strip_way

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def findings(tmp_path):
    """Return what is wrong with a unit after some lines of its file were changed: `findings("spin", {old: new})`."""

    def after(name: str, changes: dict[str, str], board: str = "rpi-zero-2w") -> list[str]:
        text = (REPOSITORY / f"wiring/units/{name}.toml").read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text, f"{old!r} does not stand in {name}.toml"
            text = text.replace(old, new)
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        found = check(load_unit(path), load_board(board))
        return [str(finding).replace(str(path), f"{name}.toml") for finding in found]

    return after


@pytest.mark.parametrize("board", board_names())
@pytest.mark.parametrize("unit", unit_names())
def test_every_unit_that_comes_with_the_program_is_fine_on_every_board(unit, board):
    assert check(load_unit(unit), load_board(board)) == ()


def test_the_strip_and_the_buzzer_cannot_share_a_pwm(findings):
    assert findings("triple-play", {"data = 10 ": "data = 18 "}) == [
        "triple-play.toml: [lights] data = 18: GPIO18 drives a strip through PWM0, which only root may do; "
        "use GPIO10 (needs no root)",
        "triple-play.toml: [lights] data = 18: GPIO18 shares its PWM with the buzzer on GPIO12; "
        "use GPIO10 (needs no root)",
    ]


def test_thirteen_and_nineteen_share_a_pwm_too(findings):
    changes = {"data = 10 ": "data = 19 ", "gpio = 13,": "gpio = 26,", "gpio = 12": "gpio = 13"}
    assert findings("triple-play", changes)[-1] == (
        "triple-play.toml: [lights] data = 19: GPIO19 shares its PWM with the buzzer on GPIO13; "
        "use GPIO10 (needs no root)"
    )


def test_a_buzzer_in_software_leaves_the_pwm_to_the_strip(findings):
    changes = {"data = 10 ": "data = 18 ", 'drive = "hardware"': 'drive = "software"'}
    assert [line for line in findings("triple-play", changes) if "shares" in line] == []


def test_a_pi_5_drives_the_strip_from_any_pin_beside_the_buzzer(findings):
    assert findings("triple-play", {"data = 10 ": "data = 18 "}, "rpi5") == []


@pytest.mark.parametrize(
    ("changes", "user"), [({}, "the buzzer"), ({"data = 10 ": "data = 18 "}, "the strip")], ids=["buzzer", "strip"]
)
def test_analog_audio_wants_the_pwm_for_itself(findings, changes, user):
    changes = {"analog_audio = false": "analog_audio = true", **changes}
    assert findings("triple-play", changes, "rpi4")[-1] == (
        f"triple-play.toml: analog_audio = true: the board's sound comes out of PWM, which {user} needs; "
        "write false, and dtparam=audio=off in config.txt"
    )


def test_a_board_without_a_socket_has_no_analog_audio(findings):
    assert findings("triple-play", {"analog_audio = false": "analog_audio = true"}, "rpi5") == [
        "triple-play.toml: analog_audio = true: the Raspberry Pi 5 has no analog audio; write analog_audio = false"
    ]


def test_two_parts_cannot_have_one_pin(findings):
    assert findings("triple-play", {"gpio = 6,": "gpio = 5,"}) == [
        "triple-play.toml: [contacts] pile2.gpio = 5: GPIO5 belongs to Pile pad 1; use GPIO6 (pin 31), which is free"
    ]


@pytest.mark.parametrize(
    ("unit", "old", "new", "line"),
    [
        (
            "triple-play",
            "{ on = 24 }",
            "{ on = 2 }",
            "[switches] power.closed.on = 2: GPIO2 belongs to the I2C bus; use GPIO16 (pin 36), which is free",
        ),
        (
            "triple-play",
            "{ on = 24 }",
            "{ on = 8 }",
            "[switches] power.closed.on = 8: GPIO8 belongs to SPI0, which drives the strip; "
            "use GPIO16 (pin 36), which is free",
        ),
        (
            "triple-play",
            "{ on = 24 }",
            "{ on = 10 }",
            "[switches] power.closed.on = 10: GPIO10 belongs to the strip; use GPIO16 (pin 36), which is free",
        ),
        (
            "spin-hall",
            "b = 27",
            "b = 3",
            "[wheel] b = 3: GPIO3 belongs to the I2C bus; use GPIO5 (pin 29), which is free",
        ),
    ],
)
def test_the_pins_of_a_bus_that_is_used_are_taken(findings, unit, old, new, line):
    assert findings(unit, {old: new}) == [f"{unit}.toml: {line}"]


def test_pins_of_the_board_itself_are_reserved(findings):
    changes = {"gpio = 23,": "gpio = 1,", "{ on = 24 }": "{ on = 14 }"}
    assert findings("triple-play", changes) == [
        "triple-play.toml: [contacts] go.gpio = 1: GPIO1 is reserved for the EEPROM of add-on boards; "
        "use GPIO16 (pin 36), which is free",
        "triple-play.toml: [switches] power.closed.on = 14: GPIO14 is reserved for the serial console; "
        "use GPIO16 (pin 36), which is free",
    ]


def test_a_tm1637_claims_its_two_lines(findings):
    chip = 'chip = "tm1637"\nclock = 23\ndata = 10'
    assert findings("triple-play", {'chip = "ht16k33"\naddress = 0x70': chip}) == [
        "triple-play.toml: [display] clock = 23: GPIO23 belongs to GO button; use GPIO16 (pin 36), which is free",
        "triple-play.toml: [lights] data = 10: GPIO10 belongs to the display's data; "
        "use GPIO16 (pin 36), which is free",
    ]


def test_when_every_pin_is_taken_there_is_none_to_propose(tmp_path):
    gpios = [number for number in range(4, 28) if number not in {7, 8, 9, 10, 11, 14, 15}]
    contacts = "".join(f"pad{gpio} = {{ gpio = {gpio}, ground_pin = 6 }}\n" for gpio in gpios)
    path = tmp_path / "full.toml"
    path.write_text(f'unit = "spin"\ntitle = "Full"\n[contacts]\n{contacts}', encoding="utf-8")
    assert spare(load_unit(path), load_board("rpi4")) == "free a GPIO by leaving out another part"


def test_a_strip_needs_a_pin_that_can_drive_it(findings):
    assert findings("triple-play", {"data = 10 ": "data = 17 "}) == [
        "triple-play.toml: [lights] data = 17: neopixel cannot drive a strip from GPIO17 of the Raspberry Pi Zero 2 W; "
        "use GPIO10 (SPI0 MOSI)"
    ]
    assert findings("triple-play", {"data = 10 ": "data = 21 "}) == [
        "triple-play.toml: [lights] data = 21: GPIO21 drives a strip through PCM, which only root may do; "
        "use GPIO10 (needs no root)"
    ]
    changes = {"data = 10 ": "data = 18 ", 'driver = "neopixel"': 'driver = "neopixel-spi"'}
    assert findings("triple-play", changes, "rpi5") == [
        "triple-play.toml: [lights] data = 18: neopixel-spi cannot drive a strip from GPIO18 of the Raspberry Pi 5; "
        "use GPIO10 (SPI0 MOSI)"
    ]


@pytest.mark.parametrize(
    ("driver", "board", "most"),
    [("neopixel-spi", "rpi5", 165), ("neopixel-spi", "rpi-zero-2w", 165), ("neopixel", "rpi-zero-2w", 339)],
)
def test_a_strip_longer_than_the_spi_buffer_would_begin_anew_in_the_middle(findings, driver, board, most):
    def strip(leds: int) -> dict[str, str]:
        return {"leds = 21\n": f"leds = {leds}\n", 'driver = "neopixel"': f'driver = "{driver}"'}

    assert findings("triple-play", strip(most), board) == []
    assert findings("triple-play", strip(most + 1), board) == [
        f"triple-play.toml: [lights] leds = {most + 1}: {driver} gets {most} LEDs through SPI's buffer of 4096 bytes; "
        f"use {most} LEDs at most, or boot with spidev.bufsiz=8192 and write spidev_bytes = 8192"
    ]
    wider = strip(most + 1) | {"ma_idle": "spidev_bytes = 8192\nma_idle"}
    assert findings("triple-play", wider, board) == []


def test_programmable_io_has_no_such_limit(findings):
    assert findings("triple-play", {"leds = 21\n": "leds = 340\n"}, "rpi5") == []


@pytest.mark.parametrize(("driver", "spidev_bytes", "most"), [("neopixel", 5000, 415), ("neopixel-spi", 8192, 336)])
def test_the_limit_grows_with_the_buffer(driver, spidev_bytes, most):
    assert most_leds(driver, spidev_bytes) == most


def test_what_drives_the_strip_depends_on_pin_driver_and_board():
    unit = load_unit("triple-play")
    assert strip_way(unit, load_board("rpi4")) == "SPI0"
    assert strip_way(unit, load_board("rpi5")) == "PIO"
    assert strip_way(unit._replace(lights=None), load_board("rpi5")) == ""


def test_a_buzzer_by_hardware_needs_a_pwm_pin(findings):
    assert findings("triple-play", {"gpio = 12": "gpio = 26"}) == [
        "triple-play.toml: [buzzer] gpio = 26: GPIO26 has no PWM on the Raspberry Pi Zero 2 W; "
        'use one of GPIO18, GPIO12, GPIO13, GPIO19, or write drive = "software"'
    ]
    assert findings("triple-play", {"gpio = 12": "gpio = 26", '"hardware"': '"software"'}) == []


def test_two_chips_cannot_answer_at_one_address(findings):
    changes = {"address = 0x36 ": "address = 0x70 "}
    assert findings("spin", changes) == [
        "spin.toml: [wheel] address = 0x70: is the address of [display] too; "
        "set another with the chip's address pins (0x36)"
    ]


def test_a_chip_has_only_the_addresses_that_its_pins_can_set(findings):
    changes = {"address = 0x48 ": "address = 0x4d ", "address = 0x70": "address = 0x60"}
    assert findings("triple-play-fsr", changes) == [
        "triple-play-fsr.toml: [display] address = 0x60: the HT16K33 cannot have this address; write 0x70 to 0x77",
        "triple-play-fsr.toml: [adc] address = 0x4d: the ADS1115 cannot have this address; write 0x48 to 0x4b",
    ]


def test_a_pressure_pad_needs_a_converter(findings):
    adc = "[adc]\naddress = 0x48          # ADDR to GND\nvolts = 3.3\npower_pin = 17\nground_pin = 25\n"
    assert findings("triple-play-fsr", {adc: ""}) == [
        "triple-play-fsr.toml: [pressure_pads] pile1.channel = 0: Pile pad 1 needs a converter, "
        "a Pi has no analog input; write [adc] with address = 0x48, volts, power_pin and ground_pin"
    ]


def test_two_pads_cannot_have_one_channel(findings):
    assert findings("triple-play-fsr", {"channel = 2,": "channel = 1,"}) == [
        "triple-play-fsr.toml: [pressure_pads] pile3.channel = 1: channel 1 belongs to Pile pad 2; use channel 2"
    ]


BATTERY = (
    '\n[battery]\nsource = "adc"\nchannel = 3\ntop_ohm = 100000\nbottom_ohm = 100000\nlow_mv = 3400\ngood_mv = 3600\n'
)


def test_a_battery_wants_a_channel_of_its_own_and_a_divider(findings):
    last = "feeds_board = false"
    assert findings("triple-play-fsr", {last: last + BATTERY}) == []
    low = BATTERY.replace("channel = 3", "channel = 0").replace("top_ohm = 100000", "top_ohm = 0")
    lines = [
        "triple-play-fsr.toml: [battery] channel = 0: channel 0 belongs to Pile pad 1; use channel 3",
        "triple-play-fsr.toml: [battery] top_ohm = 0: full, at about 4.3 V, it would put 4.3 V on a channel that "
        "bears 3.3 V; write top_ohm = 30910 or more",
    ]
    assert findings("triple-play-fsr", {last: last + low}) == lines
    cured = low.replace("channel = 0", "channel = 3").replace("top_ohm = 0", "top_ohm = 30910")
    assert findings("triple-play-fsr", {last: last + cured}) == []


def test_a_zero_cannot_tell_that_its_supply_sags(findings):
    last = "feeds_board = false"
    under_voltage = last + '\n[battery]\nsource = "under-voltage"\n#'
    assert findings("triple-play", {last: under_voltage}, "rpi4") == []
    assert findings("triple-play", {last: under_voltage}) == [
        'triple-play.toml: [battery] source = "under-voltage": the Raspberry Pi Zero 2 W has no detector for it; '
        'leave [battery] out, or measure the cell: source = "adc"'
    ]


GROUNDS = "write ground_pin = one of 6, 9, 14, 20, 25, 30, 34, 39"


def test_without_a_common_ground_the_strip_hears_nothing(findings):
    line = "ground_pin = 30         # joins the supply's ground with the board's: without it the strip hears nothing\n"
    assert findings("triple-play", {line: ""}) == [
        "triple-play.toml: [supply] ground_pin: is missing: the supply's ground must meet the board's, "
        f"or the strip's data has no reference; {GROUNDS}"
    ]
    assert findings("triple-play", {line: "ground_pin = 1\n"}) == [
        f"triple-play.toml: [supply] ground_pin = 1: pin 1 is 3V3, not ground; {GROUNDS}"
    ]


def test_every_part_needs_its_ground(findings):
    changes = {"ground_pin = 9": "", "gpio = 23, ground_pin = 20": "gpio = 23", "ground_pin = 34": "ground_pin = 33"}
    assert findings("triple-play", changes) == [
        f"triple-play.toml: [contacts] go.ground_pin: is missing: no current can flow back; {GROUNDS}",
        f"triple-play.toml: [display] ground_pin: is missing: no current can flow back; {GROUNDS}",
        f"triple-play.toml: [buzzer] ground_pin = 33: pin 33 is GPIO13, not ground; {GROUNDS}",
    ]
    assert findings("triple-play", {'{ on = 25 }, open = "off", ground_pin = 20': '{ on = 25 }, open = "off"'}) == [
        f"triple-play.toml: [switches] timer.ground_pin: is missing: no current can flow back; {GROUNDS}"
    ]


def test_every_part_needs_its_power(findings):
    assert findings("spin", {"power_pin = 17": "", "power_pin = 1\n": "power_pin = 5\n"}) == [
        "spin.toml: [display] power_pin = 5: pin 5 is GPIO3, which gives no power; "
        "write power_pin = one of 1, 17 (3V3)",
        "spin.toml: [wheel] power_pin: is missing: the wheel's sensor has no power; "
        "write power_pin = one of 1, 17 (3V3)",
    ]
    assert findings("spin", {"power_pin = 1\n": "power_pin = 2\n"}) == [
        "spin.toml: [display] power_pin = 2: pin 2 gives 5V, the display wants 3.3 V; "
        "write power_pin = one of 1, 17 (3V3)"
    ]
    assert findings("master", {"power_pin = 2 ": "power_pin = 1 "}) == [
        "master.toml: [lights] power_pin = 1: pin 1 gives 3V3, the strip wants 5 V; write power_pin = one of 2, 4 (5V)"
    ]


def test_no_part_may_put_5_volts_on_a_gpio(findings):
    part = "volts = 3.3\npower_pin = 1\n"
    assert findings("triple-play", {part: "volts = 5.0\npower_pin = 2\n"}) == [
        "triple-play.toml: [display] volts = 5: the display would put 5 V on pins that bear 3.3 V; "
        "run it at 3.3 V: volts = 3.3, power_pin = one of 1, 17"
    ]
    assert findings("triple-play", {"power_pin = 17 }\npile2": "power_pin = 2 }\npile2"}) == [
        "triple-play.toml: [contacts] pile1.power_pin = 2: pin 2 is 5V; a pull-up must lead to 3.3 V; "
        "write power_pin = one of 1, 17"
    ]


def test_a_pull_up_is_a_resistor_that_leads_to_power(findings):
    assert findings("master", {", power_pin = 17": ""}) == [
        "master.toml: [contacts] timer.power_pin: is missing: the pull-up resistor leads nowhere; "
        "write power_pin = one of 1, 17"
    ]
    assert findings("master", {"pull_up_ohm = 4700, ": ""}) == [
        "master.toml: [contacts] timer.power_pin = 17: without pull_up_ohm this would join the contact "
        "straight to the supply; write pull_up_ohm = 4700 too, or leave power_pin out"
    ]


def test_a_strip_at_5_volts_does_not_hear_3_3(findings):
    assert findings("triple-play", {"level_shifter = true": "level_shifter = false"}) == [
        "triple-play.toml: [lights] level_shifter = false: at 5 V the data input wants 3.5 V, a GPIO gives 3.3 V; "
        "write true and put a 74AHCT125 between, or feed the strip with 4.3 V (volts = 4.3)"
    ]
    cured = {"level_shifter = true": "level_shifter = false", "volts = 5.0": "volts = 4.3"}
    assert findings("triple-play", cured) == []


def test_the_supply_gives_what_the_strip_may_draw(findings):
    assert findings("triple-play", {"max_ma = 3000": "max_ma = 900"}) == [
        "triple-play.toml: [supply] max_ma = 900: the strip may draw 1000 mA; "
        "take a supply of 1000 mA or more, or write max_ma = 900 in [lights]"
    ]


def test_a_supply_that_feeds_the_board_has_to_be_strong_enough_for_both(findings):
    changes = {"feeds_board = false": "feeds_board = true\npower_pin = 2"}
    assert findings("triple-play", changes) == []
    assert findings("triple-play", changes, "rpi5") == [
        "triple-play.toml: [supply] max_ma = 3000: the strip may draw 1000 mA and the Raspberry Pi 5 asks for 5000 mA; "
        "take a supply of 6000 mA or more"
    ]


@pytest.mark.parametrize(
    ("lines", "finding"),
    [
        (
            "feeds_board = true",
            "[supply] power_pin: is missing: feeds_board is true; write power_pin = one of 2, 4 (5V)",
        ),
        (
            "feeds_board = true\npower_pin = 1",
            "[supply] power_pin = 1: pin 1 is 3V3; write power_pin = one of 2, 4 (5V)",
        ),
        (
            "feeds_board = false\npower_pin = 2",
            "[supply] power_pin = 2: the supply does not feed the board; write feeds_board = true, or leave it out",
        ),
        ("feeds_board = false\nvolts = 4.5", "[supply] volts = 4.5: the strip wants 5 V; write volts = 5"),
    ],
)
def test_a_supply_feeds_the_board_or_leaves_it_alone(findings, lines, finding):
    changes = {"feeds_board = false": lines}
    if "volts" in lines:
        changes = {"[supply]\nvolts = 5.0": "[supply]\nvolts = 4.5"}
    assert findings("triple-play", changes) == [f"triple-play.toml: {finding}"]


def test_a_supply_without_a_strip_feeds_nothing(tmp_path):
    path = tmp_path / "dark.toml"
    supply = "[supply]\nvolts = 5.0\nmax_ma = 1000\nground_pin = 6\n"
    path.write_text(f'unit = "dark"\ntitle = "Dark"\n{supply}', encoding="utf-8")
    assert [str(finding) for finding in check(load_unit(path), load_board("rpi3"))] == [
        f'{path}: unit = "dark": there is no such unit; '
        "known here: master, party, spin, spin-hall, triple-play, triple-play-fsr",
        f"{path}: [supply]: feeds nothing; leave the section out",
    ]


def test_only_a_small_strip_may_hang_on_the_header(findings):
    assert findings("master", {"max_ma = 300 ": "max_ma = 501 "}) == [
        "master.toml: [lights] max_ma = 501: is more than the 500 mA that a strip may take from the header; "
        "write 500 at most, or give the strip a [supply]"
    ]


def test_a_strip_has_one_supply(findings):
    assert findings("triple-play", {"capacitor_uf = 1000 ": "power_pin = 2\ncapacitor_uf = 1000 "}) == [
        "triple-play.toml: [lights] power_pin = 2: the strip has a [supply]; two of them would fight; leave it out"
    ]
    assert findings("triple-play", {"capacitor_uf = 1000 ": "ground_pin = 6\ncapacitor_uf = 1000 "}) == [
        "triple-play.toml: [lights] ground_pin = 6: the strip has a [supply]; two of them would fight; leave it out"
    ]


def test_a_part_is_called_as_the_unit_calls_it(findings):
    changes = {"pile2 = { label": "pil2 = { label", "timer = { label": "tymer = { label", "counter3 =": "contour3 ="}
    assert findings("triple-play", changes) == [
        "triple-play.toml: [contacts] pil2: triple-play has no such part; did you mean pile2?",
        "triple-play.toml: [contacts]: pile2 is missing; see wiring/units/triple-play.toml",
        "triple-play.toml: [switches] tymer: triple-play has no such part; did you mean timer?",
        "triple-play.toml: [switches]: timer is missing; see wiring/units/triple-play.toml",
        "triple-play.toml: [lights.layout] contour3: triple-play has no such part; did you mean counter3?",
        "triple-play.toml: [lights.layout]: counter3 is missing; see wiring/units/triple-play.toml",
    ]


def test_a_wheel_may_have_more_or_fewer_segments_and_a_table_fewer_seats(findings):
    """SP, PA: 2 to 12 icons, 6 to 16 players."""
    assert findings("spin", {"seg9 = ": "seg12 = "}) == []
    assert findings("party", {"seat16 = { leds = [15] }\n": "", "leds = 16\n": "leds = 15\n"}) == []


def test_everything_is_found_at_once(findings):
    changes = {
        "data = 10 ": "data = 18 ",
        "gpio = 6,": "gpio = 5,",
        "level_shifter = true": "level_shifter = false",
        "max_ma = 3000": "max_ma = 500",
    }
    assert len(findings("triple-play", changes)) == 5


def test_no_check_is_left_out():
    """Every function that finds something is asked."""
    from wiring import check as here
    from wiring import pins, power

    finders = {
        function
        for module in (here, pins, power)
        for function in vars(module).values()
        if getattr(function, "__annotations__", {}).get("return") == "Iterator[Finding]"
        and not function.__name__.startswith("_")
    }
    assert finders == set(CHECKS)
