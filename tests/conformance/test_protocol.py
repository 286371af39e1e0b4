"""The bench protocol itself (docs/spec/bench.md). BENCH stands for its rules, which have no numbers."""

import json
import re

import pytest
from bench_client import Bench, check_order, check_stream, line_of, plus, run_script

UNIT = "triple-play"


@pytest.mark.parametrize("unit, inputs, lights", [
    ("triple-play", {"go", "pile1", "pile2", "pile3"},
     {"pile1", "pile2", "pile3", "counter1", "counter2", "counter3"}),
    ("master", {"timer"}, {"timer"}),
    ("spin", {"go"}, {f"seg{n}" for n in range(1, 10)}),
    ("party", {"go", "reverse", "next"}, {f"seat{n}" for n in range(1, 17)}),
])
def test_header(unit, inputs, lights):
    """BENCH the first line names unit, seed, inputs, lights, tones, settings."""
    with Bench(unit, seed=7) as b:
        assert b.header["bench"] == 1 and b.header["unit"] == unit and b.header["seed"] == 7
        assert isinstance(b.header["version"], str) and isinstance(b.header["settings"], dict)
        assert isinstance(b.header["switches"], dict) and "common" in b.header["settings"]
        assert inputs <= set(b.header["inputs"]) and lights <= set(b.header["lights"])
        assert "tick" in b.header["tones"]


def test_header_comes_before_any_input():
    """BENCH without any input: the header, nothing else, status 0."""
    result = run_script(UNIT, [])
    assert len(result.lines) == 1 and result.status == 0


def test_every_line_is_answered_in_turn():
    """BENCH line N is answered by ok N; empty lines are skipped but counted."""
    lines = ['{"t": 0, "switch": "timer", "to": "off"}', '', '{"t": 0, "switch": "power", "to": "on"}', '   ', '',
             '{"t": 2.5, "run": true}']
    result = run_script(UNIT, lines)
    assert [(x["t"], x["ok"]) for x in result.oks] == [(0, 1), (0, 3), (2.5, 6)]
    assert result.status == 0


def test_tap_covers_its_release():
    """BENCH a tap is answered for t + 0.15; it is the same as press and release 0.1 s later."""
    head = ['{"t": 0, "switch": "timer", "to": "off"}', '{"t": 0, "switch": "power", "to": "on"}']
    tapped = run_script(UNIT, [*head, '{"t": 1.25, "tap": "go"}', '{"t": 2, "run": true}'])
    pressed = run_script(UNIT, [*head, '{"t": 1.25, "press": "go"}', '{"t": 1.35, "release": "go"}',
                                '{"t": 2, "run": true}'])
    assert tapped.oks[2]["t"] == 1.4
    assert tapped.outputs == pressed.outputs


def test_end_of_input_ends_the_bench():
    """BENCH at the end of input time does not run on: a countdown is cut where the last line stands."""
    result = run_script(UNIT, [line_of(0, switch="timer", to="on"), line_of(0, switch="power", to="on"),
                               line_of(1, tap="go"), line_of(2, tap="go"), line_of(7, run=True)])
    assert result.status == 0 and not result.outputs.events("timeout")
    assert result.lines[-1] == {"t": 7, "ok": 5}


@pytest.mark.parametrize("bad", [
    '{"t": 1, "press": "pile9"}',
    '{"t": 1, "press": ',
    'hello',
    '{"t": 0.5, "press": "go"}',
    '{"t": 1, "release": "go"}',
    '{"t": 1, "press": 5}',
    '{"t": "soon", "press": "go"}',
    '{"t": 1, "switch": "timer", "to": 7}',
    '{"t": 1, "press": "pile1", "run": true}',
    '{"t": 1, "press": "go", "loud": 1}',
    '{"t": 1.0000001, "press": "go"}',
    '{"t": 1, "switch": "timer"}',
    '{"press": "go"}',
    '{"t": -1, "press": "go"}',
    '{"t": NaN, "press": "go"}',
    '{"t": 1, "break": "go", "why": "buttons cannot be broken"}',
], ids=["unknown input", "broken JSON", "no JSON", "time goes back", "release of what is not down", "number as name",
        "text as time", "number as position", "two verbs",
        "unknown key", "seven digits", "no position", "no time", "negative time", "not finite", "broken button"])
def test_bad_line_is_refused_and_the_bench_goes_on(bad):
    """BENCH a bad line is refused by number, has no effect, and the bench goes on; status 2."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_until(1)
        answer = b.send(bad, may_refuse=True)
        assert answer.refused and answer == []
        assert b.state == "standby"
        assert "startup" in b.press("go", 1).tones()
        assert [x["line"] for x in b.refusals] == [4]
        assert b.close() == 2


def test_unknown_input_names_what_there_is():
    """BENCH the refusal of an unknown input names it and what the unit has."""
    with Bench(UNIT) as b:
        refused = b.send('{"t": 0, "press": "pile9"}', may_refuse=True).refused
        assert all(name in refused for name in ("pile9", "go", "pile1", "pile2", "pile3"))


def game(b):
    """For a limit of 6: a few turns with a refusal, a clear, an overload and a pause between them."""
    start = b.start_round()
    b.run_until(plus(start, 1.7))
    b.play()
    b.run_for(0.33)
    b.tap(f"pile{b.next_turn_with_unlit()}")
    b.run_for(0.77)
    b.clear()
    b.run_for(0.33)
    while b.state != "overload":
        b.fill(1, 1)
    b.run_for(0.33)
    b.tap("go")
    b.run_for(0.33)
    b.hold("go", 3.5)
    b.run_for(5)


def test_outputs_are_well_formed():
    """BENCH names from the header, known looks, times that never go back, changes only."""
    with Bench(UNIT, settings={"triple_play.overload_presses": [6, 6]}) as b:
        game(b)
        check_stream(b.outputs, b.header)


def test_order_within_one_moment():
    """BENCH event, state, lights, display, tone."""
    with Bench(UNIT, settings={"triple_play.overload_presses": [6, 6]}) as b:
        game(b)
        assert len({o["t"] for o in b.outputs}) > 10
        check_order(b.outputs)


def test_times_have_at_most_six_digits():
    """BENCH t is a decimal number with up to six digits, however odd the sums are."""
    head = [line_of(0, switch="timer", to="on"), line_of(0, switch="power", to="on")]
    taps = [line_of(0.1 * n + 0.000001 * n, press="go") if n % 2 else line_of(0.1 * n + 0.05, release="go")
            for n in range(3, 40)]
    result = run_script(UNIT, head + taps)
    seen = []

    def number(text):
        seen.append(text)
        return float(text)

    for raw in result.stdout.decode().splitlines()[1:]:
        json.loads(raw, parse_float=number)
    assert seen and all(re.fullmatch(r"\d+\.\d{1,6}", text) for text in seen)


def test_settings_from_the_command_line():
    """BENCH TP-13 TP-15 --set changes what the rules say."""
    with Bench(UNIT, settings={"triple_play.turn_seconds": 6, "triple_play.timeout_cards": 4}) as b:
        start = b.start_round(timer=True)
        answer = b.run_until(plus(start, 6))
        assert answer.event("timeout") == {"t": plus(start, 6), "event": "timeout", "draw": 4}
        assert b.display == "4"


def test_an_hour_takes_no_time():
    """BENCH time is virtual: an idle hour is over at once."""
    result = run_script(UNIT, [line_of(0, switch="timer", to="off"), line_of(0, switch="power", to="on"),
                               line_of(3600, run=True)])
    assert result.oks[-1]["t"] == 3600 and result.seconds < 5


def test_same_input_same_bytes():
    """BENCH C-22 the same seed and the same lines, sent at once or one by one, give the same bytes."""
    lines = [line_of(0, switch="timer", to="on"), line_of(0, switch="power", to="on"), line_of(1, tap="go"),
             line_of(2, tap="go"), '{"t": 3, "press": "pile7"}', line_of(3, tap="pile1"), line_of(4, tap="pile2"),
             line_of(30, tap="go"), line_of(31, tap="pile3")]
    first, second = run_script(UNIT, lines, seed=5), run_script(UNIT, lines, seed=5)
    assert first.stdout == second.stdout and (first.status, second.status) == (2, 2)
    with Bench(UNIT, seed=5) as b:
        for line in lines:
            b.send(line, may_refuse=True)
        assert b.outputs == first.outputs


def test_set_is_shown_in_the_first_line():
    """BENCH --set takes the names of the unit's spec; the first line shows the settings in force."""
    with Bench(UNIT, settings={"triple_play.turn_seconds": 7, "triple_play.lit_odds": [10, 80, 10]}) as b:
        shown = b.header["settings"]["triple_play"]
        assert shown["turn_seconds"] == 7 and shown["lit_odds"] == [10, 80, 10]


def test_state_folder_survives_kill(tmp_path):
    """BENCH C-5 --state: killed right after an ok, the count announced before it is not lost."""
    with Bench(UNIT, settings={"triple_play.overload_presses": [20, 20]}, state=tmp_path) as b:
        b.start_round()
        assert b.fill(1, 2).event("played")["count"] == 2
        with b.reborn() as c:
            c.power_on()
            assert c.count("resumed") == 1
            c.run_for(0.2)
            assert c.fill(1, 1).event("played")["count"] == 3


def test_what_is_down_cannot_be_pressed():
    """BENCH press and tap of what is down are refused; the time of a refused line does not pass."""
    with Bench(UNIT) as b:
        b.power_on()
        b.press("go", 1)
        for verb in ("press", "tap"):
            assert b.send(line_of(50, **{verb: "go"}), may_refuse=True).refused
        assert not b.release("go", 1.2).events()        # 50 would have been a time that goes back


def test_what_does_nothing_is_accepted():
    """BENCH a switch moved to where it is, a part broken or mended twice: accepted, no output."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        assert b.switch("power", "on") + b.switch("timer", "off") + b.mend("display") == []
        b.break_part("display")
        assert b.break_part("display") == []


def test_master_has_no_power_switch():
    """BENCH Master starts off by its own rules and refuses `power`; its speeds are a setting."""
    with Bench("master", settings={"master.speeds": [5, 9]}) as b:
        assert list(b.header["switches"]) == ["speed"] and b.header["switches"]["speed"] == ["5", "9"]
        assert b.switch("power", "on", may_refuse=True).refused
        b.tap("timer")
        assert b.display == "5"


def test_switches_in_the_first_line():
    """BENCH the first line has the switches with their positions; common settings have their section."""
    with Bench(UNIT) as b:
        assert {name: sorted(to) for name, to in b.header["switches"].items()} == {
            "power": ["off", "on"], "timer": ["off", "on"]}
        common = b.header["settings"]["common"]
        assert {k: common[k] for k in ("debounce", "stuck_after", "sleep_after", "volume")} == {
            "debounce": 0.03, "stuck_after": 10, "sleep_after": 120, "volume": 3}


def test_a_key_given_twice():
    """BENCH of a key given twice the last counts; a line of blanks is empty."""
    result = run_script(UNIT, ['{"t": 0, "switch": "power", "to": "off", "to": "on"}', "  \t ",
                               '{"t": 5, "t": 1, "press": "go"}'])
    assert [x["ok"] for x in result.oks] == [1, 3] and result.status == 0
    assert result.outputs.when(state="ready") == 1


@pytest.mark.parametrize("wrong", [
    {"triple_play.turn_secs": 6}, {"triple_play.turn_seconds": "long"}, {"triple_play.overload_presses": [1, 4]},
    {"triple_play.overload_presses": [4, 21]}], ids=["unknown name", "wrong kind", "too low", "too high"])
def test_a_wrong_setting(wrong):
    """BENCH TP-10 a wrong --set: message on stderr, status 2, no first line."""
    result = run_script(UNIT, [], settings=wrong)
    assert result.status == 2 and result.stdout == b"" and result.stderr
