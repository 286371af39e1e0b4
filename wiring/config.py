"""The lines that a unit needs in the board's config.txt."""

from __future__ import annotations

from wiring.model import Board, UnitWiring
from wiring.pins import i2c_sections, strip_way

PWM_FUNCTION = {12: 4, 13: 4, 18: 2, 19: 2}  # what the pwm overlay calls the pin's alternate function


def config_lines(unit: UnitWiring, board: Board) -> tuple[str, ...]:
    """Return what `/boot/firmware/config.txt` must say for *unit* on *board*, in the order to write it."""
    lines: list[str] = []
    if i2c_sections(unit):
        lines.append("dtparam=i2c_arm=on")
    if strip_way(unit, board) == "SPI0":
        lines += ["dtparam=spi=on", *board.spi_strip_needs]
    if unit.buzzer is not None and unit.buzzer.drive == "hardware":
        if board.analog_audio:
            lines.append("dtparam=audio=off")
        if unit.buzzer.gpio in PWM_FUNCTION:
            lines.append(f"dtoverlay=pwm,pin={unit.buzzer.gpio},func={PWM_FUNCTION[unit.buzzer.gpio]}")
    inputs = [contact.gpio for contact in unit.contacts]
    inputs += [gpio for switch in unit.switches for gpio in switch.closed.values()]
    low = sorted(gpio for gpio in inputs if board.pin(gpio).boot_pull != "up")
    if low:  # else they look pressed until the program pulls them up
        lines.append(f"gpio={','.join(map(str, low))}=ip,pu")
    return tuple(lines)
