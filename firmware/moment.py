"""What was shown at one moment, and how the bench protocol says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware.agenda import SECOND
from firmware.outputs import Face, Look, Tone, strength


def stamp(at_us: int) -> str:
    """A time as the protocol writes it: seconds, at most six digits after the point."""
    whole, rest = divmod(at_us, SECOND)
    return f"{whole}.{rest:06d}".rstrip("0") if rest else str(whole)


class Moment:
    """The outputs of one moment, in the protocol's order: events, states, lights, display, tones."""

    __slots__ = ("_lines", "at_us", "events", "face", "lights", "states", "tones")

    def __init__(
        self, at_us: int, events: list[dict[str, object]], states: list[str], lights: Mapping[str, Look] | None,
        face: Face | None, tones: list[Tone],
    ) -> None:
        self.at_us = at_us
        self.events, self.states = events, states
        self.lights = lights  # those whose look changed
        self.face = face  # None: the display did not change
        if len(tones) > 1:
            tones.sort(key=strength)
        self.tones = tones
        self._lines: Sequence[str] | None = None

    @property
    def outputs(self) -> list[dict[str, object]]:
        """The outputs without their time."""
        outputs = list(self.events)
        outputs += [{"state": state} for state in self.states]
        if self.lights:
            outputs.append({"lights": {light: str(look) for light, look in self.lights.items()}})
        if self.face is not None:
            pattern = self.face.pattern.value
            outputs.append({"display": self.face.text, **({"pattern": pattern} if pattern else {})})
        outputs += [{"tone": tone.name, "volume": tone.volume} for tone in self.tones]
        return outputs

    @property
    def lines(self) -> Sequence[str]:
        """The outputs as lines of JSON, without newline."""
        if self._lines is None:
            import json  # what nobody writes down needs none: a twentieth of the time that a unit takes to start

            at = stamp(self.at_us)
            self._lines = [f'{{"t": {at}, {json.dumps(output)[1:]}' for output in self.outputs]
        return self._lines
