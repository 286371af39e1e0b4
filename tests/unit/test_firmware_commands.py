"""The command line from inside: what each command prints, where, and with which exit status."""

import io
import json
import os
import re
import signal
import sys

import pytest

from firmware import __version__
from firmware.cli import main
from firmware.units import UNITS

POWER_ON = '{"t": 0, "switch": "power", "to": "on"}\n'
READY = POWER_ON + '{"t": 1, "tap": "go"}\n'


@pytest.fixture
def say(monkeypatch, capsys):
    """Run a command with these lines on its stdin: exit status, stdout, stderr. Its signals are ours again after it."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]

    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        return status, said.out, said.err

    yield run
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


# -- bench -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_the_bench_begins_with_its_first_line_and_ends_with_its_input(say, unit):
    """BENCH."""
    status, out, err = say("bench", unit, "--seed", 7)
    first = json.loads(out)
    assert (status, err) == (0, "")
    assert (first["bench"], first["version"], first["unit"], first["seed"]) == (1, __version__, unit, 7)


def test_a_refused_line_makes_the_exit_status_two(say):
    """BENCH."""
    status, out, _ = say("bench", "triple-play", stdin='{"t": 0, "press": "pile9"}\n')
    assert status == 2
    assert json.loads(out.splitlines()[1]) == {
        "line": 1, "error": "unknown input 'pile9'; this unit has go, pile1, pile2, pile3"}


def test_frames_are_told_when_they_change(say):
    """BENCH, C-21."""
    _, out, _ = say("bench", "triple-play", "--frames", stdin=f'{READY}{{"t": 2, "run": true}}\n')
    frames = [line for line in map(json.loads, out.splitlines()) if "frame" in line]
    assert [frame["t"] for frame in frames] == [1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, 2]
    assert {len(frame["frame"]) for frame in frames} == {2 * 63}
    assert len({frame["frame"] for frame in frames}) == 2 and frames[1]["frame"] == "00" * 63


def test_a_round_is_kept_from_one_bench_to_the_next(say, tmp_path):
    """C-5."""
    start = READY + '{"t": 2, "tap": "go"}\n'
    say("bench", "triple-play", "--state", tmp_path, stdin=start)
    status, out, _ = say("bench", "triple-play", "--state", tmp_path, stdin=POWER_ON)
    assert status == 0
    assert any(json.loads(line).get("event") == "resumed" for line in out.splitlines())


def test_a_journal_that_is_damaged_is_said_and_the_bench_goes_on(say, tmp_path):
    """C-5."""
    (tmp_path / "triple-play.state").write_text("rubbish\n")
    status, out, err = say("bench", "triple-play", "--state", tmp_path, stdin=POWER_ON)
    assert status == 0
    assert "starting fresh, what was there is kept as triple-play.state.damaged-1: entry 1 is damaged" in err
    assert '"part": "memory"' in out


@pytest.mark.parametrize("words, why", [
    (["bench", "quadruple"], "unknown unit 'quadruple'"),
    (["bench", "spin", "--set", "spin.at_rest=0"], "--set spin.at_rest=0: spin.at_rest = 0: must be seconds"),
    (["bench", "spin", "--set", "rubbish"], "--set rubbish: must be section.key=value"),
    (["bench", "spin", "--config", "no-such-file.toml"], "no-such-file.toml: cannot be read: No such file"),
    (["bench", "spin", "--state", __file__], "is a file; give a directory for the state"),
])
def test_what_makes_no_sense_is_said_before_anything_begins(say, words, why):
    """BENCH."""
    status, out, err = say(*words)
    assert (status, out) == (2, "") and why in err


def test_without_a_command_all_of_them_are_told(capsys):
    assert main([]) == 2
    assert re.search(r"^ +selftest +walk through", capsys.readouterr().err, re.MULTILINE)


def test_a_bench_without_stdin_or_stdout_is_refused(monkeypatch, capsys):
    """BENCH."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["bench", "spin"]) == 2
    assert capsys.readouterr().err == "the bench reads stdin and writes stdout; neither may be closed\n"


# -- play, on the virtual board ----------------------------------------------------------------------------------


def test_what_the_parts_of_a_virtual_board_are_told_is_printed(say):
    status, out, err = say("play", "triple-play", "--board", "virtual", stdin=f"{READY}rubbish\n")
    assert status == 0
    assert "line 3: not JSON" in err
    shown = [line.split(maxsplit=2) for line in out.splitlines()]
    assert [(at, part) for at, part, _ in shown[:4]] == [
        ("0", "display"), ("1", "buzzer"), ("1", "strip"), ("1.09", "buzzer")]
    assert shown[1][2] == "523 Hz, volume 3" and re.fullmatch("[0-9a-f]{126}", shown[2][2])
    last = {part: what for _, part, what in shown}
    assert last == {"buzzer": "0 Hz, volume 0", "display": "00000000", "strip": "00" * 63}, "dark and silent in the end"


def test_a_record_of_virtual_play_replays(say, tmp_path):
    """C-22."""
    record = tmp_path / "round.jsonl"
    lines = READY + '{"t": 2, "tap": "go"}\n{"t": 9, "run": true}\n'
    assert say("play", "triple-play", "--board", "virtual", "--record", record, stdin=lines)[0] == 0
    status, out, _ = say("replay", record)
    assert status == 0 and re.fullmatch(rf"{re.escape(str(record))}: \d\d lines agree\n", out)


def test_a_record_is_not_written_over(say, tmp_path):
    """C-22: the next one gets a number."""
    record = tmp_path / "round.jsonl"
    record.write_text("precious\n")
    status, _, _ = say("play", "triple-play", "--board", "virtual", "--record", record)
    assert status == 0
    assert record.read_text() == "precious\n"
    assert json.loads((tmp_path / "round-2.jsonl").read_text().splitlines()[0])["bench"] == 1


def test_a_record_that_cannot_be_written_is_said_before_anything_begins(say, tmp_path):
    status, _, err = say("play", "triple-play", "--board", "virtual", "--record", tmp_path / "none" / "round.jsonl")
    assert status == 2 and "cannot be written: No such file or directory" in err


@pytest.mark.parametrize("words, why", [
    (["--board", "toaster"], "toaster"),
    (["--board", "virtual", "--wiring", "no-such-unit"], "no-such-unit"),
    (["--board", "virtual", "--wiring", "spin"], "not the wiring of 'triple-play'"),
    (["--watch", "no-such-record"], "--watch no-such-record: cannot be read: No such file or directory"),
    (["--watch", __file__], "not a record: its first line names none of"),
    (["--port", "70000"], "'70000' is no port: give a number from 0 to 65535"),
    (["--state", ""], "the name is empty"),
])
def test_a_game_that_cannot_begin_is_said(say, words, why):
    status, _, err = say("play", "triple-play", *words)
    assert status == 2 and why in err


def test_a_record_of_something_else_is_not_watched(say, tmp_path):
    record = tmp_path / "round.jsonl"
    record.write_text('{"unit": "quadruple"}\n')
    status, _, err = say("play", "--watch", record)
    assert status == 2 and "its first line names none of triple-play" in err


# -- replay ------------------------------------------------------------------------------------------------------


@pytest.fixture
def record(say, tmp_path):
    path = tmp_path / "record.jsonl"
    say("play", "triple-play", "--board", "virtual", "--record", path, stdin=READY)
    return path


def test_a_record_that_differs_is_exit_status_one(say, record):
    """BENCH."""
    record.write_text(record.read_text().replace('"ready"', '"steady"'))
    status, out, _ = say("replay", record)
    assert status == 1
    assert 'recorded: {"t": 1, "state": "steady"}\n  replayed: {"t": 1, "state": "ready"}' in out


def test_a_record_of_another_version_is_played_all_the_same(say, record):
    record.write_text(record.read_text().replace(f'"version": "{__version__}"', '"version": "0.0.1"'))
    status, _, err = say("replay", record)
    assert (status, err) == (0, f"recorded by version 0.0.1, replayed by {__version__}\n")


def test_what_is_no_record_is_exit_status_two(say, tmp_path):
    for content, why in ((b"rubbish\n", "line 1: not a JSON object"), (b"\xff\xfe", "not a record: not UTF-8")):
        (tmp_path / "no.jsonl").write_bytes(content)
        status, _, err = say("replay", tmp_path / "no.jsonl")
        assert status == 2 and why in err
    status, _, err = say("replay", tmp_path / "none.jsonl")
    assert status == 2 and "cannot be read: No such file or directory" in err


# -- charts ------------------------------------------------------------------------------------------------------


def test_charts_are_drawn_and_found_stale(say, tmp_path):
    folder = tmp_path / "charts"
    status, out, _ = say("charts", "--output", folder)
    drawn = sorted(path.name for path in folder.iterdir())
    assert status == 0 and len(drawn) > len(UNITS)
    assert out.splitlines() and all(line.endswith(" drawn") for line in out.splitlines())
    assert say("charts", "--check", "--output", folder) == (0, "", "")
    stale = folder / drawn[0]
    stale.write_text("old\n")
    assert say("charts", "--check", "--output", folder) == (1, f"{stale} is stale; run pilelight charts\n", "")
    assert stale.read_text() == "old\n"
    assert say("charts", "--output", folder) == (0, f"{stale} drawn\n", "")
    assert say("charts", "--check", "--output", folder) == (0, "", "")


def test_a_chart_that_cannot_be_written_is_said_with_its_file(say, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = say("charts", "--output", tmp_path / "file")
    assert status == 2 and str(tmp_path / "file") in err


# -- the command line itself ---------------------------------------------------------------------------------------


def test_help_names_every_command_and_the_exit_statuses(say):
    status, out, _ = say("--help")
    assert status == 0 and "exit status" in out
    for command in ("bench", "play", "replay", "charts", "wiring", "doctor", "selftest", "dark", "report"):
        assert re.search(rf"^ +{command} ", out, re.MULTILINE), command
        assert say(command, "--help")[0] == 0


def test_the_version_is_told(say):
    assert say("--version") == (0, f"pilelight {__version__}\n", "")


def test_no_command_is_exit_status_two(say):
    assert say()[0] == 2


def test_wiring_has_a_command_line_of_its_own(say):
    status, out, _ = say("wiring", "--help")
    assert status == 0 and "wiring" in out


class Pipe:
    """A stdout that nobody reads any more, or a disk that is full."""

    def __init__(self, why):
        self.why = why
        self.buffer = self

    def write(self, text):
        raise self.why

    def flush(self):
        raise self.why


@pytest.mark.parametrize("why, status, said", [
    (BrokenPipeError(32, "Broken pipe"), 0, ""),
    (OSError(28, "No space left on device"), 2, "the output cannot be written: No space left on device\n"),
    (KeyboardInterrupt(), 130, ""),
])
def test_an_output_that_cannot_be_written_ends_it_without_a_traceback(monkeypatch, tmp_path, why, status, said):
    errors = io.StringIO()
    errors.close = lambda: None
    monkeypatch.setattr(sys, "stdout", Pipe(why))
    monkeypatch.setattr(sys, "stderr", errors)
    assert main(["charts", "--output", os.fspath(tmp_path)]) == status
    assert errors.getvalue() == said
