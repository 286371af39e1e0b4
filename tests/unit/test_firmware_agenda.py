"""What is due when, and who comes first."""

from itertools import permutations

import pytest

from firmware.agenda import HOLD, OTHER, RELEASE, RUN_OUT, SLEEP, Agenda

BY_RANK = {RELEASE: "a release", RUN_OUT: "a run-out", HOLD: "a hold", OTHER: "a look", SLEEP: "sleep"}


def settled(agenda, until_us=10**9):
    """Take everything that is due up to then; the words its deadlines left, with their times."""
    told = []
    while (due_us := agenda.next_us) is not None and due_us <= until_us:
        at_us, act = agenda.take()
        told.append((at_us, act(at_us)))
    return told


def words(text):
    return lambda due_us: text


@pytest.mark.parametrize("order", list(permutations(BY_RANK)), ids=lambda order: "".join(map(str, order)))
def test_at_equal_times_releases_come_first_and_sleep_last(order):
    """C-14: in whatever order they were set."""
    agenda = Agenda()
    for rank in order:
        agenda.set(1_000, rank, words(BY_RANK[rank]))
    assert settled(agenda) == [(1_000, text) for text in BY_RANK.values()]


def test_equals_come_in_the_order_in_which_they_were_set():
    """C-14."""
    agenda = Agenda()
    for text in ("first", "second", "third"):
        agenda.set(5, OTHER, words(text))
    assert settled(agenda) == [(5, "first"), (5, "second"), (5, "third")]


def test_time_beats_rank():
    agenda = Agenda()
    agenda.set(2, RELEASE, words("a release"))
    agenda.set(1, SLEEP, words("sleep"))
    assert settled(agenda) == [(1, "sleep"), (2, "a release")]


def test_what_was_dropped_does_not_come_and_does_not_hide_what_is_behind_it():
    agenda = Agenda()
    first = agenda.set(1, OTHER, words("dropped"))
    agenda.set(2, OTHER, words("kept"))
    agenda.drop(first)
    agenda.drop(first)
    agenda.drop(None)
    assert agenda.next_us == 2
    assert settled(agenda) == [(2, "kept")]
    assert agenda.next_us is None


def test_dropping_what_is_done_is_no_error():
    agenda = Agenda()
    done = agenda.set(1, OTHER, words("done"))
    assert settled(agenda) == [(1, "done")]
    agenda.drop(done)
    assert agenda.next_us is None
