"""How fast somebody may go on: some things at once, and then so many a second."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Counts what is done. It lets *at_once* through, and from then on so many *a_second*."""

    def __init__(self, at_once: int, a_second: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._ahead_s, self._each_s = (at_once - 1) / a_second, 1 / a_second
        self._now_s = now_s
        self._free_s = 0.0                  # when one more would come in time, had nothing been let through at once

    def may(self) -> bool:
        """Count one more, if it comes in time; whether it does."""
        if self._early_s() > 0:
            return False
        self._free_s += self._each_s
        return True

    def book(self) -> float:
        """Count one more; how long (s) it has to wait to come in time."""
        early_s = max(0.0, self._early_s())
        self._free_s += self._each_s
        return early_s

    def _early_s(self) -> float:
        now_s = self._now_s()
        self._free_s = max(self._free_s, now_s)
        return self._free_s - now_s - self._ahead_s
