"""Every unit, walked through: no configuration raises, breaks a rule, or cannot be left again; no row is dead."""

from collections.abc import Mapping
from functools import cache, partial
from typing import NamedTuple

import pytest

from firmware import power
from firmware.chart import After, Chart
from firmware.events import Trigger, hold_setting
from firmware.kind import Kind
from firmware.settings import Values
from firmware.unit import Unit
from firmware.units import UNITS, kind_named
from tests.desk import make_unit
from tests.unit.walk import Step, Walk, almost_over, battery, edge, jump, part, switch, tap, time_out, turn, wait, walk

GO, TIMER, REVERSE, NEXT = edge("go"), edge("timer"), edge("reverse"), edge("next")
POWER = switch("power")
PILE1 = edge("pile1")

# Times that are short and in the order of the real ones; chance is taken out.
HOLDS = {"hold_for_volume": 1.5, "volume_idle": 1}
ICONS = [
    {"id": "show-hand", "code": "OPEn", "colour": "red"}, {"id": "war", "code": "HIGH", "colour": "green"},
    {"id": "shout", "code": "CALL", "colour": "blue"},
]  # fmt: skip
COMMON = {"common.stuck_after": 4, "common.sleep_after": 6}
RULES = {
    "triple-play": {
        **HOLDS, "overload_presses": [2, 2], "penalty_odds": [1, 0, 0, 0], "lit_odds": [0, 0, 1], "turn_seconds": 2,
        "tick_seconds": 1, "hold_to_clear": 1, "warn_clear": 0.5, "hold_for_new_round": 2.5, "strip_after": 999,
    },
    "master": {"speeds": [2, 1], "tick_seconds": 1, "hold_to_pause": 0.5, "hold_to_switch_off": 1, "off_after": 3},
    "spin": {
        **HOLDS, "icons": ICONS[:2], "virtual_spin": [1, 1], "show_hand_seconds": 2,
    },
    "party": {**HOLDS, "players": 6, "hold_to_link": 0.5, "sleep_after": 6},
}  # fmt: skip



class Case(NamedTuple):
    """A walk: where it starts, what is done at each step, and settings that differ from the above."""

    start: tuple[Step, ...]
    steps: Mapping[str, Step]
    settings: Mapping[str, object] = {}


READY_TO_READ = (POWER, turn(1))
TO_A_ROUND = (POWER, GO, GO, time_out, GO, GO, time_out)
TO_A_TIMED_ROUND = (switch("timer"), *TO_A_ROUND)
ONE_BROKEN = (*TO_A_TIMED_ROUND, part("pile3"))
BREAKS = {"break 1": part("pile1"), "break 2": part("pile2")}
PLUG = {"power": POWER, "battery": battery, "time-out": time_out}

# Several walks a unit, because one with all inputs at once would never end.
WALKS = {
    "triple-play": {
        "a round": Case(TO_A_ROUND, {"go": GO, "pile 1": PILE1, "time-out": time_out}),
        "a round with the timer": Case(TO_A_TIMED_ROUND, {"go": GO, "pile 1": PILE1, "time-out": time_out}),
        "two pads at once": Case(TO_A_ROUND, {"pile 1": PILE1, "tap pile 2": tap("pile2"), "time-out": time_out}),
        "pads that break": Case(ONE_BROKEN, {"pile 1": PILE1, **BREAKS, "time-out": time_out}),
        "the last pad": Case((*ONE_BROKEN, BREAKS["break 2"]), {"pile 1": PILE1, **BREAKS, "time-out": time_out}),
        "the last moment": Case((*TO_A_TIMED_ROUND, almost_over), {"go": GO, "pile 1": PILE1, "a moment": wait(0.015)}),
        "power and battery": Case((), {**PLUG, "timer": switch("timer"), "go": GO}),
    },
    "master": {
        "turns": Case((), {"timer": TIMER, "speed": switch("speed"), "battery": battery, "time-out": time_out}),
        "slow slaps": Case((), {"timer": TIMER, "time-out": time_out}, {"master.double_slap": 1}),
        "parts": Case((), {"timer": TIMER, "strip": part("strip"), "display": part("display"), "time-out": time_out}),
    },
    "spin": {
        "by hand": Case(READY_TO_READ, {"half": turn(4), "round": turn(8), "nudge": turn(-1), "time-out": time_out}),
        "the results": Case(
            READY_TO_READ, {"round": turn(13), "go": GO, "time-out": time_out, "wait": wait(3)}, {"spin.icons": ICONS},
        ),
        "a sensor that jumps": Case(READY_TO_READ, {"round": turn(9), "jump": jump, "go": GO, "wait": wait(1.5)}),
        "a wheel that is lost": Case(READY_TO_READ, {"round": turn(9), "lost": part("wheel"), "time-out": time_out}),
        "a wheel that never rests": Case(
            READY_TO_READ, {"creep": turn(45, gap_us=700_000), "half": turn(4), "time-out": time_out},
        ),
        "power and battery": Case((), {**PLUG, "go": GO, "half": turn(4), "wait": wait(2)}),
    },
    "party": {
        "the table": Case((POWER,), {"go": GO, "reverse": REVERSE, "next": NEXT, "time-out": time_out}),
        "volume before link": Case(
            (POWER,), {"go": GO, "reverse": REVERSE, "time-out": time_out}, {"party.hold_to_link": 3},
        ),
        "power and battery": Case((), {**PLUG, "go": GO}),
    },
}  # fmt: skip
CASES = [(name, title) for name, walks in WALKS.items() for title in walks]
MAIN = {"triple-play": "go", "master": "timer", "spin": "go", "party": "go"}
HOME = {"triple-play": {"playing", "ready"}, "master": {"waiting"}, "spin": {"idle"}, "party": {"clockwise", "counter"}}


def game_of(unit: Unit) -> tuple[object, ...]:
    """What tells one game from another, without what only counting changes and what means nothing in this state."""
    game, state = unit.game, unit.machine.state
    if unit.kind.name == "triple-play":
        return (game.timer_mode, game.lit, *game.counts.values(), game.held, game.warned, game.go_is_armed, game.draw,
                game.all_faulty, game.before_volume if "volume" in state else None)
    if unit.kind.name == "master":
        return (game.total, game.speed, game.pressed_here, game.led_to_running, unit.now_us < game.quiet_until_us)
    if unit.kind.name == "spin":
        track = game.track
        spin = (game.lit, game.began_in_result, min(abs(track.furthest - game.start), 8), track.stepped_back_us)
        return (game.result, game.hint, game.jumps, game.ignored, game.must_rest, game.go_is_armed,
                spin if state == "spinning" else None)
    link = (game.cursor == game.chosen, game.cursor_moved, bool(game.chosen), game.choosing)
    return (game.clockwise, bool(game.link), game.go_is_armed, link if state == "linking" else None)


def values_of(name: str, settings: Mapping[str, object]) -> Values:
    rules = {f"{name.replace('-', '_')}.{rule}": value for rule, value in RULES[name].items()}
    return make_unit(name, {**COMMON, **rules, **settings}).settings


def make_from(values: Values, kind: Kind) -> Unit:
    return Unit(kind, values, seed=1)


@cache
def walked(name: str, title: str) -> Walk:
    """Walk once, whoever asks."""
    case = WALKS[name][title]
    values = values_of(name, case.settings)
    return walk(partial(make_from, values), kind_named(name), case.steps, game_of, case.start)


@pytest.mark.parametrize("name, title", CASES)
def test_the_walk_ends(name, title):
    """C-1 to C-8, C-20: nothing raises, and whatever comes, what is seen is what the rules say."""
    assert walked(name, title).is_over, "more configurations than the bound: nothing is proved"


@pytest.mark.parametrize("name, title", [
    (name, title) for name, title in CASES if {MAIN[name], "time-out"} <= set(WALKS[name][title].steps)
])
def test_there_is_a_way_home_from_everywhere(name, title):
    """C-7: with the main button, and without switching off or pulling the plug."""
    lost = walked(name, title).cannot_reach(HOME[name], without={"power"})
    assert [story for story, state in lost if state != "off"] == []


@pytest.mark.parametrize("name", UNITS)
def test_every_state_can_be_reached(name):
    chart, walks = kind_named(name).chart, [walked(name, title) for title in WALKS[name]]
    off = {kind_named(name).off_state} - {None}  # left at once: power takes over
    assert set(chart.states) - off - set().union(*(found.states for found in walks)) == set()


@pytest.mark.parametrize("name", UNITS)
def test_no_row_of_a_chart_is_dead(name):
    rows, walks = kind_named(name).chart.rows, [walked(name, title) for title in WALKS[name]]
    taken = set().union(*(found.taken for found in walks))
    assert [f"{row.source}: {row}" for number, row in enumerate(rows) if number not in taken] == []


@pytest.mark.parametrize("chart, names", [
    (power.BY_SWITCH, ["triple-play", "spin", "party"]), (power.BY_BUTTON, ["master"]),
], ids=["by switch", "by button"])  # fmt: skip
def test_no_row_of_the_power_is_dead(chart, names):
    """C-1 to C-8, MA-1, MA-10, SP-10."""
    taken = set().union(*(walked(name, title).power_taken for name in names for title in WALKS[name]))
    assert [f"{row.source}: {row}" for number, row in enumerate(chart.rows) if number not in taken] == []


# -- the tables themselves ---------------------------------------------------------------------------------------

# What may be without a way out, or wait for the wheel for ever: nobody has to turn it.
ENDINGS = {"master": {"off"}}
PATIENT = {"spin": {"idle", "result", "aid"}}


@pytest.mark.parametrize("name", UNITS)
def test_a_chart_is_sound(name):
    assert kind_named(name).chart.lint(ENDINGS.get(name, ()), PATIENT.get(name, ())) == []


@pytest.mark.parametrize("chart", [power.BY_SWITCH, power.BY_BUTTON], ids=lambda chart: chart.name)
def test_the_power_is_sound(chart):
    assert chart.lint(patient=[power.ASLEEP]) == []


@pytest.mark.parametrize("name", UNITS)
def test_a_chart_names_only_settings_that_there_are(name):
    unit = make_unit(name)
    waits = [trigger.setting for trigger in unit.kind.chart.triggers if isinstance(trigger, After)]
    holds = [setting for trigger in unit.kind.chart.triggers if isinstance(trigger, Trigger)
             for button in unit.kind.buttons if (setting := hold_setting(trigger, button))]
    assert [setting for setting in (*waits, *holds) if setting not in unit.durations_us] == []


# -- the walk itself ---------------------------------------------------------------------------------------------


def without(kind: Kind, number: int) -> Kind:
    """Return the same kind without one row of its chart."""
    chart = kind.chart
    rows = chart.rows[:number] + chart.rows[number + 1 :]
    return kind._replace(chart=Chart(chart.name, chart.start, rows, chart.parents, chart.reports))


@pytest.mark.parametrize("number", range(len(kind_named("master").chart.rows)))
def test_the_walks_notice_a_row_that_is_missing(number):
    """Whichever row of the Master is taken away, a rule breaks or something else is told."""
    kind, differences = without(kind_named("master"), number), 0
    for title, case in WALKS["master"].items():
        values = values_of("master", case.settings)
        try:
            found = walk(partial(make_from, values), kind, case.steps, game_of, case.start)
            differences += found.told != walked("master", title).told
        except (AssertionError, KeyError):
            differences += 1
    assert differences
