"""Spin, told to the last output: what starts a spin, results, flickers, other wheels (docs/spec/spin.md)."""

import pytest
from bench_client import Bench, plus, stamp
from rounds import tick_times

UNIT = "spin"
RING = [f"seg{n}" for n in range(1, 10)]
CHASE = dict.fromkeys(RING, "white chase")


def alone(number, colour):
    """Return the ring with one segment lit."""
    return dict.fromkeys(RING, "off") | {f"seg{number}": colour}


def spin_to(b, slot):
    """A full turn and on to this slot; the answer with the result."""
    return b.turn_wheel((slot - b.slot) % 36 + 36) + b.run_for(1)


# -- power-on


def test_all_that_power_on_shows():
    """SP-1 idle, the chase, startup; the display stays blank."""
    with Bench(UNIT) as b:
        b.wheel(7)
        assert b.power_on() == [
            {"t": 0, "state": "idle"}, {"t": 0, "lights": CHASE}, {"t": 0, "tone": "startup", "volume": 3}]


def test_a_missed_power_on():
    """C-3 SP-1 low battery, then good: a wake press brings awake and all that power-on shows."""
    with Bench(UNIT) as b:
        b.battery("low")
        assert b.power_on() == [{"t": 0, "state": "asleep"}, {"t": 0, "tone": "power-down", "volume": 3}]
        b.battery("ok", 1)
        assert b.press("go", 3) == [
            {"t": 3, "event": "awake"}, {"t": 3, "state": "idle"}, {"t": 3, "lights": CHASE},
            {"t": 3, "tone": "startup", "volume": 3}]
        assert b.run_until(8) + b.release("go") + b.run_for(10) == []


def test_the_first_reading_only_sets_the_place():
    """SP-2 the wheel was turned while it had no power: the first reading starts nothing, the next two slots do."""
    with Bench(UNIT) as b:
        b.wheel(3)
        b.power_on()
        assert b.wheel(30, 1) == []
        assert not b.wheel(31, 1.1).events() and b.wheel(32, 1.2).event("spin-started")["direction"] == "cw"


def test_readings_while_off_start_nothing():
    """SP-2 C-1 turned a whole round while off: no output, then or at power-on."""
    with Bench(UNIT) as b:
        assert b.turn_wheel(50) == []
        assert not b.power_on().events()


# -- what starts a spin


@pytest.mark.parametrize("pause, started", [(0.49, 1), (0.51, 0)])
def test_two_slots_within_half_a_second(pause, started):
    """SP-2 the second slot comes while the first place is at most 0.5 s gone, or too late."""
    with Bench(UNIT) as b:
        b.spin_on(slot=18)
        t = b.now
        b.wheel(19, t)
        answer = b.wheel(20, plus(t, pause))
        assert len(answer.events("spin-started")) == started


def test_a_creeping_wheel_never_spins():
    """SP-2 a slot every 0.6 s, twice round: no event, idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        answer = b.turn_wheel(72, step=0.6)
        assert not answer.events() and b.state == "idle"


def test_a_big_step_is_a_spin():
    """SP-2 one reading that is 5 slots on: started at once, in the shorter direction."""
    for slot, direction in ((23, "cw"), (13, "ccw")):
        with Bench(UNIT) as b:
            b.spin_on(slot=18)
            answer = b.wheel(slot)
            assert answer.event("spin-started") == {"t": b.now, "event": "spin-started", "direction": direction}


def test_travel_counts_from_the_place_before_the_start():
    """SP-2 SP-3 SP-4 35 slots in all are too short, 36 are a turn, also when the first two came slowly."""
    for slots, event in ((35, "spin-refused"), (36, "result")):
        with Bench(UNIT) as b:
            b.spin_on()
            b.turn_wheel(2, step=0.4)
            answer = b.turn_wheel(slots - 2) + b.run_for(1)
            assert [e["event"] for e in answer.events()] == [event]


def test_over_slot_0():
    """SP-2 from slot 35 to slot 1 is two slots clockwise, and back two the other way."""
    with Bench(UNIT) as b:
        b.spin_on(slot=35)
        assert b.turn_wheel(2).event("spin-started")["direction"] == "cw"
    with Bench(UNIT) as b:
        b.spin_on(slot=0)
        assert b.turn_wheel(-2).event("spin-started")["direction"] == "ccw"


def test_each_new_icon_ticks_once():
    """SP-2 from slot 1, 47 slots on: ticks exactly where a multiple of four is entered after the start."""
    with Bench(UNIT) as b:
        b.spin_on(slot=1)
        t = b.now
        answer = b.turn_wheel(47)
        assert tick_times(answer) == [plus(t, 0.02 * n) for n in range(3, 48, 4)]
        assert b.lights == alone(4, "white")            # slot 12


# -- results


@pytest.mark.parametrize("slot, number, icon, code, colour", [
    (17, 5, "war", "HIGH", "yellow"), (9, 3, "draw-blue", "bLUE", "blue"), (33, 9, "keep-two", "2", "purple")])
def test_all_that_a_result_shows(slot, number, icon, code, colour):
    """SP-3 0.8 s after the last movement: result, its segment alone in its colour, its code, its tone."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel((slot - 1) % 36 + 36)
        t = plus(b.now, 0.8)
        assert b.run_until(plus(t, 60)) == [
            {"t": t, "event": "result", "icon": icon, "number": number, "virtual": False},
            {"t": t, "state": "result"},
            {"t": t, "lights": {f"seg{number}": colour}},       # its segment was the lit one
            {"t": t, "display": code},
            {"t": t, "tone": icon, "volume": 3},
        ]


def test_all_that_a_short_spin_shows():
    """SP-4 spin-refused, idle, the chase, SPin, denied."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        t = plus(b.now, 0.8)
        assert b.run_until(plus(t, 60)) == [
            {"t": t, "event": "spin-refused", "reason": "too-short"},
            {"t": t, "state": "idle"},
            {"t": t, "lights": CHASE},
            {"t": t, "display": "SPin"},
            {"t": t, "tone": "denied", "volume": 3},
        ]


@pytest.mark.parametrize("slots, refused", [(3, 0), (4, 1), (-3, 0), (-4, 1)])
def test_a_nudge_is_fewer_than_four_slots(slots, refused):
    """SP-4 SP-11 in either direction."""
    with Bench(UNIT) as b:
        b.spin_on(slot=18)
        answer = b.turn_wheel(slots) + b.run_for(2)
        assert len(answer.events("spin-refused")) == refused and b.state == "idle"
        assert b.display == ("SPin" if refused else "")


def test_a_nudge_by_its_net_travel():
    """SP-4 SP-11 ten slots on and eight back: a nudge."""
    with Bench(UNIT) as b:
        b.spin_on(slot=10)
        answer = b.turn_wheel(10) + b.turn_wheel(-8) + b.run_for(2)
        assert [e["event"] for e in answer.events()] == ["spin-started"] and b.state == "idle" and b.display == ""
        assert b.lights == CHASE and "denied" not in answer.tones()


def test_spin_is_shown_again_after_a_nudge():
    """SP-4 SPin stood, a nudge: SPin stands again, without a word."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        b.run_for(2)
        answer = b.turn_wheel(3) + b.run_for(2)
        assert not answer.events("spin-refused") and "denied" not in answer.tones()
        assert (b.state, b.display, b.lights) == ("idle", "SPin", CHASE)


@pytest.mark.parametrize("slots", [2, 20, -35])
def test_a_short_move_leaves_the_result(slots):
    """SP-4 SP-6 anything below a turn that began in result goes back to it: same light, same code, no tone of it."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 9)
        shown = (b.state, b.display, dict(b.lights))
        answer = b.turn_wheel(slots) + b.run_for(2)
        assert [e["event"] for e in answer.events()] == ["spin-started"] and set(answer.tones()) <= {"tick"}
        assert (b.state, b.display, b.lights) == shown


# -- flickers (slot 16 is the first of icon 5)


@pytest.mark.parametrize("moves, at, number", [
    ([(0.5, 15)], 1.3, 4),                              # it stays one back: that slot, once it stood there
    ([(0.5, 15), (1.0, 16)], 1.0, 5),                   # it returns while the result waits: at once
    ([(0.5, 15), (0.6, 16), (0.7, 15)], 1.5, 4),
    ([(0.5, 15), (0.6, 16)], 0.8, 5),
    ([(0.5, 15), (0.6, 14)], 1.4, 4),                   # two back is movement
    ([(0.5, 15), (0.6, 16), (0.7, 17)], 1.5, 5),        # on again is movement
    ([(0.8, 15)], 0.8, 5),                              # C-14: the result was due before that reading
    ([(0.799999, 15)], 1.599999, 4),
], ids=["stays", "returns late", "flickers twice", "returns in time", "two back", "goes on", "too late", "in time"])
def test_one_slot_back_at_the_end(moves, at, number):
    """SP-5 SP-3 C-14 when the result comes, and which."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(36 + 15)
        t, answer = b.now, []
        for offset, slot in moves:
            answer = [*answer, *b.wheel(slot, plus(t, offset))]
        answer = [*answer, *b.run_until(plus(t, 5))]
        (result,) = [o for o in answer if o.get("event") == "result"]
        assert (result["t"], result["number"]) == (plus(t, at), number)
        assert tick_times(answer) == []
        assert [n for n in range(1, 10) if b.lights[f"seg{n}"] != "off"] == [number]


def test_a_silent_step_over_a_boundary():
    """SP-5 SP-2 one back over a boundary, then on in that direction: its segment lights without a tick."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(36 + 15)
        assert b.turn_wheel(-1) == [] and b.lights == alone(5, "white")
        assert b.turn_wheel(-1).tones() == [] and b.lights == alone(4, "white")
        assert b.turn_wheel(-2).tones() == [] and b.turn_wheel(-1).tones() == ["tick"]
        assert b.lights == alone(3, "white")


def test_the_other_direction_has_its_furthest_slot_too():
    """SP-5 SP-11 turning down to slot 15, one slot up is a flicker."""
    with Bench(UNIT) as b:
        b.spin_on(slot=20)
        b.turn_wheel(-36 - 5)
        t = b.now
        answer = b.wheel(16, plus(t, 0.3)) + b.wheel(15, plus(t, 0.5)) + b.run_until(plus(t, 3))
        assert answer.event("result")["t"] == plus(t, 0.8) and answer.event("result")["number"] == 4
        assert tick_times(answer) == []


# -- other wheels


@pytest.mark.parametrize("icons", [2, 12])
def test_wheels_of_other_sizes(icons):
    """SP-3 SP-9 2 to 12 icons, four slots each: segments, slots and tones follow."""
    data = [{"id": f"i{n}", "code": f"c{n}", "colour": "blue"} for n in range(icons)]
    with Bench(UNIT, settings={"spin.icons": data}) as b:
        assert b.header["lights"] == [f"seg{n + 1}" for n in range(icons)]
        assert {f"i{n}" for n in range(icons)} <= set(b.header["tones"])
        slots, last = icons * 4, icons * 4 - 1
        assert b.send(f'{{"t": 0, "wheel": {slots}}}', may_refuse=True).refused
        b.wheel(0)
        b.power_on()
        b.wheel(0, 1)
        for n in range(1, slots + slots):
            b.wheel(n % slots, plus(2, n * 0.02))
        event = b.run_for(1).event("result")
        assert b.slot == last and (event["icon"], event["number"]) == (f"i{icons - 1}", icons)
        assert b.display == f"c{icons - 1}" and b.lights[f"seg{icons}"] == "blue"


def test_min_turns_of_two():
    """SP-3 SP-4 min_turns 2: 71 slots are too short, 72 are enough."""
    for slots, event in ((71, "spin-refused"), (72, "result")):
        with Bench(UNIT, settings={"spin.min_turns": 2}) as b:
            b.spin_on()
            assert (b.turn_wheel(slots) + b.run_for(1)).events(event)


def test_at_rest_is_a_setting():
    """SP-3 at_rest 0.3."""
    with Bench(UNIT, settings={"spin.at_rest": 0.3}) as b:
        b.spin_on()
        b.turn_wheel(40)
        t = b.now
        assert b.run_for(1).event("result")["t"] == plus(t, 0.3)


def test_the_same_readings_again_are_no_movement():
    """SP-5 SP-3 a sensor that reports its slot over and over does not put the result off."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(40)
        t = b.now
        lines = [b.wheel(b.slot, plus(t, n * 0.1)) for n in range(1, 12)]
        (result,) = [o for answer in lines for o in answer if o.get("event") == "result"]
        assert stamp(result["t"]) == stamp(plus(t, 0.8))
