"""From looks to the bytes of a strip: colours, patterns over time, and the current limit. Pure, and the only place.

The bytes are in wire order (GRB for WS2812, or as the wiring file says), three an LED.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi
from typing import NamedTuple

from firmware.agenda import MS, SECOND
from firmware.outputs import OFF, Colour, Look, Pattern
from wiring.model import Lights

RGB = {
    Colour.OFF: (0, 0, 0),
    Colour.WHITE: (200, 200, 200),
    Colour.RED: (255, 0, 0),
    Colour.YELLOW: (255, 140, 0),
    Colour.GREEN: (0, 220, 0),
    Colour.BLUE: (0, 0, 255),
    Colour.PURPLE: (170, 0, 255),
}
HALF_PERIOD_US = {Pattern.FLASH: SECOND // 8, Pattern.FAST_BLINK: SECOND // 6, Pattern.SLOW_BLINK: SECOND // 2}
FADE_FRAME_US = SECOND // 30
FADE_FLOOR = 20  # of 255: a breath never goes quite dark
CHASE_STEP_US = 100 * MS
CHASE_LEVELS = (255, 80, 20)  # the running light and its tail
DIM = 4  # of 255: the rest of the ring

_FADE = tuple(
    round(FADE_FLOOR + (255 - FADE_FLOOR) * (1 + cos(2 * pi * n * FADE_FRAME_US / SECOND)) / 2) for n in range(30)
)


class Shown(NamedTuple):
    """A look and since when a light has it (µs); blinking starts bright at that moment."""

    look: Look
    since_us: int


DARK = Shown(OFF, 0)


class Renderer:
    """Draws the lights of one strip."""

    def __init__(self, wiring: Lights, brightness: float = 1.0) -> None:
        """*brightness* (0 to 1) scales everything, before the limit of *wiring*."""
        self._leds = wiring.leds
        self._places = {light.name: light.leds for light in wiring.layout}
        self._lit = {light.name: light.lit for light in wiring.layout}
        self._ring = {light.name: number for number, light in enumerate(wiring.layout)}
        self._max_ma = wiring.max_ma - wiring.ma_idle * wiring.leds
        self._ma_per_step = wiring.ma_per_channel / 255
        order = tuple("RGB".index(channel) for channel in wiring.order)
        self._bytes = {c: bytes(round(rgb[channel] * brightness) for channel in order) for c, rgb in RGB.items()}
        self._scales: dict[int, bytes] = {}

    def frame(self, shown: Mapping[str, Shown], at_us: int) -> bytes:
        """Return the strip's bytes at *at_us* (µs), already within the current limit.

        Pure: the same arguments give the same bytes, so a replay can compare pixels.
        """
        frame = bytearray(3 * self._leds)
        ring: list[str] | None = None
        for name, (look, since_us) in shown.items():
            if look is OFF:
                continue
            pattern = look.pattern
            if pattern is Pattern.STEADY:
                level = 255
            elif pattern in HALF_PERIOD_US:
                level = 0 if (at_us - since_us) // HALF_PERIOD_US[pattern] % 2 else 255
            elif pattern is Pattern.FADE:
                level = _FADE[_fade_step(at_us - since_us)]
            else:
                if ring is None:
                    ring = sorted((n for n, s in shown.items() if "chase" in s.look.pattern.value), key=self._place)
                level = _chase_level(ring.index(name), len(ring), at_us, back=pattern is Pattern.CHASE_BACK)
            if level:
                self._paint(frame, name, look.colour, level)
        return self._limited(frame)

    def next_change_us(self, shown: Mapping[str, Shown], at_us: int) -> int | None:
        """When the frame may change by itself after *at_us* (µs); None while nothing moves."""
        changes = []
        for look, since_us in shown.values():
            if look is OFF or look.pattern is Pattern.STEADY:
                continue
            step_us = HALF_PERIOD_US.get(look.pattern, CHASE_STEP_US)
            if look.pattern is Pattern.FADE:
                age_us = at_us - since_us
                step = _fade_step(age_us) + 1
                second_us = age_us - age_us % SECOND
                changes.append(since_us + second_us + (step * FADE_FRAME_US if step < len(_FADE) else SECOND))
            elif "chase" in look.pattern.value:
                changes.append((at_us // step_us + 1) * step_us)
            else:
                changes.append(since_us + ((at_us - since_us) // step_us + 1) * step_us)
        return min(changes, default=None)

    def _place(self, name: str) -> int:
        return self._ring.get(name, 0)

    def _paint(self, frame: bytearray, name: str, colour: Colour, level: int) -> None:
        pixel = self._bytes[colour]
        if level < 255:
            pixel = pixel.translate(self._scale(level))
        leds = self._places.get(name, ())
        for led in leds[: self._lit[name].get(colour.value, len(leds))] if leds else ():
            frame[3 * led : 3 * led + 3] = pixel

    def _limited(self, frame: bytearray) -> bytes:
        """Scale the frame down as a whole when it would draw too much (C-19)."""
        drawn_ma = sum(frame) * self._ma_per_step
        if drawn_ma <= self._max_ma:
            return bytes(frame)
        return bytes(frame.translate(self._scale(int(255 * max(self._max_ma, 0) / drawn_ma))))

    def _scale(self, level: int) -> bytes:
        """The table that turns each byte into *level* 255ths of it."""
        scale = self._scales.get(level)
        if scale is None:
            scale = self._scales[level] = bytes(value * level // 255 for value in range(256))
        return scale


def _fade_step(age_us: int) -> int:
    """Which step of a breath it is; the last one lasts until the second is over."""
    return min(age_us % SECOND // FADE_FRAME_US, len(_FADE) - 1)


def _chase_level(number: int, lights: int, at_us: int, *, back: bool) -> int:
    """How bright light *number* of a ring is: one light runs, a tail follows, the rest is dim."""
    head = at_us // CHASE_STEP_US % lights
    behind = (number + head + 1) % lights if back else (head - number) % lights
    return CHASE_LEVELS[behind] if behind < len(CHASE_LEVELS) else DIM
