"""The state machines drawn into the docs: the same table that runs, as a Mermaid diagram and as a list of rows."""

from __future__ import annotations

from typing import Any

from firmware.chart import Chart, words
from firmware.power import BY_BUTTON, BY_SWITCH
from firmware.selftest_walk import CHART as SELF_TEST
from firmware.units import UNITS, kind_named

HEAD = "<!-- Drawn by `pilelight charts` from the table that runs; do not edit. -->\n"


def drawings() -> dict[str, str]:
    """The file of every chart by its name; the same code gives the same bytes."""
    pages = {f"{name}.md": _page(kind_named(name).title, kind_named(name).chart) for name in UNITS}
    pages["power.md"] = _page("Power, around every unit that has a switch", BY_SWITCH)
    pages["power-by-button.md"] = _page("Power of a unit that its button switches", BY_BUTTON)
    pages["self-test.md"] = _page("The self-test of any unit", SELF_TEST)
    return pages


def _page(title: str, chart: Chart[Any]) -> str:
    rows = "\n".join(
        f"| {row.source} | {row.trigger} | {words(row.when)} | {words(row.do)} | {row.target or 'stays'} |"
        for row in chart.rows
    )
    return (
        f"{HEAD}\n# {title}\n\n```mermaid\n{chart.mermaid()}```\n\n"
        f"| in | when | if | do | go to |\n| --- | --- | --- | --- | --- |\n{rows}\n"
    )
