"""The panel board over real sockets: what the game gets, who is let in, and what a bad page cannot do."""

import contextlib
import json
import socket
import threading
import urllib.error
import urllib.request

import pytest

from hal.errors import BadSetting, MissingLibrary
from hal.panel import guard, server
from hal.panel.access import Access, CannotListen
from hal.panel.board import PanelBoard
from hal.panel.guard import is_own_host
from hal.panel.room import OUTBOX_MOMENTS
from hal.ports import Board, Contact, Moved, Seeded, Stop, Unplugged, Wish
from tests.browser.raw_page import Closed, RawPage
from tests.browser.scripted import HEADERS, TONES, Moment, ScriptedUnit, parse

PAGE = {"header": HEADERS["triple-play"], "tones": TONES}


def wishes(message, at_us):
    """What pages of this unit say, and what they wish."""
    is_wish = {"unit", "settings", "record"} & set(message)
    return [Wish(message, at_us)] if is_wish else parse(message, at_us)


@pytest.fixture
def unit():
    with ScriptedUnit() as unit:
        yield unit


@pytest.fixture
def board():
    board = PanelBoard(PAGE, parse, port=0, seed=lambda: 42)
    yield board
    board.close()


def fetch(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return answer.status, dict(answer.headers), answer.read()


def refused(url, **headers):
    """The status with which a request is refused."""
    with pytest.raises(urllib.error.HTTPError) as refusal:
        fetch(url, **headers)
    with refusal.value as answer:
        return answer.status


def shows(message, text):
    """Whether a page's display shows *text* after *message*: the lines of a moment, or a snapshot."""
    if isinstance(message, list):
        return message[-1].get("display") == text
    return message.get("snapshot", {}).get("display", {}).get("text") == text


def test_a_panel_is_a_board(board):
    as_board: Board = board
    assert (as_board.name, as_board.strip, as_board.display, as_board.buzzer) == ("panel", None, None, None)


def test_every_power_on_gets_a_fresh_seed(board):
    """C-22."""
    assert board.wait(None) == [Seeded(42, 0)] or board.now_us() > 0
    with RawPage(board.url) as page:
        page.say({"switch": "power", "to": "on"})
        page.say({"switch": "power", "to": "off"})
        inputs = []
        while len(inputs) < 3:
            inputs += board.wait(None)
    assert [type(given) for given in inputs] == [Seeded, Moved, Moved]
    assert inputs[0].at_us == inputs[1].at_us


def test_inputs_come_in_the_order_of_their_stamps_and_not_before_they_happened(board):
    board.wait(None)
    with RawPage(board.url) as page:
        before = board.now_us()
        for name in ("pile1", "pile2", "pile3"):
            page.say({"press": name})
        inputs = []
        while len(inputs) < 3:
            inputs += board.wait(None)
    assert [given.name for given in inputs] == ["pile1", "pile2", "pile3"]
    assert before <= inputs[0].at_us <= inputs[1].at_us <= inputs[2].at_us <= board.now_us()


def test_a_deadline_ends_the_wait_and_not_sooner(board):
    board.wait(None)
    until_us = board.now_us() + 20_000
    assert board.wait(until_us) == []
    assert board.now_us() >= until_us
    assert board.wait(0) == []


def test_what_lies_ready_is_handed_over_although_the_deadline_has_passed(board):
    assert [type(given) for given in board.wait(0)] == [Seeded]


def inputs_until(board, count):
    inputs = []
    while len(inputs) < count:
        inputs += board.wait(None)
    return inputs


def test_what_comes_after_a_wish_waits_for_the_next_game():
    """A wish ends a game: the board gives it last, and what was meant for the old unit does not reach the new one."""
    board = PanelBoard(PAGE, wishes, port=0)
    with RawPage(board.url) as page:
        for message in ({"unit": "party"}, {"press": "pile1"}, {"switch": "timer", "to": "on"}, {"record": "start"}):
            page.say(message)
        assert page.read_until("input") == {"input": {"press": "pile1"}}
        assert page.read_until("input") == {"input": {"switch": "timer", "to": "on"}}
        assert [type(given) for given in inputs_until(board, 2)] == [Seeded, Wish]
        board.turn_to({"header": HEADERS["party"], "tones": TONES}, wishes)
        assert page.read_until("hello")["header"]["unit"] == "party"
        page.say({"press": "next"})
        wish, press = inputs_until(board, 2)
        assert (wish.what, press.name) == ({"record": "start"}, "next")
    board.close()


def test_what_was_done_while_settings_changed_counts():
    board = PanelBoard(PAGE, wishes, port=0)
    with RawPage(board.url) as page:
        for message in ({"settings": {}}, {"press": "pile1"}, {"switch": "timer", "to": "on"}):
            page.say(message)
        while page.read_until("input") != {"input": {"switch": "timer", "to": "on"}}:
            pass
        inputs_until(board, 2)
        board.turn_to(PAGE, wishes)
        assert page.read_until("hello")["snapshot"]["switches"] == {"power": "off", "timer": "on"}
        assert [given[:2] for given in inputs_until(board, 2)] == [("pile1", True), ("timer", "on")]
    board.close()


def test_a_stop_between_two_games_is_not_lost():
    board = PanelBoard(PAGE, wishes, port=0)
    board.wait(None)
    board.stop()
    board.turn_to(PAGE, wishes)
    assert [type(given) for given in board.wait(None)] == [Stop]
    board.close()


def test_a_late_loop_oversleeps_and_loses_nothing():
    board = PanelBoard({**PAGE, "lab": True}, parse, port=0)
    board.wait(None)
    with RawPage(board.url) as page:
        page.say({"late": 30})
        assert page.read_until("late") == {"late": 30}
        until_us = board.now_us() + 1_000
        assert board.wait(until_us) == []
        assert board.now_us() >= until_us + 30_000
        page.say({"press": "go"})
        (press,) = board.wait(None)
        assert press.name == "go" and board.now_us() >= press.at_us + 30_000
    board.close()


def test_files_are_as_they_are_when_they_are_asked_for():
    lines = []
    with ScriptedUnit(downloads={"record.jsonl": lambda: "".join(lines)}) as unit:
        assert refused(unit.url + "record.jsonl") == 404
        lines.append("{}\n")
        status, headers, body = fetch(unit.url + "record.jsonl")
    assert (status, body) == (200, b"{}\n")
    assert headers["content-disposition"] == 'attachment; filename="record.jsonl"'
    assert headers["content-type"] == "application/jsonl"


def test_stop_and_unplug_end_the_wait(board):
    board.wait(None)
    board.stop()
    assert [type(given) for given in board.wait(None)] == [Stop]
    board.unplug()
    assert [type(given) for given in board.wait(None)] == [Unplugged]


def test_a_moment_travels_from_the_game_to_the_page_as_the_bench_protocol_says_it(unit):
    with RawPage(unit.url) as page:
        unit.show({"event": "overload", "pile": 2, "draw": 3}, {"display": "3", "pattern": "flash"})
        lines = page.read()
    assert [{key: line[key] for key in line if key != "t"} for line in lines] == [
        {"event": "overload", "pile": 2, "draw": 3}, {"display": "3", "pattern": "flash"}]


def test_a_browser_that_vanishes_mid_press_lets_go(unit):
    page = RawPage(unit.url)
    page.say({"press": "pile1"})
    unit.wait_for("press pile1")
    page.vanish()
    unit.wait_for("press pile1", "release pile1")


def test_a_browser_that_falls_silent_while_it_holds_lets_go_and_may_stay(unit, monkeypatch):
    monkeypatch.setattr(server, "HOLD_LEASE_S", 0.05)
    with RawPage(unit.url) as page:
        page.say({"press": "pile1"})
        unit.wait_for("press pile1", "release pile1")
        page.read_until("input")
        assert page.read_until("input") == {"input": {"release": "pile1"}}
        page.say({"press": "go"})
        unit.wait_for("press pile1", "release pile1", "press go", "release go")


def test_a_browser_that_says_it_still_holds_is_believed(unit, monkeypatch):
    monkeypatch.setattr(server, "HOLD_LEASE_S", 1.0)
    with RawPage(unit.url) as page:
        page.say({"press": "pile1"})
        for _ in range(50):
            page.say({"still": True})
        page.say({"release": "pile1"})
        unit.wait_for("press pile1", "release pile1")


def test_a_stalled_browser_costs_the_game_nothing_and_others_see_everything(unit):
    """A page that never reads: its buffers fill up, the game and the other pages go on."""
    with RawPage(unit.url, receive_buffer=4_096) as stalled, RawPage(unit.url) as quick:
        in_room = unit.board._room._pages[0]
        rounds_behind = 0
        for number in range(2_000):             # until nothing more fits into the buffers of either side
            for _ in range(20):
                unit.show({"event": "turn", "lit": [1, 2, 3], "note": "x" * 1_000})
            unit.show({"display": str(number)})
            while not shows(quick.read(), str(number)):
                pass
            assert len(in_room.outbox) <= OUTBOX_MOMENTS
            rounds_behind = rounds_behind + 1 if in_room.behind else 0
            if rounds_behind == 20:
                break
        assert rounds_behind == 20
        stalled.say({"press": "go"})
        unit.wait_for("press go")


def test_two_hundred_open_pages_leave_the_unit_playing(unit):
    pages, turned_away = [], []
    for _ in range(200):
        try:
            pages.append(RawPage(unit.url))
        except Closed as closed:
            turned_away.append((closed.code, closed.reason))
    assert len(pages) == 64
    assert turned_away == [(1013, "64 pages are open already; close one of them")] * 136
    pages[0].say({"press": "go"})
    unit.wait_for("press go")
    unit.show({"display": "1"})
    assert pages[63].read_until("input") == {"input": {"press": "go"}}
    assert pages[63].read()[0]["display"] == "1"
    pages[1].vanish()
    while len(unit.board._room) == 64:
        pages[2].read_until("pages")
    pages[1] = RawPage(unit.url)
    for page in pages:
        page.vanish()


@pytest.mark.parametrize("data", [
    b"\x00\xff", "", "{", "null", '{"press": "pile9"}', '{"press":"go","release":"go"}', "x" * 2_000])
def test_nonsense_is_answered_and_the_page_may_go_on(unit, data):
    with RawPage(unit.url) as page:
        page.say_raw(data)
        assert "error" in page.read()
        page.say({"press": "go"})
        unit.wait_for("press go")


def test_a_message_beyond_all_bounds_ends_the_connection_and_nothing_else(unit):
    with RawPage(unit.url) as page, RawPage(unit.url) as other:
        page.say_raw("x" * 100_000)
        with pytest.raises(Closed) as closed:
            page.read_until("never")
        assert closed.value.code == 1009
        other.say({"press": "go"})
        unit.wait_for("press go")


def test_a_page_that_never_makes_sense_is_shown_the_door(unit):
    with RawPage(unit.url) as page:
        with pytest.raises((Closed, OSError)):      # noqa: PT012  # the door may close while it still talks
            for _ in range(server.MAX_REFUSALS):
                page.say({"nonsense": True})
            page.read_until("never")
        with RawPage(unit.url) as other:
            other.say({"press": "go"})
            unit.wait_for("press go")


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "null", "file://"])
def test_a_page_from_another_site_may_not_talk_to_the_unit(unit, origin):
    with pytest.raises(Closed) as closed:
        RawPage(unit.url, origin=origin)
    assert closed.value.code == 403
    assert refused(unit.url, Origin=origin) == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.1.2"])
def test_a_name_that_was_rebound_to_this_machine_is_not_answered(unit, host):
    with pytest.raises(Closed) as closed:
        RawPage(unit.url, host=host)
    assert closed.value.code == 403
    assert refused(unit.url, Host=host) == 403


def test_the_own_page_is_let_in_by_each_of_its_names(unit):
    port = unit.board.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        RawPage(unit.url, host=host, origin=f"http://{host}").vanish()


@pytest.mark.parametrize(("header", "hosts", "own"), [
    ("localhost", ("localhost",), True), ("LOCALHOST.:8765", ("localhost",), True),
    ("[::1]:8765", ("localhost",), True),
    ("127.9.9.9", ("localhost",), True), ("10.0.0.7:8765", ("localhost",), False), ("10.0.0.7:8765", ("*",), True),
    ("pile.local", ("*", "pile.local"), True), ("evil.example", ("*", "pile.local"), False), ("", ("*",), False),
])
def test_which_hosts_are_ours(header, hosts, own):
    assert is_own_host(header, hosts) is own


def test_with_a_token_only_those_get_in_who_know_it():
    with ScriptedUnit(access=Access(token="s3cret")) as unit:
        address = unit.url.partition("?")[0]
        assert unit.url == f"{address}?token=s3cret"
        for path in ("", "unit.json", "static/js/main.js", "?token=guess"):
            assert refused(address + path) == 403
        for path in ("/ws", "/ws?token=guess"):
            with pytest.raises(Closed) as closed:
                RawPage(address, path=path)
            assert closed.value.code == 403
        _, headers, _ = fetch(unit.url)
        assert headers["set-cookie"].startswith("token=s3cret; HttpOnly; SameSite=Strict;")
        assert fetch(f"{address}unit.json", Cookie="token=s3cret")[0] == 200
        RawPage(address, path="/ws?token=s3cret").vanish()


def test_who_comes_without_the_token_gets_a_page_that_says_what_to_do_and_who_guesses_on_does_not():
    with ScriptedUnit(access=Access(token="s3cret")) as unit:
        address = unit.url.partition("?")[0]
        with pytest.raises(urllib.error.HTTPError) as refusal:
            fetch(address)
        with refusal.value as answer:
            assert (answer.status, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
            assert "Scan the code again" in answer.read().decode()
        statuses = [refused(f"{address}?token={guess}") for guess in range(guard.MAX_TOKENS)]
        assert statuses == [403] * (guard.MAX_TOKENS - 1) + [429]
        assert fetch(unit.url)[0] == 200, "the right token gets in all the same"


def test_beyond_this_machine_a_token_is_required():
    with pytest.raises(BadSetting) as problem:
        PanelBoard(PAGE, parse, access=Access("0.0.0.0"), port=0)
    assert str(problem.value) == "a panel on 0.0.0.0 can be reached by others: it needs a token"
    board = PanelBoard(PAGE, parse, access=Access("0.0.0.0", "s3cret"), port=0)
    board.close()


def test_a_socket_elsewhere_than_at_ws_is_refused(unit):
    with pytest.raises(Closed) as closed:
        RawPage(unit.url, path="/static/ws")
    assert closed.value.code == 403


def test_every_answer_has_strict_headers_and_loads_nothing_from_elsewhere(unit):
    for path in ("", "unit.json", "static/js/main.js", "static/css/page.css"):
        status, headers, _ = fetch(unit.url + path)
        assert status == 200
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    for path in ("static/../board.py", "static/%2e%2e/board.py", "nothing"):
        assert refused(unit.url + path) == 404


def test_unit_json_is_the_unit_as_it_stands(unit):
    with RawPage(unit.url) as page:
        unit.show({"state": "standby"}, {"display": "-"})
        page.read()
        body = json.loads(fetch(unit.url + "unit.json")[2])
    assert body["header"]["unit"] == "triple-play" and body["pages"] == 1
    assert body["snapshot"]["state"] == "standby" and body["snapshot"]["display"] == {"text": "-", "pattern": ""}


def test_pages_are_told_that_the_program_ends_and_the_port_is_free_again():
    with ScriptedUnit() as unit:
        page = RawPage(unit.url)
        port = unit.board.port
    assert page.read_until("closing") == {"closing": True}
    with pytest.raises(Closed) as closed:
        page.read()
    assert closed.value.code == 1012
    page.vanish()
    with ScriptedUnit(port=port):
        pass


def test_pages_that_leave_as_the_program_ends_do_no_harm():
    """Both say goodbye at once; whoever is second is not wrong."""
    for _ in range(10):
        with ScriptedUnit() as unit:
            pages = [RawPage(unit.url) for _ in range(8)]
            for page in pages:
                page.say_goodbye()
        assert unit.board._server.failure is None
        for page in pages:
            page.vanish()


def test_closing_twice_and_hearing_after_the_end_do_no_harm(board):
    board.close()
    board.close()
    board.hear(Moment(1, [{"state": "off"}]))


def test_a_port_in_use_is_said_in_one_line(board):
    with pytest.raises(CannotListen) as problem:
        PanelBoard(PAGE, parse, port=board.port)
    assert str(problem.value) == (
        f"port {board.port} on 127.0.0.1 is in use; end the other program or choose another port with --port")


def test_a_missing_library_names_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "wsproto", None)
    with pytest.raises(MissingLibrary) as problem:
        PanelBoard(PAGE, parse, port=0)
    assert str(problem.value) == (
        "wsproto is not installed: in Pilelight's folder sudo systemd/install.sh --with panel UNIT, or "
        ".venv/bin/pip install -e '.[panel]'")


def test_the_server_listens_on_this_machine_only_unless_told_otherwise(board):
    others = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    for address in {other for other in others if not other.startswith("127.")}:
        with pytest.raises(OSError):    # noqa: PT011  # refused or unreachable, as the system puts it
            socket.create_connection((address, board.port), timeout=5)


def test_nothing_runs_while_nothing_happens(unit):
    """No wake-up of the server's loop but for pings: the time its thread has used stands still."""
    with RawPage(unit.url) as page:
        page.say({"press": "go"})
        unit.wait_for("press go")
        page.say({"release": "go"})
        unit.wait_for("press go", "release go")
        loop = unit.board._server._loop
        (timers,) = [[timer for timer in loop._scheduled if not timer.cancelled()]]
        assert all(timer.when() - loop.time() > 1 for timer in timers)


def test_each_press_comes_back_as_what_it_made_the_unit_show(board):
    """One answer each, in their order; how soon on loopback `make bench` measures."""
    board.wait(None)
    turns = [{"press": "go"}, {"release": "go"}] * 25

    def game():
        for _ in turns:
            for given in board.wait(None):
                if isinstance(given, Contact):
                    board.hear(Moment(board.now_us(), [{"display": str(given.closed)}]))

    thread = threading.Thread(target=game, daemon=True)
    thread.start()
    with RawPage(board.url) as page:
        for turn in turns:
            page.say(turn)
            while not isinstance(shown := page.read(), list):
                pass
            assert [line["display"] for line in shown] == [str("press" in turn)]
        thread.join()


def test_who_comes_in_while_it_ends_is_shown_out_too(caplog):
    """They are let in and the panel closes in one and the same turn of its loop."""
    begun, go_on = threading.Event(), threading.Event()
    board = PanelBoard(PAGE, parse, port=0)
    panel = board._server

    def hold_up():
        begun.set()
        go_on.wait(10)

    with contextlib.ExitStack() as closing:
        panel._loop.call_soon_threadsafe(hold_up)
        assert begun.wait(10)
        home = ("127.0.0.1", board.port)
        late = [closing.enter_context(socket.create_connection(home, timeout=10)) for _ in range(8)]
        panel._soon(panel._closing.set)
        go_on.set()
        board.close()
        for each in late:
            with contextlib.suppress(ConnectionError):
                assert each.recv(1) == b""
    assert [said.getMessage() for said in caplog.records if said.name == "asyncio"] == []


def test_half_a_character_deafens_nobody(board):
    """A lone surrogate is legal JSON and no text: it is refused in words, and the pages go on hearing."""
    with RawPage(board.url) as page, RawPage(board.url) as other:
        page.say_raw('{"press": "' + chr(92) + 'ud800"}')
        page.read_until("error")
        page.say({"press": "go"})
        assert [reader.read_until("input")["input"] for reader in (page, other)] == [{"press": "go"}] * 2


def test_connections_that_never_ask_keep_nobody_out(board, monkeypatch):
    """A flood of half requests: those too many are dropped at once, the others soon; a page gets in."""
    monkeypatch.setattr(server, "HEAD_TIMEOUT_S", 0.2)
    flood = []
    try:
        for _ in range(server.CONNECTION_LIMIT + 50):
            flood.append(socket.create_connection(("127.0.0.1", board.port), timeout=10))
            flood[-1].sendall(b"GET / H")
        for silent in flood:
            with contextlib.suppress(ConnectionError):
                assert silent.recv(1) == b""
        assert fetch(board.url)[0] == 200
    finally:
        for silent in flood:
            silent.close()
