"""What a wheel promises, on either sensor: slots, and one answer on a boundary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.pi.quadrature import TURNS_WITHOUT_INDEX, QuadratureWheel
from hal.pi.wheel import COUNTS, MAGNET_EVERY_US, MOVING_EVERY_US, As5600Wheel, SlotTracker, open_as5600
from hal.ports import Broke, Mended, WheelAt
from tests.contract.bench_bus import BenchAs5600, BenchBus
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_work import Shift

SLOTS = 36
CYCLES = 9


class TestSlots:
    def test_the_first_reading_says_where_the_wheel_stands(self):
        assert SlotTracker(SLOTS, zero=100).move(100 + COUNTS // 2) == SLOTS // 2

    def test_it_counts_up_clockwise_and_wraps(self):
        """PD-Stepper#23, AS5600#22: 4095 to 0 is a step, not a turn."""
        tracker = SlotTracker(SLOTS)
        told = [tracker.move(raw % COUNTS) for raw in range(2 * COUNTS)]
        assert [slot for slot in told if slot is not None] == [slot % SLOTS for slot in range(2 * SLOTS)]

    def test_reversed_it_counts_down(self):
        tracker = SlotTracker(SLOTS, reversed_=True)
        told = [tracker.move(raw) for raw in range(0, COUNTS, 16)]
        assert [slot for slot in told if slot is not None][1:4] == [SLOTS - 1, SLOTS - 2, SLOTS - 3]

    @pytest.mark.parametrize("boundary", range(SLOTS))
    def test_a_wheel_that_rests_on_a_boundary_gives_one_answer(self, boundary):
        """Tasmota#516; a millimetre of noise, for an hour."""
        tracker = SlotTracker(SLOTS)
        edge = boundary * COUNTS // SLOTS
        tracker.move(edge % COUNTS)
        assert {tracker.move((edge + noise) % COUNTS) for noise in (-9, 7, -3, 9, 0, -8) * 100} == {None}

    @given(st.lists(st.integers(-COUNTS // 3, COUNTS // 3), max_size=60), st.integers(0, COUNTS - 1))
    def test_however_it_is_turned_the_slot_is_off_by_no_more_than_the_dead_band(self, steps, start):
        tracker = SlotTracker(SLOTS)
        raw, slot = start, tracker.move(start)
        for step in steps:
            raw = (raw + step) % COUNTS
            entered = tracker.move(raw)
            slot = slot if entered is None else entered
            off = (raw * SLOTS - slot * COUNTS) % (COUNTS * SLOTS)
            assert off < COUNTS * 9 // 8 or off >= COUNTS * SLOTS - COUNTS // 8


class TestAs5600:
    @pytest.fixture
    def chip(self):
        return BenchAs5600()

    @pytest.fixture
    def bus(self, chip):
        return BenchBus(wheel=chip)

    @pytest.fixture
    def shift(self):
        return Shift(BenchClock())

    @pytest.fixture
    def wheel(self, shift, bus):
        job = As5600Wheel(lambda: open_as5600(bus, 0x36), lambda: SlotTracker(SLOTS), shift.tell)
        shift.hire(job)
        return job

    def test_a_turn_tells_every_slot_with_its_stamp(self, wheel, shift, chip):
        assert shift.take_told() == [WheelAt(0, shift.clock())]
        began_us = shift.clock()
        for count in range(0, COUNTS, 100):
            chip.angle = count
            shift.work(MOVING_EVERY_US)
        told = shift.take_told()
        assert [given.slot for given in told] == list(range(1, SLOTS))
        assert [given.at_us for given in told] == sorted({given.at_us for given in told})
        assert told[0].at_us > began_us

    def test_at_rest_it_is_asked_less_often(self, wheel, shift, bus):
        shift.work(2_000_000)
        bus.wire.clear()
        shift.work(1_000_000)
        assert 45 <= len([sent for _, sent in bus.wire if sent == b"\x0c"]) <= 55

    def test_a_sensor_that_is_silent_is_a_fault_and_tells_its_place_when_it_is_back(self, wheel, shift, bus, chip):
        """C-20."""
        shift.take_told()
        bus.fails[0x36] = "silent"
        shift.work(1_000_000)
        assert [type(given) for given in shift.take_told()] == [Broke]
        chip.angle = COUNTS // 2
        del bus.fails[0x36]
        shift.work(5_000_000)
        assert [given[0] for given in shift.take_told()] == ["wheel", SLOTS // 2]

    def test_half_a_transfer_is_no_angle(self, wheel, shift, bus, chip):
        shift.take_told()
        bus.fails[0x36] = "half"
        chip.angle = COUNTS // 2
        shift.work(100_000)
        assert [type(given) for given in shift.take_told()] == [Broke]

    def test_a_missing_magnet_is_a_fault_with_the_cure(self, wheel, shift, chip):
        shift.take_told()
        chip.magnet = False
        shift.work(MAGNET_EVERY_US + MOVING_EVERY_US)
        (broke,) = shift.take_told()
        assert broke[:2] == ("wheel", "the AS5600 sees no magnet: 0.5 to 3 mm over the middle of the chip")
        chip.magnet = True
        shift.work(5_000_000)
        assert [type(given) for given in shift.take_told()] == [Mended, WheelAt]

    def test_no_sensor_at_all_is_a_fault_and_no_error(self, shift):
        shift.hire(As5600Wheel(lambda: open_as5600(BenchBus(), 0x36), lambda: SlotTracker(SLOTS), shift.tell))
        assert shift.told == [Broke("wheel", "No I2C device found at address 0x36", shift.clock())]


class TestQuadrature:
    """Marks on the rim: two sensors a quarter apart, and one index mark at slot 0."""

    GRAY = ((False, False), (True, False), (True, True), (False, True))

    @pytest.fixture
    def wheel(self):
        wheel = QuadratureWheel(CYCLES, SLOTS)
        wheel.start([True, True, True], 0)
        return wheel

    def turn(self, wheel, counts, start=0, lost=(), marked=True):
        """Turn by *counts* (negative: ccw) from the physical count *start*; return what is told and the new count.

        The index mark lies between the count 0 and a third of it, and the same place of count 1.
        """
        told, count, at_us = [], start, 0
        for number in range(abs(counts)):
            way = 1 if counts > 0 else -1
            at_us += 10
            if way < 0:
                told += self.index(wheel, count, count % SLOTS == 1, marked, at_us - 1)
            (a0, _), (a1, b1) = self.GRAY[count % 4], self.GRAY[(count + way) % 4]
            count += way
            if number not in lost:
                told += wheel.edge(0, not a1, at_us) if a1 != a0 else wheel.edge(1, not b1, at_us)
            if way > 0:
                told += self.index(wheel, count, count % SLOTS == 0, marked, at_us + 1)
        return told, count

    def index(self, wheel, count, on, marked, at_us):
        return wheel.edge(2, not on, at_us) if marked and count % SLOTS in (0, 1) else []

    def test_nothing_is_told_before_the_index_mark_has_passed(self, wheel):
        """A wrong icon would be worse than none."""
        told, _ = self.turn(wheel, 10, start=3)
        assert told == []

    def test_every_edge_counts_and_the_slots_rise_clockwise(self, wheel):
        """gpiozero#1086: a quarter of the resolution, elsewhere."""
        told, _ = self.turn(wheel, SLOTS + 5, start=-1)
        assert [given.slot for given in told] == [*range(SLOTS), *range(5)]

    def test_turning_back_leads_to_the_same_slots(self, wheel):
        _, count = self.turn(wheel, 8, start=-1)
        back, _ = self.turn(wheel, -7, start=count)
        assert [given.slot for given in back] == list(reversed(range(7)))

    def test_the_index_means_the_same_place_in_both_directions(self):
        """The mark has a width: its front clockwise is its back the other way."""
        for way, start in ((1, -2), (-1, 2)):
            wheel = QuadratureWheel(CYCLES, SLOTS)
            a, b = self.GRAY[start % 4]
            wheel.start([not a, not b, True], 0)
            told, count = self.turn(wheel, 6 * way, start=start)
            assert told[-1].slot == count % SLOTS

    def test_swapped_sensors_are_a_setting(self):
        """RPi-Jukebox-RFID#1095."""
        wheel = QuadratureWheel(CYCLES, SLOTS, reversed_=True)
        wheel.start([True, True, True], 0)
        _, count = self.turn(wheel, 5, start=-1)
        more, _ = self.turn(wheel, 3, start=count)
        assert [given.slot for given in more] == [SLOTS - 4, SLOTS - 5, SLOTS - 6]

    def test_a_lost_edge_is_made_good_at_the_next_index_mark(self, wheel):
        """gpiozero#1062."""
        _, count = self.turn(wheel, 10, start=-1, lost={4})
        told, count = self.turn(wheel, SLOTS, start=count)
        assert told[-1].slot == count % SLOTS

    def test_an_edge_that_cannot_be_is_left_out(self, wheel):
        """The same level twice: the one between was lost, and they cancel each other."""
        self.turn(wheel, 1, start=-1)
        assert wheel.edge(0, True, 50) == []

    def test_a_look_finds_a_wheel_that_moved_without_edges(self, wheel):
        _, count = self.turn(wheel, 3, start=-1)
        a, b = self.GRAY[(count + 1) % 4]
        assert wheel.look([not a, not b, True], 99) == [WheelAt(3, 99)]
        a, b = self.GRAY[(count + 3) % 4]
        assert wheel.look([not a, not b, True], 100) == []
        assert wheel.skips == 1

    def test_a_wheel_that_never_meets_its_index_mark_is_a_fault_until_it_does(self, wheel):
        """rpi-rotary-encoder#3: an implausible sensor is said to be one."""
        told, count = self.turn(wheel, TURNS_WITHOUT_INDEX * SLOTS + 3, marked=False)
        assert [(type(given), given[0]) for given in told] == [(Broke, "wheel")]
        told, _ = self.turn(wheel, SLOTS, start=count)
        assert [type(given) for given in told][:2] == [Mended, WheelAt]


def test_a_wheel_on_lines_reaches_the_game_like_any_other(open_rig):
    """On the board: two sensors and the index on gpiozero's pins, edges stamped."""
    from tests.contract.rigs import made, unit
    from wiring.model import Quadrature

    rig = open_rig("lgpio", wiring=unit(wheel=made(Quadrature, a=19, b=20, index_mark=26, cycles=CYCLES)), slots=SLOTS)
    rig.began()
    rig.drive("a", True)
    index_us = rig.drive("index", True)
    rig.advance(500)
    next_us = rig.drive("b", True)
    assert rig.hear() == [WheelAt(0, index_us), WheelAt(1, next_us)]
