"""What lights and display show, and what of that changed since the last moment.

A game says what it looks like in its present state. Over that lie, for a while, covers (a flash, a reminder), refusals
(TP-22) and `Lo` for a low battery (C-4). While strip or display are broken nothing counts as shown on them; when they
are back everything is shown anew (C-20).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from operator import is_not

from firmware.agenda import OTHER, SECOND, Agenda
from firmware.body import REFUSAL, Body
from firmware.outputs import BLANK, OFF, Face, Look

LOW_FACE = Face("Lo")
LOW_SHOWN_US = 2 * SECOND


class Front:
    """The lights and the display of one unit."""

    __slots__ = (
        *("display_works", "lights", "strip_works"),
        *("_agenda", "_base", "_body", "_dark", "_face", "_low_until_us", "_low_waits", "_number", "_shown"),
    )

    def __init__(self, lights: tuple[str, ...], body: Body, agenda: Agenda) -> None:
        self.lights = lights
        self.strip_works = self.display_works = True
        self._body, self._agenda = body, agenda
        self._number = {light: number for number, light in enumerate(lights)}
        self._dark = (OFF,) * len(lights)
        self._base: tuple[Look, ...] = self._dark
        self._shown: tuple[Look | None, ...] = self._dark  # None: not known, to be told again
        self._face: Face | None = BLANK
        self._low_waits = False  # `Lo` is to be shown as soon as the display is free
        self._low_until_us = 0

    def show_low(self) -> None:
        """Show `Lo` as soon as the display is free."""
        self._low_waits = True

    def forget_low(self) -> None:
        """Do not show `Lo` any more, unless it is shown already."""
        self._low_waits = False

    def restart(self) -> None:
        """Be as at power-on: nothing lies over the looks."""
        self.uncover()
        self._low_waits = False
        self._low_until_us = 0

    def uncover(self) -> None:
        """Take away what lies over the lights."""
        self._body.covers.clear()
        self._body.refusals.clear()

    def show_all(self, part: str) -> None:
        """Tell everything that *part* (`strip` or `display`) shows, changed or not."""
        if part == "strip":
            self._shown = (None,) * len(self.lights)
        else:
            self._face = None

    def mend_dark(self, part: str) -> None:
        """A part is back while the unit is off: it shows nothing, and that is not worth telling."""
        if part == "strip":
            self._shown = self._dark
        else:
            self._face = BLANK

    def light_changes(self, base: tuple[Look, ...] | None, now_us: int) -> Mapping[str, Look] | None:
        """The lights whose look changed, the game's looks being *base* (None: all dark); empty or None without any."""
        base = self._dark if base is None else base
        body, shown = self._body, self._shown
        if base is self._base and not body.covers and not body.refusals and shown[0] is not None:
            return None
        self._base = base
        if not self.strip_works:
            return None
        looks = self._lay_over(base, now_us) if body.covers or body.refusals else base
        self._shown = looks
        return dict(compress(zip(self.lights, looks, strict=True), map(is_not, looks, shown)))

    def _lay_over(self, base: tuple[Look, ...], now_us: int) -> tuple[Look, ...]:
        """The looks with what covers them for a while; what is over is forgotten."""
        looks, number = list(base), self._number
        covers, refusals = self._body.covers, self._body.refusals
        for light, (over, look, until_us) in list(covers.items()):
            if until_us <= now_us or looks[number[light]] is not over:
                del covers[light]
            else:
                looks[number[light]] = look
        for light, until_us in list(refusals.items()):
            if until_us <= now_us:
                del refusals[light]
            else:
                looks[number[light]] = REFUSAL
        return tuple(looks)

    def face_change(self, face: Face | None, now_us: int) -> Face | None:
        """What the display shows if that changed, the game's face being *face* (None: blank); else None."""
        if face is None:
            face = BLANK
        elif not face.busy and (self._low_waits or now_us < self._low_until_us):
            face = self._low_face(face, now_us)
        old = self._face
        if face is old or (old is not None and face[:2] == old[:2]) or not self.display_works:
            return None
        self._face = face
        return face

    def _low_face(self, face: Face, now_us: int) -> Face:
        if self._low_waits:
            self._low_waits = False
            self._low_until_us = now_us + LOW_SHOWN_US
            self._agenda.set(self._low_until_us, OTHER, _look_again)
        return LOW_FACE


def _look_again(due_us: int) -> None:
    """Nothing to do: after every deadline the front is looked at."""
