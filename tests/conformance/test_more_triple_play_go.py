"""Triple Play, the button `go`: countdown, time-out, pause, volume, the end of a round (docs/spec/triple-play.md)."""

import pytest
from bench_client import Bench, check_order, plus
from rounds import COUNTERS, ONE_LIT, PILES, all_of, settled, tick_times

UNIT = "triple-play"


# -- the countdown


@pytest.mark.parametrize("turn, ticks, at", [(3, 3, [1, 2]), (5, 5, [1, 2, 3, 4]), (10, 0, []), (6, 1, [5])])
def test_ticks_never_at_the_start(turn, ticks, at):
    """TP-13 one tick for each of the last tick_seconds, none at the start of a countdown or at its end."""
    with Bench(UNIT, settings=settled(turn_seconds=turn, tick_seconds=ticks)) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, turn))
        assert tick_times(b.outputs) == [plus(start, n) for n in at]
        assert b.state == "timeout"


def test_all_that_a_run_out_shows():
    """TP-15 timeout with its number, dark piles, the number flashing; the counters stay."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 9.5))
        end = plus(start, 10)
        assert b.run_until(plus(start, 100)) == [
            {"t": end, "event": "timeout", "draw": 6},
            {"t": end, "state": "timeout"},
            {"t": end, "lights": all_of(PILES, "off")},
            {"t": end, "display": "6", "pattern": "flash"},
            {"t": end, "tone": "timeout", "volume": 3},
        ]


def test_all_that_go_after_a_run_out_shows():
    """TP-15 TP-4 TP-18a beep, turn, full time; held on it neither pauses nor opens the volume."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        t = plus(start, 15)
        assert b.run_until(t) and b.press("go") == [
            {"t": t, "event": "turn", "lit": [1, 2, 3]},
            {"t": t, "state": "playing"},
            {"t": t, "lights": all_of(PILES, "white")},
            {"t": t, "display": "10"},
            {"t": t, "tone": "beep", "volume": 3},
        ]
        answer = b.run_until(plus(t, 7.5)) + b.release("go") + b.run_until(plus(t, 10))
        assert answer.states() == ["timeout"] and answer.event("timeout")["t"] == plus(t, 10)


def test_go_pressed_exactly_at_the_run_out():
    """C-14 TP-15 TP-18a the run-out comes first, so that press of go ends the time-out; all in one moment, in order."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 9.5))
        end = plus(start, 10)
        answer = b.press("go", end)
        assert {o["t"] for o in answer} == {end}
        assert [e["event"] for e in answer.events()] == ["timeout", "turn"]
        assert answer.tones() == ["beep", "timeout"] and answer.displays() == [(end, "10")]
        assert b.state == "playing" and b.lit_piles() == [1, 2, 3]
        check_order(answer)
        assert len([o for o in answer if "lights" in o]) <= 1
        answer = b.release("go", plus(end, 0.2)) + b.run_until(plus(end, 10))
        assert answer.states() == ["timeout"] and answer.event("timeout")["t"] == plus(end, 10)


def test_the_countdown_stands_on_the_display_while_a_pad_is_down():
    """TP-14 TP-13 no second passes and nothing ticks in holding; the next turn shows its full time."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        t = plus(start, 6.5)
        answer = b.press("pile1", t) + b.run_until(plus(t, 1.9))
        assert answer.displays()[-1] == (plus(start, 6), "4") and answer.tones() == ["beep"]
        answer = b.release("pile1") + b.run_until(plus(t, 4))
        assert answer.displays() == [(plus(t, 1.93), "10"), (plus(t, 2.9), "9"), (plus(t, 3.9), "8")]


def test_a_press_exactly_at_a_second():
    """C-14 TP-13 TP-14 at 7 s the tick comes before the pad that is pressed then."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 6.5))
        answer = b.press("pile1", plus(start, 7))
        assert answer.tones() == ["tick", "beep"] and answer.displays() == [(plus(start, 7), "3")]


# -- the pause


def test_all_that_a_pause_shows():
    """TP-16 C-15 paused once the release is certain, with the time at its stamp; the same for going on."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 2.25))
        b.press("go", plus(start, 2.3))
        assert b.release("go", plus(start, 2.4)) == []
        sure = plus(start, 2.43)
        assert b.run_until(plus(start, 60)) == [
            {"t": sure, "state": "paused"},
            {"t": sure, "lights": all_of(PILES, "white fade")},
            {"t": sure, "display": "8", "pattern": "flash"},
            {"t": sure, "tone": "beep", "volume": 3},
        ]
        t = b.now
        assert b.press("go") == [] == b.release("go", plus(t, 0.1))
        sure = plus(t, 0.13)
        assert b.run_until(plus(t, 1)) == [
            {"t": sure, "state": "playing"},
            {"t": sure, "lights": all_of(PILES, "white")},
            {"t": sure, "display": "8"},
            {"t": sure, "tone": "beep", "volume": 3},
            {"t": plus(t, 0.7), "display": "7"},
        ]


def test_the_countdown_runs_on_while_go_is_down():
    """TP-16 seconds are shown while go is down; at its release after 2.9 s the time that is left then stands."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        answer = b.hold("go", 2.9, plus(start, 2.5))
        assert answer.displays()[-3:] == [(plus(start, 4), "6"), (plus(start, 5), "5"), (plus(start, 5.43), "5")]
        assert b.state == "paused" and b.pattern == "flash"


def test_a_second_waits_for_an_unconfirmed_release():
    """TP-16 opened 10 ms before the second: it is never shown, 9 stands; paused at 8.01 s."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 1.5))
        answer = b.release("go", plus(start, 1.99)) + b.run_until(plus(start, 20))
        assert answer.displays() == [(plus(start, 2.02), "9")] and b.pattern == "flash"
        t = b.now
        answer = b.tap("go") + b.run_for(10)
        assert answer.event("timeout")["t"] == plus(t, 8.11)


def test_a_tick_waits_for_an_unconfirmed_release():
    """TP-16 opened 20 ms before the tick: paused, and no tick."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 6.5))
        answer = b.release("go", plus(start, 6.98)) + b.run_until(plus(start, 20))
        assert answer.tones() == ["beep"] and b.display == "4" and b.state == "paused"


def test_a_tick_that_waited_comes_when_the_contact_closes_again():
    """TP-16 C-10a opened at 6.98 s, closed at 7.005 s: no release; the tick of 7 s comes then."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 6.5))
        answer = b.bounce("go", (0, 0.48, 0.505)) + b.run_for(0.1)
        assert answer == [{"t": plus(start, 7.005), "display": "3"},
                          {"t": plus(start, 7.005), "tone": "tick", "volume": 3}]


def test_a_run_out_that_waited_comes_when_the_contact_closes_again():
    """TP-16 C-10a TP-18a opened at 9.99 s, closed at 10.005 s: the time is out, and go is spent."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        answer = b.bounce("go", (0, 0.49, 0.505, 1.5), plus(start, 9.5)) + b.run_until(plus(start, 20))
        assert answer.event("timeout")["t"] == plus(start, 10.005)
        assert answer.states() == ["timeout"]


@pytest.mark.parametrize("opened", [9.97, 9.999999])
def test_go_released_in_the_last_moment(opened):
    """TP-16 C-14 C-10a the release is confirmed at or after the run-out, and beats it: paused on the last second."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 9.5))
        answer = b.release("go", plus(start, opened)) + b.run_until(plus(start, 11))
        assert answer.states() == ["paused"] and not answer.events() and b.display == "1"


def test_go_released_exactly_at_the_run_out():
    """C-14 TP-18a the run-out comes before the edge of that time: the press of go is spent."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 9.5))
        answer = b.release("go", plus(start, 10)) + b.run_until(plus(start, 11))
        assert answer.states() == ["timeout"] and answer.event("timeout")["t"] == plus(start, 10)


def test_no_tick_when_a_countdown_goes_on():
    """TP-13 C-14 paused with exactly 3 s left, which ticked before: the next ticks are those of 2 and of 1 s."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 6.5))
        answer = b.release("go", plus(start, 7)) + b.run_until(plus(start, 20))
        assert answer.tones() == ["tick", "beep"] and (b.display, b.pattern) == ("3", "flash")
        t = b.now
        answer = b.tap("go") + b.run_until(plus(t, 4))
        assert tick_times(answer) == [plus(t, 1.1), plus(t, 2.1)]
        assert answer.event("timeout")["t"] == plus(t, 3.1)


def test_paused_pads_are_refused_for_half_a_second_of_red():
    """TP-16 TP-22 denied; the red ends after 0.5 s and the fade of the pause is seen again."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))
        t = plus(start, 4)
        answer = b.tap("pile2", t) + b.run_for(2)
        assert answer.tones() == ["denied"] and answer.states() == []
        assert answer.looks("pile2") == [(t, "red flash"), (plus(t, 0.5), "white fade")]


def test_a_pad_held_over_the_end_of_a_pause():
    """TP-16 TP-5 pressed in the pause, let go in the game: nothing."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))
        b.press("pile2", plus(start, 4))
        b.tap("go", plus(start, 5))
        answer = b.release("pile2", plus(start, 6)) + b.run_for(0.2)
        assert not answer.events() and b.state == "playing"


# -- the volume


def test_all_that_the_volume_shows():
    """TP-17 C-16 beep, dark piles, the volume; exactly 2 s after the stamp of the release all is back."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.run_until(t)
        three, back = plus(t, 3), plus(t, 5.5)
        assert b.press("go") + b.release("go", plus(t, 3.5)) + b.run_for(60) == [
            {"t": three, "state": "volume"},
            {"t": three, "lights": all_of(PILES, "off")},
            {"t": three, "display": "3"},
            {"t": three, "tone": "beep", "volume": 3},
            {"t": back, "state": "playing"},
            {"t": back, "lights": all_of(PILES, "white")},
            {"t": back, "display": ""},
        ]


@pytest.mark.parametrize("offsets, state", [((0, 2.98), "paused"), ((0, 2.999999), "paused"), ((0, 3.0), "volume")])
def test_a_release_at_the_end_of_the_hold(offsets, state):
    """TP-16 TP-17 C-14 C-10a released before 3 s: a tap; stamped at 3 s: the hold was first."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        answer = b.bounce("go", offsets, plus(start, 2)) + b.run_until(plus(start, 5.5))
        assert answer.states() == [state]


def test_a_volume_hold_that_came_due_in_a_bounce():
    """C-10a C-15 TP-17 open from 2.98 to 3.005 s: the volume opens then, but the countdown stood still at 3 s."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        answer = b.bounce("go", (0, 2.98, 3.005, 4), plus(start, 2)) + b.run_until(plus(start, 20))
        assert answer.when(state="volume") == plus(start, 5.005)
        assert answer.when(state="playing") == plus(start, 8)
        assert answer.event("timeout")["t"] == plus(start, 13)


def test_a_hold_comes_before_a_tick_of_the_same_time():
    """C-14 TP-13 TP-17 the volume opens with exactly 3 s left: no tick then, and none when the game goes on."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        answer = b.hold("go", 3.5, plus(start, 4)) + b.run_until(plus(start, 13))
        assert answer.when(state="volume") == plus(start, 7)
        assert tick_times(answer) == [plus(start, 10.5), plus(start, 11.5)]
        assert answer.event("timeout")["t"] == plus(start, 12.5)


def test_a_step_that_is_held_is_one_step():
    """TP-17 TP-18a a step kept down for 7 s: no round-over, no other step; 2 s after its release the game goes on."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.hold("go", 3.5, plus(start, 3))
        t = plus(start, 7)
        answer = b.press("go", t) + b.release("go", plus(t, 7)) + b.run_until(plus(t, 12))
        assert answer[:2] == [{"t": t, "display": "2"}, {"t": t, "tone": "beep", "volume": 2}]
        assert answer.states() == ["playing"] and answer.when(state="playing") == plus(t, 9)
        assert not answer.events()


def test_each_step_puts_the_end_of_the_volume_off():
    """TP-17 2 s after the *last* release: three steps 1.9 s apart keep the volume open."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.hold("go", 3.5, plus(start, 3))               # released at 6.5
        for at in (8.4, 10.4, 12.4):
            b.tap("go", plus(start, at))
        assert b.state == "volume" and b.display == "0"
        assert b.run_for(10).when(state="playing") == plus(start, 14.5)


def test_go_pressed_exactly_at_the_end_of_the_volume():
    """C-14 TP-17 TP-16 the volume ends first: that press is no step, it pauses."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.hold("go", 3.5, plus(start, 2))               # 5 s are left, the volume ends at 7.5
        answer = b.press("go", plus(start, 7.5))
        assert answer.states() == ["playing"] and answer.tones() == []
        b.release("go", plus(start, 7.7))
        b.run_for(1)
        assert b.state == "paused" and (b.display, b.pattern) == ("5", "flash")
        assert {o["volume"] for o in b.tones} == {3}


def test_every_opening_starts_downwards():
    """TP-17 left while it went up: the next opening goes down again."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.hold("go", 3.5)
        for _ in range(5):
            b.tap("go")
            b.run_for(0.2)
        assert b.display == "2"                         # 2 1 0 1 2
        b.run_for(3)
        b.hold("go", 3.5)
        b.tap("go")
        assert b.display == "1"


def test_silence_is_reported():
    """TP-17 C-16 at volume 0 tones are reported with volume 0."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.hold("go", 3.5)
        for _ in range(3):
            b.tap("go")
            b.run_for(0.2)
        b.run_for(3)
        answer = b.play(1)
        assert [o for o in answer if "tone" in o] == [{"t": plus(b.now, -0.15), "tone": "beep", "volume": 0}]


def test_pads_make_no_output_in_the_volume():
    """TP-17 TP-5 ignored; a pad that is still down when the game goes on has to be let go first."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.hold("go", 3.5, plus(start, 3))
        assert b.tap("pile1", plus(start, 7)) == [] == b.press("pile2", plus(start, 8))
        assert b.run_until(plus(start, 8.4)) == []
        b.run_until(plus(start, 12))
        assert b.state == "playing"
        assert b.release("pile2") + b.run_for(0.2) == []
        assert b.play(2).event("played")["count"] == 1


def test_volume_from_the_pause_leads_back_to_the_pause():
    """TP-17 TP-16 held in paused: volume; then the pause again, the seconds flash, the piles fade."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))
        b.run_until(plus(start, 4))
        shown = (dict(b.lights), b.display, b.pattern)
        answer = b.hold("go", 3.5) + b.run_for(5)
        assert answer.states() == ["volume", "paused"]
        assert (dict(b.lights), b.display, b.pattern) == shown
        t = b.now
        assert (b.tap("go") + b.run_for(10)).event("timeout")["t"] == plus(t, 8)       # 7.9 from the release


# -- the end of a round, and presses that are spent


def test_all_that_the_end_of_a_round_shows():
    """TP-18 TP-2 round-over, blue counters, the dash; letting go does nothing."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("go", t)
        b.run_until(plus(t, 5))
        six = plus(t, 6)
        assert b.run_until(plus(t, 9)) + b.release("go") + b.run_for(1) == [
            {"t": six, "event": "round-over"},
            {"t": six, "state": "ready"},
            {"t": six, "lights": all_of(COUNTERS, "blue flash")},
            {"t": six, "display": "-"},
            {"t": six, "tone": "round-over", "volume": 3},
        ]


@pytest.mark.parametrize("opened, states, back", [
    (5.98, ["volume", "playing"], 7.98), (5.999999, ["volume", "playing"], 7.999999), (6.0, ["volume", "ready"], 6.0)])
def test_a_release_at_the_end_of_the_long_hold(opened, states, back):
    """TP-18 TP-17 C-14 C-10a let go before 6 s: only the volume, until 2 s after it."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        answer = b.hold("go", opened, t) + b.run_until(plus(t, 20))
        assert answer.states() == states and answer.when(state=states[-1]) == plus(t, back)


def test_a_round_end_in_timer_mode():
    """TP-18 TP-13 after a round-over no countdown runs, and the next round begins with its full time."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.hold("go", 6.5, plus(start, 1))
        assert b.run_for(60) == [] and b.state == "ready" and b.display == "-"
        t = b.now
        answer = b.tap("go") + b.run_for(10)
        assert answer.event("round-started")["mode"] == "timer"
        assert answer.displays()[0] == (t, "10") and answer.event("timeout")["t"] == plus(t, 10)


def test_go_pressed_while_a_pad_is_held_is_lost():
    """TP-5 TP-18a pressed in holding and kept down for 8 s: neither pause nor volume, then or later."""
    with Bench(UNIT, settings=settled(turn_seconds=60)) as b:
        start = b.start_round(timer=True)
        b.press("pile1", plus(start, 2))
        b.press("go", plus(start, 2.5))
        b.release("pile1", plus(start, 3))
        answer = b.release("go", plus(start, 10.5)) + b.run_for(1)
        assert answer.states() == ["playing"] and answer.tones() == []


def test_go_is_spent_when_a_lit_pad_is_taken():
    """TP-18a go down in playing, then a lit pad: no pause, no volume and no round-over from that press."""
    with Bench(UNIT, settings=settled(turn_seconds=60)) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 2))
        b.tap("pile1", plus(start, 3))
        answer = b.run_until(plus(start, 9)) + b.release("go") + b.run_for(1)
        assert answer.states() == [] and answer.tones() == []


def test_go_is_not_spent_by_a_refused_pad():
    """TP-18a TP-8 go down in playing, then an unlit pad: refused, and the volume opens at its time."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        t = plus(start, 2)
        b.press("go", t)
        b.tap(f"pile{b.unlit_piles()[0]}", plus(t, 1))
        answer = b.run_until(plus(t, 6))
        assert answer.states() == ["volume", "ready"] and answer.when(state="volume") == plus(t, 3)


def test_the_press_that_ended_an_overload_does_nothing_more():
    """TP-18a TP-11 go held for 7 s from overload: playing, nothing else."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        answer = b.hold("go", 7, plus(b.now, 1)) + b.run_for(1)
        assert answer.states() == ["playing"] and answer.tones() == ["beep"]


def test_go_is_spent_only_for_that_press():
    """TP-18a TP-16 after a spent press the next tap pauses."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 2))
        b.tap("pile1", plus(start, 2.2))
        b.release("go", plus(start, 2.6))
        b.tap("go", plus(start, 3))
        assert b.state == "paused"
