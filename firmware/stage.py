"""What is shown now: takes moments, drives strip, display and buzzer, and only wakes while something moves.

One voice: the last tone of a moment replaces the one that sounds. The order is that of what players wait for: tone
first, then the display, the strip last.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware.agenda import MS, SECOND
from firmware.glyphs import segments
from firmware.looks import CHASING, HALF_PERIOD_US, Renderer
from firmware.moment import Moment
from firmware.outputs import BLANK, Face, Look, Pattern
from firmware.tones import Note, tune
from hal.ports import Board

DISPLAY_HALF_US = {**HALF_PERIOD_US, Pattern.FADE: SECOND // 2}
NOTHING = bytes(4)


class Stage:
    """The parts of one board and what they show."""

    def __init__(self, board: Board, renderer: Renderer | None, icons: tuple[str, ...] = ()) -> None:
        """*renderer* may be None for a board without a strip; *icons* have tones of their own."""
        self._board, self._renderer, self._icons = board, renderer, icons
        self._shown: dict[str, tuple[Look, int]] = {}  # of each light, and since when (µs)
        self._parts: dict[str, int] = {}  # what each light adds to the frame
        self._whole = 0  # what they add together
        self._changed: list[str] = []  # those with another look than in the last frame
        self._dues_us: dict[str, int] = {}  # when that changes next, of those that move
        self._moves_us: int | None = None  # the first of these
        self._ring: Sequence[str] | None = ()  # those that chase; None: others than before
        self._frame: bytes | None = None
        self._frame_due_us: int | None = None
        self._face, self._face_since_us = BLANK, 0
        self._segments: bytes | None = None
        self._face_due_us: int | None = None
        self._notes: tuple[Note, ...] = ()
        self._note = 0  # the next one
        self._volume = 0
        self._note_due_us: int | None = None
        self._sounds = False
        self._broken: set[str] = set()
        self._may_sound = board.buzzer is not None
        self._tunes: dict[str, tuple[Note, ...]] = {}  # those that sounded already

    @property
    def deadline_us(self) -> int | None:
        """When `render` has something to do next (µs); None while nothing moves."""
        due = [due for due in (self._frame_due_us, self._face_due_us, self._note_due_us) if due is not None]
        return min(due, default=None)

    def take(self, moment: Moment) -> None:
        """Show this from now on."""
        at_us = moment.at_us
        if moment.tones and self._may_sound:
            name, self._volume = moment.tones[-1]
            notes = self._tunes.get(name)
            if notes is None:
                notes = self._tunes[name] = tune(name, self._icons)
            self._notes, self._note, self._note_due_us = notes, 0, at_us
        if moment.face is not None:
            self._face, self._face_since_us = moment.face, at_us
            self._face_due_us = at_us
        if moment.lights and self._renderer is not None:
            for light, look in moment.lights.items():
                if look in CHASING or (self._ring and light in self._ring):
                    self._ring = None
                self._shown[light] = look, at_us
                self._changed.append(light)
            self._frame_due_us = at_us

    def lose(self, part: str) -> None:
        """Leave a part alone that broke: nothing is shown on it (C-20)."""
        self._broken.add(part)
        self._may_sound = self._may_sound and part != "buzzer"

    def regain(self, part: str) -> None:
        """Show on a part what it should show by now: it works again."""
        self._broken.discard(part)
        self._may_sound = self._board.buzzer is not None and "buzzer" not in self._broken
        if part == "strip":
            self._changed = [*self._shown]
            self._frame, self._frame_due_us = None, 0  # at once
        elif part == "display":
            self._segments, self._face_due_us = None, self._face_since_us

    def render(self, at_us: int) -> None:
        """Bring the parts up to *at_us* (µs)."""
        if self._note_due_us is not None and self._note_due_us <= at_us:
            self._sound(at_us)
        if self._face_due_us is not None and self._face_due_us <= at_us:
            self._draw_face(self._face, at_us)
        if self._frame_due_us is not None and self._frame_due_us <= at_us:
            self._draw_lights(at_us)

    def _sound(self, at_us: int) -> None:
        buzzer, due_us = self._board.buzzer, self._note_due_us
        assert buzzer is not None
        notes, number, pitch_hz = self._notes, self._note, 0
        while due_us is not None and due_us <= at_us:
            if number < len(notes):
                pitch_hz, length_ms = notes[number]
                number += 1
                due_us += length_ms * MS
            else:
                pitch_hz, due_us = 0, None
        self._note, self._note_due_us = number, due_us
        if pitch_hz and self._volume:
            buzzer.sound(pitch_hz, self._volume)
            self._sounds = True
        elif self._sounds:
            buzzer.sound(0, 0)
            self._sounds = False

    def _draw_face(self, face: Face, at_us: int) -> None:
        half_us = DISPLAY_HALF_US.get(face.pattern)
        dark = False
        self._face_due_us = None
        if half_us is not None:
            halves = (at_us - self._face_since_us) // half_us
            dark = halves % 2 == 1
            self._face_due_us = self._face_since_us + (halves + 1) * half_us
        shape = NOTHING if dark else segments(face.text)
        if "display" in self._broken:
            self._face_due_us = None
        elif shape != self._segments and self._board.display is not None:
            self._board.display.show(shape)
        self._segments = shape

    def _draw_lights(self, at_us: int) -> None:
        renderer, strip = self._renderer, self._board.strip
        self._frame_due_us = None
        if renderer is None or strip is None or "strip" in self._broken:
            self._changed.clear()  # nobody draws them; who mends the strip has all drawn
            return
        dues_us, parts, whole = self._dues_us, self._parts, self._whole
        lights, self._changed = self._changed, []
        if self._moves_us is not None and self._moves_us <= at_us:
            lights += [light for light, due_us in dues_us.items() if due_us <= at_us]
        if self._ring is None:
            self._ring = renderer.ring(self._shown)
            lights += self._ring
        for light in lights:
            look, since_us = self._shown[light]
            part, due_us = renderer.light(light, look, since_us, at_us, self._ring)
            whole ^= parts.get(light, 0) ^ part
            parts[light] = part
            if due_us is not None:
                dues_us[light] = due_us
            elif light in dues_us:
                del dues_us[light]
        self._whole = whole
        self._frame_due_us = self._moves_us = min(dues_us.values()) if dues_us else None
        frame = renderer.whole(whole)
        if frame != self._frame:
            self._frame = frame
            strip.show(frame)

    def darken(self) -> None:
        """Lights dark, display blank, buzzer silent, now and for good (C-21)."""
        self._shown, self._parts, self._dues_us, self._changed = {}, {}, {}, []
        self._whole, self._moves_us, self._ring = 0, None, ()
        self._face_due_us = self._note_due_us = self._frame_due_us = None
        board = self._board
        if board.buzzer is not None:
            board.buzzer.sound(0, 0)
        if board.display is not None:
            board.display.show(NOTHING)
        if board.strip is not None and self._renderer is not None:
            dark = self._renderer.whole(0)
            if dark != self._frame:
                self._frame = dark
                board.strip.show(dark)
