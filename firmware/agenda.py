"""What is due when: one heap for every deadline of a unit, in the order that rule C-14 gives them."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import TypeAlias

MS = 1_000
SECOND = 1_000_000

# Who comes first at equal times (C-14); among equals the one that was set first.
RELEASE, RUN_OUT, HOLD, OTHER, SLEEP = range(5)

Act: TypeAlias = Callable[[int], None]
Entry: TypeAlias = "list[int | Act | None]"
"""A deadline: due (µs), rank, order of setting, what to call with the due time. `Agenda.drop` blanks the last."""


class Agenda:
    """Deadlines in order. Dropping one costs nothing; its husk leaves the heap when its time comes.

    *heap* may be looked at from outside: its first entry is due first, or a husk that was due sooner.
    """

    __slots__ = ("_set", "heap")

    def __init__(self) -> None:
        self.heap: list[Entry] = []
        self._set = 0

    def set(self, due_us: int, rank: int, act: Act) -> Entry:
        """Return a new deadline: *act* is to be called with *due_us* once that time has come."""
        self._set = order = self._set + 1
        entry: Entry = [due_us, rank, order, act]
        heappush(self.heap, entry)
        return entry

    @staticmethod
    def drop(entry: Entry | None) -> None:
        """Forget *entry*; one that is done, dropped or None already is no error."""
        if entry is not None:
            entry[3] = None

    @property
    def next_us(self) -> int | None:
        """When the first deadline is due (µs), or None."""
        heap = self.heap
        while heap:
            entry = heap[0]
            if entry[3] is not None:
                return entry[0]  # type: ignore[return-value]
            heappop(heap)
        return None

    def keep_releases(self) -> None:
        """Forget every deadline but those that confirm a release: what else was to come is over."""
        self.heap = [entry for entry in self.heap if entry[1] == RELEASE and entry[3] is not None]
        heapify(self.heap)

    def take(self) -> tuple[int, Act]:
        """Remove the first deadline; its due time and what to call. Only after `next_us` gave a time."""
        entry = heappop(self.heap)
        act, entry[3] = entry[3], None
        return entry[0], act  # type: ignore[return-value]
