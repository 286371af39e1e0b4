"""The unit in a browser beside its real board: the game's end. The pages live in a process of their own, which can
neither slow the game nor end it (`hal.panel.mirrored`).

    game ──queue──▶ a thread that tells ──socket──▶ hal.panel.mirrored ──▶ pages
    game ◀──one input── a thread that listens ◀──socket── wishes of pages

The game's thread only puts what is shown into a queue. The socket carries whole messages (`SOCK_SEQPACKET`), never
waits and takes none when it is full; once there is room again, one snapshot replaces what was left out. As text, there:

    {"page": …, "snapshot": …}    first, and when the unit has other settings or a record has begun or ended
    protocol lines                all of one moment, a newline between them
    {"input": {"press": "go"}}    somebody moved something on the unit
    {"snapshot": …}               replaces what was left out
    {"answer": 3, "refused": …}   to a wish; null: it is granted
    {"file": 4, "text": …, "more": true}    a piece of what was fetched

and back:

    {"wish": {"settings": …}, "number": 3}    what a page wants; also `record`, and `answer` to a self-test
    {"fetch": "record.jsonl", "number": 4}

Who sends back is not trusted: nonsense ends the connection, what makes sense is checked again here, and a flood is read
as slowly as `Pace` lets it. Only what may be reaches the game, as one input on its board.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from hal.messages import said
from hal.panel.pace import Pace
from hal.panel.snapshot import Snapshot
from hal.ports import Answered, Input, Telling, Wish

if TYPE_CHECKING:
    from hal.panel.room import Parse

RETRY_S = 0.5                   # while the other end does not read; otherwise nothing is done unasked
LONGEST = 20_000                # bytes of a message that comes back; the longest that makes sense sets a whole wheel
ROOM_S = 5                      # how long a piece of a file may wait for room
PIECE_PAUSE_S = 0.005           # between two pieces: a file is not worth a processor
MESSAGES, WISHES = (20, 5.0), (5, 1.0)      # so many at once, and so many a second

Files = Mapping[str, Callable[[], Iterable[str]]]


class Nonsense(ValueError):
    """Something came from the other end that no panel of ours sends."""


class Way(Protocol):
    """How the process with the pages comes to the game (see `hal.panel.ways`)."""

    gone: str

    def lines(self) -> Iterator[socket.socket]:
        """Give each connection as it comes, the next one when it is over; blocks meanwhile. Who gets it closes it."""

    def close(self) -> None:
        """Have `lines` come to its end, and end what was begun. May be called twice."""


class Mirror:
    """Shows a unit in browsers: a `hal.ports.Listener` that also takes what the unit heard. Pages press nothing."""

    def __init__(
        self, page: Mapping[str, Any], way: Way, understand: Parse,
        put: Callable[[Wish | Answered], object], files: Files = MappingProxyType({}),
    ) -> None:
        """*page* is as for `PanelBoard`. *understand* makes inputs of what a page wants, for *put*, or raises
        ValueError with a text for whoever sits there. *files* are those that pages may fetch, piece by piece. All
        three are called in a thread of the mirror's.
        """
        self._page, self._understand, self._put, self._files = page, understand, put, files
        self._way = way
        self._snapshot = Snapshot(page["header"])
        self._told: SimpleQueue[Callable[[bool], str | None] | socket.socket | None] = SimpleQueue()
        self._is_over = threading.Event()
        self._messages, self._wishes = Pace(*MESSAGES), Pace(*WISHES)
        acts = (self._tell, self._listen)
        self._threads = [threading.Thread(target=act, name=f"mirror {act.__name__}", daemon=True) for act in acts]
        for thread in self._threads:
            thread.start()

    def hear(self, moment: Telling) -> None:
        """Show what the unit shows. Never blocks, never raises; once nobody can come any more it does nothing."""
        if not self._is_over.is_set():
            self._told.put(partial(self._showing, moment))

    def heard(self, given: Input) -> None:
        """Show what somebody moved on the unit."""
        if not self._is_over.is_set():
            self._told.put(partial(self._moving, given))

    def turn_to(self, page: Mapping[str, Any], understand: Parse, *, goes_on: bool = False) -> None:
        """Show the unit with other settings, or that it records. What stood there is shown anew, unless it *goes_on*.

        Never blocks.
        """
        self._understand = understand
        self._told.put(partial(self._turning, page, goes_on))

    def close(self) -> None:
        """Let the pages know that the program ends. May be called twice."""
        self._is_over.set()
        self._told.put(None)
        self._threads[0].join()
        self._way.close()
        self._threads[1].join()

    # -- the thread that tells -----------------------------------------------------------------------------------------

    def _tell(self) -> None:
        line: socket.socket | None = None
        is_behind = is_new = False          # what the other end lacks: something, or even the page
        while True:
            text = None
            try:
                told = self._told.get(timeout=RETRY_S if line is not None and (is_behind or is_new) else None)
            except Empty:
                pass                        # nothing new, but there may be room again
            else:
                if told is None:
                    break
                if isinstance(told, socket.socket):
                    line, is_new = told, True
                else:
                    page = self._page
                    text = told(line is not None)
                    is_new = is_new or self._page is not page
            if line is None:
                continue
            if is_new or is_behind:
                text = self._all(page=is_new)
            if text is None:
                continue
            try:
                line.send(text.encode(), socket.MSG_DONTWAIT)
                is_behind = is_new = False
            except BlockingIOError:
                is_behind = True
            except OSError:                 # the thread that listens says so
                line = None
        if line is not None:
            _hang_up(line)

    def _all(self, *, page: bool) -> str:
        return json.dumps({**({"page": self._page} if page else {}), "snapshot": self._snapshot.data()})

    # What is in the queue: it brings the snapshot up to date, and gives the text of it where that is wanted.

    def _showing(self, moment: Telling, wanted: bool) -> str | None:
        self._snapshot.show(moment.outputs, moment.at_us)
        return "\n".join(moment.lines) if wanted else None

    def _moving(self, given: Input, wanted: bool) -> str | None:
        self._snapshot.move(given)
        message = said(given)
        return json.dumps({"input": message}) if wanted and message else None

    def _turning(self, page: Mapping[str, Any], goes_on: bool, wanted: bool) -> None:
        self._page, old = page, self._snapshot
        if not goes_on:
            self._snapshot = Snapshot(page["header"])
            self._snapshot.at_us = old.at_us
            self._snapshot.stand_like(old)

    # -- the thread that listens ---------------------------------------------------------------------------------------

    def _listen(self) -> None:
        for line in self._way.lines():
            with line:
                self._told.put(line)
                if self._is_over.is_set():  # then the other thread may not look there any more
                    break
                try:
                    self._read(line)
                except OSError:
                    pass                    # the other end has gone: said below
                except Nonsense as why:
                    print(f"the page beside the unit: {why}", file=sys.stderr)
                if not self._is_over.is_set():
                    print(self._way.gone, file=sys.stderr)
                _hang_up(line)
        self._is_over.set()

    def _read(self, line: socket.socket) -> None:
        """Take what comes until the other end has gone. Raises `Nonsense`, OSError when it has gone."""
        while data := line.recv(LONGEST + 1):
            self._is_over.wait(self._messages.book())
            if len(data) > LONGEST:
                raise Nonsense(f"a message of more than {LONGEST} bytes came from it")
            try:
                message = json.loads(data)
            except (ValueError, RecursionError):
                message = None
            match message:
                case {"wish": dict(what), "number": int(number), **rest} if not rest:
                    _answer(line, {"answer": number, "refused": self._grant(what)})
                case {"fetch": str(name), "number": int(number), **rest} if not rest:
                    self._send_file(line, name, number)
                case _:
                    raise Nonsense("a message that makes no sense came from it")

    def _grant(self, what: Mapping[str, object]) -> str | None:
        """Hand a wish or an answer over to the game; why not, if so."""
        try:
            inputs = self._understand(what, 0)
        except ValueError as why:
            return str(why)
        for given in inputs:
            if isinstance(given, Wish) and not self._wishes.may():
                return "that is too much at once; wait a moment"
            if isinstance(given, Wish | Answered):
                self._put(given)
        return None

    def _send_file(self, line: socket.socket, name: str, number: int) -> None:
        for piece in self._files[name]() if name in self._files else ():
            _answer(line, {"file": number, "text": piece, "more": True})
            if self._is_over.wait(PIECE_PAUSE_S):
                return
        _answer(line, {"file": number, "text": "", "more": False})


def _answer(line: socket.socket, message: Mapping[str, object]) -> None:
    """Send *message*, if there is room for it in time; it leaves most of the room to what the unit shows.

    Raises OSError when the other end has gone or does not read.
    """
    room = select.poll()
    room.register(line, select.POLLOUT)
    if not room.poll(ROOM_S * 1_000):
        raise TimeoutError(f"no room within {ROOM_S} s")
    line.send(json.dumps(message).encode(), socket.MSG_DONTWAIT)


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):                 # it was closed at the other end, or in the other thread
        line.shutdown(socket.SHUT_RDWR)
