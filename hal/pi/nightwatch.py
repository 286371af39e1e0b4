"""Lights out when the game dies, whatever kills it: a process of its own that waits for nothing else.

    game ◀──a pair of sockets, of which each has one──▶ night watch

A program that is killed, or that crashes in a library, cannot put its lights out any more, and to start another one
takes a small Pi a good part of a second. So a night watch stands by from the first light on, with everything in its
memory that darkness needs. The kernel closes the game's socket when its last thread has gone: after that nobody but the
watch writes to strip, display and buzzer. A game that ends by itself says farewell first, and nothing is touched.

It is forked, so it must come before threads and before a line is claimed. It keeps no descriptor but its socket and
stderr, so that no file, lock or line of the game lives on in it. It leaves the game's session and blocks every signal
that can be blocked: what ends the game (Ctrl-C, a closed terminal, a service manager's SIGTERM and SIGABRT to all
processes of a service) must not end the watch first. See docs/decisions/0021.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn, Self

FAREWELL = b"."
LONGEST_S = 6                   # of putting out: a bus that hangs must not hold up the next start
GOES_HOME_S = 1                 # how long a watch that is not needed any more may take to end
STDOUT, STDERR, FIRST_OF_THE_GAME = 1, 2, 3
WITHOUT = "nobody puts the lights out if the program is killed from now on"


class NightWatch:
    """Calls *put_out* in a process of its own when this one dies; *put_out* returns what could not be, in words.

    `with NightWatch(...)`: at the end of the block it is dismissed; if the block is left by an exception, the lights go
    out. That it could not come, or has gone, is said on stderr, and the game goes on. For the main thread only.
    """

    def __init__(self, put_out: Callable[[], Sequence[str]]) -> None:
        self._pid: int | None = None
        self._line, far = socket.socketpair()
        open_to = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # the watch never is
        with far:
            try:
                pid = os.fork()
                if pid == 0:
                    _watch(self._line, far, put_out)
            except OSError as why:
                print(f"{WITHOUT}: {why.strerror}", file=sys.stderr)
                return
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, open_to)
        self._pid = pid
        self._before = signal.signal(signal.SIGCHLD, self._look)

    def _look(self, number: int, frame: FrameType | None) -> None:
        """A process of ours has ended: say so if it was the watch."""
        if self._pid is not None and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = None
            print(f"the night watch has gone: {WITHOUT}", file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        """Dismiss the watch, or let it put the lights out if something *failed*; wait for its end, but not for long."""
        with self._line as line:
            if self._pid is None:
                return
            signal.signal(signal.SIGCHLD, self._before)
            line.settimeout(GOES_HOME_S)
            with suppress(OSError):  # it has gone just now, or hangs on a bus
                line.sendall(b"" if failed else FAREWELL)
                line.shutdown(socket.SHUT_WR)
                line.recv(1)
                os.waitpid(self._pid, 0)
            self._pid = None


def _watch(games: socket.socket, line: socket.socket, put_out: Callable[[], Sequence[str]]) -> NoReturn:
    """Be the watch: everything that this process will ever do."""
    status = 1
    try:
        games.close()
        _stand_alone(line)
        if os.read(0, 1) != FAREWELL:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
            signal.alarm(LONGEST_S)
            for why in put_out():
                print(f"after the end of the game: {why}", file=sys.stderr)
        status = 0
    except Exception as why:  # noqa: BLE001  a driver may raise anything, and nobody is left to tell it to
        print(f"the night watch cannot put the lights out: {why!r}", file=sys.stderr)
    finally:
        os._exit(status)  # never back into what was the game's


def _stand_alone(line: socket.socket) -> None:
    """Have *line* as stdin and nothing else of the game's but stderr, and be out of its session."""
    gc.disable()  # what it does not touch, it shares with the game
    os.setsid()
    os.dup2(line.fileno(), 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, STDOUT)
    if sys.stderr is None:
        os.dup2(nothing, STDERR)
    os.closerange(FIRST_OF_THE_GAME, os.sysconf("SC_OPEN_MAX"))
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write("pilelight-watch")
