"""The tunes: each tone has one, and the ear can tell what it means."""

from itertools import combinations

import pytest

from firmware.outputs import WEAKEST_FIRST, Tone, strength
from firmware.tones import ICON_PITCHES_HZ, TONES, Note, length_us, tune
from firmware.units import UNITS, kind_named
from tests.desk import make_unit


def tones_of(name):
    """Return the tones of a unit, and its icons."""
    unit = make_unit(name)
    icons = unit.kind.icons(unit.rules)
    return (*unit.kind.tones, *icons), icons


def pitches(name):
    return [note.pitch_hz for note in tune(name) if note.pitch_hz]


@pytest.mark.parametrize("name", UNITS)
def test_every_tone_of_a_unit_has_a_tune_of_its_own(name):
    """C-17."""
    tones, icons = tones_of(name)
    tunes = {tone: tune(tone, icons) for tone in tones}
    assert [(a, b) for a, b in combinations(tones, 2) if tunes[a] == tunes[b]] == []


@pytest.mark.parametrize("name", TONES)
def test_a_tune_is_notes_that_a_small_buzzer_can_play_and_ends_soon(name):
    notes = tune(name)
    assert all(note.pitch_hz == 0 or 150 <= note.pitch_hz <= 5_000 for note in notes)
    assert all(note.length_ms >= 20 for note in notes)
    assert notes[0].pitch_hz and notes[-1].pitch_hz, "a rest at an end is heard by nobody"
    assert length_us(notes) == sum(note.length_ms for note in notes) * 1_000
    assert length_us(notes) <= 1_100_000


def test_refused_and_accepted_presses_sound_different():
    """C-17: a refusal falls and lies low, a beep is short and high."""
    assert pitches("denied") == sorted(pitches("denied"), reverse=True)
    assert max(pitches("denied")) < min(pitches("beep"))
    assert length_us(tune("tick")) < length_us(tune("beep")) < length_us(tune("denied"))


def test_what_ends_falls_and_what_begins_rises():
    """C-17."""
    for falling in ("power-down", "round-over", "timeout", "battery-low"):
        assert pitches(falling) == sorted(pitches(falling), reverse=True)
    for rising in ("startup", "round", "clear"):
        assert pitches(rising) == sorted(pitches(rising))


def test_each_icon_of_a_full_wheel_has_a_pitch_of_its_own():
    """SP-3."""
    icons = tuple(f"icon {number}" for number in range(12))
    tunes = [tune(icon, icons) for icon in icons]
    assert len(set(tunes)) == 12
    assert [notes[-1].pitch_hz for notes in tunes] == list(ICON_PITCHES_HZ)


def test_an_unknown_tone_is_an_error():
    with pytest.raises(LookupError):
        tune("applause")


def test_the_strongest_tone_comes_last():
    """BENCH: weakest first; an icon stands between clear and signal."""
    assert sorted([Tone("overload", 1), Tone("beep", 1), Tone("war", 1), Tone("signal", 1), Tone("clear", 1)],
                  key=strength) == [(name, 1) for name in ("beep", "clear", "war", "signal", "overload")]


def test_the_order_of_strength_knows_every_tone():
    assert set(WEAKEST_FIRST) - {"icon"} == set(TONES)
    assert {tone for name in UNITS for tone in kind_named(name).tones} <= set(TONES)


def test_a_note_is_a_pitch_and_a_length():
    assert tune("beep") == (Note(pitch_hz=1320, length_ms=80),)
