"""What the stories about a unit begin with."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.desk import Desk


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A three-pile unit on the desk, its power off; all piles are lit at every turn and overload at the third press."""
    rules = {"triple_play.lit_odds": [0, 0, 1], "triple_play.overload_presses": [3, 3]}
    with Desk("triple-play", settings=rules) as unit:
        yield unit


@pytest.fixture
def desk_with() -> Callable[..., Desk]:
    """Put a unit on the desk: `desk_with("spin", at_rest=0.5)`, settings of its own section by name."""

    def put(unit: str = "triple-play", **rules: Any) -> Desk:
        return Desk(unit, settings={f"{unit.replace('-', '_')}.{name}": value for name, value in rules.items()})

    return put
