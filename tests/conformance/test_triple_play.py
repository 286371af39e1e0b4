"""Triple Play: the rules of docs/spec/triple-play.md, seen from outside."""

import pytest
from bench_client import Bench, plus, soon

UNIT = "triple-play"
ONE_LIT = {"triple_play.lit_odds": [100, 0, 0]}


def limit(n, **more):
    return {"triple_play.overload_presses": [n, n], **{f"triple_play.{k}": v for k, v in more.items()}}


def overload(b, pile=1):
    """Play a pile until it overloads (the limit must be 4)."""
    answer = b.fill(pile, 4)
    assert b.state == "overload"
    return answer.event("overload")


# -- starting


def test_power_on_is_standby():
    """TP-1 power-on: standby, lights dark, display '-'."""
    with Bench(UNIT) as b:
        b.power_on()
        assert b.state == "standby"
        assert b.dark()
        assert b.display == "-"


def test_go_in_standby_makes_ready():
    """TP-2 go in standby: startup tone, counters flash blue, ready; all at the press edge."""
    with Bench(UNIT) as b:
        b.power_on()
        answer = b.press("go", 1.25)
        assert answer.when(tone="startup") == 1.25
        assert answer.when(state="ready") == 1.25
        assert [b.lights[f"counter{n}"] for n in (1, 2, 3)] == ["blue flash"] * 3
        b.release("go", 1.35)
        assert b.display == "-" and b.tap("pile1", 2) == []


@pytest.mark.parametrize("timer, mode", [(False, "regular"), (True, "timer")])
def test_go_in_ready_starts_the_round(timer, mode):
    """TP-3 TP-1 go in ready: round-started with the mode, first turn, tone, playing."""
    with Bench(UNIT) as b:
        b.power_on(timer)
        b.tap("go", 0.5)
        answer = b.press("go", 1.0)
        assert answer.event("round-started")["mode"] == mode
        assert answer.event("turn")["lit"]
        assert answer.when(tone="round") == 1.0
        assert answer.when(state="playing") == 1.0
        assert [b.lights[f"counter{n}"] for n in (1, 2, 3)] == ["green flash"] * 3


def test_counters_flash_for_one_second():
    """TP-3 the green flash of the counters ends after 1.0 s."""
    with Bench(UNIT) as b:
        start = b.start_round()
        assert b.run_until(plus(start, 0.999)).looks("counter1") == []
        answer = b.run_until(plus(start, 1.0))
        for n in (1, 2, 3):
            assert answer.looks(f"counter{n}") == [(plus(start, 1.0), "green")]


def test_pads_count_during_the_flash():
    """TP-3 a pad pressed in the first second of a round counts."""
    with Bench(UNIT) as b:
        start = b.start_round()
        assert b.play().event("played")["count"] == 1
        assert b.now < plus(start, 1.0)


# -- a turn


def test_lights_show_what_the_turn_announced():
    """TP-4 the piles that the turn event names are white, the others are not."""
    with Bench(UNIT) as b:
        b.start_round()
        for _ in range(12):
            b.play()
            b.run_for(0.2)
            if b.state == "overload":
                b.tap("go")
                b.run_for(0.2)
            lit = b.last_event("turn")["lit"]
            assert [b.lights[f"pile{n}"].startswith("white") for n in (1, 2, 3)] == [n in lit for n in (1, 2, 3)]


def test_lit_piles_stay_in_bounds():
    """TP-4 1 to 3 piles; each within any 4 turns; the same set at most twice running (200 turns)."""
    with Bench(UNIT, seed=11, settings=limit(20)) as b:
        b.start_round()
        for n in range(199):
            lit = b.lit_piles()
            b.play(lit[n % len(lit)])
            if b.state == "overload":
                b.tap("go")
        sets = [turn["lit"] for turn in b.events_named("turn")]
    assert len(sets) == 200
    assert all(lit == sorted(set(lit)) and lit and set(lit) <= {1, 2, 3} for lit in map(sorted, sets))
    for four in zip(sets, sets[1:], sets[2:], sets[3:], strict=False):
        assert set().union(*four) == {1, 2, 3}
    assert not any(set(a) == set(b) == set(c) for a, b, c in zip(sets, sets[1:], sets[2:], strict=False))


def test_a_repeated_set_blinks():
    """TP-4 when the set repeats, its lights are dark for 0.15 s, so that everybody sees the new turn."""
    with Bench(UNIT, seed=3, settings=limit(20)) as b:
        b.start_round()
        for _ in range(60):
            before, pressed = b.lit_piles(), b.now
            answer = b.play()
            answer += b.run_for(0.3)
            if b.state == "overload":
                b.tap("go")
                b.run_for(0.3)
                continue
            turn = answer.event("turn")
            if sorted(turn["lit"]) == before:
                for pile in before:                     # dated at the release's stamp (C-15), shown 30 ms later
                    (dark_at, dark), (back_at, back) = [x for x in answer.looks(f"pile{pile}") if x[0] >= turn["t"]]
                    assert (dark, back) == ("off", "white")
                    assert dark_at == turn["t"] and back_at == plus(pressed, 0.25)
                return
        pytest.fail("no set repeated in 60 turns")


def test_lit_pad_answers_at_the_edge():
    """TP-5 C-9 a lit pad: beep and holding at the press edge."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile = b.lit_piles()[0]
        t = b.now
        answer = b.press(f"pile{pile}")
        assert answer.when(tone="beep") == t
        assert answer.when(state="holding") == t
        assert b.lights[f"pile{pile}"] == "white flash"


def test_other_inputs_are_ignored_while_a_pad_is_held():
    """TP-5 while a lit pad is down, other pads and go do nothing."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile = b.lit_piles()[0]
        b.press(f"pile{pile}")
        for other in [f"pile{n}" for n in (1, 2, 3) if n != pile] + ["go"]:
            answer = b.press(other)
            b.run_for(0.1)
            answer += b.release(other)
            answer += b.run_for(0.1)
            assert answer == []
        assert b.release(f"pile{pile}") + b.run_for(0.1) != []
        assert [e["pile"] for e in b.events_named("played")] == [pile]


def test_release_counts_the_press():
    """TP-6 released early: the count goes up by 1, played names pile and count, the next turn follows."""
    with Bench(UNIT, settings=limit(8)) as b:
        b.start_round()
        for count in (1, 2, 3):
            b.bring(1)
            pressed = b.now
            answer = b.play(1)
            played = answer.event("played")
            assert (played["pile"], played["count"]) == (1, count)
            assert soon(played["t"], plus(pressed, 0.1))
            assert answer.event("turn")["t"] >= played["t"]
            assert b.state == "playing"


def test_hold_warns_then_clears():
    """TP-7 after 1 s the counter fades white, after 2 s the pile is cleared and the next turn begins."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile = b.lit_piles()[0]
        t = b.now
        answer = b.press(f"pile{pile}") + b.run_until(plus(t, 2.5))
        assert answer.looks(f"counter{pile}")[0] == (plus(t, 1.0), "white fade")
        assert answer.looks(f"counter{pile}")[1] == (plus(t, 2.0), "green")
        assert answer.event("cleared") == {"t": plus(t, 2.0), "event": "cleared", "pile": pile}
        assert answer.when(tone="clear") == plus(t, 2.0)
        assert answer.event("turn")["t"] == plus(t, 2.0)
        assert answer.events("played") == []


def test_release_after_a_clear_does_nothing():
    """TP-7 the release that follows a clear brings no count and no turn."""
    with Bench(UNIT) as b:
        b.start_round()
        pile = b.lit_piles()[0]
        b.press(f"pile{pile}")
        b.run_for(2.5)
        answer = b.release(f"pile{pile}") + b.run_for(1)
        assert answer.events() == [] and answer.tones() == []


def test_hold_on_a_full_pile_never_overloads():
    """TP-7 TP-10 one press before the limit, a hold clears; the next press counts 1."""
    with Bench(UNIT, settings=limit(4)) as b:
        b.start_round()
        b.fill(1, 3)
        b.bring(1)
        answer = b.clear(1)
        assert answer.events("cleared") and not answer.events("overload")
        assert b.fill(1, 1).event("played")["count"] == 1


def test_unlit_pad_is_refused():
    """TP-8 an unlit pad: denied, red flash for 0.5 s, nothing else."""
    with Bench(UNIT, settings=ONE_LIT) as b:
        b.start_round()
        b.run_for(2)
        lit, pile = b.lit_piles(), b.unlit_piles()[0]
        t = b.now
        answer = b.tap(f"pile{pile}") + b.run_for(2)
        assert answer.event("denied") == {"t": t, "event": "denied", "pile": pile}
        assert answer.when(tone="denied") == t
        assert answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(t, 0.5), "off")]
        assert answer.events() == answer.events("denied") and answer.states() == []
        assert b.lit_piles() == lit


@pytest.mark.parametrize("presses", [4, 5, 6, 7, 8])
def test_counter_colours(presses):
    """TP-9 C-18 green, slow yellow, fast red: each level has a pattern of its own."""
    with Bench(UNIT, settings=limit(presses)) as b:
        b.start_round()
        b.run_for(1.5)
        assert b.lights["counter1"] == "green"
        for count in range(1, presses):
            b.fill(1, 1)
            b.run_for(0.2)
            red = count >= presses - (2 if presses >= 6 else 1)
            green = count < presses // 2
            wanted = "red fast-blink" if red else "green" if green else "yellow slow-blink"
            assert b.lights["counter1"] == wanted, f"count {count} of {presses}"


# -- overload


@pytest.mark.parametrize("presses", [4, 6, 8])
def test_the_press_that_reaches_the_limit_overloads(presses):
    """TP-10 press number L overloads the pile: tone, event, number, red counter, piles dark."""
    with Bench(UNIT, settings=limit(presses)) as b:
        b.start_round()
        b.fill(1, presses - 1)
        assert not b.events_named("overload")
        answer = b.fill(1, 1)
        event = answer.event("overload")
        assert event["pile"] == 1 and event["draw"] in (1, 2, 3, 4)
        assert answer.event("played")["count"] == presses
        assert "overload" in answer.tones()
        assert (b.display, b.pattern) == (str(event["draw"]), "flash")
        assert b.lights["counter1"] == "red flash"
        assert b.lit_piles() == [] and b.state == "overload"
        assert answer.events("turn") == []


def test_pads_are_ignored_in_overload():
    """TP-11 in overload pads only say denied."""
    with Bench(UNIT, settings=limit(4)) as b:
        b.start_round()
        overload(b)
        for pile in (1, 2, 3):
            answer = b.tap(f"pile{pile}") + b.run_for(1)
            assert answer.tones() == ["denied"]
            assert b.state == "overload" and not answer.events("played")


def test_go_ends_an_overload():
    """TP-11 go: count 0, counter green, display blank, next turn, at the press edge."""
    with Bench(UNIT, settings=limit(4)) as b:
        b.start_round()
        overload(b)
        b.run_for(3)
        t = b.now
        answer = b.press("go")
        assert answer.when(state="playing") == t
        assert answer.event("turn")["t"] == t
        assert b.lights["counter1"] == "green" and b.display == ""
        b.release("go", plus(t, 0.1))
        b.run_for(0.2)
        assert b.fill(1, 1).event("played")["count"] == 1


def test_overload_stops_the_countdown():
    """TP-12 no time runs in overload; the next turn has its full time."""
    with Bench(UNIT, settings=limit(4)) as b:
        b.start_round(timer=True)
        overload(b)
        assert b.run_for(60).events("timeout") == []
        t = b.now
        answer = b.tap("go") + b.run_until(plus(t, 10.5))
        assert answer.displays()[0] == (t, "10")
        assert answer.event("timeout")["t"] == plus(t, 10)


# -- timer mode


def test_countdown_is_shown_and_ticks():
    """TP-13 10 to 1, rounded up; ticks when 3, 2 and 1 s are left."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 9.9))
        shown = [(t, text) for t, text in b.outputs.displays() if t >= start]
        assert shown == [(plus(start, n), str(10 - n)) for n in range(10)]
        assert [o["t"] for o in b.tones if o["tone"] == "tick"] == [plus(start, n) for n in (7, 8, 9)]


def test_no_countdown_in_regular_mode():
    """TP-1 TP-13 timer off: no time, no ticks."""
    with Bench(UNIT) as b:
        b.start_round()
        answer = b.run_for(60)
        assert answer.tones() == [] and answer.events() == [] and answer.displays() == []


def test_each_turn_has_its_full_time():
    """TP-13 the countdown starts again with every turn."""
    with Bench(UNIT, settings=limit(8)) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 8))
        t = b.now
        b.play()
        assert b.display == "10"
        answer = b.run_until(plus(t, 11))
        assert soon(answer.event("timeout")["t"], plus(t, 10.1))


def test_countdown_stands_still_while_a_lit_pad_is_down():
    """TP-14 pressed in time counts, however late the release comes."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 9.5))
        pile = b.lit_piles()[0]
        answer = b.press(f"pile{pile}") + b.run_for(1.5) + b.release(f"pile{pile}") + b.run_for(0.1)
        assert answer.events("timeout") == []
        assert answer.event("played")["pile"] == pile


def test_a_press_exactly_at_the_end_is_too_late():
    """TP-14 C-14 the deadline comes before a press with the same stamp."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 9.5))
        pile = b.lit_piles()[0]
        answer = b.press(f"pile{pile}", plus(start, 10))
        assert answer.event("timeout")["t"] == plus(start, 10)
        assert answer.tones() == ["denied", "timeout"]  # of one moment: the stronger one sounds last
        b.release(f"pile{pile}", plus(start, 10.1))
        b.run_for(0.5)
        assert not b.events_named("played") and b.state == "timeout"


def test_timeout():
    """TP-15 run out: tone, event, 6 flashing, piles dark, pads refused."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        answer = b.run_until(plus(start, 10))
        assert answer.event("timeout") == {"t": plus(start, 10), "event": "timeout", "draw": 6}
        assert answer.when(tone="timeout") == plus(start, 10)
        assert (b.display, b.pattern) == ("6", "flash")
        assert b.state == "timeout" and b.lit_piles() == []
        assert b.tap("pile1").tones() == ["denied"]
        assert b.state == "timeout"


def test_go_after_a_timeout():
    """TP-15 go: next turn at full time, counts unchanged, and that tap does not pause."""
    with Bench(UNIT, settings=limit(8)) as b:
        b.start_round(timer=True)
        b.fill(1, 2)
        b.run_for(15)
        assert b.state == "timeout"
        t = b.now
        answer = b.tap("go") + b.run_for(0.5)
        assert answer.event("turn")["t"] == t
        assert answer.displays()[0] == (t, "10")
        assert b.state == "playing"
        assert b.fill(1, 1).event("played")["count"] == 3


def test_tap_of_go_pauses_and_goes_on():
    """TP-16 a tap pauses, pads are refused, a second tap goes on with the time that was left."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 2.3))
        b.tap("go")
        assert b.state == "paused"
        assert (b.display, b.pattern) == ("8", "flash")
        lit = b.last_event("turn")["lit"]
        assert all(b.lights[f"pile{n}"] == "white fade" for n in lit)
        pile = lit[0]
        answer = b.tap(f"pile{pile}") + b.run_for(30)
        assert answer.tones() == ["denied"] and not answer.events("played") and b.state == "paused"
        t = b.now
        answer = b.tap("go")
        assert answer.tones() == ["beep"] and not answer.events("turn")
        assert all(b.lights[f"pile{n}"] == "white" for n in lit)
        answer += b.run_for(12)
        assert answer.states()[0] == "playing"
        assert answer.event("timeout")["t"] == plus(t, 7.7)     # both taps count by the stamps of their releases


def test_tap_of_go_in_regular_mode_does_nothing():
    """TP-16 regular mode: a tap of go in playing changes nothing."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        assert b.tap("go") + b.run_for(2) == []


# -- volume and round end


def test_hold_of_go_opens_the_volume():
    """TP-17 C-16 go held 3 s: state volume, the display shows 3 (default)."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        t = b.now
        answer = b.press("go") + b.run_until(plus(t, 3.5))
        assert answer.when(state="volume") == plus(t, 3) and answer.when(tone="beep") == plus(t, 3)
        assert b.display == "3" and all(b.lights[f"pile{n}"] == "off" for n in (1, 2, 3))


def test_each_press_moves_the_volume():
    """TP-17 starts downwards; each step beeps at the new volume and shows it."""
    with Bench(UNIT) as b:
        b.start_round()
        b.hold("go", 3.5)
        for volume in (2, 1, 0):
            t = b.now
            answer = b.tap("go")
            tone = [o for o in answer if "tone" in o]
            assert tone == [{"t": t, "tone": "beep", "volume": volume}]
            assert b.display == str(volume)
            b.run_for(0.3)


def test_volume_ends_by_itself():
    """TP-17 2 s after the last release the game goes on where it was."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(1.5)
        lit, lights, display = b.lit_piles(), dict(b.lights), b.display
        b.hold("go", 3.5)
        released = plus(b.now, -0.1)
        answer = b.run_for(3)
        assert soon(answer.when(state="playing"), plus(released, 2))
        assert b.lit_piles() == lit and b.lights == lights and b.display == display
        assert b.play().events("played")


def test_pads_are_ignored_in_volume():
    """TP-17 pads do not count while the volume is set."""
    with Bench(UNIT) as b:
        b.start_round()
        pile = b.lit_piles()[0]
        b.hold("go", 3.5)
        answer = b.tap(f"pile{pile}")
        assert answer.events("played") == [] and answer.events("denied") == []


def test_long_hold_of_go_ends_the_round():
    """TP-18 go held 6 s from playing: round-over, ready; only a new press starts a new round, with counts 0."""
    with Bench(UNIT, settings=limit(8)) as b:
        b.start_round()
        b.fill(1, 2)
        t = b.now
        answer = b.press("go") + b.run_until(plus(t, 7))
        assert answer.event("round-over")["t"] == plus(t, 6)
        assert answer.when(tone="round-over") == plus(t, 6)
        assert answer.states() == ["volume", "ready"]
        b.release("go")
        b.run_for(1)
        assert b.state == "ready"
        b.tap("go")
        assert b.state == "playing" and len(b.events_named("round-started")) == 2
        assert b.fill(1, 1).event("played")["count"] == 1


# -- sleep, reminder, stuck pads


def test_sleep_and_wake_in_regular_mode():
    """TP-19 C-6 C-7 asleep after 120 s, awake as before."""
    with Bench(UNIT) as b:
        start = b.start_round()
        b.run_until(plus(start, 5))
        before = (dict(b.lights), b.display, b.pattern, b.state)
        answer = b.run_until(plus(start, 125))
        assert soon(answer.event("asleep")["t"], plus(start, 120.1))
        assert b.state == "asleep" and b.dark() and b.display == ""
        answer = b.tap("go")
        assert answer.events("awake")
        assert (dict(b.lights), b.display, b.pattern, b.state) == before


def test_no_sleep_while_a_countdown_runs():
    """TP-19 C-6 a running countdown keeps the unit awake."""
    with Bench(UNIT, settings={"triple_play.turn_seconds": 200}) as b:
        start = b.start_round(timer=True)
        assert b.run_until(plus(start, 199)).events("asleep") == []
        assert b.state == "playing"


def test_full_pile_is_reminded():
    """TP-20 after strip_after presses on one pile: event, tone, counter purple flash for 3 s; it counts anew."""
    with Bench(UNIT, settings=limit(20, strip_after=3)) as b:
        b.start_round()
        for n in (1, 2):
            assert not b.fill(1, 2).events("pile-full")
            answer = b.fill(1, 1)
            full = answer.event("pile-full")
            assert full["pile"] == 1 and "reminder" in answer.tones()
            assert b.lights["counter1"] == "purple flash"
            answer = b.run_until(plus(full["t"], 3.5))
            back = [t for t, look in answer.looks("counter1") if look == "green"]
            assert soon(back[0], plus(full["t"], 2.9), 0.2)
            assert b.state == "playing"
            assert len([e for e in b.events_named("pile-full") if e["pile"] == 1]) == n


def test_a_stuck_pad_is_never_lit():
    """TP-21 C-13 held for more than 10 s: stuck, never lit, the game goes on; healed on release."""
    with Bench(UNIT, settings=limit(20)) as b:
        b.start_round()
        pile = b.lit_piles()[0]
        t = b.now
        answer = b.press(f"pile{pile}") + b.run_until(plus(t, 11))
        fault = answer.event("fault")
        assert (fault["part"], fault["reason"]) == (f"pile{pile}", "stuck")
        assert soon(fault["t"], plus(t, 10))
        for _ in range(15):
            assert b.lit_piles() and pile not in b.lit_piles()
            b.play()
            b.run_for(0.2)
        answer = b.release(f"pile{pile}") + b.run_for(0.1)
        assert answer.event("healed")["part"] == f"pile{pile}"
        assert not answer.events("played")
        b.run_for(0.2)
        for _ in range(4):
            b.play(next(p for p in b.lit_piles()))
        assert any(pile in turn["lit"] for turn in b.events_named("turn")[-4:])


def test_all_pads_stuck():
    """TP-21 all pads stuck: display E, event fault part pads; one released: the game goes on."""
    with Bench(UNIT, settings=limit(20)) as b:
        b.start_round()
        b.run_for(2)
        for pile in (1, 2, 3):                          # lean on one pad after the other
            b.press(f"pile{pile}")
            b.run_for(3)
        b.run_for(12)
        assert len([e for e in b.events_named("fault") if e["part"] == "pads"]) == 1
        assert b.display == "E" and b.lit_piles() == []
        answer = b.release("pile2") + b.run_for(0.3)
        assert "pile2" in [e["part"] for e in answer.events("healed")] and b.display != "E"
        assert b.lit_piles() == [2] and b.play(2).event("played")["pile"] == 2


# -- rules that need a case of their own


def test_sets_that_the_odds_do_not_allow():
    """TP-4 odds with one set only: the bound against repeats yields."""
    with Bench(UNIT, settings=limit(20, lit_odds=[0, 0, 100])) as b:
        b.start_round()
        for _ in range(6):
            b.play()
            b.run_for(0.3)
        assert [turn["lit"] for turn in b.events_named("turn")] == [[1, 2, 3]] * 7


def test_a_pad_that_is_down_when_its_pile_becomes_lit():
    """TP-5 TP-7 a pad still down after a clear must be released before it counts again."""
    with Bench(UNIT, settings=limit(20, lit_odds=[0, 0, 100])) as b:
        b.start_round()
        b.run_for(1)
        answer = b.press("pile1") + b.run_for(5)
        assert answer.event("cleared") and b.state == "playing" and not answer.events("played")
        assert not (b.release("pile1") + b.run_for(0.1)).events()
        assert b.play(1).event("played")["count"] == 1


def test_a_release_is_dated_at_its_stamp():
    """TP-13 C-15 the countdown of the next turn starts when the pad opened, not when that was certain."""
    with Bench(UNIT, settings=limit(20)) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 2))
        t, pile = b.now, b.lit_piles()[0]
        b.press(f"pile{pile}")
        b.release(f"pile{pile}", plus(t, 0.2))
        assert b.run_until(plus(t, 10.5)).event("timeout")["t"] == plus(t, 10.2)


def test_a_release_just_before_the_end_pauses():
    """TP-16 C-10a go opened before the run-out: paused, although that is certain only after it."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 9.5))
        b.release("go", plus(start, 9.99))
        answer = b.run_until(plus(start, 12))
        assert not answer.events("timeout") and b.state == "paused" and b.display == "1"


def test_go_that_is_down_at_the_end_is_spent():
    """TP-18a TP-15 go pressed before the run-out and let go after it ends nothing; a new press does."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.press("go", plus(start, 9.5))
        b.release("go", plus(start, 10.5))
        b.run_until(plus(start, 15))
        assert b.state == "timeout"
        b.tap("go")
        assert b.state == "playing"


def test_the_press_that_began_the_round_does_nothing_more():
    """TP-18a go held for 7 s from ready: neither volume nor round-over."""
    with Bench(UNIT) as b:
        b.power_on()
        b.tap("go", 1)
        answer = b.hold("go", 7, 2) + b.run_for(1)
        assert answer.states() == ["playing"] and not answer.events("round-over")


def test_a_run_out_comes_before_a_hold():
    """C-14 TP-17 go pressed exactly 3 s before the end: the run-out comes first, no volume."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        answer = b.press("go", plus(start, 7)) + b.run_until(plus(start, 12))
        assert answer.states() == ["timeout"]


def test_volume_goes_down_then_up():
    """TP-17 C-16 down to 0, then up to 5, then down again."""
    with Bench(UNIT) as b:
        b.start_round()
        b.hold("go", 3.5)
        for volume in (2, 1, 0, 1, 2, 3, 4, 5, 4):
            b.tap("go")
            assert b.display == str(volume)
            b.run_for(0.3)


def test_opening_the_volume_at_silence():
    """TP-17 the volume is 0: the first step of a new opening is 1."""
    with Bench(UNIT) as b:
        b.start_round()
        b.hold("go", 3.5)
        for _ in range(3):
            b.tap("go")
            b.run_for(0.3)
        assert b.display == "0"
        b.run_for(3)
        b.hold("go", 3.5)
        assert b.display == "0" and b.state == "volume"
        b.tap("go")
        assert b.display == "1"


def test_volume_keeps_the_time_that_was_left():
    """TP-17 TP-14 the countdown stands still in volume and goes on where it was."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        answer = b.press("go", plus(start, 2)) + b.release("go", plus(start, 5.5)) + b.run_until(plus(start, 13))
        assert answer.when(state="playing") == plus(start, 7.5) and not answer.events("turn")
        assert answer.event("timeout")["t"] == plus(start, 12.5)


def test_round_over_from_the_pause():
    """TP-18 go held for 6 s in paused: round-over, ready, looks as after the first go."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))
        t = plus(start, 4)
        answer = b.press("go", t) + b.run_until(plus(t, 7))
        assert answer.event("round-over")["t"] == plus(t, 6) and b.state == "ready" and b.display == "-"
        assert [b.lights[f"counter{n}"] for n in (1, 2, 3)] == ["blue flash"] * 3
        assert b.release("go") + b.run_for(1) == []


def test_an_overload_ends_the_reminder():
    """TP-20 TP-10 the press that brings reminder and overload: both told, the counter shows the overload."""
    with Bench(UNIT, settings=limit(4, strip_after=4)) as b:
        b.start_round()
        b.run_for(1.5)
        answer = b.fill(1, 4)
        assert answer.event("pile-full") and answer.event("overload")
        assert [x for x in answer.tones() if x != "beep"] == ["reminder", "overload"]
        assert b.lights["counter1"] == "red flash"
        b.tap("go")
        assert b.lights["counter1"] == "green"


def test_a_lit_pad_that_breaks():
    """TP-21 C-20 the only lit pad breaks: dark, a new set (event turn), the countdown goes on."""
    with Bench(UNIT, settings=limit(20, lit_odds=[100, 0, 0])) as b:
        start = b.start_round(timer=True)
        pile = b.lit_piles()[0]
        answer = b.break_part(f"pile{pile}", "cable", plus(start, 4))
        assert answer.event("fault")["part"] == f"pile{pile}"
        assert pile not in answer.event("turn")["lit"] and b.lights[f"pile{pile}"] == "off"
        assert b.run_until(plus(start, 10)).event("timeout")["t"] == plus(start, 10)


def test_a_pad_that_breaks_while_held():
    """C-20 the press is not counted, the game goes on."""
    with Bench(UNIT, settings=limit(20)) as b:
        b.start_round()
        b.run_for(1)
        pile = b.lit_piles()[0]
        b.press(f"pile{pile}")
        b.run_for(0.5)
        answer = b.break_part(f"pile{pile}", "cable") + b.run_for(0.1) + b.release(f"pile{pile}") + b.run_for(0.2)
        assert not answer.events("played") and b.state == "playing" and pile not in b.lit_piles()
        assert b.play().events("played")


def test_the_countdown_stops_without_pads():
    """TP-21 timer mode, all pads stuck: no countdown; the first one released brings the next turn at full time."""
    with Bench(UNIT, settings=limit(20, lit_odds=[0, 0, 100])) as b:
        start = b.start_round(timer=True)
        for n in (1, 2, 3):
            b.press(f"pile{n}", plus(start, 1 + n / 10))
        answer = b.run_until(plus(start, 11.5))
        assert [(e["t"], e["reason"]) for e in answer.events("fault") if e["part"] == "pads"] == [
            (plus(start, 11.3), "stuck")]
        assert b.display == "E" and b.lit_piles() == [] and not b.run_for(60).events("timeout")
        t = b.now
        answer = b.release("pile3") + b.run_for(0.1)
        assert {e["part"] for e in answer.events("healed")} == {"pile3", "pads"}
        assert answer.event("turn")["lit"] == [3] and b.display == "10"
        assert b.run_for(11).event("timeout")["t"] == plus(t, 10)


def test_volume_with_a_stuck_go_sleeps():
    """TP-19 C-6 a go press in volume that is never released: asleep after 120 s."""
    with Bench(UNIT) as b:
        b.start_round()
        b.hold("go", 3.5)
        t = b.now
        b.press("go")
        assert b.run_for(119).events("asleep") == [] and b.state == "volume"
        assert b.run_for(2).event("asleep")["t"] == plus(t, 120)


def test_the_flash_of_a_refusal_ends_with_the_turn():
    """TP-22 the red flash ends with the next turn, if that comes before its 0.5 s are over."""
    with Bench(UNIT, settings=limit(20, lit_odds=[100, 0, 0])) as b:
        b.start_round()
        b.run_for(2)
        pile = b.unlit_piles()[0]
        b.tap(f"pile{pile}")
        assert b.lights[f"pile{pile}"] == "red flash"
        b.play()
        assert b.lights[f"pile{pile}"] != "red flash"


def test_the_flash_of_a_refusal_starts_anew():
    """TP-22 refused again after 0.3 s: red until 0.5 s after that."""
    with Bench(UNIT, settings=limit(20, lit_odds=[100, 0, 0])) as b:
        b.start_round()
        b.run_for(2)
        pile, t = b.unlit_piles()[0], b.now
        answer = b.tap(f"pile{pile}") + b.tap(f"pile{pile}", plus(t, 0.3)) + b.run_for(2)
        assert answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(t, 0.8), "off")]


def test_a_tap_of_one_millisecond_is_dated_at_its_stamp():
    """C-10 TP-16 C-15 a release within the first 30 ms has its own stamp: 7.999 s are left, and go on."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        for at in (2, 5):
            b.bounce("go", (0, 0.001), plus(start, at))
        answer = b.run_until(plus(start, 14))
        assert answer.event("timeout")["t"] == plus(start, 13)


def test_a_hold_that_came_due_in_a_bounce():
    """C-10a C-15 open from 1.995 to 2.010 s: cleared when it closes; the next countdown is dated at 2 s."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        pile, t = b.lit_piles()[0], plus(start, 2)
        answer = b.bounce(f"pile{pile}", (0, 1.995, 2.01, 3), t) + b.run_until(plus(t, 12.5))
        assert answer.event("cleared")["t"] == plus(t, 2.01) and not answer.events("played")
        assert answer.event("timeout")["t"] == plus(t, 12)
