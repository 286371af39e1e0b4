"""Texts on seven segments: all that a unit can show is readable, and no two of them look alike."""

import pytest

from firmware.glyphs import SEGMENTS, can_show, segments
from firmware.units import UNITS, kind_named
from tests.desk import make_unit

# One digit, drawn: the top, the two rows below.
LOOKS = {
    "0": (" _ ", "| |", "|_|"), "1": ("   ", "  |", "  |"), "2": (" _ ", " _|", "|_ "), "3": (" _ ", " _|", " _|"),
    "4": ("   ", "|_|", "  |"), "5": (" _ ", "|_ ", " _|"), "6": (" _ ", "|_ ", "|_|"), "7": (" _ ", "  |", "  |"),
    "8": (" _ ", "|_|", "|_|"), "9": (" _ ", "|_|", " _|"), "-": ("   ", " _ ", "   "), "E": (" _ ", "|_ ", "|_ "),
    "L": ("   ", "|  ", "|_ "), "o": ("   ", " _ ", "|_|"), "P": (" _ ", "|_|", "|  "), "A": (" _ ", "|_|", "| |"),
    "U": ("   ", "| |", "|_|"), "S": (" _ ", "|_ ", " _|"), "H": ("   ", "|_|", "| |"), "C": (" _ ", "|  ", "|_ "),
    "d": ("   ", " _|", "|_|"), "r": ("   ", " _ ", "|  "), "b": ("   ", "|_ ", "|_|"), "n": ("   ", " _ ", "| |"),
}  # fmt: skip

# What the rules make the display of each unit say, besides numbers and the icons' codes.
WORDS = {
    "triple-play": {"", "-", "E", "Lo"}, "master": {"", "PAUS", "Lo"}, "spin": {"", "SPin", "Lo"}, "party": {"", "Lo"},
}  # fmt: skip


def drawn(shape):
    """Return a digit as it looks: bits 0 to 6 are the segments a to g."""
    a, b, c, d, e, f, g = ("_|"[name in "bcef"] if shape >> n & 1 else " " for n, name in enumerate("abcdefg"))
    return (f" {a} ", f"{f}{'_' if g != ' ' else ' '}{b}", f"{e}{d}{c}")


@pytest.mark.parametrize("character", LOOKS)
def test_a_character_looks_as_one_would_draw_it(character):
    assert drawn(segments(character)[3]) == LOOKS[character]


def test_text_stands_at_the_right_and_has_no_points():
    assert segments("10") == bytes(2) + segments("1")[3:] + segments("0")[3:]
    assert segments("") == bytes(4)
    assert all(shape < 0x80 for text in ("SPin", "8888") for shape in segments(text))


def test_a_letter_that_only_exists_in_the_other_case_is_shown_in_that():
    assert segments("e") == segments("E") and segments("B") == segments("b")


@pytest.mark.parametrize("text", ["12345", "käse", "@", "a\nb"])
def test_what_cannot_be_shown_is_said(text):
    assert not can_show(text)
    with pytest.raises(ValueError, match=r"more than 4 characters|no glyph for"):
        segments(text)


def shown_by(name):
    """Return every text that the display of a unit can show."""
    unit = make_unit(name)
    codes = {icon["code"] for icon in unit.rules.get("icons", ())}
    return {*WORDS[name], *codes, *map(str, range(1_000))}


@pytest.mark.parametrize("name", UNITS)
def test_everything_a_unit_shows_is_readable_and_looks_like_nothing_else(name):
    """C-17: whoever does not hear reads it."""
    texts = shown_by(name)
    assert [text for text in texts if not can_show(text)] == []
    looks = {}
    for text in sorted(texts):
        looks.setdefault(segments(text), []).append(text)
    assert [alike for alike in looks.values() if len(alike) > 1] == []


@pytest.mark.parametrize("name", UNITS)
def test_the_words_above_are_those_of_the_unit(name):
    """A word that a unit learns must be added to the list, or it is never tried."""
    source = __import__(kind_named(name).new_game.__module__, fromlist=["_"])
    faces = {face.text for face in vars(source).values() if type(face).__name__ == "Face"}
    assert faces <= WORDS[name]


def test_digits_and_the_minus_are_all_different():
    shapes = [segments(character) for character in "0123456789-"]
    assert len(set(shapes)) == len(shapes)


def test_every_glyph_is_made_of_segments():
    assert {segment for lit in SEGMENTS.values() for segment in lit} == set("abcdefg")
