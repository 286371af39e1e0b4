"""Falling asleep and waking up (C-6 to C-8 in docs/spec/common.md, TP-19)."""

import pytest
from bench_client import Bench, plus
from rounds import ONE_LIT, settled

UNIT = "triple-play"


def reach(b, state):
    """Bring a fresh bench into *state*; when the last input or run-out was."""
    if state == "standby":
        b.power_on()
        return 0
    if state == "ready":
        b.power_on()
        b.tap("go", 1)
        return 1.1
    start = b.start_round(timer=state in ("paused", "timeout"))
    b.run_until(plus(start, 2))
    if state == "paused":
        b.tap("go")
        return plus(start, 2.1)
    if state == "timeout":
        b.run_until(plus(start, 10))
        return plus(start, 10)
    if state == "overload":
        b.play(1)
        b.run_for(1)
        b.play(1)
        return plus(b.now, -0.05)
    return plus(start, 0.1)


@pytest.mark.parametrize("state", ["standby", "ready", "playing", "overload", "timeout", "paused"])
def test_asleep_on_the_second_and_awake_as_before(state):
    """C-6 C-7 C-15 TP-19 exactly 120 s after the stamp of the last input or run-out; go brings all of it back."""
    with Bench(UNIT, settings=settled(2)) as b:
        last = reach(b, state)
        b.run_for(1.5)
        assert b.state == state
        before = (state, dict(b.lights), b.display, b.pattern)
        t = plus(last, 120)
        answer = b.run_until(plus(t, 500))
        assert answer[:2] == [{"t": t, "event": "asleep"}, {"t": t, "state": "asleep"}]
        assert {o["t"] for o in answer} == {t} and answer.tones() == []
        assert b.dark() and b.display == ""
        t = b.now
        answer = b.press("go") + b.run_until(plus(t, 8)) + b.release("go") + b.run_for(1)   # held long: nothing else
        assert answer.events() == [{"t": t, "event": "awake"}] and answer.tones() == []
        assert {o["t"] for o in answer} == {t}
        assert (b.state, dict(b.lights), b.display, b.pattern) == before


def test_the_time_that_was_left_outlives_sleep():
    """C-7 TP-16 asleep in the pause, awake, go: on with the 8 s that were left."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 1.9))
        b.run_for(200)
        b.tap("go")
        b.run_for(5)
        t = b.now
        assert (b.tap("go") + b.run_for(10)).event("timeout")["t"] == plus(t, 8.1)


def test_asleep_again():
    """C-6 C-7 the press that wakes is an input: asleep again 120 s after its release."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_until(200)
        b.press("go")
        b.release("go", 205)
        assert b.run_until(400).event("asleep")["t"] == 325


def test_go_that_stays_down_does_not_keep_awake():
    """C-6 go is no pad: pressed in the game and never let go: volume, round-over, and asleep 120 s after the press."""
    with Bench(UNIT) as b:
        start = b.start_round()
        t = plus(start, 5)
        answer = b.press("go", t) + b.run_until(plus(t, 200))
        assert answer.states() == ["volume", "ready", "asleep"] and answer.event("asleep")["t"] == plus(t, 120)
        assert b.release("go") + b.run_for(1) == []
        assert b.tap("go").events("awake") and b.state == "ready"


def test_ignored_and_refused_presses_put_sleep_off():
    """C-6 a pad in ready is ignored, an unlit one is refused: both are inputs, by the stamp of their release."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        b.power_on()
        b.tap("go", 1)
        b.tap("pile1", 100)
        assert b.run_until(220).events() == []
        b.tap("go", 220.05)
        b.run_until(230)
        b.tap(f"pile{b.unlit_piles()[0]}", 300)
        assert b.run_until(500).event("asleep")["t"] == 420.1


@pytest.mark.parametrize("switch, to, asleep", [("timer", "on", 160), ("timer", "off", 120), ("power", "on", 120)])
def test_only_a_switch_that_moves_is_an_input(switch, to, asleep):
    """C-6 BENCH a switch that is moved to where it is does nothing, so it does not put sleep off either."""
    with Bench(UNIT) as b:
        b.power_on(timer=False)
        assert b.switch(switch, to, 40) == []
        assert b.run_until(300).event("asleep")["t"] == asleep


@pytest.mark.parametrize("name", ["go", "pile1"])
def test_a_release_that_is_certain_only_after_the_120_seconds(name):
    """C-6 C-15 let go 10 ms before sleep was due: the stamp counts, so 120 s from there (the pad is stuck by then)."""
    with Bench(UNIT) as b:
        b.power_on()
        b.press(name, 1)
        b.release(name, 120.99)
        assert b.run_until(500).event("asleep")["t"] == 240.99


def test_a_pad_that_was_held_at_start_does_not_keep_awake():
    """C-6 C-12 faulty from the start: asleep after 120 s, and no second fault at the wake-up."""
    with Bench(UNIT) as b:
        b.press("pile1")
        b.power_on()
        assert b.run_until(200).event("asleep")["t"] == 120
        assert b.tap("go").events() == [{"t": 200, "event": "awake"}]


def test_parts_and_battery_are_no_inputs():
    """C-6 a part that breaks and heals or a battery that turns low does not put sleep off."""
    with Bench(UNIT) as b:
        b.power_on()
        b.break_part("buzzer", "gone", 50)
        b.mend("buzzer", 60)
        b.battery("low", 70)
        assert b.run_until(300).event("asleep")["t"] == 120


def test_a_bounced_release_counts_by_its_last_opening():
    """C-6 C-10 the sleep clock starts when the contact opened for good."""
    with Bench(UNIT) as b:
        b.power_on()
        b.bounce("go", (0, 0.1, 0.105, 0.11, 0.112), 1)     # down again, and no release yet
        b.release("go", 1.2)
        assert b.run_until(300).event("asleep")["t"] == 121.2


def test_a_pad_that_is_down_keeps_awake():
    """C-6 C-13 a sound pad that is held: no sleep; 120 s after its release asleep."""
    with Bench(UNIT, settings={"common.stuck_after": 500}) as b:
        b.power_on()
        b.press("pile1", 10)
        assert b.run_until(200) == []
        b.release("pile1", 210)
        assert b.run_until(500).event("asleep")["t"] == 330


def test_a_pad_that_gets_stuck_late_lets_sleep_come():
    """C-6 C-13 held for longer than sleep_after: asleep as soon as the pad is faulty."""
    with Bench(UNIT, settings={"common.stuck_after": 150}) as b:
        b.power_on()
        answer = b.press("pile1", 10) + b.run_until(500)
        assert [(e["t"], e["event"]) for e in answer.events()] == [(160, "fault"), (160, "asleep")]


def test_a_healed_pad_is_an_input():
    """C-6 C-13 a stuck pad that is let go: 120 s from its stamp."""
    with Bench(UNIT) as b:
        b.power_on()
        b.press("pile1", 10)
        b.release("pile1", 100)
        assert b.run_until(500).event("asleep")["t"] == 220


def test_switches_do_not_wake():
    """C-7 C-2 the timer switch moved in sleep does nothing; nor do parts."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(200)
        assert b.switch("timer", "on") == [] and b.run_for(50) == []
        b.tap("go")
        assert b.state == "playing" and b.display == ""


def test_a_lit_pad_that_is_down_at_wake_up():
    """C-8 pressed in sleep, let go after the wake-up: nothing; then it counts."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.run_for(200)
        assert b.press("pile1") == []
        b.run_for(30)
        b.tap("go")
        b.run_for(3)
        assert b.state == "playing"
        assert b.release("pile1") + b.run_for(1) == []
        assert b.play(1).event("played")["count"] == 1


def test_a_pad_tapped_in_sleep_counts_after_it():
    """C-8 pressed and let go in sleep: nothing is left of it at the wake-up."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.run_for(200)
        b.tap("pile1")
        b.tap("go")
        b.run_for(0.2)
        assert b.play(1).event("played")["count"] == 1


def test_a_pad_held_through_sleep_is_not_stuck_in_it():
    """C-8 C-13 pressed in sleep and let go in sleep after a minute: no fault, then or later."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.run_for(200)
        assert b.press("pile1") + b.run_for(60) + b.release("pile1") + b.run_for(1) == []
        b.tap("go")
        assert not b.run_for(30).events() and b.lit_piles() == [1, 2, 3]


def test_a_stuck_pad_that_is_let_go_in_sleep():
    """C-8 C-13 TP-21 after the wake-up it is sound: lit again, and it counts."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.press("pile1", plus(start, 2))
        b.run_for(200)
        assert b.state == "asleep"
        b.release("pile1")
        b.run_for(10)
        b.tap("go")
        b.run_for(1)
        b.play(2)
        b.run_for(0.2)
        assert b.play(1).event("played")["count"] == 1


def test_no_sleep_in_holding():
    """C-6 TP-19 a lit pad that is held longer than sleep_after is a hold, then stuck, and no reason to sleep before."""
    with Bench(UNIT, settings={**settled(hold_to_clear=60, warn_clear=50), "common.sleep_after": 20,
                               "common.stuck_after": 100}) as b:
        start = b.start_round()
        t = plus(start, 2)
        answer = b.press("pile1", t) + b.run_until(plus(t, 59))
        assert not answer.events("asleep") and b.state == "holding"
        assert b.run_until(plus(t, 61)).event("cleared")["t"] == plus(t, 60)
