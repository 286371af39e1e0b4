"""What is found out about a machine before a board is opened, and what a maker reads when it is not as it should be."""

import builtins
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hal.open as opening
from hal.errors import BadSetting, BoardError, MissingLibrary, NoGpio, NoRights, UnknownBoard
from hal.open import Machine, choose_board, open_board, this_machine
from hal.pi import blinka, gpiochip, pins
from hal.pi.clock import TickClock
from hal.pi.worker import Worker
from tests.contract import bench_gpio, bench_lgpio
from tests.contract.bench_clock import BenchClock

BOARDS = {"pi": None, "panel": None, "virtual": None}
PI_4 = Machine("Raspberry Pi 4 Model B Rev 1.5", ("gpiochip0", "gpiochip1"))
DESKTOP = Machine(None, ("gpiochip0",))


class TestChoosing:
    @pytest.mark.parametrize("asked, machine, name, reason", [
        (None, PI_4, "pi", "board pi: Raspberry Pi 4 Model B Rev 1.5 with gpiochip0, gpiochip1"),
        (None, DESKTOP, "panel", "board panel: this machine is no Raspberry Pi"),
        (None, PI_4._replace(gpio_chips=()), "panel",
         "board panel: Raspberry Pi 4 Model B Rev 1.5, but the kernel shows no GPIO chip (/dev/gpiochip*)"),
        ("virtual", PI_4, "virtual", "board virtual: asked for"),
        ("pi", DESKTOP, "pi", "board pi: asked for"),
    ])
    def test_the_board_and_its_reason(self, asked, machine, name, reason):
        assert choose_board(asked, BOARDS, machine) == (name, reason)

    def test_an_unknown_board_lists_the_ones_there_are(self):
        with pytest.raises(UnknownBoard, match=r"there is no board 'arduino'; there are: panel, pi, virtual"):
            choose_board("arduino", BOARDS, PI_4)

    def test_only_the_chosen_board_is_opened_and_a_failure_is_not_papered_over(self):
        """No silent fall-back: on a Pi whose lines are busy the game does not start in a browser."""
        def busy():
            raise NoRights("/dev/gpiochip0", "gpio")

        with pytest.raises(NoRights, match="usermod -aG gpio"):
            open_board(None, {"pi": busy, "panel": lambda: pytest.fail("not asked for")}, lambda: PI_4)

    def test_the_opened_board_comes_with_the_reason(self):
        opened = open_board("panel", {"pi": None, "panel": lambda: "the panel"}, lambda: DESKTOP)
        assert opened == ("the panel", "board panel: asked for")

    def test_a_pi_is_known_by_its_model(self, tmp_path):
        (tmp_path / "model").write_bytes(b"Raspberry Pi Zero 2 W Rev 1.0\0")
        (tmp_path / "gpiochip0").touch()
        assert this_machine(tmp_path / "model", tmp_path) == Machine("Raspberry Pi Zero 2 W Rev 1.0", ("gpiochip0",))
        (tmp_path / "model").write_bytes(b"Some other board\0")
        assert this_machine(tmp_path / "model", tmp_path).model is None
        assert this_machine(tmp_path / "none", tmp_path).model is None

    def test_a_pi_on_a_machine_that_is_none_says_so(self, monkeypatch):
        monkeypatch.setattr(gpiochip, "header_chip", lambda: None)
        bench_lgpio.install(monkeypatch, BenchClock())
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", _no_pi)
        with pytest.raises(NoGpio, match="no Raspberry Pi; --board panel"):
            opening.open_pi(__import__("tests.contract.rigs", fromlist=["unit"]).unit())


def _no_pi():
    from gpiozero.exc import PinUnknownPi

    raise PinUnknownPi("unable to locate Pi revision")


class TestTheFactory:
    """The one that is named, or an error; gpiozero's own search would fall back to one that loses edges."""

    def test_a_missing_lgpio_names_the_extra_and_apt(self, monkeypatch):
        """Blinka#974, lg#43: no wheel for Python 3.13."""
        monkeypatch.setitem(sys.modules, "lgpio", None)
        monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
        with pytest.raises(MissingLibrary, match=r"lgpio is not installed: .*'\.\[pi\]'.*python3-lgpio"):
            pins.open_factory("lgpio")

    def test_a_working_directory_that_is_not_writable_is_explained(self, monkeypatch):
        """gpiozero#1106, lg#22: lgpio makes a pipe where the program stands."""
        real = builtins.__import__

        def failing(name, *how):
            if name == "gpiozero.pins.lgpio":
                raise FileNotFoundError(2, "No such file or directory", ".lgd-nfy-3")
            return real(name, *how)

        monkeypatch.setattr(builtins, "__import__", failing)
        with pytest.raises(NoGpio, match=r"working directory, which is not writable.*LG_WD"):
            pins.open_factory("lgpio")

    def test_a_missing_rpi_gpio_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "RPi", None)
        monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
        with pytest.raises(MissingLibrary, match=r"RPi\.GPIO"):
            pins.open_factory("rpigpio")

    def test_rpi_gpio_anywhere_else_is_no_gpio(self, monkeypatch):
        """It raises RuntimeError on import, not ImportError."""
        real = builtins.__import__

        def failing(name, *how):
            if name == "gpiozero.pins.rpigpio":
                raise RuntimeError("This module can only be run on a Raspberry Pi!")
            return real(name, *how)

        monkeypatch.setattr(builtins, "__import__", failing)
        with pytest.raises(NoGpio, match="--board panel"):
            pins.open_factory("rpigpio")

    def test_rpi_gpio_is_taken_when_it_is_named(self, monkeypatch):
        bench_gpio.install(monkeypatch)
        factory = pins.open_factory("rpigpio")
        assert type(factory).__name__ == "RPiGPIOFactory"

    @pytest.mark.parametrize("gpio, chip, told", [
        ("pigpio", None, "no such pin factory; lgpio or rpigpio"), ("rpigpio", 4, "remove one of the two"),
    ])
    def test_what_cannot_be_is_refused(self, gpio, chip, told):
        with pytest.raises(BadSetting, match=told):
            pins.open_factory(gpio, chip)

    def test_the_chip_is_found_by_its_label_and_a_setting_overrules_it(self, monkeypatch):
        """raspberrypi/linux#6144, pironman5#95: its number changed with kernels."""
        lgpio = bench_lgpio.install(monkeypatch, BenchClock())
        monkeypatch.setattr(gpiochip, "header_chip", lambda: gpiochip.Chip(11, "gpiochip11", "pinctrl-rp1", 54))
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)
        pins.open_factory("lgpio").close()
        pins.open_factory("lgpio", chip=4).close()
        assert lgpio.opened == [11, 4]

    @pytest.mark.parametrize("error, kind, told", [
        (PermissionError(13, "Permission denied"), NoRights, "/dev/gpiochip3: not allowed; sudo usermod -aG gpio"),
        (FileNotFoundError(2, "No such file or directory"), NoGpio, "Set gpiochip = N"),
        (None, NoGpio, "though it is there"),
    ])
    def test_a_chip_that_cannot_be_opened_says_why(self, monkeypatch, error, kind, told):
        lgpio = bench_lgpio.install(monkeypatch, BenchClock())
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)

        def refuse(chip):
            raise lgpio.error("'can not open gpiochip'")

        def info(number, dev=None):
            if error is not None:
                raise error
            return gpiochip.Chip(number, "gpiochip3", "pinctrl-rp1", 54)

        lgpio.gpiochip_open = refuse
        monkeypatch.setattr(gpiochip, "chip_info", info)
        with pytest.raises(kind, match=told):
            pins.open_factory("lgpio", chip=3)


class TestTheKernelsWord:
    @pytest.fixture
    def kernel(self, monkeypatch, tmp_path):
        """Two chips; GPIO17 of the header's is held by gpio-keys, GPIO6 by somebody without a name."""
        chips = {"gpiochip0": b"raspberrypi-exp-gpio", "gpiochip11": b"pinctrl-rp1"}
        users = {17: b"gpio-keys", 6: b""}
        for name in chips:
            (tmp_path / name).touch()

        def ioctl(chip, request, answer):
            if request == gpiochip.GET_CHIPINFO:
                name = chip.name.rpartition("/")[2]
                answer[:] = struct.pack("32s32sI", name.encode(), chips[name], 54)
            else:
                assert (request, len(answer)) == (0xC100B405, 256)
                (offset,) = struct.unpack_from("I", answer, 64)
                struct.pack_into("32s", answer, 32, users.get(offset, b""))
                struct.pack_into("Q", answer, 72, int(offset in users))

        monkeypatch.setattr(gpiochip.fcntl, "ioctl", ioctl)
        return tmp_path

    def test_the_header_has_the_chip_with_the_right_label(self, kernel):
        assert gpiochip.header_chip(kernel) == gpiochip.Chip(11, "gpiochip11", "pinctrl-rp1", 54)

    def test_a_line_names_its_user(self, kernel):
        assert [gpiochip.line_user(11, gpio, kernel) for gpio in (17, 6, 5)] == ["gpio-keys", "", None]

    def test_the_processes_that_have_the_chip_open_are_named_too(self, kernel, tmp_path):
        proc = tmp_path / "proc"
        for pid, comm, target in ((412, "pigpiod", kernel / "gpiochip11"), (500, "sshd", kernel / "null")):
            (proc / str(pid) / "fd").mkdir(parents=True)
            (proc / str(pid) / "comm").write_text(f"{comm}\n")
            (proc / str(pid) / "fd" / "3").symlink_to(target)
        (proc / "600").mkdir()
        assert gpiochip.holder(11, 17, kernel, proc) == "claimed as 'gpio-keys'; open in pigpiod (412)"
        assert gpiochip.holder(11, 6, kernel, tmp_path) == "claimed by another program"
        assert gpiochip.holder(99, 6, kernel, tmp_path) == "claimed by another program"

    def test_a_machine_without_chips_has_no_header(self, tmp_path):
        assert gpiochip.header_chip(tmp_path) is None


class Wrapping:
    """Ticks as some libraries have them: 32 bits of µs, starting anew every 71 minutes."""

    def __init__(self, clock, offset=0):
        self._clock, self._offset = clock, offset

    def ticks(self):
        return (self._clock() + self._offset) % 2**32

    @staticmethod
    def ticks_diff(later, earlier):
        return (later - earlier) % 2**32 / 1e6


class TestStamps:
    @given(st.lists(st.integers(0, 20 * 60 * 60 * 1_000_000), max_size=12), st.integers(0, 2**32))
    def test_ticks_that_wrap_become_times_that_do_not(self, gaps, offset):
        clock = BenchClock()
        factory = Wrapping(clock, offset)
        stamps = TickClock(factory, clock)
        for gap_us in gaps:
            clock.us += gap_us
            assert stamps.at_us(factory.ticks()) == pytest.approx(clock(), abs=1)

    def test_an_edge_from_before_the_start_keeps_its_time(self):
        clock = BenchClock()
        factory = Wrapping(clock)
        early = factory.ticks()
        clock.us += 5_000
        stamps = TickClock(factory, clock)
        assert stamps.at_us(early) == clock() - 5_000

    def test_a_thread_held_up_between_two_readings_does_not_shift_the_stamps(self):
        """Three pairs are read, and the closest one counts."""
        clock = BenchClock()
        delays = iter([0, 9_000, 0, 0, 4_000, 0])

        class Slow(Wrapping):
            def ticks(self):
                clock.us += next(delays, 0)
                now = super().ticks()
                clock.us += next(delays, 0)
                return now

        factory = Slow(clock)
        stamps = TickClock(factory, clock)
        assert stamps.at_us(factory.ticks()) == clock()


class TestBus:
    def test_no_rights_on_the_bus_names_the_group(self, monkeypatch, tmp_path):
        device = tmp_path / "i2c-1"
        device.touch()
        monkeypatch.setattr(blinka.os, "access", lambda path, how: False)
        with pytest.raises(NoRights, match="usermod -aG i2c"):
            blinka.open_i2c(device)

    def test_a_bus_that_is_off_names_the_line_to_add(self, monkeypatch, tmp_path):
        class Board:
            @staticmethod
            def I2C():
                raise RuntimeError("I2C Bus #1 not found, check if enabled in config!")

        monkeypatch.setattr(blinka, "load_board", lambda: Board)
        with pytest.raises(BoardError, match=r"dtparam=i2c_arm=on"):
            blinka.open_i2c(tmp_path / "i2c-1")

    def test_a_pin_that_the_machine_does_not_have_is_named(self, monkeypatch):
        monkeypatch.setattr(blinka, "load_board", object)
        with pytest.raises(BadSetting, match="GPIO99"):
            blinka.pin(99)


def test_a_job_that_cannot_even_be_closed_does_not_keep_others_from_it(caplog):
    """Dark is for all parts, also after a driver that raises anything."""
    closed = []

    class Job:
        def __init__(self, name):
            self.name = name

        def step(self, now_us):
            raise KeyError(self.name)

        def failed(self, error, now_us):
            raise OSError("and again")

        def close(self):
            closed.append(self.name)
            raise OSError(f"{self.name} does not let go")

    worker = Worker("bench", [Job("first"), Job("second")], BenchClock())
    worker.start()
    assert worker.wait_ready(10)
    worker.stop()
    worker.stop()
    assert worker.wait_stopped(10)
    assert closed == ["first", "second"]
    assert "first does not let go" in caplog.text
