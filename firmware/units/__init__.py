"""The units, one file each. To add one: write its file, add its line here (see CONTRIBUTING)."""

from __future__ import annotations

from importlib import import_module

from firmware.kind import Kind

UNITS = {
    "triple-play": "firmware.units.triple_play",
    "master": "firmware.units.master",
    "spin": "firmware.units.spin",
    "party": "firmware.units.party",
}


def kind_named(name: str) -> Kind:
    """The kind of unit of this name. LookupError names those that there are."""
    if name not in UNITS:
        raise LookupError(f"unknown unit '{name}'; there are {', '.join(UNITS)}")
    kind: Kind = import_module(UNITS[name]).KIND
    return kind
