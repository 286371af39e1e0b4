"""Anything at any time: whole units under whatever can come in, watched by somebody who knows the rules."""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from firmware.agenda import MS, SECOND
from hal.ports import Battery, Broke, Contact, Mended, Moved, Seeded, WheelAt
from tests.desk import make_unit
from tests.onlooker import Onlooker

SHORT_US = st.integers(0, 60 * MS)
LONG_US = st.one_of(SHORT_US, st.integers(0, 4 * SECOND), st.integers(0, 20 * SECOND))
VERY_LONG_US = st.sampled_from([31 * SECOND, 121 * SECOND, 301 * SECOND, 1_000 * SECOND])

# Small numbers, so that what is rare at the table happens often here.
RULES = {
    "triple-play": {
        "overload_presses": st.sampled_from([[2, 2], [2, 3], [4, 8]]),
        "lit_odds": st.sampled_from([[1, 0, 0], [0, 0, 1], [20, 50, 30]]),
        "turn_seconds": st.sampled_from([1, 2.5, 10]),
        "strip_after": st.sampled_from([1, 3, 20]),
    },
    "master": {"off_after": st.sampled_from([5, 300]), "double_slap": st.sampled_from([0, 0.25])},
    "spin": {"at_rest": st.sampled_from([0.1, 0.8]), "min_turns": st.sampled_from([0.1, 1])},
    "party": {"players": st.sampled_from([6, 16]), "sleep_after": st.sampled_from([5, 300])},
}


class WholeUnit(RuleBasedStateMachine):
    """A unit, what is done to it, and an onlooker. The kinds are its subclasses."""

    name = ""

    @initialize(data=st.data(), seed=st.integers(0, 99))
    def unpack(self, data, seed):
        section = self.name.replace("-", "_")
        rules = {f"{section}.{rule}": data.draw(values, rule) for rule, values in RULES[self.name].items()}
        self.settings = {"common.sleep_after": data.draw(st.sampled_from([5, 120])), **rules}
        self.unit = make_unit(self.name, self.settings, seed)
        self.onlooker = Onlooker(self.unit)
        self.closed = dict.fromkeys(self.unit.contacts, False)
        self.slot = 0
        self.now_us = 0
        self.onlooker.see(self.unit.tick(0))
        for switch, positions in self.unit.switches.items():
            self.feed(Moved(switch, data.draw(st.sampled_from(positions), switch), 0))
        self.begin()

    def begin(self):
        """Go to where most of what can happen happens."""

    @invariant()
    def the_rules_hold(self):
        if hasattr(self, "unit"):
            self.onlooker.check()

    def feed(self, heard):
        self.onlooker.see(self.unit.feed(heard))

    def edge(self, contact):
        self.closed[contact] = not self.closed[contact]
        self.feed(Contact(contact, self.closed[contact], self.now_us))

    def pick(self, data, names):
        return data.draw(st.sampled_from(sorted(names)))

    # -- time

    @rule(wait_us=LONG_US)
    def wait(self, wait_us):
        self.now_us += wait_us
        self.onlooker.see(self.unit.tick(self.now_us))

    @rule(wait_us=VERY_LONG_US)
    def go_away(self, wait_us):
        self.wait(wait_us)

    @rule(wait_us=LONG_US)
    def oversleep(self, wait_us):
        """Time passes, and nobody looks until the next input."""
        self.now_us += wait_us

    @precondition(lambda self: self.unit.deadline_us is not None)
    @rule(off_us=st.integers(-1, 1))
    def wait_for_what_is_due(self, off_us):
        self.now_us = max(self.now_us, self.unit.deadline_us + off_us)
        self.onlooker.see(self.unit.tick(self.now_us))

    # -- inputs

    @rule(data=st.data())
    def press_or_let_go(self, data):
        self.edge(self.pick(data, self.closed))

    @rule(data=st.data(), for_us=LONG_US)
    def tap(self, data, for_us):
        contact = self.pick(data, self.closed)
        for _ in range(2):
            self.edge(contact)
            self.wait(for_us)

    @rule(data=st.data(), gaps_us=st.lists(st.integers(1, 40 * MS), min_size=2, max_size=8))
    def bounce(self, data, gaps_us):
        contact = self.pick(data, self.closed)
        for gap_us in gaps_us:
            self.edge(contact)
            self.now_us += gap_us

    @rule(data=st.data())
    def tell_a_level_twice(self, data):
        contact = self.pick(data, self.closed)
        self.feed(Contact(contact, self.closed[contact], self.now_us))

    @rule(data=st.data())
    def move_a_switch(self, data):
        switch = self.pick(data, self.unit.switches)
        self.feed(Moved(switch, self.pick(data, self.unit.switches[switch]), self.now_us))

    @precondition(lambda self: "power" in self.unit.switches)
    @rule()
    def switch_on(self):
        self.feed(Moved("power", "on", self.now_us))

    @rule(low=st.booleans())
    def battery(self, low):
        self.feed(Battery(low, self.now_us))

    @rule(data=st.data())
    def break_a_part(self, data):
        self.feed(Broke(self.pick(data, self.unit.parts), "no answer", self.now_us))

    @rule(data=st.data())
    def mend_a_part(self, data):
        parts = self.unit.broken or self.unit.parts
        self.feed(Mended(self.pick(data, parts), self.now_us))

    @rule(seed=st.integers(0, 2**53))
    def fresh_seed(self, seed):
        self.feed(Seeded(seed, self.now_us))

    # -- the plug

    @rule()
    def pull_the_plug(self):
        """C-5: the next unit goes on with what this one saved, the wheel and all parts sound."""
        old, saved = self.unit, json.loads(json.dumps(self.unit.save()))
        self.unit = make_unit(self.name, self.settings, saved=saved, volume=old.volume.level)
        self.onlooker = Onlooker(self.unit)
        self.closed = dict.fromkeys(self.unit.contacts, False)
        self.now_us = 0
        self.onlooker.see(self.unit.tick(0))
        if "power" in self.unit.switches:
            self.feed(Moved("power", "on", 0))
        if saved is None:
            assert self.unit.machine.state == self.unit.kind.chart.start
        elif old.game is not None:
            self.compare(old.game, self.unit.game)

    def compare(self, old, new):
        """What must be the same after the plug was pulled, beyond what was saved."""


class TriplePlay(WholeUnit):
    name = "triple-play"

    def begin(self):
        self.feed(Moved("power", "on", 0))
        for _ in range(4):
            self.edge("go")
            self.wait(100 * MS)

    @precondition(lambda self: self.unit.game is not None and self.unit.game.lit)
    @rule(data=st.data(), for_us=st.sampled_from([50 * MS, 50 * MS, 1_500 * MS, 2_100 * MS]))
    def play_a_lit_pile(self, data, for_us):
        contact = f"pile{data.draw(st.sampled_from(self.unit.game.lit))}"
        for _ in range(2):
            self.edge(contact)
            self.wait(for_us)
        self.wait(40 * MS)

    def compare(self, old, new):
        assert (old.counts, old.limits, old.draw, old.mode) == (new.counts, new.limits, new.draw, new.mode)
        assert old.lit in (new.lit, ())     # after a restart the pads are sound, and a turn lights some


class Master(WholeUnit):
    name = "master"

    @rule(times=st.integers(1, 4), gap_us=st.sampled_from([100 * MS, 300 * MS, 2 * SECOND]))
    def slap(self, times, gap_us):
        for _ in range(times):
            for _ in range(2):
                self.edge("timer")
                self.wait(50 * MS)
            self.wait(gap_us)

    def compare(self, old, new):
        assert old.total == new.total


class Spin(WholeUnit):
    name = "spin"

    def turn(self, way, slots, gap_us):
        count = self.unit.kind.slots(self.unit.rules)
        for _ in range(slots):
            self.slot = (self.slot + way) % count
            self.feed(WheelAt(self.slot, self.now_us))
            self.now_us += gap_us

    @rule(way=st.sampled_from([1, -1]), slots=st.integers(1, 80), gap_us=st.integers(1, 60 * MS))
    def spin(self, way, slots, gap_us):
        self.turn(way, slots, gap_us)

    @rule(way=st.sampled_from([1, -1]), gap_us=st.integers(MS, SECOND))
    def flicker(self, way, gap_us):
        self.turn(way, 1, gap_us)
        self.turn(-way, 1, gap_us)

    @rule(slot=st.integers(0, 35))
    def jump(self, slot):
        self.slot = slot
        self.feed(WheelAt(slot, self.now_us))

    def compare(self, old, new):
        assert old.result == new.result


class Party(WholeUnit):
    name = "party"

    @rule()
    def link_two(self):
        for contact, for_us in (("go", 1_100 * MS), ("go", 90 * MS), ("next", 90 * MS), ("go", 90 * MS)):
            for _ in range(2):
                self.edge(contact)
                self.wait(for_us)

    def compare(self, old, new):
        assert (old.clockwise, old.link) == (new.clockwise, new.link)


BUDGET = settings(max_examples=60, stateful_step_count=40)

TestTriplePlay, TestMaster, TestSpin, TestParty = (kind.TestCase for kind in (TriplePlay, Master, Spin, Party))
for case in (TestTriplePlay, TestMaster, TestSpin, TestParty):
    case.settings = BUDGET
