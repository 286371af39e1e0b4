"""Master: the rules of docs/spec/master.md, seen from outside."""

import pytest
from bench_client import Bench, plus

UNIT = "master"


def test_timer_switches_on():
    """MA-1 timer pressed while off: startup, red slow-blink, the speed on the display, waiting."""
    with Bench(UNIT) as b:
        b.master_on("6")
        assert "startup" in [o["tone"] for o in b.tones]
        assert b.lights["timer"] == "red slow-blink"
        assert b.display == "6"


@pytest.mark.parametrize("speed", ["4", "6", "8"])
def test_press_in_waiting_starts_the_countdown(speed):
    """MA-2 MA-5 countdown of `speed` seconds, rounded up; the last 3 tick and blink fast."""
    with Bench(UNIT) as b:
        b.master_on(speed)
        t, seconds = b.now, int(speed)
        answer = b.press("timer")
        assert answer.when(state="running") == t
        assert answer.event("turn")["t"] == t and answer.when(tone="beep") == t
        assert b.lights["timer"] == "red"
        answer += b.release("timer", plus(t, 0.1)) + b.run_until(plus(t, seconds - 0.1))
        assert [x for x in answer.displays() if x[0] > t] == [(plus(t, n), str(seconds - n)) for n in range(1, seconds)]
        assert b.display == "1"
        assert [o["t"] for o in answer if o.get("tone") == "tick"] == [plus(t, seconds - n) for n in (3, 2, 1)]
        assert answer.looks("timer")[-1] == (plus(t, seconds - 3), "red fast-blink")


def test_press_in_running_passes_the_turn():
    """MA-3 C-9 beep, turn and a full countdown at the press edge."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 4.5))
        t = b.now
        answer = b.press("timer")
        assert answer.when(tone="beep") == t
        assert answer.event("turn")["t"] == t
        assert b.display == "6" and b.lights["timer"] == "red" and b.state == "running"
        b.release("timer", plus(t, 0.1))
        answer = b.run_until(plus(t, 6))
        assert answer.event("penalty")["t"] == plus(t, 6)


def test_speed_is_used_from_the_next_countdown_on():
    """MA-4 C-2 moving the speed in mid-countdown changes the next countdown only."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.switch("speed", "8", plus(start, 2))
        answer = b.run_until(plus(start, 5.5))
        assert not answer.events("penalty") and b.display == "1"
        t = b.now
        b.tap("timer")
        assert b.display == "8"
        assert b.run_until(plus(t, 8)).event("penalty")["t"] == plus(t, 8)


def test_run_out_is_a_penalty():
    """MA-6 signal, penalty 2, the total flashes, and a full countdown starts by itself."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        answer = b.run_until(plus(start, 6))
        penalty = answer.event("penalty")
        assert (penalty["t"], penalty["draw"], penalty["total"]) == (plus(start, 6), 2, 2)
        assert answer.when(tone="signal") == plus(start, 6)
        assert (b.display, b.pattern) == ("2", "flash")
        assert b.lights["timer"] == "red flash" and b.state == "penalty"


def test_press_in_penalty_goes_on():
    """MA-7 the player has drawn and presses: beep, turn, full countdown, running."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 7.5))
        t = b.now
        answer = b.press("timer")
        assert answer.when(state="running") == t and answer.when(tone="beep") == t
        assert answer.event("turn")["t"] == t and b.display == "6"
        b.release("timer", plus(t, 0.1))
        assert b.run_until(plus(t, 6)).event("penalty")["t"] == plus(t, 6)


def test_second_run_out_waits():
    """MA-8 total doubled, red slow-blink, waiting, silence."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 7))
        answer = b.run_until(plus(start, 12))
        penalty = answer.event("penalty")
        assert (penalty["t"], penalty["draw"], penalty["total"]) == (plus(start, 12), 2, 4)
        assert answer.tones()[-1] == "signal"
        assert (b.display, b.pattern) == ("4", "flash")
        assert b.lights["timer"] == "red slow-blink" and b.state == "waiting"
        assert b.run_for(60).tones() == []
        b.tap("timer")
        assert b.state == "running"


def test_hold_pauses():
    """MA-9 kept down for 1 s: the press passed the turn, then paused; timer pressed: full countdown."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 3)
        answer = b.hold("timer", 1.5, t)
        assert answer.event("turn")["t"] == t
        assert answer.when(state="paused") == plus(t, 1)
        assert b.lights["timer"] == "blue fade" and b.display == "PAUS"
        assert b.run_for(60) == []
        t = b.now
        answer = b.tap("timer")
        assert answer.tones() == ["beep"] and not answer.events()      # that turn was announced
        assert b.state == "running" and b.display == "6"
        assert b.run_until(plus(t, 6)).event("penalty")["t"] == plus(t, 6)


def test_hold_in_penalty_pauses():
    """MA-9 MA-7 kept down for 1 s in penalty: the press passes the turn first, then paused."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 7)
        answer = b.hold("timer", 1.5, t)
        assert answer.event("penalty")["t"] == plus(start, 6) and answer.event("turn")["t"] == t
        assert answer.states() == ["penalty", "running", "paused"]
        assert not b.run_for(30).events("penalty")


def test_long_hold_switches_off():
    """MA-10 kept down for 3 s: power-down, off; a new press switches on again."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        answer = b.hold("timer", 3.5, t)
        assert answer.when(tone="power-down") == plus(t, 3)
        assert b.state == "off" and b.dark() and b.display == ""
        b.run_for(1)
        b.tap("timer")
        assert b.state == "waiting"


def test_off_after_five_minutes():
    """MA-11 300 s in waiting without a press: off."""
    with Bench(UNIT) as b:
        b.master_on()
        t = b.now
        assert b.run_for(299).states() == []
        answer = b.run_until(plus(t, 301))
        assert b.state == "off" and b.dark() and answer.states() == ["off"]


def test_double_slap_counts_once():
    """MA-12 a second press 0.2 s after a press that passed the turn is ignored; 0.4 s after it passes."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        b.bounce("timer", (0, 0.05), t)
        assert b.bounce("timer", (0.2, 0.25), t).events("turn") == []
        assert b.bounce("timer", (0.6, 0.65), t).events("turn") != []
        b.run_for(0.1)
        assert len([e for e in b.events_named("turn") if e["t"] >= t]) == 2


def test_press_that_switches_on_does_nothing_else():
    """MA-13 neither the countdown nor a hold."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.hold("timer", 3.5, plus(start, 1))
        assert b.state == "off"
        b.run_for(1)
        answer = b.press("timer") + b.run_for(5)
        assert answer.states() == ["waiting"] and not answer.events("turn")
        assert b.release("timer") + b.run_for(1) == []


def test_speed_is_shown_in_waiting():
    """MA-4 in waiting the display follows the switch, unless it shows a total."""
    with Bench(UNIT) as b:
        b.master_on("6")
        b.switch("speed", "8")
        assert b.display == "8"
        start = b.now
        b.tap("timer")
        b.run_until(plus(start, 17))
        assert b.state == "waiting" and b.display == "4"
        assert b.switch("speed", "6") == []


def test_penalty_ticks():
    """MA-5 MA-6 in penalty the last 3 s tick, the light stays red flash, the total stays."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 6))
        answer = b.run_until(plus(start, 11.9))
        assert [o["t"] for o in answer if o.get("tone") == "tick"] == [plus(start, n) for n in (9, 10, 11)]
        assert not answer.looks("timer") and not answer.displays() and b.display == "2"


@pytest.mark.parametrize("after, counts", [(0.0, False), (0.249, False), (0.25, True)])
def test_late_slap(after, counts):
    """MA-12 a press less than 0.25 s after a run-out is ignored."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 5.9))
        t = plus(start, 6 + after)
        answer = b.press("timer", t)
        assert bool(answer.events("turn")) == counts
        assert b.state == ("running" if counts else "penalty")
        b.release("timer", plus(t, 0.1))
        b.run_for(0.5)
        assert b.state == ("running" if counts else "penalty")


def test_an_ignored_slap_that_is_held():
    """MA-12 MA-10 a double slap kept down neither passes nor pauses, but switches off after 3 s."""
    with Bench(UNIT) as b:
        start = b.master_run("8")
        t = plus(start, 2)
        b.bounce("timer", (0, 0.05), t)
        answer = b.press("timer", plus(t, 0.2)) + b.run_until(plus(t, 4))
        assert answer.states() == ["off"] and answer.when(tone="power-down") == plus(t, 3.2)
        assert not answer.events("turn")
