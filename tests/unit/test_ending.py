"""How programs end: by signals, at once, with the exit status that the help promises."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENDED = {"bench": {signal.SIGTERM: 0, signal.SIGHUP: 0, signal.SIGINT: 130}, "play": dict.fromkeys(
    (signal.SIGTERM, signal.SIGHUP, signal.SIGINT), 0)}


def started(*words):
    """Start a program that reads stdin, and wait until it answers."""
    command = [sys.executable, "-u", "-m", "firmware", *words]
    program = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    program.stdin.write(b'{"t": 0, "switch": "power", "to": "on"}\n{"t": 0, "run": true}\n')
    program.stdin.flush()
    for line in program.stdout:
        if b'"ok": 2' in line or b"display" in line:
            return program
    raise AssertionError(f"it ended by itself, with {program.wait()}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("words", [("bench", "triple-play"), ("play", "triple-play", "--board", "virtual")])
def test_a_signal_ends_a_program_that_waits_for_a_line(words, number):
    """C-21: also when the terminal is closed (SIGHUP); nothing is left running, nobody sees a traceback."""
    with started(*words) as program:
        program.send_signal(number)
        told, _ = program.communicate(timeout=10)
    assert program.returncode == ENDED[words[0]][number]
    assert b"Traceback" not in told


@pytest.mark.parametrize("words, said", [
    (("play", "--port", "99999"), "'99999' is no port"), (("play", "--state", ""), "the name is empty"),
    (("play", "--board", "virtual", "--wiring", "nonsense"), "nonsense"),
    (("bench", "master", "--config", "/dev/zero"), "too long for settings"),
    (("charts", "--output", "/dev/null"), "Not a directory"),
    (("play", "--board", "virtual", "--record", "/nonexistent/x"), "cannot be written"),
    (("selftest", "master", "--board", "virtual", "--junit", "/nonexistent/x"), "cannot be written"),
])
def test_what_cannot_be_is_said_in_words(words, said):
    """BENCH: one clear message, exit status 2, no traceback."""
    done = subprocess.run([sys.executable, "-m", "firmware", *words], cwd=ROOT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_settings_from_an_editor_that_marks_its_files(tmp_path):
    """BENCH: Windows' editor puts a mark before the first byte; the file is read all the same."""
    config = tmp_path / "mine.toml"
    config.write_bytes(b"\xef\xbb\xbf[master]\npenalty_cards = 4\n")
    done = subprocess.run([sys.executable, "-m", "firmware", "bench", "master", "--config", config], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    assert '"penalty_cards": 4' in done.stdout


def test_the_drawn_charts_are_those_that_run():
    """The pictures in docs/charts are made from the tables; stale ones are told with exit status 1."""
    done = subprocess.run([sys.executable, "-m", "firmware", "charts", "--check"], cwd=ROOT, capture_output=True,
                          text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "")


def test_stale_charts_are_told_and_drawn(tmp_path):
    """Drawn where they are missing, told where one differs, silent when all is well."""
    def charts(*words):
        return subprocess.run([sys.executable, "-m", "firmware", "charts", "--output", tmp_path, *words], cwd=ROOT,
                              capture_output=True, text=True, timeout=30)

    assert charts("--check").returncode == 1 and not list(tmp_path.iterdir())
    assert charts().returncode == 0 and charts("--check").returncode == 0
    (tmp_path / "spin.md").write_text("old")
    told = charts("--check")
    assert told.returncode == 1 and told.stdout == f"{tmp_path / 'spin.md'} is stale; run pilelight charts\n"
