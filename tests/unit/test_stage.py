"""What is shown now, on parts that write down what they were told: (ms, part, what)."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.agenda import MS, SECOND
from firmware.glyphs import segments
from firmware.looks import Renderer, Shown
from firmware.moment import Moment
from firmware.outputs import BLANK, OFF, Colour, Face, Look, Pattern, Tone
from firmware.stage import Stage
from firmware.tones import TONES, tune
from wiring.load import load_unit

PILES = load_unit("triple-play").lights
DARK = bytes(3 * PILES.leds)
WHITE, WHITE_FLASH, FADE = Look(Colour.WHITE), Look(Colour.WHITE, Pattern.FLASH), Look(Colour.WHITE, Pattern.FADE)


class Part:
    """A strip, a display or a buzzer that writes down what it is told."""

    def __init__(self, theatre, name):
        self.theatre, self.name = theatre, name

    def show(self, content):
        self.theatre.said.append((self.theatre.now_us // MS, self.name, content))

    def sound(self, pitch_hz, volume):
        self.theatre.said.append((self.theatre.now_us // MS, "buzzer", (pitch_hz, volume)))


class Theatre:
    """A board with a stage on it, and the loop that wakes when the stage asks for it."""

    name = "theatre"

    def __init__(self, parts=("strip", "display", "buzzer"), icons=(), wiring=PILES):
        self.now_us, self.said, self.wakes = 0, [], 0
        self.strip, self.display, self.buzzer = (
            Part(self, part) if part in parts else None for part in ("strip", "display", "buzzer")
        )
        self.stage = Stage(self, Renderer(wiring) if self.strip else None, icons)

    def show(self, at_ms, *, lights=None, face=None, tones=()):
        """At this time the unit shows something new."""
        self.run(at_ms)
        tones = [Tone(*tone) if isinstance(tone, tuple) else Tone(tone, 3) for tone in tones]
        self.stage.take(Moment(at_ms * MS, [], [], lights, face, tones))
        self.render(at_ms * MS)

    def run(self, until_ms):
        """Let time pass."""
        while (due_us := self.stage.deadline_us) is not None and due_us <= until_ms * MS:
            assert due_us >= self.now_us
            self.wakes += 1
            self.render(due_us)
            assert self.stage.deadline_us is None or self.stage.deadline_us > due_us, "it would never sleep"
        self.now_us = until_ms * MS

    def render(self, at_us):
        self.now_us = at_us
        self.stage.render(at_us)

    def told(self, part=None):
        """Take what the parts were told since."""
        said, self.said = self.said, []
        return [(ms, what) for ms, name, what in said if name == part] if part else said


@pytest.fixture
def theatre():
    return Theatre()


# -- sound -------------------------------------------------------------------------------------------------------


def test_a_tone_plays_its_notes_in_order_and_then_is_silent(theatre):
    """C-17."""
    theatre.show(10, tones=["denied"])
    theatre.run(2_000)
    assert TONES["denied"] == ((330, 90), (0, 30), (220, 140))
    assert theatre.told() == [
        (10, "buzzer", (330, 3)), (100, "buzzer", (0, 0)), (130, "buzzer", (220, 3)), (270, "buzzer", (0, 0)),
    ]
    assert theatre.stage.deadline_us is None


@pytest.mark.parametrize("name", TONES)
def test_every_tune_is_played_note_by_note(theatre, name):
    theatre.show(0, tones=[(name, 5)])
    theatre.run(5_000)
    heard = theatre.told("buzzer")
    at_ms, wanted = 0, []
    for note in tune(name):
        wanted.append((at_ms, (note.pitch_hz, 5 if note.pitch_hz else 0)))
        at_ms += note.length_ms
    assert heard == [*wanted, (at_ms, (0, 0))]


def test_a_newer_tone_replaces_the_one_that_sounds(theatre):
    theatre.show(0, tones=["startup"])
    theatre.show(50, tones=["tick"])
    theatre.run(1_000)
    assert theatre.told("buzzer") == [(0, (523, 3)), (50, (2000, 3)), (75, (0, 0))]


def test_of_several_tones_the_strongest_sounds(theatre):
    """BENCH: the one that is to sound is told last."""
    theatre.show(0, tones=["overload", "beep"])
    assert theatre.told("buzzer") == [(0, (TONES["overload"][0].pitch_hz, 3))]


def test_volume_nought_is_silence(theatre):
    """C-16."""
    theatre.show(0, tones=[("beep", 0)])
    theatre.run(1_000)
    assert theatre.told("buzzer") == []


def test_a_tone_that_turns_soft_ends_the_one_before(theatre):
    theatre.show(0, tones=[("startup", 2)])
    theatre.show(10, tones=[("beep", 0)])
    theatre.run(1_000)
    assert theatre.told("buzzer") == [(0, (523, 2)), (10, (0, 0))]


def test_icons_have_tones_of_their_own():
    """SP-3."""
    theatre = Theatre(icons=("war", "peace"))
    theatre.show(0, tones=["peace"])
    assert theatre.told("buzzer") == [(0, (tune("peace", ("war", "peace"))[0].pitch_hz, 3))]


def test_a_late_stage_plays_what_should_sound_now(theatre):
    """C-15: notes that are over are left out, the rest keeps its time."""
    theatre.stage.take(Moment(0, [], [], None, None, [Tone("startup", 3)]))
    theatre.render(200 * MS)
    theatre.run(1_000)
    assert theatre.told("buzzer") == [(200, (784, 3)), (270, (1047, 3)), (450, (0, 0))]


# -- display -----------------------------------------------------------------------------------------------------


def test_a_steady_face_is_shown_once(theatre):
    theatre.show(5, face=Face("10"))
    theatre.run(10_000)
    assert theatre.told() == [(5, "display", segments("10"))]
    assert theatre.wakes == 0


def test_a_flashing_face_goes_on_and_off_from_its_own_start(theatre):
    theatre.show(1_010, face=Face("4", Pattern.FLASH))
    theatre.run(1_600)
    assert theatre.told("display") == [
        (1_010, segments("4")), (1_135, bytes(4)), (1_260, segments("4")), (1_385, bytes(4)), (1_510, segments("4")),
    ]


def test_a_new_face_ends_the_flashing(theatre):
    theatre.show(0, face=Face("4", Pattern.FLASH))
    theatre.show(130, face=BLANK)
    theatre.run(5_000)
    assert theatre.told("display") == [(0, segments("4")), (125, bytes(4))]
    assert theatre.stage.deadline_us is None


def test_the_same_text_that_begins_to_flash_is_not_sent_twice(theatre):
    """TP-16: the seconds left stand, then flash."""
    theatre.show(0, face=Face("7"))
    theatre.show(500, face=Face("7", Pattern.FLASH))
    theatre.run(700)
    assert theatre.told("display") == [(0, segments("7")), (625, bytes(4))]


# -- strip -------------------------------------------------------------------------------------------------------


def test_a_steady_look_is_one_frame_and_then_nobody_wakes(theatre):
    theatre.show(0, lights={"pile1": WHITE})
    theatre.run(60_000)
    assert [(ms, len(frame), frame != DARK) for ms, frame in theatre.told("strip")] == [(0, 63, True)]
    assert (theatre.wakes, theatre.stage.deadline_us) == (0, None)


def test_a_flashing_light_is_a_frame_every_125_ms(theatre):
    theatre.show(40, lights={"pile1": WHITE_FLASH})
    theatre.run(600)
    lit = bytes([200] * 12) + bytes(51)
    assert theatre.told("strip") == [(40, lit), (165, DARK), (290, lit), (415, DARK), (540, lit)]


def test_what_does_not_change_the_frame_is_not_sent(theatre):
    theatre.show(0, lights={"pile1": WHITE})
    theatre.show(10, lights={"pile1": WHITE})
    theatre.show(20, lights={"counter2": OFF})
    assert [ms for ms, _ in theatre.told("strip")] == [0]


def test_lights_keep_their_phase_when_others_change(theatre):
    """A flash goes on from where it was, whatever else is pressed."""
    theatre.show(0, lights={"pile1": WHITE_FLASH})
    theatre.show(60, lights={"pile2": WHITE})
    theatre.show(100, lights={"pile2": OFF})
    theatre.run(130)
    assert [ms for ms, _ in theatre.told("strip")] == [0, 60, 100, 125]


def test_tone_first_then_the_display_the_strip_last(theatre):
    theatre.show(0, lights={"pile1": WHITE}, face=Face("3"), tones=["beep"])
    assert [part for _, part, _ in theatre.told()] == ["buzzer", "display", "strip"]


def test_virtual_time_stands_still_between_an_edge_and_what_answers_it(theatre):
    """C-9: nothing is put off."""
    theatre.show(77, lights={"pile1": WHITE_FLASH}, face=Face("3", Pattern.FLASH), tones=["beep"])
    assert {ms for ms, _, _ in theatre.told()} == {77}


# -- the end, and parts that are missing -------------------------------------------------------------------------


def test_at_the_end_all_is_dark_and_silent_for_good(theatre):
    """C-21."""
    theatre.show(0, lights={"pile1": FADE}, face=Face("3", Pattern.FLASH), tones=["overload"])
    theatre.told()
    theatre.stage.darken()
    theatre.run(60_000)
    assert theatre.told() == [(0, "buzzer", (0, 0)), (0, "display", bytes(4)), (0, "strip", DARK)]
    assert theatre.stage.deadline_us is None


def test_what_is_dark_already_is_not_sent_again(theatre):
    theatre.show(0, lights={"pile1": WHITE})
    theatre.show(10, lights={"pile1": OFF})
    theatre.told()
    theatre.stage.darken()
    assert theatre.told("strip") == []


@pytest.mark.parametrize("missing", ["strip", "display", "buzzer"])
def test_a_board_without_a_part_shows_the_rest(missing):
    """C-20."""
    parts = [part for part in ("buzzer", "display", "strip") if part != missing]
    theatre = Theatre(parts)
    theatre.show(0, lights={"pile1": FADE}, face=Face("3", Pattern.FLASH), tones=["beep"])
    theatre.run(1_000)
    theatre.stage.darken()
    assert list(dict.fromkeys(part for _, part, _ in theatre.told())) == parts
    assert theatre.stage.deadline_us is None


def test_a_part_that_broke_is_left_alone_and_shows_everything_when_it_is_back(theatre):
    """C-20: the strip in the midst of a flash, the display in the midst of a number, the buzzer at its next tone."""
    theatre.show(0, lights={"pile1": WHITE_FLASH}, face=Face("3", Pattern.FLASH))
    theatre.told()
    for part in ("strip", "display", "buzzer"):
        theatre.stage.lose(part)
    theatre.show(60, lights={"pile2": WHITE}, face=Face("2"), tones=["beep"])
    theatre.run(600)
    assert theatre.told() == []
    assert theatre.stage.deadline_us is None
    for part in ("strip", "display", "buzzer"):
        theatre.stage.regain(part)
    theatre.render(600 * MS)
    lit = bytes([200] * 12) + bytes(9) + bytes([200] * 12) + bytes(30)
    assert theatre.told() == [(600, "display", segments("2")), (600, "strip", lit)]
    theatre.show(700, tones=["tick"])
    assert theatre.told("buzzer") == [(700, (2000, 3))]


def test_a_board_without_any_part_never_wakes():
    theatre = Theatre(parts=())
    theatre.show(0, lights={"pile1": FADE}, face=Face("3"), tones=["overload"])
    theatre.run(60_000)
    assert (theatre.told(), theatre.wakes) == ([], 0)


# -- properties --------------------------------------------------------------------------------------------------

COLOURS = [colour for colour in Colour if colour is not Colour.OFF]
BLINKS = [pattern for pattern in Pattern if "chase" not in pattern.value]
LOOKS = st.builds(Look, st.sampled_from(COLOURS), st.sampled_from(BLINKS))
LIGHTS = st.dictionaries(st.sampled_from([light.name for light in PILES.layout]), st.one_of(st.just(OFF), LOOKS))


@given(st.lists(st.tuples(LIGHTS, st.integers(0, 300)), max_size=6))
def test_the_strip_shows_at_any_moment_what_the_renderer_would_draw_for_it(changes):
    """Though it is written to only when something changes."""
    theatre, renderer = Theatre(parts=["strip"]), Renderer(PILES)
    shown, on_strip, at_ms = {}, DARK, 0
    for lights, wait_ms in changes:
        theatre.show(at_ms, lights=lights)
        shown.update({light: Shown(look, at_ms * MS) for light, look in lights.items()})
        for ms in range(at_ms, at_ms + wait_ms):
            theatre.run(ms)
            on_strip = ([on_strip] + [frame for _, frame in theatre.told("strip")])[-1]
            assert on_strip == renderer.frame(shown, ms * MS)
        at_ms += wait_ms


RING = load_unit("spin").lights
RING_LOOKS = st.builds(Look, st.sampled_from(COLOURS), st.sampled_from(Pattern))
RING_NAMES = st.sampled_from([light.name for light in RING.layout])
RING_LIGHTS = st.dictionaries(RING_NAMES, st.one_of(st.just(OFF), RING_LOOKS))


@given(st.lists(st.tuples(RING_LIGHTS, st.booleans(), st.integers(0, 700)), max_size=8))
def test_rings_that_change_and_strips_that_are_lost_leave_nothing_behind(changes):
    """C-20: a light that joins or leaves the running light moves all others of it."""
    theatre, renderer, shown, on_strip = Theatre(parts=["strip"], wiring=RING), Renderer(RING), {}, bytes(3 * RING.leds)
    at_ms = 0
    for lights, breaks, wait_ms in changes:
        if breaks:
            theatre.stage.lose("strip")
        theatre.show(at_ms, lights=lights)
        shown.update({light: Shown(look, at_ms * MS) for light, look in lights.items()})
        theatre.run(at_ms + wait_ms // 2)
        if breaks:
            assert theatre.told() == []
            theatre.stage.regain("strip")
            theatre.render(theatre.now_us)
        at_ms += wait_ms
        theatre.run(at_ms)
        on_strip = ([on_strip] + [frame for _, frame in theatre.told("strip")])[-1]
        assert on_strip == renderer.frame(shown, at_ms * MS)
        assert theatre.stage.deadline_us == renderer.next_change_us(shown, at_ms * MS)


@given(st.lists(st.tuples(st.integers(0, 600), st.sampled_from([*TONES]), st.integers(0, 5)), max_size=6))
def test_whatever_tones_follow_each_other_it_is_silent_in_the_end(tones):
    theatre, at_ms = Theatre(parts=["buzzer"]), 0
    for wait_ms, name, volume in tones:
        at_ms += wait_ms
        theatre.show(at_ms, tones=[(name, volume)])
    theatre.run(at_ms + 2_000)
    heard = theatre.told("buzzer")
    assert not heard or heard[-1][1] == (0, 0)
    assert theatre.stage.deadline_us is None
    assert all(0 < volume <= 5 for _, (pitch_hz, volume) in heard if pitch_hz)


def test_an_hour_of_a_breathing_light_is_thirty_wake_ups_a_second(theatre):
    theatre.show(0, lights={"pile1": FADE})
    theatre.run(60 * SECOND // MS)
    assert theatre.wakes <= 30 * 60


@pytest.mark.parametrize("is_there", [True, False])
def test_a_strip_that_takes_nothing_all_evening_costs_no_memory(is_there):
    """C-20: broken at nine, or never there; and mended at midnight it shows what it should by then."""
    board = Theatre()
    board.stage.lose("strip")
    board.strip = board.strip if is_there else None

    def play(first_ms):
        for at_ms in range(first_ms, first_ms + 2_000, 2):
            board.show(at_ms, lights={"pile1": WHITE})
            board.show(at_ms + 1, lights={"pile1": OFF, "pile2": WHITE})

    play(0)
    tracemalloc.start()
    try:
        play(2_000)
        assert tracemalloc.get_traced_memory()[0] < 5_000
    finally:
        tracemalloc.stop()
    if is_there:
        board.stage.regain("strip")
        board.render(4_000 * MS)
        assert board.said[-1][1:] == ("strip", Renderer(PILES).frame({"pile2": Shown(WHITE, 0)}, 0))
