"""Chance and volume, which every unit has alike."""

from collections import Counter
from random import Random

import pytest
from bench_client import chi_square
from hypothesis import given
from hypothesis import strategies as st

from firmware.agenda import Agenda
from firmware.body import Body, Volume

ODDS = st.lists(st.one_of(st.just(0), st.integers(0, 100), st.floats(0, 1e6)), min_size=1, max_size=6).filter(any)


def body(random):
    return Body({}, {}, Volume(3), random, Agenda(), owner=None)


class Dice(Random):
    """Dice that always fall the same way."""

    def __init__(self, point):
        super().__init__(0)
        self.point = point

    def random(self):
        return self.point


def test_draws_follow_their_odds():
    """C-23: by Pearson's test, far out of its reach."""
    odds = [20, 50, 30, 0]
    drawn = Counter(body(Random(seed)).draw("abcd", odds) for seed in range(4_000))
    assert drawn["d"] == 0
    assert chi_square([drawn[item] for item in "abc"], odds[:3]) < 20


def test_draws_without_odds_are_all_alike():
    """C-23."""
    cup = body(Random(1))
    drawn = Counter(cup.draw(range(7)) for _ in range(7_000))
    assert chi_square([drawn[n] for n in range(7)], [1] * 7) < 30


@given(ODDS, st.one_of(st.just(0.0), st.floats(0, 1, exclude_max=True)), st.data())
def test_what_has_no_odds_is_never_drawn(odds, point, data):
    """C-23: wherever the dice fall, at the very ends, too, and whatever rounding does."""
    for where in (point, 0.0, 1 - 2**-53):
        assert odds[body(Dice(where)).draw(range(len(odds)), odds)] > 0


@pytest.mark.parametrize("level, steps", [
    (3, [2, 1, 0, 1, 2, 3, 4, 5, 4, 3]), (1, [0, 1, 2]), (0, [1, 2, 3, 4, 5, 4]), (5, [4, 3]),
])
def test_the_volume_goes_down_first_and_turns_round_at_both_ends(level, steps):
    """TP-17: at silence up."""
    volume = Volume(level)
    volume.open()
    seen = []
    for _ in steps:
        volume.step()
        seen.append(volume.level)
    assert seen == steps


def test_each_opening_starts_downwards():
    """TP-17."""
    volume = Volume(0)
    volume.open()
    volume.step()
    volume.step()
    volume.open()
    volume.step()
    assert volume.level == 1
