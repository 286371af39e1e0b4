"""Spin, told to the last output: the wheel, results, aids, spins without the wheel (docs/spec/spin.md)."""

from itertools import pairwise

import pytest
from bench_client import Bench, chi_square, plus, run_script, stamp
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


# -- aids


def test_all_that_show_hand_shows():
    """SP-7 SP-6 beep and 10 at once; a second each; at 10 s signal and idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 25)
        t = b.now
        wanted = [{"t": t, "display": "10"}, {"t": t, "tone": "beep", "volume": 3}]
        wanted += [{"t": plus(t, n), "display": str(10 - n)} for n in range(1, 10)]
        end = plus(t, 10)
        wanted += [{"t": end, "state": "idle"}, {"t": end, "lights": CHASE}, {"t": end, "display": ""},
                   {"t": end, "tone": "signal", "volume": 3}]
        assert b.tap("go") + b.run_until(plus(t, 60)) == wanted


def test_all_that_war_shows():
    """SP-7 3, 2, 1 with a tick each, then signal and idle; no beep."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 17)
        t, end, wanted = b.now, plus(b.now, 3), []
        for n in range(3):
            wanted += [{"t": plus(t, n), "display": str(3 - n)}, {"t": plus(t, n), "tone": "tick", "volume": 3}]
        wanted += [{"t": end, "state": "idle"}, {"t": end, "lights": CHASE}, {"t": end, "display": ""},
                   {"t": end, "tone": "signal", "volume": 3}]
        assert b.tap("go") + b.run_until(plus(t, 60)) == wanted


def test_all_that_go_without_an_aid_shows():
    """SP-6 at the edge: idle, the chase, a blank display, beep; held on it opens no volume."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 9)
        t = b.now
        assert b.press("go") == [{"t": t, "state": "idle"}, {"t": t, "lights": CHASE}, {"t": t, "display": ""},
                                 {"t": t, "tone": "beep", "volume": 3}]
        assert b.release("go", plus(t, 0.1)) + b.run_for(10) == []


def test_the_length_of_show_hand_is_a_setting():
    """SP-7 show_hand_seconds 3."""
    with Bench(UNIT, settings={"spin.show_hand_seconds": 3}) as b:
        b.spin_on()
        spin_to(b, 25)
        t = b.now
        answer = b.tap("go") + b.run_for(20)
        assert [text for _, text in answer.displays()] == ["3", "2", "1", ""]
        assert answer.when(tone="signal") == plus(t, 3)


def test_a_nudge_ends_an_aid():
    """SP-7 SP-4 a move in the count of show-hand ends it; too short, it leads back to the result and its code."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 25)
        b.tap("go")
        b.run_for(2)
        b.turn_wheel(3)
        answer = b.run_for(60)
        assert b.state == "result" and b.display == "OPEn" and "signal" not in answer.tones()


# -- a spin without the wheel


def test_all_that_a_virtual_spin_does():
    """SP-8 beep, one round or more with gaps that never shrink, tick at each segment, on to the icon in time."""
    with Bench(UNIT, settings={"spin.virtual_spin": [3, 3]}) as b:
        b.spin_on()
        t = b.now
        answer = b.tap("go") + b.run_for(10)
        assert answer.tones()[0] == "beep" and answer.states() == ["spinning", "result"]
        end = answer.event("result")["t"]
        assert end == plus(t, 3.1)
        ticks = tick_times(answer)
        assert len(ticks) >= 9 and ticks[-1] <= end
        gaps = [round(later - earlier, 6) for earlier, later in pairwise(ticks)]
        assert all(later >= earlier - 2e-6 for earlier, later in pairwise(gaps)), gaps
        lit = [int(name[3:]) for o in answer if "lights" in o and o["t"] < end
               for name, look in o["lights"].items() if look == "white"]
        assert all(later == earlier % 9 + 1 for earlier, later in pairwise(lit)), lit
        assert lit[-1] == answer.event("result")["number"]
        assert b.tones[-1]["tone"] == answer.event("result")["icon"]


def test_virtual_spins_are_uniform():
    """SP-8 C-23 of 540 virtual spins each icon has its share, and lengths fill their range evenly."""
    lines = ['{"t": 0, "switch": "power", "to": "on"}']
    for n in range(540):
        t = 1 + n * 20
        lines += [f'{{"t": {t}, "tap": "go"}}', f'{{"t": {t + 6}, "tap": "go"}}']       # then idle, or an aid
    results = run_script(UNIT, lines).outputs.events("result")
    assert len(results) == 540 and all(e["virtual"] for e in results)
    numbers = [[e["number"] for e in results].count(n) for n in range(1, 10)]
    assert chi_square(numbers, [1] * 9) < 42, numbers
    lengths = [round(e["t"] - (1 + n * 20) - 0.1, 6) for n, e in enumerate(results)]
    assert all(2.5 <= length <= 4.0 for length in lengths)
    thirds = [sum(low <= length < low + 0.5 for length in lengths) for low in (2.5, 3.0, 3.5)]
    assert chi_square(thirds, [1] * 3) < 28, thirds


def test_the_wheel_is_only_followed_in_a_virtual_spin():
    """SP-8 SP-2 turned meanwhile: nothing; after the result one slot more is no spin, two are."""
    with Bench(UNIT, settings={"spin.virtual_spin": [3, 3]}) as b:
        b.spin_on()
        b.tap("go")
        b.turn_wheel(20)
        b.run_for(5)
        assert b.state == "result" and not b.count("spin-started")
        assert b.turn_wheel(1) == []
        b.run_for(1)
        assert b.turn_wheel(2).events("spin-started")


@pytest.mark.parametrize("opened, states", [(2.98, ["spinning"]), (3.0, ["volume"])])
def test_a_tap_or_a_hold(opened, states):
    """SP-8 SP-12 C-14 C-10a let go before 3 s: a virtual spin from there; at 3 s: the volume."""
    with Bench(UNIT, settings={"spin.virtual_spin": [3, 3]}) as b:
        b.spin_on()
        t = b.now
        b.press("go")
        answer = b.release("go", plus(t, opened)) + b.run_for(0.1)
        assert answer.states() == states
        if states == ["spinning"]:
            assert b.run_for(5).event("result")["t"] == plus(t, opened + 3)


def test_go_takes_spin_from_the_display():
    """SP-4 SP-8 after a short spin SPin stands until go; the virtual spin and its result follow."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        b.run_for(2)
        answer = b.tap("go") + b.run_for(5)
        assert answer.event("result")["virtual"] is True and b.display != "SPin"


# -- faults of the sensor


@pytest.mark.parametrize("jump, after, fault", [
    (13, 0.004999, True), (12, 0.004999, False), (13, 0.005, False), (18, 0.001, True), (23, 0.004, True),
    (24, 0.004, False), (35, 0.001, False)])
def test_what_is_a_jump(jump, after, fault):
    """SP-9 more than 12 slots the shorter way round, less than 5 ms after the reading before."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(10)
        answer = b.wheel((b.slot + jump) % 36, plus(b.now, after))
        assert bool(answer.events("fault")) is fault


def test_all_that_a_jump_in_idle_shows():
    """SP-9 fault, SPin, denied; the ring and the state are idle's already."""
    with Bench(UNIT) as b:
        b.spin_on(slot=1)
        b.wheel(2, 3)
        assert b.wheel(20, 3.001) == [
            {"t": 3.001, "event": "fault", "part": "wheel", "reason": "jump"},
            {"t": 3.001, "display": "SPin"},
            {"t": 3.001, "tone": "denied", "volume": 3},
        ]


def test_all_that_a_jump_in_a_result_shows():
    """SP-9 the result is void: idle, the chase, SPin, denied; an aid ends with it."""
    for aid in (False, True):
        with Bench(UNIT) as b:
            b.spin_on()
            spin_to(b, 25)
            if aid:
                b.tap("go")
            b.run_for(1)
            t = plus(b.now, 0.1)
            b.wheel(26, t)
            at = plus(t, 0.001)
            assert b.wheel(10, at) == [
                {"t": at, "event": "fault", "part": "wheel", "reason": "jump"},
                {"t": at, "state": "idle"},
                {"t": at, "lights": CHASE},
                {"t": at, "display": "SPin"},
                {"t": at, "tone": "denied", "volume": 3},
            ]
            assert b.run_for(60).tones() == []


def test_a_jump_in_a_virtual_spin_is_nothing():
    """SP-9 SP-8 no fault, and the result comes in time."""
    with Bench(UNIT, settings={"spin.virtual_spin": [3, 3]}) as b:
        b.spin_on()
        t = b.now
        b.tap("go")
        answer = b.wheel(2, plus(t, 1)) + b.wheel(20, plus(t, 1.001)) + b.run_for(5)
        assert not answer.events("fault") and answer.event("result")["t"] == plus(t, 3.1)


def test_a_jump_in_the_volume_is_the_event_only():
    """SP-9 SP-12 told, and nothing else; the volume closes in time."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.hold("go", 3.2)
        t = plus(b.now, 0.1)
        b.wheel(2, t)
        t = plus(t, 0.001)
        assert b.wheel(20, t) == [{"t": t, "event": "fault", "part": "wheel", "reason": "jump"}]
        assert b.run_for(5).states() == ["idle"]


def test_a_jump_in_sleep_is_nothing():
    """SP-9 C-6 no fault, and it wakes nobody by its jump."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.run_for(200)
        t = b.now
        b.wheel(2, t)
        assert b.wheel(20, plus(t, 0.001)).events("fault") == []


def jump(b):
    """A short move and a jump in it; the answer of the jump, when the wheel has come to rest."""
    b.turn_wheel(5)
    answer = b.wheel((b.slot + 15) % 36, plus(b.now, 0.003))
    b.run_for(2)
    return answer


def test_a_result_of_the_wheel_forgives_jumps():
    """SP-9 two jumps, a result, two jumps: the wheel still counts."""
    with Bench(UNIT) as b:
        b.spin_on()
        for _ in range(2):
            assert jump(b).events("fault") and jump(b).events("fault")
            assert spin_to(b, 9).event("result")["icon"] == "draw-blue"


def test_a_virtual_result_forgives_nothing():
    """SP-9 SP-8 two jumps, a virtual result, a jump: the wheel is ignored."""
    with Bench(UNIT) as b:
        b.spin_on()
        jump(b)
        jump(b)
        b.tap("go")
        b.run_for(5)
        assert b.state == "result"
        jump(b)
        assert b.state == "idle" and not spin_to(b, 9).events()


def test_power_on_gives_the_wheel_another_chance():
    """SP-9 ignored after three jumps until the next power-on."""
    with Bench(UNIT) as b:
        b.spin_on()
        for _ in range(3):
            jump(b)
        assert not spin_to(b, 9).events()
        b.power_off()
        b.power_on()
        b.wheel(b.slot, plus(b.now, 0.1))
        b.run_for(1)
        assert spin_to(b, 9).event("result")["icon"] == "draw-blue"


def test_a_broken_wheel():
    """C-20 SP-8 the wheel fails: told, and go still spins; mended it is told, and the wheel counts again."""
    with Bench(UNIT) as b:
        b.spin_on()
        assert b.break_part("wheel", "no magnet").event("fault")["part"] == "wheel"
        assert (b.tap("go") + b.run_for(5)).event("result")["virtual"] is True
        assert b.mend("wheel").event("healed")["part"] == "wheel"
        b.wheel(b.slot, plus(b.now, 0.1))
        b.run_for(1)
        assert spin_to(b, 9).event("result") == {
            "t": plus(b.now, -0.2), "event": "result", "icon": "draw-blue", "number": 3, "virtual": False}


def test_all_that_a_wheel_without_rest_shows():
    """SP-12 SP-9 30 s after spin-started: fault no-rest, void, SPin, denied."""
    with Bench(UNIT) as b:
        b.spin_on()
        t = b.now
        b.turn_wheel(100, step=0.3)
        started = b.last_event("spin-started")["t"]
        assert started == plus(t, 0.6)
        answer = b.turn_wheel(4, step=0.3)
        due = plus(started, 30)
        assert [o for o in answer if o["t"] == due] == [
            {"t": due, "event": "fault", "part": "wheel", "reason": "no-rest"},
            {"t": due, "state": "idle"},
            {"t": due, "lights": CHASE},
            {"t": due, "display": "SPin"},
            {"t": due, "tone": "denied", "volume": 3},
        ]


# -- volume and sleep


def test_all_that_the_volume_shows():
    """SP-12 TP-17 at 3 s the volume, a dark ring, beep; 2 s after the release idle; 6 s of holding end nothing."""
    with Bench(UNIT) as b:
        b.spin_on()
        t = b.now
        three, back = plus(t, 3), plus(t, 9)
        assert b.press("go") + b.release("go", plus(t, 7)) + b.run_for(60) == [
            {"t": three, "state": "volume"},
            {"t": three, "lights": dict.fromkeys(RING, "off")},
            {"t": three, "display": "3"},
            {"t": three, "tone": "beep", "volume": 3},
            {"t": back, "state": "idle"},
            {"t": back, "lights": CHASE},
            {"t": back, "display": ""},
        ]


def test_the_volume_covers_spin():
    """SP-12 SP-4 opened while SPin stands: the volume is shown, then idle with its ring."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        b.run_for(2)
        b.hold("go", 3.5)
        assert b.display == "3"
        b.run_for(5)
        assert b.state == "idle" and b.lights == CHASE and b.display in ("", "SPin")


def test_lo_waits_for_spin_to_go():
    """C-4 SP-4 SPin is not covered; the result of a spin frees the display."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        b.run_for(2)
        answer = b.battery("low") + b.run_for(30)
        assert answer.event("battery-low") and answer.displays() == [] and b.display == "SPin"


def test_asleep_on_the_second():
    """SP-10 C-6 120 s after the last movement of two slots; a flicker on the way does not count."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(36 + 16)
        t = b.now
        b.run_for(50)
        b.turn_wheel(1)
        b.run_for(5)
        b.turn_wheel(-1)
        assert b.run_for(200).event("asleep")["t"] == plus(t, 120)


def test_a_nudge_wakes():
    """SP-10 SP-4 two slots in sleep: awake and spin-started; then silently back to what was before sleep."""
    for result in (False, True):
        with Bench(UNIT) as b:
            b.spin_on()
            if result:
                spin_to(b, 9)
            shown = (b.state, b.display, dict(b.lights))
            b.run_for(200)
            assert b.turn_wheel(1) == []
            answer = b.turn_wheel(1)
            assert [e["event"] for e in answer.events()] == ["awake", "spin-started"] and b.state == "spinning"
            answer = b.run_for(2)
            assert answer.events() == [] and (b.state, b.display, b.lights) == shown


def test_no_sleep_in_an_aid():
    """SP-10 SP-7 a long count keeps awake, and 120 s after its signal it sleeps."""
    with Bench(UNIT, settings={"spin.show_hand_seconds": 200}) as b:
        b.spin_on()
        spin_to(b, 25)
        t = b.now
        b.tap("go")
        answer = b.run_for(500)
        assert answer.when(tone="signal") == plus(t, 200) and answer.event("asleep")["t"] == plus(t, 320)


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
