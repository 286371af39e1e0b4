"""What a display promises, on the drivers that are used and chips by their datasheets."""

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from hal.errors import ChipError, LineBusy
from hal.pi.display import DARK, REFRESH_US, Ht16k33, display
from hal.pi.tm1637 import Tm1637
from hal.ports import Broke, Mended
from tests.contract.bench_bus import BenchBus, BenchHt16k33
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_work import Shift

ONE, TWO = b"\x00\x00\x00\x06", b"\x00\x00\x00\x5b"
SECOND_US = 1_000_000
NO_ANSWER = "no answer at 0x70 ([Errno 121] Remote I/O error)"


@pytest.fixture
def chip():
    return BenchHt16k33()


@pytest.fixture
def bus(chip):
    return BenchBus(display=chip)


@pytest.fixture
def shift():
    return Shift(BenchClock())


@pytest.fixture
def shown(shift, bus):
    """The display as the game has it."""
    keeper = display(lambda: Ht16k33(bus), shift.tell, shift.clock)
    keeper.ring = lambda: None
    shift.hire(keeper)
    return keeper


def test_the_game_never_waits_for_the_bus(shown, chip, shift):
    shown.show(ONE)
    assert chip.visible == DARK     # not yet: that is the bus's thread's business
    shift.ring()
    assert chip.visible == ONE
    assert shift.told == []


def test_random_memory_is_never_seen_at_power_up(shown, chip):
    """Adafruit_LED_Backpack#20: clear first, then switch on."""
    assert chip.history == [None, DARK]


def test_the_newest_content_wins(shown, chip, shift):
    for content in (ONE, TWO, ONE, TWO):
        shown.show(content)
    shift.ring()
    assert chip.history[-2:] == [DARK, TWO]


def test_unchanged_content_is_not_sent_again(shown, bus, shift):
    shown.show(ONE)
    shift.ring()
    bus.wire.clear()
    shown.show(ONE)
    shift.ring()
    assert bus.wire == []


def test_a_display_that_falls_off_the_bus_is_a_fault_once_and_comes_back_whole(shown, bus, chip, shift):
    """C-20; OSError 121 must not stop the program (pn532pi#11, pi_ina219#34)."""
    shown.show(ONE)
    shift.ring()
    bus.fails[0x70] = "silent"
    shown.show(TWO)
    shift.ring()
    failed_us = shift.clock()
    shift.work(7 * SECOND_US)
    assert shift.take_told() == [Broke("display", NO_ANSWER, failed_us)]
    chip.power_up()
    del bus.fails[0x70]
    shift.work(5 * SECOND_US)
    assert [type(given) for given in shift.take_told()] == [Mended]
    assert chip.visible == TWO


def test_a_transfer_that_ends_half_way_is_repeated_whole(shown, bus, chip, shift):
    bus.fails[0x70] = "half"
    shown.show(TWO)
    shift.ring()
    del bus.fails[0x70]
    shift.work(SECOND_US)
    assert [type(given) for given in shift.told] == [Broke, Mended]
    assert chip.visible == TWO


def test_a_dip_of_the_supply_that_nobody_noticed_heals_within_five_seconds(shown, chip, shift):
    """The chip acknowledges again, but its oscillator stands still."""
    shown.show(ONE)
    shift.ring()
    chip.power_up()
    shift.work(REFRESH_US)
    assert chip.visible == ONE


def test_a_blank_display_needs_no_attention(shown, bus, shift):
    """No periodic wake-up while the unit is off or asleep."""
    bus.wire.clear()
    shift.work(60 * SECOND_US)
    assert bus.wire == []


def test_a_display_that_was_never_there_is_a_fault_and_no_error(bus, shift):
    """Every optional part may be missing."""
    del bus.chips[0x70]
    shift.hire(display(lambda: Ht16k33(bus), shift.tell, shift.clock))
    told = shift.take_told()
    assert told == [Broke("display", "no answer at 0x70 (No I2C device at address: 0x70)", shift.clock())]


@pytest.mark.parametrize("brightness, step", [(1.0, 8), (0.5, 4), (0.25, 2), (0.05, 0)])
def test_an_ht16k33_is_as_bright_as_it_is_set(bus, chip, brightness, step):
    """C-24: sixteen steps, and the usual light is the ninth of them."""
    Ht16k33(bus, 0x70, lambda: brightness).write(ONE)
    assert (chip.dimming, chip.visible) == (step, ONE)


def test_a_dimmed_display_is_dimmed_again_after_a_dip_of_the_supply(bus, chip, shift):
    """C-24: the chip itself begins at its brightest."""
    keeper = display(lambda: Ht16k33(bus, 0x70, lambda: 0.25), shift.tell, shift.clock)
    keeper.ring = lambda: None
    shift.hire(keeper)
    keeper.show(ONE)
    shift.ring()
    chip.power_up()
    assert chip.dimming == 15
    shift.work(REFRESH_US)
    assert (chip.dimming, chip.visible) == (2, ONE)


def test_a_display_that_is_dimmed_shows_the_same_digits_dimmer_at_once(bus, chip, shift):
    """C-24: nothing but the light changes, and nothing is sent before somebody asks for it."""
    share = 1.0
    keeper = display(lambda: Ht16k33(bus, 0x70, lambda: share), shift.tell, shift.clock)
    keeper.ring = lambda: None
    shift.hire(keeper)
    keeper.show(ONE)
    shift.ring()
    share = 0.5
    shift.ring()
    assert (chip.dimming, chip.visible) == (8, ONE)
    keeper.show_again()
    shift.ring()
    assert (chip.dimming, chip.visible) == (4, ONE)
    bus.wire.clear()
    shift.ring()
    assert bus.wire == [] and shift.told == []


def test_the_display_is_dark_after_the_end(shown, chip, shift):
    """C-21."""
    shown.show(TWO)
    shift.ring()
    shown.close()
    assert chip.visible == DARK


class BenchTm1637:
    """The other chip, listening to two lines. It takes a byte by pulling the data line low in the ninth clock."""

    def __init__(self, deaf=False):
        self.deaf = deaf
        self.messages, self._bytes, self._bits = [], [], []
        self.pulls, self._acknowledged = False, False
        self._clock = self._data = True

    def lines(self, clock, data):
        """The levels of both lines, as they are now."""
        if clock and self._clock and data != self._data:
            self._start_or_stop(data)
        elif clock and not self._clock:
            self._rise(data)
        elif not clock and self._clock:
            self._fall()
        self._clock, self._data = clock, data

    def _start_or_stop(self, data):
        if not data:
            self._bytes, self._bits = [], []
        elif self._bytes:
            self.messages.append(bytes(self._bytes))

    def _rise(self, data):
        if len(self._bits) < 8:
            self._bits.append(data)
        else:
            self._bytes.append(sum(bit << place for place, bit in enumerate(self._bits)))
            self._acknowledged = True

    def _fall(self):
        if self._acknowledged:
            self._bits, self._acknowledged, self.pulls = [], False, False
        elif len(self._bits) == 8:
            self.pulls = not self.deaf


@pytest.fixture
def open_drain():
    """Two lines with pull-ups, and whoever sits on them: the master's pins and the chip."""
    chip = BenchTm1637()

    class Pin(MockPin):
        def _get_state(self):
            return self._level()

        def _level(self):
            driven = self._function == "output" and not self._state
            return not driven and not (self is self.factory.pins_by_role.get("data") and chip.pulls)

        def _set_function(self, value):
            self._function = value
            self._state = value == "input"
            self._tell()

        def _set_pull(self, value):
            self._pull = value

        def _set_state(self, value):
            self._state = bool(value)
            self._tell()

        def _tell(self):
            roles = self.factory.pins_by_role
            if len(roles) == 2:
                chip.lines(roles["clock"]._level(), roles["data"]._level())

    factory = MockFactory(pin_class=Pin)
    factory.pins_by_role = {}
    factory.pins_by_role = {"clock": factory.pin(22), "data": factory.pin(27)}
    return factory, chip


def test_a_tm1637_shows_the_same_four_digits(open_drain):
    factory, chip = open_drain
    Tm1637(factory, clock=22, data=27).write(TWO)
    assert chip.messages == [b"\x40", b"\xc0" + TWO, b"\x8b"]


@pytest.mark.parametrize("brightness, command", [(1.0, b"\x8b"), (0.7, b"\x8a"), (0.4, b"\x89"), (0.05, b"\x88")])
def test_a_tm1637_is_as_bright_as_it_is_set(open_drain, brightness, command):
    """C-24: eight steps, and the usual light is the fourth of them; the lowest is not off (0x80)."""
    factory, chip = open_drain
    Tm1637(factory, 22, 27, lambda: brightness).write(ONE)
    assert chip.messages[-1] == command


def test_a_tm1637_that_takes_no_byte_is_an_error_and_no_endless_loop(open_drain):
    """raspberrypi-tm1637#13: the usual library waits for ever, or does not look."""
    factory, chip = open_drain
    chip.deaf = True
    with pytest.raises(ChipError, match="does not take a byte"):
        Tm1637(factory, clock=22, data=27).write(ONE)


def test_a_tm1637_gives_its_lines_back_and_needs_them_for_itself(open_drain):
    """raspberrypi-tm1637#16: pins shared with something else freeze it."""
    factory, _ = open_drain
    first = Tm1637(factory, clock=22, data=27)
    with pytest.raises(LineBusy, match=r"GPIO22 \(display clock\)"):
        Tm1637(factory, clock=22, data=27)
    first.close()
    Tm1637(factory, clock=22, data=27)
