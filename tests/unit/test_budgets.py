"""The table of `make bench`: what counts as kept, and how it reads. Nothing is measured here."""

import pytest

from tests.budgets import Figure, table


@pytest.mark.parametrize("figure, holds", [
    (Figure("memory", 13.9, "MiB", most=14), True),
    (Figure("memory", 14.1, "MiB", most=14), False),
    (Figure("presses", 120_000, "/s", least=120_000), True),
    (Figure("presses", 119_999, "/s", least=120_000), False),
    (Figure("start", 30, "ms", "pass", 3.0, most_ratio=3), True),
    (Figure("start", 30, "ms", "pass", 3.01, most_ratio=3), False),
    (Figure("press", 9, "µs", "mock", 1.1, most=8, most_ratio=1.2), True),
    (Figure("press", 7, "µs", "mock", 1.9, most=8, most_ratio=1.2), True),
    (Figure("press", 9, "µs", "mock", 1.9, most=8, most_ratio=1.2), False),
    (Figure("only told", 9, "µs"), True),
])  # fmt: skip
def test_a_budget_is_kept_when_one_of_its_bounds_is(figure, holds):
    assert figure.holds == holds


def test_the_table_names_what_is_over_and_its_peer():
    assert table([
        Figure("press to all outputs", 9.04, "µs", "mock, 5.1 µs", 1.77, most=8, most_ratio=1.2),
        Figure("presses", 123_456.7, "/s", least=120_000),
        Figure("only told", 0.5, "µs"),
    ]).splitlines() == [
        "what                  measured    ratio   budget                   peer or floor",
        "press to all outputs  9.04 µs     1.77 ×  ≤ 8 µs or ≤ 1.2 ×  OVER  mock, 5.1 µs",
        "presses               123,457 /s          ≥ 120,000 /s       ok",
        "only told             0.5 µs",
    ]
