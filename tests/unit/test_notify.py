"""What the service manager hears: over a real datagram socket, from a clock that only the test moves."""

import os
import socket

import pytest

from firmware.notify import Pulse, Service, Well, service

SECOND_US = 1_000_000
STUCK = Well(False, "a frame does not leave: the strip's driver hangs")


@pytest.fixture
def manager(tmp_path):
    """A service manager: `heard()` gives what has come, message by message."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    line.bind(str(tmp_path / "notify"))
    line.setblocking(False)

    def heard():
        messages = []
        while True:
            try:
                messages.append(line.recv(4096).decode())
            except BlockingIOError:
                return messages

    line_of = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    yield heard, line_of
    line.close()


def watched(line_of, seconds=10):
    return service({**line_of, "WATCHDOG_USEC": str(seconds * SECOND_US), "WATCHDOG_PID": str(os.getpid())})


def test_it_is_ready_after_the_first_pass_and_alive_every_half_of_the_watchdogs_time(manager):
    heard, line_of = manager
    pulse = Pulse(watched(line_of))
    assert heard() == []
    pulse.beat(1_000)
    assert heard() == ["READY=1\nSTATUS=playing", "WATCHDOG=1"]
    assert pulse.due_us == 1_000 + 5 * SECOND_US
    pulse.beat(5 * SECOND_US)
    assert heard() == []
    pulse.beat(5 * SECOND_US + 1_000)
    assert heard() == ["WATCHDOG=1"]


def test_a_board_that_is_not_well_starves_the_watchdog_and_says_why(manager, capsys):
    heard, line_of = manager
    found = [Well(), STUCK, STUCK, Well()]
    pulse = Pulse(watched(line_of), lambda: found.pop(0))
    for at_s in (0, 5, 10, 15):
        pulse.beat(at_s * SECOND_US)
    assert heard() == [
        "READY=1\nSTATUS=playing", "WATCHDOG=1", f"STATUS={STUCK.why}", "WATCHDOG=1", "STATUS=playing",
    ]  # fmt: skip
    assert capsys.readouterr().err == f"the board: {STUCK.why}\nthe board: playing\n"


def test_without_a_watchdog_the_loop_is_never_woken(manager):
    """Idle means idle."""
    heard, line_of = manager
    pulse = Pulse(service(line_of))
    for at_s in range(100):
        pulse.beat(at_s * SECOND_US)
        assert pulse.due_us is None
    assert heard() == ["READY=1\nSTATUS=playing"]


def test_nobody_is_told_when_nobody_asked():
    pulse = Pulse(service({"WATCHDOG_USEC": "10000000"}))
    pulse.beat(0)
    assert pulse.due_us is None


@pytest.mark.parametrize("more", [{"WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "0"}])
def test_a_watchdog_that_is_not_meant_for_us_is_none(more):
    given = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}
    assert service(given).watchdog_us == 10 * SECOND_US
    assert service({**given, **more}).watchdog_us is None


def test_an_address_in_the_abstract_namespace():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind("\0pilelight-notify-test")
        Service("@pilelight-notify-test").stopping()
        assert line.recv(99) == b"STOPPING=1"


def test_a_manager_that_has_gone_ends_no_game(tmp_path, capsys):
    Service(str(tmp_path / "nobody")).stopping()
    assert capsys.readouterr().err.startswith("the service manager does not hear us: ")
