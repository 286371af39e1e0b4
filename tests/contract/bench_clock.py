"""Time on the bench: it stands still until the board waits, and then jumps. Nothing sleeps."""

from collections import deque

from hal.pi.pins import RawEdge


class BenchClock:
    """A clock that tests move. Call it for the time (µs); `seconds` is what a pin factory's ticks look like."""

    def __init__(self):
        self.us = 1_000_000

    def __call__(self):
        return self.us

    def seconds(self):
        return self.us / 1e6


class JumpingInbox:
    """The inbox of a board on the bench: an empty one lets the clock jump to the end of the wait.

    A wait without end and without anything to come is the promise that a unit at rest does not wake up; it raises.
    """

    def __init__(self, clock):
        self._clock = clock
        self._items = deque()
        self.waits_us = []
        self.refuse = 0     # so many edges are refused, as by a queue that raises

    def put(self, item):
        if self.refuse and isinstance(item, RawEdge):
            self.refuse -= 1
            raise MemoryError("no room for an edge")
        self._items.append(item)

    def take(self, timeout_us):
        if self._items:
            return self._items.popleft()
        if timeout_us == 0:
            return None
        if timeout_us is None:
            raise Asleep
        self.waits_us.append(timeout_us)
        self._clock.us += timeout_us
        return None


class Asleep(Exception):
    """The board sleeps until somebody does something."""
