"""Records: what a unit heard and showed, as lines of the bench protocol that can be replayed and compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from firmware import __version__
from firmware.agenda import SECOND
from firmware.body import LOUDEST
from firmware.moment import Moment, stamp
from firmware.protocol import VERBS, Reader, Refused, header, line_of
from firmware.settings import SettingsError, is_number
from firmware.unit import Unit
from hal.ports import Input, Telling

OUTPUTS = ("event", "state", "lights", "display", "tone")
PASSED_OVER = ("frame", "error")  # lines of a bench that say nothing of the game


class Recorder:
    """Writes everything that goes in and out. It is a `hal.ports.Listener`."""

    def __init__(self, write: Callable[[str], None], unit: Unit, seed: int, came_with: Mapping[str, object]) -> None:
        """*write* takes a line without newline. *came_with* is what the unit was made from besides its settings."""
        self._write, self._unit = write, unit
        first: dict[str, object] = json.loads(header(unit, seed, __version__))
        write(json.dumps({**first, **{key: value for key, value in came_with.items() if value is not None}}))

    def heard(self, heard: Input) -> None:
        """Write an input down, before the unit gets it, with the time at which the unit will take it."""
        at_us = max(heard.at_us, self._unit.now_us)  # an edge can arrive after a deadline that its stamp lies before
        self._write(f'{{"t": {stamp(at_us)}, {json.dumps(line_of(heard))[1:]}')

    def hear(self, moment: Telling) -> None:
        """See `hal.ports.Listener`."""
        for line in moment.lines:
            self._write(line)


LONGEST_TAPE = 200_000  # lines, some hours of play
PIECE = 150  # lines


class Tape:
    """A record in memory, of bounded length: what comes after that is left out."""

    def __init__(self) -> None:
        self.runs = True
        self._lines: list[str] = []

    def write(self, line: str) -> None:
        """Keep a line, given without newline."""
        if self.runs and len(self._lines) < LONGEST_TAPE:
            self._lines.append(line)

    def pieces(self) -> Iterator[str]:
        """All lines that are there now, each with its newline, some at a time. Another thread may write meanwhile."""
        lines = self._lines
        there = len(lines)
        for at in range(0, there, PIECE):
            yield "\n".join(lines[at : min(at + PIECE, there)]) + "\n"


class BadRecord(ValueError):
    """A file that is no record; the text says which line and why."""


class Difference(Exception):
    """The first place where a replay and its record part; the text tells both."""


def replay(lines: Iterable[str], make: Callable[[Mapping[str, Any]], Unit], path: str) -> int:
    """Play the inputs of a record again; how many outputs agree.

    *make* makes the unit that the first line describes. Raises Difference at the first output that differs, BadRecord
    when the file is none. A record that was cut off in its last line is compared as far as it goes.
    """
    played = _Played(path)
    messages = _messages(lines, path)
    number, first = next(messages, (1, {}))
    unit, reader = _begin(number, first, make, path, played)
    for number, message in messages:
        if message.get("bench") == 1:
            played.expect_nothing(number, message)
            unit, reader = _begin(number, message, make, path, played)
        elif any(key in message for key in OUTPUTS) and "t" in message:
            played.expect(number, message, unit.tick)
        elif any(key in message for key in (*VERBS, "seed")):
            try:
                inputs, until_us = reader.read(json.dumps(message))
            except Refused as why:
                raise BadRecord(f"{path}: line {number}: {why}") from None
            played.expect_nothing(number, message)
            for heard in inputs:
                played.add(unit.feed(heard))
            played.add(unit.tick(until_us))
        elif "ok" in message:
            played.expect_nothing(number, message)
        elif not any(key in message for key in PASSED_OVER):
            raise BadRecord(f"{path}: line {number}: neither an input nor an output of a unit")
    return played.close()


def _begin(
    number: int, first: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Unit], path: str, played: _Played
) -> tuple[Unit, Reader]:
    """The unit that a first line describes; a file has another one where another unit or other settings were wished."""
    try:
        _check_first(first)
        unit = make(first)
    except (LookupError, BadRecord, SettingsError) as why:
        raise BadRecord(f"{path}: line {number}: {why.args[0]}") from None
    played.add(unit.tick(unit.now_us))
    return unit, Reader(unit, recorded=True)


class _Played:
    """Outputs that the replay brought and the record has not shown yet."""

    def __init__(self, path: str) -> None:
        self._path, self._agree = path, 0
        self._waiting: list[str] = []

    def add(self, moments: list[Moment]) -> None:
        self._waiting += [line for moment in moments for line in moment.lines]

    def expect(self, number: int, message: Mapping[str, Any], tick: Callable[[int], list[Moment]]) -> None:
        if not is_number(message["t"]):
            raise BadRecord(f"{self._path}: line {number}: 't' must be a number of seconds")
        if not self._waiting:
            self.add(tick(round(message["t"] * SECOND)))
        got = json.loads(self._waiting.pop(0)) if self._waiting else None
        if got != message:
            self._differ(number, json.dumps(message), json.dumps(got) if got is not None else "nothing")
        self._agree += 1

    def expect_nothing(self, number: int, message: Mapping[str, Any]) -> None:
        """All that came before an input must have been shown before it."""
        if self._waiting:
            self._differ(number, json.dumps(message), self._waiting[0])

    def _differ(self, number: int, recorded: str, replayed: str) -> None:
        raise Difference(f"{self._path}: line {number} differs\n  recorded: {recorded}\n  replayed: {replayed}")

    def close(self) -> int:
        return self._agree


def _check_first(first: Mapping[str, Any]) -> None:
    if first.get("bench") != 1:
        raise BadRecord('not the first line of a record (no "bench": 1)')
    wanted = {
        "unit": (str, "a text"), "seed": (int, "a whole number"), "settings": (dict, "an object"),
        "saved": (dict | None, "an object"), "volume": (int | None, "a whole number"),
        "memory_fault": (str | None, "a text"), "start_us": (int | None, "a whole number"),
    }  # fmt: skip
    for key, (kind, words) in wanted.items():
        if not isinstance(first.get(key), kind) or isinstance(first.get(key), bool):
            raise BadRecord(f"'{key}' must be {words}")
    if first.get("volume") not in (None, *range(LOUDEST + 1)):
        raise BadRecord(f"'volume' must be from 0 to {LOUDEST}")


def _messages(lines: Iterable[str], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    kept: tuple[int, str] | None = None
    for number, line in enumerate(lines, 1):
        if kept is not None:
            yield kept[0], _message(*kept, path)
        kept = (number, line) if line.strip() else None
    if kept is not None and kept[1].endswith("\n"):
        yield kept[0], _message(*kept, path)


def _message(number: int, line: str, path: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BadRecord(f"{path}: line {number}: not a JSON object")
    return message
