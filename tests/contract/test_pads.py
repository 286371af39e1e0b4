"""What pressure pads promise: presses, and nothing from the pile that lies and grows on them."""

import random

import pytest

from hal.errors import BadSetting, ChipError
from hal.pi import adc, calibrate
from hal.pi.adc import Ads1115
from hal.pi.fsr import (
    BAD_SAMPLES,
    EVERY_US,
    PadCalibration,
    PadSensor,
    PressurePads,
    load_calibration,
    save_calibration,
)
from hal.ports import Broke, Contact, Mended
from tests.contract.bench_bus import BenchAds1115, BenchBus
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_work import Shift
from tests.contract.rigs import made
from wiring.load import load_unit
from wiring.model import PressurePad

REST_MV, PRESSED_MV = 400, 1_600
SECOND_US = 1_000_000


@pytest.fixture
def chip():
    bench = BenchAds1115()
    bench.millivolts = [REST_MV] * 4
    return bench


@pytest.fixture
def bus(chip):
    return BenchBus(adc=chip)


@pytest.fixture
def shift():
    return Shift(BenchClock())


@pytest.fixture
def pads(bus, shift):
    """Three pads on one chip, as the board has them; a list of the chip that is open."""
    opened = []

    def open_adc():
        if not opened:
            opened.append(Ads1115(bus))
        return opened[0]

    sensors = {channel: PadSensor(f"pile{channel + 1}") for channel in range(3)}
    job = PressurePads(open_adc, lambda error: opened.clear(), sensors, shift.tell)
    shift.hire(job)
    return job


class TestTheAdc:
    def test_a_channel_does_not_read_its_neighbour(self, bus, chip):
        """ADS1X15#58: the first conversion after a change of channel has some of the other one in it."""
        chip.millivolts = [3_000.0, 100.0, 2_000.0, 0.0]
        converter = Ads1115(bus)
        for channel in (0, 1, 2, 3, 1, 0, 3):
            assert converter.millivolts(channel) == pytest.approx(chip.millivolts[channel], abs=0.2)

    def test_a_chip_that_is_never_ready_is_given_up(self, bus, chip):
        """The driver asks in a loop without end; the bus and the display on it must not wait for that."""
        converter = Ads1115(bus)
        chip.never_ready = True
        with pytest.raises(ChipError, match="never ends"):
            converter.millivolts(0)
        assert len(bus.wire) < 3 * adc.MOST_POLLS
        chip.never_ready = False
        assert converter.millivolts(0) == pytest.approx(REST_MV)

    @pytest.mark.parametrize("impossible_mv", [-4_095.9, -200.0, 3_600.0])
    def test_a_voltage_that_cannot_be_is_none(self, bus, chip, impossible_mv):
        """ESPEasy#2654: a bus error read as -32767."""
        chip.millivolts[2] = impossible_mv
        assert Ads1115(bus).millivolts(2) is None

    def test_a_silent_chip_says_where(self, bus):
        converter = Ads1115(bus)
        bus.fails[0x48] = "silent"
        with pytest.raises(ChipError, match="0x48"):
            converter.millivolts(0)
        with pytest.raises(ChipError, match="0x49"):
            Ads1115(bus, 0x49)


class TestPresses:
    def press(self, chip, shift, pad=0, for_us=400_000):
        chip.millivolts[pad] = PRESSED_MV
        shift.work(for_us)
        chip.millivolts[pad] = REST_MV
        shift.work(400_000)

    def test_a_press_and_its_release_are_told_once_each(self, pads, chip, shift):
        began_us = shift.clock()
        self.press(chip, shift, pad=1)
        told = shift.take_told()
        assert [given[:2] for given in told] == [("pile2", True), ("pile2", False)]
        assert told[0].at_us - began_us <= EVERY_US

    def test_a_voltage_between_the_thresholds_changes_nothing(self, pads, chip, shift):
        """Two thresholds: a tired finger does not flicker."""
        chip.millivolts[0] = PRESSED_MV
        shift.work(100_000)
        shift.take_told()
        for wobble_mv in (450, 500, 400, 560, 380) * 20:
            chip.millivolts[0] = REST_MV + wobble_mv
            shift.work(EVERY_US)
        assert shift.take_told() == []

    def test_a_growing_pile_of_cards_never_presses(self, pads, chip, shift):
        """A hundred cards, a slap with each; together far more than a press."""
        for _ in range(108):
            chip.millivolts[0] += 15
            rest_mv = chip.millivolts[0]
            chip.millivolts[0] = rest_mv + 250
            shift.work(2 * EVERY_US)
            chip.millivolts[0] = rest_mv
            shift.work(700_000)
        assert shift.take_told() == []
        chip.millivolts[0] += 700
        shift.work(100_000)
        assert [given[:2] for given in shift.take_told()] == [("pile1", True)]

    def test_a_press_that_lasts_is_not_followed(self, pads, chip, shift):
        """Ten seconds of holding are one press, and end."""
        chip.millivolts[0] = PRESSED_MV
        shift.work(10 * SECOND_US)
        chip.millivolts[0] = REST_MV
        shift.work(SECOND_US)
        assert [given[:2] for given in shift.take_told()] == [("pile1", True), ("pile1", False)]

    def test_after_a_release_the_pad_starts_afresh_from_what_lies_on_it(self, pads, chip, shift):
        """Half the pile was pressed in: the next press is measured from there."""
        chip.millivolts[0] = PRESSED_MV
        shift.work(300_000)
        chip.millivolts[0] = REST_MV + 300
        shift.work(SECOND_US)
        shift.take_told()
        chip.millivolts[0] = REST_MV + 300 + 610
        shift.work(100_000)
        assert [given[:2] for given in shift.take_told()] == [("pile1", True)]

    def test_a_pile_that_is_lifted_leaves_the_pad_as_quick_as_before(self, pads, chip, shift):
        chip.millivolts[0] = 900
        shift.work(20 * SECOND_US)
        chip.millivolts[0] = 100
        shift.work(2 * SECOND_US)
        shift.take_told()
        chip.millivolts[0] = 750
        shift.work(100_000)
        assert [given[:2] for given in shift.take_told()] == [("pile1", True)]

    def test_ten_taps_a_second_are_ten_taps(self, pads, chip, shift):
        """C-11."""
        for _ in range(10):
            chip.millivolts[2] = PRESSED_MV
            shift.work(60_000)
            chip.millivolts[2] = REST_MV
            shift.work(40_000)
        assert [given.closed for given in shift.take_told()] == [True, False] * 10

    def test_one_bad_transfer_is_no_press(self):
        """A reading that would change something is taken twice."""
        class Converter:
            readings = iter([REST_MV, PRESSED_MV, REST_MV, REST_MV])

            def millivolts(self, channel):
                return next(self.readings)

        told = []
        job = PressurePads(Converter, lambda error: None, {0: PadSensor("pile1")}, told.append)
        converter = Converter()
        job._open_adc = lambda: converter
        for at_us in (0, EVERY_US, 2 * EVERY_US):
            job.step(at_us)
        assert told == []

    def test_noise_of_a_long_cable_is_no_press(self, pads, chip, shift):
        """OctoPrint-DisplayPanel#58."""
        chance = random.Random(5)
        for _ in range(2_000):
            chip.millivolts[:3] = [REST_MV + chance.gauss(0, 60) for _ in range(3)]
            shift.work(EVERY_US)
        assert shift.take_told() == []

    def test_a_pad_held_at_the_start_is_told_when_its_rest_was_measured(self):
        """C-12."""
        pad = PadSensor("pile1", PadCalibration(rest_mv=REST_MV))
        assert pad.feed(PRESSED_MV, 0) == [Contact("pile1", True, 0, at_start=True)]
        assert pad.feed(REST_MV, EVERY_US) == [Contact("pile1", False, EVERY_US)]


class TestFaults:
    def test_a_chip_that_falls_off_the_bus_breaks_its_pads_and_they_come_back(self, pads, bus, chip, shift):
        """C-20."""
        bus.fails[0x48] = "silent"
        shift.work(SECOND_US)
        broke = shift.take_told()
        assert [(type(given), given[0]) for given in broke] == [(Broke, "pile1"), (Broke, "pile2"), (Broke, "pile3")]
        del bus.fails[0x48]
        shift.work(5 * SECOND_US)
        assert [(type(given), given[0]) for given in shift.take_told()] == [
            (Mended, "pile1"), (Mended, "pile2"), (Mended, "pile3")]

    def test_garbage_for_half_a_second_breaks_a_pad_and_presses_nothing(self):
        pad = PadSensor("pile1")
        pad.feed(REST_MV, 0)
        told = [given for number in range(2 * BAD_SAMPLES) for given in pad.feed(None, number * EVERY_US)]
        assert [(type(given), given[0]) for given in told] == [(Broke, "pile1")]
        told = [given for number in range(10) for given in pad.feed(REST_MV, (60 + number) * EVERY_US)]
        assert [(type(given), given[0]) for given in told] == [(Mended, "pile1")]

    def test_a_single_bad_sample_keeps_a_press_alive(self):
        pad = PadSensor("pile1")
        told = [given for reading in (REST_MV, PRESSED_MV, None, None, PRESSED_MV) for given in pad.feed(reading, 0)]
        assert told == [Contact("pile1", True, 0)]


class TestCalibration:
    def test_thresholds_lie_inside_the_swing_of_a_press(self):
        found = calibrate.thresholds("pile1", [400, 410, 405], [1_600, 1_650, 1_580, 1_600])
        assert found.rest_mv == 405
        assert 0 < found.release_mv < found.press_mv < 1_580 - 405

    @pytest.mark.parametrize("rest, pressed, told", [
        ([400] * 9, [450] * 9, "moves it by 50 mV only"),
        ([400, 800, 400, 600], [1_400] * 9, "wanders by 400 mV"),
    ])
    def test_a_pad_that_cannot_do_says_what_to_look_for(self, rest, pressed, told):
        with pytest.raises(ValueError, match=told):
            calibrate.thresholds("pile1", rest, pressed)

    def test_a_person_is_led_through_all_pads(self, bus, chip):
        asked = []

        def person(text):
            asked.append(text)
            chip.millivolts[0] = PRESSED_MV if "press as you do" in text else REST_MV

        found = calibrate.calibrate(
            Ads1115(bus), [made(PressurePad, name="pile1", channel=0)], person, lambda pause_s: None)
        assert [text.partition(",")[0] for text in asked] == [
            "pile1: leave the pad alone", "pile1: press as you do in play"]
        assert found["pile1"].rest_mv == pytest.approx(REST_MV, abs=1)
        assert found["pile1"].press_mv == pytest.approx((PRESSED_MV - REST_MV) / 2, abs=1)

    def test_an_open_wire_ends_it_with_the_cure(self, bus, chip):
        chip.millivolts[0] = 4_000
        with pytest.raises(ValueError, match="wires"):
            calibrate.calibrate(Ads1115(bus), [made(PressurePad, name="pile1", channel=0)], lambda text: None,
                                lambda pause_s: None)

    def test_what_is_written_is_read_back(self, tmp_path):
        saved = {"pile1": PadCalibration(400.0, 600.0, 360.0), "pile2": PadCalibration(10.0, 300.0, 180.0)}
        save_calibration(tmp_path / "pads.toml", saved)
        assert load_calibration(tmp_path / "pads.toml", list(saved)) == saved
        assert [path.name for path in tmp_path.iterdir()] == ["pads.toml"]

    def test_no_file_is_no_calibration(self, tmp_path):
        assert load_calibration(tmp_path / "none.toml", ["pile1"]) == {}

    @pytest.mark.parametrize("text, told", [
        ("[pile9]\nrest_mv = 1\npress_mv = 600\nrelease_mv = 300\n", "no pressure pad of this unit; it has pile1"),
        ("[pile1]\npress_mv = 600\n", "must have rest_mv, press_mv, release_mv"),
        ("[pile1]\nrest_mv = 1\npress_mv = 300\nrelease_mv = 600\n", "0 < release_mv < press_mv"),
        ("[pile1]\nrest_mv = 1\npress_mv = 'x'\nrelease_mv = 600\n", "numbers only"),
        ("pile1 = 4\n", "must have rest_mv"),
        ("[pile1", "cannot be read"),
    ])
    def test_a_wrong_file_says_where_and_what(self, tmp_path, text, told):
        (tmp_path / "pads.toml").write_text(text)
        with pytest.raises(BadSetting, match=told):
            load_calibration(tmp_path / "pads.toml", ["pile1"])

    def test_the_command_asks_measures_and_writes(self, bus, chip, tmp_path, monkeypatch, capsys):
        unit = load_unit("triple-play-fsr")
        bench = BenchAds1115(unit.adc.address)
        asked = []

        def person(text):
            asked.append(text)
            bench.millivolts = [PRESSED_MV if "press as you do" in text else REST_MV] * 4

        monkeypatch.setattr("builtins.input", person)
        monkeypatch.setattr(calibrate.time, "sleep", lambda pause_s: None)
        monkeypatch.setattr(calibrate.I2cBus, "get", lambda self: BenchBus(adc=bench))
        where = tmp_path / "pads.toml"
        assert calibrate.main(["triple-play-fsr", "--file", str(where)]) == 0
        assert capsys.readouterr().out == f"written to {where}\n"
        names = [pad.name for pad in unit.pressure_pads]
        assert list(load_calibration(where, names)) == names
        assert len(asked) == 2 * len(names)

    def test_a_person_who_gives_up_leaves_the_old_file_alone(self, tmp_path, monkeypatch, capsys):
        def gives_up(text):
            raise EOFError

        unit = load_unit("triple-play-fsr")
        monkeypatch.setattr("builtins.input", gives_up)
        monkeypatch.setattr(calibrate.I2cBus, "get", lambda self: BenchBus(adc=BenchAds1115(unit.adc.address)))
        assert calibrate.main(["triple-play-fsr", "--file", str(tmp_path / "pads.toml")]) == 1
        assert "nothing was written" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []

    def test_a_unit_with_switches_needs_none(self, capsys):
        assert calibrate.main(["triple-play"]) == 2
        assert "no pressure pads" in capsys.readouterr().err

    def test_an_unknown_unit_is_one_line_and_no_traceback(self, capsys):
        assert calibrate.main(["nothing"]) == 2
        assert "Traceback" not in capsys.readouterr().err
