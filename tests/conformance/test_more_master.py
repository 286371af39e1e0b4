"""Master, told to the last output (docs/spec/master.md)."""

import pytest
from bench_client import Bench, plus, soon
from rounds import tick_times

UNIT = "master"


def times(outputs, name):
    """Return when this event was told."""
    return [o["t"] for o in outputs if o.get("event") == name]


# -- on


def test_all_that_switching_on_shows():
    """MA-1 waiting, red slow-blink, the first speed, startup; no event; letting go does nothing."""
    with Bench(UNIT) as b:
        assert b.run_for(100) == []
        t = b.now
        assert b.press("timer") == [
            {"t": t, "state": "waiting"},
            {"t": t, "lights": {"timer": "red slow-blink"}},
            {"t": t, "display": "4"},
            {"t": t, "tone": "startup", "volume": 3},
        ]
        assert b.release("timer", plus(t, 0.1)) + b.run_for(10) == []


def test_all_that_a_low_battery_shows_when_it_is_switched_on():
    """MA-1 C-3 power-down and nothing else, at every press; good again it takes a new press."""
    with Bench(UNIT) as b:
        b.battery("low")
        for t in (1, 2):
            assert b.tap("timer", t) == [{"t": t, "tone": "power-down", "volume": 3}]
        assert b.battery("ok", 3) + b.run_until(10) == []
        assert b.tap("timer", 10).states() == ["waiting"]


def test_the_press_that_switches_on_is_no_slap():
    """MA-13 MA-12 a press 0.15 s after the one that switched on starts the clock: no `turn` was sent before it."""
    with Bench(UNIT) as b:
        b.bounce("timer", (0, 0.05), 1)
        answer = b.press("timer", 1.15)
        assert answer.states() == ["running"] and answer.event("turn")["t"] == 1.15


def test_the_press_that_switches_on_may_be_held():
    """MA-13 MA-9 MA-10 held for a minute: waiting; off_after 300 s, as if it had been let go."""
    with Bench(UNIT) as b:
        answer = b.press("timer", 1) + b.run_until(60) + b.release("timer") + b.run_until(200)
        assert answer.states() == ["waiting"] and answer.tones() == ["startup"]


# -- the clock


def test_all_that_a_start_shows():
    """MA-2 turn, running, red, the speed, beep; then every second to the first tick."""
    with Bench(UNIT) as b:
        b.master_on("6")
        t = b.now
        assert b.press("timer") == [
            {"t": t, "event": "turn"},
            {"t": t, "state": "running"},
            {"t": t, "lights": {"timer": "red"}},
            {"t": t, "tone": "beep", "volume": 3},
        ]                                               # the display shows the speed already
        assert b.release("timer", plus(t, 0.1)) + b.run_until(plus(t, 3)) == [
            {"t": plus(t, 1), "display": "5"},
            {"t": plus(t, 2), "display": "4"},
            {"t": plus(t, 3), "lights": {"timer": "red fast-blink"}},
            {"t": plus(t, 3), "display": "3"},
            {"t": plus(t, 3), "tone": "tick", "volume": 3},
        ]


def test_all_that_passing_the_turn_shows():
    """MA-3 within the last seconds: turn, steady red, full time, beep; the state is running still."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 4.5)
        b.run_until(t)
        assert b.press("timer") == [
            {"t": t, "event": "turn"},
            {"t": t, "lights": {"timer": "red"}},
            {"t": t, "display": "6"},
            {"t": t, "tone": "beep", "volume": 3},
        ]


@pytest.mark.parametrize("speed, ticks, at", [(3, 3, [1, 2]), (2, 5, [1]), (6, 0, []), (6, 1, [5])])
def test_ticks_never_at_the_start(speed, ticks, at):
    """MA-5 one tick a second at the end of a countdown, none with its start or its run-out."""
    with Bench(UNIT, settings={"master.speeds": [speed], "master.tick_seconds": ticks, "master.hold_to_pause": 1}) as b:
        start = b.master_run(str(speed))
        answer = b.run_until(plus(start, speed))
        assert tick_times(answer) == [plus(start, n) for n in at] and answer.tones()[-1] == "signal"


def test_the_speed_moved_in_a_turn():
    """MA-4 MA-6 moved in running: no output; the countdown that starts by itself at the run-out uses it."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        assert b.switch("speed", "8", plus(start, 0.5)) == []
        answer = b.run_until(plus(start, 30))
        assert times(answer, "penalty") == [plus(start, 6), plus(start, 14)]


def test_the_speed_moved_before_it_is_on():
    """MA-4 MA-1 the switch counts from the moment it reported: shown when it is switched on."""
    with Bench(UNIT) as b:
        assert b.switch("speed", "8", 1) == []
        assert b.tap("timer", 2).displays() == [(2, "8")]
        assert b.switch("speed", "4", 3) == [{"t": 3, "display": "4"}]


# -- fines


def test_all_that_a_penalty_shows():
    """MA-6 penalty with draw and total, the light, the total flashing, signal; no seconds on the display."""
    with Bench(UNIT, settings={"master.penalty_cards": 4}) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 5.5))
        end = plus(start, 6)
        assert b.run_until(plus(start, 8.5)) == [
            {"t": end, "event": "penalty", "draw": 4, "total": 4},
            {"t": end, "state": "penalty"},
            {"t": end, "lights": {"timer": "red flash"}},
            {"t": end, "display": "4", "pattern": "flash"},
            {"t": end, "tone": "signal", "volume": 3},
        ]


def test_all_that_the_second_penalty_shows():
    """MA-8 the total of both, red slow-blink, signal; then silence until a press."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 11.5))
        end = plus(start, 12)
        assert b.run_until(plus(start, 200)) == [
            {"t": end, "event": "penalty", "draw": 2, "total": 4},
            {"t": end, "state": "waiting"},
            {"t": end, "lights": {"timer": "red slow-blink"}},
            {"t": end, "display": "4", "pattern": "flash"},
            {"t": end, "tone": "signal", "volume": 3},
        ]


def test_a_press_forgets_the_total():
    """MA-7 MA-8 MA-6 after a press the next penalty counts from its own cards again."""
    with Bench(UNIT) as b:
        start = b.master_run("4")
        b.run_until(plus(start, 9))                     # both fines, waiting
        t = b.now
        assert b.tap("timer").states() == ["running"] and (b.display, b.pattern) == ("4", None)
        assert b.run_until(plus(t, 5)).event("penalty")["total"] == 2
        t = b.now
        b.tap("timer")
        answer = b.run_until(plus(t, 8.5))
        assert [e["total"] for e in answer.events("penalty")] == [2, 4]


def test_all_that_a_press_in_penalty_shows():
    """MA-7 as passing the turn: turn, running, red, full time, beep."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 10)
        b.run_until(t)                                  # ticking
        assert b.press("timer") == [
            {"t": t, "event": "turn"},
            {"t": t, "state": "running"},
            {"t": t, "lights": {"timer": "red"}},
            {"t": t, "display": "6"},
            {"t": t, "tone": "beep", "volume": 3},
        ]


# -- holds


def test_all_that_a_pause_shows():
    """MA-9 at 1 s: paused, blue fade, PAUS; no tone, no event; going on: beep, full time, red, no turn."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        b.press("timer", t)
        one = plus(t, 1)
        assert b.run_until(plus(t, 1.5)) == [
            {"t": one, "state": "paused"},
            {"t": one, "lights": {"timer": "blue fade"}},
            {"t": one, "display": "PAUS"},
        ]
        assert b.release("timer") + b.run_until(plus(t, 100)) == []
        t = b.now
        assert b.press("timer") == [
            {"t": t, "state": "running"},
            {"t": t, "lights": {"timer": "red"}},
            {"t": t, "display": "6"},
            {"t": t, "tone": "beep", "volume": 3},
        ]


@pytest.mark.parametrize("offsets, paused", [((0, 0.98), None), ((0, 0.999999), None), ((0, 1.0), 1.0),
                                             ((0, 0.99, 1.01, 1.5), 1.01)])
def test_a_release_at_the_end_of_the_hold(offsets, paused):
    """MA-9 C-14 C-10a opened before 1 s: no pause; at 1 s, or closed again within the debounce time: paused."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        answer = b.bounce("timer", offsets, t) + b.run_until(plus(t, 5))
        found = [o["t"] for o in answer if o.get("state") == "paused"]
        assert found == ([] if paused is None else [plus(t, paused)])


def test_a_hold_comes_before_the_tick_of_the_same_time():
    """MA-9 MA-5 C-14 speed 4: the pause at 1 s is also the moment of the first tick: paused, no tick, no 3."""
    with Bench(UNIT) as b:
        b.master_on("4")
        t = b.now
        answer = b.press("timer") + b.run_until(plus(t, 2))
        assert answer.states() == ["running", "paused"] and answer.tones() == ["beep"]
        assert answer.displays() == [(plus(t, 1), "PAUS")]


@pytest.mark.parametrize("state", ["waiting", "running", "penalty", "paused"])
def test_every_press_that_leads_to_running_pauses_when_held(state):
    """MA-9 kept down for 1 s: paused, whatever it was before."""
    with Bench(UNIT) as b:
        if state == "waiting":
            b.master_on("6")
        else:
            start = b.master_run("6")
            b.run_until(plus(start, 7 if state == "penalty" else 2))
        if state == "paused":
            b.hold("timer", 1.5)
            b.run_for(1)
        t = b.now
        assert b.state == state
        answer = b.press("timer") + b.run_until(plus(t, 2))
        assert b.state == "paused" and answer.when(state="paused") == plus(t, 1)
        assert len(times(answer, "turn")) == (0 if state == "paused" else 1)


def test_all_that_a_long_hold_shows():
    """MA-10 MA-9 from running: paused at 1 s, at 3 s off with power-down; nothing until a new press."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        b.press("timer", t)
        b.run_until(plus(t, 2))
        three = plus(t, 3)
        assert b.run_until(plus(t, 60)) == [
            {"t": three, "state": "off"},
            {"t": three, "lights": {"timer": "off"}},
            {"t": three, "display": ""},
            {"t": three, "tone": "power-down", "volume": 3},
        ]
        assert b.release("timer") + b.run_for(60) == []
        assert b.tap("timer").states() == ["waiting"]


def test_a_long_hold_that_is_let_go_in_time():
    """MA-10 C-10a 2.98 s: paused, not off."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        answer = b.hold("timer", 2.98, plus(start, 2)) + b.run_for(10)
        assert answer.states() == ["paused"] and "power-down" not in answer.tones()


def test_a_long_hold_in_the_pause():
    """MA-9 MA-10 from paused: running, paused again, off."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.hold("timer", 1.5, plus(start, 2))
        t = plus(b.now, 1)
        answer = b.hold("timer", 3.5, t)
        assert answer.states() == ["running", "paused", "off"] and answer.when(state="off") == plus(t, 3)


def test_lengths_of_holds_are_settings():
    """MA-9 MA-10 hold_to_pause 0.5, hold_to_switch_off 1."""
    with Bench(UNIT, settings={"master.hold_to_pause": 0.5, "master.hold_to_switch_off": 1}) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        answer = b.press("timer", t) + b.run_until(plus(t, 2))
        assert answer.when(state="paused") == plus(t, 0.5) and answer.when(state="off") == plus(t, 1)


# -- off by itself


def test_all_that_switching_off_by_itself_shows():
    """MA-11 exactly 300 s after the press that switched on: off, dark, blank, no tone, no event."""
    with Bench(UNIT) as b:
        b.press("timer", 1)
        b.release("timer", 2)
        assert b.run_until(1000) == [
            {"t": 301, "state": "off"}, {"t": 301, "lights": {"timer": "off"}}, {"t": 301, "display": ""}]


def test_off_by_itself_after_two_fines():
    """MA-11 MA-8 300 s of waiting after the second run-out; off it forgets the total."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        answer = b.run_until(plus(start, 1000))
        assert answer.when(state="off") == plus(start, 312)
        assert b.tap("timer").displays() == [(plus(start, 1000), "6")]


def test_off_by_itself_in_the_pause():
    """MA-11 paused and left alone: off after 300 s, silently."""
    with Bench(UNIT, settings={"master.off_after": 50}) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        answer = b.hold("timer", 1.2, t) + b.run_for(200)
        assert soon(answer.when(state="off"), plus(t, 50), 1.2) and answer.tones() == ["beep"]


def test_off_after_counts_from_an_ignored_press():
    """MA-11 MA-12 a late slap in waiting is ignored, but restarts the 300 s."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 12))
        assert b.tap("timer", plus(start, 12.1)) == []
        assert b.run_until(plus(start, 1000)).when(state="off") == plus(start, 312.1)


def test_never_off_while_the_clock_runs():
    """MA-11 countdowns that are longer than off_after keep it on."""
    with Bench(UNIT, settings={"master.speeds": [60], "master.off_after": 20}) as b:
        start = b.master_run("60")
        answer = b.run_until(plus(start, 119))
        assert answer.states() == ["penalty"]


# -- slaps


@pytest.mark.parametrize("after, counts", [(0.2, False), (0.249999, False), (0.25, True), (0.3, True)])
def test_a_double_slap(after, counts):
    """MA-12 less than 0.25 s after a press that sent turn: no output at all; from 0.25 s on it passes the turn."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2.5)
        b.bounce("timer", (0, 0.05), t)
        answer = b.press("timer", plus(t, after))
        assert times(answer, "turn") == ([plus(t, after)] if counts else [])
        assert counts or answer == []


def test_an_ignored_slap_does_not_prolong_the_time():
    """MA-12 slaps at 0, 0.2 and 0.4 s: the third one is 0.4 s after the press that sent turn, and passes."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        t = plus(start, 2)
        answer = b.bounce("timer", (0, 0.05, 0.2, 0.25, 0.4, 0.45), t) + b.run_for(0.1)
        assert times(answer, "turn") == [t, plus(t, 0.4)]


def test_a_double_slap_on_the_start():
    """MA-12 MA-2 the press in waiting sends turn, too: a second slap 0.1 s later is ignored."""
    with Bench(UNIT) as b:
        b.master_on("6")
        t = b.now
        answer = b.bounce("timer", (0, 0.05, 0.1, 0.15), t) + b.run_for(0.1)
        assert times(answer, "turn") == [t] and answer.tones() == ["beep"]


def test_a_second_slap_after_a_pause_is_none():
    """MA-12 MA-9 going on after a pause sends no turn: a press 0.15 s later passes the turn."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.hold("timer", 1.5, plus(start, 2))
        t = plus(b.now, 5)
        answer = b.bounce("timer", (0, 0.05, 0.15, 0.2), t) + b.run_for(0.1)
        assert times(answer, "turn") == [plus(t, 0.15)]


@pytest.mark.parametrize("after, counts", [(0.249999, False), (0.25, True)])
def test_a_late_slap_after_the_second_run_out(after, counts):
    """MA-12 MA-8 the second run-out, too: ignored for 0.25 s, then it starts the next player's clock."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 12))
        answer = b.press("timer", plus(start, 12 + after))
        assert answer.states() == (["running"] if counts else [])


def test_a_late_slap_that_is_held():
    """MA-12 MA-10 pressed 0.1 s after the run-out and kept down: no turn, no pause; off after 3 s."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 6))
        t = plus(start, 6.1)
        answer = b.press("timer", t) + b.run_until(plus(t, 5))
        assert answer.states() == ["off"] and answer.when(tone="power-down") == plus(t, 3)


def test_the_time_of_a_double_slap_is_a_setting():
    """MA-12 double_slap 0: every press counts."""
    with Bench(UNIT, settings={"master.double_slap": 0}) as b:
        start = b.master_run("6")
        answer = b.bounce("timer", (0, 0.001, 0.04, 0.041, 0.08, 0.081), plus(start, 2)) + b.run_for(0.1)
        assert len(times(answer, "turn")) == 3


# -- common rules on a unit without a power switch


def test_lo_on_a_master():
    """C-4 waiting without a total: Lo for 2 s, then the speed; with the clock running: told, not shown."""
    with Bench(UNIT) as b:
        b.master_on("6")
        t = b.now
        assert b.battery("low") == [{"t": t, "event": "battery-low"}, {"t": t, "display": "Lo"},
                                    {"t": t, "tone": "battery-low", "volume": 3}]
        assert b.run_for(10) == [{"t": plus(t, 2), "display": "6"}]
    with Bench(UNIT) as b:
        start = b.master_run("6")
        answer = b.battery("low", plus(start, 2)) + b.run_until(plus(start, 100))
        assert answer.event("battery-low") and "Lo" not in [text for _, text in answer.displays()]


def test_lo_in_the_pause_of_a_master():
    """C-4 MA-9 PAUS is neither a countdown nor a number: turned low in running, Lo comes with the pause."""
    with Bench(UNIT) as b:
        start = b.master_run("6")
        b.battery("low", plus(start, 1.5))
        t = plus(start, 2)
        answer = b.hold("timer", 1.5, t) + b.run_for(10)
        shown = [(at, text) for at, text in answer.displays() if at >= plus(t, 1)]
        assert shown == [(plus(t, 1), "Lo"), (plus(t, 3), "PAUS")]


def test_a_broken_display_on_a_master():
    """C-20 broken while off: told when it is switched on; mended in running: the seconds that are left."""
    with Bench(UNIT) as b:
        assert b.break_part("display", "gone") == []
        answer = b.tap("timer", 1)
        assert answer.event("fault")["part"] == "display" and answer.displays() == []
        b.tap("timer", 2)
        assert b.mend("display", 3.5).displays() == [(3.5, "3")]


def test_the_button_is_never_stuck():
    """C-13 MA-10 held for 30 s where that does not switch off yet: paused, no fault."""
    with Bench(UNIT, settings={"master.hold_to_switch_off": 50}) as b:
        start = b.master_run("6")
        answer = b.press("timer", plus(start, 2)) + b.run_until(plus(start, 40))
        assert not answer.events("fault") and b.state == "paused"
