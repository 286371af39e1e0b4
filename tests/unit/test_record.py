"""Records: what was played once comes out again line by line, or the first line that differs is told."""

import json
from random import Random

import pytest
from bench_client import KINDS
from hypothesis import given
from hypothesis import strategies as st

from firmware.agenda import MS, SECOND
from firmware.commands import unit_from_header
from firmware.record import BadRecord, Difference, Recorder, replay
from firmware.runner import Runner
from firmware.units import UNITS
from hal.ports import Contact, Moved, Seeded
from hal.virtual import VirtualBoard
from tests.desk import make_unit
from tests.scripts import rough_play

ALL_LIT = {"triple_play.lit_odds": [0, 0, 1]}


def record(unit, script, end_us, seed=1, late_us=lambda: 0, **came_with):
    """Play a script and return the record of it."""
    lines = []
    recorder = Recorder(lambda line: lines.append(line + "\n"), unit, seed, came_with)
    Runner(unit, VirtualBoard(script, end_us, late_us), None, [recorder], [recorder.heard]).run()
    return lines


def played_again(lines):
    return replay(lines, unit_from_header, "table.jsonl")


def outputs(lines):
    return [line for line in lines[1:] if any(f'"{kind}": ' in line for kind in KINDS)]


ROUND = [
    Seeded(7, 0), Moved("timer", "on", 0), Moved("power", "on", 0),
    Contact("go", True, 500 * MS), Contact("go", False, 600 * MS),
    Contact("go", True, 900 * MS), Contact("go", False, 1_000 * MS),
    Contact("pile1", True, 2_000 * MS), Contact("pile1", False, 2_100 * MS),
]


@pytest.fixture
def table():
    """The record of a short round: the timer runs out at last."""
    return record(make_unit("triple-play", ALL_LIT), ROUND, 20 * SECOND)


def test_a_record_begins_with_what_the_unit_was_and_has_what_went_in_and_came_out(table):
    """BENCH, C-22."""
    first = json.loads(table[0])
    assert (first["bench"], first["unit"], first["seed"], first["settings"]["triple_play"]["lit_odds"]) == (
        1, "triple-play", 1, [0, 0, 1])
    assert table[1:6] == [
        '{"t": 0, "seed": 7}\n', '{"t": 0, "switch": "timer", "to": "on"}\n',
        '{"t": 0, "switch": "power", "to": "on"}\n', '{"t": 0, "state": "standby"}\n', '{"t": 0, "display": "-"}\n',
    ]
    assert '{"t": 2, "press": "pile1"}\n' in table and '{"t": 12.1, "tone": "timeout", "volume": 3}\n' in table


def test_a_record_is_played_again(table):
    """C-22."""
    assert played_again(table) == len(outputs(table))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(6))
def test_rough_play_is_played_again_to_the_last_line(unit, seed):
    """C-22, C-15: though the loop that recorded it woke up late."""
    chance = Random(seed)
    played = make_unit(unit, seed=seed)
    script = rough_play(played, seed, 120 * SECOND)
    lines = record(played, script, 130 * SECOND, seed, lambda: chance.randrange(400 * MS))
    assert played_again(lines) == len(outputs(lines)) > 50


@pytest.mark.parametrize("unit", UNITS)
def test_the_record_of_a_unit_that_went_on_with_a_saved_round_is_played_again(unit):
    """C-5, C-22: the first line has what the unit came with."""
    for seed in range(12):
        played = make_unit(unit, seed=seed)
        for heard in rough_play(played, seed, 40 * SECOND):
            played.feed(heard)
        saved = json.loads(json.dumps(played.save()))
        resumed = make_unit(unit, seed=seed + 1, saved=saved, volume=played.volume.level, memory_fault="damaged")
        script = rough_play(resumed, seed + 100, 40 * SECOND)
        lines = record(resumed, script, 50 * SECOND, seed + 1, saved=saved, volume=played.volume.level,
                       memory_fault="damaged")
        assert played_again(lines) == len(outputs(lines))


def test_nothing_that_a_unit_came_with_is_nothing_in_the_record(table):
    assert not {"saved", "volume", "memory_fault"} & set(json.loads(table[0]))


def test_an_input_that_came_after_its_time_was_settled_is_recorded_as_it_was_played():
    """C-22: an edge of the kernel can arrive just after a deadline that its stamp lies before."""
    lines, unit = [], make_unit("triple-play", ALL_LIT)
    recorder = Recorder(lambda line: lines.append(line + "\n"), unit, 1, {})

    def hear(moments):
        for moment in moments:
            recorder.hear(moment)

    late = Contact("pile1", True, 2_129_999)  # a bounce, had it come in time; the release was sure at 2.13 s
    for heard in [*ROUND, None, late, Contact("pile1", False, 2_500 * MS), Moved("power", "off", 3 * SECOND)]:
        if heard is None:
            hear(unit.tick(2_140 * MS))
        else:
            recorder.heard(heard)
            hear(unit.feed(heard))
    assert '{"t": 2.13, "press": "pile1"}\n' in lines
    assert played_again(lines) == len(outputs(lines))


def test_a_contact_that_tells_the_same_level_twice_is_played_again():
    """A real line can lose an edge; the unit does not mind, and neither does the replay."""
    script = [*ROUND[:3], *(Contact("go", closed, 500 * MS + n) for n, closed in enumerate((1, 1, 0, 0, 1)))]
    lines = record(make_unit("triple-play", ALL_LIT), script, 2 * SECOND)
    assert played_again(lines) == len(outputs(lines))


def test_a_button_that_was_held_at_the_start_is_played_again():
    """C-12, MA-1: it does not switch the unit on, and not in the replay either."""
    script = [Contact("timer", True, 0, at_start=True), Contact("timer", False, 1 * SECOND)]
    lines = record(make_unit("master"), script, 5 * SECOND)
    assert lines[1:] == ['{"t": 0, "press": "timer", "at_start": true}\n', '{"t": 1, "release": "timer"}\n']
    assert played_again(lines) == 0
    with pytest.raises(Difference, match=r"replayed: .*waiting"):
        played_again([line.replace(', "at_start": true', "") for line in lines])


# -- what is no record, or not the same ---------------------------------------------------------------------------


def test_the_first_line_that_differs_is_told(table):
    """BENCH."""
    number = next(n for n, line in enumerate(table) if '"round-started"' in line)
    forged = table.copy()
    forged[number] = forged[number].replace("timer", "regular")
    with pytest.raises(Difference) as caught:
        played_again(forged)
    assert str(caught.value) == (
        f"table.jsonl: line {number + 1} differs\n"
        '  recorded: {"t": 0.9, "event": "round-started", "mode": "regular"}\n'
        '  replayed: {"t": 0.9, "event": "round-started", "mode": "timer"}'
    )


def test_an_output_too_many_is_told(table):
    with pytest.raises(Difference, match="replayed: nothing"):
        played_again([*table, '{"t": 15, "event": "applause"}\n'])


def test_every_output_that_is_missing_is_noticed(table):
    """But for the last one: there a record may end."""
    numbers = [n for n, line in enumerate(table) if line in outputs(table)]
    for number in numbers[:-1]:
        with pytest.raises(Difference):
            played_again(table[:number] + table[number + 1 :])


def test_a_record_that_was_cut_off_is_compared_as_far_as_it_goes(table):
    """C-5: the plug was pulled while it was written."""
    text = "".join(table)
    for cut in range(len(table[0]), len(text), 17):
        lines = text[:cut].splitlines(keepends=True)
        assert played_again(lines) <= len(outputs(table))


def test_blank_lines_are_no_matter(table):
    assert played_again(["\n", *(line + "\n" for line in table)]) == len(outputs(table))


@pytest.mark.parametrize("change, why", [
    ({"bench": 2}, 'not the first line of a record (no "bench": 1)'),
    ({"unit": "quadruple"}, "unknown unit 'quadruple'; there are "),
    ({"unit": ["spin"]}, ""), ({"unit": None}, ""), ({"seed": None}, ""), ({"seed": []}, ""), ({"settings": []}, ""),
    ({"settings": {"triple_play": {"turn_seconds": 0}}}, "triple_play.turn_seconds = 0"),
    ({"settings": {"spin": {}}}, "unknown section [spin]"), ({"settings": {"common": 3}}, "must be a section"),
    ({"volume": "loud"}, ""), ({"volume": 9}, ""), ({"saved": [1]}, ""), ({"saved": "round"}, ""),
    ({"memory_fault": 3}, ""),
])  # fmt: skip
def test_a_first_line_that_makes_no_sense_is_said(table, change, why):
    first = json.dumps({**json.loads(table[0]), **change}) + "\n"
    with pytest.raises(BadRecord) as caught:
        played_again([first, *table[1:]])
    assert str(caught.value).startswith("table.jsonl: line 1: ") and why in str(caught.value)


@pytest.mark.parametrize("line, why", [
    ("hello\n", "not a JSON object"), ("[1]\n", "not a JSON object"), ("[" * 100_000 + "\n", "not a JSON object"),
    ('{"t": 0, "press": "pile9"}\n', "unknown input 'pile9'"), ('{"press": "go"}\n', "no time"),
    ('{"t": 0, "seed": "x"}\n', "'seed' must be a whole number"),
    ('{"t": "x", "event": "turn"}\n', "'t' must be"), ('{"t": NaN, "event": "turn"}\n', "'t' must be"),
    ('{"t": 1e999, "event": "turn"}\n', "'t' must be"), ('{"t": null, "state": "off"}\n', "'t' must be"),
])  # fmt: skip
def test_a_line_that_makes_no_sense_is_said_with_its_number(table, line, why):
    with pytest.raises(BadRecord) as caught:
        played_again([table[0], line, "\n"])
    assert str(caught.value).startswith("table.jsonl: line 2: ") and why in str(caught.value)


def test_nothing_is_no_record():
    for lines in ([], ["\n"], ["{}\n"], ["rubbish\n"]):
        with pytest.raises(BadRecord):
            played_again(lines)


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["t", "press", "release", "event", "lit", "state", "lights", "unit", "seed", "settings", "saved", "volume", "bench"]
)


def as_object(line):
    """Return the line's object, an empty one if it has none."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def words_of(lines):
    """Return what the replay says of lines that are no record or differ; anything else that is raised is a failure."""
    try:
        played_again(lines)
    except (BadRecord, Difference) as why:
        return str(why)
    return "table.jsonl: line by line the same"


@given(data=st.data())
def test_whatever_is_in_a_file_is_replayed_or_refused(data):
    """No traceback, whatever somebody put there."""
    lines = record(make_unit("triple-play", ALL_LIT), ROUND, 4 * SECOND)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 1))
        if data.draw(st.booleans()):
            lines[number] = json.dumps({**as_object(lines[number]), data.draw(KEYS): data.draw(JUNK)}) + "\n"
        else:
            lines[number] = data.draw(st.text(max_size=20)) + "\n"
    assert words_of(lines).startswith("table.jsonl: line ")
