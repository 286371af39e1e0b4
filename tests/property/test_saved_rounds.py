"""Rounds that were kept, and what somebody made of them: a unit goes on with them or starts fresh, and plays."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.agenda import MS, SECOND
from firmware.units import UNITS
from hal.ports import Contact, Moved
from tests.desk import make_unit
from tests.scripts import rough_play

JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 99), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=8,
)


def kept_rounds(name):
    """Return rounds of rough play as they were kept, of different shapes."""
    rounds = {}
    for seed in range(30):
        unit = make_unit(name, seed=seed)
        for heard in rough_play(unit, seed, 30 * SECOND):
            unit.feed(heard)
            if (saved := unit.save()) is not None:
                rounds[str(saved.get("state", saved))] = json.loads(json.dumps(saved))
    return list(rounds.values())


KEPT = {name: kept_rounds(name) for name in UNITS}


def power_on_and_play(name, saved):
    """Begin with a kept round, and press everything for a while; the events of the power-on."""
    unit = make_unit(name, saved=saved)
    moments = unit.tick(0)
    if "power" in unit.switches:
        moments += unit.feed(Moved("power", "on", 0))
    events = [event for moment in moments for event in moment.events]
    now_us = SECOND
    for _ in range(3):
        for contact in unit.contacts:
            for for_us in (90 * MS, 300 * MS):
                for moment in unit.feed(Contact(contact, for_us < 100 * MS, now_us)):
                    assert moment.lines
                now_us += for_us
        now_us += 4 * SECOND
        unit.tick(now_us)
    assert json.loads(json.dumps(unit.save())) == unit.save()
    return events


@pytest.mark.parametrize("name", UNITS)
def test_a_kept_round_goes_on(name):
    """C-5."""
    assert KEPT[name]
    for saved in KEPT[name]:
        events = power_on_and_play(name, saved)
        assert [event["event"] for event in events] == ["resumed"]


@pytest.mark.parametrize("name", UNITS)
@settings(max_examples=300)
@given(data=st.data())
def test_a_kept_round_that_makes_no_sense_is_a_fault_and_no_crash(name, data):
    """C-5: whichever piece of it was changed to whatever, now or at a later press nothing raises."""
    saved = json.loads(json.dumps(data.draw(st.sampled_from(KEPT[name]))))
    key = data.draw(st.sampled_from([*saved, "more"]))
    if data.draw(st.booleans()) and isinstance(saved.get(key), list) and saved[key]:
        saved[key][data.draw(st.integers(0, len(saved[key]) - 1))] = data.draw(JUNK)
    elif data.draw(st.booleans()):
        saved.pop(key, None)
    else:
        saved[key] = data.draw(JUNK)
    events = power_on_and_play(name, saved)
    told = [(event["event"], event.get("part")) for event in events if event["event"] in ("resumed", "fault")]
    assert told in ([("resumed", None)], [("fault", "memory")])
