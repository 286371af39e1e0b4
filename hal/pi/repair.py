"""When a part that broke is tried again, and what the game is told of it: once that it broke, once that it is back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hal.errors import BadSetting, MissingLibrary
from hal.ports import Broke, Input, Mended

FIRST_RETRY_US = 100_000
LAST_RETRY_US = 2_000_000


class Repair:
    """The state of a driver that serves *parts*. A retry waits 0.1 s, then twice as long each time, up to 2 s."""

    def __init__(self, parts: Sequence[str], tell: Callable[[Input], None]) -> None:
        self.faults = 0
        self.hopeless = False
        self._parts = tuple(parts)
        self._tell = tell
        self._retry_us = 0
        self._pause_us = FIRST_RETRY_US
        self.broken = False

    def due(self, now_us: int) -> bool:
        """Whether it is time to try."""
        return not self.hopeless and now_us >= self._retry_us

    def next_us(self) -> int | None:
        """When to try again (µs), or None if trying cannot help before a restart."""
        return None if self.hopeless else self._retry_us

    def broke(self, error: Exception, now_us: int) -> int | None:
        """Tell the fault if it is new; return when to try again, as `next_us`."""
        self.faults += 1
        self.hopeless = isinstance(error, (MissingLibrary, BadSetting))
        self._retry_us = now_us + self._pause_us
        self._pause_us = min(2 * self._pause_us, LAST_RETRY_US)
        if not self.broken:
            self.broken = True
            for part in self._parts:
                self._tell(Broke(part, why(error), now_us))
        return self.next_us()

    def works(self, now_us: int) -> None:
        """Tell that the parts are back, if they were gone."""
        self._pause_us = FIRST_RETRY_US
        if self.broken:
            self.broken = False
            for part in self._parts:
                self._tell(Mended(part, now_us))


def why(error: Exception) -> str:
    """Return what went wrong, in one line: never empty, for an error without words its kind."""
    return " ".join(str(error).split()) or type(error).__name__
