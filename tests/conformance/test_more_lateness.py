"""Being late never changes a result (C-15): the same edges, with and without steps of time between them."""

import json
import random
from typing import NamedTuple

import pytest
from bench_client import check_stream, plus, run_script, stamp

CONTACTS = {"triple-play": ["go", "go", "pile1", "pile2", "pile3"], "master": ["timer"], "spin": ["go"],
            "party": ["go", "go", "reverse", "next"]}
PARTS = {"triple-play": ["display", "strip", "buzzer", "pile1", "pile2", "pile3"]}
# Waits around the debounce time, at and around the units' holds, and now and then until after the unit fell asleep.
WAITS = [0.001, 0.005, 0.029999, 0.03, 0.1, 0.2, 0.25, 0.5, 0.8, 1, 1, 2, 2, 3, 3, 6, 10, 121]


class Line(NamedTuple):
    """One input line: its time and the rest of it."""

    t: float
    verb: dict

    def text(self):
        """Return it as the protocol writes it."""
        return f'{{"t": {stamp(self.t)}, {json.dumps(self.verb)[1:]}'


def turn(chance, t, slot):
    """Return a turn of the wheel of up to 60 slots, 20 ms each."""
    return [Line(plus(t, n * 0.02), {"wheel": (slot + n) % 36}) for n in range(chance.randrange(1, 60))]


def story(unit, chance):
    """Return 120 inputs at odd distances: contacts, the wheel, the battery, parts that fail and are mended."""
    lines = [] if unit == "master" else [Line(0, {"switch": "power", "to": "on"})]
    if unit == "triple-play":
        lines.insert(0, Line(0, {"switch": "timer", "to": chance.choice(["on", "off"])}))
    down, low, broken = set(), False, set()
    for _ in range(120):
        t = plus(max(1, lines[-1].t if lines else 0), chance.choice(WAITS))
        kind = chance.choices(["contact", "wheel", "battery", "part"], [40, 40 if unit == "spin" else 0, 1, 2])[0]
        if kind == "contact":
            name = chance.choice(CONTACTS[unit])
            lines.append(Line(t, {"release" if name in down else "press": name}))
            down ^= {name}
        elif kind == "wheel":
            lines += turn(chance, t, chance.randrange(36))
        elif kind == "battery":
            low = not low
            lines.append(Line(t, {"battery": "low" if low else "ok"}))
        else:
            part = chance.choice(PARTS.get(unit, ["display", "strip", "buzzer"]))
            lines.append(Line(t, {"mend" if part in broken else "break": part}))
            broken ^= {part}
    return [*lines, Line(plus(lines[-1].t, 400), {"run": True})]


def with_steps(lines, chance):
    """Return the same lines with up to three `run` lines before each, at times that no other line has."""
    longer, now = [], 0.0
    for line in lines:
        steps = sorted({plus(now, (line.t - now) * chance.random()) for _ in range(chance.randrange(4))})
        longer += [Line(t, {"run": True}) for t in steps if now < t < line.t]
        longer.append(line)
        now = line.t
    return longer


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("unit", CONTACTS)
def test_steps_of_time_change_nothing(unit, number):
    """C-15 C-22 BENCH 120 inputs, fed as they are and with steps of time between them: the same outputs."""
    lines = story(unit, random.Random(number))
    once = run_script(unit, [line.text() for line in lines])
    stepped = run_script(unit, [line.text() for line in with_steps(lines, random.Random(number))])
    assert once.status == stepped.status == 0
    assert once.outputs == stepped.outputs and len(once.outputs) > 20
    if not any("mend" in line.verb for line in lines):          # what is mended is shown again
        check_stream(once.outputs, once.header)
