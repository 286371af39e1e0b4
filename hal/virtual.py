"""A board without hardware: inputs from a script, a clock that jumps, and everything that is shown written down.

Its parts can misbehave as real ones do: `fingers` that bounce, a strip that fails, a display that is gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from random import Random
from typing import NamedTuple

from hal.ports import Answered, Broke, Buzzer, Contact, Display, Input, Mended, Stop, Strip, Unplugged, Wish


class Shown(NamedTuple):
    """What a part showed from a moment on: the strip's bytes, the display's segments, or (pitch_hz, volume)."""

    at_us: int
    part: str
    what: bytes | tuple[int, int]


class _Interrupted(BaseException):
    """A signal came while the script was being read."""


class VirtualPart:
    """A part that writes down what it is told, and shows nothing while it is broken."""

    def __init__(self, name: str, board: VirtualBoard) -> None:
        self.name, self._board = name, board
        self.broken = False

    def _note(self, what: bytes | tuple[int, int]) -> None:
        if not self.broken:
            self._board.write_down(Shown(self._board.now_us(), self.name, what))


class VirtualStrip(VirtualPart):
    """See `hal.ports.Strip`."""

    def show(self, frame: bytes) -> None:
        """Write the frame down."""
        self._note(frame)


class VirtualDisplay(VirtualPart):
    """See `hal.ports.Display`."""

    def show(self, segments: bytes) -> None:
        """Write the segments down."""
        self._note(segments)


class VirtualBuzzer(VirtualPart):
    """See `hal.ports.Buzzer`."""

    def sound(self, pitch_hz: int, volume: int) -> None:
        """Write the pitch down."""
        self._note((pitch_hz, volume))


class VirtualBoard:
    """A `hal.ports.Board` in virtual time. After the script it is unplugged, at *end_us* if that is later."""

    name = "virtual"

    def __init__(
        self,
        script: Iterable[Input],
        end_us: int = 0,
        late_us: Callable[[], int] = lambda: 0,
        write_down: Callable[[Shown], None] | None = None,
    ) -> None:
        """*script* is in the order of its stamps and may be read late, one input at a time.

        *late_us* says before each wake-up by how much the loop oversleeps. *write_down* takes what is shown; without
        it that is kept in `shown`.
        """
        self.shown: list[Shown] = []
        self.write_down = write_down or self.shown.append
        strip, display = VirtualStrip("strip", self), VirtualDisplay("display", self)
        buzzer = VirtualBuzzer("buzzer", self)
        self.strip: Strip | None = strip
        self.display: Display | None = display
        self.buzzer: Buzzer | None = buzzer
        self._parts: tuple[VirtualPart, ...] = (strip, display, buzzer)
        self.closed = False
        self._script = _in_order(script)
        self._next: Input | None = None
        self._end_us, self._late_us = end_us, late_us
        self._now_us = 0
        self._over = self._stopped = self._reading = False
        self._put: deque[Wish | Answered] = deque()

    def now_us(self) -> int:
        """See `hal.ports.Board`."""
        return self._now_us

    def wait(self, until_us: int | None) -> Sequence[Input]:
        """See `hal.ports.Board`: jump to the next input or to *until_us*, whatever comes first."""
        heard = self._peek()
        if self._stopped:
            return (Stop(self._now_us),)
        if self._put:
            return (self._put.popleft()._replace(at_us=self._now_us),)
        if heard is None and (until_us is None or until_us > self._end_us):
            self._now_us = max(self._now_us, self._end_us)
            return (Unplugged(self._now_us),)
        wake_us = heard.at_us if heard is not None else self._end_us
        if until_us is not None and until_us < wake_us:
            wake_us = until_us
        self._now_us = max(self._now_us, wake_us + self._late_us())
        inputs: list[Input] = []
        while heard is not None and heard.at_us <= self._now_us:
            inputs.append(self._take(heard))
            if heard.at_us == self._now_us:
                break  # it is shown before the script is read on, which may take as long as somebody types
            heard = self._peek()
        return inputs

    def stay_until(self, end_us: int) -> None:
        """Be unplugged no sooner than at *end_us* (µs)."""
        self._end_us = max(self._end_us, end_us)

    def put(self, given: Wish | Answered) -> None:
        """See `hal.ports.TakesWishes`: handed over when `wait` is called next, and the script is not being read."""
        self._put.append(given)

    def stop(self) -> None:
        """End the game as with Ctrl-C. May be called from a signal handler."""
        self._stopped = True
        if self._reading:
            raise _Interrupted

    def close(self) -> None:
        """See `hal.ports.Board`: lights dark, display blank, buzzer silent."""
        self.closed = True

    def _peek(self) -> Input | None:
        if self._next is None and not self._over and not self._stopped:
            self._reading = True
            with suppress(_Interrupted):
                self._next = next(self._script, None)
                self._over = self._next is None
            self._reading = False
        return self._next

    def _take(self, heard: Input) -> Input:
        self._next = None
        if isinstance(heard, Broke | Mended):
            for part in self._parts:
                if part.name == heard.part:
                    part.broken = isinstance(heard, Broke)
        return heard


def _in_order(script: Iterable[Input]) -> Iterator[Input]:
    last_us = 0
    for heard in script:
        if heard.at_us < last_us:
            raise ValueError(f"{heard}: stamped before the input that came before it, at {last_us} µs")
        last_us = heard.at_us
        yield heard


class Finger:
    """A finger on real buttons: its presses chatter when they close and when they open."""

    def __init__(self, random: Random, chatter_us: int = 0, chatters: int = 3) -> None:
        """Each edge bounces up to *chatters* times within *chatter_us*; 0 is a perfect contact."""
        self._random, self._chatter_us, self._chatters = random, chatter_us, chatters

    def press(self, name: str, at_us: int) -> list[Contact]:
        """The contact closes at *at_us*, and some more times shortly after."""
        return self._edge(name, True, at_us)

    def release(self, name: str, at_us: int) -> list[Contact]:
        """The contact opens at *at_us*, and some more times shortly after."""
        return self._edge(name, False, at_us)

    def tap(self, name: str, at_us: int, down_us: int = 100_000) -> list[Contact]:
        """A press and its release, *down_us* later."""
        return [*self.press(name, at_us), *self.release(name, at_us + down_us)]

    def _edge(self, name: str, closed: bool, at_us: int) -> list[Contact]:
        first = Contact(name, closed, at_us)
        if not self._chatter_us:
            return [first]
        count = 2 * self._random.randint(0, self._chatters)
        moments = sorted(self._random.sample(range(1, self._chatter_us), min(count, self._chatter_us - 1) // 2 * 2))
        bounces = (Contact(name, closed ^ (n % 2 == 0), at_us + after_us) for n, after_us in enumerate(moments))
        return list(chain([first], bounces))
