"""Putting a unit together: its kind, its settings from file and command line, and what it remembers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from firmware.kind import Kind
from firmware.settings import BOARD, COMMON, Setting, SettingsError, Values, from_file, from_text, settings
from firmware.unit import MEMORY, Unit
from firmware.units import UNITS, kind_named
from hal.ports import Broke, Input, Mended, Moved

if TYPE_CHECKING:
    from firmware.memory import Memory, Written
    from wiring.model import UnitWiring


def known_kind(name: str) -> Kind:
    """The kind of unit of this name; SettingsError when there is none."""
    try:
        return kind_named(name)
    except LookupError as why:
        raise SettingsError(why.args[0]) from None


def all_settings(config: str | None, assignments: list[str], only: Kind | None = None) -> Values:
    """Every setting of every unit: those of a file, and over them those of the command line. Names every problem.

    With *only* one kind the others are left out, and not even loaded, unless their settings are given, too.
    """
    given, problems = [], []
    for read, text in ((from_file, config), *((from_text, text) for text in assignments)):
        if text is not None:
            try:
                given.append(read(text))
            except SettingsError as why:
                problems.append(str(why))
    named = {section for _, table in given for section in table}
    own = {"common", "board", only.section} if only else set()
    try:
        values = settings(sections([only.name] if only and named <= own else UNITS), given)
    except SettingsError as why:
        raise SettingsError("\n".join([*problems, str(why)])) from None
    if problems:
        raise SettingsError("\n".join(problems))
    return values


def sections(units: Iterable[str] = UNITS) -> dict[str, tuple[Setting, ...]]:
    """The settings that there are, by section: the common ones, those of a board, and those of *units*."""
    return {"common": COMMON, "board": BOARD, **{kind.section: kind.settings for kind in map(kind_named, units)}}


def settings_of(kind: Kind, values: Values) -> Values:
    """What of *values* concerns a unit."""
    return {section: values[section] for section in ("common", kind.section)}


def open_memory(
    directory: str | None, kind: Kind, written: Written = lambda file, failed: None
) -> Memory | None:
    """The journal in *directory*, or None without one. SettingsError when the directory is none."""
    if directory is None:
        return None
    from firmware.memory import InUse, Memory

    try:
        memory = Memory(directory, kind.name, written)
    except (NotADirectoryError, InUse) as why:
        raise SettingsError(f"--state {why}") from None
    if memory.fault is not None:
        print(f"--state {directory}: the round will not survive a pulled plug: {memory.fault}", file=sys.stderr)
    if memory.damage is not None:
        print(f"--state {directory}: starting fresh, what was there is kept as {memory.damage}", file=sys.stderr)
    return memory


def make_unit(kind: Kind, values: Values, seed: int, memory: Memory | None, start_us: int = 0) -> Unit:
    """A unit that goes on where *memory* left off, at *start_us* (µs). A round that makes no sense is set aside."""
    if memory is None:
        return Unit(kind, values, seed, start_us=start_us)
    if memory.saved is not None and not _fits(kind, values, memory.saved):
        memory.reject("the round in it does not fit these settings")
        print(f"{memory.path}: starting fresh, what was there is kept as {memory.damage}", file=sys.stderr)
    can_be_set = any(setting.name == "hold_for_volume" for setting in kind.settings)
    volume = memory.volume if can_be_set else None  # the Master's is its setting (C-5)
    return Unit(kind, values, seed, memory.saved, memory.damage, volume, start_us)


def _fits(kind: Kind, values: Values, saved: Mapping[str, object]) -> bool:
    """Whether a unit can go on with a saved round: one tries, where nobody looks."""
    trial = Unit(kind, values, 0, saved)
    moments = trial.tick(0)
    if "power" in trial.switches:
        moments += trial.feed(Moved("power", "on", 0))
    return any(event["event"] == "resumed" for moment in moments for event in moment.events)


def keeper(memory: Memory, unit: Unit) -> Callable[[], Input | None]:
    """What keeps the round after every step, and says so when it cannot, or can again (C-5, C-20)."""

    def keep() -> Input | None:
        could = memory.fault is None
        memory.keep(unit.volume.level, unit.save())
        if could and memory.fault is not None:
            return Broke(MEMORY, memory.fault, unit.now_us)
        return Mended(MEMORY, unit.now_us) if memory.fault is None and not could else None

    return keep


def first_inputs(memory: Memory | None, at_us: int = 0) -> tuple[Input, ...]:
    """What a unit hears before anything else: that its round cannot be kept, if so."""
    return () if memory is None or memory.fault is None else (Broke(MEMORY, memory.fault, at_us),)


def wiring_of(kind: Kind, given: str | None) -> UnitWiring:
    """The wiring of a unit: its own, or the one *given* by name or as a file. SettingsError names what is wrong."""
    from wiring.findings import WiringError
    from wiring.load import load_unit

    try:
        wiring = load_unit(given or kind.name)
    except WiringError as why:
        raise SettingsError(str(why)) from None
    if wiring.unit != kind.name:
        raise SettingsError(f"{wiring.file}: unit = {wiring.unit!r}: not the wiring of {kind.name!r}")
    return wiring


def fitted(wiring: UnitWiring, unit: Unit) -> UnitWiring:
    """*wiring* with the positions of its switches called as *unit* calls them, which its settings may change (MA-4).

    Positions are the same by name, else by their order. SettingsError when there are not as many.
    """
    switches, problems = [], []
    for switch in wiring.switches:
        wanted, there = unit.switches.get(switch.name, switch.positions), switch.positions
        if set(there) <= set(wanted):
            switches.append(switch)
        elif len(there) == len(wanted):
            name = dict(zip(there, wanted, strict=True))
            closed = {name[position]: gpio for position, gpio in switch.closed.items()}
            switches.append(switch._replace(closed=closed, open=None if switch.open is None else name[switch.open]))
        else:
            problems.append(
                f"{wiring.file}: [switches] {switch.name} has the positions {', '.join(there)}, "
                f"but the settings have {', '.join(wanted)}: set as many as there are"
            )
    if problems:
        raise SettingsError("\n".join(problems))
    return wiring._replace(switches=tuple(switches))
