"""The buzzer: a passive piezo on the kernel's PWM, or, where the wiring file says so, on gpiozero's.

A piezo's loudness follows the duty cycle (its fundamental goes with sin(pi * duty)), so volume steps are geometric from
50 % down to 2 %; below 1 % the harmonics are louder than the note. The line idles low: a piezo left high hisses.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hal.errors import ChipError, NoRights, library
from hal.pi.clock import NowUs, now_us
from hal.pi.pins import Factory, Line, line_errors, refusal
from hal.pi.pwm import SYS_PWM, find_channel, silence_left_over
from hal.pi.worker import Device, Keeper
from hal.ports import Input

LOUDEST_DUTY = 0.5
SOFTEST_DUTY = 0.02
VOLUMES = 5


class Note(NamedTuple):
    """A pitch (whole Hz) at a volume of 1 to 5; 0 in either is silence."""

    pitch_hz: int
    volume: int


SILENCE = Note(0, 0)


def duty(volume: int) -> float:
    """Return the duty cycle (0 to 0.5) of a volume: 0 is silent, 1 soft, 5 loud."""
    if volume <= 0:
        return 0.0
    steps_down = VOLUMES - min(volume, VOLUMES)
    return LOUDEST_DUTY * float((SOFTEST_DUTY / LOUDEST_DUTY) ** (steps_down / (VOLUMES - 1)))


class BuzzerPart:
    """The port of a buzzer: `sound` leaves the newest note with the keeper."""

    def __init__(
        self, open_device: Callable[[], Device[Note]], tell: Callable[[Input], None], now: NowUs = now_us
    ) -> None:
        self.keeper: Keeper[Note] = Keeper("buzzer", open_device, SILENCE, tell, now=now)

    def sound(self, pitch_hz: int, volume: int) -> None:
        """Sound *pitch_hz* from now on, at *volume* 1 to 5; 0 is silence."""
        self.keeper.show(SILENCE if pitch_hz <= 0 or volume <= 0 else Note(pitch_hz, volume))


class KernelPwm:
    """The kernel's PWM: a steady tone without any work. It sounds on when the program dies, hence the dark hook."""

    def __init__(self, gpio: int, sys_pwm: Path = SYS_PWM) -> None:
        chip, channel = find_channel(gpio, sys_pwm)
        with library("rpi-hardware-pwm", "pwm"):
            from rpi_hardware_pwm import HardwarePWM, HardwarePWMException
        self._errors = (HardwarePWMException, OSError)
        silence_left_over(sys_pwm / f"pwmchip{chip}" / f"pwm{channel}")
        try:
            self._pwm = HardwarePWM(pwm_channel=channel, hz=440, chip=chip)
            self._pwm.start(0)
        except PermissionError as error:
            raise NoRights(f"{sys_pwm}/pwmchip{chip}", "gpio") from error
        except self._errors as error:
            raise ChipError(f"PWM for GPIO{gpio}: {error}") from error

    def write(self, content: Note) -> None:
        """Sound a note. Duty goes to 0 first: the kernel refuses a period that is shorter than the duty."""
        try:
            self._pwm.change_duty_cycle(0)
            if content != SILENCE:
                self._pwm.change_frequency(content.pitch_hz)
                self._pwm.change_duty_cycle(100 * duty(content.volume))
        except self._errors as error:
            raise ChipError(f"the PWM refused {content.pitch_hz} Hz: {error}") from error

    def close(self) -> None:
        """Switch the PWM off; the line is low then."""
        try:
            self._pwm.stop()
        except self._errors as error:
            raise ChipError(f"the PWM cannot be switched off: {error}") from error


class SoftwarePwm:
    """gpiozero's PWM: no set-up and any line, but an uneven pitch, and whole percents of duty."""

    def __init__(self, factory: Factory, gpio: int) -> None:
        from gpiozero import PWMOutputDevice

        self._errors = line_errors()
        try:
            self._pwm: Any = PWMOutputDevice(gpio, frequency=440, pin_factory=factory)
        except self._errors as error:
            raise refusal(factory, Line("buzzer", gpio, "none"), error) from error

    def write(self, content: Note) -> None:
        """Sound a note."""
        try:
            if content != SILENCE:
                self._pwm.frequency = content.pitch_hz
            self._pwm.value = duty(content.volume)
        except self._errors as error:
            raise ChipError(f"the PWM refused {content.pitch_hz} Hz: {error}") from error

    def close(self) -> None:
        """Release the line."""
        self._pwm.close()
