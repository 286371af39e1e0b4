"""The bench protocol: one input a line of JSON, checked word for word (see docs/spec/bench.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from firmware.agenda import MS
from firmware.unit import MEMORY, Unit
from hal.messages import said
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, Seeded, WheelAt

TAP_DOWN_US = 100 * MS
TAP_US = 150 * MS
LATEST_S = 1_000_000_000
ECHO = 80  # characters of a line that an error repeats at most

VERBS = ("press", "release", "tap", "switch", "wheel", "battery", "break", "mend", "run")
_KEYS = {"switch": {"to"}, "break": {"why"}}


class Refused(ValueError):
    """A line that is no valid input; the text says what would be right."""


def header(unit: Unit, seed: int, version: str) -> str:
    """The first line of a bench or a record."""
    return json.dumps(
        {
            "bench": 1,
            "version": version,
            "unit": unit.kind.name,
            "seed": seed,
            "inputs": list(unit.contacts),
            "switches": {switch: list(positions) for switch, positions in unit.switches.items()},
            "lights": list(unit.lights),
            "tones": [*unit.kind.tones, *unit.kind.icons(unit.rules)],
            "settings": unit.settings,
        }
    )


class _Decimal:
    """A number with a point or an exponent, or what JSON has none for (NaN), exactly as it was written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def micros(self) -> int:
        """A million times the number. Raises Refused unless that is a whole number, written without a seventh digit."""
        whole, _, rest = self.text.partition(".")
        if not whole.lstrip("-").isdecimal() or "e" in rest.lower():
            return self._scaled()
        if len(rest) > 6:
            raise Refused("'t' has more than six digits after the point")
        size = int(whole.lstrip("-")[:20]) * 1_000_000 + int(rest.ljust(6, "0"))
        return -size if whole.startswith("-") else size

    def _scaled(self) -> int:
        from decimal import Decimal, InvalidOperation

        try:
            number = Decimal(self.text)
        except InvalidOperation:
            raise Refused(f"'t' must be from 0 to {LATEST_S}") from None
        if not number.is_finite():
            raise Refused("'t' must be finite")
        if number > LATEST_S:  # and perhaps too long to be written out
            raise Refused(f"'t' must be from 0 to {LATEST_S}")
        if int(number.as_tuple().exponent) < -6:
            raise Refused("'t' has more than six digits after the point")
        return int(number * 1_000_000)


class Reader:
    """Turns lines into inputs for one unit, keeping in mind which contacts are down and what time it is."""

    def __init__(self, unit: Unit, *, recorded: bool = False) -> None:
        """*recorded*: the lines are a record, which also has seeds, buttons held at start and a memory that failed."""
        self._unit = unit
        self._recorded = recorded
        self._verbs = (*VERBS, "seed") if recorded else VERBS
        self._parts = (*unit.parts, *unit.contacts, *unit.switches, MEMORY) if recorded else unit.parts
        self._keys = {**_KEYS, "press": {"at_start"}} if recorded else _KEYS
        self._closed: set[str] = set()
        self.now_us = 0

    def read(self, line: bytes | str) -> tuple[list[Input], int]:
        """Return the inputs of a line and the time (µs) up to which its answer goes. Raises Refused."""
        message = _object(line)
        at_us = self._time(message.pop("t", None))
        inputs = self.inputs(message, at_us)
        for heard in inputs:
            if isinstance(heard, Contact) and not self._recorded:
                self._check_contact(heard)
        self.now_us = at_us + (TAP_US if "tap" in message else 0)
        return inputs, self.now_us

    def _check_contact(self, heard: Contact) -> None:
        if heard.closed:
            if heard.name in self._closed:
                raise Refused(f"'{heard.name}' is down already; release it first")
            self._closed.add(heard.name)
        else:
            if heard.name not in self._closed:
                raise Refused(f"'{heard.name}' is not down; press it first")
            self._closed.discard(heard.name)

    def inputs(self, message: Mapping[str, Any], at_us: int) -> list[Input]:
        """The inputs of a message without its time; nobody asks whether the contact is down. Raises Refused."""
        verbs = [key for key in message if key in self._verbs]
        if len(verbs) != 1:
            raise Refused(f"{'two verbs' if verbs else 'no verb'} in one line; give one of {', '.join(self._verbs)}")
        verb = verbs[0]
        known = {verb, *self._keys.get(verb, ())}
        if unknown := [key for key in message if key not in known]:
            raise Refused(f"unknown key {_quoted(unknown[0])}; '{verb}' knows {', '.join(sorted({'t', *known}))}")
        value = message[verb]
        if verb in ("press", "release", "tap"):
            if (at_start := message.get("at_start", True)) is not True:
                raise Refused(f"'at_start' must be true, not {_said(at_start)}")
            return self._contact(verb, value, at_us, at_start="at_start" in message)
        if verb == "run":
            if value is not True:
                raise Refused(f"'run' must be true, not {_said(value)}")
            return []
        return [self._other(verb, value, message, at_us)]

    def _time(self, given: object) -> int:
        if given is None:
            raise Refused("no time; give 't' in seconds")
        if isinstance(given, int) and not isinstance(given, bool):
            at_us = given * 1_000_000
        elif isinstance(given, _Decimal):
            at_us = given.micros()
        else:
            raise Refused(f"'t' must be a number of seconds, not {_said(given)}")
        if not 0 <= at_us <= LATEST_S * 1_000_000:
            raise Refused(f"'t' must be from 0 to {LATEST_S}")
        if at_us < self.now_us:
            raise Refused(f"time goes back: 't' must not be before {self.now_us / 1_000_000:.6f}")
        return at_us

    def _contact(self, verb: str, name: object, at_us: int, *, at_start: bool) -> list[Input]:
        contacts = self._unit.contacts
        if not isinstance(name, str) or name not in contacts:
            raise Refused(f"unknown input {_quoted(name)}; this unit has {', '.join(contacts)}")
        if verb == "tap":
            return [Contact(name, True, at_us), Contact(name, False, at_us + TAP_DOWN_US)]
        return [Contact(name, verb == "press", at_us, at_start)]

    def _other(self, verb: str, value: object, message: Mapping[str, Any], at_us: int) -> Input:
        unit = self._unit
        if verb == "switch":
            if not isinstance(value, str) or value not in unit.switches:
                raise Refused(f"unknown switch {_quoted(value)}; this unit has {', '.join(unit.switches)}")
            positions = unit.switches[value]
            if "to" not in message:
                raise Refused(f"no position; give 'to' as one of {', '.join(positions)}")
            to = message["to"]
            if not isinstance(to, str) or to not in positions:
                raise Refused(f"unknown position {_quoted(to)}; '{value}' has {', '.join(positions)}")
            return Moved(value, to, at_us)
        if verb == "wheel":
            slots = unit.kind.slots(unit.rules)
            if not slots:
                raise Refused("this unit has no wheel")
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < slots:
                raise Refused(f"'wheel' must be a slot from 0 to {slots - 1}, not {_said(value)}")
            return WheelAt(value, at_us)
        if verb == "battery":
            if value not in ("low", "ok"):
                raise Refused(f"'battery' must be low or ok, not {_said(value)}")
            return Battery(value == "low", at_us)
        if verb == "seed":
            if isinstance(value, bool) or not isinstance(value, int):
                raise Refused(f"'seed' must be a whole number, not {_said(value)}")
            return Seeded(value, at_us)
        if not isinstance(value, str) or value not in self._parts:
            raise Refused(f"unknown part {_quoted(value)}; what can break here: {', '.join(self._parts)}")
        if verb == "mend":
            return Mended(value, at_us)
        why = message.get("why", "broken")
        if not isinstance(why, str):
            raise Refused(f"'why' must be a text, not {_said(why)}")
        return Broke(value, why, at_us)


def line_of(heard: Input) -> dict[str, object]:
    """An input as a message of the protocol, without its time."""
    if isinstance(heard, Seeded):
        return {"seed": heard.seed}
    message = said(heard)
    if not message:
        raise TypeError(f"{heard!r} is not written into records")
    if isinstance(heard, Contact) and heard.at_start:
        message["at_start"] = True
    return message


def _object(line: bytes | str) -> dict[str, Any]:
    try:
        text = line.decode() if isinstance(line, bytes) else line
        message = json.loads(text, parse_float=_Decimal, parse_constant=_Decimal)
    except (ValueError, RecursionError) as why:
        raise Refused(f"not JSON ({_reason(why)}): {_echo(line)}") from None
    if not isinstance(message, dict):
        raise Refused(f"not a JSON object: {_echo(line)}")
    return message


def _reason(why: Exception) -> str:
    if isinstance(why, json.JSONDecodeError):
        return f"{why.msg} at column {why.colno}"
    if isinstance(why, UnicodeDecodeError):
        return "not UTF-8"
    return "nested too deeply" if isinstance(why, RecursionError) else "a number that is too long"


def _echo(line: bytes | str) -> str:
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    text = text.rstrip("\r\n")
    return text if len(text) <= ECHO else text[: ECHO - 1] + "…"


def _said(value: object) -> str:
    try:
        return _echo(json.dumps(value, default=str))
    except RecursionError:
        return "a value nested too deeply"


def _quoted(value: object) -> str:
    return f"'{_echo(value)}'" if isinstance(value, str) else _said(value)
