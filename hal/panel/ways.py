"""How the process with the pages comes to the game: started by it, or as a service of its own through a Unix socket."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hal.errors import BoardError, MissingLibrary
from hal.panel.pace import Pace

if TYPE_CHECKING:
    from hal.panel.access import Access

GOODBYE_S = 3                   # how long the process may take to end
LIBRARIES = ("starlette", "uvicorn", "wsproto")
VISITS = (5, 0.5)               # connections: so many at once, and so many a second
PEER = struct.Struct("3i")      # struct ucred: process, user, group


class Spawned:
    """A process that the game starts and that ends with it, however the game ends."""

    gone = "the page beside the unit has ended; the unit plays on"

    def __init__(self, *, port: int = 8765, access: Access | None = None) -> None:
        """Start it; pages may come to `url` (others to `shared_url`) from now on, and are served soon.

        Without *access* it is for this machine. Raises `CannotListen`, and `MissingLibrary` without the extra `panel`.
        """
        import subprocess  # what only this way needs is loaded here: a service has the other one

        from hal.panel.access import HERE
        from hal.panel.board import address, hosts, listen

        access = access or HERE
        for name in LIBRARIES:
            if find_spec(name) is None:
                raise MissingLibrary(name, "panel")
        to_here, to_others = hosts(access)
        with listen(access.host, port) as listening:
            self.port: int = listening.getsockname()[1]
            self.url = address(to_here, self.port, access)
            self.shared_url = None if to_others is None else address(to_others, self.port, access)
            self._line, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with far:
                files = (far.fileno(), listening.fileno())
                command = [sys.executable, "-m", "hal.panel.mirrored", *map(str, files)]
                self.process = subprocess.Popen(command, pass_fds=files, stdin=subprocess.DEVNULL)
        self._line.send(json.dumps({"access": access}).encode())

    def lines(self) -> Iterator[socket.socket]:
        """See `mirror.Way`: the one connection that there is."""
        yield self._line

    def close(self) -> None:
        """See `mirror.Way`. The process ends once the connection has."""
        from subprocess import TimeoutExpired

        try:
            self.process.wait(GOODBYE_S)
        except TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Meeting:
    """A Unix socket in the file system to which a panel comes that is a service of its own, and comes again."""

    gone = "the panel has gone; the unit plays on"

    def __init__(self, path: str, users: Collection[int]) -> None:
        """Listen at *path*; only processes of *users* (their numbers) may come, and one at a time.

        The file's group may connect, too, so that the system turns others away first. Raises BoardError.
        """
        self._path, self._users = Path(path), frozenset(users)
        self._closed = threading.Event()
        self._visits = Pace(*VISITS)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._take_place()
        except OSError as why:
            self._listening.close()
            raise BoardError(f"{path}: no panel can come here: {why.strerror or why}") from None

    def _take_place(self) -> None:
        place = str(self._path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.setblocking(False)           # who listens there may be stopped, with others waiting already
            try:
                asking.connect(place)
            except FileNotFoundError:
                pass
            except ConnectionRefusedError:      # left behind by a program that was killed, or no socket at all
                if not self._path.is_socket():
                    raise OSError(None, "another file is there") from None
                self._path.unlink()
            except BlockingIOError:
                raise OSError(None, "another program listens there") from None
            else:
                raise OSError(None, "another program listens there")
        self._listening.bind(place)
        self._path.chmod(0o660)                 # before anybody can connect
        self._listening.listen(1)

    def lines(self) -> Iterator[socket.socket]:
        """See `mirror.Way`: one connection after another."""
        while not self._closed.is_set():
            try:
                line, _ = self._listening.accept()
            except OSError:
                return                          # closed
            user = PEER.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))[1]
            if user in self._users:
                yield line
            else:
                line.close()
                print(f"{self._path}: user {user} may not show this unit", file=sys.stderr)
            self._closed.wait(self._visits.book())

    def close(self) -> None:
        """See `mirror.Way`."""
        if not self._closed.is_set():
            self._closed.set()
            with suppress(OSError):             # it may stay behind: the next one takes its place
                self._path.unlink()
        with suppress(OSError):                 # closed before
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
