"""What a game says on stderr: nobody has to listen for it to go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


class Log:
    """A stream whose words are dropped where they cannot be written: its reader has gone, a disk is full."""

    def __init__(self, to: TextIO | None) -> None:
        self._to = to

    def write(self, text: str) -> int:
        """Write *text* if that can be; never raises."""
        with suppress(OSError, ValueError):  # ValueError: it is closed
            if self._to is not None:
                self._to.write(text)
        return len(text)

    def flush(self) -> None:
        """Have it written, if that can be; never raises."""
        with suppress(OSError, ValueError):
            if self._to is not None:
                self._to.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._to, name)


@contextmanager
def nobody_has_to_listen() -> Iterator[None]:
    """Have stderr be a `Log` meanwhile: for what is to go on whether or not its words reach anybody."""
    before = sys.stderr
    sys.stderr = cast(TextIO, Log(before))
    try:
        yield
    finally:
        sys.stderr = before
