"""Contacts: bounce, release, held at start, stuck (C-9 to C-13 in docs/spec/common.md)."""

import pytest
from bench_client import Bench, plus
from rounds import PILES, settled

UNIT = "triple-play"


def begun(b):
    """Start a round on *b*; two seconds into it."""
    return plus(b.start_round(), 2)


# -- press and release


def test_the_stamp_of_an_edge_is_kept_to_the_microsecond():
    """C-9 BENCH an odd stamp is the time of the first output, digit for digit."""
    with Bench(UNIT, settings=settled()) as b:
        b.start_round()
        b.run_until(3)
        answer = b.press("pile1", 3.123457)
        assert {o["t"] for o in answer} == {3.123457}
        answer = b.release("pile1", 3.223459) + b.run_for(0.1)
        assert answer.event("played")["t"] == 3.253459


@pytest.mark.parametrize("offsets, sure", [
    ((0, 0.001), 0.031),                                # opened within the first 30 ms: its own stamp
    ((0, 0.2), 0.23),
    ((0, 0.001, 0.002, 0.2), 0.23),
    ((0, 0.2, 0.229999, 0.4), 0.43),                    # open for 29.999 ms: still the same press
    ((0, 0.010, 0.025, 0.026), 0.056),
    ((0, 0.03), 0.06),
])
def test_when_a_release_is_certain(offsets, sure):
    """C-10 C-11 the press counts once, exactly 30 ms after the contact opened for good."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        answer = b.bounce("pile2", offsets, t) + b.run_until(plus(t, 1))
        assert answer.event("played") == {"t": plus(t, sure), "event": "played", "pile": 2, "count": 1}
        assert answer.tones() == ["beep"]


def test_open_for_exactly_the_debounce_time_is_a_release():
    """C-10 C-14 closed again 30 ms after it opened: the release is settled first, and that is a second press."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        answer = b.bounce("pile1", (0, 0.2, 0.23, 0.4), t) + b.run_until(plus(t, 1))
        assert [e["count"] for e in answer.events("played")] == [1, 2] and answer.tones() == ["beep", "beep"]


def test_ten_taps_of_a_millisecond_as_close_as_they_may_be():
    """C-11 1 ms down, 30 ms open, ten times: ten presses."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        edges = [edge for n in range(10) for edge in (n * 0.031, n * 0.031 + 0.001)]
        answer = b.bounce("pile1", edges, t) + b.run_until(plus(t, 1))
        assert [e["count"] for e in answer.events("played")] == list(range(1, 11))


def test_ten_taps_a_second_with_long_presses():
    """C-11 70 ms down, 30 ms open: all are seen, and on changing pads as well."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        for n in range(30):
            b.bounce(PILES[n % 3], (0, 0.07), plus(t, n * 0.1))
        b.run_for(0.1)
        assert b.count("played") == 30


def test_a_contact_that_never_settles_for_a_second():
    """C-10 C-11 300 edges, never 30 ms open: one press; it is released when the contact rests."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        answer = b.bounce("pile1", [n * 0.003 for n in range(300)], t) + b.run_until(plus(t, 2))
        assert answer.tones() == ["beep"] and answer.event("played")["t"] == plus(t, 299 * 0.003 + 0.03)


def test_a_hold_runs_from_the_first_edge_of_a_bounce():
    """C-10a C-11 short openings on the way do not restart the 2 s."""
    with Bench(UNIT, settings=settled()) as b:
        t = begun(b)
        answer = b.bounce("pile1", (0, 0.5, 0.52, 1.2, 1.229), t) + b.run_until(plus(t, 3))
        assert answer.event("cleared")["t"] == plus(t, 2)


def test_the_debounce_time_is_a_setting():
    """C-10 debounce 0.1: 99 ms open is the same press, and the release is certain after 100 ms."""
    with Bench(UNIT, settings={**settled(), "common.debounce": 0.1}) as b:
        t = begun(b)
        answer = b.bounce("pile1", (0, 0.2, 0.299, 0.4), t) + b.run_until(plus(t, 1))
        assert answer.event("played")["t"] == plus(t, 0.5) and answer.tones() == ["beep"]


def test_a_tap_is_answered_before_a_long_debounce_is_over():
    """C-10 BENCH `ok` has t + 0.15 also where the release is certain only later."""
    with Bench(UNIT, settings={**settled(), "common.debounce": 0.2}) as b:
        t = begun(b)
        assert not b.tap("pile1", t).events("played") and b.now == plus(t, 0.15)
        assert b.run_for(1).event("played")["t"] == plus(t, 0.3)


# -- held at start


def test_all_that_a_pad_down_at_power_on_shows():
    """C-12 one fault however long it is down, ignored; healed when its release is certain."""
    with Bench(UNIT) as b:
        b.press("pile2")
        assert b.switch("power", "on", 1) == [
            {"t": 1, "event": "fault", "part": "pile2", "reason": "held-at-start"},
            {"t": 1, "state": "standby"},
            {"t": 1, "display": "-"},
        ]
        assert b.run_until(100) == [] and b.release("pile2") == []
        assert b.run_for(1) == [{"t": 100.03, "event": "healed", "part": "pile2"}]


def test_go_down_at_power_on():
    """C-12 go is ignored until it was let go, never stuck; then it starts the unit."""
    with Bench(UNIT) as b:
        b.press("go")
        assert b.power_on().events() == [{"t": 0, "event": "fault", "part": "go", "reason": "held-at-start"}]
        assert b.run_until(60) == [] and b.state == "standby"
        assert b.release("go").events() + b.run_for(1).events() == [{"t": 60.03, "event": "healed", "part": "go"}]
        b.tap("go")
        assert b.state == "ready"


def test_a_bounce_of_what_was_held_at_start():
    """C-12 C-10 open for 20 ms is no release: not healed, and no press either."""
    with Bench(UNIT) as b:
        b.press("go")
        b.power_on()
        assert b.bounce("go", (1, 1.02, 1.03, 1.05), 0) + b.run_until(5) == []
        assert b.release("go", 6) + b.run_until(7) == [{"t": 6.03, "event": "healed", "part": "go"}]


def test_pressed_in_the_moment_of_power_on():
    """C-12 C-14 closed before the switch moved: held at start; closed after it, at the same time: a press."""
    with Bench(UNIT) as b:
        b.press("go", 1)
        assert b.switch("power", "on", 1).event("fault")["part"] == "go"
    with Bench(UNIT) as b:
        b.switch("power", "on", 1)
        answer = b.press("go", 1)
        assert not answer.events("fault") and answer.states() == ["ready"]


def test_all_inputs_down_at_power_on():
    """C-12 TP-21 one fault each, and the pads as a whole; E; the first pad let go heals both."""
    with Bench(UNIT) as b:
        for name in ("go", *PILES):
            b.press(name)
        answer = b.power_on()
        assert sorted((e["part"], e["reason"]) for e in answer.events()) == [
            ("go", "held-at-start"), ("pads", "stuck"), *((pile, "held-at-start") for pile in PILES)]
        assert b.state == "standby" and b.display == "E"
        answer = b.release("pile1", 20) + b.run_for(1)
        assert {e["part"] for e in answer.events()} == {"pile1", "pads"} and b.display == "-"


def test_held_at_start_again():
    """C-12 C-1 still down at the next power-on: the fault is told again; let go while off: no word of it."""
    with Bench(UNIT) as b:
        b.press("pile3")
        b.power_on()
        b.switch("power", "off", 5)
        assert b.switch("power", "on", 6).event("fault")["reason"] == "held-at-start"
        b.switch("power", "off", 7)
        assert b.release("pile3", 8) + b.run_until(9) == []
        assert b.switch("power", "on", 10).events() == []


def test_held_at_start_into_the_game():
    """C-12 TP-21 a pad that is still down is not lit in the round, and does nothing."""
    with Bench(UNIT, settings=settled()) as b:
        b.press("pile2")
        b.power_on()
        b.tap("go", 1)
        answer = b.tap("go", 2)
        assert 2 not in answer.event("turn")["lit"] and b.lit_piles() == [1, 3]
        answer = b.run_until(30) + b.release("pile2") + b.run_for(1)
        assert answer.events() == [{"t": 30.03, "event": "healed", "part": "pile2"}]
        assert b.play(1).event("turn")["lit"] == [1, 2, 3]


# -- stuck


def test_a_pad_let_go_just_before_it_is_stuck():
    """C-13 C-10a C-14 opened before 10 s: no fault, although that is certain only after it; at 10 s: stuck."""
    for opened, faults in ((9.98, 0), (9.999999, 0), (10.0, 1)):
        with Bench(UNIT) as b:
            b.power_on()
            answer = b.press("pile1", 1) + b.release("pile1", plus(1, opened)) + b.run_until(20)
            assert len(answer.events("fault")) == len(answer.events("healed")) == faults


def test_a_pad_that_is_stuck_in_a_bounce():
    """C-13 C-10a open from 9.99 to 10.01 s: stuck when it closes, and told then."""
    with Bench(UNIT) as b:
        b.power_on()
        answer = b.bounce("pile1", (0, 9.99, 10.01), 1) + b.run_until(20)
        assert answer.events() == [{"t": 11.01, "event": "fault", "part": "pile1", "reason": "stuck"}]


def test_a_stuck_pad_that_chatters():
    """C-13 C-10 openings below 30 ms do not heal it."""
    with Bench(UNIT) as b:
        b.power_on()
        b.press("pile1", 1)
        b.run_until(12)
        assert b.bounce("pile1", (0, 0.01, 0.02, 0.04, 0.05, 0.07), 12) + b.run_until(30) == []
        assert b.release("pile1") + b.run_for(1) == [{"t": 30.03, "event": "healed", "part": "pile1"}]


def test_stuck_and_healed_many_times():
    """C-13 each time one fault and one healed; in between the pad counts."""
    with Bench(UNIT, settings=settled(hold_to_clear=9)) as b:
        b.start_round()
        for count in (1, 2, 3):
            b.run_for(1)
            assert b.play(2).event("played")["count"] == count
            b.run_for(1)
            t = b.now
            b.press("pile1")
            answer = b.run_until(plus(t, 11)) + b.release("pile1") + b.run_for(1)
            assert [e["event"] for e in answer.events() if e["event"] != "turn"] == ["cleared", "fault", "healed"]


def test_go_is_never_stuck():
    """C-13 go down for ten minutes: no fault."""
    with Bench(UNIT) as b:
        b.power_on()
        answer = b.press("go", 1) + b.run_until(600) + b.release("go") + b.run_for(1)
        assert not answer.events("fault") and not answer.events("healed")
