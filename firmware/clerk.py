"""One thread that does what a disk may delay, so that the game never waits for it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue


class Clerk:
    """Does errands one after the other, in a thread of its own that starts with the first of them."""

    def __init__(self) -> None:
        self._errands: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._to_sync = -1  # a copy of the descriptor that waits to be synced
        self._failed: Callable[[OSError], object] = lambda why: None  # who is told if that fails
        self._syncing = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="clerk", daemon=True)
        self._works = False

    def do(self, errand: Callable[[], object]) -> None:
        """Queue an errand. It must not raise. The first one is not to be given by two threads at once."""
        self._errands.put(errand)
        if not self._works:
            self._works = True
            self._thread.start()

    def sync(self, file: int, failed: Callable[[OSError], object] = lambda why: None) -> None:
        """Have the file (a descriptor, which may be closed meanwhile) on the disk soon.

        *failed* is called by the clerk's thread if that fails.

        However slow the disk is, one sync at most waits behind the one under way: it brings everything.
        """
        own = os.dup(file)
        with self._syncing:
            waiting, self._to_sync, self._failed = self._to_sync, own, failed
        if waiting >= 0:
            os.close(waiting)
        else:
            self.do(self._sync)

    def _sync(self) -> None:
        with self._syncing:
            own, failed, self._to_sync = self._to_sync, self._failed, -1
        try:
            os.fdatasync(own)
        except OSError as why:
            print(f"the round is not on the disk yet: {why.strerror}", file=sys.stderr)
            failed(why)
        finally:
            os.close(own)

    def close(self) -> None:
        """Do what is queued, then end."""
        if self._works:
            self._errands.put(None)
            self._thread.join()

    def _work(self) -> None:
        while (errand := self._errands.get()) is not None:
            errand()


class LineFile:
    """A new text file that a clerk of its own writes, line by line. What cannot be written is said once, then left."""

    def __init__(self, path: str) -> None:
        """Make the file. One that is there already is kept: the new one gets a number, and `path` says which.

        Raises OSError when it cannot be made.
        """
        self.path = path
        number = 1
        while os.path.isfile(self.path):
            number += 1
            base, suffix = os.path.splitext(path)
            self.path = f"{base}-{number}{suffix}"
        self._file = open(self.path, "w", encoding="utf-8")  # noqa: SIM115 - closed by the clerk, in `close`
        self._broken = False
        self._clerk = Clerk()

    def write(self, line: str) -> None:
        """Have *line* written, with a newline."""
        self._clerk.do(lambda: self._put(line))

    def _put(self, line: str) -> None:
        if self._broken:
            return
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as why:
            self._break(why)

    def close(self) -> None:
        """Close the file, after what was written before."""
        self._clerk.do(self._shut)
        self._clerk.close()

    def _shut(self) -> None:
        try:
            self._file.close()
        except OSError as why:
            self._break(why)

    def _break(self, why: OSError) -> None:
        if not self._broken:
            print(f"{self.path}: the record ends here: {why.strerror}", file=sys.stderr)
        self._broken = True
