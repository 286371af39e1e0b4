"""Lines of the bench: each becomes inputs, or is refused with what would be right and without any effect."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.protocol import ECHO, VERBS, Reader, Refused, line_of
from firmware.units import UNITS
from hal.ports import Battery, Broke, Contact, Mended, Moved, Seeded, Stop, WheelAt
from tests.desk import Desk, make_unit


@pytest.fixture
def reader():
    return Reader(make_unit("triple-play"))


@pytest.mark.parametrize("unit, line, inputs, until_us", [
    ("triple-play", '{"t": 1.25, "press": "go"}', [Contact("go", True, 1_250_000)], 1_250_000),
    ("triple-play", '{"t": 1.25, "tap": "go"}',
     [Contact("go", True, 1_250_000), Contact("go", False, 1_350_000)], 1_400_000),
    ("triple-play", '{"t": 0, "switch": "timer", "to": "on"}', [Moved("timer", "on", 0)], 0),
    ("triple-play", '{"t": 4.0, "battery": "low"}', [Battery(True, 4_000_000)], 4_000_000),
    ("triple-play", '{"t": 4.0, "battery": "ok"}', [Battery(False, 4_000_000)], 4_000_000),
    ("triple-play", '{"t": 5, "break": "strip", "why": "gone"}', [Broke("strip", "gone", 5_000_000)], 5_000_000),
    ("triple-play", '{"t": 5, "break": "pile1"}', [Broke("pile1", "broken", 5_000_000)], 5_000_000),
    ("triple-play", '{"t": 6.000001, "mend": "strip"}', [Mended("strip", 6_000_001)], 6_000_001),
    ("triple-play", '{"t": 9.0, "run": true}', [], 9_000_000),
    ("triple-play", '{"t": 1e9, "run": true}', [], 10**15),
    ("triple-play", '{"t": 1, "t": 2, "press": "go", "press": "pile1"}',
     [Contact("pile1", True, 2_000_000)], 2_000_000),
    ("spin", '{"t": 3.0, "wheel": 17}', [WheelAt(17, 3_000_000)], 3_000_000),
    ("master", '{"t": 0, "switch": "speed", "to": "6"}', [Moved("speed", "6", 0)], 0),
])  # fmt: skip
def test_a_line_becomes_inputs_and_the_time_of_its_answer(unit, line, inputs, until_us):
    """BENCH."""
    assert Reader(make_unit(unit)).read(line) == (inputs, until_us)
    assert Reader(make_unit(unit)).read(line.encode()) == (inputs, until_us)


@pytest.mark.parametrize("line, why", [
    ("", "not JSON (Expecting value at column 1): "),
    ("{", "not JSON (Expecting property name enclosed in double quotes at column 2): {"),
    (b'{"t": 0, "press": "\xff"}', 'not JSON (not UTF-8): {"t": 0, "press": "�"}'),
    ('{"t": 1e999999999999999999999, "run": true}', "'t' must be from 0 to 1000000000"),
    ("[]", "not a JSON object: []"),
    ("7", "not a JSON object: 7"),
    ("x" * 200, f"not JSON (Expecting value at column 1): {'x' * 79}…"),
    ('{"press": "go"}', "no time; give 't' in seconds"),
    ('{"t": null, "press": "go"}', "no time; give 't' in seconds"),
    ('{"t": "0", "press": "go"}', '\'t\' must be a number of seconds, not "0"'),
    ('{"t": true, "press": "go"}', "'t' must be a number of seconds, not true"),
    ('{"t": [0], "press": "go"}', "'t' must be a number of seconds, not [0]"),
    ('{"t": NaN, "press": "go"}', "'t' must be finite"),
    ('{"t": -Infinity, "press": "go"}', "'t' must be finite"),
    ('{"t": -0.000001, "press": "go"}', "'t' must be from 0 to 1000000000"),
    ('{"t": 1000000000.000001, "press": "go"}', "'t' must be from 0 to 1000000000"),
    ('{"t": 0.0000001, "press": "go"}', "'t' has more than six digits after the point"),
    ('{"t": 1.0000000, "press": "go"}', "'t' has more than six digits after the point"),
    ('{"t": 0}', f"no verb in one line; give one of {', '.join(VERBS)}"),
    ('{"t": 0, "press": "go", "run": true}', f"two verbs in one line; give one of {', '.join(VERBS)}"),
    ('{"t": 0, "press": "go", "why": "x"}', "unknown key 'why'; 'press' knows press, t"),
    ('{"t": 0, "break": "strip", "to": "x"}', "unknown key 'to'; 'break' knows break, t, why"),
    ('{"t": 0, "seed": 7}', f"no verb in one line; give one of {', '.join(VERBS)}"),
    ('{"t": 0, "press": "pile9"}', "unknown input 'pile9'; this unit has go, pile1, pile2, pile3"),
    ('{"t": 0, "press": ["go"]}', 'unknown input ["go"]; this unit has go, pile1, pile2, pile3'),
    ('{"t": 0, "release": "go"}', "'go' is not down; press it first"),
    ('{"t": 0, "run": 1}', "'run' must be true, not 1"),
    ('{"t": 0, "switch": "speed", "to": "6"}', "unknown switch 'speed'; this unit has power, timer"),
    ('{"t": 0, "switch": "timer"}', "no position; give 'to' as one of off, on"),
    ('{"t": 0, "switch": "timer", "to": 1}', "unknown position 1; 'timer' has off, on"),
    ('{"t": 0, "wheel": 3}', "this unit has no wheel"),
    ('{"t": 0, "battery": true}', "'battery' must be low or ok, not true"),
    ('{"t": 0, "break": "go"}', "unknown part 'go'; what can break here: display, strip, buzzer, pile1, pile2, pile3"),
    ('{"t": 0, "mend": "memory"}',
     "unknown part 'memory'; what can break here: display, strip, buzzer, pile1, pile2, pile3"),
    ('{"t": 0, "break": "strip", "why": 3}', "'why' must be a text, not 3"),
])  # fmt: skip
def test_a_line_that_is_refused_says_what_would_be_right(reader, line, why):
    """BENCH."""
    with pytest.raises(Refused) as caught:
        reader.read(line)
    assert str(caught.value).startswith(why) if why.endswith(": ") else str(caught.value) == why


@pytest.mark.parametrize("slot", [-1, 36, 1.5, True, "3", None])
def test_a_slot_that_the_wheel_does_not_have(slot):
    """BENCH."""
    with pytest.raises(Refused, match="'wheel' must be a slot from 0 to 35, not "):
        Reader(make_unit("spin")).read(json.dumps({"t": 0, "wheel": slot}))


def test_a_contact_closes_and_opens_in_turn(reader):
    """BENCH."""
    reader.read('{"t": 0, "press": "go"}')
    for verb in ("press", "tap"):
        with pytest.raises(Refused, match="'go' is down already; release it first"):
            reader.read(f'{{"t": 0, "{verb}": "go"}}')
    reader.read('{"t": 0, "release": "go"}')
    reader.read('{"t": 0, "tap": "go"}')
    reader.read('{"t": 0.15, "tap": "go"}')


def test_time_stands_where_the_answer_ended_and_does_not_go_back(reader):
    """BENCH."""
    reader.read('{"t": 2, "tap": "go"}')
    with pytest.raises(Refused, match=r"time goes back: 't' must not be before 2\.150000"):
        reader.read('{"t": 2.1, "run": true}')


def test_a_refused_line_has_no_effect_and_its_time_does_not_pass(reader):
    """BENCH."""
    with pytest.raises(Refused):
        reader.read('{"t": 50, "press": "pile9"}')
    assert reader.read('{"t": 1, "press": "pile1"}') == ([Contact("pile1", True, 1_000_000)], 1_000_000)


def test_only_records_know_seeds_and_the_memory():
    """C-22, C-5."""
    reader = Reader(make_unit("triple-play"), recorded=True)
    assert reader.read('{"t": 0, "seed": 7}') == ([Seeded(7, 0)], 0)
    assert reader.read('{"t": 0, "break": "memory", "why": "full"}') == ([Broke("memory", "full", 0)], 0)
    with pytest.raises(Refused, match="'seed' must be a whole number, not"):
        reader.read('{"t": 0, "seed": true}')


@pytest.mark.parametrize("heard", [
    Contact("go", True, 5), Contact("go", False, 5), Moved("timer", "on", 5), Battery(True, 5), Battery(False, 5),
    Broke("strip", "why", 5), Mended("strip", 5), Seeded(7, 5),
])
def test_an_input_is_written_so_that_it_is_read_again(heard):
    """BENCH: the recorder writes the same lines."""
    reader = Reader(make_unit("triple-play"), recorded=True)
    if heard == Contact("go", False, 5):
        reader.read('{"t": 0, "press": "go"}')
    assert reader.read(json.dumps({"t": 0.000005, **line_of(heard)})) == ([heard], 5)


def test_the_wheel_is_written_so_that_it_is_read_again():
    assert Reader(make_unit("spin")).read(json.dumps({"t": 0, **line_of(WheelAt(3, 0))})) == ([WheelAt(3, 0)], 0)


def test_the_end_is_no_line():
    with pytest.raises(TypeError):
        line_of(Stop(5))


# -- whatever comes ----------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [*VERBS, "t", "to", "why", "go", "pile1", "on", "off", "strip", "low", "seed", "memory", "speed", "timer"]
)
SCALARS = st.one_of(WORDS, st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
VALUES = st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3),
                                                       st.dictionaries(WORDS, inner, max_size=3)), max_leaves=6)
ALMOST = st.dictionaries(st.one_of(WORDS, st.text(max_size=5)), VALUES, max_size=4).map(json.dumps)
TIMED = st.builds(lambda t, more: json.dumps({"t": t, **more}), st.one_of(st.integers(0, 9), st.floats(0, 9)),
                  st.dictionaries(WORDS, SCALARS, min_size=1, max_size=2))
LINES = st.one_of(st.binary(max_size=60), st.text(max_size=60), ALMOST, TIMED)


@pytest.mark.parametrize("unit", UNITS)
@given(lines=st.lists(LINES, max_size=12))
def test_whatever_is_said_the_unit_plays_on(unit, lines):
    """BENCH: anything is either taken or refused in a few words, and what is refused changes nothing."""
    desk = Desk(unit)
    for line in lines:
        before = (desk.state, dict(desk.lights), desk.display, desk._reader.now_us, set(desk._reader._closed))
        answer = desk.send(line, may_refuse=True)
        if answer.refused is not None:
            after = (desk.state, dict(desk.lights), desk.display, desk._reader.now_us, set(desk._reader._closed))
            assert after == before
            assert len(answer.refused) < 3 * ECHO + 200
            json.dumps(answer.refused).encode()
    desk.run_for(1)


def test_brackets_as_deep_as_can_be_read_are_refused(reader):
    """BENCH: however deep the reader still follows, saying what is wrong must not go too deep."""
    for depth in range(1, sys.getrecursionlimit() + 50):
        with pytest.raises(Refused):
            reader.read(f'{{"t": 0, "press": {"[" * depth}{"]" * depth}}}')
