"""Spin, told to the last output: aids, spins without the wheel, faults, volume and sleep (docs/spec/spin.md)."""

from itertools import pairwise

import pytest
from bench_client import Bench, chi_square, plus, run_script
from rounds import tick_times

UNIT = "spin"
RING = [f"seg{n}" for n in range(1, 10)]
CHASE = dict.fromkeys(RING, "white chase")


def spin_to(b, slot):
    """A full turn and on to this slot; the answer with the result."""
    return b.turn_wheel((slot - b.slot) % 36 + 36) + b.run_for(1)


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


def test_the_length_of_war_is_a_setting():
    """SP-7 war_seconds 5: 5 to 1, a tick with each, then the signal."""
    with Bench(UNIT, settings={"spin.war_seconds": 5}) as b:
        b.spin_on()
        spin_to(b, 17)
        t = b.now
        answer = b.tap("go") + b.run_for(20)
        assert [text for _, text in answer.displays()] == ["5", "4", "3", "2", "1", ""]
        assert answer.when(tone="signal") == plus(t, 5) and answer.tones() == [*["tick"] * 5, "signal"]


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
