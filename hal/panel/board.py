"""`PanelBoard`: a board whose buttons, lights and sound are in a browser."""

from __future__ import annotations

import errno
import importlib
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hal.errors import BadSetting, library
from hal.panel.access import HERE, LOOPBACK, Access, CannotListen, own_address, qr_rows
from hal.panel.room import MAX_PAGES, Parse, Room
from hal.ports import Answered, Buzzer, Display, Input, Moved, Seeded, Stop, Strip, Telling, Unplugged, WheelAt, Wish

if TYPE_CHECKING:
    from hal.panel.server import Downloads, PanelServer

LONGEST_WAIT_S = 3_600.0        # one sleep of the queue; a longer wait is several
NOTHING: Mapping[str, Any] = MappingProxyType({})


class PanelBoard:
    """A unit in the browser: implements `hal.ports.Board` for the game and `hal.ports.Listener` for what it shows.

    `wait` gives what pages pressed and moved, stamped as it arrived, and before each power-on a fresh seed (C-22).
    The pages draw looks, digits and notes themselves, so there is no strip, no display and no buzzer to write to.
    """

    name = "panel"
    strip: Strip | None = None
    display: Display | None = None
    buzzer: Buzzer | None = None

    def __init__(self, page: Mapping[str, Any], parse: Parse, *, port: int = 8765, access: Access = HERE,
                 max_pages: int = MAX_PAGES, downloads: Downloads = NOTHING, listening: socket.socket | None = None,
                 seed: Callable[[], int] = lambda: secrets.randbits(53)) -> None:
        """Open the panel: when this returns, pages can connect to `url`.

        *page* is what a page needs to draw the unit, ready for JSON: `header` (first line of the bench protocol) and
        `tones` (name to `[[pitch_hz, ms], …]`). *parse* makes inputs of one message of a page and its stamp, or raises
        ValueError with a text for whoever sits there. *downloads* are files that pages may ask for, by name: each
        function gives the text as it is now (see `server.Downloads`).

        Port 0 takes a free one; a socket that is *listening* already is served in its place. Where *access* has a token
        only those get in who know it (`url` contains it, and `shared_url`, the address for others); it is required
        where its host is not this machine alone. Raises `CannotListen`, `BadSetting`, and `MissingLibrary` where the
        extra `panel` is not installed.
        """
        if access.token is None and access.host not in LOOPBACK:
            raise BadSetting(f"a panel on {access.host} can be reached by others: it needs a token")
        self._inputs: queue.SimpleQueue[tuple[int, Input | None]] = queue.SimpleQueue()   # with the turn they are for
        self._turn = 0
        self._header: Mapping[str, Any] = page["header"]
        self._unit_since = 0                    # the turn in which the present unit came
        self._start_ns = time.monotonic_ns()
        self._stamping = threading.Lock()
        self._seed = seed
        for name in ("starlette", "uvicorn", "wsproto"):
            with library(name, "panel"):
                importlib.import_module(name)
        to_here, to_others = hosts(access)
        if listening is None:
            listening = listen(access.host, port)
        self.port: int = listening.getsockname()[1]
        self.url = address(to_here, self.port, access)
        self.pin = access.pin
        self.shared_url = None if to_others is None else address(to_others, self.port, access)
        self._room = Room(page, parse, max_pages=max_pages, access=access, share=_share(access, self.shared_url))
        self._server = self._serve(listening, access, downloads)
        self._inputs.put((0, Seeded(seed(), self.now_us())))

    def _serve(self, listening: socket.socket, access: Access, downloads: Downloads) -> PanelServer:
        from hal.panel.server import PanelServer

        names = _own_names(access.host)
        server = PanelServer(
            self._room, listening, names, access.token, downloads, self._accept, self._wake, self.now_us)
        server.start()
        return server

    def now_us(self) -> int:
        """The time since the panel was opened (µs, monotonic)."""
        return (time.monotonic_ns() - self._start_ns) // 1_000

    def wait(self, until_us: int | None) -> Sequence[Input]:
        """Return what pages did, oldest first; an empty list once *until_us* has come. Never polls.

        An input stamped before *until_us* is never handed over after the empty list for it. Raises the server's own
        exception if the server has died.
        """
        heard = self._block(until_us)
        if self._room.late_ms:              # the fault bench: a loop that oversleeps
            time.sleep(self._room.late_ms / 1_000)
        inputs: list[Input] = []
        while heard is not None:
            turn, given = heard
            if given is not None and (turn == self._turn or self._still_counts(given, turn)):
                inputs.append(given)
            if isinstance(given, Wish) or self._inputs.empty():
                break                       # what comes after a wish is for another game
            heard = self._inputs.get()
        if self._server.failure is not None:
            raise self._server.failure
        return inputs

    def _block(self, until_us: int | None) -> tuple[int, Input | None] | None:
        """Sleep until something is there and return it; None once *until_us* has come."""
        while True:
            timeout_s = LONGEST_WAIT_S
            if until_us is not None:
                timeout_s = min(max(0, until_us - self.now_us()) / 1e6, LONGEST_WAIT_S)
            try:
                return self._inputs.get(timeout=timeout_s)
            except queue.Empty:
                if until_us is not None and self.now_us() >= until_us:
                    with self._stamping:        # what has its stamp is in the queue now
                        return None

    def turn_to(self, page: Mapping[str, Any], parse: Parse, stands: Mapping[str, Any] | None = None) -> None:
        """Show another unit, or the same with other settings: all pages are greeted anew. Never blocks.

        What pages did before still counts on the same unit, as far as it has such places. On another one nothing is
        held down, and of what came before only endings, answers and further wishes are handed over.
        *stands* (`Snapshot.data`) says how it stands, where that is known already: no page shows anything else first.
        """
        self._turn += 1
        if page["header"]["unit"] != self._header["unit"]:
            self._unit_since = self._turn
        self._header = page["header"]
        self._server.turn_to(page, parse, stands)

    def _still_counts(self, given: Input, turn: int) -> bool:
        """Whether the present game can take what was done in an earlier *turn*."""
        match given:
            case Stop() | Unplugged() | Wish() | Answered():
                return True
            case Moved(switch, to):
                return turn >= self._unit_since and to in self._header["switches"].get(switch, ())
            case WheelAt():
                return False        # there may be fewer slots now; the arrow tells where it is as soon as it moves
        return turn >= self._unit_since

    def hear(self, moment: Telling) -> None:
        """Show all pages what the unit shows. Never blocks."""
        self._server.tell(moment.outputs, moment.lines, moment.at_us)

    def see(self, given: Input) -> None:
        """Show all pages what somebody moved on the real unit. Never blocks."""
        self._server.see(given)

    def see_all(self, snapshot: Mapping[str, Any]) -> None:
        """Show all pages the unit as *snapshot* (`Snapshot.data`) says it stands. Never blocks."""
        self._server.see_all(snapshot)

    def reply(self, number: int, why: str | None) -> None:
        """Tell the page whose `Wish` had this *number* that it was refused, and *why* (None: it was not)."""
        self._server.reply(number, why)

    def stop(self) -> None:
        """End the game as with Ctrl-C. May be called from a signal handler and from any thread."""
        self._inputs.put((self._turn, Stop(self.now_us())))

    def answer(self, word: str) -> None:
        """Pass on what somebody typed at a terminal, stamped now. May be called from any thread."""
        with self._stamping:
            self._inputs.put((self._turn, Answered(word, self.now_us())))

    def unplug(self) -> None:
        """End the game as with a pulled plug (C-5): the round is kept."""
        self._inputs.put((self._turn, Unplugged(self.now_us())))

    def close(self) -> None:
        """Tell all pages that the program ends and free the port. May be called twice."""
        self._server.stop()

    def _accept(self, act: Callable[[int], list[Input]]) -> None:
        """Stamp what *act* makes inputs of, and queue it; called by the server's thread."""
        with self._stamping:
            at_us = self.now_us()
            inputs = act(at_us)
            turn = self._room.turn
            for given in inputs:
                if isinstance(given, Moved) and given.switch == "power" and given.to == "on":
                    self._inputs.put((turn, Seeded(self._seed(), at_us)))
                self._inputs.put((turn, given))

    def _wake(self) -> None:
        """Make `wait` look round, without an input."""
        self._inputs.put((self._turn, None))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `CannotListen`.

    It says that it is TCP, else asyncio leaves Nagle's delay of 40 ms on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError as problem:
        listening.close()
        raise CannotListen(_cannot_listen(host, port, problem)) from problem
    return listening


def hosts(access: Access) -> tuple[str, str | None]:
    """Return where this machine finds a panel, and where others do if they can. Raises `CannotListen`."""
    if access.host in LOOPBACK:
        return access.host, None
    if access.host == "0.0.0.0":
        return "127.0.0.1", own_address()
    return access.host, access.host


def address(host: str, port: int, access: Access) -> str:
    """Return what a browser is to open."""
    query = "" if access.token is None else f"?token={access.token}"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/{query}"


def _share(access: Access, url: str | None) -> Mapping[str, Any]:
    """Return what an owner's page shows so that others can come."""
    return {} if url is None else {"url": url, "pin": access.pin, "code": qr_rows(url)}


def _own_names(host: str) -> Sequence[str]:
    """Return the names by which a page may call a server that listens on *host*."""
    if host in LOOPBACK:
        return LOOPBACK
    name = socket.gethostname().lower()
    return (*LOOPBACK, "*", host, name, f"{name.partition('.')[0]}.local")


def _cannot_listen(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; end the other program or choose another port with --port"
    if problem.errno == errno.EACCES:
        return f"port {port} on {host} needs root; choose one above 1023 with --port"
    return f"cannot listen on {host} port {port}: {problem.strerror or problem}"
