"""Being late never changes a result: the same inputs, and wake-ups up to 400 ms too late, give the same moments."""

from random import Random

import pytest

from firmware.agenda import MS, SECOND
from firmware.runner import Runner
from firmware.units import UNITS
from hal.virtual import VirtualBoard
from tests.desk import make_unit
from tests.onlooker import Onlooker
from tests.scripts import rough_play

LENGTH_US = 240 * SECOND


class Witness:
    """Remembers every line, with an onlooker at its side."""

    def __init__(self, unit):
        self.lines, self._onlooker = [], Onlooker(unit)

    def hear(self, moment):
        self._onlooker.see([moment])
        self.lines += moment.lines


def told(name, seed, late_us):
    unit = make_unit(name, seed=seed)
    witness = Witness(unit)
    script = rough_play(unit, seed, LENGTH_US)
    Runner(unit, VirtualBoard(script, LENGTH_US + 400 * SECOND, late_us), listeners=[witness]).run()
    return witness.lines


def in_time():
    return 0


def up_to(most_us):
    """Return who says, before each wake-up, how late it is."""
    chance = Random(most_us)
    return lambda: chance.randrange(most_us + 1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", UNITS)
def test_whoever_wakes_up_late_tells_the_same(name, seed):
    """C-15: line by line, with the same times."""
    wanted = told(name, seed, in_time)
    assert len(wanted) > 100
    for most_us in (300, 7 * MS, 40 * MS, 400 * MS):
        assert told(name, seed, up_to(most_us)) == wanted


@pytest.mark.parametrize("name", UNITS)
def test_nobody_looking_between_inputs_changes_nothing(name):
    """C-15: `feed` alone settles what was due before."""
    wanted = told(name, 1, in_time)
    unit = make_unit(name, seed=1)
    lines = [line for heard in rough_play(unit, 1, LENGTH_US) for moment in unit.feed(heard) for line in moment.lines]
    lines += [line for moment in unit.tick(LENGTH_US + 400 * SECOND) for line in moment.lines]
    assert lines == wanted


@pytest.mark.parametrize("name", UNITS)
def test_looking_all_the_time_changes_nothing(name):
    """C-15: ten looks between any two inputs."""
    wanted = told(name, 2, in_time)
    unit, lines = make_unit(name, seed=2), []
    for heard in rough_play(unit, 2, LENGTH_US):
        gap_us = heard.at_us - unit.now_us
        for n in range(10):
            lines += [line for moment in unit.tick(max(unit.now_us, heard.at_us - gap_us + n * gap_us // 10))
                      for line in moment.lines]
        lines += [line for moment in unit.feed(heard) for line in moment.lines]
    lines += [line for moment in unit.tick(LENGTH_US + 400 * SECOND) for line in moment.lines]
    assert lines == wanted


@pytest.mark.parametrize("name", UNITS)
def test_the_same_seed_and_inputs_give_the_same_outputs(name):
    """C-22."""
    assert told(name, 3, in_time) == told(name, 3, in_time)
