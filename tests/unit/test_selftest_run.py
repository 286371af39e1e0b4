"""The self-test on boards: what the parts are really told, and the command from beginning to end."""

import json
import os
import pty
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from firmware.runner import Runner
from firmware.selftest import SelfTest
from firmware.selftest_board import Speaker
from firmware.selftest_results import junit, passed, table
from firmware.selftest_run import _walk
from firmware.selftest_steps import Step, Way, led_names, only, steps_of
from firmware.selftest_walk import Result, Verdict
from hal.ports import Answered, Contact, Moved, Stop
from hal.virtual import VirtualBoard
from tests.contract.rigs import MockRig
from tests.desk import make_unit
from wiring.load import load_unit

ROOT = Path(__file__).resolve().parents[2]
SECOND = 1_000_000
SINGLE = [1 << bit for bit in range(7)]


def shown_on_a_strip(unit, *parts, script=(), within_us=15 * SECOND):
    """Walk through *parts* on the virtual board; (the test, {part: everything that it showed})."""
    core, wiring = make_unit(unit), load_unit(unit)
    main = core.kind.main.contacts[0]
    steps = steps_of(wiring, main, list(core.contacts), core.switches, led_names(wiring.lights.leds), 0)
    test = SelfTest(only(steps, parts), list(core.contacts), main, led_names(wiring.lights.leds), within_us=within_us)
    board = VirtualBoard(script, end_us=1_000 * SECOND)
    assert _walk(test, board, wiring) is False
    return test, {part: [shown.what for shown in board.shown if shown.part == part]
                  for part in ("strip", "display", "buzzer")}


# -- what the parts are told -----------------------------------------------------------------------------------------


def pixels(frame):
    """The LEDs of a frame as (red, green, blue); the wire has green first."""
    return [(frame[at + 1], frame[at], frame[at + 2]) for at in range(0, len(frame), 3)]


@pytest.mark.parametrize("unit", ["triple-play", "master"])
def test_each_led_is_lit_alone_in_each_colour_and_then_all_of_them(unit):
    _, shown = shown_on_a_strip(unit, "strip")
    leds = load_unit(unit).lights.leds
    frames = [pixels(frame) for frame in shown["strip"]]
    alone, together = set(), set()
    for frame in frames:
        lit = [led for led, pixel in enumerate(frame) if any(pixel)]
        channels = "".join(name for name, value in zip("RGB", frame[lit[0]], strict=True) if value) if lit else ""
        if len(lit) == 1:
            alone.add((lit[0], channels))
        elif len(lit) == leds and len(set(frame)) == 1:
            together.add(channels)
    assert alone == {(led, colour) for led in range(leds) for colour in ("R", "G", "B", "RGB")}
    assert together == {"R", "G", "B", "RGB"}


def test_the_strip_never_draws_more_than_its_wiring_allows():
    """C-19: all LEDs white is the most that a self-test can ask for."""
    _, shown = shown_on_a_strip("triple-play", "strip")
    lights = load_unit("triple-play").lights
    drawn_ma = [sum(frame) / 255 * lights.ma_per_channel + lights.leds * lights.ma_idle for frame in shown["strip"]]
    assert 0.9 * lights.max_ma < max(drawn_ma) <= lights.max_ma


def test_each_segment_of_each_digit_is_lit_alone():
    _, shown = shown_on_a_strip("triple-play", "display")
    assert [shape[0] for shape in shown["display"] if len(set(shape)) == 1 and shape[0] in SINGLE][:7] == SINGLE
    eights = [shape for shape in shown["display"] if set(shape) <= {0, 0x7F} and any(shape)]
    assert [shape.hex() for shape in eights[:5]] == ["7f000000", "007f0000", "00007f00", "0000007f", "7f7f7f7f"]


def test_the_buzzer_goes_over_its_whole_range_and_through_every_volume():
    _, shown = shown_on_a_strip("triple-play", "buzzer")
    notes = [note for note in shown["buzzer"] if note != (0, 0)]
    tops = [pitch for pitch, _ in notes[:36]][2::3]
    assert all(lower < higher for lower, higher in pairwise(tops)) and (tops[0], tops[-1]) == (1047, 3136)
    beeps = [(1320, volume) for volume in (1, 2, 3, 4, 5)]
    assert beeps in [notes[at : at + 5] for at in range(len(notes))]


def test_at_the_end_it_is_dark_and_silent():
    """C-21; stopped in the middle of all LEDs in red, all segments or a tone."""
    for part in ("strip", "display", "buzzer"):
        core, wiring = make_unit("triple-play"), load_unit("triple-play")
        steps = steps_of(wiring, "go", list(core.contacts), core.switches, led_names(21), 0)
        test = SelfTest(only(steps, (part,)), list(core.contacts), "go", led_names(21))
        board = VirtualBoard([Stop(2_600_000)])
        assert _walk(test, board, wiring) is True
        last = {shown.part: shown.what for shown in board.shown}
        assert (any(last["strip"]), any(last["display"]), last["buzzer"]) == (False, False, (0, 0)), part
        assert [result.verdict for result in test.walk.all_results] == [Verdict.UNTRIED] * len(test.walk.steps)


def test_what_is_typed_reaches_the_walk_through_the_board():
    script = [Answered(word, at_us) for word, at_us in (("yes", 1 * SECOND), ("skip", 2 * SECOND))]
    test, _ = shown_on_a_strip("triple-play", "buzzer", script=script)
    assert [result.verdict for result in test.walk.results] == [Verdict.OK, Verdict.SKIPPED]


def test_when_it_is_over_the_board_is_stopped_although_its_script_has_ended():
    core, wiring = make_unit("triple-play"), load_unit("triple-play")
    steps = only(steps_of(wiring, "go", list(core.contacts), {}, (), 0), ("go",))
    board = VirtualBoard([Contact("pile1", True, 1_000)], end_us=1_000 * SECOND)
    assert _walk(SelfTest(steps, list(core.contacts), "go", core.lights, within_us=2 * SECOND), board, wiring) is False
    assert board.now_us() < 4 * SECOND


# -- on a Raspberry Pi's board, with a jig ---------------------------------------------------------------------------


class Jig:
    """Output pins wired to the unit's inputs: it does what is asked, except for the lines that nobody connected."""

    def __init__(self, rig, loose=()):
        self.rig, self.loose = rig, loose

    def hear(self, moment):
        for event in moment.events:
            if event["event"] == "self-test" and event["part"] not in self.loose:
                for closed in (True, False):
                    self.rig.drive(event["part"], closed)
                    self.rig.advance(200_000)


@pytest.mark.parametrize("loose, verdicts", [((), ["ok"] * 4), (("pile2",), ["ok", "ok", "failed", "ok"])])
def test_with_loopback_wires_a_pi_tests_its_own_inputs(monkeypatch, loose, verdicts):
    wiring = load_unit("triple-play")._replace(lights=None, display=None, buzzer=None, battery=None)
    core = make_unit("triple-play")
    rig = MockRig(monkeypatch, wiring)
    rig.began()
    steps = steps_of(wiring, "go", list(core.contacts), {}, (), 0)
    test = SelfTest(steps, list(core.contacts), "go", core.lights, within_us=3 * SECOND)
    Runner(test, rig.board, listeners=[Speaker(lambda text: None, rig.board.stop), Jig(rig, loose)]).run()
    rig.close()
    assert [result.verdict.value for result in test.walk.results] == verdicts


# -- the results -----------------------------------------------------------------------------------------------------

GO = Step("go", "", Way.PRESS, "Press it.", "look at the wires to GPIO23 & ground", ())
RED = Step("strip", "red", Way.SHOW, "Red?", "look at the data wire", ())
RESULTS = [
    Result(GO, Verdict.OK, "bounced 2 times", 1.5), Result(RED, Verdict.FAILED, 'the driver said "\x1b[0m<gone>"', 2),
    Result(GO, Verdict.SKIPPED, "", 0.25), Result(RED, Verdict.UNTRIED),
]  # fmt: skip


def test_the_results_as_a_table():
    assert list(table(RESULTS[:1] + RESULTS[3:])) == [
        "ok        go         bounced 2 times",
        "not tried strip red",
        "",
        "1 ok, 1 not tried",
    ]
    assert list(table([Result(RED, Verdict.FAILED, "somebody said no")])) == [
        "failed    strip red  somebody said no",
        "                     → look at the data wire",
        "",
        "0 ok, 1 failed",
    ]


def test_the_results_as_junit():
    """Whatever a driver said, it is XML."""
    text = junit("triple-play", "pi", RESULTS)
    suite = ET.fromstring(text)[0]
    assert suite.attrib == {"name": "selftest triple-play on pi", "tests": "4", "failures": "1", "errors": "1",
                            "skipped": "1", "time": "3.750"}
    cases = [(case.get("classname"), case.get("name"), case.get("time"), [child.tag for child in case])
             for case in suite]
    assert cases == [
        ("triple-play.go", "go", "1.500", []), ("triple-play.strip", "strip red", "2.000", ["failure"]),
        ("triple-play.go", "go", "0.250", ["skipped"]), ("triple-play.strip", "strip red", "0.000", ["error"]),
    ]  # fmt: skip
    failure = suite[1][0]
    assert (failure.get("message"), failure.text) == ('the driver said "?[0m<gone>"', "look at the data wire")


@pytest.mark.parametrize("verdicts, good", [
    ([Verdict.OK, Verdict.SKIPPED], True), ([Verdict.OK, Verdict.FAILED], False), ([Verdict.UNTRIED], False),
])  # fmt: skip
def test_a_unit_has_passed_when_nothing_failed_and_everything_was_reached(verdicts, good):
    assert passed([Result(GO, verdict) for verdict in verdicts]) is good


# -- the command -----------------------------------------------------------------------------------------------------


def command(*words, lines=(), **given):
    return subprocess.run(
        [sys.executable, "-m", "firmware", "selftest", *words], cwd=ROOT, capture_output=True, text=True, timeout=60,
        **(given or {"input": "".join(json.dumps(line) + "\n" for line in lines)}),
    )  # fmt: skip


def test_the_command_in_virtual_time(tmp_path):
    lines = [{"t": 1, "tap": "go"}, {"t": 2, "tap": "pile2"}, {"t": 3, "tap": "go"}, {"t": 4, "tap": "go"},
             {"t": 5, "run": True}]
    parts = ("--only", "go", "--only", "pile2", "--only", "buzzer")
    done = command("triple-play", "--board", "virtual", *parts, "--junit", str(tmp_path / "junit.xml"), lines=lines)
    told = [line for line in done.stdout.splitlines() if not re.match(r"\s*[\d.]+ (strip|display|buzzer) ", line)]
    assert told == [
        " 1/4  Press the GO button, and let it go.",
        "       ok",
        " 2/4  Press the pile pad 2, and let it go.",
        "       ok",
        " 3/4  Do you hear 12 tones, each higher than the one before?",
        "       ok",
        " 4/4  Do you hear 5 beeps, each louder than the one before?",
        "       ok",
        "",
        "ok        go",
        "ok        pile2",
        "ok        buzzer tones",
        "ok        buzzer volumes",
        "",
        "4 ok",
    ]
    assert done.returncode == 0
    assert done.stderr == (
        "board virtual: asked for\nGO: a tap is yes, held for a second is no. Ctrl-C ends the test.\n")
    assert ET.parse(tmp_path / "junit.xml").getroot()[0].get("failures") == "0"


def test_a_script_that_ends_too_soon_is_no_success():
    parts = ("--only", "go", "--only", "pile2")
    done = command("triple-play", "--board", "virtual", *parts, lines=[{"t": 1, "tap": "go"}])
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == ["ok        go", "not tried pile2", "", "1 ok, 1 not tried"]


@pytest.mark.parametrize("words, said", [
    (["tripel-play"], "unknown unit 'tripel-play'; there are triple-play, master, spin, party"),
    (["triple-play", "--board", "virtual", "--only", "wheel"],
     "--only: there is no part 'wheel'; there are go, pile1, pile2, pile3, power, timer, strip, display, buzzer"),
    (["triple-play", "--auto", "--within", "0"], "--within 0: must be seconds from 0.1 to 3600, like 10"),
    (["triple-play", "--auto", "--within", "nan"], "--within nan: must be seconds from 0.1 to 3600, like 10"),
    (["master", "--wiring", "spin"], "wiring/units/spin.toml: unit = 'spin': not the wiring of 'master'"),
    (["triple-play", "--board", "breadboard"], "there is no board 'breadboard'; there are: panel, pi, virtual"),
    (["triple-play", "--board", "virtual", "--auto", "--only", "go", "--junit", "/dev/null/junit.xml"],
     "--junit /dev/null/junit.xml: cannot be written: Not a directory"),
])  # fmt: skip
def test_what_makes_no_sense_is_said_in_a_line(words, said):
    done = command(*words)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, said)


def test_in_the_browser_without_anybody_there():
    done = command("triple-play", "--board", "panel", "--port", "0", "--no-browser", "--auto", "--within", "0.1",
                   "--only", "go")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        " 1/1  Press the GO button, and let it go.",
        "       failed: no answer in time",
        "",
        "failed    go  no answer in time",
        "              → look at the wires to GPIO23 and ground, pin 20",
        "",
        "0 ok, 1 failed",
    ]


@pytest.fixture
def terminal():
    """A terminal with `pilelight selftest` in the browser running in it: the process, and what its keyboard is."""
    keyboard, inside = pty.openpty()
    words = ["triple-play", "--board", "panel", "--port", "0", "--no-browser", "--only", "buzzer"]
    process = subprocess.Popen([sys.executable, "-m", "firmware", "selftest", *words], cwd=ROOT, stdin=inside,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    os.close(inside)
    yield process, keyboard
    os.close(keyboard)
    if process.poll() is None:
        process.kill()
    process.wait(timeout=30)


def test_at_the_keyboard(terminal):
    process, keyboard = terminal
    assert process.stdout.readline() == " 1/2  Do you hear 12 tones, each higher than the one before?\n"
    os.write(keyboard, b"maybe\nN\n")
    assert process.stdout.readline() == "       failed: somebody said no\n"
    assert process.stdout.readline() == " 2/2  Do you hear 5 beeps, each louder than the one before?\n"
    os.write(keyboard, b"y\n")
    rest, errors = process.communicate(timeout=30)
    assert rest.splitlines()[0] == "       ok"
    assert rest.splitlines()[-1] == "1 ok, 1 failed"
    assert process.returncode == 1
    assert "Or type y, n or s (skip), and ENTER." in errors and errors.endswith("y, n or s (skip)\n")


def test_ctrl_c_ends_it_with_what_was_found_so_far(terminal):
    process, keyboard = terminal
    process.stdout.readline()
    os.write(keyboard, b"skip\n")
    process.stdout.readline()
    process.send_signal(2)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert rest.splitlines()[-4:] == [
        "skipped   buzzer tones", "not tried buzzer volumes", "", "0 ok, 1 skipped, 1 not tried"]


def test_the_unit_itself_takes_no_notice_of_what_is_typed():
    core = make_unit("triple-play")
    assert core.feed(Answered("yes", 0)) == []
    assert core.feed(Moved("power", "on", 1)) and core.feed(Contact("go", True, 2)) is not None
