"""GO was held when the unit got its power: the self-test begins by itself, and nothing is played."""

import argparse
import json
import threading
from contextlib import nullcontext
from itertools import chain

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware import commands, safemode, selftest
from firmware.assembly import known_kind
from firmware.doctor_place import this_place
from firmware.glyphs import segments
from firmware.notify import Service
from firmware.report import _selftests
from firmware.safemode import SafeMode, keep, safe_mode
from hal.errors import LineBusy
from hal.pi.board import PiBoard
from hal.ports import Answered, Broke, Contact, Moved, Stop, Wish
from hal.virtual import VirtualBoard
from tests.browser.raw_page import RawPage
from tests.contract.rigs import MockRig
from tests.unit.test_panel_wishes import Service as PanelService
from tests.unit.test_panel_wishes import fetched
from wiring.load import load_unit

S = 1_000_000
LEDS = 21


@pytest.fixture
def options(tmp_path):
    return argparse.Namespace(
        unit="triple-play", state=str(tmp_path), wiring=None, panel=False, panel_socket=None, lan=False, board="pi",
        config="bad.toml", set=["more nonsense"])


def mode_of(unit="triple-play", told=None):
    return SafeMode(known_kind(unit), load_unit(unit), told or Service())


def tap(name, at_us, for_us=100_000):
    return [Contact(name, True, at_us), Contact(name, False, at_us + for_us)]


def whole_walk(unit="triple-play", first_s=5):
    """Everything answered with yes, five seconds after each other; GO held from the start and let go in between."""
    inputs = [Contact("go", True, 0, at_start=True), Contact("go", False, 2 * S)]
    at_us = first_s * S
    for name in ("go", "pile1", "pile2", "pile3"):
        inputs += tap(name, at_us)
        at_us += 5 * S
    for switch in ("power", "timer"):
        inputs += [Moved(switch, "on", at_us), Moved(switch, "off", at_us + S)]
        at_us += 5 * S
    for _ in range(8):
        inputs += tap("go", at_us)
        at_us += 5 * S
    return inputs, at_us


def pixels(frame):
    """The LEDs of a frame as (red, green, blue); the wire has green first."""
    return [(frame[at + 1], frame[at], frame[at + 2]) for at in range(0, len(frame), 3)]


def shown(board, part, from_us, to_us):
    return [shown.what for shown in board.shown if shown.part == part and from_us <= shown.at_us < to_us]


def test_the_unit_says_what_it_is_walks_through_its_parts_and_shows_that_all_is_well(options, tmp_path, capsys):
    inputs, over_us = whole_walk()
    board = VirtualBoard(inputs, over_us + 10 * S)
    mode_of().walk_on(board, options)
    begin = set(shown(board, "strip", 0, 3 * S))
    assert {tuple(sorted(set(pixels(frame)))) for frame in begin} >= {((0, 0, 0),)} and len(begin) == 2
    lit = pixels(max(begin, key=sum))
    assert len(set(lit)) == 1 and min(lit[0]) > 0, "all of them white, and dark, and white"
    assert shown(board, "display", 0, 3 * S) == [segments("tESt")]
    end = set(shown(board, "strip", over_us, over_us + 9 * S))
    assert {tuple(bool(channel) for channel in pixel) for frame in end for pixel in pixels(frame)} == {
        (False, True, False), (False, False, False)}, "all green, slowly"
    assert shown(board, "display", over_us - 5 * S, over_us + 9 * S)[-1] == segments("good")
    dark = {part: shown(board, part, 0, over_us + 99 * S)[-1] for part in ("strip", "display", "buzzer")}
    assert (any(dark["strip"]), any(dark["display"]), dark["buzzer"]) == (False, False, (0, 0)), "C-21"
    said = capsys.readouterr().err
    assert " 1/14  Press the GO button, and let it go.\n       ok\n 2/14" in said
    assert "14 ok\nthe self-test is over: 14 ok; to play, switch the power off and on\n" in said
    assert [file.name for file in tmp_path.iterdir()] == ["triple-play.selftest"], "no round is kept"


def test_go_held_from_power_on_answers_nothing(options):
    """As long as it is held the unit says what it is; nothing is asked, and only the next press counts."""
    held = [Contact("go", True, 0, at_start=True), Contact("go", False, 100 * S)]
    asked, ask = [], " 1/14  Press the GO button, and let it go."
    for script in ([*held, Stop(110 * S)], [*held, *tap("go", 105 * S), Stop(110 * S)], [held[0], Stop(200 * S)]):
        board = VirtualBoard(script)
        mode = mode_of()
        mode._say = asked.append
        mode.walk_on(board, options)
        assert shown(board, "display", 0, 101 * S) == [segments("tESt")]
        asked.append("stopped")
    assert asked == [
        ask, "stopped", ask, "       ok", " 2/14  Press the pile pad 1, and let it go.", "stopped", "stopped",
    ]  # fmt: skip


def test_a_board_that_opens_slowly_announces_as_long_as_any(options):
    """The walk begins with its loop, not with the board's clock: what is held then is told in time."""
    board = VirtualBoard([Contact("go", True, 5 * S + 1, at_start=True), Stop(30 * S)])
    assert board.wait(5 * S) == []
    mode = mode_of()
    asked = []
    mode._say = asked.append
    mode.walk_on(board, options)
    assert asked == []
    assert shown(board, "display", 5 * S, 29 * S) == [segments("tESt")]


def test_a_go_that_never_opens_does_not_keep_a_page_from_going_on(options, capsys):
    """A wire that touches ground: its owner skips the announcement, and then says what is wrong."""
    board = VirtualBoard([
        Contact("go", True, 0, at_start=True), Answered("skip", 10 * S), Answered("no", 11 * S), Stop(12 * S)])
    mode_of().walk_on(board, options)
    assert "failed: somebody said no; it is closed since the start: a wire to ground" in capsys.readouterr().err


def test_what_failed_is_counted_shown_kept_and_in_a_report(options, tmp_path, capsys):
    board = VirtualBoard(
        [Broke("buzzer", "no PWM", 0), *[Answered("no", at * S) for at in range(5, 40, 2)], Stop(60 * S)])
    mode_of().walk_on(board, options)
    assert shown(board, "display", 0, 60 * S)[-1] == segments("F 14")
    red = {pixel for frame in shown(board, "strip", 45 * S, 59 * S) for pixel in pixels(frame)}
    assert {tuple(map(bool, pixel)) for pixel in red} == {(True, False, False), (False, False, False)}
    kept = (tmp_path / "triple-play.selftest").read_text()
    first, _, lines = kept.partition("\n")
    assert first.startswith("pilelight ") and first.endswith(", triple-play")
    assert "failed    buzzer tones      no PWM\n" in lines and lines.endswith("\n0 ok, 14 failed\n")
    assert lines in capsys.readouterr().err
    told = _selftests(this_place(), str(tmp_path))
    assert told["triple-play.selftest.txt"].partition("\n")[2] == kept


@pytest.mark.parametrize("moves, ends_at_s", [
    ([("power", "off"), ("power", "on")], 91), ([("power", "on")], 90), ([("timer", "on")], 99)])
def test_switched_off_and_on_it_ends_and_the_next_start_is_a_usual_one(options, moves, ends_at_s):
    """The walk leaves the switch at off; before its end the switch is a part like others."""
    inputs, over_us = whole_walk()
    assert over_us == 75 * S
    later = [Moved(switch, to, (90 + number) * S) for number, (switch, to) in enumerate(moves)]
    board = VirtualBoard([*inputs, *later, Stop(99 * S)])
    mode_of().walk_on(board, options)
    assert board.now_us() == ends_at_s * S


def test_what_is_asked_is_in_the_status(options):
    told = []

    class Listening(Service):
        def _tell(self, message):
            told.append(message)

    board = VirtualBoard([*tap("go", 5 * S), Stop(6 * S)])
    mode_of(told=Listening()).walk_on(board, options)
    assert told[0] == "READY=1\nSTATUS=playing"
    assert told[1:3] == ["STATUS=safe mode: 1/14  Press the GO button, and let it go.", "STATUS=safe mode: ok"]


def test_results_that_cannot_be_kept_are_said(tmp_path, capsys):
    keep(tmp_path / "none", "spin", ["0 ok"])
    assert capsys.readouterr().err.endswith("spin.selftest: the results cannot be kept: No such file or directory\n")


# -- how it begins ---------------------------------------------------------------------------------------------------


def test_safe_mode_begins_when_go_is_held_on_a_real_board_whatever_the_settings_say(options, monkeypatch, capsys):
    """Settings that are wrong and a round that does not fit are no obstacle: neither is read."""
    board = VirtualBoard([Stop(S)])
    options.watch = None
    monkeypatch.setattr(commands, "go_is_held", lambda wiring, main: main == "go")
    monkeypatch.setattr(safemode, "open_pi", lambda wiring, settings: board)
    monkeypatch.setattr(safemode, "first_light", lambda wiring: nullcontext())
    assert commands.play(options) == 0
    assert board.closed
    said = capsys.readouterr().err
    assert said.startswith("GO is held: safe mode, with default settings") and "GO: a tap is yes" in said


def test_a_board_that_cannot_be_opened_is_said(options, monkeypatch, capsys):
    def busy(wiring, settings):
        raise LineBusy("GPIO23 (go) is busy")

    monkeypatch.setattr(safemode, "open_pi", busy)
    monkeypatch.setattr(safemode, "first_light", lambda wiring: nullcontext())
    assert safe_mode(options, known_kind("triple-play")) == 2
    assert capsys.readouterr().err.endswith("GPIO23 (go) is busy\n")


def test_on_a_pi_go_that_is_found_held_is_no_answer(monkeypatch, options):
    """The board itself tells what was closed when it was opened; the walk starts when it is pressed anew."""
    wiring = load_unit("triple-play")._replace(lights=None, display=None, buzzer=None, battery=None)
    rig = MockRig(monkeypatch, wiring, held=("go",))
    asked = []

    def say(text):
        asked.append(text.strip())
        if text.startswith(" 1/"):
            for closed in (True, False):
                rig.drive("go", closed)
                rig.advance(200_000)
        if text.startswith(" 2/"):
            rig.board.stop()

    mode = SafeMode(known_kind("triple-play"), wiring, Service())
    mode._say = say
    rig.drive("go", False)
    mode.walk_on(rig.board, options)
    rig.close()
    assert asked == ["1/6  Press the GO button, and let it go.", "ok", "2/6  Press the pile pad 1, and let it go."]


# -- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message, said", [
    ({"record": "start"}, "in safe mode nothing is played, and nothing recorded"),
    ({"answer": "perhaps"}, "'answer' stands alone and must be yes, no, skip"),
    ({"answer": ["yes"]}, "'answer' stands alone and must be yes, no, skip"),
    ({"answer": "yes", "more": 1}, "'answer' stands alone and must be yes, no, skip"),
    ({"press": "go"}, "this page only shows what the unit does; use the unit's own buttons"),
    ({"unit": "spin"}, "this unit is wired as it is; another one is played where that is built"),
])
def test_what_pages_may_not_want_here(message, said):
    with pytest.raises(ValueError, match=r".") as refusal:
        mode_of().understand(message, 0)
    assert str(refusal.value) == said


def test_what_pages_may_want_here():
    assert mode_of().understand({"answer": "skip"}, 7) == [Answered("skip", 7)]
    assert mode_of().understand({"settings": {"common": {"volume": 1}}}, 7) == [
        Wish({"settings": {"common": {"volume": 1}}}, 7)]


def test_a_page_answers_the_test_sees_how_it_ended_and_takes_settings_home(options, tmp_path, monkeypatch):
    """A Pi's board in real time, on mock pins; the page is that of a panel apart."""
    monkeypatch.setattr(selftest, "ANNOUNCE_US", 1_000)
    monkeypatch.setattr(selftest, "PAUSE_US", 1_000)
    options.panel_socket = str(tmp_path / "panel.sock")
    wiring = load_unit("triple-play")._replace(lights=None, display=None, buzzer=None, battery=None)
    board = PiBoard(wiring, factory=MockFactory(pin_class=MockPWMPin))
    service = PanelService(options.panel_socket, monkeypatch)
    seen = {}

    def play():
        try:
            with RawPage(service.url) as page:
                while not page.hello.get("answers"):
                    page.hello = page.read_until("hello")
                seen["settings"] = bool(page.hello["settings"])
                over, answered, messages = None, 0, chain([page.hello], iter(page.read, None))
                while over is None:
                    message = next(messages)
                    for line in message if isinstance(message, list) else message.get("snapshot", {}).get("events", []):
                        over = line if line.get("event") == "self-test-over" else over
                        if line.get("event") == "self-test" and line["step"] > answered:
                            answered = line["step"]
                            page.say({"answer": "no" if line["part"] == "pile2" else "skip"})
                seen["over"] = over
                page.say({"settings": {"triple_play": {"turn_seconds": 33}}})
                hello = page.read_until("hello")
                seen["turn"] = hello["header"]["settings"]["triple_play"]["turn_seconds"]
                seen["shown"] = hello["snapshot"]["events"][-1]["event"]
                seen["toml"] = fetched(service.url, "settings.toml")
        finally:
            board.stop()

    player = threading.Thread(target=play)
    player.start()
    try:
        mode = SafeMode(known_kind("triple-play"), wiring, Service())
        mode.walk_on(board, options)
    finally:
        board.close()
        player.join()
        service.mirrored.close()
    assert (seen["over"]["failed"], seen["over"]["of"]) == (1, 6)
    assert seen["over"]["parts"]["pile2"] == ["failed", "somebody said no"]
    assert seen["over"]["parts"]["pile1"] == ["skipped", ""]
    assert (seen["settings"], seen["turn"], seen["shown"]) == (True, 33, "self-test-over")
    assert "turn_seconds = 33" in seen["toml"]
    assert json.loads(json.dumps(mode.values))["triple_play"]["turn_seconds"] == 33
