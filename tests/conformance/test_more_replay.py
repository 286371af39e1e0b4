"""`replay`: a trace is played again and compared (docs/spec/bench.md)."""

import subprocess

import pytest
from bench_client import WALL, command, run_script
from rounds import settled

UNIT = "triple-play"
INPUTS = ['{"t": 0, "switch": "timer", "to": "on"}', '{"t": 0, "switch": "power", "to": "on"}', '{"t": 1, "tap": "go"}',
          '{"t": 2, "tap": "go"}', '{"t": 3, "tap": "pile1"}', '{"t": 3.5, "press": "pile2"}',
          '{"t": 6, "release": "pile2"}', '{"t": 20, "tap": "go"}', '{"t": 21, "tap": "go"}', '{"t": 22, "tap": "go"}']


def trace():
    """Return the lines of a game as a recorder writes them: the first line, then each input and what it brought."""
    result = run_script(UNIT, INPUTS, settings=settled(turn_seconds=7))
    assert result.status == 0
    answers = iter(result.stdout.decode().splitlines())
    lines = [next(answers)]
    for given in INPUTS:
        lines += [given, *outputs_up_to_ok(answers)]
    return lines


def outputs_up_to_ok(answers):
    """Return the outputs of one answer."""
    found = []
    for line in answers:
        if '"ok"' in line:
            return found
        found.append(line)
    raise AssertionError("no ok")


def replay(tmp_path, lines):
    """Replay these lines; exit status and what was said."""
    file = tmp_path / "table.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run([*command()[:-1], "replay", str(file)], capture_output=True, text=True, timeout=WALL)
    return done.returncode, done.stdout + done.stderr


def test_a_trace_agrees_with_itself(tmp_path):
    """BENCH the trace has the settings, the seed and the inputs: nothing differs; it says how many lines."""
    status, said = replay(tmp_path, trace())
    assert status == 0 and any(word.isdigit() and int(word) > 20 for word in said.split())


@pytest.mark.parametrize("was, would_be", [
    ('"tone": "round"', '"tone": "startup"'), ('"count": 1', '"count": 2'), ('"t": 3.13', '"t": 3.14'),
    ('"display": "6"', '"display": "9"'), ('"event": "cleared"', '"event": "played"')])
def test_the_first_difference_is_reported(tmp_path, was, would_be):
    """BENCH an output that was another one at the table: exit 1, and both are shown."""
    lines = trace()
    at = next(n for n, line in enumerate(lines) if was in line)
    lines[at] = lines[at].replace(was, would_be)
    status, said = replay(tmp_path, lines)
    assert status == 1 and would_be in said and was in said


def test_an_output_that_the_table_did_not_have(tmp_path):
    """BENCH one line less, or one more, than the game brings now: exit 1."""
    lines = trace()
    at = next(n for n, line in enumerate(lines) if '"tone": "clear"' in line)
    assert replay(tmp_path, lines[:at] + lines[at + 1:])[0] == 1
    assert replay(tmp_path, [*lines[:at], lines[at], *lines[at:]])[0] == 1


@pytest.mark.parametrize("lines", [[], ["no trace"], INPUTS, ["{}"]])
def test_what_is_no_trace(tmp_path, lines):
    """BENCH without its first line nothing can be replayed: a message, and not exit 0."""
    status, said = replay(tmp_path, lines)
    assert status not in (0, None) and said.strip() and "Traceback" not in said
