"""From looks to the bytes of a strip: colours, patterns over time, and the current limit. Pure, and the only place.

The bytes are in wire order (GRB for WS2812, or as the wiring file says), three an LED. What a light with a look sends
at one level is made once and kept, and so is each frame after the current limit: a press costs a few look-ups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import cos, pi
from typing import Any, NamedTuple

from firmware.agenda import MS, SECOND
from firmware.outputs import Colour, Look, Pattern
from wiring.model import Light, Lights

RGB = {
    Colour.OFF: (0, 0, 0),
    Colour.WHITE: (200, 200, 200),
    Colour.RED: (255, 0, 0),
    Colour.YELLOW: (255, 140, 0),
    Colour.GREEN: (0, 220, 0),
    Colour.BLUE: (0, 0, 255),
    Colour.PURPLE: (170, 0, 255),
}
SIGNS = {
    2: {
        **{Colour.WHITE: "11", Colour.RED: "10", Colour.YELLOW: "10"},
        **{Colour.GREEN: "01", Colour.BLUE: "01", Colour.PURPLE: "01"},
    },
    3: {
        **{Colour.WHITE: "111", Colour.RED: "011", Colour.YELLOW: "110"},
        **{Colour.GREEN: "100", Colour.BLUE: "101", Colour.PURPLE: "010"},
    },
    4: {
        **{Colour.WHITE: "1111", Colour.RED: "1010", Colour.YELLOW: "1100"},
        **{Colour.GREEN: "1000", Colour.BLUE: "1001", Colour.PURPLE: "0110"},
    },
}
"""Which LEDs of a light of 2, 3 or 4 each colour lights where colours have patterns (C-25). More are like 4."""
HALF_PERIOD_US = {Pattern.FLASH: SECOND // 8, Pattern.FAST_BLINK: SECOND // 6, Pattern.SLOW_BLINK: SECOND // 2}
FADE_FRAMES = 30  # a second
FADE_FLOOR = 20  # of 255: a breath never goes quite dark
CHASE_STEP_US = 100 * MS
CHASE_LEVELS = (255, 80, 20)  # the running light and its tail
DIM = 4  # of 255: the rest of the ring
KEPT_FRAMES = 1_024

_FADE = tuple(
    round(FADE_FLOOR + (255 - FADE_FLOOR) * (1 + cos(2 * pi * n / FADE_FRAMES)) / 2) for n in range(FADE_FRAMES)
)


@cache
def _scale(level: int) -> bytes:
    """The table that turns each byte into *level* 255ths of it."""
    return bytes(value * level // 255 for value in range(256))


class Shown(NamedTuple):
    """A look and since when a light has it (µs); blinking starts bright at that moment."""

    look: Look
    since_us: int


_HALF_US = {Look(colour, pattern): half_us for colour in Colour for pattern, half_us in HALF_PERIOD_US.items()}
_FADING = {Look(colour, Pattern.FADE) for colour in Colour}
CHASING = {Look(colour, pattern) for colour in Colour for pattern in (Pattern.CHASE, Pattern.CHASE_BACK)}


def lit_leds(light: Light, *, colour_patterns: bool = False) -> dict[Colour, tuple[int, ...]]:
    """Which LEDs of *light* each colour lights: as many as its wiring says, else all.

    With *colour_patterns* every colour lights others, as far as the LEDs go (C-25). What the wiring says of a colour
    stays; a colour whose own sign is thereby taken has the one that became free.
    """
    count = len(light.leds)
    lit = {colour: light.leds[: light.lit.get(colour.value, count)] for colour in Colour}
    signs = SIGNS.get(min(count, 4))
    if not colour_patterns or signs is None:
        return lit
    own = {
        colour: tuple(led for at, led in enumerate(light.leds) if sign[at * len(sign) // count] == "1")
        for colour, sign in signs.items()
    }
    fixed = [colour for colour in own if colour.value in light.lit]
    taken = [lit[colour] for colour in fixed]
    spare = [own[colour] for colour in fixed if own[colour] not in taken]
    for colour, leds in own.items():
        if colour not in fixed:
            lit[colour] = spare.pop(0) if leds in taken and spare else leds
    return lit


def renderer_of(lights: Lights | None, common: Mapping[str, Any]) -> Renderer | None:
    """What draws the strip *lights* with these settings of all units; None without a strip."""
    if lights is None:
        return None
    return Renderer(lights, common["brightness"], colour_patterns=common["colour_patterns"])


class Renderer:
    """Draws the lights of one strip."""

    def __init__(self, wiring: Lights, brightness: float = 1.0, *, colour_patterns: bool = False) -> None:
        """*brightness* (0 to 1) scales everything, before the limit of *wiring*; *colour_patterns* as in `lit_leds`."""
        self._leds = wiring.leds
        self._lit = {light.name: lit_leds(light, colour_patterns=colour_patterns) for light in wiring.layout}
        self._ring = [light.name for light in wiring.layout]
        self._max_ma = max(0.0, wiring.max_ma - wiring.ma_idle * wiring.leds)
        self._ma_per_step = wiring.ma_per_channel / 255
        order = tuple("RGB".index(channel) for channel in wiring.order)
        self._pixel = {colour: bytes(round(rgb[c] * brightness) for c in order) for colour, rgb in RGB.items()}
        self._parts: dict[tuple[str, Look, int], int] = {}
        self._frames: dict[int, bytes] = {0: bytes(3 * wiring.leds)}

    def frame(self, shown: Mapping[str, tuple[Look, int]], at_us: int) -> bytes:
        """Return the strip's bytes at *at_us* (µs), already within the current limit.

        Pure: the same arguments give the same bytes, so a replay can compare pixels.
        """
        ring = self.ring(shown)
        whole = 0
        for name, (look, since_us) in shown.items():
            whole |= self.light(name, look, since_us, at_us, ring)[0]
        return self.whole(whole)

    def next_change_us(self, shown: Mapping[str, tuple[Look, int]], at_us: int) -> int | None:
        """When the frame may change by itself after *at_us* (µs); None while nothing moves."""
        ring = self.ring(shown)
        lights = (self.light(name, look, since_us, at_us, ring) for name, (look, since_us) in shown.items())
        return min((due_us for _, due_us in lights if due_us is not None), default=None)

    def ring(self, shown: Mapping[str, tuple[Look, int]]) -> Sequence[str]:
        """The lights that the running light goes through, clockwise: those that chase."""
        return [light for light in self._ring if light in shown and shown[light][0] in CHASING]

    def light(
        self, name: str, look: Look, since_us: int, at_us: int, ring: Sequence[str] = ()
    ) -> tuple[int, int | None]:
        """What the light *name* adds to the frame at *at_us*, and when that may change by itself (µs; None: never).

        It has had *look* since *since_us*; *ring* is only looked at by one that chases. Lights share no LED: what
        several add is put together by `|`, taken away by `^`, and `whole` makes it a frame.
        """
        level, change_us = 255, None
        half_us = _HALF_US.get(look)
        if half_us is not None:
            halves = (at_us - since_us) // half_us
            change_us = since_us + (halves + 1) * half_us
            if halves & 1:
                return 0, change_us
        elif look in _FADING:
            step = (at_us - since_us) * FADE_FRAMES // SECOND
            change_us = since_us - (-(step + 1) * SECOND // FADE_FRAMES)
            level = _FADE[step % FADE_FRAMES]
        elif look in CHASING:
            change_us = (at_us // CHASE_STEP_US + 1) * CHASE_STEP_US
            level = _chase_level(ring.index(name), len(ring), at_us, back=look.pattern is Pattern.CHASE_BACK)
        part = self._parts.get((name, look, level))
        return (self._part(name, look, level) if part is None else part), change_us

    def whole(self, parts: int) -> bytes:
        """The frame that *parts* of `light` are together, scaled down when it would draw too much (C-19)."""
        frame = self._frames.get(parts)
        return self._limited(parts) if frame is None else frame

    def _part(self, name: str, look: Look, level: int) -> int:
        """What one light adds to the frame, as a number; kept for the next time."""
        frame = bytearray(3 * self._leds)
        if (lit := self._lit.get(name)) is not None:
            full = self._pixel[look.colour]
            pixel = full.translate(_scale(level))
            if any(full) and not any(pixel):  # dim lights of a dim strip: dimmer they cannot be, dark they must not be
                pixel = bytes(value == max(full) for value in full)
            for led in lit[look.colour]:
                frame[3 * led : 3 * led + 3] = pixel
        part = self._parts[name, look, level] = int.from_bytes(frame)
        return part

    def _limited(self, whole: int) -> bytes:
        """Scale the frame down as a whole when it would draw too much (C-19)."""
        frame = whole.to_bytes(3 * self._leds)
        drawn_ma = sum(frame) * self._ma_per_step
        if drawn_ma > self._max_ma:
            frame = frame.translate(_scale(int(255 * self._max_ma / drawn_ma)))
        if len(self._frames) >= KEPT_FRAMES:
            self._frames.clear()
        self._frames[whole] = frame
        return frame


def _chase_level(number: int, lights: int, at_us: int, *, back: bool) -> int:
    """How bright light *number* of a ring is: one light runs, a tail follows, the rest is dim."""
    head = at_us // CHASE_STEP_US % lights
    behind = (number + head + 1) % lights if back else (head - number) % lights
    return CHASE_LEVELS[behind] if behind < len(CHASE_LEVELS) else DIM
