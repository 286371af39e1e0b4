"""Rules common to every unit (docs/spec/common.md), mostly seen on Triple Play."""

import pytest
from bench_client import Bench, plus, run_script, soon

UNIT = "triple-play"
LIMIT_20 = {"triple_play.overload_presses": [20, 20]}


# -- power


def test_nothing_happens_without_power():
    """C-1 power off: dark, blank, silent, inputs ignored."""
    with Bench(UNIT) as b:
        for name in ("go", "pile1", "pile2", "pile3"):
            assert b.tap(name) == []
        assert b.run_for(300) == []


def test_power_off_ends_everything():
    """C-1 switched off in mid-game: off, dark, blank, silent at once; nothing afterwards."""
    with Bench(UNIT) as b:
        b.start_round(timer=True)
        b.run_for(2.5)
        t = b.now
        answer = b.power_off()
        assert answer.when(state="off") == t and answer.events() == [] and answer.tones() == []
        assert b.dark() and b.display == ""
        assert b.run_for(60) + b.tap("go") + b.tap("pile1") == []


def test_mode_is_read_at_power_on_only():
    """C-2 the timer switch moved after power-on changes nothing until the next power-on."""
    with Bench(UNIT) as b:
        b.power_on(timer=False)
        b.switch("timer", "on")
        b.run_for(0.5)
        b.tap("go")
        b.tap("go")
        assert b.state == "playing" and b.last_event("round-started")["mode"] == "regular"
        assert b.run_for(30).events() == []
        b.power_off()
        b.run_for(1)
        b.switch("power", "on")
        b.run_for(0.5)
        b.tap("go")
        b.tap("go")
        assert b.last_event("round-started")["mode"] == "timer" and b.display != ""


def test_low_battery_at_power_on():
    """C-3 low battery at power-on: power-down, asleep; a wake press repeats it until the battery is good."""
    with Bench(UNIT) as b:
        b.battery("low")
        assert "power-down" in b.power_on().tones()
        b.run_for(5)
        assert b.state == "asleep" and b.dark()
        assert "power-down" in (b.tap("go") + b.run_for(5)).tones()
        assert b.state == "asleep"
        b.battery("ok")
        b.tap("go")
        b.run_for(1)
        assert b.state == "standby"


def test_battery_turns_low():
    """C-4 battery low in mid-game: event and tone once, Lo for 2 s; the game goes on."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(3)
        t, before = b.now, b.display
        answer = b.battery("low") + b.run_for(5)
        assert answer.event("battery-low")["t"] == t
        assert answer.tones() == ["battery-low"]
        (shown_at, shown), (gone_at, gone) = answer.displays()
        assert (shown, gone) == ("Lo", before) and soon(shown_at, t) and soon(gone_at, plus(shown_at, 2))
        assert b.battery("low").events() == []
        assert b.play().events("played")


def test_resume_after_the_plug_was_pulled(tmp_path):
    """C-5 killed in mid-round: the restart resumes lit piles and counts and says resumed."""
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as b:
        b.start_round()
        b.fill(2, 3)
        b.run_for(0.5)
        lit = b.lit_piles()
        with b.reborn() as c:
            c.power_on()
            c.run_for(0.2)
            resumed = c.last_event("resumed")
            assert (resumed["state"], resumed["mode"], sorted(resumed["lit"])) == ("playing", "regular", lit)
            assert c.state == "playing" and not c.events_named("turn")
            assert not c.events_named("round-started")
            assert c.lit_piles() == lit
            assert c.fill(2, 1).event("played")["count"] == 4


def test_no_countdown_runs_after_a_restart(tmp_path):
    """C-5 killed in timer mode: paused with the full time, and no time runs until go is tapped."""
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as b:
        b.start_round(timer=True)
        b.run_for(4)
        with b.reborn() as c:
            c.power_on(timer=True)
            answer = c.run_for(60)
            assert c.count("resumed") == 1 and c.state == "paused" and (c.display, c.pattern) == ("10", "flash")
            assert not answer.events("timeout")
            t = c.now
            answer = c.tap("go") + c.run_for(11)
            assert soon(answer.event("timeout")["t"], plus(t, 10.1))


def test_master_resumes_in_waiting(tmp_path):
    """C-5 Master killed while the clock runs: resumed, waiting, no penalty by itself."""
    with Bench("master", state=tmp_path) as b:
        b.master_run("6")
        b.run_for(2)
        with b.reborn() as c:
            c.switch("speed", "6")
            answer = c.run_for(0.1)
            assert c.count("resumed") == 1 and c.state == "waiting"
            assert not (answer + c.run_for(30)).events("penalty")


def test_switching_off_ends_the_round(tmp_path):
    """C-5 after the switch was used the next start is fresh."""
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as b:
        b.start_round()
        b.play()
        b.power_off()
        with b.reborn() as c:
            c.power_on()
            c.run_for(0.2)
            assert c.state == "standby" and not c.events_named("resumed")


# -- sleep


def test_sleep_after_two_minutes():
    """C-6 120 s without an input: event, state, dark, blank, silent."""
    with Bench(UNIT) as b:
        b.power_on()
        b.tap("go", 1)
        answer = b.run_until(120.9)
        assert not answer.events("asleep")
        answer = b.run_until(121.5)
        assert soon(answer.event("asleep")["t"], 121.1)
        assert answer.states() == ["asleep"] and answer.tones() == []
        assert b.dark() and b.display == ""
        assert b.run_for(1000) == []


def test_inputs_put_sleep_off():
    """C-6 any press puts sleep off by another 120 s."""
    with Bench(UNIT) as b:
        b.start_round()
        for _ in range(5):
            b.run_for(119)
            assert b.state == "playing"
            b.tap("go")
        assert b.run_for(121).events("asleep")


@pytest.mark.parametrize("taps, state", [(0, "standby"), (1, "ready"), (2, "playing")])
def test_wake_press_does_nothing_else(taps, state):
    """C-7 go wakes; everything is as before; that press does nothing else."""
    with Bench(UNIT) as b:
        b.power_on()
        b.run_for(0.5)
        for _ in range(taps):
            b.tap("go")
            b.run_for(0.5)
        b.run_for(1)
        before = (b.state, dict(b.lights), b.display)
        b.run_for(121)
        assert b.state == "asleep"
        t = b.now
        answer = b.tap("go") + b.run_for(1)
        assert answer.event("awake")["t"] == t
        assert state == b.state and (b.state, dict(b.lights), b.display) == before
        assert not [e for e in answer.events() if e["event"] != "awake"]


def test_pads_do_not_wake():
    """C-8 a pad pressed while asleep does nothing."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(121)
        assert b.state == "asleep"
        for pile in (1, 2, 3):
            assert b.tap(f"pile{pile}") == []
        assert b.state == "asleep"


# -- inputs


def test_bouncing_press_is_one_press_at_its_first_edge():
    """C-9 C-10 a pad that bounces for 8 ms: one beep, at the first edge; the hold runs from there."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile, t = b.lit_piles()[0], b.now
        answer = b.bounce(f"pile{pile}", (0, 0.001, 0.002, 0.004, 0.005, 0.007, 0.008), t)
        answer += b.run_until(plus(t, 2.5))
        assert answer.when(tone="beep") == t and answer.when(state="holding") == t
        assert answer.event("cleared")["t"] == plus(t, 2) and not answer.events("played")


def test_bouncing_release_is_one_release():
    """C-10 C-11 a pad that bounces when it opens counts once and is no second press."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile, t = b.lit_piles()[0], b.now
        answer = b.bounce(f"pile{pile}", (0, 0.2, 0.204, 0.207, 0.215, 0.216), t) + b.run_for(1)
        assert answer.tones() == ["beep"] and len(answer.events("played")) == 1
        assert not answer.events("denied")


@pytest.mark.parametrize("opened, event", [(1.999, "played"), (2.001, "cleared")])
def test_release_stamp_decides_over_the_hold(opened, event):
    """C-10a opened before 2 s: counts, although it is confirmed later; opened after: cleared."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(2)
        pile = b.lit_piles()[0]
        answer = b.hold(f"pile{pile}", opened)
        assert [e["event"] for e in answer.events() if e["event"] in ("played", "cleared")] == [event]


@pytest.mark.parametrize("down", [0.001, 0.05])
def test_fast_taps_all_count(down):
    """C-11 20 taps, 10 a second, 1 ms or 50 ms long: 20 counts."""
    with Bench(UNIT, settings=LIMIT_20) as b:
        b.start_round()
        b.run_for(2)
        start = b.now
        for n in range(20):
            pile = b.last_event("turn")["lit"][0]
            b.bounce(f"pile{pile}", (0, down), plus(start, n * 0.1))
            b.run_until(plus(start, n * 0.1 + 0.099))
        assert len(b.events_named("played")) == 20 and not b.events_named("denied")


def test_pad_down_at_power_on():
    """C-12 a pad that is down at power-on: fault held-at-start, ignored; healed on release; then it works."""
    with Bench(UNIT) as b:
        b.press("pile2")
        b.run_for(1)
        t = b.now
        fault = (b.power_on() + b.run_for(0.1)).event("fault")
        assert (fault["part"], fault["reason"]) == ("pile2", "held-at-start") and soon(fault["t"], t)
        answer = b.release("pile2", 3) + b.run_for(0.1)
        assert answer.event("healed")["part"] == "pile2"
        b.tap("go")
        b.tap("go")
        assert b.fill(2, 1).event("played")["pile"] == 2


def test_deadline_comes_before_an_edge_of_the_same_time():
    """C-14 MA-12 Master: a press stamped exactly at the run-out comes after it, a late slap: ignored."""
    with Bench("master") as b:
        start = b.master_run("6")
        answer = b.press("timer", plus(start, 6))
        assert [e["event"] for e in answer.events()] == ["penalty"]
        assert b.state == "penalty"


def test_being_late_changes_nothing():
    """C-15 one long step: every deadline at its own time."""
    with Bench(UNIT) as b:
        start = b.start_round(timer=True)
        answer = b.run_until(plus(start, 100))
        assert [(t, x) for t, x in answer.displays()][:3] == [(plus(start, n), str(10 - n)) for n in (1, 2, 3)]
        assert answer.event("timeout")["t"] == plus(start, 10)
        times = [o["t"] for o in answer]
        assert times == sorted(times)


# -- sound and light


def test_default_volume():
    """C-16 every tone of a fresh unit is at volume 3."""
    with Bench(UNIT) as b:
        b.start_round()
        b.play()
        assert {o["volume"] for o in b.tones} == {3}


def test_volume_is_kept_across_power_off():
    """C-16 the volume set before is there after the next power-on."""
    with Bench(UNIT) as b:
        b.start_round()
        b.hold("go", 3.5)
        b.tap("go")
        b.run_for(3)
        b.power_off()
        b.run_for(1)
        b.power_on()
        b.run_for(1)
        answer = b.tap("go")
        assert [o["volume"] for o in answer if "tone" in o] == [2]


def test_light_and_sound():
    """C-17 a counted press, a refused press, a clear and an overload each have a light and a sound."""
    with Bench(UNIT, settings={"triple_play.overload_presses": [4, 4], "triple_play.lit_odds": [100, 0, 0]}) as b:
        b.start_round()
        b.run_for(2)

        def both(answer):
            return bool(answer.tones()) and any("lights" in o for o in answer)

        assert both(b.play() + b.run_for(0.2))
        assert both(b.tap(f"pile{b.unlit_piles()[0]}"))
        b.run_for(1)
        assert both(b.clear())
        while b.state != "overload":
            answer = b.fill(1, 1)
        assert both(answer)


def test_display_fails_and_is_back():
    """C-20 display gone: fault, the game goes on; mended: healed."""
    with Bench(UNIT) as b:
        b.start_round(timer=True)
        answer = b.break_part("display", "no answer at 0x70") + b.run_for(2)
        fault = answer.event("fault")
        assert fault["part"] == "display" and "reason" in fault and answer.displays() == []
        assert b.play().events("played")
        assert b.run_for(1).displays() == []
        answer = b.mend("display")
        assert len(answer.displays()) == 1
        assert answer.event("healed")["part"] == "display"
        assert b.state == "playing"


# -- chance

SCRIPT = ['{"t": 0, "switch": "timer", "to": "on"}', '{"t": 0, "switch": "power", "to": "on"}',
          '{"t": 1, "tap": "go"}', '{"t": 2, "tap": "go"}']
SCRIPT += [f'{{"t": {3 + n}, "tap": "{"go" if n % 7 == 6 else f"pile{n % 3 + 1}"}"}}' for n in range(200)]


def test_same_seed_same_bytes():
    """C-22 the same seed and inputs give the same bytes."""
    first, second = run_script(UNIT, SCRIPT, seed=7), run_script(UNIT, SCRIPT, seed=7)
    assert first.status == 0 and first.stdout == second.stdout
    assert len(first.outputs.events("turn")) > 20


def test_other_seed_other_game():
    """C-22 five seeds do not give five times the same piles."""
    games = {str([e["lit"] for e in run_script(UNIT, SCRIPT, seed=s).outputs.events("turn")]) for s in range(5)}
    assert len(games) > 1


@pytest.mark.parametrize("odds, only", [([0, 0, 0, 1], 4), ([0, 1, 0, 0], 2)])
def test_penalty_odds_are_a_setting(odds, only):
    """C-23 TP-10 with all odds on one number, the penalty is that number."""
    settings = {"triple_play.penalty_odds": odds, "triple_play.overload_presses": [4, 4]}
    with Bench(UNIT, settings=settings) as b:
        b.start_round()
        while len(b.events_named("overload")) < 5:
            b.play()
            if b.state == "overload":
                b.tap("go")
        assert {e["draw"] for e in b.events_named("overload")} == {only}


# -- rules that need a case of their own


def test_master_stays_off_with_a_low_battery():
    """C-3 MA-1 a unit without sleep stays off."""
    with Bench("master") as b:
        b.battery("low")
        assert b.tap("timer").tones() == ["power-down"] and b.state == "off" and b.dark()
        b.battery("ok")
        b.tap("timer")
        assert b.state == "waiting"


def test_a_missed_power_on_reads_the_switches():
    """C-3 C-2 the wake press that finds a good battery is the power-on: awake, standby, the switch as it is then."""
    with Bench(UNIT) as b:
        b.battery("low")
        b.power_on(timer=False)
        b.run_for(1)
        b.switch("timer", "on")
        b.battery("ok")
        answer = b.tap("go")
        assert answer.event("awake") and b.state == "standby"
        b.tap("go")
        b.tap("go")
        assert b.last_event("round-started")["mode"] == "timer"


def test_low_in_the_game_can_be_woken():
    """C-3 C-4 turned low in a round, slept, woken: the game goes on."""
    with Bench(UNIT) as b:
        b.start_round()
        b.battery("low")
        b.run_for(125)
        assert b.state == "asleep"
        answer = b.tap("go")
        assert answer.event("awake") and "power-down" not in answer.tones() and b.state == "playing"


def test_low_is_told_once():
    """C-4 low, good, low again: told once per power-on."""
    with Bench(UNIT) as b:
        b.start_round()
        for level in ("low", "ok", "low"):
            b.battery(level)
            b.run_for(5)
        assert b.count("battery-low") == 1
        b.battery("ok")
        b.power_off()
        b.power_on()
        b.run_for(1)
        b.battery("low")
        assert b.count("battery-low") == 2


def test_low_and_good_again_before_the_display_was_free():
    """C-4 in timer mode the display is not free; good again in time: no Lo at all."""
    with Bench(UNIT) as b:
        b.start_round(timer=True)
        b.battery("low")
        b.run_for(2)
        b.battery("ok")
        b.run_for(20)
        b.hold("go", 0.2)
        assert "Lo" not in [text for _, text in b.outputs.displays()]


def test_end_of_input_is_a_pulled_plug(tmp_path):
    """C-5 BENCH the end of input is no switching off: the round is resumed, in its own mode."""
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as b:
        b.start_round()
        b.fill(1, 2)
        b.close()
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as c:
        resumed = c.power_on(timer=True).event("resumed")               # the saved mode wins over the switch
        assert (resumed["state"], resumed["mode"]) == ("playing", "regular")
        assert c.fill(1, 1).event("played")["count"] == 3


def test_a_held_press_is_not_part_of_the_round(tmp_path):
    """C-5 C-12 killed in holding: resumed in playing, the press does not count."""
    with Bench(UNIT, settings=LIMIT_20, state=tmp_path) as b:
        b.start_round()
        b.run_for(1)
        lit = b.lit_piles()
        b.press(f"pile{lit[0]}")
        with b.reborn() as c:
            c.power_on()
            assert c.last_event("resumed")["state"] == "playing" and c.lit_piles() == lit
            assert c.play(lit[0]).event("played")["count"] == 1


def test_a_timeout_stays_a_timeout(tmp_path):
    """C-5 TP-15 killed in timeout: the number is still to be drawn; go brings the next turn."""
    with Bench(UNIT, state=tmp_path) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 11))
        with b.reborn() as c:
            c.power_on(timer=True)
            assert c.state == "timeout" and (c.display, c.pattern) == ("6", "flash")
            c.tap("go")
            assert c.state == "playing" and c.display == "10"


def test_master_resumes_its_total(tmp_path):
    """C-5 MA-6 killed in penalty: waiting, the total is shown; killed in waiting without one: off."""
    with Bench("master", state=tmp_path) as b:
        start = b.master_run("6")
        b.run_until(plus(start, 7))
        with b.reborn() as c:
            c.run_for(0.1)
            assert c.last_event("resumed")["state"] == "waiting"
            assert (c.state, c.display, c.pattern, c.lights["timer"]) == ("waiting", "2", "flash", "red slow-blink")
    with Bench("master", state=tmp_path / "fresh") as b:
        b.master_on()
        with b.reborn() as c:
            assert c.run_for(1) == [] and c.state == "off"


def test_spin_resumes_its_result(tmp_path):
    """C-5 killed in result: the same result again."""
    with Bench("spin", state=tmp_path) as b:
        b.spin_on()
        b.turn_wheel(36 + 9)
        b.run_for(1)
        shown = (b.state, b.display, dict(b.lights))
        with b.reborn() as c:
            assert c.power_on().event("resumed")["state"] == "result"
            assert (c.state, c.display, c.lights) == shown and not c.count("result")


def test_a_state_that_cannot_be_read(tmp_path):
    """C-5 garbage in the state folder: fault part memory, a fresh start, the file is set aside."""
    with Bench(UNIT, state=tmp_path) as b:
        b.start_round()
        b.play()
        b.kill()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files, "nothing was saved"
    for path in files:
        path.write_bytes(b"\x00\xff no state")
    with Bench(UNIT, state=tmp_path) as c:
        answer = c.power_on()
        assert {e["part"] for e in answer.events("fault")} == {"memory"}
        assert not answer.events("resumed") and c.state == "standby"
        c.tap("go")
        c.tap("go")
        c.play()
        with c.reborn() as d:
            answer = d.power_on()
            assert answer.events("resumed") and not answer.events("fault")


def test_a_faulty_pad_does_not_keep_awake():
    """C-6 C-13 TP-19 a card leans on a pad: stuck, and the unit sleeps all the same."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(1)
        t = b.now
        b.press(f"pile{b.lit_piles()[0]}")
        assert soon(b.run_for(125).event("asleep")["t"], plus(t, 120))


def test_stuck_time_counts_from_the_wake_up():
    """C-8 C-13 a pad pressed in sleep is stuck 10 s after the wake-up."""
    with Bench(UNIT) as b:
        b.start_round()
        b.run_for(125)
        b.press("pile1")
        b.run_for(30)
        t = b.now
        b.press("go")
        b.release("go", plus(t, 0.1))
        assert b.run_for(15).event("fault")["t"] == plus(t, 10)


def test_stuck_after_is_a_setting():
    """C-13 stuck_after 4; buttons are never stuck."""
    with Bench(UNIT, settings={"common.stuck_after": 4}) as b:
        b.power_on()
        answer = b.press("go", 1) + b.press("pile1", 2) + b.run_until(60)
        assert answer.event("fault") == {"t": 6, "event": "fault", "part": "pile1", "reason": "stuck"}


def test_sleep_after_is_a_setting():
    """C-6 sleep_after 30 in section common."""
    with Bench(UNIT, settings={"common.sleep_after": 30}) as b:
        b.power_on()
        b.switch("timer", "on", 5)
        assert b.run_until(40).event("asleep")["t"] == 35


def test_broken_while_off():
    """C-20 C-1 a part that fails while off is reported at power-on; breaking it again does nothing."""
    with Bench(UNIT) as b:
        assert b.break_part("display", "no answer") == [] == b.break_part("display", "no answer")
        answer = b.power_on()
        assert (answer.event("fault")["part"], answer.displays()) == ("display", [])
        b.run_for(1)
        answer = b.mend("display")
        assert answer.event("healed")["part"] == "display" and answer.displays() == [(b.now, "-")]
        assert b.mend("display") == []


def test_strip_is_shown_in_full_when_it_is_back():
    """C-20 nothing is reported as shown on a broken strip; mended: all lights."""
    with Bench(UNIT) as b:
        b.power_on()
        b.break_part("strip", "errno 5")
        b.run_for(1)
        assert not [o for o in b.tap("go") if "lights" in o]
        lights = [o["lights"] for o in b.mend("strip") if "lights" in o]
        assert len(lights) == 1 and set(lights[0]) == set(b.header["lights"])
        assert lights[0]["counter1"] == "blue flash" and lights[0]["pile1"] == "off"


def test_an_empty_state_file(tmp_path):
    """C-5 an empty file is no state: a fresh start, without a fault."""
    with Bench(UNIT, state=tmp_path) as b:
        b.start_round()
        b.play()
        b.kill()
    for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
        path.write_bytes(b"")
    with Bench(UNIT, state=tmp_path) as c:
        answer = c.power_on()
        assert answer.events() == [] and c.state == "standby"
