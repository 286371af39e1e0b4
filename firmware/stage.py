"""What is shown now: takes moments, drives strip, display and buzzer, and only wakes while something moves.

One voice: the last tone of a moment replaces the one that sounds. The order is that of what players wait for: tone
first, then the display, the strip last.
"""

from __future__ import annotations

from firmware.agenda import MS, SECOND
from firmware.glyphs import segments
from firmware.looks import HALF_PERIOD_US, Renderer, Shown
from firmware.moment import Moment
from firmware.outputs import BLANK, Face, Pattern
from firmware.tones import Note, tune
from hal.ports import Board

DISPLAY_HALF_US = {**HALF_PERIOD_US, Pattern.FADE: SECOND // 2}
NOTHING = bytes(4)


class Stage:
    """The parts of one board and what they show."""

    def __init__(self, board: Board, renderer: Renderer | None, icons: tuple[str, ...] = ()) -> None:
        """*renderer* may be None for a board without a strip; *icons* have tones of their own."""
        self._board, self._renderer, self._icons = board, renderer, icons
        self._steady: dict[str, int] = {}  # what each light that does not move adds to the frame
        self._moving: dict[str, Shown] = {}
        self._base = 0  # what they add together
        self._frame: bytes | None = None
        self._frame_due_us: int | None = None
        self._lights_changed = False
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
                part = self._renderer.steady(light, look)
                if part is None:
                    self._moving[light] = Shown(look, at_us)
                    part = 0
                else:
                    self._moving.pop(light, None)
                self._base ^= self._steady.get(light, 0) ^ part
                self._steady[light] = part
            self._lights_changed = True

    def lose(self, part: str) -> None:
        """Leave a part alone that broke: nothing is shown on it (C-20)."""
        self._broken.add(part)
        self._may_sound = self._may_sound and part != "buzzer"

    def regain(self, part: str) -> None:
        """Show on a part what it should show by now: it works again."""
        self._broken.discard(part)
        self._may_sound = self._board.buzzer is not None and "buzzer" not in self._broken
        if part == "strip":
            self._frame, self._lights_changed = None, True
        elif part == "display":
            self._segments, self._face_due_us = None, self._face_since_us

    def render(self, at_us: int) -> None:
        """Bring the parts up to *at_us* (µs)."""
        if self._note_due_us is not None and self._note_due_us <= at_us:
            self._sound(at_us)
        if self._face_due_us is not None and self._face_due_us <= at_us:
            self._draw_face(self._face, at_us)
        if self._lights_changed or (self._frame_due_us is not None and self._frame_due_us <= at_us):
            self._draw_lights(at_us)

    def _sound(self, at_us: int) -> None:
        buzzer, due_us = self._board.buzzer, self._note_due_us
        assert buzzer is not None
        pitch_hz = 0
        while due_us is not None and due_us <= at_us:
            if self._note < len(self._notes):
                pitch_hz, length_ms = self._notes[self._note]
                self._note += 1
                due_us += length_ms * MS
            else:
                pitch_hz, due_us = 0, None
        self._note_due_us = due_us
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
        self._lights_changed = False
        renderer, strip = self._renderer, self._board.strip
        self._frame_due_us = None
        if renderer is None or strip is None or "strip" in self._broken:
            return
        frame, self._frame_due_us = renderer.draw(self._moving, at_us, self._base)
        if frame != self._frame:
            self._frame = frame
            strip.show(frame)

    def darken(self) -> None:
        """Lights dark, display blank, buzzer silent, now and for good (C-21)."""
        self._steady, self._moving, self._base = {}, {}, 0
        self._face_due_us = self._note_due_us = self._frame_due_us = None
        board = self._board
        if board.buzzer is not None:
            board.buzzer.sound(0, 0)
        if board.display is not None:
            board.display.show(NOTHING)
        if board.strip is not None and self._renderer is not None:
            dark = self._renderer.frame({}, 0)
            if dark != self._frame:
                self._frame = dark
                board.strip.show(dark)
