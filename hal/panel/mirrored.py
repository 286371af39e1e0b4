"""The pages of a unit that is played by another process: their end of `hal.panel.mirror`, which says what is sent.

`python -m hal.panel.mirrored SOCKET LISTENING` is started by `hal.panel.ways.Spawned`; the numbers are those of the
sockets it hands over. It ends when the game does, however that ends. `stay` is for a service of its own: it waits for
the game, and again whenever that has ended. Both give way to it: a unit's only core is busy with lights first.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, NoReturn

from hal.messages import heard
from hal.panel.access import HERE, Access
from hal.panel.board import PanelBoard
from hal.panel.mirror import LONGEST as LONGEST_BACK
from hal.panel.mirror import Nonsense
from hal.panel.room import Refused
from hal.panel.snapshot import Snapshot
from hal.ports import Input, Stop, Wish

LONGEST = 1 << 20               # bytes of one message
NICER = 10
FILES = ("settings.toml", "record.jsonl")
FILE_S = 10                     # how long the game may take for the next piece of a file
AGAIN_S = 1.0                   # between two looks for a game that is away
WISHES = frozenset({"settings", "record", "answer", "unit"})
ONLY_SHOWS = "this page only shows what the unit does; use the unit's own buttons"
AWAY = "the unit is away: its program does not run"
ODD = "the unit is there, but "
NO_MORE = (0, "", False)        # of a file: the game has ended


@dataclass(slots=True)
class Heard:
    """What was shown at one moment (`hal.ports.Telling`)."""

    at_us: int
    outputs: Sequence[Mapping[str, object]]
    lines: Sequence[str]


class Mirrored:
    """Pages that show what comes from the game, and send back what they want of it. `close` it."""

    def __init__(
        self, page: Mapping[str, Any], *, access: Access = HERE, port: int = 0,
        listening: socket.socket | None = None, line: socket.socket | None = None,
    ) -> None:
        """Open the panel with *page*, as for `PanelBoard`; *line* goes to the game, if that is there already.

        Raises what `PanelBoard` raises.
        """
        self._page = page
        self._line = line                           # while the game is there
        self._fetching = threading.Lock()
        self._fetched: SimpleQueue[tuple[int, str, bool]] = SimpleQueue()
        self._fetches = 0
        files = {name: partial(self._fetch, name) for name in FILES}
        self.board = PanelBoard(
            page, self._understand, access=access, port=port, listening=listening, downloads=files)
        self._passing = threading.Thread(target=self._pass_on, name="wishes", daemon=True)
        self._passing.start()

    def follow(self, line: socket.socket) -> None:
        """Show what comes over *line*, until the game at its other end has ended. Raises `Nonsense`."""
        self._line = line
        try:
            while data := line.recv(LONGEST):
                try:
                    self._show(data.decode())
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as why:
                    odd = f"what it sends makes no sense here ({why!r:.80}); is it of another version?"
                    raise Nonsense(odd) from why
        except ConnectionError:
            pass                                    # killed while there was something for it to read
        finally:
            self._line = None
            self._fetched.put(NO_MORE)

    def be_away(self) -> None:
        """Tell all pages that there is no game. They stay, and show it again once `follow` has one."""
        self.board.turn_to({**self._page, "away": True}, self._understand)

    def close(self) -> None:
        """Tell all pages that the program ends."""
        self.board.stop()
        self._passing.join()
        self.board.close()

    # -- what comes from the game --------------------------------------------------------------------------------------

    def _show(self, text: str) -> None:
        board, lines = self.board, text.split("\n")
        messages = [json.loads(line) for line in lines]
        first = messages[0]
        if "snapshot" in first:
            Snapshot((first.get("page") or self._page)["header"]).replace(first["snapshot"])   # or it makes no sense
        if "page" in first:
            page = first["page"]
            board.turn_to(page, self._understand, first.get("snapshot"))
            self._page = page
        elif "snapshot" in first:
            board.see_all(first["snapshot"])
        elif "input" in first:
            board.see(heard(first["input"]))
        elif "answer" in first:
            board.reply(first["answer"], first["refused"])
        elif "file" in first:
            self._fetched.put((first["file"], first["text"], first["more"]))
        else:
            at_us = round(first["t"] * 1_000_000)
            board.hear(Heard(at_us, [{key: line[key] for key in line if key != "t"} for line in messages], lines))

    # -- what goes there -----------------------------------------------------------------------------------------------

    def _understand(self, message: Mapping[str, object], at_us: int) -> Sequence[Input]:
        """Take what the game can grant; whether it does, the game says."""
        if not WISHES & message.keys():
            raise Refused(ONLY_SHOWS)
        if self._line is None:
            raise Refused(AWAY)
        return [Wish(message, at_us)]

    def _pass_on(self) -> None:
        """Send wishes to the game until the program ends. A server that dies takes the program with it."""
        given: Input | None = None
        try:
            while not isinstance(given, Stop):
                for given in self.board.wait(None):
                    if isinstance(given, Wish) and (why := self._send({"wish": given.what, "number": given.number})):
                        self.board.reply(given.number, why)
        finally:
            if not isinstance(given, Stop):
                os.kill(os.getpid(), signal.SIGTERM)

    def _send(self, message: Mapping[str, object]) -> str | None:
        """Send *message* to the game; why not, if so."""
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        line = self._line
        if line is None:
            return AWAY
        if len(data) > LONGEST_BACK:
            return f"that is too long: {len(data)} bytes, and {LONGEST_BACK} at most"
        try:
            line.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return "that is too much at once; wait a moment"
        except OSError:
            return AWAY
        return None

    def _fetch(self, name: str) -> str:
        """Return a file of the game's. Raises OSError, in words, where it cannot be had now."""
        with self._fetching:                        # the game is asked for one at a time
            self._fetches += 1
            if why := self._send({"fetch": name, "number": self._fetches}):
                raise OSError(why)
            pieces: list[str] = []
            try:
                while True:
                    number, text, more = self._fetched.get(timeout=FILE_S)
                    if self._line is None:
                        raise OSError(AWAY)
                    if number == self._fetches:
                        pieces.append(text)
                        if not more:
                            return "".join(pieces)
            except Empty:
                raise OSError("the unit does not answer; try again") from None


def stay(mirrored: Mirrored, path: str, say: Callable[[str], object]) -> NoReturn:
    """Show the unit that is played behind the Unix socket at *path*, whenever it is; returns never. *say* is told."""
    told = None
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
            try:
                line.connect(path)
            except OSError as why:
                text = f"the unit is away, {path}: {why.strerror or why}; waiting for pilelight@UNIT"
            else:
                if told is None or not told.startswith(ODD):
                    say("the unit is there")
                text = "the unit is away; waiting for it"
                try:
                    mirrored.follow(line)
                except Nonsense as why:
                    text = f"{ODD}{why}"
                mirrored.be_away()
        if text != told:
            say(text)
        told = text
        time.sleep(AGAIN_S)


def give_way() -> None:
    """Let the game have the processor first. Where a service manager has seen to that already, it forbids this."""
    with contextlib.suppress(PermissionError):
        os.nice(NICER)


def end_on_sigterm() -> None:
    """Have SIGTERM end the program as its own end does."""
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit


def main(files: Sequence[str]) -> None:
    """Show the unit until the game has ended."""
    for number in (signal.SIGINT, signal.SIGHUP):       # Ctrl-C and a closed terminal are for the game
        signal.signal(number, signal.SIG_IGN)
    end_on_sigterm()
    give_way()
    line, listening = (socket.socket(fileno=int(file)) for file in files)
    access = Access(*json.loads(line.recv(LONGEST))["access"])
    first = line.recv(LONGEST)
    if not first:
        return                                          # the game ended before it began
    begins = json.loads(first)
    mirrored = Mirrored(begins["page"], access=access, listening=listening, line=line)
    try:
        if begins["snapshot"] != Snapshot(begins["page"]["header"]).data():   # the game began before we did
            mirrored.board.see_all(begins["snapshot"])
        mirrored.follow(line)
    finally:
        mirrored.close()


if __name__ == "__main__":
    main(sys.argv[1:])
