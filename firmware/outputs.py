"""What a unit says and shows: looks, faces, and the outputs of one moment.

A unit never speaks of pixels, segments or hertz. It says what a light *looks like*; `looks`, `glyphs` and `tones` know
how that is done.
"""

from enum import Enum
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self


class Colour(Enum):
    """The colours that a light can have. Each is told apart by its pattern or its number of LEDs, too (C-18)."""

    OFF = "off"
    WHITE = "white"
    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"
    PURPLE = "purple"


class Pattern(Enum):
    """How a light moves; the times are those of the common rules."""

    STEADY = ""
    FLASH = "flash"  # on and off 4 times a second
    FAST_BLINK = "fast-blink"  # 3 times a second
    SLOW_BLINK = "slow-blink"  # once a second
    FADE = "fade"  # a breath a second
    CHASE = "chase"  # a light running clockwise round the ring
    CHASE_BACK = "chase-back"  # and the other way


class Look:
    """What a light looks like. `str(look)` is its name in the bench protocol: `off`, `red`, `red fast-blink`.

    Equal looks are one object, so comparing and looking them up costs next to nothing.
    """

    __slots__ = ("_text", "colour", "pattern")
    colour: Colour
    pattern: Pattern
    _text: str
    _known: ClassVar[dict[str, Any]] = {}

    def __new__(cls, colour: Colour, pattern: Pattern = Pattern.STEADY) -> Self:
        text = f"{colour.value} {pattern.value}".rstrip()
        known: Self | None = cls._known.get(text)
        if known is not None:
            return known
        look = cls._known[text] = super().__new__(cls)
        look.colour, look.pattern, look._text = colour, pattern, text
        return look

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self._text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Look, (self.colour, self.pattern)


OFF = Look(Colour.OFF)


class Face(NamedTuple):
    """What the display shows: up to four characters and how they move.

    *busy* is true for what must not be covered: a countdown, a number to draw, the volume, `SPin` (C-4).
    """

    text: str
    pattern: Pattern = Pattern.STEADY
    busy: bool = False


BLANK = Face("")


class Tone(NamedTuple):
    """A tone that starts, at a volume of 0 to 5."""

    name: str
    volume: int


@cache
def tone(name: str, volume: int) -> Tone:
    """The tone of this name and volume; the same ones are one object."""
    return Tone(name, volume)


WEAKEST_FIRST = (
    *("tick", "beep", "denied", "reverse", "battery-low", "startup", "reminder", "round", "round-over", "clear"),
    *("icon", "signal", "timeout", "overload", "power-down"),
)
"""Of several tones in one moment the last one of these is the one that is to sound; `icon` stands for any icon's."""

_STRENGTH = {name: strength for strength, name in enumerate(WEAKEST_FIRST)}


def strength(tone: Tone) -> int:
    """How strong *tone* is beside others of its moment; usable as a sort key."""
    return _STRENGTH.get(tone.name, _STRENGTH["icon"])
