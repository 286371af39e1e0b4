"""What a page must know to draw the unit as it stands: the sum of all outputs and of all that was moved."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, WheelAt

EVENTS_KEPT = 12        # what happened last, for a page that comes late


class Snapshot:
    """The unit as it stands. Fed with the protocol's outputs and with the inputs that took effect."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.at_us = 0
        self.state = "off"
        self.lights: dict[str, str] = {str(light): "off" for light in header.get("lights", ())}
        self.display: dict[str, str] = {"text": "", "pattern": ""}
        self.events: deque[Mapping[str, object]] = deque(maxlen=EVENTS_KEPT)
        self.switches: dict[str, str] = {name: places[0] for name, places in header.get("switches", {}).items()}
        self.down: set[str] = set()
        self.broken: set[str] = set()
        self.battery = "ok"
        self.wheel: int | None = None
        self._places: Mapping[str, Sequence[str]] = header.get("switches", {})

    def stand_like(self, other: Snapshot) -> None:
        """Take over what people moved, hold and broke on *other*; a place that a switch has not got stays its first."""
        self.down, self.broken, self.battery, self.wheel = other.down, other.broken, other.battery, other.wheel
        for switch, to in other.switches.items():
            if to in self._places.get(switch, ()):
                self.switches[switch] = to

    def show(self, outputs: Iterable[Mapping[str, object]], at_us: int) -> None:
        """Take over what was shown at *at_us*."""
        self.at_us = at_us
        for output in outputs:
            match output:
                case {"event": _}:
                    self.events.append(dict(output))
                case {"state": str(state)}:
                    self.state = state
                case {"lights": dict(changed)}:
                    self.lights.update(changed)
                case {"display": str(text)}:
                    self.display = {"text": text, "pattern": str(output.get("pattern", ""))}

    def move(self, given: Input) -> None:
        """Take over what somebody moved, pressed, broke or mended."""
        match given:
            case Contact(name, closed):
                (self.down.add if closed else self.down.discard)(name)
            case Moved(switch, to):
                self.switches[switch] = to
            case WheelAt(slot):
                self.wheel = slot
            case Battery(low):
                self.battery = "low" if low else "ok"
            case Broke(part):
                self.broken.add(part)
            case Mended(part):
                self.broken.discard(part)

    def replace(self, data: Mapping[str, Any]) -> None:
        """Be what *data* says: the `data` of another one."""
        self.at_us, self.state = data["at"], data["state"]
        self.lights, self.display, self.switches = data["lights"], data["display"], data["switches"]
        self.events = deque(data["events"], maxlen=EVENTS_KEPT)
        self.down, self.broken = set(data["down"]), set(data["broken"])
        self.battery, self.wheel = data["battery"], data["wheel"]

    def data(self) -> dict[str, object]:
        """The snapshot, ready for JSON; the same state gives the same text."""
        return {
            "at": self.at_us, "state": self.state, "lights": self.lights, "display": self.display,
            "events": list(self.events), "switches": self.switches, "down": sorted(self.down),
            "broken": sorted(self.broken), "battery": self.battery, "wheel": self.wheel,
        }
