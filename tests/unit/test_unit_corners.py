"""Corners of what all units have in common, told as stories."""

from tests.desk import Desk


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
