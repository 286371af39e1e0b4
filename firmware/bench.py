"""The bench: a unit in virtual time that speaks JSON lines, inputs on stdin and outputs on stdout."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from types import FrameType
from typing import BinaryIO, TextIO

from firmware.moment import stamp
from firmware.protocol import Reader, Refused
from hal.ports import Buzzer, Display, Input, Stop, Strip, Telling, Unplugged


class _Stopped(BaseException):
    """A signal came while the bench waited for a line."""


class BenchBoard:
    """A board whose clock stands between lines: each `wait` jumps to the next deadline or the next input.

    It is a `hal.ports.Board` and a listener: it answers a line when all outputs up to its time have been told.
    """

    name = "bench"
    display: Display | None = None
    buzzer: Buzzer | None = None

    def __init__(self, reader: Reader, lines: BinaryIO, out: TextIO) -> None:
        """Read *lines*, answer on *out*."""
        self.strip: Strip | None = None
        self.refused = 0
        self.interrupted = False  # from the keyboard
        self._reader, self._lines, self._out = reader, lines, out
        self._stopped = self._reading = False
        self._frames: list[str] = []  # to be told after the moment that they show
        self._now_us = 0
        self._number = 0
        self._inputs: list[Input] = []
        self._until_us: int | None = None  # of the line that is being answered

    def now_us(self) -> int:
        """See `hal.ports.Board`."""
        return self._now_us

    def wait(self, until_us: int | None) -> Sequence[Input]:
        """See `hal.ports.Board`. Deadlines after the time of the present line wait for the next line."""
        self._tell_frames()
        while True:
            if self._inputs:
                at_us = self._inputs[0].at_us
                if until_us is not None and until_us < at_us:
                    self._now_us = until_us
                    return ()
                self._now_us = at_us
                return (self._inputs.pop(0),)
            if self._until_us is not None:
                if until_us is not None and until_us <= self._until_us and until_us >= self._now_us:
                    self._now_us = until_us
                    return ()
                self._answer()
            line = self._next_line()
            if line is None:
                return (Stop(self._now_us),)
            if not line:
                return (Unplugged(self._now_us),)
            self._take(line)

    def stop(self, number: int, _: FrameType | None) -> None:
        """End at the next chance, as the handler of a signal."""
        self._stopped = True
        self.interrupted = number == signal.SIGINT
        if self._reading:
            raise _Stopped

    def _next_line(self) -> bytes | None:
        """The next line; empty at the end of input, None when a signal asked to stop."""
        try:
            self._reading = True
            return None if self._stopped else self._lines.readline()
        except _Stopped:
            return None
        finally:
            self._reading = False

    def _take(self, line: bytes) -> None:
        self._number += 1
        if not line.strip():
            return
        try:
            self._inputs, self._until_us = self._reader.read(line)
        except Refused as why:
            self.refused += 1
            self._say(json.dumps({"line": self._number, "error": str(why)}))

    def _answer(self) -> None:
        assert self._until_us is not None
        self._now_us, self._until_us = self._until_us, None
        self._say(f'{{"t": {stamp(self._now_us)}, "ok": {self._number}}}')

    def _say(self, line: str) -> None:
        self._out.write(line + "\n")
        self._out.flush()

    def hear(self, moment: Telling) -> None:
        """See `hal.ports.Listener`."""
        for line in moment.lines:
            self._out.write(line + "\n")
        self._tell_frames()

    def show(self, frame: bytes) -> None:
        """See `hal.ports.Strip`: the bytes are told after what they show."""
        self._frames.append(f'{{"t": {stamp(self._now_us)}, "frame": "{frame.hex()}"}}\n')

    def _tell_frames(self) -> None:
        for line in self._frames:
            self._out.write(line)
        self._frames.clear()

    def close(self) -> None:
        """See `hal.ports.Board`."""
        self._tell_frames()
        self._out.flush()
