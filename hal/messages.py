"""Inputs as messages: what a page says, a mirror passes on and a record writes down, without the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, WheelAt


def said(given: Input) -> dict[str, object]:
    """Return *given* as the message that a page would have sent; empty for what no page can do."""
    match given:
        case Contact(name, closed):
            return {"press" if closed else "release": name}
        case Moved(switch, to):
            return {"switch": switch, "to": to}
        case WheelAt(slot):
            return {"wheel": slot}
        case Battery(low):
            return {"battery": "low" if low else "ok"}
        case Broke(part, why):
            return {"break": part, "why": why}
        case Mended(part):
            return {"mend": part}
    return {}


def heard(message: Mapping[str, Any]) -> Input:
    """Return the input that `said` wrote down, at 0 µs. Raises ValueError for anything else."""
    match dict(message):
        case {"press": name}:
            return Contact(name, True, 0)
        case {"release": name}:
            return Contact(name, False, 0)
        case {"switch": switch, "to": to}:
            return Moved(switch, to, 0)
        case {"wheel": slot}:
            return WheelAt(slot, 0)
        case {"battery": level}:
            return Battery(level == "low", 0)
        case {"break": part, "why": why}:
            return Broke(part, why, 0)
        case {"mend": part}:
            return Mended(part, 0)
    raise ValueError(f"not an input: {message}")
