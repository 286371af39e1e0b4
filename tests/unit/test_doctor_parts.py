"""The doctor and the parts of a unit: what is switched off, who has our lines, which chip does not answer."""

from pathlib import Path

import pytest

from firmware.doctor_place import Line, Verdict
from hal.pi.gpiochip import Chip
from tests.machines import PI_3, PI_4, PI_5, FakePi, troubles

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def pi4(tmp_path):
    return FakePi(tmp_path, PI_4)


@pytest.fixture
def pi5(tmp_path):
    return FakePi(tmp_path, PI_5)


# -- config.txt, buses, drivers ----------------------------------------------------------------------------------------


def test_spi_i2c_and_pwm_were_never_switched_on(pi4):
    pi4.write("/boot/firmware/config.txt", "# as it came\n#dtparam=i2c_arm=on\n#dtparam=spi=on\ndtparam=audio=on\n")
    for device in ("/dev/spidev0.0", "/dev/i2c-1", "/sys/class/pwm/pwmchip0", "/sys/module/spidev"):
        pi4.remove(device)
    config = "/boot/firmware/config.txt"
    assert troubles(pi4.examined_with("triple-play")) == [
        ("warning", "pulls", "GPIO13, GPIO23, GPIO24, GPIO25 look pressed until the program starts",
         f"write gpio=13,23,24,25=ip,pu into {config}, reboot"),
        ("failure", "spi", "/dev/spidev0.0 is not there: it is switched off",
         f"write dtparam=spi=on into {config}, reboot"),
        ("failure", "core_freq", "core_freq=500 and core_freq_min=500 is missing: SPI's clock moves, and the strip "
         "flickers or turns white", f"write core_freq=500 and core_freq_min=500 into {config}, reboot"),
        ("failure", "i2c", "/dev/i2c-1 is not there: it is switched off",
         f"write dtparam=i2c_arm=on into {config}, reboot"),
        ("failure", "pwm", "the kernel shows no PWM that reaches GPIO12",
         f'write dtoverlay=pwm,pin=12,func=4 into {config}, reboot; or drive = "software" under [buzzer]'),
    ]  # fmt: skip


def test_they_were_switched_on_but_the_pi_was_not_started_again(pi4):
    for device in ("/dev/spidev0.0", "/dev/i2c-1", "/sys/class/pwm/pwmchip0"):
        pi4.remove(device)
    assert [(topic, cure) for _, topic, _, cure in troubles(pi4.examined_with("triple-play"))] == [
        ("spi", "reboot"),
        ("i2c", "reboot; if that was done: sudo modprobe i2c-dev"),
        ("pwm", "reboot"),
    ]


def test_without_a_unit_what_is_switched_off_is_a_warning(pi4):
    pi4.remove("/dev/spidev0.0")
    assert [(verdict, topic) for verdict, topic, _, _ in troubles(pi4.examined_with(None))] == [("warning", "spi")]


def test_before_bookworm_config_txt_was_elsewhere(pi4):
    """Where both are there, the old one is a notice only and does not count."""
    pi4.write("/boot/config.txt", "core_freq=250\n")
    assert troubles(pi4.examined_with("triple-play")) == []
    pi4.remove("/boot/firmware")
    assert [text for _, topic, text, _ in troubles(pi4.examined_with("triple-play")) if topic == "core_freq"] == [
        "core_freq=500 and core_freq_min=500 is missing: SPI's clock moves, and the strip flickers or turns white"]
    pi4.remove("/boot/config.txt")
    assert troubles(pi4.examined_with(None))[0] == (
        "warning", "config.txt", "neither /boot/firmware/config.txt nor /boot/config.txt is there",
        "mount the boot partition; without it the doctor cannot see what is switched on",
    )  # fmt: skip


def test_lines_for_another_model_do_not_count(tmp_path):
    pi = FakePi(tmp_path, PI_3)
    pi.write("/boot/firmware/config.txt", "dtparam=spi=on,i2c_arm=on\n[pi4]\ncore_freq=250\n[all]\n[EDID=x]\n"
             "core_freq=250\n[all]\ngpio=13,23-25=ip,pu\ndtoverlay=pwm,pin=12,func=4\ninclude clock.txt\n")
    assert [topic for _, topic, _, _ in troubles(pi.examined_with("triple-play"))] == ["core_freq"]
    pi.write("/boot/firmware/clock.txt", "[pi3]\ncore_freq=250\n")
    assert troubles(pi.examined_with("triple-play")) == []


def test_a_later_line_takes_an_earlier_one_back(pi4):
    pi4.write("/boot/firmware/config.txt", "core_freq=500\ncore_freq_min=500\ncore_freq=550\n")
    assert [text for _, topic, text, _ in troubles(pi4.examined_with("triple-play")) if topic == "core_freq"] == [
        "core_freq=500 is missing: SPI's clock moves, and the strip flickers or turns white"]


def test_pins_are_pulled_up_one_by_one_or_in_spans_until_a_later_line(pi4):
    kept = (pi4.root / "boot/firmware/config.txt").read_text().replace("gpio=13,17,22-27=ip,pu\n", "")
    for lines, lacking in (
        ("gpio=23=pu\ngpio=24,25=ip,pu\ngpio=13=ip,pu\n", None), ("gpio=0-53=pu\ngpio=24=pd\n", "GPIO24"),
        ("gpio=0-99999999999=ip,pu\ngpio=5=op,dh\n", None), ("gpio=\ngpio=pu\ngpio=x=pu\ngpio=13,23-24=pu", "GPIO25"),
    ):  # fmt: skip
        pi4.write("/boot/firmware/config.txt", f"{kept}{lines}")
        said = [text for _, topic, text, _ in troubles(pi4.examined_with("triple-play")) if topic == "pulls"]
        assert said == ([] if lacking is None else [f"{lacking} look pressed until the program starts"]), lines


def test_a_buffer_that_is_too_small_for_the_strip(pi4):
    pi4.write("/sys/module/spidev/parameters/bufsiz", "256\n")
    assert troubles(pi4.examined_with("triple-play")) == [
        ("failure", "spidev", "the buffer of 256 bytes has room for 19 LEDs, the strip has 21",
         "add spidev.bufsiz=512 to the line in cmdline.txt, reboot"),
    ]  # fmt: skip


def test_a_pi_5_without_pio_cannot_drive_the_strip(pi5):
    """OctoPrint-WS281x#222."""
    pi5.remove("/dev/pio0")
    other = 'or write driver = "neopixel-spi" under [lights]'
    assert troubles(pi5.examined_with("triple-play")) == [
        ("failure", "pio", "/dev/pio0 is not there: the strip cannot be driven",
         f"sudo apt full-upgrade (kernel and firmware), reboot; {other}"),
    ]  # fmt: skip


def test_a_pi_5_whose_pio_is_roots_alone(pi5):
    pi5.locked.add("/dev/pio0")
    group = (pi5.root / "dev/pio0").group()
    assert troubles(pi5.examined_with("triple-play")) == [
        ("failure", "pio", f"/dev/pio0 belongs to group {group} and may not be opened",
         'write SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660" into /etc/udev/rules.d/99-pio.rules, reboot; '
         'or write driver = "neopixel-spi" under [lights]'),
    ]  # fmt: skip


def test_only_a_pi_5_is_asked_for_pio(pi4):
    pi4.remove("/dev/pio0")
    assert troubles(pi4.examined_with("triple-play")) == []


def test_analog_audio_and_the_buzzer_share_one_pwm(pi4):
    pi4.write("/boot/firmware/config.txt",
              (pi4.root / "boot/firmware/config.txt").read_text().replace("audio=off", "audio=on"))
    assert troubles(pi4.examined_with("triple-play")) == [
        ("warning", "pwm", "analog audio shares the PWM with the buzzer: each spoils the other's sound",
         "write dtparam=audio=off into /boot/firmware/config.txt, reboot"),
    ]  # fmt: skip


def test_the_pwm_is_found_by_its_device_whatever_its_number(pi5):
    """On kernel 6.6 it was pwmchip2, from 6.12 on pwmchip0 (raspberrypi/linux#6818)."""
    (pi5.root / "sys/class/pwm/pwmchip0").rename(pi5.root / "sys/class/pwm/pwmchip2")
    lines = pi5.examined_with("triple-play")
    assert troubles(lines) == []
    assert Line("pwm", Verdict.OK, "pwmchip2, channel 0 reaches GPIO12") in lines


def wired_otherwise(pi, unit, *changes):
    """A wiring file of the maker's own: that of *unit* with some texts replaced; its path."""
    text = (ROOT / f"wiring/units/{unit}.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    pi.write("/mine.toml", text)
    return str(pi.root / "mine.toml")


def test_a_buzzer_on_gpiozeros_pwm_needs_nothing_of_the_kernel(pi4):
    pi4.remove("/sys/class/pwm")
    lines = pi4.examined_with(wired_otherwise(pi4, "triple-play", ('drive = "hardware"', 'drive = "software"')))
    assert troubles(lines) == []
    assert Line("pwm", Verdict.OK, "gpiozero's on GPIO12: an uneven pitch, but nothing to set up") in lines


def test_a_buzzer_where_no_pwm_reaches(pi4):
    where = wired_otherwise(pi4, "triple-play", ("gpio = 12\n", "gpio = 16\n"))
    assert [(topic, cure) for _, topic, _, cure in troubles(pi4.examined_with(where))] == [
        ("wiring", 'use one of GPIO18, GPIO12, GPIO13, GPIO19, or write drive = "software"'),
        ("pwm", "12, 13, 18 or 19, or drive = 'software'"),
    ]


def test_a_display_on_two_wires_of_its_own_needs_no_i2c(pi4):
    pi4.remove("/dev/i2c-1")
    where = wired_otherwise(pi4, "triple-play", ('chip = "ht16k33"\naddress = 0x70\n',
                                                 'chip = "tm1637"\nclock = 16\ndata = 26\n'))
    lines = pi4.examined_with(where)
    assert [line for line in lines if line.topic == "i2c"] == []
    assert troubles(lines) == []


def test_without_the_headers_chip_nobody_is_accused_of_having_its_lines(pi4):
    pi4.chips, pi4.claimed = [], {6: "other program"}
    assert "lines" not in {line.topic for line in pi4.examined_with("triple-play")}


def test_a_desktop_says_which_parts_are_drawn_instead(tmp_path):
    machine = FakePi(tmp_path, PI_4)
    machine.remove("/proc")
    assert Line("parts", Verdict.ABSENT,
                "buttons and pads, switches, strip, display, buzzer: drawn in the browser instead",
                ) in machine.examined_with("master")  # fmt: skip


def test_devices_that_are_there_but_not_for_this_user(pi4):
    pi4.locked = {"/dev/spidev0.0", "/dev/i2c-1", "/sys/class/pwm/pwmchip0/export"}
    assert [(topic, text) for _, topic, text, _ in troubles(pi4.examined_with("triple-play"))] == [
        ("spi", "/dev/spidev0.0 may not be opened"),
        ("i2c", "/dev/i2c-1 may not be opened"),
        ("pwm", "/sys/class/pwm/pwmchip0 may not be used"),
    ]


# -- chips and lines ---------------------------------------------------------------------------------------------------


def test_a_display_with_other_solder_bridges(pi4):
    pi4.on_bus = [0x71]
    assert troubles(pi4.examined_with("triple-play")) == [
        ("failure", "i2c", "no answer at 0x70 (display), but one at 0x71",
         "write address = 0x71 under [display], or change the chip's address pins"),
    ]  # fmt: skip


def test_nothing_answers_on_the_bus(pi4):
    pi4.on_bus = []
    assert troubles(pi4.examined_with("spin")) == [
        ("failure", "i2c", f"{chip} does not answer at {address} ({section})",
         "check its power, its ground, SDA (pin 3) and SCL (pin 5)")
        for chip, address, section in (("HT16K33", "0x70", "display"), ("AS5600", "0x36", "wheel"))
    ]  # fmt: skip


def test_a_bus_that_is_stuck(pi4):
    def stuck(device):
        raise TimeoutError(110, "Connection timed out", "/dev/i2c-1")

    pi4.changes = {"on_i2c": stuck}
    assert troubles(pi4.examined_with("triple-play")) == [
        ("warning", "i2c", "/dev/i2c-1 cannot be read: Connection timed out", ""),
    ]


def test_somebody_else_has_a_line_of_ours(pi4):
    """gpiozero#1151: "GPIO busy" says neither which nor who."""
    pi4.claimed = {6: "other program", 25: "", 10: "spi0", 8: "spi0 CS0", 2: "i2c"}
    pi4.opened_by = ["python3 (412)", "pigpiod (77)"]
    cure = "end that program (the unit itself: sudo systemctl stop 'pilelight@*')"
    by = "; gpiochip0 is open in python3 (412), pigpiod (77)"
    assert troubles(pi4.examined_with("triple-play")) == [
        ("failure", "lines", f"GPIO6 (Pile pad 2) is claimed as 'other program'{by}", cure),
        ("failure", "lines", f"GPIO25 (Timer switch, on) is claimed by somebody{by}", cure),
        ("failure", "lines", f"GPIO10 (the strip) is claimed as 'spi0'{by}", cure),
    ]


def test_the_header_moved_to_another_chip(pi5):
    """gpiozero#1166: it was gpiochip4 once."""
    pi5.chips = [Chip(4, "gpiochip4", "pinctrl-rp1", 54)]
    assert Line("gpio", Verdict.OK, "factory lgpio on gpiochip4 (pinctrl-rp1, 54 lines)") in pi5.examined_with(None)


def test_no_chip_has_the_headers_label(pi5):
    pi5.chips = [Chip(0, "gpiochip0", "gpio-brcmstb@107d508500", 32)]
    assert troubles(pi5.examined_with(None)) == [
        ("failure", "gpio", "no chip has the label of the header's (pinctrl-bcm2835, pinctrl-bcm2711, pinctrl-rp1); "
         "there are: gpiochip0 (gpio-brcmstb@107d508500)", "report this kernel; set gpiochip = N meanwhile"),
    ]  # fmt: skip


def test_a_chip_that_this_user_may_not_open_and_none_at_all(pi4):
    pi4.locked = {"/dev/gpiochip0"}
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "gpio", "gpiochip0 may not be opened", "sudo usermod -aG gpio maker, then log in again")]
    for number in (0, 1):
        pi4.remove(f"/dev/gpiochip{number}")
    pi4.chips = []
    assert troubles(pi4.examined_with(None)) == [
        ("failure", "gpio", "the kernel shows no GPIO chip (/dev/gpiochip*)", "use the kernel of Raspberry Pi OS")]


def test_a_pin_factory_in_the_environment_is_not_followed_in_silence(pi4):
    pi4.changes = {"environ": {"GPIOZERO_PIN_FACTORY": "pigpio"}}
    assert troubles(pi4.examined_with(None)) == [
        ("warning", "gpio", "GPIOZERO_PIN_FACTORY=pigpio is ignored", "unset it; the factory is named by us")]


def test_a_mistake_in_the_wiring_file_is_found_as_well(pi4):
    where = wired_otherwise(pi4, "triple-play", ("gpio = 6,", "gpio = 5,"))
    assert [(verdict, topic, said.replace(where, "mine.toml")) for verdict, topic, said, _ in
            troubles(pi4.examined_with(where))] == [
        ("failure", "wiring", "mine.toml: [contacts] pile2.gpio = 5: GPIO5 belongs to Pile pad 1")]


# -- what cannot be read -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, text, line", [
    ("/sys/module/spidev/parameters/bufsiz", "many\n", "what stands there makes no sense: "
     "invalid literal for int() with base 10: 'many'"),
    ("/sys/devices/platform/soc/soc:firmware/get_throttled", "n/a\n", "what stands there makes no sense: "
     "invalid literal for int() with base 16: 'n/a'"),
])  # fmt: skip
def test_a_file_with_nonsense_is_a_line_and_no_crash(pi4, name, text, line):
    pi4.write(name, text)
    assert [said for _, _, said, _ in troubles(pi4.examined_with("triple-play"))] == [line]


@pytest.mark.parametrize("name", [
    "/boot/firmware/config.txt", "/proc/device-tree/model", "/sys/class/hwmon/hwmon1/name",
    "/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "/sys/module/spidev/parameters/bufsiz",
])  # fmt: skip
def test_a_file_that_cannot_be_read_is_a_line_and_no_crash(pi4, name):
    """A folder in its place: it cannot be read by root either."""
    pi4.remove(name)
    (pi4.root / name.lstrip("/")).mkdir()
    lines = pi4.examined_with("triple-play")
    if name == "/proc/device-tree/model":
        assert lines[0].text == "no Raspberry Pi: no lines, no strip, no I2C here"
    else:
        assert len(troubles(lines)) >= 1


def test_no_right_to_read_says_so(pi4):
    def refuse(device):
        raise PermissionError(13, "Permission denied", "/dev/i2c-1")

    pi4.changes = {"on_i2c": refuse}
    assert troubles(pi4.examined_with("triple-play")) == [
        ("warning", "i2c", "/dev/i2c-1 may not be read", "run the doctor with sudo to see it")]
