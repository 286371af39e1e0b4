"""The tones as notes: what each sounds like on one voice. The page in the browser plays the same table.

Accepted presses rise, refused ones fall; warnings repeat, results have a shape of their own, so that nobody needs to
see the unit to follow the game (C-17). The tunes are ours.
"""

from __future__ import annotations

from typing import NamedTuple

from firmware.agenda import MS


class Note(NamedTuple):
    """A pitch (Hz, 0 is a rest) and how long it lasts (ms)."""

    pitch_hz: int
    length_ms: int


def _tune(*notes: tuple[int, int]) -> tuple[Note, ...]:
    return tuple(Note(*note) for note in notes)


TONES: dict[str, tuple[Note, ...]] = {
    "tick": _tune((2000, 25)),
    "beep": _tune((1320, 80)),
    "denied": _tune((330, 90), (0, 30), (220, 140)),
    "reverse": _tune((660, 70), (990, 70), (660, 90)),
    "battery-low": _tune((880, 120), (0, 60), (587, 120), (0, 60), (392, 240)),
    "startup": _tune((523, 90), (659, 90), (784, 90), (1047, 180)),
    "reminder": _tune((988, 120), (0, 80), (988, 120), (0, 80), (1319, 200)),
    "round": _tune((784, 90), (0, 20), (784, 90), (0, 20), (1175, 220)),
    "round-over": _tune((1175, 120), (988, 120), (784, 120), (587, 260)),
    "clear": _tune((1047, 60), (1319, 60), (1568, 60), (2093, 180)),
    "signal": _tune((1760, 150), (0, 60), (1760, 150), (0, 60), (1760, 300)),
    "timeout": _tune((440, 200), (370, 200), (311, 200), (262, 420)),
    "overload": _tune((196, 160), (262, 160), (196, 160), (262, 160), (196, 400)),
    "power-down": _tune((784, 110), (659, 110), (523, 110), (392, 260)),
}

ICON_PITCHES_HZ = (1047, 1175, 1319, 1397, 1568, 1760, 1976, 2093, 2349, 2637, 2794, 3136)


def tune(name: str, icons: tuple[str, ...] = ()) -> tuple[Note, ...]:
    """The notes of a tone; an icon's tone rises to a pitch that is its own. LookupError for an unknown name."""
    if name in icons:
        top_hz = ICON_PITCHES_HZ[icons.index(name) % len(ICON_PITCHES_HZ)]
        return _tune((top_hz // 2, 90), (top_hz * 3 // 4, 90), (top_hz, 260))
    return TONES[name]


def length_us(notes: tuple[Note, ...]) -> int:
    """How long a tune lasts (µs)."""
    return sum(note.length_ms for note in notes) * MS
