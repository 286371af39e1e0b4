"""What every board promises of its buttons, pads and switches. The same functions run on each of them."""

import pytest

from hal.pi.contacts import BETWEEN_US, HEAL_AFTER_US, MS, SWITCH_SETTLE_US
from hal.pi.inputs import LOOK_EVERY_US, SETTLE_US
from hal.ports import Broke, Contact, Mended, Moved, Seeded, Stop
from tests.contract.bench_clock import Asleep
from tests.contract.rigs import EDGE_DELIVERY_US

SPEED_4 = "speed 4"


def test_edges_come_with_their_own_stamps_in_order_however_late_the_board_is_asked(every_rig):
    """C-9, C-15; kernel stamps, not those of whoever looks (gpiozero#1090, trivia-releases#18)."""
    script = [("pile1", True, 700), ("go", True, 50), ("pile1", False, 90_000), ("go", False, 3_000)]
    expected = []
    for line, closed, pause_us in script:
        every_rig.advance(pause_us)
        expected.append(Contact(line, closed, every_rig.drive(line, closed)))
    every_rig.advance(400_000)
    assert every_rig.agrees(every_rig.hear(), expected)


def test_a_contact_to_ground_is_closed_when_low_and_pulled_up_by_the_board(rig):
    """Polarity is settled before anything else (mpf#1719); a floating line hears lights (OctoPrint-DisplayPanel#58)."""
    assert {rig.pull(gpio) for gpio in rig._gpio.values()} == {"up"}
    assert rig.hear() == []


def test_bounces_pass_through_raw(every_rig):
    """The debounce is the game's; a library's would swallow the release (gpiozero#1039, #550)."""
    told = []
    for closed in (True, False, True, False, True):
        every_rig.advance(300)
        told.append(Contact("pile1", closed, every_rig.drive("pile1", closed)))
    assert every_rig.agrees(every_rig.hear(), told)


def test_two_players_pressing_at_once_are_told_in_the_order_of_their_fingers(every_rig):
    """trivia-releases#18, Jeopardy#1."""
    first_us = every_rig.drive("pile1", True)
    every_rig.advance(1)
    second_us = every_rig.drive("go", True)
    expected = [Contact("pile1", True, first_us), Contact("go", True, second_us)]
    assert every_rig.agrees(every_rig.hear(), expected)


def test_a_button_held_when_the_board_opens_is_told_as_no_press_and_its_release_as_one(every_name, open_rig):
    """C-12 (PhysicalButton#62)."""
    rig = open_rig(every_name, held=["go"])
    (held,) = [given for given in rig.began() if isinstance(given, Contact)]
    assert (held.name, held.closed, held.at_start) == ("go", True, True)
    released = Contact("go", False, rig.drive("go", False))
    assert rig.agrees(rig.hear(), [released])


def test_the_board_closes_with_a_button_held_down_and_may_be_closed_twice(every_rig):
    """gpiozero#887: nothing waits for a hold to end."""
    every_rig.drive("go", True)
    every_rig.hear()
    every_rig.close()
    every_rig.close()


def test_what_is_held_when_the_board_opens_is_told_before_power_comes_on(rig_name, open_rig):
    """C-12: a press that began before anybody looked has no edge."""
    rig = open_rig(rig_name, held=["pile1", "timer on", "power on", SPEED_4])
    settled_us = rig.clock() + SETTLE_US
    assert rig.began() == [
        Moved("timer", "on", settled_us), Moved("speed", "4", settled_us),
        Contact("pile1", True, settled_us, at_start=True),
        Moved("power", "on", settled_us),
    ]


def test_lines_that_are_still_settling_say_nothing(rig_name, open_rig):
    """mpf#1142: a pull-up has to charge a cable first."""
    rig = open_rig(rig_name)
    for _ in range(4):
        rig.advance(2 * MS)
        rig.drive("go", True)
        rig.drive("go", False)
    assert [given for given in rig.began() if isinstance(given, Contact)] == []


def test_a_release_whose_edge_was_lost_is_seen_within_a_quarter_of_a_second(rig):
    """gpiozero#697, lg#18: a hold ends by the level."""
    pressed_us = rig.drive("pile1", True)
    rig.hear(100 * MS)
    rig.lose("pile1", False)
    told = rig.hear(LOOK_EVERY_US + HEAL_AFTER_US)
    assert [(given.name, given.closed) for given in told] == [("pile1", False)]
    assert told[0].at_us - pressed_us <= 100 * MS + EDGE_DELIVERY_US + LOOK_EVERY_US + HEAL_AFTER_US


def test_a_press_whose_edge_was_lost_is_seen_too_while_the_table_is_busy(rig):
    """lg#18."""
    rig.drive("go", True)
    rig.drive("go", False)
    rig.hear(10 * MS)
    rig.lose("pile3", True)
    assert [given[:2] for given in rig.hear(2 * LOOK_EVERY_US)] == [("pile3", True)]


def test_a_tap_of_which_one_edge_was_lost_is_still_a_tap(rig_name, open_rig):
    """C-11: an edge to the level that is known proves the one between (RPi-Jukebox-RFID#896)."""
    rig = open_rig(rig_name)
    rig.began()
    rig.lose("pile1", True)
    at_us = rig.drive("pile1", False)
    assert rig.hear(10 * MS) == [Contact("pile1", True, at_us), Contact("pile1", False, at_us)]


def test_a_level_read_ahead_of_its_edge_is_not_told_twice(rig):
    """The library holds reports back for up to 3 ms; a look in between must not make a press of its own."""
    rig.advance(LOOK_EVERY_US)
    rig.lose("pile1", True)         # the level is there already
    rig.hear(MS)                    # and is looked at
    rig.lose("pile1", False)
    at_us = rig.drive("pile1", True)
    assert rig.hear(50 * MS) == [Contact("pile1", True, at_us)]


def test_five_thousand_edges_in_a_row_all_arrive(every_rig):
    """A broken cable must not cost memory, order or the other inputs (mpf#775)."""
    expected = []
    for number in range(5_000):
        every_rig.advance(40)
        closed = number % 2 == 0
        expected.append(Contact("pile1", closed, every_rig.drive("pile1", closed)))
    expected.append(Contact("go", True, every_rig.drive("go", True)))
    assert every_rig.agrees(every_rig.hear(), expected)


def test_a_callback_that_raises_costs_one_edge_and_nothing_else(rig):
    """gpiozero#815: under lgpio an exception in a callback ends all inputs of the process, silently."""
    rig.inbox.refuse = 1
    rig.drive("pile1", True)
    assert [given[:2] for given in rig.hear(LOOK_EVERY_US + 10 * MS)] in ([], [("pile1", True)])
    at_us = rig.drive("go", True)
    assert Contact("go", True, at_us) in rig.hear(2 * LOOK_EVERY_US)
    assert rig.board.health().ok


def test_closing_with_a_button_held_down_releases_every_line_at_once(rig):
    """gpiozero#887: nothing waits for a hold to end; and nothing is told afterwards."""
    rig.drive("go", True)
    rig.hear()
    rig.close()
    assert {gpio for gpio in rig._gpio.values() if not rig.released(gpio)} == set()
    rig.close()


def test_at_rest_the_board_sets_no_alarm(rig):
    """The idle budget: no periodic wake-up while nobody touches the unit."""
    rig.drive("go", True)
    rig.drive("go", False)
    rig.hear(3_000 * MS)
    with pytest.raises(Asleep):
        rig.board.wait(None)


def test_while_a_pad_is_held_the_board_looks_four_times_a_second(rig):
    rig.drive("pile1", True)
    rig.hear(3_000 * MS)
    rig.inbox.waits_us.clear()
    rig.hear(1_000 * MS)
    assert 3 <= len(rig.inbox.waits_us) <= 5


def test_nothing_is_told_after_the_empty_answer_for_its_time(rig):
    """C-14, C-15: a press just before a run-out is told before it, for edges come up to 3 ms late."""
    until_us = rig.clock() + 10 * MS
    rig.advance(10 * MS - 1)
    at_us = rig.drive("go", True)
    rig.advance(2 * MS)
    assert rig.board.wait(until_us) == [Contact("go", True, at_us)]
    assert rig.board.wait(until_us) == []
    assert rig.board.now_us() >= until_us


def test_a_stamp_is_never_older_than_what_was_told(rig):
    """Ports: a board hands over in the order of the stamps; something from another thread may be newer than an edge."""
    rig.advance(100)
    rig.inbox.put(Mended("display", rig.clock()))
    told_us = rig.board.wait(None)[0].at_us
    rig.inbox.put(Broke("display", "again", told_us - 90))
    assert rig.board.wait(None) == [Broke("display", "again", told_us)]


class TestSwitches:
    def test_a_slide_switch_is_told_once_when_it_has_settled(self, rig):
        """C-2; level and time, never an edge alone."""
        for closed in (True, False, True):
            at_us = rig.drive("timer on", closed)
            rig.advance(4 * MS)
        assert rig.hear() == [Moved("timer", "on", at_us + SWITCH_SETTLE_US)]

    def test_a_switch_that_bounces_back_has_not_moved(self, rig):
        rig.drive("timer on", True)
        rig.advance(5 * MS)
        rig.drive("timer on", False)
        assert rig.hear(2 * SWITCH_SETTLE_US) == []

    def test_a_move_of_which_the_edge_was_lost_is_seen_at_the_next_look(self, rig):
        rig.advance(LOOK_EVERY_US)
        rig.lose("timer on", True)
        assert [given[:2] for given in rig.hear()] == [("timer", "on")]

    def test_power_on_brings_a_fresh_seed_with_it(self, rig):
        """C-22."""
        at_us = rig.drive("power on", True)
        told = []
        while not told:
            told = rig.board.wait(at_us + 100 * MS)
        settled_us = at_us + SWITCH_SETTLE_US
        assert told == [Seeded(7, settled_us), Moved("power", "on", settled_us)]

    def test_between_two_positions_the_last_one_stays_and_a_second_later_it_is_a_fault(self, rig_name, open_rig):
        """MA-4, C-20."""
        rig = open_rig(rig_name, held=[SPEED_4])
        rig.began()
        rig.drive(SPEED_4, False)
        assert rig.hear(BETWEEN_US - MS - EDGE_DELIVERY_US) == []
        assert [type(given) for given in rig.hear(10 * MS)] == [Broke]
        rig.drive("speed 6", True)
        told = rig.hear()
        assert [(type(given), given[0]) for given in told] == [(Mended, "speed"), (Moved, "speed")]
        assert told[1].to == "6"

    def test_two_positions_at_once_are_none(self, rig_name, open_rig):
        rig = open_rig(rig_name, held=[SPEED_4, "speed 8"])
        assert [type(given) for given in rig.hear(BETWEEN_US + SETTLE_US + MS)][-1] is Broke


def test_a_signal_handler_can_end_the_wait(rig):
    rig.board.stop()
    assert rig.board.wait(None) == [Stop(rig.clock())]


class TestTheThreadThatBringsEdges:
    """lgpio only: the other factories call back from elsewhere."""

    @pytest.fixture
    def lgpio(self, open_rig):
        rig = open_rig("lgpio")
        rig.began()
        return rig

    def test_a_dead_one_is_noticed_and_replaced_and_the_press_is_told(self, lgpio):
        """gpiozero#815: somebody else's callback raised."""
        lgpio.lgpio.kill_callbacks()
        assert not lgpio.board.health().ok
        lgpio.advance(LOOK_EVERY_US)
        lgpio.drive("pile1", True)
        assert [given[:2] for given in lgpio.hear(50 * MS)] == [("pile1", True)]
        assert lgpio.board.health().ok
        at_us = lgpio.drive("pile1", False)
        assert lgpio.hear(50 * MS) == [Contact("pile1", False, at_us)]

    def test_the_chip_setting_reaches_the_library(self, lgpio):
        """gpiozero#1166, pironman5#95."""
        assert lgpio.lgpio.opened == [0]


def test_a_factory_that_stops_bringing_edges_is_asked_anew(open_rig):
    """Deaf without a dead thread: three levels in a row had to be found out by looking."""
    rig = open_rig("mock")
    rig.began()
    pin = rig.factory.pin(5)
    for closed in (True, False, True):
        rig.advance(LOOK_EVERY_US)
        rig.lose("pile1", closed)
        rig.hear(20 * MS)
    listening = pin.when_changed
    pin.when_changed = None
    rig.hear(LOOK_EVERY_US)
    assert pin.when_changed is listening
