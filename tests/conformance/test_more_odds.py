"""Chance in Triple Play: the draws follow the odds, within the bounds (docs/spec/triple-play.md, common.md)."""

import pytest
from bench_client import SEED, Bench, chi_square, plus, run_script, stamp
from rounds import settled

UNIT = "triple-play"
SETS = ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3))
START = ['{"t": 0, "switch": "power", "to": "on"}', '{"t": 0.2, "tap": "go"}', '{"t": 0.5, "tap": "go"}']


def taps(names, rounds):
    """Return a script that begins a round and taps these inputs over and over, 0.3 s apart."""
    order = list(names) * rounds
    return START + [f'{{"t": {stamp(plus(2, n * 0.3))}, "tap": "{name}"}}' for n, name in enumerate(order)]


def chances(before, odds):
    """Return {set: chance} of the turn after the sets *before*, as TP-4 has it with three sound pads."""
    owed = {1, 2, 3} - set().union(*before[-3:]) if len(before) >= 3 else set()
    third = before[-1] if len(before) >= 2 and before[-1] == before[-2] else None
    allowed = [lit for lit in SETS if owed <= set(lit) and lit != third]
    weight = {size: odds[size - 1] for size in {len(lit) for lit in allowed}}
    alike = {size: sum(len(lit) == size for lit in allowed) for size in weight}
    return {lit: weight[len(lit)] / sum(weight.values()) / alike[len(lit)] for lit in allowed if weight[len(lit)]}


@pytest.mark.parametrize("odds", [(20, 50, 30), (1, 1, 1), (80, 15, 5), (100, 0, 0), (0, 100, 0)])
def test_lit_piles_follow_the_odds_within_the_bounds(odds):
    """TP-4 C-23 some 900 turns: each set is allowed, and all are as frequent as the rule makes them."""
    result = run_script(UNIT, taps(["pile1", "pile2", "pile3", "go"], 500), settings=settled(20, lit=odds))
    sets = [tuple(sorted(e["lit"])) for e in result.outputs.events("turn")]
    assert len(sets) > 400
    expected = dict.fromkeys(SETS, 0.0)
    for n, lit in enumerate(sets):
        allowed = chances(sets[:n], odds)
        assert lit in allowed, f"turn {n + 1}: {lit} after {sets[max(0, n - 3):n]}"
        for candidate, chance in allowed.items():
            expected[candidate] += chance
    possible = [lit for lit in SETS if expected[lit] > 0]
    observed = [sets.count(lit) for lit in possible]
    assert chi_square(observed, [expected[lit] for lit in possible]) < 40, dict(zip(possible, observed, strict=True))


def test_limits_are_uniform():
    """TP-10 C-23 the number of presses up to an overload is 4 to 8, each as often."""
    result = run_script(UNIT, taps(["pile1", "go"], 2400), settings={"triple_play.lit_odds": [0, 0, 1]})
    presses, counts = [], result.outputs.events()
    for n, event in enumerate(counts):
        if event["event"] == "overload":
            presses.append(next(e["count"] for e in reversed(counts[:n]) if e["event"] == "played"))
    assert len(presses) > 250
    observed = [presses.count(n) for n in range(4, 9)]
    assert sum(observed) == len(presses) and chi_square(observed, [1] * 5) < 35, observed


@pytest.mark.parametrize("odds", [[1, 1, 1, 1], [1, 2, 3, 4], [9, 0, 0, 1]])
def test_penalties_follow_the_odds(odds):
    """TP-10 C-23 some 600 overloads: 1 to 4 cards by penalty_odds, never a number without a chance."""
    settings = settled(2, penalty_odds=odds)
    result = run_script(UNIT, taps(["pile1", "pile1", "go"], 600), settings=settings)
    draws = [e["draw"] for e in result.outputs.events("overload")]
    assert len(draws) >= 598
    observed = [draws.count(n) for n in (1, 2, 3, 4)]
    possible = [n for n in range(4) if odds[n]]
    assert sum(observed) == len(draws) == sum(observed[n] for n in possible)
    assert chi_square([observed[n] for n in possible], [odds[n] for n in possible]) < 32, observed


def test_limits_of_a_range_are_both_drawn():
    """TP-10 overload_presses [2, 3]: both ends belong to the range, and nothing else."""
    settings = {"triple_play.lit_odds": [0, 0, 1], "triple_play.overload_presses": [2, 3]}
    result = run_script(UNIT, taps(["pile1", "go"], 400), settings=settings)
    presses, last = set(), 0
    for event in result.outputs.events():
        if event["event"] == "played":
            last = event["count"]
        elif event["event"] == "overload":
            presses.add(last)
    assert presses == {2, 3}


def test_the_seed_of_the_first_line_brings_the_game_back():
    """C-22 BENCH a bench without --seed says which it took; with that one the game is the same, to the byte."""
    lines = taps(["pile1", "pile2", "pile3", "go"], 20)
    first = run_script(UNIT, lines, seed=None)
    assert isinstance(first.header["seed"], int)
    assert run_script(UNIT, lines, seed=first.header["seed"]).stdout == first.stdout


def test_a_fresh_seed_each_time():
    """C-22 three benches without --seed are not all the same."""
    assert len({run_script(UNIT, [], seed=None).header["seed"] for _ in range(3)}) > 1


def test_the_order_of_sets_and_hashes_plays_no_part():
    """C-22 the same bytes whatever Python's hash seed is."""
    lines = taps(["pile1", "pile2", "pile3", "go"], 50)
    games = {run_script(UNIT, lines, env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1", "77")}
    assert len(games) == 1


def test_a_second_round_is_another_game():
    """C-22 TP-4 the second power-on of a bench does not repeat the draws of the first."""
    with Bench(UNIT, seed=SEED, settings={"triple_play.overload_presses": [20, 20]}) as b:
        games = []
        for _ in range(2):
            begun = b.count("turn")
            b.start_round()
            for _ in range(15):
                b.play()
                b.run_for(0.2)
            games.append([turn["lit"] for turn in b.events_named("turn")[begun:]])
            b.power_off()
            b.run_for(1)
        assert games[0] != games[1]
