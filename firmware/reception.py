"""What people at a panel may say: the inputs of the bench protocol, and wishes for another unit or other settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from firmware.assembly import sections, settings_of
from firmware.kind import Kind
from firmware.protocol import Reader, Refused
from firmware.settings import Setting, Values, settings
from firmware.unit import Unit
from firmware.units import UNITS
from hal.ports import Input, Wish

WISHES = ("unit", "settings", "record")
RECORDING = ("start", "stop")
ONLY_SHOWS = "this page only shows what the unit does; use the unit's own buttons"


class Reception:
    """Understands the messages of pages for one unit."""

    def __init__(self, unit: Unit, *, built: Values | None = None) -> None:
        """*built*: the unit is one of wood and wire, with buttons of its own, and these are all settings in force.

        A page beside it presses nothing, and wishes for nothing that would need other wires.
        """
        self._unit, self._built = unit, built
        self._reader = Reader(unit)

    def understand(self, message: Mapping[str, Any], at_us: int) -> list[Input]:
        """The inputs of a message. Raises ValueError with a text for whoever sits there."""
        wish = [key for key in message if key in WISHES]
        if not wish:
            if self._built is not None:
                raise Refused(ONLY_SHOWS)
            return self._reader.inputs(message, at_us)
        if len(message) > 1:
            raise Refused(f"'{wish[0]}' must stand alone in its message")
        _check(wish[0], message[wish[0]])
        if self._built is not None:
            if wish[0] == "unit":
                raise Refused("this unit is wired as it is; another one is played where that is built")
            if wish[0] == "settings":
                check_wires(self._unit, self._built, message["settings"])
        return [Wish(message, at_us)]


def check_wires(unit: Unit, values: Values, wish: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse what *unit*, with *values* in force, cannot do as it is wired. Raises Refused, naming each setting."""
    kind, problems = unit.kind, []
    for section, entries in wish.items():
        for name, value in entries.items():
            wished = settings_of(kind, wished_settings(values, {section: {name: value}}))
            if _wires(Unit(kind, wished, 0)) != _wires(unit):
                told = f"settings: {section}.{name} = {_short(value)}"
                problems.append(f"{told}: must be as it is wired, until it starts anew")
    if problems:
        raise Refused("\n".join(problems))


def as_wired(unit: Unit, values: Values, choices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ready-made *choices* without the settings that *unit*, with *values* in force, cannot have as it is wired."""

    def fits(section: str, name: str, value: object) -> bool:
        try:
            check_wires(unit, values, {section: {name: value}})
        except Refused:
            return False
        return True

    return [
        {
            **choice,
            "settings": {
                section: {name: value for name, value in own.items() if fits(section, name, value)}
                for section, own in choice["settings"].items()
            },
        }
        for choice in choices
    ]


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _wires(unit: Unit) -> tuple[object, ...]:
    return [*unit.contacts], dict(unit.switches), unit.lights, unit.kind.slots(unit.rules)


def _check(wish: str, value: object) -> None:
    if wish == "unit" and (not isinstance(value, str) or value not in UNITS):
        raise Refused(f"unknown unit; there are {', '.join(UNITS)}")
    if wish == "record" and value not in RECORDING:
        raise Refused(f"'record' must be {' or '.join(RECORDING)}")
    if wish == "settings":
        if not isinstance(value, Mapping):
            raise Refused("'settings' must be sections with settings")
        settings(sections(), [("settings", value)])


def wished_settings(values: Values, wish: Mapping[str, Any]) -> Values:
    """*values* with what was wished in their place. Raises SettingsError."""
    return settings(sections(), [("settings in force", values), ("settings", wish)])


def described(kind: Kind, common: tuple[Setting, ...]) -> list[dict[str, object]]:
    """The settings that concern a unit as a page needs them to build its form, ready for JSON."""
    return [
        {
            **{"section": section, "name": s.name, "default": s.default, "doc": s.doc, "shape": s.shape},
            **{"low": s.low, "high": s.high, "among": list(s.among), "group": s.group},
        }
        for section, own in (("common", common), (kind.section, kind.settings))
        for s in own
    ]
