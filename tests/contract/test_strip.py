"""What a strip promises: its bytes, recorded at the lowest call of each driver and decoded back to colours."""

import sys
import threading
import types

import pytest

from hal.errors import BadSetting, ChipError, MissingLibrary, remedy
from hal.pi import blinka
from hal.pi.strip import REFRESH_US, NeopixelStrip, SpiStrip, check_spi_buffer, open_strip, strip
from hal.pi.worker import Worker
from hal.ports import Broke, Mended
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_work import Shift

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
LEDS = 3
DARK = [(0, 0, 0)] * LEDS
SECOND_US = 1_000_000


def frame(*colours):
    """Return the bytes of a frame as the game hands it over: GRB."""
    return b"".join(bytes((green, red, blue)) for red, green, blue in colours)


def colours(sent):
    """Return the colours that a chain shows which gets these bytes."""
    return [(sent[at + 1], sent[at], sent[at + 2]) for at in range(0, len(sent), 3)]


class Recorder:
    """`neopixel_write`, the lowest call. It keeps what was sent, from which buffer, on which line, in which thread."""

    def __init__(self):
        self.sent, self.buffers, self.threads = [], set(), set()
        self.pins = []
        self.fails = None

    def __call__(self, gpio, buffer):
        if self.fails is not None:
            raise self.fails
        self.sent.append(colours(bytes(buffer)))
        self.buffers.add(id(buffer))
        self.threads.add(threading.current_thread().name)
        self.pins.append(gpio._pin)


@pytest.fixture
def wire(monkeypatch):
    """Blinka's four modules under `neopixel`, so that the real package runs on any machine."""
    recorder = Recorder()
    stubs = {name: types.ModuleType(name) for name in ("board", "digitalio", "microcontroller", "neopixel_write")}

    class DigitalInOut:
        def __init__(self, pin):
            self._pin, self.direction = pin, None

        def deinit(self):
            self._pin = None

    stubs["board"].D10 = "GPIO10"
    stubs["digitalio"].DigitalInOut = DigitalInOut
    stubs["digitalio"].Direction = types.SimpleNamespace(INPUT="in", OUTPUT="out")
    stubs["microcontroller"].Pin = object
    stubs["neopixel_write"].neopixel_write = recorder
    for name, module in stubs.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "neopixel", raising=False)
    yield recorder
    sys.modules.pop("neopixel", None)


@pytest.fixture
def shift():
    return Shift(BenchClock())


@pytest.fixture
def shown(shift, wire):
    """The strip as the game has it."""
    keeper = strip(LEDS, lambda: open_strip("neopixel", 10, LEDS), shift.tell, shift.clock)
    shift.hire(keeper)
    return keeper


def test_it_is_dark_from_the_start(shown, wire):
    """C-21, rpi_ws281x#44: LEDs keep what they showed before the program died."""
    assert wire.sent == [DARK]
    assert wire.pins == ["GPIO10"]


def test_a_frame_arrives_as_the_colours_it_was_made_of(shown, wire, shift):
    shown.show(frame(RED, GREEN, BLUE))
    shift.ring()
    assert wire.sent[-1] == [RED, GREEN, BLUE]


def test_a_frame_is_not_scaled_a_second_time(shown, wire, shift):
    """C-19: the current limit was applied once, before; every value gets through as it is."""
    for value in range(0, 256, 5):
        shown.show(frame(*[(value, 255 - value, 1)] * LEDS))
        shift.ring()
        assert wire.sent[-1] == [(value, 255 - value, 1)] * LEDS


def test_the_newest_frame_wins_and_the_game_never_waits(shown, wire, shift):
    for colour in (RED, GREEN, BLUE):
        shown.show(frame(*[colour] * LEDS))
    assert wire.sent == [DARK]
    shift.ring()
    assert wire.sent == [DARK, [BLUE] * LEDS]


def test_the_buffer_is_one_object_for_life(shown, wire, shift):
    """Blinka sets its DMA up anew for another one."""
    for colour in (RED, GREEN, BLUE):
        shown.show(frame(*[colour] * LEDS))
        shift.ring()
    shown.close()
    assert len(wire.buffers) == 1


def test_it_is_dark_after_the_end(shown, wire, shift):
    """C-21, gpiozero#1142."""
    shown.show(frame(RED, RED, RED))
    shift.ring()
    shown.close()
    assert wire.sent[-1] == DARK


def test_a_write_error_is_a_fault_and_the_strip_comes_back_with_the_newest_frame(shown, wire, shift):
    """C-20: retried at least every 5 s."""
    shown.show(frame(RED, RED, RED))
    wire.fails = RuntimeError("ws2811_render failed with code -11 (Unable to transfer)")
    shift.ring()
    failed_us = shift.clock()
    assert shift.take_told() == [Broke("strip", "ws2811_render failed with code -11 (Unable to transfer)", failed_us)]
    shift.work(20 * SECOND_US)
    shown.show(frame(GREEN, GREEN, GREEN))
    wire.fails = None
    shift.work(5 * SECOND_US)
    assert [type(given) for given in shift.take_told()] == [Mended]
    assert wire.sent[-1] == [GREEN] * LEDS


def test_a_strip_that_failed_while_lit_gets_one_more_try_at_the_end(shown, wire, shift):
    shown.show(frame(RED, RED, RED))
    shift.ring()
    wire.fails = OSError("gone")
    shown.show(frame(BLUE, BLUE, BLUE))
    shift.ring()
    wire.fails = None
    shown.close()
    assert wire.sent[-1] == DARK


def test_a_lit_strip_is_written_again_now_and_then_a_dark_one_never(shown, wire, shift):
    """A loose plug loses the picture; a unit that is off does not wake up."""
    shift.work(60 * SECOND_US)
    assert wire.sent == [DARK]
    shown.show(frame(RED, RED, RED))
    shift.ring()
    shift.work(REFRESH_US)
    assert wire.sent == [DARK, [RED] * LEDS, [RED] * LEDS]


def test_one_thread_owns_the_driver(wire):
    """rpi_ws281x#320: not thread safe. From the first frame to the last one."""
    clock = BenchClock()
    told = []
    keeper = strip(LEDS, lambda: NeopixelStrip(10, LEDS), told.append, clock)
    worker = Worker("strip", [keeper], clock)
    keeper.ring = worker.ring
    worker.start()
    assert worker.wait_ready()
    keeper.show(frame(RED, GREEN, BLUE))
    worker.stop()
    assert worker.wait_stopped()
    assert wire.threads == {"pilelight-strip"}
    assert wire.sent[-1] == DARK
    assert told == []


def test_a_driver_that_hangs_blocks_neither_the_game_nor_the_end(wire):
    """A stuck strip must not stop the watchdog from seeing it, nor the service from ending."""
    clock = BenchClock()
    entered, let_go = threading.Event(), threading.Event()

    class Hanging:
        def write(self, content):
            entered.set()
            let_go.wait()

        def close(self):
            pass

    keeper = strip(LEDS, Hanging, lambda given: None, clock)
    worker = Worker("strip", [keeper], clock)
    keeper.ring = worker.ring
    worker.start()
    assert entered.wait(5)
    keeper.show(frame(RED, RED, RED))
    clock.us += 3 * SECOND_US
    assert keeper.stuck_for_us(clock()) == 3 * SECOND_US
    worker.stop()
    assert not worker.wait_stopped(patience_s=0.01)
    let_go.set()
    assert worker.wait_stopped()


class BenchSpi:
    """busio's SPI: what goes out is what MOSI does."""

    frequency = 6_400_000

    def __init__(self):
        self.sent = []

    def try_lock(self):
        return True

    def unlock(self):
        pass

    def configure(self, **how):
        assert how["baudrate"] == self.frequency

    def write(self, buffer):
        self.sent.append(bytes(buffer))


def bits(sent):
    """Return the bytes that a WS2812 reads from the line: four of eight high is a one, two of eight a zero."""
    read = [{0b11110000: 1, 0b11000000: 0}[byte] for byte in sent if byte]
    return bytes(sum(bit << 7 - place for place, bit in enumerate(read[at:at + 8])) for at in range(0, len(read), 8))


def test_the_spi_driver_sends_the_same_colours(wire, monkeypatch):
    """For every Pi, and without root; three bits' worth of quiet before and after."""
    spi = BenchSpi()
    monkeypatch.setattr(sys.modules["board"], "SPI", lambda: spi, raising=False)
    strip_ = SpiStrip(10, LEDS)
    strip_.write(frame(RED, GREEN, (1, 2, 3)))
    assert colours(bits(spi.sent[-1])) == [RED, GREEN, (1, 2, 3)]
    assert spi.sent[-1][:40] == spi.sent[-1][-40:] == bytes(40)


def test_the_spi_driver_is_bound_to_its_pin(wire):
    with pytest.raises(BadSetting, match="GPIO10"):
        SpiStrip(18, LEDS)


def test_more_leds_than_the_spi_buffer_holds_are_refused_with_the_cure(tmp_path):
    """neopixel-spi#18: beyond the buffer the chain stays dark."""
    bufsiz = tmp_path / "bufsiz"
    bufsiz.write_text("4096\n")
    check_spi_buffer(165, bufsiz)
    with pytest.raises(BadSetting, match=r"spidev.bufsiz=8192"):
        check_spi_buffer(166, bufsiz)


def test_a_driver_nobody_knows_is_refused_and_not_replaced():
    with pytest.raises(BadSetting, match="neopixel or neopixel-spi"):
        open_strip("pwm", 10, LEDS)


class TestWhatAMakerReads:
    def test_a_missing_library_names_the_extra_once_and_is_not_tried_again(self, monkeypatch, shift):
        monkeypatch.setitem(sys.modules, "board", None)
        keeper = strip(LEDS, lambda: open_strip("neopixel", 10, LEDS), shift.tell, shift.clock)
        shift.hire(keeper)
        assert shift.told == [
            Broke("strip", f"adafruit-blinka is not installed: {remedy('pi')}", shift.clock())]
        assert list(shift.due_us.values()) == [None]

    def test_a_missing_platform_library_names_its_extra(self):
        """Blinka#974: it tells a path of pip; rpi_ws281x#529: Pi 5 needs another one."""
        for missing, extra in (("_rpi_ws281x", "pi"), ("adafruit_raspberry_pi5_neopixel_write", "pi5")):
            error = RuntimeError("The platform library was not found")
            error.__cause__ = ModuleNotFoundError(name=missing)
            told = blinka.refusal(error, extra)
            assert isinstance(told, MissingLibrary)
            assert str(told) == f"{missing} is not installed: {remedy(extra)}"

    def test_a_machine_that_blinka_does_not_know_gets_the_way_out(self):
        assert "--board panel" in str(blinka.refusal(NotImplementedError("Board not supported"), "pi"))

    def test_other_trouble_is_told_as_it_is(self):
        told = blinka.refusal(RuntimeError("ws2811_init failed with code -3\n(Hardware revision)"), "pi")
        assert isinstance(told, ChipError)
        assert str(told) == "ws2811_init failed with code -3 (Hardware revision)"

    def test_blinka_asks_no_questions(self, wire, monkeypatch):
        """A service has nobody to answer pip."""
        monkeypatch.delenv(blinka.NO_QUESTIONS, raising=False)
        blinka.load_board()
        assert blinka.os.environ[blinka.NO_QUESTIONS] == "1"
