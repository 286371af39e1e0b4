"""What people at a panel may say: the inputs of the bench protocol, and wishes for another unit or other settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware.assembly import sections
from firmware.kind import Kind
from firmware.protocol import Reader, Refused
from firmware.settings import Setting, Values, settings
from firmware.unit import Unit
from firmware.units import UNITS
from hal.ports import Input, Wish

WISHES = ("unit", "settings", "record")
RECORDING = ("start", "stop")


class Reception:
    """Understands the messages of pages for one unit."""

    def __init__(self, unit: Unit, *, only_shows: bool = False) -> None:
        """*only_shows*: the unit has buttons of its own, and a page beside it presses nothing."""
        self._reader = Reader(unit)
        self._only_shows = only_shows

    def understand(self, message: Mapping[str, Any], at_us: int) -> list[Input]:
        """The inputs of a message. Raises ValueError with a text for whoever sits there."""
        if self._only_shows:
            raise Refused("this page only shows what the unit does; use the unit's own buttons")
        wish = [key for key in message if key in WISHES]
        if not wish:
            return self._reader.inputs(message, at_us)
        if len(message) > 1:
            raise Refused(f"'{wish[0]}' must stand alone in its message")
        _check(wish[0], message[wish[0]])
        return [Wish(message, at_us)]


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
