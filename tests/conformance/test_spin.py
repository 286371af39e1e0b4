"""Spin: the rules of docs/spec/spin.md, seen from outside."""

from bench_client import Bench, plus, soon

UNIT = "spin"
ICONS = ["shout", "discard-color", "draw-blue", "draw-red", "war", "discard-number", "show-hand", "trade-hands",
         "keep-two"]
CODES = ["CALL", "COL", "bLUE", "rEd", "HIGH", "123", "OPEn", "PASS", "2"]
COLOURS = ["white", "green", "blue", "red", "yellow", "purple", "white", "yellow", "purple"]


def spin_to(b, slot):
    """A full spin that ends on this slot; the answer with the result."""
    slots = (slot - b.slot) % 36 + 36
    return b.turn_wheel(slots) + b.run_for(1)


def test_power_on():
    """SP-1 startup, the ring chases, idle."""
    with Bench(UNIT) as b:
        answer = b.power_on()
        b.run_for(0.1)
        assert "startup" in answer.tones()
        assert b.state == "idle"
        assert all(b.lights[f"seg{n}"].endswith(" chase") for n in range(1, 10))


def test_two_slots_start_a_spin():
    """SP-2 2 slots within 0.5 s: spin-started with a direction: cw is where the slot numbers rise."""
    directions = []
    for way in (1, -1):
        with Bench(UNIT) as b:
            b.spin_on(slot=18)
            answer = b.turn_wheel(2 * way)
            event = answer.event("spin-started")
            assert event["t"] == b.now and b.state == "spinning"
            directions.append(event["direction"])
    assert directions == ["cw", "ccw"]


def test_one_slot_is_no_spin():
    """SP-2 SP-5 a single slot starts nothing."""
    with Bench(UNIT) as b:
        b.spin_on(slot=18)
        assert (b.wheel(19) + b.run_for(5)).events() == [] and b.state == "idle"


def test_boundaries_tick():
    """SP-2 each icon boundary passed ticks and lights that segment."""
    with Bench(UNIT) as b:
        b.spin_on(slot=1)
        answer = b.turn_wheel(40)
        ticks = [o["t"] for o in answer if o.get("tone") == "tick"]
        assert len(ticks) in (9, 10, 11)        # 10 boundaries; the first may belong to the start
        assert [n for n in range(1, 10) if answer.looks(f"seg{n}")] == list(range(1, 10))


def test_result():
    """SP-3 0.8 s without movement: result with icon and number, its segment alone is lit."""
    for slot, number in ((17, 5), (2, 1), (35, 9)):
        with Bench(UNIT) as b:
            b.spin_on(slot=1)
            answer = spin_to(b, slot)
            event = answer.event("result")
            assert soon(event["t"], plus(b.now, -0.2), 0.0)
            assert (event["icon"], event["number"]) == (ICONS[number - 1], number)
            assert event["virtual"] is False
            assert [n for n in range(1, 10) if b.lights[f"seg{n}"] != "off"] == [number]
            assert b.lights[f"seg{number}"] == COLOURS[number - 1]
            assert b.state == "result" and b.display == CODES[number - 1]
            assert answer.tones()[-1] != "tick"


def test_too_short():
    """SP-4 less than 36 slots: spin-refused, denied, SPin, idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        answer = b.turn_wheel(20) + b.run_for(1)
        assert answer.event("spin-refused")["reason"] == "too-short"
        assert answer.tones()[-1] == "denied"
        assert b.state == "idle" and b.display == "SPin" and not answer.events("result")


def test_flicker_starts_nothing():
    """SP-5 one slot to and fro for 10 s never starts a spin."""
    with Bench(UNIT) as b:
        b.spin_on(slot=15)
        for _ in range(50):
            b.wheel(16, plus(b.now, 0.1))
            b.wheel(15, plus(b.now, 0.1))
        assert b.events_named("spin-started") == [] and b.state == "idle"


def test_flicker_keeps_the_result():
    """SP-5 a flicker after the result changes nothing."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 19)
        assert b.last_event("result")["icon"] == "war"
        for _ in range(30):
            b.wheel(20, plus(b.now, 0.1))
            b.wheel(19, plus(b.now, 0.1))
        b.run_for(2)
        assert len(b.events_named("result")) == 1 and len(b.events_named("spin-started")) == 1
        assert b.state == "result" and b.lights["seg5"] != "off"


def test_next_spin_from_the_result():
    """SP-6 in result a new spin starts the next one."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 9)
        assert spin_to(b, 30).event("result")["icon"] == "trade-hands"


def test_go_in_result_without_an_aid():
    """SP-6 go: idle where the icon has no aid."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 9)
        assert b.last_event("result")["icon"] == "draw-blue"
        b.tap("go")
        assert b.state == "idle"


def test_show_hand_counts_down():
    """SP-7 SP-6 show-hand: 10 to 1 on the display, signal after 10 s, then idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 25)
        assert b.last_event("result")["icon"] == "show-hand"
        t = b.now
        answer = b.tap("go") + b.run_for(12)
        texts = [text for _, text in answer.displays()]
        assert texts[:10] == [str(n) for n in range(10, 0, -1)]
        assert soon(answer.when(tone="signal"), plus(t, 10), 0.2)
        assert b.state == "idle"


def test_war_counts_three_two_one():
    """SP-7 SP-6 war: 3-2-1 with ticks, then the signal, then idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 17)
        answer = b.tap("go") + b.run_for(8)
        texts = [text for _, text in answer.displays()]
        assert texts[:3] == ["3", "2", "1"]
        assert [x for x in answer.tones() if x in ("tick", "signal")] == ["tick"] * 3 + ["signal"]
        assert b.state == "idle"


def test_spin_without_the_wheel():
    """SP-8 go in idle: 2.5 to 4 s after its release a result with virtual: true."""
    with Bench(UNIT) as b:
        b.spin_on()
        t = b.now
        answer = b.tap("go") + b.run_for(5)
        event = answer.event("result")
        assert event["virtual"] is True and event["icon"] == ICONS[event["number"] - 1]
        assert 2.6 <= plus(event["t"], -t) <= 4.1 and not answer.events("spin-started")
        assert "tick" in answer.tones() and b.state == "result"
        assert [n for n in range(1, 10) if b.lights[f"seg{n}"] != "off"] == [event["number"]]


def test_jump_is_a_sensor_fault():
    """SP-9 C-20 more than 12 slots in less than 5 ms: fault, the spin is void, SPin, idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        answer = b.wheel((b.slot + 15) % 36, plus(b.now, 0.003))
        fault = answer.event("fault")
        assert (fault["part"], fault["reason"]) == ("wheel", "jump")
        assert b.state == "idle" and b.display == "SPin" and "denied" in answer.tones()
        answer = b.run_for(3)
        assert not answer.events("result") and not answer.events("spin-refused")


def test_sleep_and_wake_by_go():
    """SP-10 C-6 C-7 asleep after 120 s in idle; the go press that wakes does not spin."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.run_for(125)
        assert b.state == "asleep" and b.dark() and b.display == ""
        answer = b.tap("go") + b.run_for(6)
        assert answer.events("awake") and not answer.events("result") and b.state == "idle"


def test_a_spin_wakes_and_counts():
    """SP-10 a spin of the wheel while asleep: awake, and its result counts."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.run_for(125)
        assert b.state == "asleep"
        answer = spin_to(b, 9)
        assert len(answer.events("awake")) == 1 and answer.event("result")["icon"] == "draw-blue"


def test_three_jumps_in_a_row():
    """SP-9 SP-8 after three jumps in a row the wheel is ignored; a spin by go still works."""
    with Bench(UNIT) as b:
        b.spin_on()
        for _ in range(3):
            b.turn_wheel(5)
            assert len(b.wheel((b.slot + 15) % 36, plus(b.now, 0.003)).events("fault")) == 1
            b.run_for(2)
        answer = spin_to(b, 9)
        assert not answer.events("spin-started") and not answer.events("result") and b.state == "idle"
        assert (b.tap("go") + b.run_for(5)).event("result")["virtual"] is True


def test_hold_of_go_opens_the_volume():
    """SP-12 go held for 3 s in idle: volume; 2 s after the release idle again; no spin."""
    with Bench(UNIT) as b:
        b.spin_on()
        t = b.now
        answer = b.press("go") + b.run_until(plus(t, 3.5))
        assert answer.when(state="volume") == plus(t, 3) and b.display == "3"
        answer = b.release("go") + b.run_for(5)
        assert b.state == "idle" and not answer.events("result")


def test_a_wheel_that_never_stops():
    """SP-12 after 30 s of turning: fault no-rest, SPin, idle."""
    with Bench(UNIT) as b:
        b.spin_on()
        answer = b.turn_wheel(155, step=0.2)
        fault = answer.event("fault")
        assert (fault["part"], fault["reason"]) == ("wheel", "no-rest")
        assert soon(fault["t"], plus(answer.events("spin-started")[0]["t"], 30))


def test_a_nudge_leaves_the_result():
    """SP-4 SP-6 a too short move in result goes back to that result, silently."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 18)
        shown = (b.display, dict(b.lights))
        answer = b.turn_wheel(3) + b.run_for(2)
        assert not answer.events("spin-refused") and not answer.events("result") and "denied" not in answer.tones()
        assert b.state == "result" and (b.display, b.lights) == shown


def test_both_directions_count():
    """SP-11 a spin the other way gives a result too."""
    with Bench(UNIT) as b:
        b.spin_on(slot=5)
        answer = b.turn_wheel(-40) + b.run_for(1)
        assert answer.event("result")["icon"] == "shout"


def test_turning_back_does_not_count():
    """SP-11 30 slots on, 10 back and 10 on again are no full turn."""
    with Bench(UNIT) as b:
        b.spin_on()
        answer = b.turn_wheel(30) + b.turn_wheel(-10) + b.turn_wheel(10) + b.run_for(1)
        assert answer.event("spin-refused")["reason"] == "too-short"


def test_a_nudge_in_idle():
    """SP-4 fewer than 4 slots in idle: back to idle, silently."""
    with Bench(UNIT) as b:
        b.spin_on()
        answer = b.turn_wheel(3) + b.run_for(2)
        assert not answer.events("spin-refused") and "denied" not in answer.tones()
        assert b.state == "idle" and b.display == "" and b.lights["seg1"] == "white chase"


def test_spin_is_shown_until_the_next_one():
    """SP-4 SP-8 SPin stays until go."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(20)
        b.run_for(60)
        assert b.state == "idle" and b.display == "SPin" and b.lights["seg1"] == "white chase"
        b.tap("go")
        assert b.display != "SPin"


def test_min_turns_is_a_setting():
    """SP-3 SP-4 min_turns 0.5: 18 slots are enough, 17 are not."""
    for slots, event in ((17, "spin-refused"), (18, "result")):
        with Bench(UNIT, settings={"spin.min_turns": 0.5}) as b:
            b.spin_on()
            assert (b.turn_wheel(slots) + b.run_for(1)).events(event)


def test_flicker_at_the_end_of_a_spin():
    """SP-5 SP-3 one slot back and on again does not put the result off."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(36 + 15)                           # to slot 16
        t = b.now
        answer = b.wheel(15, plus(t, 0.3)) + b.wheel(16, plus(t, 0.4)) + b.run_for(2)
        assert answer.event("result") == {"t": plus(t, 0.8), "event": "result", "icon": "war", "number": 5,
                                          "virtual": False}
        assert "tick" not in answer.tones()


def test_two_slots_back_are_movement():
    """SP-5 SP-3 two slots back restart the rest."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(45)
        answer = b.run_for(0.5) + b.turn_wheel(-2)
        t = b.now
        assert not answer.events("result") and b.run_for(2).event("result")["t"] == plus(t, 0.8)


def test_a_flickering_wheel_sleeps():
    """C-6 SP-5 one slot to and fro is no movement: asleep after 120 s."""
    with Bench(UNIT) as b:
        b.spin_on(slot=15)
        for _ in range(70):
            b.wheel(16, plus(b.now, 1))
            b.wheel(15, plus(b.now, 1))
        assert b.state == "asleep"


def test_a_new_spin_ends_an_aid():
    """SP-7 SP-6 the state stays result in an aid, go is ignored, a new spin ends it."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 25)
        b.tap("go")
        b.run_for(2)
        assert b.state == "result" and b.tap("go") == []
        answer = spin_to(b, 9) + b.run_for(12)
        assert answer.event("result")["icon"] == "draw-blue" and "signal" not in answer.tones()


def test_virtual_spin_lasts_exactly():
    """SP-8 the drawn length runs from the release of go; go and wheel are ignored meanwhile."""
    with Bench(UNIT, settings={"spin.virtual_spin": [3, 3]}) as b:
        b.spin_on()
        t = b.now
        answer = b.tap("go")
        assert answer.states() == ["spinning"]
        answer = b.tap("go", plus(t, 0.5)) + b.turn_wheel(40) + b.run_for(5)
        assert answer.event("result")["t"] == plus(t, 3.1) and answer.events() == answer.events("result")


def test_another_wheel():
    """SP-9 SP-3 the icons are data: three of them, 12 slots; a jump is more than a third of a turn."""
    icons = [{"id": x, "code": x.upper(), "colour": "green"} for x in ("aa", "bb", "cc")]
    with Bench(UNIT, settings={"spin.icons": icons}) as b:
        assert {"aa", "bb", "cc"} <= set(b.header["tones"])
        b.spin_on()
        for n in range(2, 15):
            b.wheel(n % 12, plus(b.now, 0.02))
        event = b.run_for(1).event("result")
        assert (event["icon"], event["number"]) == ("aa", 1) and b.display == "AA" and b.lights["seg1"] == "green"
        assert not b.wheel(6, plus(b.now, 0.003)).events("fault")       # 4 slots after a long rest
        assert b.wheel(11, plus(b.now, 0.003)).event("fault")["reason"] == "jump"


def test_sleep_in_the_result():
    """SP-10 C-7 asleep in result, go wakes to the same result."""
    with Bench(UNIT) as b:
        b.spin_on()
        spin_to(b, 9)
        shown = (b.state, b.display, dict(b.lights))
        b.run_for(125)
        assert b.state == "asleep"
        b.tap("go")
        b.run_for(1)
        assert (b.state, b.display, b.lights) == shown


def test_a_new_spin_after_no_rest():
    """SP-12 after no-rest a new spin starts only after `at_rest` without movement."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(155, step=0.2)
        assert b.count("fault") == 1
        answer = b.turn_wheel(40)
        assert not answer.events() and b.state == "idle" and b.display == "SPin"
        b.run_for(0.9)
        answer = b.turn_wheel(40) + b.run_for(1)
        assert answer.event("spin-started") and answer.event("result")["number"] == b.slot // 4 + 1


def test_a_flicker_ticks_neither_now_nor_later():
    """SP-5 SP-2 one slot back over a boundary, then the second one: that reading enters no other icon."""
    with Bench(UNIT) as b:
        b.spin_on()
        b.turn_wheel(36 + 15)                           # to slot 16, the first one of its icon
        answer = b.turn_wheel(-2)
        assert "tick" not in answer.tones()
        assert b.run_for(1).event("result")["number"] == 4
