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
