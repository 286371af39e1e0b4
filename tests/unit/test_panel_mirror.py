"""A page beside the real board: it shows everything, and nothing that happens to it reaches the game."""

import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType

import pytest

from firmware.looks import Renderer
from firmware.runner import Runner
from firmware.stage import Stage
from hal.errors import MissingLibrary
from hal.panel.access import HERE, CannotListen
from hal.panel.mirror import Mirror
from hal.panel.ways import Spawned
from hal.ports import Answered, Battery, Broke, Contact, Mended, Moved, WheelAt, Wish
from hal.virtual import VirtualBoard
from tests.browser.raw_page import Closed, RawPage
from tests.browser.scripted import HEADERS, TONES, Moment
from tests.desk import make_unit
from wiring.load import load_unit

PAGE = {"header": HEADERS["triple-play"], "tones": TONES, "shows_only": True}
MS = 1_000


def grant(message, at_us):
    """What a game would say to wishes: some it does not grant."""
    if message == {"answer": "no"}:
        return [Answered("no", at_us)]
    if message != {"record": "start"}:
        raise ValueError(f"nobody grants {json.dumps(message)}")
    return [Wish(message, at_us)]


class Beside(Mirror):
    """A mirror whose process was started by it; `granted` is what reached the game."""

    def __init__(self, page=PAGE, understand=grant, files=MappingProxyType({}), port=0, access=HERE):
        self.granted = SimpleQueue()
        self.way = Spawned(port=port, access=access)
        self.url, self.process = self.way.url, self.way.process
        super().__init__(page, self.way, understand, self.granted.put, files)

    def wait_until_the_end_is_known(self):
        self._threads[1].join(10)


@pytest.fixture
def mirror():
    mirror = Beside()
    yield mirror
    mirror.close()
    assert mirror.process.returncode is not None


def shown(page, text):
    """Read until the display shows *text*; False when the page was shown something newer in its place."""
    while True:
        message = page.read()
        lines = message if isinstance(message, list) else [message.get("snapshot", {})]
        for line in lines:
            display = line.get("display")
            if display == text or (isinstance(display, dict) and display["text"] == text):
                return


def test_pages_see_what_the_unit_shows_and_what_people_do_to_it(mirror):
    with RawPage(mirror.url) as page:
        mirror.hear(Moment(1_250_000, [{"state": "playing"}, {"display": "7"}]))
        assert page.read() == [{"t": 1.25, "state": "playing"}, {"t": 1.25, "display": "7"}]
        inputs = [Contact("go", True, 1), Contact("go", False, 2), Moved("power", "on", 3), WheelAt(17, 4),
                  Battery(True, 5), Broke("display", "gone", 6), Mended("display", 7)]
        for given in inputs:
            mirror.heard(given)
        assert [page.read_until("input")["input"] for _ in inputs] == [
            {"press": "go"}, {"release": "go"}, {"switch": "power", "to": "on"}, {"wheel": 17}, {"battery": "low"},
            {"break": "display", "why": "gone"}, {"mend": "display"}]
        with RawPage(mirror.url) as late:
            assert late.hello["snapshot"]["switches"] == {"power": "on", "timer": "off"}
            assert late.hello["snapshot"]["display"] == {"text": "7", "pattern": ""}


def test_pages_press_nothing(mirror):
    with RawPage(mirror.url) as page:
        for message in ({"press": "go"}, {"wheel": 3}, {"unplug": True}, {"pin": "1"}):
            page.say(message)
        answers = [page.read_until("error")["error"] for _ in range(4)]
    assert answers[:2] == ["this page only shows what the unit does; use the unit's own buttons"] * 2
    assert mirror.granted.empty()


def test_pages_are_told_that_the_program_ends():
    mirror = Beside()
    with RawPage(mirror.url) as page:
        mirror.close()
        assert page.read_until("closing") == {"closing": True}
        with pytest.raises(Closed):
            page.read()
    assert mirror.process.returncode == 0
    mirror.close()


def test_a_game_that_is_killed_takes_its_page_with_it():
    """As after kill -9: nobody says goodbye, the process ends all the same and its port is free."""
    script = ("import time; from hal.panel.mirror import Mirror; from hal.panel.ways import Spawned;"
              f"way = Spawned(port=0); mirror = Mirror({PAGE!r}, way, None, None);"
              "print(way.url, flush=True); time.sleep(600)")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as game:
        url = game.stdout.readline().strip()
        with RawPage(url) as page:
            game.kill()
            assert page.read_until("closing") == {"closing": True}
            with pytest.raises((Closed, OSError)):
                page.read_until("never")
    with pytest.raises((Closed, OSError)):
        RawPage(url)


def test_a_page_process_that_dies_is_said_once_and_the_game_goes_on(mirror, capfd):
    with RawPage(mirror.url):
        mirror.process.kill()
        mirror.process.wait()
    for second in range(100):
        mirror.hear(Moment(second * 1_000_000, [{"display": str(second)}]))
    mirror.wait_until_the_end_is_known()
    mirror.hear(Moment(200_000_000, [{"display": "1"}]))
    mirror.heard(Contact("go", True, 200_000_000))
    assert mirror._told.qsize() < 100, "nothing is kept for nobody"
    assert capfd.readouterr().err == "the page beside the unit has ended; the unit plays on\n"


def test_a_process_that_does_not_read_gets_the_newest_state_when_it_does(mirror):
    """What does not fit into the socket is left out; nothing waits and nothing grows."""
    with RawPage(mirror.url) as page:
        os.kill(mirror.process.pid, signal.SIGSTOP)
        for number in range(3_000):
            mirror.hear(Moment(number * MS, [{"event": "turn", "lit": [1], "note": "x" * 1_000},
                                             {"display": str(number)}]))
        while not mirror._told.empty():
            os.sched_yield()
        os.kill(mirror.process.pid, signal.SIGCONT)
        shown(page, "2999")


def test_a_port_in_use_is_said_before_the_game_begins(mirror):
    with pytest.raises(CannotListen, match=f"port {mirror.way.port} on 127.0.0.1 is in use"):
        Spawned(port=mirror.way.port)


def test_a_missing_library_is_said_before_the_game_begins(monkeypatch):
    monkeypatch.setattr("hal.panel.ways.find_spec", lambda name: None)
    with pytest.raises(MissingLibrary, match="starlette is not installed"):
        Spawned(port=0)


# The game's timing


def round_of(presses):
    """Two GOs, then *presses* on pads in turn: a script with a stamp for everything."""
    yield Moved("power", "on", 0)
    names = ["go", "go", *(f"pile{1 + number % 3}" for number in range(presses))]
    for number, name in enumerate(names):
        yield Contact(name, True, (1_000 + 300 * number) * MS)
        yield Contact(name, False, (1_100 + 300 * number) * MS)


def play(listeners, heard, presses=400):
    """Play a round on a virtual board; what was shown, with its moments."""
    board = VirtualBoard(round_of(presses))
    unit = make_unit("triple-play")
    stage = Stage(board, Renderer(load_unit("triple-play").lights), {})
    runner = Runner(unit, board, stage, listeners, heard)
    runner.run()
    return board.shown


def beside(mirror):
    return play([mirror], [mirror.heard])


def test_the_same_is_shown_at_the_same_moments_with_8_pages_a_stalled_one_and_a_killed_process(mirror, capfd):
    alone = play([], [])
    assert len(alone) > 500
    assert beside(mirror) == alone, "no page"
    pages = [RawPage(mirror.url) for _ in range(8)]
    assert beside(mirror) == alone, "8 pages"
    pages.append(RawPage(mirror.url, receive_buffer=4_096))
    assert beside(mirror) == alone, "one that does not read"
    os.kill(mirror.process.pid, signal.SIGSTOP)
    assert beside(mirror) == alone, "a process that does not run"
    mirror.process.kill()
    assert beside(mirror) == alone, "no process"
    for page in pages:
        page.vanish()
    mirror.wait_until_the_end_is_known()
    assert "plays on" in capfd.readouterr().err


def calls_of(act):
    """How many functions, of Python's and of C, this thread calls in *act*."""
    calls = []
    gc.collect()
    gc.disable()                # what it would call on this thread is no work of the game's
    sys.setprofile(lambda frame, event, arg: calls.append(event) if event in ("call", "c_call") else None)
    try:
        act()
    finally:
        sys.setprofile(None)
        gc.enable()
    return len(calls)


def test_the_games_thread_does_the_same_for_8_pages_as_for_none(mirror):
    """Counted, not timed: every function that it calls, in a whole round."""
    beside(mirror)              # what is made once and kept is there now
    without = calls_of(lambda: beside(mirror))
    pages = [RawPage(mirror.url) for _ in range(8)]
    with_pages = calls_of(lambda: beside(mirror))
    for page in pages:
        page.vanish()
    assert with_pages == without > 1_000


def children_of(parent):
    """The process numbers of the children of *parent*."""
    return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if stat_of(pid)[1] == str(parent)]


def stat_of(pid):
    """The state of a process, its parent, and how many threads it has, as /proc tells them."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "gone", "", "0"
    return stat[0], stat[1], stat[17]


def test_the_program_shows_the_same_with_its_page_killed_midway(tmp_path):
    """`pilelight play --board virtual --panel`: line for line what it shows without a page."""
    lines = [{"t": 0, "switch": "power", "to": "on"}, {"t": 1, "tap": "go"}, {"t": 2, "tap": "go"},
             *({"t": 3 + second, "tap": f"pile{1 + second % 3}"} for second in range(20))]
    script = "".join(json.dumps(line) + "\n" for line in lines)
    words = [sys.executable, "-m", "firmware", "play", "triple-play", "--board", "virtual", "--seed", "3"]
    alone = subprocess.run(words, input=script, capture_output=True, text=True).stdout
    assert alone.count("\n") > 50
    with subprocess.Popen([*words, "--panel", "--port", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as program:
        for line in program.stderr:
            if line.startswith("shown on "):
                break
        first, rest = script[:script.index("\n") + 1], script[script.index("\n") + 1:]
        program.stdin.write(first)
        program.stdin.flush()
        with RawPage(line.split()[-1]) as page:
            assert page.hello["header"]["unit"] == "triple-play"
            (page_process,) = children_of(program.pid)
            os.kill(page_process, signal.SIGKILL)
            with pytest.raises((Closed, OSError)):
                page.read_until("never")
        while stat_of(page_process) != ("Z", str(program.pid), "1"):    # dead with its last thread, all sockets closed
            os.sched_yield()
        shown_beside, said = program.communicate(rest)
    assert shown_beside == alone and program.returncode == 0
    assert said.count("plays on") == 1
