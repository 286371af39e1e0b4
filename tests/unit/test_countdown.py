"""A countdown: when, what happened to it, what the display reads then and what was told since."""

import pytest

from firmware.agenda import MS, OTHER, RUN_OUT, SECOND, Agenda
from firmware.countdown import Countdown


class Watcher:
    """Writes down what the countdown tells; *doubt* makes it put every deadline aside."""

    def __init__(self):
        self.told, self.waiting, self.doubt = [], [], False

    def second_passed(self, seconds_left, at_us):
        self.told.append((seconds_left, at_us / SECOND))

    def ran_out(self, at_us):
        self.told.append(("ran out", at_us / SECOND))

    def countdown_waits(self, due_us, rank, act):
        if self.doubt:
            self.waiting.append((due_us, rank, act))
        return self.doubt


class Clock:
    """A countdown and the loop around it."""

    def __init__(self):
        self.agenda, self.watcher = Agenda(), Watcher()
        self.countdown = Countdown(self.agenda, self.watcher)

    def settle(self, until_us):
        while (due_us := self.agenda.next_us) is not None and due_us <= until_us:
            due_us, act = self.agenda.take()
            act(due_us)

    def row(self, at_s, do=lambda countdown, at_us: None):
        self.settle(round(at_s * SECOND))
        do(self.countdown, round(at_s * SECOND))
        self.settle(round(at_s * SECOND))
        told, self.watcher.told = self.watcher.told, []
        return self.countdown.seconds, told


def start(length_s):
    def do(countdown, at_us):
        countdown.start(round(length_s * SECOND), at_us)

    return do


def stand(countdown, at_us):
    countdown.stand(at_us)


def go_on(countdown, at_us):
    countdown.go_on(at_us)


def stop(countdown, at_us):
    countdown.stop()


def nothing(countdown, at_us):
    pass


TIMELINES = {
    "TP-13 it counts whole seconds, rounded up, and runs out": [
        (5, start(3), 3, []),
        (5.999999, nothing, 3, []),
        (6, nothing, 2, [(2, 6)]),
        (7, nothing, 1, [(1, 7)]),
        (7.999999, nothing, 1, []),
        (8, nothing, 0, [("ran out", 8)]),
        (99, nothing, 0, []),
    ],
    "TP-13 a length that is no whole number of seconds begins with a short one": [
        (0, start(2.5), 3, []),
        (0.5, nothing, 2, [(2, 0.5)]),
        (2.5, nothing, 0, [(1, 1.5), ("ran out", 2.5)]),
    ],
    "less than a second": [
        (0, start(0.25), 1, []),
        (0.25, nothing, 0, [("ran out", 0.25)]),
    ],
    "TP-14 it stands still and goes on with what was left": [
        (0, start(3), 3, []),
        (1.4, stand, 2, [(2, 1)]),
        (50, nothing, 2, []),
        (60, go_on, 2, []),
        (60.6, nothing, 1, [(1, 60.6)]),
        (61.6, nothing, 0, [("ran out", 61.6)]),
    ],
    "TP-13 standing and going on at a whole second tells nothing twice": [
        (0, start(3), 3, []),
        (1, stand, 2, [(2, 1)]),
        (2, go_on, 2, []),
        (3, nothing, 1, [(1, 3)]),
    ],
    "TP-12 a stopped one is none": [
        (0, start(3), 3, []),
        (1, stop, 0, [(2, 1)]),
        (2, go_on, 0, []),
        (9, stand, 0, []),
        (9, stop, 0, []),
    ],
    "a new start forgets the old one": [
        (0, start(3), 3, []),
        (0.5, start(2), 2, []),
        (9, nothing, 0, [(1, 1.5), ("ran out", 2.5)]),
    ],
    "standing twice is standing once": [
        (0, start(3), 3, []),
        (0.5, stand, 3, []),
        (0.9, stand, 3, []),
        (1, go_on, 3, []),
        (1.5, nothing, 2, [(2, 1.5)]),
    ],
    "going on while it runs changes nothing": [
        (0, start(3), 3, []),
        (0.7, go_on, 3, []),
        (1, nothing, 2, [(2, 1)]),
    ],
}


@pytest.mark.parametrize("rows", list(TIMELINES.values()), ids=list(TIMELINES))
def test_a_countdown(rows):
    """TP-12, TP-13, TP-14."""
    clock = Clock()
    assert [(at_s, do, *clock.row(at_s, do)) for at_s, do, _, _ in rows] == rows


@pytest.mark.parametrize("rows", list(TIMELINES.values()), ids=list(TIMELINES))
def test_it_is_running_standing_or_none(rows):
    clock = Clock()
    for at_s, do, seconds, _ in rows:
        clock.row(at_s, do)
        countdown = clock.countdown
        assert not (countdown.running and countdown.standing)
        assert (countdown.running or countdown.standing) == bool(seconds)


def test_the_rest_of_a_countdown_can_be_given():
    """C-5: after a restart it stands at its full time."""
    clock = Clock()
    clock.row(0, start(9))
    clock.countdown.stand_at(4 * SECOND)
    assert clock.row(30) == (4, [])
    assert clock.row(30, go_on) == (4, [])
    assert clock.row(31) == (3, [(3, 31)])


def test_a_second_waits_for_a_contact_in_doubt_and_is_told_at_its_own_time():
    """TP-16: what counts is when the button was let go."""
    clock = Clock()
    clock.row(0, start(2))
    clock.watcher.doubt = True
    assert clock.row(1.02) == (2, [])
    assert [(due_us, rank) for due_us, rank, _ in clock.watcher.waiting] == [(1 * SECOND, OTHER)]
    clock.watcher.doubt = False
    clock.agenda.set(*clock.watcher.waiting.pop())
    assert clock.row(1.02) == (1, [(1, 1)])
    clock.watcher.doubt = True
    clock.row(2.01)
    assert [(due_us, rank) for due_us, rank, _ in clock.watcher.waiting] == [(2 * SECOND, RUN_OUT)]


@pytest.mark.parametrize("do", [stand, stop, start(5)], ids=["it stands", "it was stopped", "it began anew"])
def test_a_second_that_waited_and_is_out_of_date_is_not_told(do):
    """TP-16: the release came first after all."""
    clock = Clock()
    clock.row(0, start(2))
    clock.watcher.doubt = True
    clock.row(1.02)
    clock.watcher.doubt = False
    do(clock.countdown, round(0.99 * SECOND))
    clock.agenda.set(*clock.watcher.waiting.pop())
    assert clock.row(1.02)[1] == []


def test_it_knows_that_it_is_over_before_that_was_told():
    clock = Clock()
    clock.row(0, start(2))
    assert [clock.countdown.over_at(at_ms * MS) for at_ms in (0, 1_999, 2_000, 2_001)] == [False, False, True, True]
    clock.countdown.stand(1_000 * MS)
    assert not clock.countdown.over_at(3_000 * MS)
