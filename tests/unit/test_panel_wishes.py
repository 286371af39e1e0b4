"""What pages beside the real board want of it: asked in words, checked in the game's process, answered to who asked."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from queue import SimpleQueue

import pytest

from hal.errors import BoardError
from hal.panel import mirror as mirror_module
from hal.panel import mirrored as mirrored_module
from hal.panel import ways
from hal.panel.access import HERE
from hal.panel.mirror import LONGEST, Mirror
from hal.panel.mirrored import Mirrored, stay
from hal.panel.pace import Pace
from hal.panel.ways import Meeting
from hal.ports import Answered, Contact, Moved, Wish
from tests.browser.raw_page import RawPage
from tests.browser.scripted import Moment
from tests.unit.test_panel_mirror import PAGE, Beside, beside, play

TOO_MUCH = "that is too much at once; wait a moment"
RECORDING = {**PAGE, "recording": True}


@pytest.fixture
def mirror():
    mirror = Beside(files={"record.jsonl": lambda: (f"{number:09999}\n" for number in range(50))})
    yield mirror
    mirror.close()


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "panel.sock")


def fetched(url, name):
    with urllib.request.urlopen(f"{url}{name}", timeout=20) as answer:
        return answer.read().decode()


# -- a page of this machine or of the owner ----------------------------------------------------------------------------


def test_a_wish_reaches_the_game_once_and_what_comes_of_it_all_pages(mirror):
    with RawPage(mirror.url) as page, RawPage(mirror.url) as other:
        mirror.hear(Moment(1_000_000, [{"state": "playing"}, {"lights": {"pile1": "white"}}, {"display": "7"}]))
        mirror.heard(Moved("power", "on", 1_000_000))
        page.say({"record": "start"})
        assert mirror.granted.get(timeout=10) == Wish({"record": "start"}, 0)
        mirror.turn_to(RECORDING, mirror._understand)
        for one in (page, other):
            hello = one.read_until("hello")
            assert hello["recording"] is True and hello["shows_only"] is True
            assert hello["snapshot"]["switches"]["power"] == "on", "people's switches stay where they are"
            assert hello["snapshot"]["lights"]["pile1"] == "off", "what is shown comes anew"
    assert mirror.granted.empty()


def test_the_game_refuses_in_its_own_words_to_the_page_that_asked(mirror):
    with RawPage(mirror.url) as page, RawPage(mirror.url) as other:
        page.say({"settings": {"triple_play": {"turn_seconds": 0}}})
        assert page.read_until("error")["error"] == 'nobody grants {"settings": {"triple_play": {"turn_seconds": 0}}}'
        other.say({"answer": "no"})
        assert mirror.granted.get(timeout=10) == Answered("no", 0)
        mirror.hear(Moment(1, [{"display": "1"}]))
        other.say({"unit": "spin"})
        assert other.read_until("error")["error"] == 'nobody grants {"unit": "spin"}'


def test_guests_wish_for_nothing_and_the_pin_makes_an_owner(place, monkeypatch):
    """Beside the real board, too: phones only look, until somebody enters the PIN."""
    monkeypatch.setattr("hal.panel.room.is_loopback", lambda address: False)
    game = meet(place, understand=lambda what, at_us: [Wish(what, at_us)])
    service = Service(place, monkeypatch, HERE._replace(pin="271828"))
    assert service.said.get(timeout=10) == "the unit is there"
    with RawPage(service.url) as phone:
        for message in ({"record": "start"}, {"settings": {}}, {"answer": "yes"}, {"unit": "spin"}):
            phone.say(message)
            assert phone.read_until("error")["error"] == "that is the owner's: enter the PIN"
        phone.say({"pin": "271828"})
        assert phone.read_until("share")["owner"] is True
        phone.say({"press": "go"})
        assert phone.read_until("error")["error"] == mirrored_module.ONLY_SHOWS
        phone.say({"record": "start"})
        assert game.granted.get(timeout=10) == Wish({"record": "start"}, 0)
    assert game.granted.empty()
    game.close()
    service.mirrored.close()


def test_a_file_is_fetched_from_the_game_piece_by_piece(mirror):
    """More than a socket holds at once; two pages at the same time."""
    with RawPage(mirror.url):
        texts = []
        fetch = lambda: texts.append(fetched(mirror.url, "record.jsonl"))  # noqa: E731
        threads = [threading.Thread(target=fetch) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert texts == ["".join(f"{number:09999}\n" for number in range(50))] * 2


def test_a_file_that_is_not_there_is_said(mirror):
    with RawPage(mirror.url), pytest.raises(urllib.error.HTTPError, match="404"):
        fetched(mirror.url, "settings.toml")


# -- the process with the pages is not trusted -------------------------------------------------------------------------


class Pair:
    """A way whose other end the test holds."""

    gone = "gone"

    def __init__(self):
        self.near, self.far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.far.settimeout(10)

    def lines(self):
        yield self.near

    def close(self):
        self.far.close()


@pytest.fixture
def held():
    """A mirror whose other end is in the test's hand, with what reached the game."""
    way, granted = Pair(), SimpleQueue()
    mirror = Mirror(PAGE, way, lambda what, at_us: [Wish(what, at_us)], granted.put, {"endless": endless})
    mirror.way, mirror.granted = way, granted
    assert json.loads(way.far.recv(1 << 20))["page"]["header"] == PAGE["header"]
    yield mirror
    mirror.close()


def endless():
    while True:
        yield "x" * 10_000


@pytest.mark.parametrize("nonsense", [
    b"\xff", b"[" * 10_000, b"7", b'{"press": "go"}', b'{"wish": "all", "number": 1}', b'{"wish": {}, "number": "one"}',
    b'{"wish": {}, "number": 1, "more": 2}', b'{"fetch": 7, "number": 1}', b"x" * (LONGEST + 1),
])
def test_nonsense_ends_the_connection_and_reaches_nobody(held, nonsense, capsys):
    held.way.far.send(nonsense)
    assert held.way.far.recv(100) == b""
    held._threads[1].join(10)
    assert held.granted.empty()
    said = capsys.readouterr().err
    assert said.startswith("the page beside the unit: a message") and said.endswith("came from it\ngone\n")


def test_what_is_no_wish_is_never_handed_to_the_game(held):
    """Whatever the game makes of a message: from there come wishes and answers, and nothing is pressed."""
    held._understand = lambda what, at_us: [Contact("go", True, at_us)]
    held.way.far.send(b'{"wish": {"press": "go"}, "number": 1}')
    assert json.loads(held.way.far.recv(1_000)) == {"answer": 1, "refused": None}
    assert held.granted.empty()


def test_wishes_without_end_are_refused_and_read_slowly(held):
    """The first five are granted; a flood waits in the socket, outside of the game."""
    held.way.far.setblocking(False)
    sent = 0
    with suppress(BlockingIOError):
        while sent < 100_000:
            held.way.far.send(b'{"wish": {"record": "start"}, "number": 1}')
            sent += 1
    held.way.far.settimeout(10)
    answers = [json.loads(held.way.far.recv(1_000))["refused"] for _ in range(20)]
    assert answers == [None] * 5 + [TOO_MUCH] * 15
    assert held.granted.qsize() == 5
    assert 20 < sent < 100_000, "there is more, and nobody reads it now"


def test_a_pace_lets_some_through_at_once_and_then_so_many_a_second():
    now = [100.0]
    pace = Pace(3, 2.0, lambda: now[0])
    assert [pace.may() for _ in range(5)] == [True, True, True, False, False]
    now[0] += 0.5
    assert [pace.may(), pace.may()] == [True, False]
    assert [pace.book(), pace.book()] == [0.5, 1.0]
    now[0] += 60
    assert [pace.book() for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_file_is_over_at_once_when_the_game_ends_in_the_middle(place, monkeypatch):
    """Whoever fetches it is told so, in words; nothing that is cut off passes for the whole."""
    begun = threading.Event()

    def pieces():
        yield "some lines\n"
        begun.set()
        yield from endless()

    game = Mirror(PAGE, Meeting(place, {os.getuid()}), refuse, None, {"record.jsonl": pieces})
    service = Service(place, monkeypatch)
    assert service.said.get(timeout=10) == "the unit is there"
    said = SimpleQueue()

    def fetch():
        try:
            fetched(service.url, "record.jsonl")
        except urllib.error.HTTPError as why:
            with why:
                said.put((why.code, why.read().decode()))

    fetching = threading.Thread(target=fetch)
    fetching.start()
    assert begun.wait(10)
    game.close()
    assert said.get(timeout=5) == (503, mirrored_module.AWAY)
    fetching.join()
    service.mirrored.close()


def test_a_file_that_nobody_reads_is_given_up(held, monkeypatch):
    monkeypatch.setattr(mirror_module, "ROOM_S", 0.05)
    held.way.far.send(b'{"fetch": "endless", "number": 1}')
    held._threads[1].join(10)
    assert not held._threads[1].is_alive()


# -- the game's timing -------------------------------------------------------------------------------------------------


def test_the_same_is_shown_at_the_same_moments_while_wishes_come():
    """What is refused changes nothing at all."""
    alone = play([], [])
    refusing = Beside(understand=refuse)
    with ExitStack() as closing:
        closing.callback(refusing.close)
        pages = [closing.enter_context(RawPage(refusing.url)) for _ in range(8)]
        for page in pages:
            for _ in range(3):
                page.say({"settings": {"triple_play": {"turn_seconds": 0}}})
        assert beside(refusing) == alone
        late = closing.enter_context(RawPage(refusing.url))     # the others have fallen behind
        late.say({"settings": {}})
        assert late.read_until("error")["error"] in ("not now", TOO_MUCH)


def refuse(what, at_us):
    raise ValueError("not now")


FLOOD = """
import socket, sys, threading
line = socket.socket(fileno=int(sys.argv[1]))
line.setblocking(True)
def read():
    while line.recv(1 << 20):
        pass
threading.Thread(target=read, daemon=True).start()
print("begun", flush=True)
while True:
    line.send(b'{"wish": {"record": "start"}, "number": 1}')
"""


def test_of_a_flood_no_more_is_read_than_its_pace_lets_through(held, monkeypatch):
    """While a process sends as fast as it can: the game plays, the thread that listens sleeps.

    The process reads what it is told: who does not is given up, and no flood any more.
    """
    read, book = [], held._messages.book

    def counted():
        read.append(time.monotonic())
        return book()

    monkeypatch.setattr(held._messages, "book", counted)
    alone = play([], [])
    command = [sys.executable, "-c", FLOOD, str(held.way.far.fileno())]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=[held.way.far.fileno()]) as flood:
        assert flood.stdout.readline() == b"begun\n"
        while len(read) <= mirror_module.MESSAGES[0]:
            assert play([held], [held.heard]) == alone
            assert held._threads[1].is_alive()
        flood.kill()
    at_once, a_second = mirror_module.MESSAGES
    for count, at_s in enumerate(read, 1):
        assert count <= at_once + a_second * (at_s - began) + 1


# -- a panel that is a service of its own ------------------------------------------------------------------------------


class Service:
    """A panel that comes to a place by itself, as in a service of its own, with its pages."""

    def __init__(self, path, monkeypatch, access=HERE):
        monkeypatch.setattr(mirrored_module, "AGAIN_S", 0.02)
        self.said = SimpleQueue()
        self.mirrored = Mirrored({**PAGE, "away": True}, access=access)
        self.url = self.mirrored.board.url
        threading.Thread(target=stay, args=(self.mirrored, path, self.said.put), daemon=True).start()


def meet(path, page=PAGE, understand=refuse):
    granted = SimpleQueue()
    mirror = Mirror(page, Meeting(path, {os.getuid()}), understand, granted.put, {"record.jsonl": lambda: ["all\n"]})
    mirror.granted = granted
    return mirror


def read_until_shown(page, text, hello):
    """Read until *text* is on the display: in the greeting, or, if the panel came before that, as it is shown."""
    is_shown = hello["snapshot"]["display"]["text"] == text
    while not is_shown:
        match page.read():
            case {"snapshot": {"display": {"text": there}}}:
                is_shown = there == text
            case [*lines]:
                is_shown = any(line.get("display") == text for line in lines)


def test_a_panel_apart_comes_back_by_itself_and_its_pages_say_meanwhile_that_the_unit_is_away(place, monkeypatch):
    service = Service(place, monkeypatch)
    assert service.said.get(timeout=10).startswith("the unit is away, ")
    with RawPage(service.url) as page:
        assert page.hello["away"] is True
        page.say({"record": "start"})
        assert page.read_until("error")["error"] == "the unit is away: its program does not run"
        for number in (1, 2):
            game = meet(place)
            game.hear(Moment(number * 1_000_000, [{"state": "playing"}, {"display": str(number)}]))
            while (hello := page.read_until("hello")).get("away"):
                pass
            read_until_shown(page, str(number), hello)
            page.say({"record": "start"})
            assert page.read_until("error")["error"] == "not now"
            assert fetched(service.url, "record.jsonl") == "all\n"
            assert hello["header"]["unit"] == "triple-play"
            game.close()
            assert not os.path.exists(place)
            assert page.read_until("hello")["away"] is True
        with pytest.raises(urllib.error.HTTPError, match="503"):
            fetched(service.url, "record.jsonl")
    service.mirrored.close()


def test_what_was_shown_while_nobody_was_there_is_seen_by_who_comes_later(place, monkeypatch):
    game = meet(place)
    game.hear(Moment(1_000_000, [{"state": "playing"}, {"display": "42"}]))
    game.heard(Contact("go", True, 1_000_000))
    game.turn_to(RECORDING, refuse, goes_on=True)
    service = Service(place, monkeypatch)
    assert service.said.get(timeout=10) == "the unit is there"
    with RawPage(service.url) as page:
        hello = page.hello
        while not hello.get("recording"):
            hello = page.read_until("hello")
        snapshot = hello["snapshot"]
        assert (snapshot["down"], snapshot["state"], snapshot["display"]["text"]) == (["go"], "playing", "42")
    game.close()
    service.mirrored.close()


@pytest.mark.parametrize("nonsense", [
    b"nonsense", b"\xff", b"{}", b"[]", b"7", b'{"t": "x"}', b'{"page": {}}', b'{"page": 3}', b'{"answer": 1}',
    b"[" * 9_000, b'{"file": 1}', b'{"input": 3}', b'{"snapshot": 3}', b'{"snapshot": {}}',
    json.dumps({"page": PAGE, "snapshot": {"at": 0}}).encode(),
])
def test_a_unit_of_another_version_ends_no_panel(place, monkeypatch, nonsense):
    """An upgrade that only one of the two has gone through: said once, and tried again until it makes sense."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as odd:
        odd.bind(place)
        odd.listen(1)
        odd.settimeout(10)
        service = Service(place, monkeypatch)
        for _ in range(3):
            line, _ = odd.accept()
            with line:
                line.send(nonsense)
                line.settimeout(10)
                assert line.recv(1) == b"", "the panel hangs up"
    os.unlink(place)
    game = meet(place)
    said = [service.said.get(timeout=10) for _ in range(2)]
    assert said[0] == "the unit is there"
    assert said[1].startswith("the unit is there, but what it sends makes no sense here (")
    with RawPage(service.url) as page:
        hello = page.hello
        while hello.get("away"):
            hello = page.read_until("hello")
    game.close()
    service.mirrored.close()


def test_only_the_users_that_are_meant_may_come(place, capsys):
    """The system asks the file's rights first; this is asked of whoever got through."""
    mirror = Mirror(PAGE, Meeting(place, {os.getuid() + 1}), refuse, None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
        stranger.connect(place)
        assert stranger.recv(100) == b""
    mirror.close()
    assert capsys.readouterr().err == f"{place}: user {os.getuid()} may not show this unit\n"


def test_the_place_is_for_its_group_and_what_a_killed_program_left_is_taken_away(place):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
        left.bind(place)
    meeting = Meeting(place, {os.getuid()})
    assert os.stat(place).st_mode & 0o777 == 0o660
    with pytest.raises(BoardError, match="another program listens there"):
        Meeting(place, {os.getuid()})
    meeting.close()
    meeting.close()
    assert not os.path.exists(place)


def test_a_place_that_cannot_be_is_said(tmp_path):
    with pytest.raises(BoardError, match="no panel can come here: No such file or directory"):
        Meeting(str(tmp_path / "none" / "panel.sock"), set())


def test_the_peer_is_the_one_that_the_kernel_names():
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with near, far:
        told = near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, ways.PEER.size)
    assert struct.unpack("3i", told) == ways.PEER.unpack(told) == (os.getpid(), os.getuid(), os.getgid())


def test_a_file_that_is_no_socket_is_left_alone(place):
    """The kernel refuses a connection there with the same words as to a socket that a killed program left behind."""
    with open(place, "w", encoding="utf-8") as file:
        file.write("mine")
    with pytest.raises(BoardError, match="no panel can come here: another file is there"):
        Meeting(place, set())
    with open(place, encoding="utf-8") as file:
        assert file.read() == "mine"


def test_who_listens_there_and_takes_nobody_in_is_not_waited_for(place):
    """A game that is stopped (Ctrl-Z), with others waiting at its door already."""
    with ExitStack() as closing:
        stopped = closing.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        stopped.bind(place)
        stopped.listen(0)
        for _ in range(2):
            one = closing.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.connect(place)
        with pytest.raises(BoardError, match="no panel can come here: another program listens there"):
            Meeting(place, set())
        assert os.path.exists(place)


def test_a_place_that_is_gone_or_taken_meanwhile_lets_the_program_end(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    meeting = Meeting(str(folder / "panel.sock"), set())
    (folder / "panel.sock").unlink()
    folder.rmdir()
    folder.write_text("")
    meeting.close()
