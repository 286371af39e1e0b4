"""What outlives a pulled plug, and what does not (C-5 in docs/spec/common.md)."""

import signal
import subprocess

import pytest
from bench_client import SEED, WALL, Bench, arguments, plus
from rounds import COUNTERS, ONE_LIT, PILES, all_of, settled

UNIT = "triple-play"


def overload(b, pile=1):
    """Play a pile of limit 2 until it overloads, with a round in its second second."""
    b.run_for(1)
    b.fill(pile, 2)
    assert b.state == "overload"


# -- all that is shown at the power-on after the plug was pulled


def test_all_that_a_resumed_game_shows(tmp_path):
    """C-5 playing, regular mode: resumed, the state, lit piles and counters; no turn, no tone."""
    with Bench(UNIT, settings=settled(4), state=tmp_path) as b:
        b.start_round()
        b.run_for(1)
        b.fill(2, 2)
        with b.reborn() as c:
            looks = all_of(PILES, "white") | all_of(COUNTERS, "green") | {"counter2": "yellow slow-blink"}
            assert c.power_on() == [
                {"t": 0, "event": "resumed", "state": "playing", "mode": "regular", "lit": [1, 2, 3]},
                {"t": 0, "state": "playing"},
                {"t": 0, "lights": looks},
            ]


@pytest.mark.parametrize("then", ["running", "holding", "paused", "volume", "volume of the pause"])
def test_all_that_a_resumed_timed_game_shows(tmp_path, then):
    """C-5 TP-16 timer mode is paused, at full time, wherever the countdown stood."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 4))
        if then == "holding":
            b.press("pile1")
        if then in ("paused", "volume of the pause"):
            b.tap("go")
        if then.startswith("volume"):
            b.hold("go", 3.5)
        assert b.state == {"running": "playing", "volume of the pause": "volume"}.get(then, then)
        with b.reborn() as c:
            assert c.power_on(timer=False) == [         # the saved mode wins over the switch
                {"t": 0, "event": "resumed", "state": "paused", "mode": "timer", "lit": [1, 2, 3]},
                {"t": 0, "state": "paused"},
                {"t": 0, "lights": all_of(PILES, "white fade") | all_of(COUNTERS, "green")},
                {"t": 0, "display": "10", "pattern": "flash"},
            ]
            c.run_for(50)
            t = c.now
            answer = c.tap("go") + c.run_for(11)
            assert answer.states() == ["playing", "timeout"] and not answer.events("turn")
            assert answer.event("timeout")["t"] == plus(t, 10.1)


@pytest.mark.parametrize("timer, mode", [(False, "regular"), (True, "timer")])
def test_all_that_a_resumed_overload_shows(tmp_path, timer, mode):
    """C-5 TP-10 the number is still to be drawn, no pile is lit; go brings the next turn and a count of 0."""
    with Bench(UNIT, settings=settled(2, penalty_odds=[0, 0, 1, 0]), state=tmp_path) as b:
        b.start_round(timer)
        overload(b)
        with b.reborn() as c:
            assert c.power_on(not timer) == [
                {"t": 0, "event": "resumed", "state": "overload", "mode": mode, "lit": []},
                {"t": 0, "state": "overload"},
                {"t": 0, "lights": all_of(COUNTERS, "green") | {"counter1": "red flash"}},
                {"t": 0, "display": "3", "pattern": "flash"},
            ]
            c.run_for(1)
            assert c.tap("go").event("turn")["lit"] == [1, 2, 3] and c.display == ("10" if timer else "")
            assert c.play(1).event("played")["count"] == 1


def test_all_that_a_resumed_time_out_shows(tmp_path):
    """C-5 TP-15 timeout stays timeout, with its number and no lit pile."""
    with Bench(UNIT, settings=settled(timeout_cards=5), state=tmp_path) as b:
        start = b.start_round(timer=True)
        b.run_until(plus(start, 10))
        with b.reborn() as c:
            assert c.power_on() == [
                {"t": 0, "event": "resumed", "state": "timeout", "mode": "timer", "lit": []},
                {"t": 0, "state": "timeout"},
                {"t": 0, "lights": all_of(COUNTERS, "green")},
                {"t": 0, "display": "5", "pattern": "flash"},
            ]


@pytest.mark.parametrize("taps", [0, 1])
def test_before_the_round_there_is_nothing_to_resume(tmp_path, taps):
    """C-5 standby and ready start fresh."""
    with Bench(UNIT, state=tmp_path) as b:
        b.power_on()
        for _ in range(taps):
            b.tap("go")
        with b.reborn() as c:
            assert c.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]


def test_after_a_round_there_is_nothing_to_resume(tmp_path):
    """C-5 TP-18 killed in the ready that follows a round-over: fresh."""
    with Bench(UNIT, state=tmp_path) as b:
        b.start_round()
        b.hold("go", 6.5)
        with b.reborn() as c:
            assert c.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]


# -- the state below


def test_asleep_resumes_the_state_below(tmp_path):
    """C-5 C-6 killed asleep: in a game the game, in an overload the overload, in standby nothing."""
    with Bench(UNIT, settings=settled(2), state=tmp_path / "game") as b:
        b.start_round()
        b.run_for(130)
        with b.reborn() as c:
            assert c.power_on().event("resumed")["state"] == "playing" and c.state == "playing"
            overload(c)
            c.run_for(130)
            assert c.state == "asleep"
            with c.reborn() as d:
                assert d.power_on().event("resumed")["state"] == "overload"
    with Bench(UNIT, state=tmp_path / "standby") as b:
        b.power_on()
        b.run_for(130)
        with b.reborn() as c:
            assert c.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]


def test_the_volume_that_was_being_set_is_kept(tmp_path):
    """C-5 C-16 killed while the volume stands at 1: the game is resumed, at volume 1."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.hold("go", 3.5)
        b.tap("go")
        b.tap("go")
        with b.reborn() as c:
            assert c.power_on().event("resumed")["state"] == "playing" and c.display == ""
            assert [o["volume"] for o in c.play(1) if "tone" in o] == [1]


def test_the_volume_outlives_the_round(tmp_path):
    """C-5 C-16 switched off, then killed: a fresh start, at the volume that was set."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.hold("go", 3.5)
        b.tap("go")
        b.run_for(3)
        b.power_off()
        with b.reborn() as c:
            assert c.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]
            assert [o["volume"] for o in c.tap("go", 1) if "tone" in o] == [2]


# -- what belongs to the round


def test_every_answered_press_is_kept(tmp_path):
    """C-5 killed after each of eight presses: the next count is always one more."""
    for count in range(1, 9):
        with Bench(UNIT, settings=settled(), state=tmp_path) as b:
            b.power_on() if count > 1 else b.start_round()
            assert b.fill(1, 1).event("played")["count"] == count
            b.kill()


def test_a_hidden_limit_is_kept(tmp_path):
    """C-5 TP-9 TP-10 the colour red fixed the limit; another seed and other settings do not change it."""
    with Bench(UNIT, settings={"triple_play.overload_presses": [6, 14], "triple_play.lit_odds": [0, 0, 1]},
               state=tmp_path) as b:
        b.start_round()
        b.run_for(1)
        count = 0
        while b.lights["counter2"] != "red fast-blink":
            count = b.fill(2, 1).event("played")["count"]
            b.run_for(0.2)
        with b.reborn(seed=SEED + 1, settings=settled(20)) as c:
            c.power_on()
            assert c.lights["counter2"] == "red fast-blink"
            assert not c.fill(2, 1).events("overload")
            assert c.fill(2, 1).event("played")["count"] == count + 2 and c.state == "overload"


def test_the_bounds_of_the_lit_piles_hold_over_a_restart(tmp_path):
    """C-5 TP-4 each pile in any 4 turns, no set a third time running, also across ten pulled plugs."""
    made_of = {"settings": {"triple_play.overload_presses": [20, 20], "triple_play.lit_odds": [6, 2, 1]}}
    sets = []
    for life in range(10):
        with Bench(UNIT, seed=SEED + life, state=tmp_path, **made_of) as b:
            if life == 0:
                b.start_round()
            else:
                b.power_on()
                assert b.last_event("resumed")["lit"] == sets[-1]
            for _ in range(3):
                b.play()
                b.run_for(0.2)
                if b.state == "overload":
                    b.tap("go")
                    b.run_for(0.2)
            sets += [sorted(turn["lit"]) for turn in b.events_named("turn")]
            b.kill()
    for four in zip(sets, sets[1:], sets[2:], sets[3:], strict=False):
        assert set().union(*four) == {1, 2, 3}
    assert not any(x == y == z for x, y, z in zip(sets, sets[1:], sets[2:], strict=False))


def test_killed_again_before_anything_happened(tmp_path):
    """C-5 three pulled plugs in a row, one of them before power-on: the round is still there."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.fill(3, 2)
        with b.reborn() as c, c.reborn() as d:
            d.power_on()
            with d.reborn() as e:
                assert e.power_on().event("resumed")["lit"] == [1, 2, 3]
                assert e.fill(3, 1).event("played")["count"] == 3


def test_a_resumed_round_can_be_ended(tmp_path):
    """C-5 resumed, switched off, killed: the next start is fresh."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        with b.reborn() as c:
            c.power_on()
            c.power_off()
            with c.reborn() as d:
                assert not d.power_on().events("resumed") and d.state == "standby"


def test_off_and_on_within_one_life(tmp_path):
    """C-5 the switch ends the round also without a kill."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.power_off()
        assert not b.power_on().events("resumed") and b.state == "standby"


def test_stopping_the_service_ends_the_round(tmp_path):
    """C-5 C-21 a stop (SIGTERM) is no pulled plug: the next power-on starts fresh."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.kill()
    argv = arguments(UNIT, SEED, settled(), ["--state", str(tmp_path)])
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"t": 0, "switch": "power", "to": "on"}\n')
        process.stdin.flush()
        lines = []
        while not lines or b'"ok"' not in lines[-1]:
            lines.append(process.stdout.readline())
        assert any(b'"resumed"' in line for line in lines)
        process.send_signal(signal.SIGTERM)
        process.wait(WALL)
    with Bench(UNIT, settings=settled(), state=tmp_path) as c:
        assert c.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]


def test_a_lit_pad_that_is_down_when_the_game_is_resumed(tmp_path):
    """C-5 C-12 TP-21 held at start: a fault, its light is dark, the others play on; let go it is healed."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        b.run_for(1)
        with b.reborn() as c:
            c.press("pile2")
            answer = c.power_on()
            assert answer.event("fault") == {"t": 0, "event": "fault", "part": "pile2", "reason": "held-at-start"}
            assert answer.event("resumed")["state"] == "playing"
            c.run_for(0.3)
            assert c.lights["pile2"] == "off" and c.lit_piles() == [1, 3]
            answer = c.release("pile2", 2) + c.run_for(0.1)
            assert answer.events() == [{"t": 2.03, "event": "healed", "part": "pile2"}]
            assert c.play(1).event("turn")["lit"] == [1, 2, 3]


@pytest.mark.parametrize("timer", [False, True])
def test_a_round_that_stood_without_pads(tmp_path, timer):
    """C-5 TP-21 killed while all pads were stuck: they are sound after the restart, so the game goes on."""
    with Bench(UNIT, settings=settled(turn_seconds=60), state=tmp_path) as b:
        start = b.start_round(timer)
        for n, pile in enumerate(PILES):
            b.press(pile, plus(start, 2 + n / 10))
        b.run_until(plus(start, 20))
        assert b.display == "E" and b.events_named("fault")[-1]["part"] == "pads"
        with b.reborn() as c:
            c.power_on()
            c.run_for(1)
            if timer:
                c.tap("go")                             # out of the pause
                c.run_for(0.3)
            assert c.state == "playing" and c.lit_piles() == [1, 2, 3] and c.display != "E"
            assert c.play().event("played")["count"] == 1


def test_the_only_lit_pad_is_broken_when_the_game_is_resumed(tmp_path):
    """C-5 C-20 TP-21 broken before power-on: told, and another pile is lit."""
    with Bench(UNIT, settings=settled(lit=ONE_LIT), state=tmp_path) as b:
        b.start_round()
        lit = b.announced[0]
        with b.reborn() as c:
            c.break_part(f"pile{lit}", "cable")
            answer = c.power_on()
            assert answer.event("fault")["part"] == f"pile{lit}" and answer.events("resumed")
            c.run_for(0.3)
            assert c.lit_piles() and lit not in c.lit_piles() and c.play().events("played")


# -- the files


def test_a_record_that_was_cut_off(tmp_path):
    """C-5 the last entry is torn: what is whole is resumed, without a fault."""
    with Bench(UNIT, settings=settled(), state=tmp_path) as b:
        b.start_round()
        for _ in range(6):
            b.fill(1, 1)
        b.kill()
    record = max((path for path in tmp_path.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    whole = record.read_bytes()
    for cut in (1, 2, 7):
        record.write_bytes(whole[:-cut])
        with Bench(UNIT, settings=settled(), state=tmp_path) as c:
            answer = c.power_on()
            assert not answer.events("fault") and answer.events("resumed")
            assert c.fill(1, 1).event("played")["count"] in (6, 7)
            c.kill()


def test_an_unreadable_state_is_set_aside(tmp_path):
    """C-5 garbage: one fault; its bytes are kept under another name, and the next start has no fault."""
    garbage = b"\x00\xff this was never a state \x80"
    with Bench(UNIT, state=tmp_path) as b:
        b.start_round()
        b.kill()
    named = [path for path in tmp_path.rglob("*") if path.is_file()]
    for path in named:
        path.write_bytes(garbage)
    with Bench(UNIT, state=tmp_path) as c:
        fault = c.power_on().events("fault")[0]
        assert fault["part"] == "memory" and fault["reason"]
        c.kill()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes() == garbage]
    assert kept and not set(kept) & set(named)
    with Bench(UNIT, state=tmp_path) as d:
        assert d.power_on() == [{"t": 0, "state": "standby"}, {"t": 0, "display": "-"}]


def test_a_state_folder_that_does_not_exist_yet(tmp_path):
    """C-5 BENCH --state makes its folder; an empty one is a fresh start."""
    folder = tmp_path / "not" / "yet"
    with Bench(UNIT, settings=settled(), state=folder) as b:
        assert b.power_on().events() == []
        b.tap("go")
        b.tap("go")
        with b.reborn() as c:
            assert c.power_on().event("resumed")["state"] == "playing"


def test_units_do_not_share_a_round(tmp_path):
    """C-5 a Party unit on the folder of a Triple Play round neither resumes it nor fails."""
    with Bench(UNIT, state=tmp_path) as b:
        b.start_round()
        b.kill()
    with Bench("party", state=tmp_path) as c:
        answer = c.power_on()
        assert not answer.events("resumed") and c.state == "clockwise"
