"""What a whole Pi promises: everything missing is a fault and no error, and the end is dark."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hal.errors import BadSetting, ChipError, LineBusy, MissingLibrary, remedy
from hal.pi.blinka import I2cBus
from hal.pi.board import PiBoard, PiSettings, QueueInbox
from hal.pi.buzzer import SILENCE
from hal.pi.devices import Devices
from hal.pi.pwm import find_channel
from hal.ports import Battery, Broke, Contact, Dims, Mended, Moved, Seeded, Stop
from tests.contract.bench_bus import BenchAds1115, BenchAs5600, BenchBus, BenchHt16k33
from tests.contract.rigs import RIGS, made, unit
from wiring.load import load_unit
from wiring.model import Adc, As5600, Buzzer, Display, Lights, PressurePad, Quadrature
from wiring.model import Battery as BatteryWiring

LEDS = 3
LIT = b"\x10" * 3 * LEDS
ROOT = Path(__file__).resolve().parents[2]


class Shown:
    """A strip or a buzzer whose driver keeps what it was given; `lit` waits for one content."""

    def __init__(self):
        self.contents, self.closed = [], False
        self._changed = threading.Condition()

    def write(self, content):
        with self._changed:
            self.contents.append(content)
            self._changed.notify_all()

    def close(self):
        self.closed = True

    def await_(self, content):
        with self._changed:
            assert self._changed.wait_for(lambda: self.contents[-1:] == [content], timeout=10)


class BenchDevices(Devices):
    """The real drivers on a bench's I2C bus; strip and buzzer keep what they are given."""

    def __init__(self, wiring, factory=None, bus=None):
        self.bus = bus or BenchBus(display=BenchHt16k33(), wheel=BenchAs5600(), adc=BenchAds1115())
        super().__init__(wiring, factory, self.bus)
        self.shown = {"strip": Shown(), "buzzer": Shown()}

    def strip(self):
        return self.shown["strip"]

    def buzzer(self):
        return self.shown["buzzer"]


class NothingThere(Devices):
    """Every chip is missing, each in its own way."""

    def __init__(self):
        pass

    def strip(self):
        raise MissingLibrary("adafruit-circuitpython-neopixel", "pi")

    def display(self):
        raise ChipError("no answer at 0x70")

    def buzzer(self):
        raise PermissionError(13, "Permission denied")

    def angle_sensor(self):
        raise ValueError("No I2C device found at address 0x36")

    def adc(self):
        raise RuntimeError("I2C Bus #1 not found, check if enabled in config!")

    def battery(self):
        raise ZeroDivisionError     # even what nobody thought of

    def forget(self, error):
        pass


@pytest.fixture
def everything():
    """A unit with one of each part."""
    return unit(
        lights=made(Lights, data=10, leds=LEDS, driver="neopixel"), display=made(Display, chip="ht16k33", address=0x70),
        buzzer=made(Buzzer, gpio=12, drive="hardware"), wheel=made(As5600, address=0x36, zero=0, reversed=False),
        pressure_pads=(made(PressurePad, name="pile4", channel=0),), adc=made(Adc, address=0x48),
        battery=made(BatteryWiring, source="adc", channel=3, top_ohm=1, bottom_ohm=1, low_mv=3_400, good_mv=3_600),
    )


def test_with_every_optional_part_missing_it_starts_and_says_what_is_missing(open_rig, everything):
    """C-20: faults, no errors; the buttons work."""
    rig = open_rig("mock", wiring=everything, devices=NothingThere(), slots=36)
    told = rig.began()
    assert {given.part: given.why for given in told if isinstance(given, Broke)} == {
        "strip": f"adafruit-circuitpython-neopixel is not installed: {remedy('pi')}",
        "display": "no answer at 0x70", "buzzer": "[Errno 13] Permission denied",
        "wheel": "No I2C device found at address 0x36",
        "pile4": "I2C Bus #1 not found, check if enabled in config!",
    }
    at_us = rig.drive("go", True)
    assert Contact("go", True, at_us) in rig.hear()
    rig.board.strip.show(LIT)
    rig.board.display.show(b"\x06\x06\x06\x06")
    rig.board.buzzer.sound(440, 3)
    assert rig.board.health().ok


def test_a_unit_without_parts_has_none(open_rig):
    """A wheel, a display and a strip are optional."""
    rig = open_rig("mock")
    assert (rig.board.strip, rig.board.display, rig.board.buzzer) == (None, None, None)


def test_the_first_things_told_are_the_seed_the_place_of_the_wheel_and_a_low_battery(open_rig, everything):
    """C-3, C-22: power comes on after the board has said what its parts are like."""
    devices = BenchDevices(everything)
    devices.bus.chips[0x48].millivolts[3] = 1_500
    rig = open_rig("mock", wiring=everything, devices=devices, slots=36, held=["power on"])
    first = rig.board.wait(None)
    assert isinstance(first[0], Seeded)
    assert {type(given).__name__ for given in first[1:]} == {"WheelAt", "Battery"}
    assert next(given for given in first if isinstance(given, Battery)).low
    assert isinstance(rig.began()[-1], Moved)


def test_what_the_game_shows_reaches_every_part(open_rig, everything):
    devices = BenchDevices(everything)
    rig = open_rig("mock", wiring=everything, devices=devices, slots=36)
    rig.board.strip.show(LIT)
    rig.board.buzzer.sound(440, 3)
    devices.shown["strip"].await_(LIT)
    devices.shown["buzzer"].await_((440, 3))
    assert devices.shown["strip"].contents[0] == bytes(3 * LEDS)
    assert devices.shown["buzzer"].contents[0] == SILENCE


def test_the_end_is_dark_silent_and_leaves_no_thread(open_rig, everything):
    """C-21, within 2 s, with a button held down (gpiozero#887, #1142)."""
    before = set(threading.enumerate())
    devices = BenchDevices(everything)
    rig = open_rig("mock", wiring=everything, devices=devices, slots=36, held=["go"])
    rig.board.strip.show(LIT)
    rig.board.display.show(b"\x5b\x5b\x5b\x5b")
    rig.board.buzzer.sound(440, 3)
    devices.shown["strip"].await_(LIT)
    rig.close()
    assert devices.shown["strip"].contents[-1] == bytes(3 * LEDS)
    assert devices.shown["buzzer"].contents[-1] == SILENCE
    assert devices.bus.chips[0x70].visible == bytes(4)
    assert all(shown.closed for shown in devices.shown.values())
    assert set(threading.enumerate()) == before


def wait_for(board, kind):
    """Return the next input of a kind, from a board on the real clock: the wait ends with it, not after a time."""
    while True:
        found = [given for given in board.wait(None) if isinstance(given, kind)]
        if found:
            return found[0]


def test_a_display_that_vanishes_during_play_is_told_to_the_game_and_healed(everything, monkeypatch):
    """C-20, through the whole board: real threads, real queue, real clock."""
    monkeypatch.setattr("hal.pi.repair.FIRST_RETRY_US", 1_000)
    devices = BenchDevices(everything)
    board = PiBoard(everything, PiSettings(wheel_slots=36), MockFactory(), devices)
    try:
        devices.bus.fails[0x70] = "silent"
        board.display.show(b"\x06\x06\x06\x06")
        assert wait_for(board, Broke).part == "display"
        devices.bus.chips[0x70].power_up()
        del devices.bus.fails[0x70]
        assert wait_for(board, Mended).part == "display"
        assert devices.bus.chips[0x70].visible == b"\x06\x06\x06\x06"
        assert board.health() == (True, "inputs listen, strip writes")
    finally:
        board.close()


def test_a_strip_that_hangs_is_no_reason_to_feed_the_watchdog(open_rig, everything):
    """A frame that does not leave for two seconds; and the game goes on meanwhile."""
    let_go, entered = threading.Event(), threading.Event()

    class Hanging(Shown):
        def write(self, content):
            super().write(content)
            if content == LIT:
                entered.set()
                let_go.wait()

    devices = BenchDevices(everything)
    devices.shown["strip"] = Hanging()
    rig = open_rig("mock", wiring=everything, devices=devices, slots=36)
    rig.began()
    rig.board.strip.show(LIT)
    assert entered.wait(10)
    assert rig.board.health().ok
    rig.advance(2_000_001)
    assert rig.board.health() == (False, "a frame does not leave: the strip's driver hangs")
    let_go.set()


@pytest.mark.parametrize("name", RIGS)
def test_a_second_unit_on_the_same_lines_is_refused_and_takes_nothing(name, open_rig, monkeypatch):
    """gpiozero#1151, RPi-Jukebox-RFID#267: one owner; the message names the line."""
    rig = open_rig(name)
    with pytest.raises(LineBusy, match=r"GPIO23 \(go\) is used twice by this unit.*the unit's inputs"):
        PiBoard(rig.wiring, factory=_Lent(rig.factory), inbox=rig.inbox, now=rig.clock)
    at_us = (rig.began(), rig.drive("go", True))[1]
    assert rig.hear() == [Contact("go", True, at_us)]


class _Lent:
    """Somebody's factory, which is not ours to close."""

    def __init__(self, factory):
        self._factory = factory

    def __getattr__(self, name):
        return getattr(self._factory, name)

    def close(self):
        pass


def test_a_line_that_another_program_holds_is_named_with_what_can_be_found_out(open_rig, monkeypatch):
    """gpiozero#1057, rpi-lgpio#25: "GPIO busy" alone helps nobody."""
    from tests.contract import rigs

    class Busy(rigs.LgpioRig):
        def _open_factory(self, monkeypatch):
            factory = super()._open_factory(monkeypatch)
            self.lgpio.busy.add(6)
            return factory

    monkeypatch.setitem(RIGS, "busy", Busy)
    with pytest.raises(LineBusy, match=r"^GPIO6 \(pile2\) is busy: claimed by another program"):
        open_rig("busy")


def test_the_unit_of_three_piles_opens_as_its_wiring_file_says(open_rig):
    """From the file to the lines: nothing in between knows a pin."""
    wiring = load_unit("triple-play")
    rig = open_rig("lgpio", wiring=wiring, devices=NothingThere())
    rig.began()
    for contact in wiring.contacts:
        at_us = rig.drive(contact.name, True)
        assert rig.hear(10_000) == [Contact(contact.name, True, at_us)]


class TestDevices:
    """From a wiring file to drivers."""

    def test_the_wiring_file_chooses_the_chip_of_the_display(self, monkeypatch):
        factory = MockFactory()
        ht16k33 = unit(display=made(Display, chip="ht16k33", address=0x70))
        tm1637 = unit(display=made(Display, chip="tm1637", clock=22, data=27))
        assert type(Devices(ht16k33, factory, BenchBus(display=BenchHt16k33())).display()).__name__ == "Ht16k33"
        assert type(Devices(tm1637, factory).display()).__name__ == "Tm1637"

    def test_the_settings_say_how_bright_the_display_is(self, monkeypatch):
        """C-24: from the board's settings to the register of the chip."""
        chip = BenchHt16k33()
        monkeypatch.setattr("hal.pi.blinka.open_i2c", lambda: BenchBus(display=chip))
        wiring = unit(display=made(Display, chip="ht16k33", address=0x70))
        for brightness, step in ((1.0, 8), (0.25, 2)):
            board = PiBoard(wiring, PiSettings(brightness=brightness), MockFactory())
            board.display.show(b"\x00\x00\x00\x06")
            board.close()
            assert chip.dimming == step

    @pytest.mark.parametrize("parts", [{}, {"display": made(Display, chip="ht16k33", address=0x70)}])
    def test_an_open_board_dims_its_display_if_it_has_one(self, monkeypatch, parts):
        """C-24: a page beside the unit changes the setting while it is played."""
        chip = BenchHt16k33()
        monkeypatch.setattr("hal.pi.blinka.open_i2c", lambda: BenchBus(display=chip))
        board = PiBoard(unit(**parts), PiSettings(), MockFactory())
        assert isinstance(board, Dims)
        board.dim(0.25)
        board.close()
        assert chip.dimming == (2 if parts else 15)

    def test_the_wiring_file_chooses_the_pwm_of_the_buzzer(self, monkeypatch, tmp_path):
        """A hardware PWM that is missing is not replaced by the software's."""
        monkeypatch.setattr("hal.pi.buzzer.find_channel", lambda gpio, sys_pwm: find_channel(gpio, tmp_path))
        factory = MockFactory(pin_class=MockPWMPin)
        software = Devices(unit(buzzer=made(Buzzer, gpio=12, drive="software")), factory).buzzer()
        assert type(software).__name__ == "SoftwarePwm"
        with pytest.raises(ChipError, match="no PWM for GPIO12"):
            Devices(unit(buzzer=made(Buzzer, gpio=12, drive="hardware")), factory).buzzer()

    def test_a_pad_without_an_adc_is_a_mistake_of_the_wiring_file(self):
        with pytest.raises(BadSetting, match=r"bench.toml: \[adc\] is missing"):
            Devices(unit(), None).adc()

    def test_the_adc_is_one_for_pads_and_battery_until_it_fails(self):
        devices = BenchDevices(unit(adc=made(Adc, address=0x48)))
        first = devices.adc()
        assert devices.adc() is first
        devices.forget(OSError(121, "Remote I/O error"))
        assert devices.adc() is not first


@pytest.mark.parametrize("parts", [{"wheel": made(As5600, address=0x36)}, {"wheel": made(Quadrature, a=19, b=20)}])
def test_a_wheel_whose_slots_nobody_told_is_refused(open_rig, parts):
    with pytest.raises(BadSetting, match="slots"):
        open_rig("mock", wiring=unit(**parts), devices=NothingThere())


def test_sigterm_ends_the_wait_of_a_real_queue():
    """A handler may only leave a note in the queue; the wait must hear it at once."""
    inbox = QueueInbox()
    before = signal.signal(signal.SIGTERM, lambda *_: inbox.put(Stop(1)))
    try:
        sender = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGTERM))
        sender.start()
        assert inbox.take(30_000_000) == Stop(1)
        sender.join()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_empty_queue_gives_up_in_time():
    assert QueueInbox().take(0) is None


def test_nothing_of_a_pi_is_imported_before_it_is_opened():
    """gpiozero alone costs 66 ms; a desktop has no chip's library."""
    code = "import sys, hal.open, hal.ports, hal.errors; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert {"gpiozero", "hal.pi", "lgpio", "board", "neopixel"} & set(loaded.split()) == set()


def test_the_files_of_the_pi_import_no_library_at_their_top():
    code = "import sys, hal.pi.board, hal.pi.devices, hal.pi.parts; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    libraries = {"gpiozero", "lgpio", "board", "neopixel", "adafruit_ht16k33", "rpi_hardware_pwm"}
    assert libraries & set(loaded.split()) == set()


def test_settings_have_defaults_that_need_nothing():
    assert PiSettings() == PiSettings("lgpio", None, None, {}, 1.0)


def test_a_dead_i2c_device_file_is_opened_anew(monkeypatch):
    """A bus that disappears during play (its module was reloaded) comes back with the next retry."""
    buses = iter(["first", "second"])
    monkeypatch.setattr("hal.pi.blinka.open_i2c", lambda: next(buses))
    bus = I2cBus()
    assert (bus.get(), bus.get()) == ("first", "first")
    bus.failed(OSError(121, "Remote I/O error"))
    assert bus.get() == "first"
    bus.failed(OSError(19, "No such device"))
    assert bus.get() == "second"


def test_mended_parts_are_told_through_the_same_queue(open_rig):
    rig = open_rig("mock")
    rig.began()
    rig.inbox.put(Mended("strip", rig.clock()))
    assert rig.hear() == [Mended("strip", rig.clock() - 103_000)]
