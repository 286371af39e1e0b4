"""How the program begins: `dark` on the shortest way, and the night watch before everything that it must not hold."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware import cli, playing, safemode, selftest_run, start
from firmware.assembly import all_settings, known_kind, settings_of, wiring_of
from firmware.clerk import Clerk
from firmware.unit import Unit
from hal.errors import LineBusy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made_dark(monkeypatch):
    """The units that were made dark; all have a display that does not answer."""
    units = []

    def darken(wiring):
        units.append(wiring.unit)
        return ["display: no answer"]

    monkeypatch.setattr("hal.pi.dark.darken", darken)
    return units


@pytest.mark.parametrize("words", [
    ["spin"], ["spin", "--wiring", "spin"], ["spin", "--wiring", "wiring/units/spin.toml"],
])
def test_both_ways_to_the_dark_do_and_say_the_same(made_dark, capsys, monkeypatch, words):
    """C-21."""
    monkeypatch.chdir(ROOT)
    said = [(way(["dark", *words]), capsys.readouterr()) for way in (start.main, cli.main)]
    assert said[0] == said[1] == (1, ("", "display: no answer\n"))
    assert made_dark == ["spin", "spin"]


def test_all_that_is_dark_is_well(monkeypatch):
    """C-21."""
    monkeypatch.setattr("hal.pi.dark.darken", lambda wiring: [])
    assert start.main(["dark", "triple-play"]) == 0


@pytest.mark.parametrize("words, says", [
    (["tripel-play"], "unknown unit 'tripel-play'"), (["spin", "--wiring", "master"], "not the wiring of 'spin'"),
    (["spin", "--wiring", "/nowhere.toml"], "/nowhere.toml: cannot be read"),
])
def test_what_is_wrong_is_said_on_the_long_way(made_dark, capsys, words, says):
    assert start.main(["dark", *words]) == 2
    assert says in capsys.readouterr().err and made_dark == []


def test_a_command_line_that_is_no_darkness_goes_the_long_way(made_dark, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pilelight", "--version"])
    with pytest.raises(SystemExit) as end:
        start.main()
    assert end.value.code == 0 and capsys.readouterr().out.startswith("pilelight ")
    with pytest.raises(SystemExit):
        start.main(["dark", "--help"])
    assert made_dark == []


def test_the_shortest_way_loads_no_game():
    """C-21: each module costs a small board a hundredth of a second in which the buzzer sounds on."""
    ask = ("import sys, hal.pi.dark; hal.pi.dark.darken = lambda wiring: []; from firmware.start import main; "
           "main(['dark', 'triple-play']); print(*sys.modules)")
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    said = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, env=unmeasured, capture_output=True, text=True, check=True)
    loaded = set(said.stdout.split())
    assert loaded & {"argparse", "json", "logging", "random", "hal.pi.worker", "firmware.cli", "firmware.unit"} == set()


@pytest.fixture
def told(monkeypatch):
    """What happens in which order while a board is opened whose lines are busy."""
    told = []

    class Watch:
        def __init__(self, put_out):
            told.append(("watch", put_out.func.__name__, put_out.args[0].unit))

        def __enter__(self):
            return self

        def __exit__(self, *failed):
            told.append(("dismissed", *failed))

    def open_pi(wiring, settings):
        told.append("board")
        raise LineBusy("GPIO23 (go) is busy")

    monkeypatch.setattr("hal.pi.nightwatch.NightWatch", Watch)
    monkeypatch.setattr("hal.pi.dark.first_light", lambda lights: told.append("first light"))
    monkeypatch.setattr("hal.pi.dark.no_light", lambda lights: told.append("no light"))
    monkeypatch.setattr(playing, "open_pi", open_pi)
    monkeypatch.setattr(safemode, "open_pi", open_pi)
    monkeypatch.setattr(selftest_run, "open_pi", open_pi)
    return told


WITHOUT_A_BOARD = [
    ("watch", "darken", "triple-play"), "first light", "board", "no light", ("dismissed", None, None, None)]


def test_the_watch_stands_by_before_the_first_light(told, tmp_path, capsys):
    """C-21: and the sign of life goes out again when there is none, since somebody else has the lines."""
    words = ["play", "triple-play", "--board", "pi", "--state", str(tmp_path), "--record", str(tmp_path / "record")]
    options = cli._parser().parse_args(words)
    assert playing.play(options, known_kind("triple-play"), all_settings(None, [])) == 2
    assert told == WITHOUT_A_BOARD
    assert capsys.readouterr().err.endswith("GPIO23 (go) is busy\n")


def test_a_selftest_is_watched_over_too(told):
    """C-21."""
    kind = known_kind("spin")
    values = all_settings(None, [])
    unit = Unit(kind, settings_of(kind, values), seed=0)
    with ExitStack() as closing:
        openers = selftest_run._openers(
            SimpleNamespace(), unit, wiring_of(kind, None), values["board"], None, closing)
        with pytest.raises(LineBusy):
            openers["pi"]()
    assert told == [("watch", "darken", "spin"), "board", ("dismissed", None, None, None)]


def test_safe_mode_is_watched_over_too(told):
    """C-21."""
    options = cli._parser().parse_args(["play", "triple-play", "--board", "pi"])
    assert safemode.safe_mode(options, known_kind("triple-play")) == 2
    assert told == WITHOUT_A_BOARD


def test_a_clerk_without_an_errand_is_no_thread():
    """C-21: the night watch is forked, and a thread that waits then would be lost in it."""
    clerk = Clerk()
    assert not clerk._thread.is_alive()
    clerk.close()
    done = []
    clerk.do(lambda: done.append("errand"))
    clerk.close()
    assert done == ["errand"]


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_without_stdin_stdout_or_stderr_no_file_of_ours_takes_their_numbers(tmp_path, closed):
    """A driver in C prints to 1 and 2, whatever is there: a word in the line to the night watch would darken a game."""
    told = tmp_path / "told"
    code = (f"import os\n[os.close(number) for number in {closed}]\n"
            "from firmware.start import main\n"
            "assert main(['dark', 'none']) == 2\n"
            f"print(sorted(os.readlink(f'/proc/self/fd/{{n}}') for n in {closed}), "
            f"os.open({str(tmp_path)!r}, os.O_RDONLY), file=open({str(told)!r}, 'w'))")
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    nulls, _, number = told.read_text().strip().rpartition(" ")
    assert nulls == str(["/dev/null"] * len(closed)) and int(number) > 2
