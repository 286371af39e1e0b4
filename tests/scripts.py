"""What people do to a unit, at random but by seed: presses that bounce, holds, spins, switches, parts that break."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from firmware.agenda import MS, SECOND
from firmware.unit import Unit
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, Seeded, WheelAt

HOLDS_MS = ((60, 300), (60, 300), (60, 300), (300, 2_500), (900, 3_300), (3_000, 7_000), (9_000, 11_000))


def rough_play(unit: Unit, seed: int, length_us: int) -> list[Input]:
    """Return *length_us* of inputs for *unit*, oldest first. Every contact alternates, whatever the others do."""
    chance = Random(f"play {seed}")
    script: list[Input] = [Seeded(chance.getrandbits(40), 0), *_switches(unit, chance)]
    if "power" in unit.switches:
        script.append(Moved("power", "on", 50 * MS))
    for name in unit.contacts:
        script += _presses(name, chance, length_us)
    script += _faults(unit, chance, length_us)
    if unit.kind.slots(unit.rules):
        script += _spins(unit.kind.slots(unit.rules), chance, length_us)
    return sorted(script, key=lambda heard: heard.at_us)


def _switches(unit: Unit, chance: Random) -> Iterator[Input]:
    for switch, positions in unit.switches.items():
        if switch != "power":
            yield Moved(switch, chance.choice(positions), 0)


def _presses(name: str, chance: Random, length_us: int) -> Iterator[Input]:
    """Presses of one contact; each closes and opens with up to four bounces."""
    busy_ms = chance.choice((400, 1_500, 4_000))
    at_us, closed = chance.randrange(2 * SECOND), False
    while at_us < length_us:
        for _ in range(1 + 2 * chance.choice((0, 0, 1, 2))):
            closed = not closed
            yield Contact(name, closed, at_us)
            at_us += chance.randrange(1, 9 * MS)
        wait_ms = chance.randint(*chance.choice(HOLDS_MS)) if closed else chance.randint(5, busy_ms)
        at_us += wait_ms * MS + chance.randrange(MS)


def _faults(unit: Unit, chance: Random, length_us: int) -> Iterator[Input]:
    """Parts that break and are mended, a battery that turns low, somebody who plays with the switches."""
    at_us, broken = 5 * SECOND, set()
    while (at_us := at_us + chance.randrange(20 * SECOND)) < length_us:
        kind = chance.randrange(8)
        part = chance.choice(unit.parts)
        if kind < 4 and part in broken:
            broken.discard(part)
            yield Mended(part, at_us)
        elif kind < 3:
            broken.add(part)
            yield Broke(part, "no answer", at_us)
        elif kind < 6:
            yield Battery(chance.random() < 0.4, at_us)
        elif unit.switches:
            switch = chance.choice(sorted(unit.switches))
            yield Moved(switch, chance.choice(unit.switches[switch]), at_us)
            if switch == "power":
                yield Seeded(chance.getrandbits(40), at_us + 1)
                yield Moved(switch, "on", at_us + chance.randrange(1, 3 * SECOND))


def _spins(slots: int, chance: Random, length_us: int) -> Iterator[Input]:
    """Spins of the wheel: fast, then slower, with flickers at the end; nudges; a sensor that jumps now and then."""
    at_us, slot = chance.randrange(2 * SECOND), 0
    while at_us < length_us:
        way, steps = chance.choice((1, -1)), chance.choice((1, 2, 3, 5, slots // 2, slots, slots + 7, 2 * slots))
        gap_us = chance.randrange(3 * MS, 30 * MS)
        for _ in range(steps):
            if at_us >= length_us:
                return
            slot = (slot + way) % slots
            yield WheelAt(slot, at_us)
            at_us += gap_us
            gap_us = min(gap_us * 21 // 20 + 1, 700 * MS)
        for _ in range(chance.choice((0, 0, 1, 4))):
            slot = (slot - way) % slots
            way = -way
            yield WheelAt(slot, min(at_us, length_us))
            at_us += chance.randrange(5 * MS, 900 * MS)
        if chance.random() < 0.05:
            slot = (slot + slots // 2) % slots
            yield WheelAt(slot, min(at_us, length_us))
        at_us += chance.randrange(12 * SECOND)
