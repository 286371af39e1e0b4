"""Party: the rules of docs/spec/party.md, seen from outside."""

import pytest
from bench_client import Bench, plus, soon

UNIT = "party"


def seats(b, look):
    return [n for n in range(1, 17) if b.lights[f"seat{n}"] == look]


def link(b):
    """Seats 2 and 3; the answer to the second choice."""
    b.hold("go", 1.2)
    assert b.state == "linking"
    b.tap("next")
    b.tap("go")
    b.tap("next")
    return b.tap("go")


@pytest.mark.parametrize("players", [6, 8, 16])
def test_power_on(players):
    """PA-1 startup; the seats of the players chase green, the others stay dark; clockwise."""
    with Bench(UNIT, settings={"party.players": players}) as b:
        assert "startup" in b.power_on().tones()
        assert b.state == "clockwise" and b.display == ""
        assert seats(b, "green chase") == list(range(1, players + 1))
        assert seats(b, "off") == list(range(players + 1, 17))


def test_reverse():
    """PA-2 reverse flips the direction each time: event, state, tone and light at the press edge."""
    with Bench(UNIT) as b:
        b.power_on()
        for to, state, look in (("ccw", "counter", "yellow chase-back"), ("cw", "clockwise", "green chase")):
            b.run_for(1)
            t = b.now
            answer = b.tap("reverse")
            assert (answer.event("direction")["t"], answer.event("direction")["to"]) == (t, to)
            assert answer.when(tone="reverse") == t and b.state == state
            assert seats(b, look) == list(range(1, 9))


def test_point_taken():
    """PA-3 3, 2, 1 one a second; ticks, signal and event point with the 1; then back to the direction."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        answer = b.tap("go") + b.run_for(5)
        (three, _), (two, _), (one, _) = shown = answer.displays()[:3]
        assert [text for _, text in shown] == ["3", "2", "1"]
        assert soon(two, plus(three, 0.9), 0.2) and soon(one, plus(two, 1))
        assert answer.tones() == ["tick", "tick", "signal"]
        assert answer.when(tone="signal") == one and answer.event("point")["t"] == one
        assert answer.states() == ["pointing", "clockwise"] and b.display == ""


def test_reverse_is_refused_while_pointing():
    """PA-2 PA-3 reverse in the countdown: denied, the direction stays."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        b.tap("go")
        b.run_for(0.5)
        assert b.tap("reverse").tones() == ["denied"]
        b.run_for(5)
        assert b.state == "clockwise" and not b.count("direction")


def test_link():
    """PA-4 go held 1 s, two seats chosen: linked, both purple, back to the direction."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        event = link(b).event("linked")
        assert sorted((event["a"], event["b"])) == [2, 3]
        assert seats(b, "purple") == [2, 3] and b.state == "clockwise"


def test_linking_is_given_up():
    """PA-4 20 s without a press: given up, nothing changes."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        b.hold("go", 1.2)
        b.run_for(21)
        assert b.state == "clockwise" and seats(b, "purple") == [] and not b.count("linked")


def test_point_ends_the_link():
    """PA-5 the point of a countdown ends a link."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        link(b)
        b.run_for(1)
        answer = b.tap("go") + b.run_for(5)
        assert answer.event("unlinked")["t"] == answer.event("point")["t"] and seats(b, "purple") == []


def test_sleep_and_wake():
    """PA-6 C-6 C-7 asleep after 300 s; go wakes and does nothing else."""
    with Bench(UNIT) as b:
        b.power_on()
        assert not b.run_for(299).events("asleep")
        b.run_for(2)
        assert b.state == "asleep" and b.dark()
        answer = b.tap("go") + b.run_for(5)
        assert answer.events("awake") and b.state == "clockwise" and not answer.events("point")


def test_a_seat_chosen_twice():
    """PA-4 choosing a seat twice is refused; another one ends the linking."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        b.hold("go", 1.2)
        assert b.lights["seat1"] == "white flash"
        b.tap("go")
        assert b.lights["seat1"] == "purple"
        assert b.tap("go").tones() == ["denied"] and b.state == "linking"
        b.tap("next")
        assert b.lights["seat2"] == "white flash"
        event = b.tap("go").event("linked")
        assert sorted((event["a"], event["b"])) == [1, 2]


def test_next_goes_round():
    """PA-4 after the last seat in use comes seat 1."""
    with Bench(UNIT, settings={"party.players": 6}) as b:
        b.power_on()
        b.run_for(1)
        b.hold("go", 1.2)
        for seat in (2, 3, 4, 5, 6, 1):
            b.tap("next")
            assert seats(b, "white flash") == [seat]


def test_new_links_replace_the_old():
    """PA-4 seats 2 and 3 linked, then 1 and 2."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        link(b)
        b.run_for(1)
        b.hold("go", 1.2)
        b.tap("go")
        b.tap("next")
        b.tap("go")
        assert seats(b, "purple") == [1, 2] and b.state == "clockwise"


def test_reverse_is_refused_while_linking():
    """PA-2 PA-4 reverse in linking: denied, no event."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        b.hold("go", 1.2)
        assert b.tap("reverse").tones() == ["denied"] and b.state == "linking" and not b.count("direction")


def test_hold_of_go_opens_the_volume():
    """PA-6 TP-17 go held on for 3 s: linking is left, volume; 2 s after the release back to the direction."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(1)
        t = b.now
        answer = b.press("go") + b.run_until(plus(t, 3.5))
        assert answer.states() == ["linking", "volume"] and answer.when(state="volume") == plus(t, 3)
        assert b.display == "3"
        b.release("go")
        answer = b.run_for(0.5) + b.tap("go")
        assert b.display == "2" and [o["volume"] for o in answer if "tone" in o] == [2]
        b.run_for(3)
        assert b.state == "clockwise" and b.display == "" and not b.count("point")


def test_the_direction_survives_the_plug(tmp_path):
    """C-5 PA-2 PA-4 killed: direction and link are resumed."""
    with Bench(UNIT, state=tmp_path) as b:
        b.power_on()
        b.run_for(1)
        b.tap("reverse")
        link(b)
        with b.reborn() as c:
            assert c.power_on().event("resumed")["state"] == "counter"
            assert c.state == "counter" and seats(c, "purple") == [2, 3]
            assert seats(c, "yellow chase-back") == [1, 4, 5, 6, 7, 8]
