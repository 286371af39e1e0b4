"""docs/field-reports.md answers every report once, with tests and places that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORTS = 75
ROW = re.compile(r"^\| (\d+) \|.*\|$", re.MULTILINE)


def answers():
    """Return {number of the report: its last cell}."""
    text = (ROOT / "docs" / "field-reports.md").read_text(encoding="utf-8")
    rows = [(int(row[1]), row[0].strip("|").split(" | ")[-1].strip()) for row in ROW.finditer(text)]
    assert len(rows) == len(dict(rows)), "a report is answered twice"
    return dict(rows)


def test_every_report_is_answered():
    assert sorted(answers()) == list(range(1, REPORTS + 1))


def test_every_test_and_place_that_is_named_exists():
    tests = {name for path in (ROOT / "tests").rglob("test_*.py")
             for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))}
    lost = []
    for number, answer in answers().items():
        named = re.findall(r"`([^`]+)`", answer)
        assert named or answer == "by decision", f"{number}: no test, no place and no decision"
        lost += [(number, name) for name in named if name not in tests and not (ROOT / name).exists()]
    assert lost == []
