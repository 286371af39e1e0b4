"""The bench protocol: first line, times, refused lines, odd bytes (docs/spec/bench.md). BENCH stands for its rules."""

import json
import re
import subprocess

import pytest
from bench_client import SEED, WALL, Bench, Result, arguments, check_order, check_stream, line_of, plus, run_script
from rounds import settled

UNIT = "triple-play"


def feed(data, unit=UNIT, **more):
    """Feed these bytes as they are, without adding a newline; the Result."""
    done = subprocess.run(arguments(unit, SEED, **more), input=data, capture_output=True, timeout=WALL * 3)
    return Result(done.returncode, done.stdout, done.stderr, 0)


def refusal(b, line):
    """Send a line that must be refused; its message."""
    answer = b.send(line, may_refuse=True)
    assert answer.refused and answer == [], f"not refused: {line!r}"
    return answer.refused


# -- the first line


@pytest.mark.parametrize("unit, inputs, switches, lights", [
    ("triple-play", ["go", "pile1", "pile2", "pile3"], {"power", "timer"}, 6),
    ("master", ["timer"], {"speed"}, 1),
    ("spin", ["go"], {"power"}, 9),
    ("party", ["go", "next", "reverse"], {"power"}, 16),
])
def test_the_first_line_has_all_and_only_what_there_is(unit, inputs, switches, lights):
    """BENCH contacts, switches and lights of the unit; settings in their sections; a version."""
    header = run_script(unit, []).header
    assert {"bench", "version", "unit", "seed", "inputs", "switches", "lights", "tones", "settings"} <= set(header)
    assert sorted(header["inputs"]) == inputs and set(header["switches"]) == switches
    assert len(set(header["lights"])) == len(header["lights"]) == lights
    assert set(header["settings"]) == {"common", unit.replace("-", "_")}
    assert re.match(r"\d+\.\d+", header["version"])


def test_the_tones_of_the_first_line():
    """BENCH every tone that the rules name for the unit is announced."""
    wanted = {
        "triple-play": "tick beep denied battery-low startup reminder round round-over clear timeout overload "
                       "power-down",
        "master": "tick beep battery-low startup signal power-down",
        "spin": "tick beep denied battery-low startup signal power-down shout discard-color draw-blue draw-red war "
                "discard-number show-hand trade-hands keep-two",
        "party": "tick beep denied reverse battery-low startup signal power-down",
    }
    for unit, tones in wanted.items():
        assert set(tones.split()) <= set(run_script(unit, []).header["tones"]), unit


# -- lines and their answers


def test_a_last_line_without_newline_counts():
    """BENCH the end of input may be the end of the last line."""
    result = feed(b'{"t": 0, "switch": "power", "to": "on"}\n{"t": 1, "press": "go"}')
    assert [line["ok"] for line in result.oks] == [1, 2] and result.outputs.when(state="ready") == 1
    assert result.status == 0


def test_a_last_line_that_is_cut_off_is_refused():
    """BENCH half a line at the end of input is broken JSON: refused, status 2."""
    result = feed(b'{"t": 0, "switch": "power", "to": "on"}\n{"t": 1, "pre')
    assert [line["line"] for line in result.refusals] == [2] and result.status == 2


def test_lines_end_at_newlines_only():
    """BENCH a line separator of Unicode, a next-line character or a form feed between keys ends no line."""
    result = feed('{"t": 0, "switch": "power", "to": "on"}\n'
                  '{"t": 1, "break": "display", "why": "a\u2028b\u0085c"}\n'
                  '{"t": 2, "run": true}\n'.encode())
    assert [line["ok"] for line in result.oks] == [1, 2, 3] and result.status == 0


def test_blank_lines_are_counted_to_the_end():
    """BENCH only blanks: no answer, status 0; the number of the next line counts them."""
    assert feed(b"\n\n  \n\t\n").lines[1:] == [] and feed(b"\n\n").status == 0
    assert feed(b'\n\n  \n{"t": 0, "run": true}\n').oks == [{"t": 0, "ok": 4}]


def test_lines_with_carriage_returns():
    """BENCH a carriage return before the newline is white space."""
    result = feed(b'{"t": 0, "switch": "power", "to": "on"}\r\n\r\n{"t": 1, "press": "go"}\r\n')
    assert [line["ok"] for line in result.oks] == [1, 3] and result.status == 0


def test_the_time_of_a_tap_has_passed():
    """BENCH after a tap time stands 0.15 s later: what comes before that goes back and is refused."""
    with Bench(UNIT) as b:
        b.power_on()
        b.tap("go", 1)
        assert refusal(b, line_of(1.149999, run=True))
        assert b.run_until(1.15) == []


def test_a_refused_line_is_no_moment():
    """BENCH its time does not pass and its press does not happen; the next line may be earlier."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        refusal(b, line_of(plus(start, 60), press="pile9"))
        refusal(b, line_of(plus(start, 60), tap="go", to="on"))
        assert b.run_until(plus(start, 2)).displays() == [(plus(start, 1), "9"), (plus(start, 2), "8")]
        assert b.close() == 2


def test_what_is_refused_does_not_move_contacts():
    """BENCH a press that was refused for its time is still open: it can be pressed."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_until(5)
        refusal(b, line_of(1, press="go"))
        assert b.press("go", 5).states() == ["ready"]
        refusal(b, line_of(6, press="go"))
        b.release("go", 7)
        refusal(b, line_of(8, release="go"))


@pytest.mark.parametrize("bad", [
    "[]", "5", '"press"', "null", "true", "{}", '{"t": 1}', '{"t": 1, "press": null}', '{"t": 1, "press": ["go"]}',
    '{"t": 1, "press": {"go": 1}}', '{"t": true, "press": "go"}', '{"t": null, "press": "go"}',
    '{"t": [1], "press": "go"}', '{"t": "1", "press": "go"}', '{"t": Infinity, "press": "go"}',
    '{"t": -Infinity, "run": true}', '{"t": 1e400, "run": true}', '{"t": 1000000000.000001, "run": true}',
    '{"t": 1000000001, "run": true}', '{"t": -0.5, "run": true}', '{"t": 1.1234567, "run": true}',
    '{"t": 1, "run": 1}', '{"t": 1, "run": "yes"}', '{"t": 1, "run": null}', '{"t": 1, "run": true, "why": "x"}',
    '{"t": 1, "to": "on"}', '{"t": 1, "switch": "timer"}', '{"t": 1, "switch": "timer", "to": true}',
    '{"t": 1, "switch": "timer", "to": "maybe"}', '{"t": 1, "switch": "speed", "to": "6"}',
    '{"t": 1, "switch": "go", "to": "on"}', '{"t": 1, "press": "timer"}', '{"t": 1, "press": "power"}',
    '{"t": 1, "press": "GO"}', '{"t": 1, "press": ""}', '{"t": 1, "tap": "counter1"}', '{"t": 1, "wheel": 3}',
    '{"t": 1, "battery": "dead"}', '{"t": 1, "battery": true}', '{"t": 1, "break": "engine"}',
    '{"t": 1, "break": "display", "why": 5}', '{"t": 1, "break": "go"}', '{"t": 1, "mend": "go"}',
    '{"t": 1, "mend": "nothing"}', '{"t": 1, "mend": "display", "why": "fixed"}', '{"t": 1, "break": "pile4"}',
    '{"t": 1, "press": "go", "release": "go"}', '{"t": 1, "press": "go", "battery": "low"}',
    '{"t": 1, "jump": "go"}', '{"T": 1, "press": "go"}', '{"t": 1, "press": "go"} {"t": 1, "run": true}',
    '{"t": 1, "press": "go",}', "{'t': 1, 'press': 'go'}", '{"t": 1, "press": "go"', '{"t": 01, "press": "go"}',
    '{"t": 1, "state": "ready"}', '{"t": 1, "ok": 1}', '{"t": 1, "event": "played"}',
])
def test_more_lines_that_are_refused(bad):
    """BENCH wrong kinds, wrong names, wrong numbers, wrong JSON: refused in words, without effect; status 2."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_until(0.5)
        assert len(refusal(b, bad)) > 5
        assert b.refusals[-1]["line"] == b.sent and "ok" not in b.refusals[-1]
        assert b.run_until(0.5) == [] and b.press("go", 0.5).states() == ["ready"]
        assert b.close() == 2


@pytest.mark.parametrize("good, t", [
    ('{"t": 1, "run": true}', 1), ('{"run": true, "t": 1}', 1), ('{"t":1.000001,"run":true}', 1.000001),
    ('  {"t" : 1.500000 , "run" : true }  ', 1.5), ('{"t": 999999999.999999, "run": true}', 999999999.999999),
    ('{"t": 1000000000, "run": true}', 1000000000), ('{"\\u0074": 2, "run": true}', 2),
    ('{"t": 0.1, "run": true}', 0.1),
])
def test_lines_that_are_accepted(good, t):
    """BENCH any JSON spelling of a line; times up to 10^9 with six digits, exactly."""
    result = run_script(UNIT, [good])
    assert result.oks == [{"t": t, "ok": 1}] and result.status == 0


@pytest.mark.parametrize("bad", [
    b"\xff\xfe\x00", b'{"t": 0, "press": "g\xff"}', b"[" * 100_000, b'{"t":' * 50_000,
    b'{"t": 1' + b"0" * 5000 + b', "run": true}',
    b'{"t": 0, "press": "' + b"x" * 100_000 + b'"}', b'{"t": 0, "press": "\\ud800"}', b'{"t": 0, "\\ud800": 1}',
    "{\"t\": 0, \"press\": \"gö\"}".encode(), b"\x00", b'{"t": 0, "press": "go\x00"}', b'\xef\xbb\xbf\xef\xbb\xbf{}',
    b'{"t": 0.' + b"1" * 5000 + b', "run": true}',
], ids=["no UTF-8", "no UTF-8 in a name", "deep", "deep objects", "huge number", "long name", "lone surrogate",
        "lone surrogate as a key", "umlaut", "NUL", "NUL in a name", "marks", "many digits"])
def test_odd_bytes_are_refused(bad):
    """BENCH whatever stands in a line, it is refused in a line of UTF-8 JSON, and the bench goes on."""
    result = feed(bad + b'\n{"t": 1, "run": true}\n')
    assert [line["line"] for line in result.refusals] == [1] and result.oks == [{"t": 1, "ok": 2}]
    assert result.status == 2
    json.loads(result.stdout.splitlines()[1].decode("utf-8"))


@pytest.mark.parametrize("line", [
    '{"t": 0, "press": "' + "x" * 500 + '"}', "y" * 500, '{"t": 0, "' + "z" * 500 + '": 1}',
    '{"t": 0, "switch": "timer", "to": "' + "w" * 500 + '"}', '{"t": 0.' + "1" * 500 + "}",
])
def test_an_error_echoes_80_characters_at_most(line):
    """BENCH however long the line is."""
    (error,) = run_script(UNIT, [line]).refusals
    longest = max(len(run) for run in re.findall(r"([xyzw1])\1*", error["error"]) or [""])
    assert not re.search(r"([xyzw1])\1{80}", error["error"]), longest
    assert len(error["error"]) < 400


def test_a_why_with_odd_characters():
    """BENCH C-20 a reason in any script reaches the event, or at least does no harm."""
    with Bench(UNIT) as b:
        b.power_on()
        for part, why in (("display", "kein Gerät bei 0x70 – 線"), ("buzzer", ""), ("strip", 'a "quoted" \\ one')):
            fault = b.break_part(part, why).event("fault")
            assert fault["part"] == part and isinstance(fault["reason"], str)
        answer = b.send('{"t": 1, "break": "pile1", "why": "\\ud800"}', may_refuse=True)
        assert answer.refused or answer.event("fault")["part"] == "pile1"
        assert b.run_until(2) == []


def test_parts_of_other_units():
    """BENCH each unit breaks what it has: a Spin its wheel, no unit the pads of another one."""
    for unit, has, lacks in (("spin", "wheel", "pile1"), ("party", "strip", "wheel"), ("master", "buzzer", "pile1")):
        with Bench(unit) as b:
            b.break_part(has)
            refusal(b, line_of(0, break_=lacks))


@pytest.mark.parametrize("slot", ["36", "-1", "1.5", "true", '"3"', "null", "1e1000"])
def test_a_slot_that_is_none(slot):
    """BENCH SP-2 slots are whole numbers from 0 to 35."""
    with Bench("spin") as b:
        b.power_on()
        refusal(b, f'{{"t": 1, "wheel": {slot}}}')
        assert b.wheel(35, 1) == []


def test_speeds_are_texts_of_the_list():
    """BENCH MA-4 the speed switch has the positions of the first line, no others and no numbers."""
    with Bench("master") as b:
        for to in ("6", '"5"', '"06"', '""', "null"):
            refusal(b, f'{{"t": 0, "switch": "speed", "to": {to}}}')
        assert b.switch("speed", "6") == []


# -- outputs


def test_every_moment_is_in_order():
    """BENCH C-14 a game with coincidences: within one moment of an answer event, state, lights, display, tone."""
    with Bench(UNIT, settings=settled(4, strip_after=2)) as b:
        start = b.start_round(timer=True)
        answers = [
            b.battery("low", plus(start, 7)), b.press("go", plus(start, 10)), b.release("go", plus(start, 10.1)),
            b.press("pile1", plus(start, 13)), b.run_until(plus(start, 15.5)), b.release("pile1", plus(start, 16)),
            b.tap("pile1", plus(start, 17)), b.tap("pile1", plus(start, 18)), b.tap("pile1", plus(start, 19)),
            b.tap("pile1", plus(start, 20)), b.tap("pile1", plus(start, 21)), b.tap("go", plus(start, 22)),
            b.press("pile2", plus(start, 32)), b.press("go", plus(start, 40)), b.run_until(plus(start, 60)),
            b.break_part("pile1", "x", plus(start, 61)), b.break_part("pile3", "x", plus(start, 62)),
            b.run_until(plus(start, 300)),
        ]
        for answer in answers:
            check_order(answer)
            for moment in {o["t"] for o in answer}:
                here = [o for o in answer if o["t"] == moment]
                assert len([o for o in here if "lights" in o]) <= 1 and len([o for o in here if "display" in o]) <= 1
        check_stream(b.outputs, b.header)


@pytest.mark.parametrize("unit, names", [("master", ["timer"]), ("spin", ["go"]), ("party", ["go", "next", "reverse"]),
                                         ("triple-play", ["go", "pile1", "pile2", "pile3"])])
def test_outputs_of_a_thousand_presses_are_well_formed(unit, names):
    """BENCH C-22 presses of all lengths and distances, the same in each run: names, looks, changes, times."""
    lines = [] if unit == "master" else [line_of(0, switch="power", to="on")]
    t, x = 1.0, 12345
    for _ in range(500):
        x = x * 1103515245 % 2**31
        name = names[x // 7 % len(names)]
        lines.append(line_of(t, press=name))
        t = plus(t, (0.001, 0.05, 0.4, 1.1, 3.2, 6.5)[x // 64 % 6])
        lines.append(line_of(t, release=name))
        t = plus(t, (0.03, 0.1, 0.7, 2.5, 11, 130)[x // 512 % 6])
    result = run_script(unit, [*lines, line_of(plus(t, 500), run=True)])
    assert result.status == 0 and len(result.oks) == len(lines) + 1
    check_stream(result.outputs, result.header)
    assert {kind for line in result.lines[1:] for kind in line} <= {
        "t", "ok", "event", "state", "lights", "display", "pattern", "tone", "volume", "pile", "count", "draw", "lit",
        "mode", "part", "reason", "total", "icon", "number", "virtual", "direction", "to", "a", "b"}


def test_outputs_stand_before_the_ok_of_their_line():
    """BENCH the answer to line N is all outputs up to its time, then ok N: nothing comes early or late."""
    result = run_script(UNIT, [line_of(0, switch="timer", to="on"), line_of(0, switch="power", to="on"),
                               line_of(1, tap="go"), line_of(2, tap="go"), line_of(5.5, run=True),
                               line_of(9, run=True)])
    answer, answered = [], 0.0
    for line in result.lines[1:]:
        answer.append(line["t"])
        if "ok" in line:
            assert all(answered <= t <= line["t"] for t in answer), answer
            answer, answered = [], line["t"]


def test_small_and_large_times_are_decimal_numbers():
    """BENCH a microsecond and ten years: digits and a point, no exponent."""
    result = run_script(UNIT, ['{"t": 0.000001, "run": true}', '{"t": 0.00002, "switch": "power", "to": "on"}',
                               '{"t": 0.000025, "press": "go"}', '{"t": 315360000.000001, "run": true}'])
    assert result.status == 0
    texts = re.findall(rb'"t": ?([^,}]+)', result.stdout)
    assert all(re.fullmatch(rb"\d+(\.\d{1,6})?", text) for text in texts)
    assert [line["t"] for line in result.oks] == [0.000001, 0.00002, 0.000025, 315360000.000001]


def test_volume_is_part_of_every_tone():
    """BENCH C-16 each tone has its volume."""
    result = run_script(UNIT, [line_of(0, switch="power", to="on"), line_of(1, tap="go"), line_of(2, tap="go")],
                        settings={"common.volume": 5})
    assert [o for o in result.outputs if "tone" in o] == [
        {"t": 1, "tone": "startup", "volume": 5}, {"t": 2, "tone": "round", "volume": 5}]
