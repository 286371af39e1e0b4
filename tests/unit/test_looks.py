"""From looks to bytes: patterns over time, the LEDs of a level, the limit of the current, and when to look again."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.agenda import MS, SECOND
from firmware.looks import RGB, Renderer, Shown, lit_leds, renderer_of
from firmware.outputs import OFF, Colour, Look, Pattern
from wiring.load import load_unit
from wiring.model import Light

PILES = load_unit("triple-play").lights
RING = load_unit("party").lights


def brightness(look, at_us, light="pile1", wiring=PILES):
    """The sum of all bytes when only this light shows anything, since 0."""
    return sum(Renderer(wiring).frame({light: Shown(look, 0)}, at_us))


def switches(look, seconds=1):
    """When the light goes on or off within so many seconds, in ms."""
    lit = [brightness(look, ms * MS) > 0 for ms in range(seconds * 1_000 + 1)]
    return [ms for ms in range(1, len(lit)) if lit[ms] != lit[ms - 1]]


def test_a_steady_look_is_its_colour_on_all_its_leds_in_wire_order():
    frame = Renderer(PILES).frame({"pile2": Shown(Look(Colour.YELLOW), 0)}, 123)
    assert frame == bytes(7 * 3) + bytes([140, 255, 0] * 4) + bytes(10 * 3)


def test_the_wire_order_is_that_of_the_wiring():
    frame = Renderer(PILES._replace(order="RGB")).frame({"pile1": Shown(Look(Colour.YELLOW), 0)}, 0)
    assert frame[:3] == bytes([255, 140, 0])


def test_off_is_dark_and_so_is_a_light_that_nobody_set():
    assert Renderer(PILES).frame({"pile1": Shown(OFF, 0)}, 0) == Renderer(PILES).frame({}, 0) == bytes(63)


def test_a_light_that_the_strip_does_not_have_shows_nothing():
    assert Renderer(PILES).frame({"seat1": Shown(Look(Colour.RED), 0)}, 0) == bytes(63)


@pytest.mark.parametrize(
    "pattern, times_a_second", [(Pattern.FLASH, 4), (Pattern.FAST_BLINK, 3), (Pattern.SLOW_BLINK, 1)]
)
def test_a_light_goes_on_and_off_as_often_as_the_rules_say(pattern, times_a_second):
    """C-18: patterns are told apart without colours."""
    step_ms = 500 / times_a_second
    wanted = [step_ms * n for n in range(1, 4 * times_a_second + 1)]
    assert switches(Look(Colour.RED, pattern), seconds=2) == [pytest.approx(ms, abs=1) for ms in wanted]


def test_a_blink_starts_bright_at_the_moment_of_its_look():
    shown = {"pile1": Shown(Look(Colour.RED, Pattern.FLASH), 77 * MS)}
    lit = [any(Renderer(PILES).frame(shown, at_ms * MS)) for at_ms in (77, 201, 202, 326, 327)]
    assert lit == [True, True, False, False, True]


def test_a_breath_lasts_a_second_and_is_never_quite_dark():
    levels = [brightness(Look(Colour.WHITE, Pattern.FADE), ms * MS) for ms in range(0, 1_000, 10)]
    bottom = levels.index(min(levels))
    assert 45 <= bottom <= 55 and min(levels) > 0
    assert levels[:bottom] == sorted(levels[:bottom], reverse=True) and levels[bottom:] == sorted(levels[bottom:])
    assert levels == [brightness(Look(Colour.WHITE, Pattern.FADE), (1_000 + ms) * MS) for ms in range(0, 1_000, 10)]


@pytest.mark.parametrize("pattern, way", [(Pattern.CHASE, 1), (Pattern.CHASE_BACK, -1)])
def test_a_running_light_visits_every_place_in_its_direction(pattern, way):
    """PA-1, PA-2."""
    shown = {light.name: Shown(Look(Colour.GREEN, pattern), 0) for light in RING.layout}
    heads = []
    for step in range(2 * len(RING.layout)):
        frame = Renderer(RING).frame(shown, step * 100 * MS)
        levels = [max(frame[3 * light.leds[0] : 3 * light.leds[0] + 3]) for light in RING.layout]
        assert all(levels), "the rest of the ring is dim, not dark"
        heads.append(levels.index(max(levels)))
    places = len(RING.layout)
    assert {(b - a) % places for a, b in pairwise(heads)} == {way % places}


def test_a_running_light_runs_on_the_lights_that_have_its_look_only():
    """PA-4: linked seats stay purple while the others run."""
    names = [light.name for light in RING.layout[:6]]
    shown = {name: Shown(Look(Colour.GREEN, Pattern.CHASE), 0) for name in names}
    shown[names[2]] = Shown(Look(Colour.PURPLE), 0)
    purple = Renderer(RING).frame({names[2]: Shown(Look(Colour.PURPLE), 0)}, 0)
    led = 3 * RING.layout[2].leds[0]
    heads = []
    for step in range(5):
        frame = Renderer(RING).frame(shown, step * 100 * MS)
        assert frame[led : led + 3] == purple[led : led + 3]
        levels = [max(frame[3 * light.leds[0] : 3 * light.leds[0] + 3]) for light in RING.layout[:6]]
        levels[2] = 0
        heads.append(levels.index(max(levels)))
    assert heads == [0, 1, 3, 4, 5]


@pytest.mark.parametrize("colour, leds", [(Colour.GREEN, 1), (Colour.YELLOW, 2), (Colour.RED, 3), (Colour.WHITE, 3)])
def test_a_level_is_also_told_by_how_many_leds_are_lit(colour, leds):
    """C-18, TP-9."""
    frame = Renderer(PILES).frame({"counter1": Shown(Look(colour), 0)}, 0)
    assert [any(frame[3 * led : 3 * led + 3]) for led in range(4, 7)] == [n < leds for n in range(3)]


def test_the_levels_of_a_counter_differ_in_the_grey_of_a_photograph():
    """C-18: by number of LEDs and by pattern, so that nobody needs to see colours."""
    looks = (Look(Colour.GREEN), Look(Colour.YELLOW, Pattern.SLOW_BLINK), Look(Colour.RED, Pattern.FAST_BLINK))
    films = set()
    for look in looks:
        frames = [Renderer(PILES).frame({"counter1": Shown(look, 0)}, ms * MS) for ms in range(0, 2_000, 20)]
        films.add(tuple(tuple(any(frame[3 * led : 3 * led + 3]) for led in range(4, 7)) for frame in frames))
    assert len(films) == 3


def test_brightness_scales_every_colour():
    look = Shown(Look(Colour.YELLOW), 0)
    assert Renderer(PILES, brightness=0.5).frame({"pile1": look}, 0)[:3] == bytes([70, 128, 0])


def test_brightness_comes_before_the_limit_of_the_current():
    """C-19, C-24: a strip that is dim enough is not scaled down a second time."""
    shown = {light.name: Shown(Look(Colour.WHITE), 0) for light in PILES.layout}
    tight = PILES._replace(max_ma=round(0.3 * 3 * 20 * PILES.leds + PILES.leds))
    assert Renderer(tight).frame(shown, 0) != Renderer(PILES).frame(shown, 0)
    assert Renderer(tight, 0.25).frame(shown, 0) == Renderer(PILES, 0.25).frame(shown, 0) == bytes([50] * 3 * 21)


def test_the_settings_of_all_units_make_the_renderer():
    """C-24, C-25."""
    shown = {"pile1": Shown(Look(Colour.RED), 0)}
    assert renderer_of(None, {}) is None
    usual = renderer_of(PILES, {"brightness": 1.0, "colour_patterns": False})
    assert usual.frame(shown, 0) == Renderer(PILES).frame(shown, 0)
    other = renderer_of(PILES, {"brightness": 0.2, "colour_patterns": True})
    assert other.frame(shown, 0)[:12] == bytes([0, 51, 0, 0, 0, 0, 0, 51, 0, 0, 0, 0])


# -- each colour its own LEDs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5, 7, 8, 12, 60])
@given(data=st.data())
def test_each_colour_lights_leds_of_its_own(count, data):
    """C-25: whatever the wiring says of levels; and those levels stay what they are."""
    most = dict.fromkeys(["green", "yellow", "red"])
    sizes = data.draw(st.lists(st.integers(1, count), min_size=0, max_size=3, unique=True))
    lit = dict(zip(most, sorted(sizes), strict=False))
    light = Light("one", tuple(range(10, 10 + count)), lit)
    shown = lit_leds(light, colour_patterns=True)
    del shown[Colour.OFF]
    assert all(shown.values()) and len(set(shown.values())) == len(COLOURS)
    assert {name: len(shown[Colour(name)]) for name in lit} == lit
    assert all(shown[Colour(name)] == light.leds[:size] for name, size in lit.items())


@pytest.mark.parametrize("count, lit, drawn", [
    (4, {}, {"white": "1111", "red": "1010", "yellow": "1100", "green": "1000", "blue": "1001", "purple": "0110"}),
    (3, {"green": 1, "yellow": 2, "red": 3},
     {"white": "011", "red": "111", "yellow": "110", "green": "100", "blue": "101", "purple": "010"}),
    (2, {}, {"white": "11", "red": "10", "yellow": "10", "green": "01", "blue": "01", "purple": "01"}),
    (1, {}, dict.fromkeys(["white", "red", "yellow", "green", "blue", "purple"], "1")),
    (12, {}, {"white": "1" * 12, "red": "111000111000", "yellow": "1" * 6 + "0" * 6, "green": "111" + "0" * 9,
              "blue": "111000000111", "purple": "000111111000"}),
])
def test_the_signs_of_a_light(count, lit, drawn):
    """C-25: what docs/spec shows."""
    shown = lit_leds(Light("one", tuple(range(count)), lit), colour_patterns=True)
    assert {colour.value: "".join("01"[led in leds] for led in range(count)) for colour, leds in shown.items()
            if colour is not Colour.OFF} == drawn


def test_a_light_without_patterns_lights_as_before():
    """C-25: off by default."""
    for light in PILES.layout:
        usual = {colour: light.leds[: light.lit.get(colour.value, len(light.leds))] for colour in Colour}
        assert lit_leds(light) == usual


@given(
    st.floats(0.05, 1), st.sampled_from([colour for colour in Colour if colour is not Colour.OFF]),
    st.sampled_from(Pattern), st.integers(0, 10 * SECOND), st.booleans(),
)
def test_dim_is_not_dark(brightness, colour, pattern, at_us, colour_patterns):
    """C-24: what is lit at full brightness is lit at any; a breath and the rest of a ring as well."""
    shown = {light.name: Shown(Look(colour, pattern), 0) for light in RING.layout}
    full, dim = (
        Renderer(RING, share, colour_patterns=colour_patterns).frame(shown, at_us) for share in (1, brightness)
    )
    leds = range(0, len(full), 3)
    assert [any(dim[led : led + 3]) for led in leds] == [any(full[led : led + 3]) for led in leds]
    assert all(small <= big for small, big in zip(dim, full, strict=True))


# -- properties --------------------------------------------------------------------------------------------------

COLOURS = [colour for colour in Colour if colour is not Colour.OFF]
LOOKS = st.builds(Look, st.sampled_from(COLOURS), st.sampled_from(Pattern))
TIMES_US = st.integers(0, 30 * SECOND)


def shown_on(wiring):
    shown = st.builds(Shown, st.one_of(st.just(OFF), LOOKS), TIMES_US)
    return st.dictionaries(st.sampled_from([light.name for light in wiring.layout]), shown)


@given(shown_on(PILES), TIMES_US, st.integers(21, 2_000), st.floats(1, 60), st.floats(0, 1))
def test_a_frame_never_draws_more_than_the_wiring_allows(shown, at_us, max_ma, ma_per_channel, ma_idle):
    """C-19."""
    wiring = PILES._replace(max_ma=max_ma, ma_per_channel=ma_per_channel, ma_idle=ma_idle)
    frame = Renderer(wiring).frame(shown, at_us)
    assert sum(frame) * ma_per_channel / 255 + ma_idle * wiring.leds <= max_ma + 1e-6


@given(shown_on(PILES), TIMES_US, st.integers(100, 900))
def test_a_frame_is_scaled_down_as_a_whole_and_no_further_than_needed(shown, at_us, max_ma):
    """C-19: hues are kept, to the rounding of a byte."""
    free = Renderer(PILES._replace(max_ma=100_000)).frame(shown, at_us)
    limited = Renderer(PILES._replace(max_ma=max_ma)).frame(shown, at_us)
    drawn_ma = sum(free) * PILES.ma_per_channel / 255
    allowed_ma = max_ma - PILES.ma_idle * PILES.leds
    if drawn_ma <= allowed_ma:
        assert limited == free
    else:
        scale = allowed_ma / drawn_ma
        assert all(full * scale - 2 <= small <= full * scale + 1e-9 for full, small in zip(free, limited, strict=True))


@pytest.mark.parametrize("wiring", [PILES, RING], ids=["piles", "ring"])
@given(data=st.data())
def test_who_looks_again_when_told_misses_no_change(wiring, data):
    """Between one wake-up and the next the frame stays the same, down to the microsecond before; nobody need poll."""
    shown, at_us = data.draw(shown_on(wiring)), data.draw(st.integers(30 * SECOND, 40 * SECOND))
    renderer = Renderer(wiring)
    for _ in range(12):
        frame, next_us = renderer.frame(shown, at_us), renderer.next_change_us(shown, at_us)
        still = all(s.look is OFF or s.look.pattern is Pattern.STEADY for s in shown.values())
        assert (next_us is None) == still
        if next_us is None:
            assert renderer.frame(shown, at_us + 3_600 * SECOND) == frame
            return
        assert next_us > at_us
        for sample_us in (next_us - 1, (at_us + next_us) // 2, data.draw(st.integers(at_us, next_us - 1))):
            assert renderer.frame(shown, sample_us) == frame, f"changed at {sample_us}, told was {next_us}"
        at_us = next_us


@pytest.mark.parametrize("pattern", [p for p in Pattern if p is not Pattern.STEADY])
def test_nobody_is_woken_more_often_than_thirty_times_a_second(pattern):
    shown = {light.name: Shown(Look(Colour.WHITE, pattern), 0) for light in PILES.layout}
    renderer, at_us, wakes = Renderer(PILES), 0, 0
    while at_us < 10 * SECOND:
        at_us = renderer.next_change_us(shown, at_us)
        wakes += 1
    assert wakes <= 300


def test_a_renderer_that_has_drawn_thousands_of_frames_draws_the_same():
    """What it keeps to be quick is bounded, and never stale."""
    worn = Renderer(PILES)
    names = [light.name for light in PILES.layout]
    for n in range(3_000):
        shown = {name: Shown(Look(Colour.WHITE, Pattern.FADE), n * 7_919 * k) for k, name in enumerate(names)}
        frame = worn.frame(shown, n * 100_003)
        if n % 100 == 0:
            assert frame == Renderer(PILES).frame(shown, n * 100_003)


def test_every_colour_has_a_hue_of_its_own():
    assert len(set(RGB.values())) == len(RGB) == len(Colour)
