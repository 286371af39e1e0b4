"""Rounds played with real lines of a real kernel: contacts close in gpio-sim, lgpio and gpiozero bring the edges, and
what shows is read back from the display's memory, the strip's SPI transfers and the record.

The rules' exact times are the business of tests/conformance; here every round is also replayed in virtual time and
must come out the same to the microsecond (see `Table.agrees_with_its_replay`).
"""

import pytest

from tests.vm.table import CLOSED, LEDS, MS, OPEN, words

pytestmark = pytest.mark.vm

WHITE, GREEN, DARK = (200, 200, 200), (0, 220, 0), (0, 0, 0)
PILE, COUNTER = 4, 3


def leds(*piles):
    """Return the whole strip for three piles, each given as its light and its counter's LEDs."""
    return [colour for light, counter in piles for colour in [light] * PILE + counter]


def play(unit, pile, times=1):
    """Press a lit pile, so many times, and wait until it has counted."""
    told = []
    for _ in range(times):
        unit.tap(f"pile{pile}")
        told += unit.hears(event="played")
    return told


def test_from_switching_on_to_the_first_press(unit):
    """TP-1 TP-2 TP-3 TP-5 TP-6 C-1."""
    unit.is_dark()
    unit.power_on()
    unit.shows("-")
    unit.tap("go")
    unit.hears(state="ready")
    unit.tap("go")
    told = unit.hears(tone="round")
    assert words(told, "event", "state", "tone") == [
        ("tone", "startup"), ("event", "round-started"), ("event", "turn"), ("state", "playing"), ("tone", "round"),
    ]  # fmt: skip
    unit.shows("")
    told = play(unit, 2)
    assert words(told, "tone", "state", "event") == [("state", "holding"), ("tone", "beep"), ("event", "played")]
    assert told[-1]["pile"] == 2 and told[-1]["count"] == 1
    unit.power_off()
    unit.is_dark()
    assert not unit.sounds()


def test_an_overload_tells_how_many_to_draw_and_go_ends_it(unit):
    """TP-10 TP-11."""
    unit.start_round()
    play(unit, 1, 4)
    told = unit.hears(state="overload")
    [overload] = [message for message in told if message.get("event") == "overload"]
    assert overload["pile"] == 1 and overload["draw"] in range(1, 5)
    unit.shows(str(overload["draw"]))
    unit.tap("pile2")
    unit.hears(tone="denied")
    unit.tap("go")
    unit.hears(state="playing")
    unit.shows("")


def test_a_pile_held_for_two_seconds_is_cleared(unit):
    """TP-7."""
    unit.start_round()
    play(unit, 3, 3)
    unit.move(("pile3", CLOSED, 2_300 * MS), ("pile3", OPEN, 100 * MS))
    told = unit.hears(event="cleared")
    assert ("event", "played") not in words(told, "event")
    assert play(unit, 3)[-1]["count"] == 1


def test_a_turn_against_the_clock(unit):
    """TP-13 TP-15."""
    unit.start_round(timer=True)
    told = unit.hears(tone="timeout")
    assert words(told, "tone") == [("tone", "round")] + [("tone", "tick")] * 3 + [("tone", "timeout")]
    [timeout] = [message for message in told if message.get("event") == "timeout"]
    draw = str(timeout["draw"])
    assert [shown for _, shown in words(told, "display")] == ["6", "5", "4", "3", "2", "1", draw]
    unit.shows(draw)
    unit.tap("go")
    unit.hears(state="playing")


def test_a_pause_and_going_on(unit):
    """TP-16."""
    unit.start_round(timer=True)
    unit.tap("go")
    unit.hears(state="paused")
    unit.tap("go")
    assert ("event", "turn") not in words(unit.hears(state="playing"), "event")


def test_go_held_opens_the_volume_and_held_on_ends_the_round(unit):
    """TP-17 TP-18."""
    unit.start_round()
    unit.move(("go", CLOSED, 3_300 * MS), ("go", OPEN, 100 * MS))
    unit.hears(state="volume")
    unit.shows("3")
    unit.tap("go")
    told = unit.hears(state="playing")
    assert ("display", "2") in words(told, "display")
    unit.move(("go", CLOSED, 6_300 * MS), ("go", OPEN, 100 * MS))
    assert ("event", "round-over") in words(unit.hears(state="ready"), "event")


def test_a_pad_that_sticks_is_left_out_until_it_comes_free(unit):
    """C-13 TP-21."""
    unit.start_round()
    unit.press("pile1")
    told = unit.hears(event="fault")
    assert told[-1]["part"] == "pile1" and told[-1]["reason"] == "stuck"
    assert play(unit, 2)[-1]["pile"] == 2
    unit.release("pile1")
    assert unit.hears(event="healed")[-1]["part"] == "pile1"


def test_a_chattering_contact_is_one_press_from_its_first_edge(unit):
    """C-9 C-10 C-11."""
    unit.start_round()
    for count in (1, 2):
        closing = [("pile1", level, 0) for level in (CLOSED, OPEN) * 4]
        at_us = unit.move(*closing, ("pile1", CLOSED, 60 * MS), *[("pile1", level, 0) for level in (OPEN, CLOSED) * 4],
                          ("pile1", OPEN, 60 * MS))
        assert at_us[8] - at_us[0] < 25 * MS, "the machine stood still while the contact chattered"
        told = unit.hears(event="played")
        assert told[-1]["count"] == count
        presses = [message["t"] for message in told if "press" in message]
        holding = [message["t"] for message in told if message.get("state") == "holding"]
        # a kernel whose processor is busy may see two edges that follow at once as one
        assert 2 <= len(presses) <= 1 + 4 + 4 and holding == presses[:1]
    assert words(unit.said(), "event").count(("event", "played")) == 0


def test_leds_show_what_the_round_says(unit):
    """TP-3 TP-4 TP-9 C-18: three lit piles, counters green with one of their three LEDs."""
    unit.start_round()
    counter = [GREEN, DARK, DARK]
    unit.sees(unit.strip, leds((WHITE, counter), (WHITE, counter), (WHITE, counter)))
    assert len(unit.strip()) == LEDS


def test_a_display_that_loses_its_plug_is_told_and_comes_back_with_what_it_should_show(unit):
    """C-20."""
    plugged = "/sys/kernel/debug/unit/plugged"
    unit.power_on()
    unit.shows("-")
    unit.machine.ask(write=plugged, text="N")
    told = unit.hears(event="fault")
    assert told[-1]["part"] == "display" and "0x70" in told[-1]["reason"]
    unit.tap("go")
    unit.tap("go")
    unit.hears(event="turn")
    unit.machine.ask(write=plugged, text="Y")
    assert unit.hears(event="healed")[-1]["part"] == "display"
    unit.shows("")
