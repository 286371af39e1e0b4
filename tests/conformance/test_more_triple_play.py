"""Triple Play, told to the last output: starting, a turn, the counters and the overload (docs/spec/triple-play.md)."""

import pytest
from bench_client import Bench, plus, run_script, stamp
from rounds import COUNTERS, ONE_LIT, PILES, all_of, settled

UNIT = "triple-play"


# -- starting


@pytest.mark.parametrize("timer", [False, True])
def test_all_that_power_on_shows(timer):
    """TP-1 standby and a dash; no light, no sound, no event, in either mode."""
    with Bench(UNIT) as b:
        assert b.power_on(timer) == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]
        assert b.run_for(100) == []


def test_all_that_the_first_go_shows():
    """TP-2 ready, blue counters, startup; the dash stays, and letting go does nothing."""
    with Bench(UNIT) as b:
        b.power_on()
        assert b.press("go", 1.234567) == [
            {"t": 1.234567, "state": "ready"},
            {"t": 1.234567, "lights": all_of(COUNTERS, "blue flash")},
            {"t": 1.234567, "tone": "startup", "volume": 3},
        ]
        assert b.release("go", 1.5) + b.run_for(1) == []


def test_pads_do_nothing_before_the_round():
    """TP-2 pads are ignored in standby and in ready: no output at all."""
    with Bench(UNIT) as b:
        b.power_on()
        for pile in PILES:
            assert b.tap(pile) == []
        b.tap("go")
        for pile in PILES:
            assert b.tap(pile) == []


@pytest.mark.parametrize("timer, mode, text", [(False, "regular", ""), (True, "timer", "10")])
def test_all_that_the_start_of_a_round_shows(timer, mode, text):
    """TP-3 TP-4 round-started, then the first turn; lights, display and tone; a second later green counters."""
    with Bench(UNIT, settings=settled()) as b:
        b.power_on(timer)
        b.tap("go", 1)
        assert b.press("go", 2) == [
            {"t": 2, "event": "round-started", "mode": mode},
            {"t": 2, "event": "turn", "lit": [1, 2, 3]},
            {"t": 2, "state": "playing"},
            {"t": 2, "lights": all_of(PILES, "white") | all_of(COUNTERS, "green flash")},
            {"t": 2, "display": text},
            {"t": 2, "tone": "round", "volume": 3},
        ]
        assert b.release("go", 2.1) + b.run_until(2.999) == []
        assert {"t": 3, "lights": all_of(COUNTERS, "green")} in b.run_until(3)


def test_a_level_replaces_the_flash():
    """TP-3 TP-9 a counter that turns yellow within the first second stays yellow; the others end their flash."""
    with Bench(UNIT, settings=settled(4)) as b:
        start = b.start_round()
        b.tap("pile1", plus(start, 0.2))
        answer = b.tap("pile1", plus(start, 0.4)) + b.run_until(plus(start, 3))
        assert (plus(start, 0.53), "yellow slow-blink") in answer.looks("counter1")
        assert b.lights["counter1"] == "yellow slow-blink"
        assert answer.looks("counter2") == answer.looks("counter3") == [(plus(start, 1), "green")]


def test_a_warning_replaces_the_flash():
    """TP-3 TP-7 the fade of a hold begins within the flash and is not ended by it."""
    with Bench(UNIT, settings=settled(warn_clear=0.5)) as b:
        start = b.start_round()
        answer = b.press("pile1", plus(start, 0.2)) + b.run_until(plus(start, 3))
        assert answer.looks("counter1") == [(plus(start, 0.7), "white fade"), (plus(start, 2.2), "green")]


# -- a turn


def test_all_that_a_counted_press_shows():
    """TP-5 TP-6 TP-4 C-9 C-15 beep and flash at the edge; played and the next turn once the release is certain."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.run_until(t)
        assert b.press("pile1") == [
            {"t": t, "state": "holding"},
            {"t": t, "lights": {"pile1": "white flash"}},
            {"t": t, "tone": "beep", "volume": 3},
        ]
        assert b.release("pile1", plus(t, 0.1)) == []
        sure, back = plus(t, 0.13), plus(t, 0.25)
        assert b.run_until(plus(t, 5)) == [
            {"t": sure, "event": "played", "pile": 1, "count": 1},
            {"t": sure, "event": "turn", "lit": [1, 2, 3]},
            {"t": sure, "state": "playing"},
            {"t": sure, "lights": all_of(PILES, "off")},
            {"t": back, "lights": all_of(PILES, "white")},
        ]


def test_a_pad_counts_while_its_light_is_dark():
    """TP-4 TP-5 pressed in the 0.15 s between two equal turns: it beeps, flashes and counts."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.tap("pile1", t)                               # dark from 0.1 to 0.25
        answer = b.press("pile1", plus(t, 0.2))
        assert answer.tones() == ["beep"] and b.state == "holding" and b.lights["pile1"] == "white flash"
        answer = b.release("pile1", plus(t, 0.6)) + b.run_for(1)
        assert answer.event("played")["count"] == 2
        assert answer.looks("pile2") == [(plus(t, 0.25), "white"), (plus(t, 0.63), "off"), (plus(t, 0.75), "white")]


def test_a_press_while_another_pad_is_held_is_lost():
    """TP-5 the second pad does nothing until it was let go; then it counts."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("pile1", t)
        assert b.press("pile2", plus(t, 0.1)) == []
        answer = b.release("pile1", plus(t, 0.2)) + b.run_until(plus(t, 5))
        assert [e["event"] for e in answer.events()] == ["played", "turn"] and b.state == "playing"
        assert (b.release("pile2") + b.run_for(0.2)) == []
        assert b.play(2).event("played") == {"t": plus(b.now, -0.02), "event": "played", "pile": 2, "count": 1}


@pytest.mark.parametrize("gap, counts", [(0.029999, False), (0.03, True)])
def test_a_press_before_the_release_is_certain_is_lost(gap, counts):
    """TP-5 C-10 C-14 29.999 ms after the first pad opened the press lasts still; at 30 ms it is over."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("pile1", t)
        b.release("pile1", plus(t, 0.1))
        answer = b.press("pile2", plus(t, 0.1 + gap))
        assert ("beep" in answer.tones()) is counts
        b.release("pile2", plus(t, 0.5))
        b.run_for(0.2)
        assert [e["pile"] for e in b.events_named("played")] == ([1, 2] if counts else [1])


def test_two_pads_in_the_same_microsecond():
    """TP-5 C-14 edges of one time are taken in the order in which they arrived."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        assert b.press("pile3", t).states() == ["holding"] and b.press("pile1", t) == []
        b.release("pile1", plus(t, 0.1))
        b.release("pile3", plus(t, 0.1))
        b.run_for(0.2)
        assert [e["pile"] for e in b.events_named("played")] == [3]


def test_a_refused_pad_that_is_kept_down_until_it_is_lit():
    """TP-5 TP-8 a press counts for the turn in which its edge came: let go in a later turn it is nothing."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        pile = b.unlit_piles()[0]
        assert b.press(f"pile{pile}").event("denied")["pile"] == pile
        b.run_for(0.6)
        for _ in range(4):
            if pile not in b.lit_piles():
                b.play()
                b.run_for(0.2)
        assert b.lights[f"pile{pile}"] == "white"
        assert b.release(f"pile{pile}") + b.run_for(0.5) == []
        assert b.play(pile).event("played") == {"t": plus(b.now, -0.02), "event": "played", "pile": pile, "count": 1}


def test_an_unlit_pad_that_is_held_is_only_refused():
    """TP-8 TP-7 held for 3 s: neither a warning nor a clear, and nothing on release."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        pile, t = b.unlit_piles()[0], b.now
        answer = b.hold(f"pile{pile}", 3) + b.run_for(3)
        assert answer == [
            {"t": t, "event": "denied", "pile": pile},
            {"t": t, "lights": {f"pile{pile}": "red flash"}},
            {"t": t, "tone": "denied", "volume": 3},
            {"t": plus(t, 0.5), "lights": {f"pile{pile}": "off"}},
        ]


def test_a_refusal_does_not_stop_the_countdown():
    """TP-8 refused at 4 s: the run-out comes at 10 s."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round(timer=True)
        b.tap(f"pile{b.unlit_piles()[0]}", plus(start, 4))
        answer = b.run_until(plus(start, 10))
        assert answer.event("timeout")["t"] == plus(start, 10) and not answer.events("turn")


# -- holds


def test_all_that_a_clear_shows():
    """TP-7 TP-4 the warning, then all of the clear at 2 s, with the next turn's blink."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("pile1", t)
        two = plus(t, 2)
        assert b.run_until(plus(t, 4)) == [
            {"t": plus(t, 1), "lights": {"counter1": "white fade"}},
            {"t": two, "event": "cleared", "pile": 1},
            {"t": two, "event": "turn", "lit": [1, 2, 3]},
            {"t": two, "state": "playing"},
            {"t": two, "lights": all_of(PILES, "off") | {"counter1": "green"}},
            {"t": two, "tone": "clear", "volume": 3},
            {"t": plus(t, 2.15), "lights": all_of(PILES, "white")},
        ]


def test_let_go_after_the_warning():
    """TP-7 TP-6 held for 1.5 s: the warning ends with the release, and the press counts."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.run_until(t)
        answer = b.hold("pile1", 1.5) + b.run_for(2)
        assert answer.looks("counter1") == [(plus(t, 1), "white fade"), (plus(t, 1.53), "green")]
        assert answer.event("played")["count"] == 1 and not answer.events("cleared")


@pytest.mark.parametrize("offsets, fade", [((0, 0.99), None), ((0, 0.99, 1.01), 1.01), ((0, 1.0), 1.0)])
def test_a_warning_waits_for_an_unconfirmed_release(offsets, fade):
    """TP-7 C-10a C-14 opened before 1 s: no warning, unless the pad closes again; opened at 1 s: too late."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        answer = b.bounce("pile1", offsets, t) + b.run_until(plus(t, 1.5))
        fades = [at for at, look in answer.looks("counter1") if look == "white fade"]
        assert fades == ([] if fade is None else [plus(t, fade)])


@pytest.mark.parametrize("opened, event", [(1.999999, "played"), (2.0, "cleared"), (1.97, "played")])
def test_a_release_at_the_very_end_of_a_hold(opened, event):
    """C-14 C-10a TP-7 a microsecond before 2 s counts; stamped at 2 s the hold was first."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        answer = b.hold("pile1", opened, plus(start, 3)) + b.run_for(1)
        assert [e["event"] for e in answer.events()] == [event, "turn"]


def test_other_pads_count_at_once_after_a_clear():
    """TP-7 TP-5 the cleared pad is still down; another one counts, and the cleared one still has to be let go."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.press("pile1", t)
        b.run_until(plus(t, 2))
        answer = b.tap("pile2", plus(t, 2.05))
        assert answer.event("played")["pile"] == 2
        b.run_for(1)
        assert b.release("pile1") + b.run_for(1) == []
        assert b.play(1).event("played")["count"] == 1


def test_go_counts_at_once_after_a_clear():
    """TP-7 TP-16 the cleared pad is still down: a tap of go pauses the countdown."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("pile1", plus(start, 1))
        b.tap("go", plus(start, 3.5))
        assert b.state == "paused" and b.display == "10"


def test_a_clear_forgets_the_count():
    """TP-7 TP-9 one press before the overload: cleared, the counter is green and counts from 1 again."""
    with Bench(UNIT, settings=settled(6)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 5)
        assert b.lights["counter1"] == "red fast-blink"
        b.clear(1)
        assert b.lights["counter1"] == "green"
        assert [b.fill(1, 1).event("played")["count"] for _ in range(6)] == [1, 2, 3, 4, 5, 6]
        assert b.state == "overload"


def test_the_length_of_a_hold_is_a_setting():
    """TP-7 hold_to_clear 0.5 and warn_clear 0.25."""
    with Bench(UNIT, settings=settled(hold_to_clear=0.5, warn_clear=0.25)) as b:
        start = b.start_round()
        t = plus(start, 3)
        b.run_until(t)
        answer = b.press("pile2") + b.run_until(plus(t, 1))
        assert answer.looks("counter2") == [(plus(t, 0.25), "white fade"), (plus(t, 0.5), "green")]
        assert answer.event("cleared")["t"] == plus(t, 0.5)


# -- counters and overload


@pytest.mark.parametrize("presses", [2, 3, 5, 9, 20])
def test_counter_colours_at_other_limits(presses):
    """TP-9 levels of the smallest, of odd and of the largest limits, up to the overload."""
    with Bench(UNIT, settings=settled(presses)) as b:
        start = b.start_round()
        b.run_until(plus(start, 1.5))
        assert b.lights["counter3"] == "green"
        for count in range(1, presses):
            b.play(3)
            red = count >= presses - (2 if presses >= 6 else 1)
            wanted = "green" if count < presses // 2 and not red else "red fast-blink" if red else "yellow slow-blink"
            assert b.lights["counter3"] == wanted, f"count {count} of {presses}"
            b.run_for(0.2)
        assert b.play(3).event("overload")["pile"] == 3


def test_all_that_an_overload_shows():
    """TP-10 played, then overload; number, red counter, dark piles; no turn."""
    with Bench(UNIT, settings=settled(2, penalty_odds=[0, 1, 0, 0])) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.play(1)
        b.run_for(1)
        t = b.now
        b.press("pile1")
        b.release("pile1", plus(t, 0.1))
        sure = plus(t, 0.13)
        assert b.run_until(plus(t, 60)) == [
            {"t": sure, "event": "played", "pile": 1, "count": 2},
            {"t": sure, "event": "overload", "pile": 1, "draw": 2},
            {"t": sure, "state": "overload"},
            {"t": sure, "lights": all_of(PILES, "off") | {"counter1": "red flash"}},
            {"t": sure, "display": "2", "pattern": "flash"},
            {"t": sure, "tone": "overload", "volume": 3},
        ]


def test_all_that_the_end_of_an_overload_shows():
    """TP-11 TP-4 beep, green counter, blank display, the next turn; the other piles keep their counts."""
    with Bench(UNIT, settings=settled(4, penalty_odds=[0, 1, 0, 0])) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(2, 2)
        b.fill(1, 4)
        t = plus(b.now, 5)
        assert b.press("go", t) == [
            {"t": t, "event": "turn", "lit": [1, 2, 3]},
            {"t": t, "state": "playing"},
            {"t": t, "lights": all_of(PILES, "white") | {"counter1": "green"}},     # they were dark: no blink
            {"t": t, "display": ""},
            {"t": t, "tone": "beep", "volume": 3},
        ]
        assert b.release("go", plus(t, 0.1)) + b.run_for(1) == []
        assert b.lights["counter2"] == "yellow slow-blink"
        assert b.fill(2, 1).event("played")["count"] == 3
        assert b.fill(1, 1).event("played")["count"] == 1


def test_pads_are_refused_in_overload_for_half_a_second_of_red():
    """TP-11 TP-22 denied and red for 0.5 s, then dark again; a pad that is held there is never cleared."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        t = plus(b.now, 1)
        answer = b.hold("pile2", 3, t) + b.run_for(1)
        assert answer.tones() == ["denied"] and answer.states() == [] and not answer.events("cleared")
        assert answer.looks("pile2") == [(t, "red flash"), (plus(t, 0.5), "off")]


def test_a_pad_held_over_the_end_of_an_overload():
    """TP-11 TP-5 pressed in overload, let go in the next turn: nothing."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        b.press("pile2", plus(b.now, 1))
        b.run_for(1)
        b.tap("go")
        b.run_for(1)
        assert b.release("pile2") + b.run_for(1) == []
        assert b.play(2).event("played")["count"] == 1


def test_a_hold_that_would_be_the_overload():
    """TP-7 TP-10 limit 2, one press laid: held for 2 s the pile is cleared; held for 1.9 s it overloads."""
    for seconds, wanted in ((2.0, ["cleared", "turn"]), (1.9, ["played", "overload"])):
        with Bench(UNIT, settings=settled(2)) as b:
            start = b.start_round()
            b.run_until(plus(start, 2))
            b.play(1)
            b.run_for(1)
            answer = b.hold("pile1", seconds) + b.run_for(1)
            assert [e["event"] for e in answer.events()] == wanted


def test_a_hundred_fast_taps_from_a_script():
    """C-11 TP-6 TP-10 ten a second, 30 ms open between them: each counts once, until pile 1 is full."""
    lines = ['{"t": 0, "switch": "power", "to": "on"}', '{"t": 0.2, "tap": "go"}', '{"t": 0.5, "tap": "go"}']
    for n in range(100):
        pile, closed, opened = n % 3 + 1, stamp(1 + n * 0.1), stamp(1.07 + n * 0.1)
        lines += [f'{{"t": {closed}, "press": "pile{pile}"}}', f'{{"t": {opened}, "release": "pile{pile}"}}']
    result = run_script(UNIT, lines, settings=settled(20, strip_after=500))
    assert result.status == 0
    played = [(e["pile"], e["count"]) for e in result.outputs.events("played")]
    assert played == [(n % 3 + 1, n // 3 + 1) for n in range(58)]       # the 58th is the 20th on pile 1
    assert [e["pile"] for e in result.outputs.events("overload")] == [1]
