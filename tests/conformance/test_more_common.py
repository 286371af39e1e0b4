"""Rules common to every unit: power, the battery, order in time, failing parts (docs/spec/common.md)."""

import pytest
from bench_client import Bench, check_order, plus
from rounds import COUNTERS, PILES, all_of, settled, tick_times

UNIT = "triple-play"


def told(t):
    """Return what a battery that turns low brings at once, besides the display."""
    return [{"t": t, "event": "battery-low"}, {"t": t, "tone": "battery-low", "volume": 3}]


# -- power


def test_all_that_power_off_shows():
    """C-1 from ready: off, dark, blank, and no tone."""
    with Bench(UNIT) as b:
        b.power_on()
        b.tap("go", 1)
        assert b.switch("power", "off", 3) == [
            {"t": 3, "state": "off"}, {"t": 3, "lights": all_of(COUNTERS, "off")}, {"t": 3, "display": ""}]
        assert b.battery("low") + b.battery("ok") + b.switch("timer", "on") + b.run_for(500) == []


def test_power_off_in_sleep():
    """C-1 C-6 asleep is dark already: only the state changes; the next power-on is a fresh one."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(200)
        assert b.power_off() == [{"t": b.now, "state": "off"}]
        b.run_for(1)
        assert b.power_on() == [{"t": b.now, "state": "standby"}, {"t": b.now, "display": "-"}]


def test_power_off_during_a_hold():
    """C-1 C-12 switched off with a pad down, on again: held at start; nothing of the old hold comes later."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.press("pile1", plus(start, 2))
        b.switch("power", "off", plus(start, 2.5))
        assert b.run_until(plus(start, 20)) == []
        answer = b.power_on()
        assert answer.events() == [{"t": b.now, "event": "fault", "part": "pile1", "reason": "held-at-start"}]


# -- the battery


def test_all_that_a_low_battery_at_power_on_shows():
    """C-3 asleep and power-down, no event; each wake press repeats the tone; nothing else does anything."""
    with Bench(UNIT) as b:
        b.battery("low")
        assert b.power_on() == [{"t": 0, "state": "asleep"}, {"t": 0, "tone": "power-down", "volume": 3}]
        assert b.tap("pile1", 1) + b.tap("pile2", 2) + b.run_until(200) == []
        for _ in range(2):
            t = b.now
            assert b.tap("go") + b.run_for(1) == [{"t": t, "tone": "power-down", "volume": 3}]
        assert b.battery("ok") + b.run_for(10) == []
        t = b.now
        assert b.press("go") == [{"t": t, "event": "awake"}, {"t": t, "state": "standby"}, {"t": t, "display": "-"}]
        assert b.run_until(plus(t, 8)) + b.release("go") + b.run_for(1) == []       # C-7: it does nothing else


def test_a_low_battery_at_power_on_hides_a_round_until_it_is_good(tmp_path):
    """C-3 C-5 the missed power-on resumes the round that the plug had cut."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.fill(2, 3)
        with b.reborn() as c:
            c.battery("low")
            assert c.power_on() == [{"t": 0, "state": "asleep"}, {"t": 0, "tone": "power-down", "volume": 3}]
            c.battery("ok", 5)
            answer = c.tap("go")
            assert [e["event"] for e in answer.events()] == ["awake", "resumed"] and c.state == "playing"
            assert c.fill(2, 1).event("played")["count"] == 4


def test_the_plug_is_pulled_twice_with_a_low_battery_between(tmp_path):
    """C-3 C-5 a power-on that was missed changes nothing of what is saved."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.fill(2, 3)
        with b.reborn() as c:
            c.battery("low")
            c.power_on()
            c.run_for(1)
            with c.reborn() as d:
                assert d.power_on().event("resumed")["state"] == "playing"
                assert d.fill(2, 1).event("played")["count"] == 4


def test_all_that_a_battery_that_turns_low_shows():
    """C-4 on a free display: event, Lo, tone; exactly 2 s later the display is as before."""
    with Bench(UNIT) as b:
        b.power_on()
        assert b.battery("low", 5) == [
            {"t": 5, "event": "battery-low"}, {"t": 5, "display": "Lo"}, {"t": 5, "tone": "battery-low", "volume": 3}]
        assert b.run_until(60) == [{"t": 7, "display": "-"}]


def test_a_battery_that_is_good_again_while_lo_is_shown():
    """C-4 Lo stays for its 2 s."""
    with Bench(UNIT) as b:
        b.power_on()
        b.battery("low", 5)
        assert b.battery("ok", 6) == [] and b.run_until(60) == [{"t": 7, "display": "-"}]


def test_a_second_low_battery_is_silent():
    """C-4 once per power-on: low again brings no event, no tone and no Lo."""
    with Bench(UNIT) as b:
        b.power_on()
        b.battery("low", 5)
        b.battery("ok", 10)
        assert b.battery("low", 15) + b.run_until(30) == []


def test_lo_waits_for_the_end_of_an_overload():
    """C-4 TP-11 the number to draw stands; go frees the display: Lo for 2 s from there."""
    with Bench(UNIT, settings=settled(2)) as b:
        b.start_round()
        b.run_for(1)
        b.fill(1, 2)
        t = plus(b.now, 5)
        assert b.battery("low", t) + b.run_for(10) == told(t)
        t = b.now
        assert (b.tap("go") + b.run_for(10)).displays() == [(t, "Lo"), (plus(t, 2), "")]


def test_lo_waits_for_the_end_of_a_timed_round():
    """C-4 TP-18 countdown, time-out, pause and volume never free the display; the dash of ready does."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        t = plus(start, 2.5)
        b.run_until(t)
        assert b.battery("low") == told(t)
        b.run_until(plus(start, 15))                    # run out
        b.tap("go")
        b.tap("go", plus(start, 17))                    # paused
        t = plus(start, 20)
        answer = b.press("go", t) + b.run_until(plus(t, 10))
        assert "Lo" not in [text for at, text in b.outputs.displays() if at < plus(t, 6)]
        assert [shown for shown in answer.displays() if shown[0] >= plus(t, 6)] == [
            (plus(t, 6), "Lo"), (plus(t, 8), "-")]


@pytest.mark.parametrize("seconds, shown", [(0.5, ["Lo", ""]), (3, [""])])
def test_a_number_covers_lo(seconds, shown):
    """C-4 the 2 s of Lo run on under a number: what is left of them is seen when it goes."""
    with Bench(UNIT, settings=settled(2)) as b:
        b.start_round()
        b.run_for(1)
        b.play(1)
        b.run_for(1)
        t = b.now
        b.battery("low")
        answer = b.tap("pile1", plus(t, 0.2))
        over = plus(t, 0.33)
        draw = answer.event("overload")["draw"]
        assert answer.displays() == [(over, str(draw))]
        answer = b.tap("go", plus(over, seconds)) + b.run_for(5)
        assert [text for _, text in answer.displays()] == shown
        assert answer.displays()[0][0] == plus(over, seconds)
        if len(shown) == 2:
            assert answer.displays()[1] == (plus(t, 2), "")


def test_lo_waits_for_the_volume():
    """C-4 TP-17 turned low while the volume is shown: Lo when it closes."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("go", t)
        b.battery("low", plus(t, 3.2))
        b.release("go", plus(t, 3.5))
        assert b.run_until(plus(t, 20)).displays() == [(plus(t, 5.5), "Lo"), (plus(t, 7.5), "")]


def test_the_volume_covers_lo():
    """C-4 TP-17 the volume opens while Lo is shown: the volume; its 2 s are over when it closes."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("go", t)
        b.battery("low", plus(t, 2.5))
        answer = b.run_until(plus(t, 3.5)) + b.release("go") + b.run_for(10)
        assert answer.displays() == [(plus(t, 3), "3"), (plus(t, 5.5), "")]


def test_lo_is_never_shown_in_sleep():
    """C-4 C-6 low in overload, then asleep: dark and blank; awake again the number stands."""
    with Bench(UNIT, settings=settled(2)) as b:
        b.start_round()
        b.run_for(1)
        b.fill(1, 2)
        b.battery("low")
        answer = b.run_for(300)
        assert answer.displays() == [(answer.event("asleep")["t"], "")]
        b.tap("go")
        assert b.display == str(b.last_event("overload")["draw"]) and b.pattern == "flash"


def test_turning_low_in_sleep():
    """C-3 C-4 a sleeping unit says nothing; it can be woken, and the game goes on."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.run_for(130)
        assert b.battery("low") + b.run_for(60) == []
        answer = b.tap("go")
        assert answer.event("awake") and b.state == "playing" and "power-down" not in answer.tones()


def test_a_battery_that_comes_and_goes_before_the_first_wake_up():
    """C-3 C-4 power-on missed, good, low again: asleep all the time, so not a word until a wake press."""
    with Bench(UNIT) as b:
        b.battery("low")
        b.power_on()
        assert b.battery("ok", 10) + b.battery("low", 20) + b.run_until(30) == []
        assert b.tap("go") == [{"t": 30, "tone": "power-down", "volume": 3}]


# -- order in time


def test_tones_of_one_moment():
    """C-14 the battery turns low exactly at a tick: the tick is first, and the stronger tone sounds last."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 6.5))
        answer = b.battery("low", plus(start, 7))
        assert answer.tones() == ["tick", "battery-low"] and answer.displays() == [(plus(start, 7), "3")]
        check_order(answer)


def test_sleep_comes_before_the_press_of_that_time():
    """C-14 C-6 C-7 go stamped exactly at the end of the 120 s: asleep first, so that press only wakes."""
    with Bench(UNIT) as b:
        b.power_on()
        b.tap("go", 1)
        b.run_until(121)
        answer = b.press("go", 121.1)
        assert [e["event"] for e in answer.events()] == ["asleep", "awake"] and b.state == "ready"
        assert answer.tones() == []


def test_a_pad_at_the_very_end_of_the_120_seconds():
    """C-14 C-6 C-8 stamped at the end: asleep, the pad does nothing; a microsecond before it counts."""
    for early, tones in ((0, []), (0.000001, ["beep"])):
        with Bench(UNIT, settings=settled()) as b:
            start = b.start_round()                     # go was let go 0.1 s after it
            answer = b.press("pile1", plus(start, 120.1 - early))
            assert answer.tones() == tones and bool(answer.events("asleep")) is not bool(tones)


def test_one_long_step_or_many_short_ones():
    """C-15 BENCH a game of holds, pauses and run-outs has the same outputs whether time runs in one step or in many."""
    edges = [(3, "press", "pile1"), (5.995, "release", "pile1"), (7, "press", "go"), (10.5, "release", "go"),
             (21, "press", "pile2"), (30, "press", "go"), (30.4, "release", "go"), (33, "release", "pile2"),
             (40, "press", "go"), (47, "release", "go"), (48, "press", "go"), (49, "release", "go")]
    games = []
    for step in (None, 0.25, 0.007):
        with Bench(UNIT, settings=settled()) as b:
            b.start_round(timer=True)
            for at, verb, name in edges:
                while step and plus(b.now, step) < at:
                    b.run_for(step)
                (b.press if verb == "press" else b.release)(name, at)
            b.run_until(200)
            games.append(list(b.outputs))
    assert games[0] == games[1] == games[2]


def test_an_hour_late():
    """C-15 C-6 one step of an hour from the middle of a hold: clear, run-out and sleep, each at its own time."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        t = plus(start, 2)
        b.press("pile1", t)
        answer = b.run_until(3600)
        told_at = [(e["t"], e["event"]) for e in answer.events()]
        assert told_at == [(plus(t, 2), "cleared"), (plus(t, 2), "turn"), (plus(t, 10), "fault"),
                           (plus(t, 12), "timeout"), (plus(t, 132), "asleep")]
        assert tick_times(answer) == [plus(t, n) for n in (9, 10, 11)]


# -- parts that fail


def test_the_buzzer_fails_and_is_back():
    """C-20 no tone is reported while it is broken, the game goes on; mended: healed, and tones again."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 2)
        b.run_until(t)
        fault, = b.break_part("buzzer", "no pwm")
        assert (fault["t"], fault["event"], fault["part"]) == (t, "fault", "buzzer") and fault["reason"]
        answer = b.play(1)
        assert answer.tones() == [] and answer.event("played")
        t = plus(start, 5)
        b.run_until(t)
        assert b.mend("buzzer") == [{"t": t, "event": "healed", "part": "buzzer"}]
        assert b.play(1).tones() == ["beep"]


def test_a_break_without_a_why():
    """C-20 BENCH `why` may be missing: the fault has a reason all the same."""
    with Bench(UNIT) as b:
        b.power_on()
        fault = b.send('{"t": 1, "break": "display"}').event("fault")
        assert fault["part"] == "display" and isinstance(fault["reason"], str) and fault["reason"]


def test_the_display_shows_its_present_content_when_it_is_back():
    """C-20 the same text as before the fault is shown again, and what changed meanwhile is not told late."""
    with Bench(UNIT, settings=settled()) as b:
        b.power_on()
        b.break_part("display", "gone", 1)
        assert b.mend("display", 2) == [{"t": 2, "event": "healed", "part": "display"}, {"t": 2, "display": "-"}]
        b.break_part("display", "gone", 3)
        b.tap("go", 4)
        assert not [o for o in b.tap("go", 5) if "display" in o]
        b.battery("low", 6)
        answer = b.mend("display", 7)
        assert answer.displays() == [(7, "Lo")]


def test_the_strip_is_dark_for_the_stage_while_it_is_broken():
    """C-20 no lights are reported from the fault to the mend, where all are shown as they are then."""
    with Bench(UNIT, settings=settled(4)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        answer = b.break_part("strip", "errno 5") + b.tap("pile1", plus(start, 3)) + b.tap("pile1", plus(start, 4))
        answer += b.run_until(plus(start, 5))
        assert not [o for o in answer if "lights" in o] and len(answer.events("played")) == 2
        answer = b.mend("strip")
        looks = all_of(PILES, "white") | all_of(COUNTERS, "green") | {"counter1": "yellow slow-blink"}
        assert [o for o in answer if "lights" in o] == [{"t": b.now, "lights": looks}]


def test_everything_is_broken():
    """C-20 display, strip and buzzer gone: events alone tell the game."""
    with Bench(UNIT, settings=settled(2)) as b:
        b.start_round()
        b.run_for(1)
        for part in ("display", "strip", "buzzer"):
            b.break_part(part, "gone")
        answer = b.tap("pile1") + b.run_for(0.5) + b.tap("pile1") + b.run_for(0.5)
        assert [e["event"] for e in answer.events()] == ["played", "turn", "played", "overload"]
        assert not [o for o in answer if "lights" in o or "display" in o or "tone" in o]
        assert answer.states() == ["holding", "playing", "holding", "overload"]


def test_all_that_failed_while_off_is_told_at_power_on():
    """C-20 C-1 three parts and a pad: silent while off, one fault each at power-on; mended while off: nothing."""
    with Bench(UNIT) as b:
        for part in ("buzzer", "display", "pile2", "strip"):
            assert b.break_part(part, "gone") == []
        assert b.mend("buzzer") == []
        answer = b.power_on()
        assert sorted(e["part"] for e in answer.events("fault")) == ["display", "pile2", "strip"]
        assert answer.states() == ["standby"] and answer.displays() == []


def test_a_part_that_stays_broken_is_told_at_each_power_on():
    """C-20 broken, off, on: the fault is told again."""
    with Bench(UNIT) as b:
        b.power_on()
        b.break_part("buzzer", "gone", 1)
        b.switch("power", "off", 2)
        assert [e["part"] for e in b.switch("power", "on", 3).events("fault")] == ["buzzer"]
