"""What a buzzer promises: pitch, volume, and silence."""

import itertools
import math

import pytest
import rpi_hardware_pwm

from hal.errors import BadSetting, ChipError, LineBusy
from hal.pi.buzzer import BuzzerPart, KernelPwm, Note, SoftwarePwm, duty
from hal.pi.pwm import find_channel, silence_left_over
from hal.ports import Broke, Mended
from tests.contract.bench_clock import BenchClock
from tests.contract.bench_pwm import BenchPwm
from tests.contract.bench_work import Shift
from tests.contract.rigs import RIGS, made, unit
from wiring.model import Buzzer

GPIO = 12


@pytest.fixture
def shift():
    return Shift(BenchClock())


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    bench = BenchPwm(tmp_path)
    bench.lead(monkeypatch, rpi_hardware_pwm)
    return bench


@pytest.fixture
def buzzer(kernel, shift):
    """The buzzer as the game has it, on the kernel's PWM."""
    part = BuzzerPart(lambda: KernelPwm(GPIO, kernel.tree), shift.tell, shift.clock)
    shift.hire(part.keeper)
    return part


def sound(shift, buzzer, pitch_hz, volume):
    buzzer.sound(pitch_hz, volume)
    shift.ring()


def test_each_volume_is_softer_than_the_next_and_even_to_the_ear():
    """C-16: geometric duty; half is the loudest a piezo can be, below 1 % it rattles."""
    duties = [duty(volume) for volume in range(6)]
    assert duties[0] == 0.0
    assert duties[5] == 0.5
    assert min(duties[1:]) >= 0.02
    loudness_db = [20 * math.log10(math.sin(math.pi * part)) for part in duties[1:]]
    steps_db = [louder - softer for softer, louder in itertools.pairwise(loudness_db)]
    assert all(3 < step_db < 8 for step_db in steps_db)


def test_a_tone_has_its_pitch_and_its_volume(buzzer, kernel, shift):
    for pitch_hz, volume in ((440, 5), (2_000, 3), (1_047, 1)):
        sound(shift, buzzer, pitch_hz, volume)
        assert kernel.tones[-1] == (pitch_hz, pytest.approx(duty(volume), abs=1e-4))


def test_a_higher_tone_after_a_loud_low_one_is_not_refused(buzzer, kernel, shift):
    """The kernel refuses a period shorter than the duty (EINVAL): duty goes to 0 first."""
    sound(shift, buzzer, 100, 5)
    sound(shift, buzzer, 4_000, 5)
    assert kernel.tones[-3:] == [(100, 0.5), None, (4_000, 0.5)]
    assert shift.told == []


@pytest.mark.parametrize("silence", [(0, 3), (440, 0), (0, 0), (-1, 3)])
def test_no_pitch_or_no_volume_is_silence(buzzer, kernel, shift, silence):
    sound(shift, buzzer, 440, 3)
    sound(shift, buzzer, *silence)
    assert kernel.tones[-1] is None


def test_it_is_silent_before_the_first_tone_and_after_the_end(buzzer, kernel, shift):
    """C-21, pi1541#213: and the line idles low."""
    assert set(kernel.tones) == {None}
    sound(shift, buzzer, 440, 5)
    buzzer.keeper.close()
    assert kernel.tones[-1] is None
    assert (kernel.chip / "pwm0" / "enable").read_text() == "0\n"


def test_a_tone_left_sounding_by_a_killed_program_ends_at_the_next_start(kernel, shift):
    """The hardware goes on by itself; its duty must not make the first period invalid either."""
    kernel.export(0, period=10_000_000, duty=5_000_000, enable=1)
    part = BuzzerPart(lambda: KernelPwm(GPIO, kernel.tree), shift.tell, shift.clock)
    shift.hire(part.keeper)
    assert shift.told == []
    assert kernel.tones[-1] is None


def test_a_pwm_that_fails_is_a_fault_and_sounds_again_when_it_is_back(buzzer, kernel, shift):
    """C-20."""
    kernel.refuse = True
    sound(shift, buzzer, 440, 3)
    assert [type(given) for given in shift.take_told()] == [Broke]
    kernel.refuse = False
    shift.work(5_000_000)
    assert [type(given) for given in shift.take_told()] == [Mended]
    assert kernel.tones[-1] == (440, pytest.approx(duty(3), abs=1e-4))


@pytest.mark.parametrize("device, gpio, channel", [
    ("20c000.pwm", 12, 0), ("3f20c000.pwm", 18, 0), ("fe20c000.pwm", 13, 1), ("fe20c000.pwm", 19, 1),
    ("1f00098000.pwm", 12, 0), ("1f00098000.pwm", 13, 1), ("1f00098000.pwm", 18, 2), ("1f00098000.pwm", 19, 3),
])
def test_the_channel_is_found_by_the_device_not_by_a_number(tmp_path, device, gpio, channel):
    """raspberrypi/linux#6818: the chip's number changed from kernel 6.6 to 6.12."""
    (tmp_path / "pwmchip0").mkdir()
    other = tmp_path / "devices" / "fe20c800.pwm"
    other.mkdir(parents=True)
    (tmp_path / "pwmchip0" / "device").symlink_to(other)
    BenchPwm(tmp_path, device, chip=2)
    assert find_channel(gpio, tmp_path) == (2, channel)


def test_without_the_overlay_the_message_says_which_line_to_add(tmp_path):
    with pytest.raises(ChipError, match=r"dtoverlay=pwm,pin=12,func=4"):
        find_channel(12, tmp_path)


def test_a_line_without_pwm_is_a_wrong_setting(tmp_path):
    with pytest.raises(BadSetting, match=r"12, 13, 18 or 19, or drive = 'software'"):
        find_channel(17, tmp_path)


def test_silencing_says_when_it_cannot(tmp_path):
    (tmp_path / "period").write_text("nonsense")
    with pytest.raises(ChipError, match="cannot be made silent"):
        silence_left_over(tmp_path)


@pytest.mark.parametrize("name", RIGS)
def test_the_software_buzzer_plays_on_every_factory_when_it_is_named(name, open_rig):
    """The named fall-back: gpiozero's PWM."""
    rig = open_rig(name)
    pwm = SoftwarePwm(rig.factory, GPIO)
    pin = rig.factory.pin(GPIO)
    pwm.write(Note(1_000, 5))
    assert (pin.frequency, pin.state) == (1_000, 0.5)
    pwm.write(Note(2_000, 1))
    assert (pin.frequency, pin.state) == (2_000, pytest.approx(0.02))
    pwm.write(Note(0, 0))
    assert pin.state == 0
    pwm.close()


def test_the_software_buzzer_on_a_line_in_use_says_so(open_rig):
    rig = open_rig("mock", wiring=unit(buzzer=made(Buzzer, gpio=23, drive="software")))
    with pytest.raises(LineBusy, match=r"GPIO23 \(buzzer\).*the unit's inputs"):
        SoftwarePwm(rig.factory, 23)
