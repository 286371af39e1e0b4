"""Triple Play: reminders, pads that are stuck or broken, and the red flash of a refusal (docs/spec/triple-play.md)."""

import pytest
from bench_client import Bench, plus
from rounds import COUNTERS, ONE_LIT, PILES, all_of, settled

UNIT = "triple-play"


# -- the reminder


def test_a_reminder_flashes_for_three_seconds():
    """TP-20 C-15 purple from the press that brings it, until 3 s after its stamp; that press counts as any other."""
    with Bench(UNIT, settings=settled(strip_after=2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.play(1)
        t = plus(start, 4)
        answer = b.tap("pile1", t) + b.run_until(plus(t, 10))
        assert sorted(e["event"] for e in answer.events()) == ["pile-full", "played", "turn"]
        assert answer.event("pile-full") == {"t": plus(t, 0.13), "event": "pile-full", "pile": 1}
        assert answer.tones() == ["beep", "reminder"] and b.state == "playing"
        assert answer.looks("counter1") == [(plus(t, 0.13), "purple flash"), (plus(t, 3.1), "green")]


def test_a_reminder_stays_over_a_press_that_changes_no_colour():
    """TP-20 another press, still green: purple until its 3 s are over."""
    with Bench(UNIT, settings=settled(strip_after=2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.play(1)
        t = plus(start, 4)
        answer = b.tap("pile1", t) + b.tap("pile1", plus(t, 1)) + b.run_until(plus(t, 10))
        assert answer.looks("counter1") == [(plus(t, 0.13), "purple flash"), (plus(t, 3.1), "green")]


def test_a_new_colour_ends_a_reminder():
    """TP-20 TP-9 limit 8: after three presses purple, with the fourth yellow, and nothing more."""
    with Bench(UNIT, settings=settled(8, strip_after=3)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        t = plus(start, 4)
        answer = b.tap("pile1", t) + b.tap("pile1", plus(t, 1)) + b.run_until(plus(t, 10))
        assert answer.looks("counter1") == [(plus(t, 0.13), "purple flash"), (plus(t, 1.13), "yellow slow-blink")]


def test_the_end_of_the_round_ends_a_reminder():
    """TP-20 TP-18 purple, then round-over within the 3 s: all counters blue, and they stay blue."""
    settings = settled(strip_after=1, hold_for_volume=0.5, hold_for_new_round=1)
    with Bench(UNIT, settings=settings) as b:
        start = b.start_round()
        b.tap("pile1", plus(start, 2))
        assert b.lights["counter1"] == "purple flash"
        answer = b.hold("go", 1.2, plus(start, 2.5)) + b.run_for(10)
        assert b.state == "ready" and answer.looks("counter1") == [(plus(start, 3.5), "blue flash")]


def test_cleared_presses_count_for_the_reminder():
    """TP-20 TP-7 one press and one clear: pile-full; of one moment `clear` sounds last."""
    with Bench(UNIT, settings=settled(strip_after=2)) as b:
        start = b.start_round()
        b.tap("pile2", plus(start, 2))
        t = plus(start, 3)
        b.press("pile2", t)
        answer = b.run_until(plus(t, 2.1))
        assert answer.event("pile-full") == {"t": plus(t, 2), "event": "pile-full", "pile": 2}
        assert answer.tones() == ["reminder", "clear"]


def test_refused_presses_do_not_count_for_the_reminder():
    """TP-20 TP-8 five refusals on a pile, then two presses: no pile-full before the third."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT, strip_after=3)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        pile = b.unlit_piles()[0]
        for _ in range(5):
            b.tap(f"pile{pile}")
            b.run_for(0.6)
        for wanted in (False, False, True):
            for _ in range(4):
                if pile not in b.lit_piles():
                    b.play()
                    b.run_for(0.2)
            assert (pile in [e["pile"] for e in b.play(pile).events("pile-full")]) is wanted
            b.run_for(0.2)


def test_each_round_counts_anew_for_the_reminder():
    """TP-20 two presses, a new round, two presses: none; the third one reminds."""
    with Bench(UNIT, settings=settled(strip_after=3)) as b:
        b.start_round()
        b.run_for(1)
        b.fill(1, 2)
        b.hold("go", 6.5)
        b.tap("go")
        b.run_for(2)
        assert not b.fill(1, 2).events("pile-full") and not b.count("pile-full")
        assert b.fill(1, 1).event("pile-full")["pile"] == 1


# -- stuck and broken pads


@pytest.mark.parametrize("state", ["standby", "ready", "playing", "paused"])
def test_a_pad_is_stuck_in_every_state(state):
    """C-13 TP-21 held for 10 s: fault at exactly 10 s, wherever the game is; healed when the release is certain."""
    with Bench(UNIT, settings=settled(turn_seconds=100)) as b:
        b.power_on(timer=True)
        if state != "standby":
            b.tap("go", 1)
        if state in ("playing", "paused"):
            b.tap("go", 2)
        if state == "paused":
            b.tap("go", 3)
        assert b.state == state
        answer = b.press("pile2", 5) + b.run_until(20)
        assert answer.event("fault") == {"t": 15, "event": "fault", "part": "pile2", "reason": "stuck"}
        assert b.state == state
        assert b.release("pile2", 21).events() == [] and b.run_until(22).events() == [
            {"t": 21.03, "event": "healed", "part": "pile2"}]


def test_a_stuck_lit_pad_goes_dark_and_the_turn_goes_on():
    """TP-21 C-13 pile 1 kept down after its clear: at 10 s dark and faulty; the two others stay lit, no new turn."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        t = plus(start, 2)
        b.press("pile1", t)
        b.run_until(plus(t, 5))
        assert b.run_until(plus(t, 12)) == [
            {"t": plus(t, 10), "event": "fault", "part": "pile1", "reason": "stuck"},
            {"t": plus(t, 10), "lights": {"pile1": "off"}},
        ]
        answer = b.play(2)
        assert answer.event("turn")["lit"] == [2, 3]


def test_a_broken_lit_pad_goes_dark_and_the_turn_goes_on():
    """TP-21 C-20 one of three lit pads breaks: dark, no turn; pressed it does nothing at all; mended it is back."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 3.5))
        t = b.now
        answer = b.break_part("pile3", "cable")
        fault = answer.event("fault")
        assert (fault["t"], fault["part"]) == (t, "pile3") and answer.looks("pile3") == [(t, "off")]
        assert not answer.events("turn") and b.lit_piles() == [1, 2]
        assert b.tap("pile3") == []
        assert b.mend("pile3").events() == [{"t": b.now, "event": "healed", "part": "pile3"}]
        assert b.play(1).event("turn")["lit"] == [1, 2, 3]


def test_the_countdown_goes_on_when_a_held_pad_breaks():
    """C-20 TP-14 TP-21 pressed with 6 s left, broken a second later: not counted, and the 6 s go on."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.press("pile1", plus(start, 4))
        answer = b.break_part("pile1", "cable", plus(start, 5)) + b.run_until(plus(start, 11))
        assert answer.states() == ["playing", "timeout"] and not answer.events("played")
        assert answer.when(state="playing") == plus(start, 5)
        assert answer.event("timeout")["t"] == plus(start, 11)


def test_a_pad_that_breaks_while_held_and_is_mended():
    """C-20 broken and mended in one press: that press is not counted when it is let go."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.press("pile1", plus(start, 2))
        b.break_part("pile1", "cable", plus(start, 2.2))
        b.mend("pile1", plus(start, 2.4))
        answer = b.release("pile1", plus(start, 2.6)) + b.run_for(1)
        assert not answer.events("played") and not answer.events("cleared") and b.state == "playing"
        b.play(2)
        b.run_for(0.2)
        assert b.play(1).event("played")["count"] == 1


def test_another_pad_gets_stuck_while_one_is_held():
    """C-13 TP-5 a pad that leans gets stuck during the press of another one, which still counts."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        t = plus(start, 2)
        b.press("pile1", t)
        b.run_until(plus(t, 3))                         # cleared, still down
        answer = b.press("pile2", plus(t, 9.5)) + b.release("pile2", plus(t, 10.5)) + b.run_for(0.2)
        assert [e["event"] for e in answer.events()] == ["fault", "played", "turn"]
        assert answer.event("turn")["lit"] == [2, 3]


def test_odds_that_the_sound_pads_cannot_meet():
    """TP-4 TP-21 always three lit, one broken: the two others are lit; two broken: the last one, turn after turn."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.break_part("pile1", "cable", plus(start, 2))
        for _ in range(5):
            assert set(b.play().event("turn")["lit"]) <= {2, 3}
            b.run_for(0.2)
        b.break_part("pile2", "cable")
        for _ in range(5):
            assert b.lit_piles() == [3]
            assert b.play(3).event("turn")["lit"] == [3]
            b.run_for(0.2)


def test_all_pads_break_in_an_overload():
    """TP-21 the number to draw stays; after go nothing can be lit: E; the first mended pad brings the turn."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        b.run_for(1)
        draw = b.last_event("overload")["draw"]
        answer = b.break_part("pile1") + b.break_part("pile2") + b.break_part("pile3")
        assert [e["part"] for e in answer.events("fault")] == ["pile1", "pile2", "pile3", "pads"]
        assert answer.events("fault")[-1]["reason"] == "stuck"
        assert (b.display, b.pattern) == (str(draw), "flash")
        answer = b.tap("go")
        assert b.display == "E" and b.lit_piles() == [] and not answer.events("turn")
        b.run_for(1)
        answer = b.mend("pile2")
        assert {e["part"] for e in answer.events("healed")} == {"pile2", "pads"}
        assert answer.event("turn")["lit"] == [2] and b.display == "" and b.lit_piles() == [2]


def test_pads_that_heal_outside_of_the_game_bring_no_turn():
    """TP-21 all broken and one mended in overload: healed, but the number is still to be drawn."""
    with Bench(UNIT, settings=settled(2)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        for pile in PILES:
            b.break_part(pile)
        answer = b.mend("pile3")
        assert {e["part"] for e in answer.events("healed")} == {"pile3", "pads"}
        assert not answer.events("turn") and b.state == "overload"
        assert b.tap("go").event("turn")["lit"] == [3]


def test_all_pads_broken_in_standby():
    """TP-21 C-20 no pad left before the round: E instead of the dash, until one is back."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_until(1)
        for pile in PILES:
            b.break_part(pile, "cable")
        assert [e["part"] for e in b.events_named("fault")] == ["pile1", "pile2", "pile3", "pads"]
        assert b.display == "E" and b.state == "standby"
        answer = b.mend("pile1")
        assert {e["part"] for e in answer.events("healed")} == {"pile1", "pads"} and b.display == "-"


def test_a_round_without_pads():
    """TP-21 TP-3 all pads broken when the round begins: nothing lit; the first one mended is the first turn's."""
    with Bench(UNIT, settings=settled()) as b:
        b.power_on(timer=True)
        b.tap("go", 1)
        for pile in PILES:
            b.break_part(pile, "cable", 2)
        b.tap("go", 3)
        assert b.state == "playing" and b.lit_piles() == [] and b.display == "E"
        assert not b.run_until(60).events()
        answer = b.mend("pile2") + b.run_until(70)
        assert answer.events("turn")[0]["lit"] == [2] and answer.displays()[0] == (60, "10")
        assert answer.event("timeout")["t"] == 70


def test_the_only_lit_pad_breaks_in_the_pause():
    """TP-21 TP-16 another pile is drawn and fades as the pause has it; then it has the time that was left."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))                     # 7.9 s are left
        lit = b.announced[0]
        answer = b.break_part(f"pile{lit}", "cable", plus(start, 5))
        (drawn,) = answer.event("turn")["lit"]
        assert drawn != lit and b.state == "paused"
        assert (b.lights[f"pile{lit}"], b.lights[f"pile{drawn}"]) == ("off", "white fade")
        t = b.now
        answer = b.tap("go") + b.run_for(10)
        assert not answer.events("turn") and answer.event("timeout")["t"] == plus(t, 8)


def test_the_only_lit_pad_breaks_while_it_is_held():
    """TP-21 C-20 TP-14 not counted, a new set, and the time that was left when it was pressed."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round(timer=True)
        lit = b.announced[0]
        b.press(f"pile{lit}", plus(start, 4))
        answer = b.break_part(f"pile{lit}", "cable", plus(start, 5)) + b.run_until(plus(start, 11))
        assert lit not in answer.event("turn")["lit"] and not answer.events("played")
        assert answer.event("timeout")["t"] == plus(start, 11)


@pytest.mark.parametrize("state", ["paused", "volume", "asleep"])
@pytest.mark.parametrize("mended", ["there", "after it"])
def test_the_game_goes_on_wherever_the_pads_came_back(state, mended):
    """TP-21 all pads break and one is mended in the pause, the volume or sleep, or after it: its pile is lit then."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=state == "paused")
        b.run_until(plus(start, 2))
        if state == "paused":
            b.tap("go")
        elif state == "volume":
            b.hold("go", 3.5)
        else:
            b.run_for(200)
        assert b.state == state
        for pile in PILES:
            b.break_part(pile, "cable")
        if mended == "there":
            b.mend("pile2")
        if state != "volume":
            b.tap("go")
        b.run_for(5)
        if mended == "after it":
            assert b.display == "E"
            b.mend("pile2")
            b.run_for(0.3)
        assert b.state == "playing" and b.lit_piles() == [2] and b.display != "E"
        assert b.play(2).event("played")["count"] == 1


def test_pads_is_told_once():
    """TP-21 stuck, broken and stuck together are all pads; more faults of pads do not tell it again."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round()
        b.press("pile1", plus(start, 2))
        b.run_for(3)
        b.press("pile3", plus(start, 6))
        b.break_part("pile2", "cable", plus(start, 7))
        answer = b.run_until(plus(start, 30))
        told = [(e["t"], e["part"]) for e in answer.events("fault")]
        assert told == [(plus(start, 12), "pile1"), (plus(start, 16), "pile3"), (plus(start, 16), "pads")]
        answer = b.mend("pile2")
        assert {e["part"] for e in answer.events("healed")} == {"pile2", "pads"}
        assert b.lit_piles() == [2]


def test_a_healed_pile_is_lit_within_four_turns():
    """TP-4 TP-21 a pile that was broken for many turns is lit in one of the four after it was mended."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.break_part("pile1", "cable", plus(start, 2))
        for _ in range(8):
            b.play()
            b.run_for(0.2)
        b.mend("pile1")
        turns = [b.play().event("turn")["lit"] for _ in range(4)]
        assert [1] in turns


# -- the red flash


def test_the_red_flash_lies_over_a_time_out():
    """TP-22 TP-15 refused 0.2 s before the run-out: the piles go dark, that light is red for its 0.5 s."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 5))
        pile, t = b.unlit_piles()[0], plus(start, 9.8)
        answer = b.tap(f"pile{pile}", t) + b.run_until(plus(start, 12))
        assert answer.event("timeout") and answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(t, 0.5), "off")]


def test_go_ends_the_red_flash_with_the_next_turn():
    """TP-22 TP-15 refused in the time-out, go 0.3 s later: the next turn's look at once."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 11))
        b.tap("pile2", plus(start, 12))
        answer = b.press("go", plus(start, 12.3)) + b.release("go", plus(start, 12.4)) + b.run_for(2)
        assert answer.looks("pile2") == [(plus(start, 12.3), "white")]


def test_the_red_flash_stays_over_the_end_of_a_pause():
    """TP-22 TP-16 going on is no next turn: red until 0.5 s after the refusal, then white."""
    with Bench(UNIT, settings=settled()) as b:
        start = b.start_round(timer=True)
        b.tap("go", plus(start, 2))
        t = plus(start, 4)
        answer = b.tap("pile2", t) + b.tap("go", plus(t, 0.2)) + b.run_for(1)
        assert answer.when(state="playing") == plus(t, 0.33)
        assert answer.looks("pile2") == [(t, "red flash"), (plus(t, 0.5), "white")]


def test_the_red_flash_stays_in_the_volume():
    """TP-22 TP-17 refused 0.2 s before the volume opens: red for its 0.5 s, then dark."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.press("go", plus(start, 2))
        pile, t = b.unlit_piles()[0], plus(start, 4.8)
        answer = b.tap(f"pile{pile}", t) + b.run_until(plus(start, 5.9))
        assert b.state == "volume"
        assert answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(t, 0.5), "off")]


def test_the_end_of_the_round_ends_the_red_flash():
    """TP-22 TP-18 refused 0.35 s before the round-over: dark with it."""
    settings = settled(lit=ONE_LIT, hold_for_volume=0.4, hold_for_new_round=0.6)
    with Bench(UNIT, settings=settings) as b:
        start = b.start_round()
        b.press("go", plus(start, 2))
        pile, t = b.unlit_piles()[0], plus(start, 2.25)
        answer = b.tap(f"pile{pile}", t) + b.run_for(2)
        assert answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(start, 2.6), "off")]


def test_power_off_ends_the_red_flash():
    """TP-22 C-1 switched off within the flash: dark, and nothing half a second later."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.tap(f"pile{b.unlit_piles()[0]}")
        b.power_off()
        assert b.dark() and b.run_for(5) == []


def test_the_red_flash_outlives_a_redrawn_set():
    """TP-22 TP-21 the lit pad breaks while another one is red: a new set, and red until its 0.5 s are over."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        lit, pile, t = b.lit_piles()[0], b.unlit_piles()[0], b.now
        answer = b.tap(f"pile{pile}") + b.break_part(f"pile{lit}", "cable", plus(t, 0.2)) + b.run_for(2)
        then = "white" if pile in answer.event("turn")["lit"] else "off"
        assert answer.looks(f"pile{pile}") == [(t, "red flash"), (plus(t, 0.5), then)]


def test_a_counted_press_ends_the_red_flash_in_a_full_turn():
    """TP-22 TP-6 the turn that follows a press ends the red of a refusal, at once."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        lit, pile, t = b.lit_piles()[0], b.unlit_piles()[0], b.now
        answer = b.tap(f"pile{pile}") + b.tap(f"pile{lit}", plus(t, 0.2)) + b.run_for(2)
        assert answer.event("turn")["t"] == plus(t, 0.33)
        red, then = answer.looks(f"pile{pile}")[:2]
        assert red == (t, "red flash") and then[0] == plus(t, 0.33)


def test_counters_do_not_care_about_broken_pads():
    """TP-21 TP-9 the counter of a broken pad keeps its look."""
    with Bench(UNIT, settings=settled(4)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 2)
        b.run_for(1)
        before = {name: b.lights[name] for name in COUNTERS}
        assert before == all_of(COUNTERS, "green") | {"counter1": "yellow slow-blink"}
        b.break_part("pile1", "cable")
        assert {name: b.lights[name] for name in COUNTERS} == before
