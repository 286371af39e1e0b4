"""From text to the segments of four 7-segment digits."""

from __future__ import annotations

from functools import lru_cache

#        a
#      f   b
#        g
#      e   c
#        d
SEGMENTS = {
    **{" ": "", "-": "g", "_": "d", "=": "dg", "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg"},
    **{"5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg"},
    **{"A": "abcefg", "b": "cdefg", "C": "adef", "c": "deg", "d": "bcdeg", "E": "adefg", "F": "aefg", "G": "acdef"},
    **{"H": "bcefg", "h": "cefg", "I": "ef", "i": "c", "J": "bcd", "L": "def", "l": "ef", "n": "ceg", "O": "abcdef"},
    **{"o": "cdeg", "P": "abefg", "q": "abcfg", "r": "eg", "S": "acdfg", "t": "defg", "U": "bcdef", "u": "cde"},
    **{"y": "bcdfg", "N": "abcef", "K": "bcefg", "M": "aceg", "V": "bcdef", "W": "bdfg", "X": "bcefg", "Z": "abdeg"},
    **{"‾": "a", "’": "b", "‚": "e", "‘": "f"},  # with - _ i: each segment alone, for the self-test
}
"""Which segments a character lights. Characters that seven segments cannot show are not here."""

DIGITS = 4
KEPT_TEXTS = 256


@lru_cache(KEPT_TEXTS)
def segments(text: str) -> bytes:
    """Return four bytes, one a digit from the left, text at the right; bits 0 to 6 are segments a to g.

    A letter that only exists in the other case is shown in that. Raises ValueError for a character that has no glyph
    and for a text of more than four.
    """
    if len(text) > DIGITS:
        raise ValueError(f"'{text}' has more than {DIGITS} characters")
    shape = bytes(_shape(character) for character in text)
    return shape.rjust(DIGITS, b"\0")


def can_show(text: str) -> bool:
    """Whether `segments` can show *text*."""
    return len(text) <= DIGITS and all(c in SEGMENTS or c.swapcase() in SEGMENTS for c in text)


def _shape(character: str) -> int:
    lit = SEGMENTS.get(character, SEGMENTS.get(character.swapcase()))
    if lit is None:
        raise ValueError(f"no glyph for '{character}'")
    return sum(1 << "abcdefg".index(segment) for segment in lit)
