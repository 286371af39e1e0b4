"""Who sees no colours sees what is meant: every look that a light of a unit can have, in the grey of a photograph.

A film of a light is which of its LEDs are bright, for two seconds. Two looks are told apart without colour when their
films differ.
"""

from collections.abc import Iterator
from itertools import combinations

import pytest

from firmware.agenda import MS, SECOND
from firmware.looks import Renderer, Shown
from firmware.outputs import Colour, Look, Pattern
from firmware.units import UNITS
from tests.desk import make_unit
from tests.scripts import rough_play
from wiring.load import load_unit

PILE = {"off", "white", "white flash", "white fade", "red flash"}
COUNTER = {
    "off", "blue flash", "green", "green flash", "yellow slow-blink", "red fast-blink", "red flash", "white fade",
    "purple flash",
}  # fmt: skip
SEGMENT = {"off", "white chase", "white"}
LOOKS = {
    "triple-play": {"pile1": PILE, "counter1": COUNTER},
    "master": {"timer": {"off", "red", "red fast-blink", "red slow-blink", "red flash", "blue fade"}},
    "spin": {
        **{"seg1": SEGMENT, "seg2": {*SEGMENT, "green"}, "seg3": {*SEGMENT, "blue"}, "seg4": {*SEGMENT, "red"}},
        **{"seg5": {*SEGMENT, "yellow"}, "seg6": {*SEGMENT, "purple"}},
    },
    "party": {"seat1": {"off", "green chase", "yellow chase-back", "purple", "white flash"}},
}
"""What lights can look like. Lights that are alike are named once."""

BY_COLOUR_ALONE = {
    "triple-play": {
        "pile1": {("red flash", "white flash")},
        "counter1": {("blue flash", "purple flash"), ("blue flash", "red flash"), ("purple flash", "red flash")},
    },
    "spin": {
        **{"seg2": {("green", "white")}, "seg3": {("blue", "white")}, "seg4": {("red", "white")}},
        **{"seg5": {("white", "yellow")}, "seg6": {("purple", "white")}},
    },
}
"""What the light itself does not tell without colour (tone and display do): the reason for `colour_patterns`."""

WIRINGS = ["triple-play", "triple-play-fsr", "master", "spin", "spin-hall", "party"]


def look_of(text: str) -> Look:
    colour, _, pattern = text.partition(" ")
    return Look(Colour(colour), Pattern(pattern))


def film(wiring: str, light: str, look: str, *, colour_patterns: bool) -> tuple[object, ...]:
    """Return which LEDs of *light* are bright, time by time; in a ring that runs, all lights run."""
    lights = load_unit(wiring).lights
    renderer = Renderer(lights, colour_patterns=colour_patterns)
    leds = next(one.leds for one in lights.layout if one.name == light)
    running = [one.name for one in lights.layout] if "chase" in look else [light]
    shown = {name: Shown(look_of(look), 0) for name in running}
    frames = [renderer.frame(shown, at_ms * MS) for at_ms in range(0, 2_000, 20)]
    levels = [[max(frame[3 * led : 3 * led + 3]) for led in leds] for frame in frames]
    bright = max(map(max, levels)) / 2
    return tuple(tuple(level > bright for level in now) for now in levels)


def alike(wiring: str, light: str, looks: set[str], *, colour_patterns: bool) -> set[tuple[str, str]]:
    """Return the pairs of *looks* whose films are the same."""
    films = {look: film(wiring, light, look, colour_patterns=colour_patterns) for look in looks}
    return {(a, b) for a, b in combinations(sorted(looks), 2) if films[a] == films[b]}


def seen(unit_name: str) -> Iterator[tuple[str, str]]:
    """Yield (light, look) of all that is seen in some hours of rough play."""
    settings = {"triple_play.strip_after": 3, "triple_play.overload_presses": [6, 8], "party.sleep_after": 20}
    own = {name: value for name, value in settings.items() if name.startswith(unit_name.replace("-", "_"))}
    for seed in range(12):
        unit = make_unit(unit_name, own, seed)
        for heard in rough_play(unit, seed, 600 * SECOND):
            moments = [*unit.tick(heard.at_us), *unit.feed(heard)]
            for moment in moments:
                yield from ((light, str(look)) for light, look in (moment.lights or {}).items())


@pytest.mark.parametrize("unit", UNITS)
def test_these_are_the_looks_that_there_are(unit):
    """C-18: the tables above are whole, and name nothing that is never seen."""
    found = {light: {"off"} for light in LOOKS[unit]}
    for light, look in seen(unit):
        if light in found:
            found[light].add(look)
    assert found == LOOKS[unit]


@pytest.mark.parametrize("wiring", WIRINGS)
def test_what_differs_by_colour_alone_is_known(wiring):
    """C-18: no level, and no state of the timer or the table; Spin's icons have their places."""
    unit = load_unit(wiring).unit
    for light, looks in LOOKS[unit].items():
        wanted = BY_COLOUR_ALONE.get(unit, {}).get(light, set())
        assert alike(wiring, light, looks, colour_patterns=False) == wanted, light


@pytest.mark.parametrize("wiring", WIRINGS)
def test_with_colour_patterns_no_two_looks_of_a_light_are_alike_in_grey(wiring):
    """C-18, C-25: every pair of looks differs in its pattern or in which LEDs are lit."""
    for light, looks in LOOKS[load_unit(wiring).unit].items():
        assert alike(wiring, light, looks, colour_patterns=True) == set(), light


def test_the_levels_of_a_counter_are_the_same_with_colour_patterns():
    """C-25, TP-9: how many LEDs are lit still says how full a pile is."""
    for look in ("green", "green flash", "yellow slow-blink", "red fast-blink", "red flash"):
        with_patterns = film("triple-play", "counter1", look, colour_patterns=True)
        assert with_patterns == film("triple-play", "counter1", look, colour_patterns=False)
