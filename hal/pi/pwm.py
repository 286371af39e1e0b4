"""The kernel's PWM (sysfs): which of its channels reaches a GPIO, and how one that was left on becomes silent."""

from __future__ import annotations

from pathlib import Path

from hal.errors import BadSetting, ChipError

SYS_PWM = Path("/sys/class/pwm")
CHANNELS = {
    "20c000.pwm": {12: 0, 18: 0, 13: 1, 19: 1},
    "1f00098000.pwm": {12: 0, 13: 1, 18: 2, 19: 3},
}
"""Which channel reaches which GPIO, by the end of the PWM's device path: Zero to 4, and 5. Chip numbers change."""


def find_channel(gpio: int, sys_pwm: Path = SYS_PWM) -> tuple[int, int]:
    """Return the number of the PWM chip that reaches *gpio*, and the channel, found by the chip's device path."""
    seen = []
    for chip in sorted(sys_pwm.glob("pwmchip*")):
        device = (chip / "device").resolve().name
        seen.append(f"{chip.name} ({device})")
        for ending, channels in CHANNELS.items():
            if device.endswith(ending) and gpio in channels:
                return int(chip.name.removeprefix("pwmchip")), channels[gpio]
    if not any(gpio in channels for channels in CHANNELS.values()):
        raise BadSetting(f"[buzzer] gpio = {gpio}: no hardware PWM there; 12, 13, 18 or 19, or drive = 'software'")
    from wiring.config import PWM_FUNCTION

    raise ChipError(
        f"no PWM for GPIO{gpio} (found: {', '.join(seen) or 'none'}): set "
        f"dtoverlay=pwm,pin={gpio},func={PWM_FUNCTION[gpio]} in config.txt, reboot; or drive = 'software'"
    )


def silence_left_over(pwm: Path) -> None:
    """Bring the duty of a channel that a killed program left sounding to 0, so that a new period is accepted."""
    try:
        if int((pwm / "period").read_text()) > 0:
            (pwm / "duty_cycle").write_text("0\n")
    except FileNotFoundError:
        return  # nobody has used it
    except (OSError, ValueError) as error:
        raise ChipError(f"{pwm} cannot be made silent: {error}") from error
