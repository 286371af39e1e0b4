"""What is wrong with a unit's wiring on a board: everything at once, each with file, key, reason and cure.

The loader has already refused what is wrong within a file; here the parts meet each other and the board. A check is
a function of unit and board that gives findings. To add one, write it in `wiring.pins`, `wiring.power` or here and name
it in `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from wiring import pins, power
from wiring.findings import Finding
from wiring.load import load_unit, unit_names
from wiring.model import As5600, Board, UnitWiring
from wiring.reader import meant

Check: TypeAlias = Callable[[UnitWiring, Board], Iterator[Finding]]

# Where each chip's address pins can put it.
ADDRESSES = {"ht16k33": range(0x70, 0x78), "as5600": range(0x36, 0x37), "ads1115": range(0x48, 0x4C)}


def check(unit: UnitWiring, board: Board) -> tuple[Finding, ...]:
    """Return everything that is wrong with *unit* on *board*; nothing if it can be built."""
    return tuple(finding for each in CHECKS for finding in each(unit, board))


def addresses_are_unique(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find two I2C parts at one address, and addresses that a chip cannot have."""
    at: list[tuple[str, str, int]] = []
    if unit.display is not None and unit.display.address is not None:
        at.append(("display", "ht16k33", unit.display.address))
    if isinstance(unit.wheel, As5600):
        at.append(("wheel", "as5600", unit.wheel.address))
    if unit.adc is not None:
        at.append(("adc", "ads1115", unit.adc.address))
    owner: dict[int, str] = {}
    for section, chip, address in at:
        where = f"[{section}] address = {address:#x}"
        able = ADDRESSES[chip]
        possible = f"{able[0]:#x}" if len(able) == 1 else f"{able[0]:#x} to {able[-1]:#x}"
        if address in owner:
            reason = f"is the address of [{owner[address]}] too"
            yield Finding(unit.file, where, reason, f"set another with the chip's address pins ({possible})")
        elif address not in able:
            yield Finding(unit.file, where, f"the {chip.upper()} cannot have this address", f"write {possible}")
        owner.setdefault(address, section)


def channels_are_unique(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find pressure pads and batteries without a converter, and channels used twice."""
    uses = [
        (f"[pressure_pads] {pad.name}.channel = {pad.channel}", pad.label, pad.channel) for pad in unit.pressure_pads
    ]
    if unit.battery is not None and unit.battery.channel is not None:
        uses.append((f"[battery] channel = {unit.battery.channel}", "the battery", unit.battery.channel))
    if uses and unit.adc is None:
        cure = "write [adc] with address = 0x48, volts, power_pin and ground_pin"
        yield Finding(unit.file, uses[0][0], f"{uses[0][1]} needs a converter, a Pi has no analog input", cure)
    owner: dict[int, str] = {}
    for where, name, channel in uses:
        if channel in owner:
            free = [str(each) for each in range(4) if each not in {used for _, _, used in uses}]
            cure = f"use channel {free[0]}" if free else "leave one out: the converter has four channels"
            yield Finding(unit.file, where, f"channel {channel} belongs to {owner[channel]}", cure)
        owner.setdefault(channel, name)


def names_are_the_units(unit: UnitWiring, board: Board) -> Iterator[Finding]:
    """Find parts that the unit does not know and parts that it misses, beside the wiring file that comes with it."""
    known = unit_names()
    if unit.unit not in known:
        yield Finding(unit.file, f'unit = "{unit.unit}"', "there is no such unit", meant(unit.unit, known))
        return
    model = load_unit(unit.unit)
    inputs = "pressure_pads" if unit.pressure_pads else "contacts"
    switches = [tuple(switch.name for switch in each.switches) for each in (unit, model)]
    yield from _compare(unit, inputs, unit.input_names, model.input_names)
    yield from _compare(unit, "switches", *switches)
    yield from _compare(unit, "lights.layout", unit.light_names, model.light_names, numbered=True)


def _compare(
    unit: UnitWiring, section: str, names: tuple[str, ...], model: tuple[str, ...], *, numbered: bool = False
) -> Iterator[Finding]:
    """Compare *names* with the *model*'s. Of *numbered* ones (`seat1`, `seat2` …) there may be fewer or more."""

    def kind(name: str) -> str:
        return name.rstrip("0123456789") if numbered and name.startswith(("seat", "seg")) else name

    for name in names:
        if kind(name) not in map(kind, model):
            yield Finding(unit.file, f"[{section}] {name}", f"{unit.unit} has no such part", meant(name, model))
    missing = [name for name in model if kind(name) not in map(kind, names)]
    if missing:
        cure = f"see wiring/units/{unit.unit}.toml"
        yield Finding(unit.file, f"[{section}]", f"{', '.join(missing)} is missing", cure)


CHECKS: tuple[Check, ...] = (
    names_are_the_units,
    pins.one_part_a_pin,
    pins.nothing_reserved,
    pins.strip_can_be_driven,
    pins.strip_fits_the_buffer,
    pins.pwm_is_not_shared,
    pins.buzzer_has_pwm,
    addresses_are_unique,
    channels_are_unique,
    power.everything_has_ground,
    power.everything_has_power,
    power.inputs_stay_at_3v3,
    power.strip_hears_the_board,
    power.current_suffices,
    power.board_is_fed_once,
    power.battery_can_be_read,
)
