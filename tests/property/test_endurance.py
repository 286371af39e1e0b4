"""A unit that is played for a day: no heavier, no slower to wake, and nothing piles up."""

import gc
import tracemalloc

import pytest

from firmware.agenda import MS, SECOND
from firmware.units import UNITS
from hal.ports import Contact, Moved, WheelAt
from tests.desk import make_unit

LONG_US = 86_400 * SECOND


def play(unit, presses, now_us):
    """Press every contact in turn, twice a second; spin the wheel where there is one. The time at the end."""
    contacts = list(unit.contacts)
    slots = unit.kind.slots(unit.rules)
    for n in range(presses):
        contact = contacts[n % len(contacts)]
        unit.feed(Contact(contact, True, now_us))
        unit.feed(Contact(contact, False, now_us + 90 * MS))
        if slots:
            unit.feed(WheelAt(n * 2 % slots, now_us + 200 * MS))
        now_us += 500 * MS
        unit.tick(now_us)
    return now_us


@pytest.mark.parametrize("name", UNITS)
def test_memory_is_flat_over_many_presses(name):
    """Thousands of presses more leave nothing behind; looks that are kept to be quick are finite in number."""
    unit = make_unit(name)
    if "power" in unit.switches:
        unit.feed(Moved("power", "on", 0))
    now_us = play(unit, 2_000, SECOND)
    tracemalloc.start()
    try:
        now_us = play(unit, 500, now_us)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        play(unit, 3_000, now_us)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 60_000


@pytest.mark.parametrize("name", UNITS)
def test_deadlines_do_not_pile_up(name):
    """Each press sets some and drops them; what was dropped leaves when its time comes."""
    unit, most = make_unit(name), 0
    if "power" in unit.switches:
        unit.feed(Moved("power", "on", 0))
    now_us = SECOND
    for _ in range(50):
        now_us = play(unit, 40, now_us)
        most = max(most, len(unit._agenda.heap))
    assert most < 120


@pytest.mark.parametrize("name", UNITS)
def test_a_contact_that_chatters_for_ever_piles_up_nothing(name):
    """C-10: a kilohertz of bounces for ten seconds."""
    unit, most = make_unit(name), 0
    if "power" in unit.switches:
        unit.feed(Moved("power", "on", 0))
    contact = next(iter(unit.contacts))
    for ms in range(10_000):
        unit.feed(Contact(contact, ms % 2 == 0, SECOND + ms * MS))
        most = max(most, len(unit._agenda.heap))
    assert most < 60


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_that_nobody_touches_for_a_day_wakes_a_handful_of_times(name):
    """It sleeps, or switches itself off; then nothing is due any more."""
    unit, wakes = make_unit(name), 0
    if "power" in unit.switches:
        unit.feed(Moved("power", "on", 0))
    else:
        unit.feed(Contact(unit.kind.main.name, True, 0))
        unit.feed(Contact(unit.kind.main.name, False, 90 * MS))
    while (due_us := unit.deadline_us) is not None and due_us < LONG_US:
        unit.tick(due_us)
        wakes += 1
    assert wakes < 12
    assert unit.deadline_us is None
