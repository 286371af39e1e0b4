"""The loop: wait, feed, show, tell. The only place where the game meets a board."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from hal.ports import Board, Broke, Input, Listener, Mended, Stop, Unplugged, Wish

if TYPE_CHECKING:
    from firmware.moment import Moment
    from firmware.notify import Pulse
    from firmware.stage import Stage


ENDINGS = (Stop, Unplugged, Wish)


class Playable(Protocol):
    """What the loop plays: a unit, or the self-test of one."""

    now_us: int

    @property
    def deadline_us(self) -> int | None:
        """When `tick` is to be called next (µs), or None: only an input can change anything."""

    def tick(self, now_us: int) -> list[Moment]:
        """Settle everything that is due up to *now_us* (µs); what was shown, moment by moment."""

    def feed(self, heard: Input) -> list[Moment]:
        """Take an input, after everything that was due up to its stamp; what was shown, moment by moment."""


class Runner:
    """Plays *unit* on *board* until somebody stops it or the plug is pulled.

    *before_input* is called with each input before the unit gets it, *after_input* when all that it caused has been
    shown: recorders and the memory of the round listen there, and what *after_input* gives is an input of its own.
    *pulse* beats after every pass of the loop.
    """

    def __init__(
        self,
        unit: Playable,
        board: Board,
        stage: Stage | None = None,
        listeners: Iterable[Listener] = (),
        before_input: Iterable[Callable[[Input], None]] = (),
        after_input: Iterable[Callable[[], Input | None]] = (),
        pulse: Pulse | None = None,
    ) -> None:
        self.unit, self.board, self.stage = unit, board, stage
        self._listeners = tuple(listeners)
        self._before_input, self._after_input = tuple(before_input), tuple(after_input)
        self._pulse = pulse
        self.left: tuple[Input, ...] = ()  # what came together with the wish that ended the game, after it

    def run(self, first: Iterable[Input] = ()) -> Stop | Unplugged | Wish:
        """Play, beginning with the inputs *first*; why it ended."""
        unit, board, stage, pulse = self.unit, self.board, self.stage, self._pulse
        self._show(unit.tick(unit.now_us))
        for heard in first:
            self._feed(heard)
        while True:
            until_us = unit.deadline_us
            if stage is not None and (frame_us := stage.deadline_us) is not None:
                until_us = frame_us if until_us is None else min(until_us, frame_us)
            if pulse is not None and pulse.due_us is not None:
                until_us = pulse.due_us if until_us is None else min(until_us, pulse.due_us)
            inputs = iter(board.wait(until_us))
            for heard in inputs:
                if isinstance(heard, ENDINGS):
                    self.left = tuple(inputs)
                    return heard
                self._feed(heard)
            now_us = board.now_us()
            self._show(unit.tick(now_us))
            if stage is not None:
                stage.render(now_us)
            if pulse is not None:
                pulse.beat(now_us)

    def _feed(self, heard: Input) -> None:
        unit = self.unit
        self._show(unit.tick(heard.at_us - 1))  # what is due before it is told before it
        if heard.at_us < unit.now_us:
            heard = heard._replace(at_us=unit.now_us)
        for listen in self._before_input:
            listen(heard)
        if self.stage is not None and isinstance(heard, Broke):
            self.stage.lose(heard.part)
        self._show(unit.feed(heard))
        if self.stage is not None and isinstance(heard, Mended):
            self.stage.regain(heard.part)

    def _show(self, moments: list[Moment]) -> None:
        """Show it first, then tell of it, then write it down: players do not wait for a disk."""
        if not moments:
            return
        if self.stage is not None:
            for moment in moments:
                self.stage.take(moment)
            self.stage.render(self.board.now_us())
        for moment in moments:
            for listener in self._listeners:
                listener.hear(moment)
        for listen in self._after_input:
            if (heard := listen()) is not None:
                self._feed(heard)
