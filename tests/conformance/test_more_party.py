"""Party, told to the last output (docs/spec/party.md)."""

import pytest
from bench_client import Bench, plus

UNIT = "party"
SEATS = [f"seat{n}" for n in range(1, 17)]


def seats(b, look):
    """Return the numbers of the seats with this look."""
    return [n for n in range(1, 17) if b.lights[f"seat{n}"] == look]


def without_lights(outputs):
    """Return the outputs that are no lights: the ring is nobody's rule there."""
    return [o for o in outputs if "lights" not in o]


def ready(b):
    """Power on, a second ago."""
    b.power_on()
    b.run_until(1)


def link(b, first, second):
    """Link two seats, first < second, from the direction."""
    b.hold("go", 1.2)
    for _ in range(first - 1):
        b.tap("next")
    b.tap("go")
    for _ in range(second - first):
        b.tap("next")
    return b.tap("go")


# -- the direction


def test_all_that_power_on_shows():
    """PA-1 clockwise, the seats in use chase green, startup; the display stays blank."""
    with Bench(UNIT, settings={"party.players": 6}) as b:
        assert b.power_on() == [
            {"t": 0, "state": "clockwise"},
            {"t": 0, "lights": dict.fromkeys(SEATS[:6], "green chase")},
            {"t": 0, "tone": "startup", "volume": 3},
        ]


def test_all_that_reverse_shows():
    """PA-2 direction, state, light, tone, at the edge; letting go does nothing."""
    with Bench(UNIT) as b:
        ready(b)
        assert b.press("reverse", 2) == [
            {"t": 2, "event": "direction", "to": "ccw"},
            {"t": 2, "state": "counter"},
            {"t": 2, "lights": dict.fromkeys(SEATS[:8], "yellow chase-back")},
            {"t": 2, "tone": "reverse", "volume": 3},
        ]
        assert b.release("reverse", 2.2) + b.run_for(1) == []


def test_reverse_may_be_held():
    """PA-2 C-13 one flip however long, and no fault."""
    with Bench(UNIT) as b:
        ready(b)
        answer = b.press("reverse", 2) + b.run_until(100) + b.release("reverse") + b.run_for(1)
        assert [e["event"] for e in answer.events()] == ["direction"]


def test_next_does_nothing_but_in_linking():
    """PA-4 C-17 next in clockwise, counter and pointing: no output."""
    with Bench(UNIT) as b:
        ready(b)
        assert b.tap("next") == []
        b.tap("reverse")
        assert b.tap("next") == []
        b.tap("go")
        assert b.tap("next") == []


def test_a_tap_stays_a_tap_over_reverse():
    """PA-2 PA-3 go down, reverse, go up: the direction flips and the countdown begins, back to the new direction."""
    with Bench(UNIT) as b:
        ready(b)
        b.press("go", 2)
        b.tap("reverse", 2.3)
        answer = b.release("go", 2.6) + b.run_until(10)
        assert answer.states() == ["pointing", "counter"] and answer.when(state="pointing") == 2.63
        assert answer.event("point")["t"] == 4.6


def test_a_hold_stays_a_hold_over_reverse():
    """PA-2 PA-4 go down, reverse: linking 1 s after go, back to the new direction."""
    with Bench(UNIT) as b:
        ready(b)
        b.press("go", 2)
        b.tap("reverse", 2.5)
        answer = b.run_until(3.5) + b.release("go") + b.run_until(60)
        assert answer.states() == ["linking", "counter"] and answer.when(state="linking") == 3


# -- pointing


def test_all_that_pointing_shows():
    """PA-3 C-15 3, 2, 1 from the stamp of the release; tick, tick, signal; point with the 1; a second later over."""
    with Bench(UNIT) as b:
        ready(b)
        b.press("go", 2)
        answer = b.release("go", 2.1) + b.run_until(60)
        assert without_lights(answer) == [
            {"t": 2.13, "state": "pointing"},
            {"t": 2.13, "display": "3"},
            {"t": 2.13, "tone": "tick", "volume": 3},
            {"t": 3.1, "display": "2"},
            {"t": 3.1, "tone": "tick", "volume": 3},
            {"t": 4.1, "event": "point"},
            {"t": 4.1, "display": "1"},
            {"t": 4.1, "tone": "signal", "volume": 3},
            {"t": 5.1, "state": "clockwise"},
            {"t": 5.1, "display": ""},
        ]
        assert seats(b, "green chase") == list(range(1, 9))


def test_go_is_nothing_while_pointing():
    """PA-3 C-17 taps and holds of go in the countdown neither restart it nor link."""
    with Bench(UNIT) as b:
        ready(b)
        b.tap("go", 2)
        answer = b.tap("go", 2.5) + b.hold("go", 1.5, 2.8) + b.run_until(60)
        assert answer.states() == ["clockwise"] and answer.tones() == ["tick", "signal"]


def test_no_link_no_unlinked():
    """PA-5 a countdown without a link: point only."""
    with Bench(UNIT) as b:
        ready(b)
        answer = b.tap("go") + b.run_for(10)
        assert [e["event"] for e in answer.events()] == ["point"]


def test_the_link_is_seen_until_the_point():
    """PA-5 purple while 3 and 2 are counted, unlinked with the point; the seats are as the others after it."""
    with Bench(UNIT) as b:
        ready(b)
        link(b, 2, 4)
        b.run_for(1)
        t = b.now
        b.tap("go")
        answer = b.run_until(plus(t, 10))
        assert sorted(e["event"] for e in answer.events()) == ["point", "unlinked"]
        assert answer.event("unlinked")["t"] == plus(t, 2.1)
        assert seats(b, "green chase") == list(range(1, 9))


# -- linking


@pytest.mark.parametrize("opened, states", [(0.97, ["pointing"]), (0.999999, ["pointing"]), (1.0, ["linking"])])
def test_a_tap_or_a_hold(opened, states):
    """PA-3 PA-4 C-14 C-10a opened before 1 s: a tap; at 1 s: linking."""
    with Bench(UNIT) as b:
        ready(b)
        b.press("go", 2)
        answer = b.release("go", plus(2, opened)) + b.run_until(plus(2, opened + 0.5))
        assert answer.states() == states


def test_linking_opens_with_seat_1():
    """PA-4 beep, linking, seat 1 white flash, at 1 s; the release of that press chooses nothing."""
    with Bench(UNIT) as b:
        ready(b)
        answer = b.press("go", 2) + b.release("go", 3.5) + b.run_until(4)
        assert without_lights(answer) == [{"t": 3, "state": "linking"}, {"t": 3, "tone": "beep", "volume": 3}]
        assert seats(b, "white flash") == [1] and seats(b, "purple") == []


def test_each_step_and_choice_beeps():
    """PA-4 next at its edge, a choice at the release of go; linked and signal with the second one."""
    with Bench(UNIT) as b:
        ready(b)
        b.hold("go", 1.2, 2)
        answer = b.press("next", 5)
        assert answer.tones() == ["beep"] and {o["t"] for o in answer} == {5} and seats(b, "white flash") == [2]
        b.release("next", 5.2)
        assert b.press("go", 6) == []
        answer = b.release("go", 6.2) + b.run_until(7)
        assert answer.tones() == ["beep"] and seats(b, "purple") == [2] and {o["t"] for o in answer} == {6.23}
        b.tap("next", 8)
        answer = b.tap("go", 9)
        assert answer.event("linked") == {"t": 9.13, "event": "linked", "a": 2, "b": 3}
        assert answer.tones()[-1] == "signal" and answer.states() == ["clockwise"]
        assert seats(b, "purple") == [2, 3] and seats(b, "green chase") == [1, 4, 5, 6, 7, 8]


def test_go_held_in_linking_chooses_on_release():
    """PA-4 held for 5 s: chosen when it is let go; no volume."""
    with Bench(UNIT) as b:
        ready(b)
        b.hold("go", 1.2, 2)
        assert b.press("go", 5) + b.run_until(10) == []
        answer = b.release("go") + b.run_for(1)
        assert answer.tones() == ["beep"] and seats(b, "purple") == [1] and b.state == "linking"


def test_linking_is_given_up_on_the_second():
    """PA-4 C-15 exactly 20 s after the opening; or after the last press, whichever it was."""
    with Bench(UNIT) as b:
        ready(b)
        answer = b.hold("go", 1.2, 2) + b.run_until(60)
        assert answer.when(state="clockwise") == 23
        b.hold("go", 1.2, 60)
        b.tap("next", 75)
        b.tap("next", 90)
        answer = b.run_until(200)
        assert answer.when(state="clockwise") == 110 and answer.tones() == []
        assert seats(b, "green chase") == list(range(1, 9))


def test_a_table_that_needs_longer_to_choose():
    """PA-4 give_up 45: as long after the opening."""
    with Bench(UNIT, settings={"party.give_up": 45}) as b:
        ready(b)
        answer = b.hold("go", 1.2, 2) + b.run_until(90)
        assert answer.when(state="clockwise") == 48


def test_a_press_exactly_when_linking_is_given_up():
    """C-14 PA-4 the deadline is first: next does nothing any more."""
    with Bench(UNIT) as b:
        ready(b)
        b.hold("go", 1.2, 2)
        answer = b.press("next", 23)
        assert answer.states() == ["clockwise"] and answer.tones() == []


def test_giving_up_keeps_the_old_link():
    """PA-4 seats 2 and 4 are linked; a new linking with one choice is given up: they are linked still."""
    with Bench(UNIT) as b:
        ready(b)
        link(b, 2, 4)
        b.run_for(1)
        b.hold("go", 1.2)
        b.tap("go")
        b.run_for(60)
        assert b.state == "clockwise" and seats(b, "purple") == [2, 4] and b.count("linked") == 1


def test_a_link_survives_the_direction():
    """PA-4 PA-2 reverse: the linked seats stay purple, the others run the other way."""
    with Bench(UNIT) as b:
        ready(b)
        link(b, 2, 4)
        b.run_for(1)
        answer = b.tap("reverse")
        assert answer.event("direction") and seats(b, "purple") == [2, 4]
        assert seats(b, "yellow chase-back") == [1, 3, 5, 6, 7, 8]


def test_all_sixteen_seats_can_be_linked():
    """PA-4 the last seat of sixteen with the first."""
    with Bench(UNIT, settings={"party.players": 16}) as b:
        ready(b)
        event = link(b, 1, 16).event("linked")
        assert (event["a"], event["b"]) == (1, 16) and seats(b, "purple") == [1, 16]


def test_a_refused_choice_and_a_refused_reverse_say_no_more():
    """PA-4 PA-2 the same seat twice, and reverse: one denied each, no event, no light."""
    with Bench(UNIT) as b:
        ready(b)
        b.hold("go", 1.2, 2)
        b.tap("go", 5)
        assert b.tap("go", 6) == [{"t": 6.13, "tone": "denied", "volume": 3}]
        assert b.tap("reverse", 7) == [{"t": 7, "tone": "denied", "volume": 3}]


# -- volume and sleep


def test_all_that_the_volume_shows():
    """PA-6 TP-17 at 3 s the volume, the ring dark; 2 s after the release the direction again."""
    with Bench(UNIT) as b:
        ready(b)
        b.press("go", 2)
        b.run_until(4)
        answer = b.run_until(6)
        assert without_lights(answer) == [
            {"t": 5, "state": "volume"}, {"t": 5, "display": "3"}, {"t": 5, "tone": "beep", "volume": 3}]
        assert b.dark()
        b.release("go", 6)
        assert b.run_until(60) == [
            {"t": 8, "state": "clockwise"},
            {"t": 8, "lights": dict.fromkeys(SEATS[:8], "green chase")},
            {"t": 8, "display": ""},
        ]


def test_reverse_and_next_in_the_volume():
    """PA-2 PA-6 reverse is refused there, too; next does nothing; neither is a step."""
    with Bench(UNIT) as b:
        ready(b)
        b.hold("go", 3.5, 2)
        assert b.tap("next", 6) == []
        assert b.tap("reverse", 6.3) == [{"t": 6.3, "tone": "denied", "volume": 3}]
        assert b.display == "3" and b.run_until(60).states() == ["clockwise"]


def test_the_volume_leaves_the_old_link():
    """PA-6 PA-4 opened through linking: the link of before is unchanged."""
    with Bench(UNIT) as b:
        ready(b)
        link(b, 2, 4)
        b.run_for(1)
        b.hold("go", 3.5)
        b.run_for(5)
        assert b.state == "clockwise" and seats(b, "purple") == [2, 4]


def test_let_go_before_the_volume():
    """PA-6 PA-4 held for 2.98 s: still linking, given up 20 s after its opening."""
    with Bench(UNIT) as b:
        ready(b)
        answer = b.hold("go", 2.98, 2) + b.run_until(60)
        assert answer.states() == ["linking", "clockwise"] and answer.when(state="clockwise") == 23


def test_its_own_sleep_time():
    """PA-6 C-6 exactly 300 s after the last release; awake again as before, with its link."""
    with Bench(UNIT) as b:
        ready(b)
        b.tap("reverse")
        link(b, 1, 2)
        shown = (b.state, dict(b.lights), b.display)
        last = plus(b.now, -0.05)
        answer = b.run_for(1000)
        assert answer.event("asleep")["t"] == plus(last, 300) and b.dark()
        assert b.tap("reverse") + b.tap("next") == []
        answer = b.tap("go") + b.run_for(10)
        assert answer.tones() == [] and (b.state, dict(b.lights), b.display) == shown


def test_sleep_after_is_partys_own_setting():
    """PA-6 party.sleep_after 50 counts, common.sleep_after does not."""
    with Bench(UNIT, settings={"party.sleep_after": 50, "common.sleep_after": 10}) as b:
        b.power_on()
        assert b.run_until(200).event("asleep")["t"] == 50


def test_a_missed_power_on_of_a_party():
    """C-3 PA-1 low battery, then good: awake, and all that power-on shows."""
    with Bench(UNIT) as b:
        b.battery("low")
        assert b.power_on() == [{"t": 0, "state": "asleep"}, {"t": 0, "tone": "power-down", "volume": 3}]
        b.battery("ok", 1)
        assert b.tap("reverse", 2) == []
        assert b.press("go", 3) == [
            {"t": 3, "event": "awake"},
            {"t": 3, "state": "clockwise"},
            {"t": 3, "lights": dict.fromkeys(SEATS[:8], "green chase")},
            {"t": 3, "tone": "startup", "volume": 3},
        ]
        assert b.run_until(10) + b.release("go") + b.run_for(1) == []


def test_buttons_down_at_power_on():
    """C-12 each one ignored until it was let go."""
    with Bench(UNIT) as b:
        b.press("reverse")
        b.press("next")
        answer = b.power_on()
        assert sorted(e["part"] for e in answer.events("fault")) == ["next", "reverse"] and b.state == "clockwise"
        answer = b.release("reverse", 5) + b.run_until(6)
        assert answer == [{"t": 5.03, "event": "healed", "part": "reverse"}]
        assert b.tap("reverse").states() == ["counter"]
