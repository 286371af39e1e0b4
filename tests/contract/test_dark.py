"""What is left on after a kill: nothing. The bytes that go to the kernel, and what is said of a part that fails."""

import fcntl
from types import SimpleNamespace

import neopixel_spi
import pytest

from hal.pi import dark
from wiring.load import load_unit

TRIPLE_PLAY = load_unit("triple-play")
LEDS = 21


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """A /dev whose buses are files; `asked` has what was set on them."""
    asked = []
    monkeypatch.setattr(fcntl, "ioctl", lambda bus, what, argument: asked.append((what, argument)))
    for bus in ("spidev0.0", "i2c-1"):
        (tmp_path / bus).touch()
    return SimpleNamespace(path=tmp_path, asked=asked, read=lambda bus: (tmp_path / bus).read_bytes())


@pytest.fixture
def sys_pwm(tmp_path):
    """A /sys/class/pwm with one PWM whose channel for GPIO12 sounds."""
    channel = tmp_path / "devices" / "3f20c000.pwm" / "pwm" / "pwmchip0" / "pwm0"
    channel.mkdir(parents=True)
    (channel / "period").write_text("2272727\n")
    (channel / "duty_cycle").write_text("1136363\n")
    (channel.parent / "device").symlink_to(channel.parents[2])
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "pwmchip0").symlink_to(channel.parent)
    return tmp_path / "class"


def as_the_driver_sends(frame):
    """Return what Adafruit's neopixel_spi puts on the bus for a frame (GRB)."""
    sent = []

    class Bus:
        frequency = 6_400_000

        def try_lock(self):
            return True

        def unlock(self):
            pass

        def configure(self, **how):
            pass

        def write(self, content):
            sent.append(bytes(content))

    pixels = neopixel_spi.NeoPixel_SPI(Bus(), len(frame) // 3, auto_write=False, pixel_order=neopixel_spi.GRB)
    pixels[:] = [(frame[at + 1], frame[at], frame[at + 2]) for at in range(0, len(frame), 3)]
    pixels.show()
    return sent[-1]


def test_everything_ends_dark_and_silent(dev, sys_pwm):
    """C-21."""
    assert dark.darken(TRIPLE_PLAY, dev.path, sys_pwm) == []
    assert (sys_pwm / "pwmchip0" / "pwm0" / "duty_cycle").read_text() == "0\n"
    assert dev.read("spidev0.0") == as_the_driver_sends(bytes(3 * LEDS))
    assert dev.read("i2c-1") == bytes(17) + b"\x80"
    assert dev.asked == [(0x40046B04, (6_400_000).to_bytes(4, "little")), (0x0703, 0x70)]


def test_a_part_that_fails_keeps_no_other_from_the_dark(dev, sys_pwm):
    """C-21, C-20."""
    (dev.path / "spidev0.0").unlink()
    (dev.path / "spidev0.0").mkdir()
    (sys_pwm / "pwmchip0").unlink()
    buzzer, strip = dark.darken(TRIPLE_PLAY, dev.path, sys_pwm)
    assert buzzer.startswith("buzzer: no PWM for GPIO12 (found: none)")
    assert strip == f"strip: [Errno 21] Is a directory: '{dev.path / 'spidev0.0'}'"
    assert dev.read("i2c-1") == bytes(17) + b"\x80"


def test_the_first_light_is_one_dim_led(dev):
    dark.first_light(TRIPLE_PLAY.lights, dev.path)
    assert dev.read("spidev0.0") == as_the_driver_sends(bytes([12] * 3) + bytes(3 * (LEDS - 1)))


def test_the_first_light_can_be_put_out_again(dev):
    dark.first_light(TRIPLE_PLAY.lights, dev.path)
    dark.no_light(TRIPLE_PLAY.lights, dev.path)
    assert dev.read("spidev0.0").endswith(as_the_driver_sends(bytes(3 * LEDS)))


def test_a_strip_on_another_pin_has_no_first_light(dev):
    dark.first_light(TRIPLE_PLAY.lights._replace(data=18), dev.path)
    dark.no_light(TRIPLE_PLAY.lights._replace(data=18), dev.path)
    assert dev.read("spidev0.0") == b""
