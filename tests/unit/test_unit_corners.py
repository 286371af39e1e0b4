"""Corners of what all units have in common, told as stories."""

import pytest

from hal.ports import Broke, Contact, Mended, Moved
from tests.desk import Desk, make_unit

S = 1_000_000


def test_a_press_that_lasted_into_sleep_is_forgotten_when_the_unit_wakes():
    """C-7 TP-18a: go pressed in the pause, asleep before it was let go; the waking press does not end the pause."""
    with Desk("triple-play", settings={"common.sleep_after": 2}) as desk:
        desk.start_round(timer=True)
        desk.tap("go")
        assert desk.state == "paused"
        desk.press("go")
        desk.run_for(2.5)
        assert desk.state == "asleep"
        desk.release("go")
        desk.run_for(1)
        answer = desk.tap("go") + desk.run_for(1)
        assert answer.states() == ["paused"] and answer.tones() == []


def test_a_volume_that_was_opened_before_sleep_cannot_end_the_round_after_it():
    """TP-18 C-7: only the press that opened the volume can go on to end the round."""
    with Desk("triple-play", settings={"common.sleep_after": 4}) as desk:
        desk.start_round()
        desk.press("go")
        desk.run_for(5)
        assert desk.state == "asleep"
        desk.release("go")
        desk.run_for(1)
        desk.tap("go")
        assert desk.state == "volume"
        answer = desk.press("go") + desk.run_for(8)
        assert not answer.events("round-over")


def test_a_pause_without_pads_keeps_its_number_and_goes_on_with_the_next_turn():
    """TP-21 TP-16: all pads break in the pause: the seconds stand; one is back: they still stand; go: next turn."""
    with Desk("triple-play") as desk:
        start = desk.start_round(timer=True)
        desk.run_until(start + 3.5)
        desk.tap("go")
        shown = (desk.display, desk.pattern)
        answer = desk.break_part("pile1") + desk.break_part("pile2") + desk.break_part("pile3")
        assert [event["part"] for event in answer.events("fault")] == ["pile1", "pile2", "pile3", "pads"]
        assert (desk.display, desk.pattern) == shown == ("7", "flash")
        assert [event["part"] for event in desk.mend("pile2").events("healed")] == ["pile2", "pads"]
        assert (desk.display, desk.pattern) == shown
        answer = desk.tap("go")
        assert answer.event("turn")["lit"] == [2] and desk.display == "10"


def test_pads_that_are_all_broken_at_a_restart_are_told_without_a_turn_between():
    """TP-21 C-5 C-20: every pad broken before the power-on: their faults, the pads' fault, no turn for nobody."""
    with Desk("triple-play") as desk:
        desk.start_round()
        with desk.reborn() as again:
            for pile in (1, 2, 3):
                again.break_part(f"pile{pile}")
            answer = again.power_on()
            assert [event["part"] for event in answer.events("fault")] == ["pile1", "pile2", "pile3", "pads"]
            assert not answer.events("turn") and again.display == "E"
            assert {again.lights[f"pile{pile}"] for pile in (1, 2, 3)} == {"off"}


@pytest.mark.parametrize("contact", ["go", "pile1"])
def test_a_contact_that_recovers_while_it_is_down_is_no_accident(contact):
    """C-20: its line breaks and works again while somebody holds it; a button has no stuck time to begin anew."""
    unit = make_unit("triple-play")
    for heard in (
        Moved("power", "on", 0), Contact(contact, True, S), Broke(contact, "no answer", 2 * S), Mended(contact, 3 * S),
    ):
        unit.feed(heard)
    told = [event for moment in unit.tick(60 * S) for event in moment.events if event["event"] == "fault"]
    assert [event["reason"] for event in told] == ([] if contact == "go" else ["stuck"])


@pytest.mark.parametrize("unit, saved", [
    ("triple-play", {"limits": [None, 5, 5]}), ("triple-play", {"counts": [1, 2]}), ("triple-play", {"lit": [4]}),
    ("triple-play", {"state": "holding"}), ("triple-play", {"draw": "3"}), ("triple-play", {"mode": 1}),
    ("master", {"total": 123456}), ("master", {"total": True}), ("party", {"link": [1, 2, 3]}),
    ("party", {"link": [0, 1]}), ("party", {"direction": "up"}), ("spin", {"icon": "chess"}), ("spin", {"icon": []}),
])
def test_a_round_that_makes_no_sense_is_refused(unit, saved):
    """C-5: whole on the disk, but no round of ours: fault of the memory, a fresh start, nothing else happens."""
    sound = {
        "triple-play": {
            "state": "playing", "mode": "regular", "counts": [1, 2, 3], "limits": [5, 5, 5], "presses": [1, 2, 3],
            "unlit_turns": [0, 0, 1], "lit": [1, 2], "last_sets": [[1], [1, 2]], "draw": 0, "full_pile": 0,
        },
        "master": {"total": 2}, "party": {"direction": "clockwise", "link": []}, "spin": {"icon": "war"},
    }[unit]  # fmt: skip
    for kept, words in ((sound, ["resumed"]), ({**sound, **saved}, ["fault"])):
        desk = Desk(unit, saved=kept)
        if unit != "master":
            desk.power_on()
        assert [event["event"] for event in desk.events] == words


def test_a_late_slap_in_the_pause_is_ignored():
    """MA-12 MA-9: with a short hold the pause comes within the time of a double slap."""
    with Desk("master", settings={"master.hold_to_pause": 0.2, "master.double_slap": 0.5}) as desk:
        start = desk.master_run()
        desk.run_until(start + 1)
        desk.hold("timer", 0.22)
        assert desk.state == "paused"
        assert desk.press("timer", round(start + 1.4, 6)) == [] and desk.state == "paused"


def test_a_flicker_after_a_short_rest_starts_no_spin():
    """SP-5: at_rest 0.3; where the wheel was before it came to rest is no beginning of a spin."""
    with Desk("spin", settings={"spin.at_rest": 0.3}) as desk:
        desk.spin_on()
        desk.turn_wheel(39)
        desk.run_for(0.35)
        assert desk.state == "result"
        slot = desk.slot
        assert not (desk.wheel(slot - 1) + desk.wheel(slot) + desk.wheel(slot) + desk.run_for(1)).events()


def test_a_pad_after_a_run_out_that_waits_is_refused_as_in_the_timeout():
    """TP-15 TP-16: go opened just before the run-out, a lit pad just after it: refused, without an event."""
    with Desk("triple-play", settings={"triple_play.lit_odds": [0, 0, 1]}) as desk:
        start = desk.start_round(timer=True)
        desk.press("go", start + 9)
        desk.release("go", start + 9.99)
        answer = desk.press("pile1", start + 10.01)
        assert answer.tones() == ["denied"] and not answer.events()


def test_a_tick_that_waited_for_go_sounds_when_a_pad_settles_the_doubt():
    """TP-13 TP-18a C-15: go opened before the tick, a lit pad after it, go is spent: the tick was due first."""
    with Desk("triple-play", settings={"triple_play.lit_odds": [0, 0, 1]}) as desk:
        start = desk.start_round(timer=True)
        desk.press("go", start + 6)
        desk.release("go", start + 6.99)
        answer = desk.press("pile1", start + 7.005)
        assert answer.tones() == ["tick", "beep"] and desk.display == "3"


def test_switching_off_ends_a_round_that_waited_for_a_good_battery():
    """C-5 C-3: a saved round, a power-on missed for a low battery, switched off: the next power-on is fresh."""
    with Desk("triple-play") as desk:
        desk.start_round()
        with desk.reborn() as again:
            again.battery("low")
            again.power_on()
            again.power_off()
            again.battery("ok")
            assert again.power_on().states() == ["standby"]


def test_nothing_is_due_in_a_unit_that_was_switched_off():
    """C-1: no wake-up is left of a spin that was under way."""
    with Desk("spin") as desk:
        desk.spin_on()
        desk.tap("go")
        desk.run_for(1)
        desk.power_off()
        desk.run_for(0.1)
        assert desk.core.deadline_us is None


def test_a_hold_in_doubt_comes_before_a_timer_that_is_due_after_it():
    """C-10a C-15 MA-10 MA-11: a hold that flickers when it is to switch off, 5 ms before off_after is over."""
    with Desk("master", settings={"master.off_after": 2.505, "master.hold_to_pause": 0.5}) as desk:
        start = desk.master_run()
        answer = desk.bounce("timer", (0, 2.999, 3.02), start + 1)
        assert answer.states() == ["paused", "off"] and answer.tones()[-1] == "power-down"


def test_held_at_start_is_told_by_a_unit_that_resumes_by_itself():
    """C-12 C-5: the Master goes on with its fine while somebody leans on the button: fault, then healed."""
    unit = make_unit("master", saved={"total": 2})
    moments = unit.tick(0) + unit.feed(Contact("timer", True, 0, at_start=True)) + unit.feed(Contact("timer", False, S))
    moments += unit.tick(2 * S)
    told = [(event["event"], event.get("reason")) for moment in moments for event in moment.events]
    assert told == [("resumed", None), ("fault", "held-at-start"), ("healed", None)]
