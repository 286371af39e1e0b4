"""The unit in a browser beside its real board: a process of its own, which can neither slow the game nor end it.

    game ──queue──▶ a thread of the game's process ──socket──▶ hal.panel.mirrored ──▶ pages

The game's thread only puts what is shown into a queue. The socket carries whole messages (`SOCK_SEQPACKET`), never
waits and takes none when it is full; once there is room again, one snapshot replaces what was left out. As text:

    {"page": …, "access": …}      first, what the process opens the panel with
    protocol lines                all of one moment, a newline between them
    {"input": {"press": "go"}}    somebody moved something on the unit
    {"snapshot": …}               replaces what was left out
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any

from hal.errors import MissingLibrary
from hal.panel.access import HERE, Access
from hal.panel.board import address, hosts, listen
from hal.panel.room import said
from hal.panel.snapshot import Snapshot
from hal.ports import Input, Telling

RETRY_S = 0.5                   # while the process does not read; otherwise nothing is done unasked
GOODBYE_S = 3                   # how long the process may take to end


class Mirror:
    """Shows a unit in browsers: a `hal.ports.Listener` that also takes what the unit heard. Pages press nothing."""

    def __init__(self, page: Mapping[str, Any], *, port: int = 8765, access: Access = HERE) -> None:
        """Start the process; pages may come to `url` (others to `shared_url`) from now on, and are served soon.

        *page* is as for `PanelBoard`. Raises `CannotListen`, and `MissingLibrary` without the extra `panel`.
        """
        for name in ("starlette", "uvicorn", "wsproto"):
            if find_spec(name) is None:
                raise MissingLibrary(name, "panel")
        to_here, to_others = hosts(access)
        with listen(access.host, port) as listening:
            self.port: int = listening.getsockname()[1]
            self.url = address(to_here, self.port, access)
            self.shared_url = None if to_others is None else address(to_others, self.port, access)
            self._socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with far:
                files = (far.fileno(), listening.fileno())
                command = [sys.executable, "-m", "hal.panel.mirrored", *map(str, files)]
                self.process = subprocess.Popen(command, pass_fds=files, stdin=subprocess.DEVNULL)
        self._socket.setblocking(False)
        self._snapshot = Snapshot(page["header"])
        self._told: SimpleQueue[Callable[[], str | None] | None] = SimpleQueue()
        self._is_gone = False
        self._send(json.dumps({"page": page, "access": access}))
        self._thread = threading.Thread(target=self._tell, name="mirror", daemon=True)
        self._thread.start()

    def hear(self, moment: Telling) -> None:
        """Show what the unit shows. Never blocks, never raises; once the process has ended it does nothing."""
        if not self._is_gone:
            self._told.put(partial(self._showing, moment))

    def heard(self, given: Input) -> None:
        """Show what somebody moved on the unit."""
        if not self._is_gone:
            self._told.put(partial(self._moving, given))

    def close(self) -> None:
        """Let the pages know that the program ends, and end the process. May be called twice."""
        self._told.put(None)
        self._thread.join()
        self._socket.close()
        try:
            self.process.wait(GOODBYE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _tell(self) -> None:
        is_behind = False
        while True:
            text = None
            try:
                told = self._told.get(timeout=RETRY_S if is_behind else None)
            except Empty:
                pass                        # nothing new, but there may be room again
            else:
                if told is None:
                    return
                text = told()
            if is_behind:
                text = json.dumps({"snapshot": self._snapshot.data()})
            if text is None:
                continue
            try:
                self._send(text)
                is_behind = False
            except BlockingIOError:
                is_behind = True
            except OSError:
                self._give_up()
                return

    def _send(self, text: str) -> None:
        self._socket.send(text.encode())

    def _showing(self, moment: Telling) -> str:
        self._snapshot.show(moment.outputs, moment.at_us)
        return "\n".join(moment.lines)

    def _moving(self, given: Input) -> str | None:
        self._snapshot.move(given)
        message = said(given)
        return json.dumps({"input": message}) if message else None

    def _give_up(self) -> None:
        self._is_gone = True
        print("the page beside the unit has ended; the unit plays on", file=sys.stderr)
