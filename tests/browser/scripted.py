"""A unit on a string: what the page shows is put there by the test, what the page does is written down.

It stands where the game stands, behind `PanelBoard.wait`, so a look, a text or a fault can be shown without playing
up to it. `test_play_*.py` play the real units.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from hal.panel.board import PanelBoard
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, Seeded, Stop, WheelAt

TONES = {
    "beep": [[880, 70]], "denied": [[220, 90], [0, 30], [220, 90]], "startup": [[440, 80], [660, 80], [880, 120]],
    "round": [[660, 90], [990, 140]], "clear": [[990, 60], [1320, 120]], "tick": [[1500, 25]],
    "overload": [[180, 120], [140, 120], [180, 120], [140, 300]], "timeout": [[300, 200], [200, 400]],
}
ICONS = [
    ("shout", "CALL", "white"), ("discard-color", "COL", "green"), ("draw-blue", "bLUE", "blue"),
    ("draw-red", "rEd", "red"), ("war", "HIGH", "yellow"), ("discard-number", "123", "purple"),
    ("show-hand", "OPEn", "white"), ("trade-hands", "PASS", "yellow"), ("keep-two", "2", "purple"),
]
PARTS = ("display", "strip", "buzzer")
OFF_ON = ["off", "on"]


def header(unit: str, inputs: list[str], switches: dict[str, list[str]], lights: list[str],
           settings: dict[str, Any]) -> dict[str, Any]:
    """The first line of the bench protocol, as a real unit writes it."""
    section = unit.replace("-", "_")
    return {
        "bench": 1, "version": "0.1.0", "unit": unit, "seed": 7, "inputs": inputs, "switches": switches,
        "lights": lights, "tones": sorted(TONES), "settings": {"common": {"volume": 3}, section: settings},
    }


HEADERS: dict[str, dict[str, Any]] = {
    "triple-play": header(
        "triple-play", ["go", "pile1", "pile2", "pile3"], {"power": OFF_ON, "timer": OFF_ON},
        ["pile1", "pile2", "pile3", "counter1", "counter2", "counter3"],
        {"turn_seconds": 10, "hold_to_clear": 2.0, "warn_clear": 1.0, "hold_for_volume": 3.0,
         "hold_for_new_round": 6.0}),
    "master": header(
        "master", ["timer"], {"speed": ["4", "6", "8"]}, ["timer"],
        {"speeds": [4, 6, 8], "hold_to_pause": 1.0, "hold_to_switch_off": 3.0}),
    "spin": header(
        "spin", ["go"], {"power": OFF_ON}, [f"seg{n}" for n in range(1, 10)],
        {"hold_for_volume": 3.0,
         "icons": [{"id": name, "code": code, "colour": colour} for name, code, colour in ICONS]}),
    "party": header(
        "party", ["go", "reverse", "next"], {"power": OFF_ON}, [f"seat{n}" for n in range(1, 17)],
        {"players": 8, "hold_to_link": 1.0, "hold_for_volume": 3.0}),
}


def parse(message: Mapping[str, object], at_us: int) -> Sequence[Input]:
    """What the command line's own function does for a real unit."""
    match dict(message):
        case {"press": str(name), **rest} if not rest:
            return [Contact(_known(name), True, at_us)]
        case {"release": str(name), **rest} if not rest:
            return [Contact(_known(name), False, at_us)]
        case {"switch": str(switch), "to": str(to), **rest} if not rest:
            return [Moved(switch, to, at_us)]
        case {"wheel": int(slot), **rest} if not rest:
            return [WheelAt(slot, at_us)]
        case {"battery": "low" | "ok" as level, **rest} if not rest:
            return [Battery(level == "low", at_us)]
        case {"break": str(part), **rest}:
            return [Broke(part, str(rest.get("why", "broken by a test")), at_us)]
        case {"mend": str(part), **rest} if not rest:
            return [Mended(part, at_us)]
    raise ValueError(f"not an input: {json.dumps(message)[:80]}")


def _known(name: str) -> str:
    names = [*(f"pile{n}" for n in (1, 2, 3)), "go", "timer", "reverse", "next"]
    if name not in names:
        raise ValueError(f"unknown input '{name}'; this unit has {', '.join(names)}")
    return name


@dataclass(frozen=True)
class Moment:
    """What was shown at one moment (`hal.ports.Telling`)."""

    at_us: int
    outputs: Sequence[Mapping[str, object]]

    @property
    def lines(self) -> Sequence[str]:
        return [json.dumps({"t": self.at_us / 1e6, **output}) for output in self.outputs]


class ScriptedUnit:
    """A panel board whose game is the test. `done` has all inputs so far as plain texts, `press pile1`.

    *options*: `version`, `lab`, `common` (settings of all units), and those of `PanelBoard`.
    """

    def __init__(self, unit: str = "triple-play", **options: Any) -> None:
        self.version = options.pop("version", "0.1.0")
        settings = HEADERS[unit]["settings"]
        settings = {**settings, "common": {**settings["common"], **options.pop("common", {})}}
        page = {"header": {**HEADERS[unit], "version": self.version, "settings": settings}, "tones": TONES}
        if options.pop("lab", False):
            page |= {"lab": True, "parts": [*(name for name in HEADERS[unit]["inputs"] if "pile" in name), *PARTS]}
        self.board = PanelBoard(page, parse, **{"port": 0, **options})
        self.url = self.board.url
        self.done: list[str] = []
        self.inputs: list[Input] = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def show(self, *outputs: Mapping[str, object]) -> None:
        """Show *outputs* as those of one moment."""
        self.board.hear(Moment(self.board.now_us(), outputs))

    def wait_for(self, *done: str, timeout_s: float = 10) -> None:
        """Return once everything that was done so far is exactly *done*."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.done == [*done], timeout_s), f"done so far: {self.done}"

    def close(self) -> None:
        self.board.stop()
        self._thread.join()
        self.board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _play(self) -> None:
        while True:
            for given in self.board.wait(None):
                with self._changed:
                    self.inputs.append(given)
                    if isinstance(given, Stop):
                        return
                    if not isinstance(given, Seeded):
                        self.done.append(_words(given))
                    self._changed.notify_all()


def _words(given: Input) -> str:
    match given:
        case Contact(name, closed):
            return f"{'press' if closed else 'release'} {name}"
        case Moved(switch, to):
            return f"{switch} {to}"
        case WheelAt(slot):
            return f"wheel {slot}"
        case Battery(low):
            return f"battery {'low' if low else 'ok'}"
        case Broke(part):
            return f"break {part}"
        case Mended(part):
            return f"mend {part}"
    return type(given).__name__
