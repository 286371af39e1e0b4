"""Ready-made choices of house rules: each sets several settings at once, by the same wish as a single one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware.kind import Kind

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "triple_play": {
        "sheet": {},
        "quick": {"overload_presses": [3, 6], "lit_odds": [40, 40, 20], "turn_seconds": 6},
        "gentle": {
            **{"overload_presses": [7, 12], "penalty_odds": [3, 1, 0, 0], "lit_odds": [0, 40, 60]},
            **{"turn_seconds": 30, "timeout_cards": 1, "tick_seconds": 5},
        },
    },
    "master": {
        "sheet": {},
        "quick": {"speeds": [3, 4, 5], "penalty_cards": 4},
        "gentle": {"speeds": [10, 15, 20], "penalty_cards": 1, "tick_seconds": 5},
    },
    "spin": {
        "sheet": {},
        "quick": {"show_hand_seconds": 5, "virtual_spin": [1.5, 2.5]},
        "gentle": {"min_turns": 0.5, "show_hand_seconds": 20, "war_seconds": 5},
    },
}
"""By section: what each choice sets. What it does not name but another one of its section does is at its default."""


def presets_of(kind: Kind) -> list[dict[str, Any]]:
    """The choices for a unit, each with a name and the settings to wish for; ready for JSON."""
    own = PRESETS.get(kind.section, {})
    touched = {name for choice in own.values() for name in choice}
    usual = {setting.name: setting.default for setting in kind.settings if setting.name in touched}
    return [{"name": name, "settings": {kind.section: {**usual, **choice}}} for name, choice in own.items()]
