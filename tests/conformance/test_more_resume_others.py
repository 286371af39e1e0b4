"""What Master, Spin and Party keep when the plug is pulled (C-5 in docs/spec/common.md)."""

import pytest
from bench_client import Bench, plus


def test_all_that_a_resumed_master_shows(tmp_path):
    """C-5 MA-1 killed while the clock ran: at t 0, before the first answer, waiting with the speed; no tone."""
    with Bench("master", state=tmp_path) as b:
        b.master_run("8")
        with b.reborn() as c:
            assert c.run_until(0) == [
                {"t": 0, "event": "resumed", "state": "waiting"},
                {"t": 0, "state": "waiting"},
                {"t": 0, "lights": {"timer": "red slow-blink"}},
                {"t": 0, "display": "4"},               # the first speed, until the switch reports one
            ]
            assert c.switch("speed", "8", 1).displays() == [(1, "8")]
            assert c.tap("timer", 2).event("turn")["t"] == 2 and c.state == "running"


@pytest.mark.parametrize("seconds, total", [(7, "2"), (15, "4")])
def test_a_master_resumes_with_its_total(tmp_path, seconds, total):
    """C-5 MA-6 MA-8 killed in penalty or in the waiting after it: waiting, the total flashes, no clock runs."""
    with Bench("master", state=tmp_path) as b:
        start = b.master_run("6")
        b.run_until(plus(start, seconds))
        with b.reborn() as c:
            answer = c.run_until(0)
            assert answer.event("resumed") == {"t": 0, "event": "resumed", "state": "waiting"}
            assert (c.display, c.pattern, c.lights["timer"]) == (total, "flash", "red slow-blink")
            assert c.run_for(100) == []


def test_a_paused_master_resumes_in_waiting(tmp_path):
    """C-5 MA-9 killed in paused: waiting, no total, a press starts the clock."""
    with Bench("master", state=tmp_path) as b:
        start = b.master_run("6")
        b.hold("timer", 1.5, plus(start, 2))
        with b.reborn() as c:
            c.run_until(0)
            assert (c.state, c.display) == ("waiting", "4")
            assert c.tap("timer", 1).events("turn")


def test_a_resumed_master_switches_itself_off(tmp_path):
    """C-5 MA-11 resumed and not pressed for 300 s: off; killed then there is nothing to resume."""
    with Bench("master", state=tmp_path) as b:
        b.master_run("6")
        with b.reborn() as c:
            answer = c.run_until(400)
            assert answer.states() == ["waiting", "off"] and answer.when(state="off") == 300
            with c.reborn() as d:
                assert d.run_until(10) == []


def test_a_master_that_was_switched_off_starts_fresh(tmp_path):
    """C-5 MA-10 a long hold ends the round."""
    with Bench("master", state=tmp_path) as b:
        start = b.master_run("6")
        b.hold("timer", 3.5, plus(start, 1))
        with b.reborn() as c:
            assert c.run_until(10) == [] and c.state == "off"


def test_a_master_tells_of_its_memory_when_it_is_switched_on(tmp_path):
    """C-5 garbage in the state: silent at t 0; the fault comes with the press that switches on."""
    with Bench("master", state=tmp_path) as b:
        b.master_run("6")
        b.kill()
    for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
        path.write_bytes(b"\x00\xff no state")
    with Bench("master", state=tmp_path) as c:
        assert c.run_until(1) == []
        answer = c.press("timer")
        assert {e["part"] for e in answer.events("fault")} == {"memory"} and c.state == "waiting"


def test_a_spin_resumes_its_result_without_its_aid(tmp_path):
    """C-5 SP-7 killed in the count of show-hand: the result, its code, and no countdown."""
    with Bench("spin", state=tmp_path) as b:
        b.spin_on()
        b.turn_wheel(36 + 24)
        b.run_for(1)
        shown = dict(b.lights)
        assert b.display == "OPEn"
        b.tap("go")
        b.run_for(2)
        with b.reborn() as c:
            answer = c.power_on()
            assert answer.event("resumed") == {"t": 0, "event": "resumed", "state": "result"}
            assert (c.display, c.lights, answer.tones()) == ("OPEn", shown, [])
            assert c.run_for(60) == []


@pytest.mark.parametrize("unit", ["spin", "party"])
def test_other_units_keep_their_volume(tmp_path, unit):
    """C-5 C-16 set to 2, killed: the next tone is at 2; a volume in the settings is only where it begins."""
    with Bench(unit, state=tmp_path) as b:
        b.power_on()
        b.run_for(1)
        b.hold("go", 3.5)
        b.tap("go")
        assert b.display == "2"
        with b.reborn(settings={"common.volume": 5}) as c:
            c.power_on()
            c.tap("go", 1)
            c.run_for(1)
            assert {o["volume"] for o in c.tones} == {2}


def test_a_virtual_result_is_resumed(tmp_path):
    """C-5 SP-8 a result of a spin without the wheel is a result: its light and its code again."""
    with Bench("spin", settings={"spin.virtual_spin": [1, 1]}, state=tmp_path) as b:
        b.spin_on()
        b.tap("go")
        b.run_for(2)
        shown = (b.state, b.display, dict(b.lights))
        assert b.state == "result"
        with b.reborn() as c:
            c.power_on()
            assert (c.state, c.display, c.lights) == shown and c.count("resumed") == 1


def test_a_spin_in_idle_or_spinning_starts_fresh(tmp_path):
    """C-5 SP-1 killed in idle, in a turn of the wheel or in a virtual spin: startup, idle, no resumed."""
    for life in ("idle", "spinning", "virtual"):
        with Bench("spin", state=tmp_path / life) as b:
            b.spin_on()
            if life == "spinning":
                b.turn_wheel(10)
            if life == "virtual":
                b.tap("go")
            with b.reborn() as c:
                answer = c.power_on()
                assert not answer.events() and answer.tones() == ["startup"] and c.state == "idle"


@pytest.mark.parametrize("then", ["pointing", "linking", "volume", "asleep"])
def test_a_party_resumes_its_direction(tmp_path, then):
    """C-5 PA-6 killed in pointing, linking, volume or asleep: the direction and the link are there again."""
    with Bench("party", state=tmp_path) as b:
        b.power_on()
        b.run_for(1)
        b.tap("reverse")
        b.hold("go", 1.2)
        for name in ("go", "next", "go"):
            b.tap(name)
        b.run_for(1)
        if then == "pointing":
            b.tap("go")
        elif then == "asleep":
            b.run_for(400)
        else:
            b.hold("go", 1.2 if then == "linking" else 3.5)
        assert b.state == then
        with b.reborn() as c:
            answer = c.power_on()
            assert answer.event("resumed") == {"t": 0, "event": "resumed", "state": "counter"}
            assert c.state == "counter" and c.display == ""
            assert [n for n in range(1, 17) if c.lights[f"seat{n}"] == "purple"] == [1, 2]
            assert c.run_for(30).events() == []
