"""The kernel of the charts, on a kettle: what is looked up, what is done in which order, and when timers end."""

from copy import deepcopy

import pytest

from firmware.agenda import MS, Agenda
from firmware.chart import After, Chart, Machine, On
from firmware.events import RUN_OUT, WHEEL_MOVED, Button, hold_setting

COLD, HEATING, BOILING, WORKING, EMPTY = "cold", "heating", "boiling", "working", "empty"
GO, PAD = Button("go"), Button("pad", "left", "right", is_pad=True)
DURATIONS_US = {"heat_up": 5_000 * MS, "boil": 2_000 * MS, "warn": 1_000 * MS}


class Kettle:
    """Writes down what is done, with the state in which it was."""

    def __init__(self):
        self.done = []
        self.has_water = True
        self.machine = None

    def note(self, what, subject, at_us):
        self.done.append((what, self.machine.state, subject, at_us // MS))


def do(what):
    def action(kettle, subject, at_us):
        kettle.note(what, subject, at_us)

    action.__name__ = what.replace(" ", "_")
    return action


def has_water(kettle, subject, at_us):
    return kettle.has_water


def is_left(kettle, subject, at_us):
    return subject == 1


KETTLE = Chart(
    name="kettle",
    start=COLD,
    parents={HEATING: WORKING, BOILING: WORKING},
    reports={BOILING: "hot"},
    rows=(
        On(COLD, GO.pressed, HEATING, when=has_water, do=do("click")),
        On(COLD, GO.pressed, None, do=do("buzz")),
        On(HEATING, After("warn"), None, do=do("hum")),
        On(HEATING, After("heat_up"), BOILING, when=has_water, do=do("whistle")),
        On(HEATING, PAD.pressed, None, when=is_left, do=do("nudge")),
        On(HEATING, PAD.held("warn"), HEATING, do=do("stir")),
        On(BOILING, GO.pressed, None, do=do("sigh")),
        On(BOILING, After("boil"), COLD),
        On(WORKING, GO.pressed, COLD, do=do("clack")),
        On(WORKING, PAD.pressed, None, do=do("shake")),
    ),
)


class Kitchen:
    """A kettle and the loop around it."""

    def __init__(self, chart=KETTLE):
        self.agenda, self.kettle = Agenda(), Kettle()
        self.machine = self.kettle.machine = Machine(chart, self.kettle, self.agenda, DURATIONS_US)

    def feed(self, trigger, at_ms, subject=0):
        self.settle(at_ms)
        return self.machine.feed(trigger, subject, at_ms * MS)

    def settle(self, until_ms):
        while (due_us := self.agenda.next_us) is not None and due_us <= until_ms * MS:
            due_us, act = self.agenda.take()
            act(due_us)

    @property
    def done(self):
        done, self.kettle.done = self.kettle.done, []
        return done


@pytest.fixture
def kitchen():
    return Kitchen()


def test_a_row_does_its_work_and_then_changes_the_state(kitchen):
    assert kitchen.feed(GO.pressed, 10)
    assert kitchen.done == [("click", COLD, 0, 10)]
    assert kitchen.machine.state == HEATING and kitchen.machine.entered_us == 10 * MS


def test_the_first_row_whose_guard_holds_is_taken(kitchen):
    kitchen.kettle.has_water = False
    assert kitchen.feed(GO.pressed, 10)
    assert kitchen.done == [("buzz", COLD, 0, 10)]
    assert kitchen.machine.state == COLD


def test_what_no_row_waits_for_changes_nothing(kitchen):
    assert not kitchen.feed(PAD.pressed, 10, 1)
    assert not kitchen.feed(RUN_OUT, 20)
    assert (kitchen.done, kitchen.machine.state, kitchen.agenda.next_us) == ([], COLD, None)


def test_a_state_comes_before_its_parent_and_the_parent_after_a_guard_that_fails(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.feed(PAD.pressed, 1, 1)
    kitchen.feed(PAD.pressed, 2, 2)
    assert kitchen.done == [("click", COLD, 0, 0), ("nudge", HEATING, 1, 1), ("shake", HEATING, 2, 2)]


def test_a_parents_row_counts_for_all_its_children(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.feed(GO.pressed, 1)
    assert kitchen.machine.state == COLD
    kitchen.feed(GO.pressed, 2)
    kitchen.settle(5_002)
    kitchen.feed(GO.pressed, 5_003)
    assert kitchen.machine.state == BOILING
    assert [what for what, *_ in kitchen.done] == ["click", "clack", "click", "hum", "whistle", "sigh"]


def test_timers_act_at_their_due_time_however_late_it_is(kitchen):
    """C-15: the next timer starts at the due time of the one before, too."""
    kitchen.feed(GO.pressed, 0)
    kitchen.settle(60_000)
    assert kitchen.done == [("click", COLD, 0, 0), ("hum", HEATING, 0, 1_000), ("whistle", HEATING, 0, 5_000)]
    assert kitchen.machine.state == COLD
    assert kitchen.machine.entered_us == 7_000 * MS


def test_a_row_without_a_target_leaves_the_timers_alone(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.feed(PAD.pressed, 900, 1)
    kitchen.settle(1_000)
    assert kitchen.done[-1] == ("hum", HEATING, 0, 1_000)


def test_a_row_to_its_own_state_starts_the_timers_again(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.feed(PAD.held("warn"), 900)
    kitchen.settle(1_899)
    assert kitchen.done == [("click", COLD, 0, 0), ("stir", HEATING, 0, 900)]
    kitchen.settle(5_899)
    assert kitchen.done == [("hum", HEATING, 0, 1_900)]
    kitchen.settle(5_900)
    assert kitchen.machine.state == BOILING


def test_a_state_that_was_left_has_no_timers(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.feed(GO.pressed, 500)
    kitchen.settle(60_000)
    assert [what for what, *_ in kitchen.done] == ["click", "clack"]
    assert kitchen.agenda.next_us is None


def test_a_timer_whose_guard_fails_is_over(kitchen):
    kitchen.feed(GO.pressed, 0)
    kitchen.kettle.has_water = False
    kitchen.settle(60_000)
    assert kitchen.machine.state == HEATING


def test_a_saved_game_goes_on_in_its_state_with_fresh_timers(kitchen):
    kitchen.machine.enter(BOILING, 100 * MS)
    kitchen.settle(2_099)
    assert kitchen.machine.state == BOILING
    kitchen.settle(2_100)
    assert kitchen.machine.state == COLD


def test_timers_can_be_forgotten(kitchen):
    kitchen.machine.enter(BOILING, 0)
    kitchen.machine.forget_timers()
    kitchen.settle(60_000)
    assert kitchen.machine.state == BOILING


def test_states_and_triggers_are_those_of_the_rows():
    assert KETTLE.states == (COLD, HEATING, BOILING)
    assert [str(trigger) for trigger in KETTLE.triggers] == [
        "go pressed", "after warn", "after heat_up", "pad pressed", "pad held for warn", "after boil",
    ]
    assert KETTLE.path(BOILING) == (BOILING, WORKING)
    assert [KETTLE.report(state) for state in KETTLE.states] == [COLD, HEATING, "hot"]


def test_a_button_knows_its_holds():
    warn = GO.held("warn")
    assert GO.held("warn") is warn
    assert (hold_setting(warn, GO), hold_setting(warn, PAD), hold_setting(GO.pressed, GO)) == ("warn", None, None)


def test_triggers_stay_the_same_in_a_copy_of_a_machine(kitchen):
    kitchen.feed(GO.pressed, 0)
    copy = deepcopy(kitchen)
    copy.settle(5_000)
    assert (copy.machine.state, kitchen.machine.state) == (BOILING, HEATING)
    assert copy.feed(GO.pressed, 5_001)


def test_a_chart_is_drawn_as_a_mermaid_diagram():
    assert KETTLE.mermaid() == """\
stateDiagram-v2
    [*] --> cold
    state "cold" as cold
    state "working" as working {
        state "heating" as heating
        state "boiling" as boiling
    }
    cold --> heating : go pressed [has water] / click
    cold --> cold : go pressed / buzz (stays)
    heating --> heating : after warn / hum (stays)
    heating --> boiling : after heat_up [has water] / whistle
    heating --> heating : pad pressed [is left] / nudge (stays)
    heating --> heating : pad held for warn / stir
    boiling --> boiling : go pressed / sigh (stays)
    boiling --> cold : after boil
    working --> cold : go pressed / clack
    working --> working : pad pressed / shake (stays)
"""


# -- lint: every mistake that it knows, once ---------------------------------------------------------------------


def test_a_sound_chart_has_no_findings():
    assert KETTLE.lint() == []


def lint(*rows, **more):
    return Chart(name="kettle", start=COLD, rows=(On(COLD, GO.pressed, HEATING), *rows)).lint(**more)


def test_lint_finds_a_state_that_can_never_be_reached():
    assert lint(On(HEATING, GO.pressed, COLD), On(EMPTY, GO.pressed, COLD)) == ["kettle: empty can never be reached"]


def test_lint_finds_a_state_without_a_way_out():
    assert lint(On(HEATING, GO.pressed, None)) == ["kettle: heating has no way out"]
    assert lint(On(HEATING, GO.pressed, HEATING)) == ["kettle: heating has no way out"]
    assert lint(endings=[HEATING]) == []


def test_lint_finds_a_row_that_can_never_be_taken():
    rows = (On(HEATING, GO.pressed, COLD), On(HEATING, GO.pressed, None, when=has_water, do=do("sigh")))
    assert lint(*rows) == ["kettle: heating: 'go pressed [has water] / sigh' comes after a row that always holds"]


def test_lint_finds_a_state_that_waits_for_a_part_without_a_time_out():
    stop = On(HEATING, WHEEL_MOVED, COLD)
    assert lint(stop) == ["kettle: heating waits for a part without a time-out"]
    assert lint(stop, patient=[HEATING]) == []
    assert lint(stop, On(HEATING, After("boil"), COLD)) == []


def test_lint_counts_the_rows_of_parents_as_ways_out():
    chart = Chart(
        name="kettle", start=COLD, parents={HEATING: WORKING},
        rows=(On(COLD, GO.pressed, HEATING), On(WORKING, GO.pressed, COLD)),
    )
    assert chart.lint() == []
