"""A unit in this process, driven with the words of the bench's client and without one.

    desk = Desk("triple-play", settings={"triple_play.turn_seconds": 6})
    desk.start_round(timer=True)
    answer = desk.tap("pile1")                      # answers, times and looks as in `bench_client.Bench`
    assert desk.core.game.counts == {1: 1, 2: 0, 3: 0}      # and what only a look inside can tell

Nothing waits and nothing runs beside the test.
"""

from __future__ import annotations

import json
from typing import Any, Self

from bench_client import SEED, Answer, Bench, BenchError

from firmware import __version__
from firmware.assembly import all_settings, known_kind, settings_of
from firmware.protocol import Reader, Refused, header
from firmware.unit import Unit


def make_unit(name: str, settings: dict[str, Any] | None = None, seed: int = SEED, **made_of: Any) -> Unit:
    """Return a unit that is off. *settings* are `{"section.key": value}`, *made_of* what else `Unit` takes."""
    kind = known_kind(name)
    assignments = [f"{key}={json.dumps(value)}" for key, value in (settings or {}).items()]
    return Unit(kind, settings_of(kind, all_settings(None, assignments)), seed, **made_of)


class Desk(Bench):
    """See `Bench` for the words; `core` is the unit itself."""

    def __init__(self, unit: str, seed: int = SEED, settings: dict[str, Any] | None = None, **made_of: Any):
        super().__init__(unit, seed, settings)
        self._settings = settings
        self._sit_down(make_unit(unit, settings, seed, **made_of))

    def _sit_down(self, core: Unit) -> None:
        self.core = core
        self._reader = Reader(core)
        self.header = json.loads(header(core, 0, __version__))
        self.lights = dict.fromkeys(core.lights, "off")
        self._show(core.tick(0))

    def send(self, line: str | bytes, answer_at: float | None = None, may_refuse: bool = False) -> Answer:
        """See `Bench.send`."""
        self.sent += 1
        self._tail.append(f"> {line!r}")
        try:
            inputs, until_us = self._reader.read(line)
        except Refused as why:
            if not may_refuse:
                raise BenchError(f"line {self.sent} was refused: {why}") from None
            refused = Answer()
            refused.refused = str(why)
            return refused
        answer = Answer()
        for heard in inputs:
            answer += self._show(self.core.feed(heard))
        answer += self._show(self.core.tick(until_us))
        self.now = until_us / 1_000_000
        return answer

    def _show(self, moments: list) -> Answer:
        answer = Answer(json.loads(line) for moment in moments for line in moment.lines)
        for output in answer:
            output["t"] = round(output["t"], 6)
            self._take(output)
        return answer

    def reborn(self, **changes: Any) -> Desk:
        """The plug is pulled: a new desk whose unit goes on with what this one saved, its power still off."""
        saved = json.loads(json.dumps(self.core.save()))
        made_of = {"settings": self._settings, "saved": saved, "volume": self.core.volume.level, **changes}
        return Desk(self.unit, **made_of)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, why: BaseException | None, trace: object) -> None:
        if why is not None:
            why.add_note(self.transcript())

    def close(self) -> int:
        """See `Bench.close`; nothing runs here."""
        return 0
