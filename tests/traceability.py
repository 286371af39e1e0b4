"""Which tests guard which rule: the rule ids of docs/spec against the docstrings of the tests.

    python tests/traceability.py        writes docs/spec/traceability.md anew

A test guards the rules that its docstring names (`TP-7`, `C-10a`); the docstring of a class counts for the class.
`BENCH` stands for the rules of docs/spec/bench.md, which have no numbers.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "docs" / "spec"
TABLE = SPEC / "traceability.md"
PAGES = ("bench", "common", "triple-play", "master", "spin", "party", "scoring")
RULE = re.compile(r"\b(?:BENCH\b|(?:C|TP|MA|SP|PA|SC)-\d+[a-z]?\b)")
DEFINED = re.compile(r"^\| \[([A-Z]+-\d+[a-z]?)\]\(traceability\.md#([a-z0-9-]+)\) \|", re.MULTILINE)

# Rules of what is not built yet. A rule leaves this list with its first test; the list is empty when all is built.
NOT_BUILT_YET: frozenset[str] = frozenset(f"SC-{n}" for n in range(1, 11))


class Guard(NamedTuple):
    """A test, or a class of tests, and the rules that its docstring names."""

    path: Path
    name: str
    rules: tuple[str, ...]


def rules_of(page: str) -> list[str]:
    """Return the ids that the page of docs/spec defines, in its order."""
    if page == "bench":
        return ["BENCH"]
    return [rule for rule, _ in DEFINED.findall((SPEC / f"{page}.md").read_text(encoding="utf-8"))]


def guards(tests: Path = ROOT / "tests") -> list[Guard]:
    """Return every test under *tests* whose docstring names a rule, by path and place in the file."""
    return [guard for path in sorted(tests.rglob("test_*.py")) for guard in _guards_in(path)]


def _guards_in(path: Path) -> Iterator[Guard]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        is_test = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        if is_test or isinstance(node, ast.ClassDef):
            named = tuple(dict.fromkeys(RULE.findall(ast.get_docstring(node) or "")))
            if named:
                yield Guard(path, node.name, named)


def table(found: list[Guard]) -> str:
    """Return the text of docs/spec/traceability.md for these tests."""
    parts = [
        "# Which tests guard which rule\n",
        "Made from the docstrings of the tests by `python tests/traceability.py`; do not edit.\n",
    ]
    for page in PAGES:
        parts += [f"## [{page}]({page}.md)\n", "| rule | tests |", "|---|---|"]
        for rule in rules_of(page):
            cell = "<br>".join(_links(rule, found)) or "not built yet"
            parts.append(f'| <a id="{rule.lower()}"></a>{rule} | {cell} |')
        parts.append("")
    return "\n".join(parts)


def _links(rule: str, found: list[Guard]) -> Iterator[str]:
    """Yield one link a file, with its tests' names as sentences."""
    for path in dict.fromkeys(guard.path for guard in found):
        names = [g.name.removeprefix("test_").replace("_", " ") for g in found if g.path == path and rule in g.rules]
        if names:
            short = path.relative_to(ROOT / "tests")
            yield f"[{short.as_posix()}](../../tests/{short.as_posix()}): {', '.join(names)}"


if __name__ == "__main__":
    TABLE.write_text(table(guards()), encoding="utf-8")
    sys.exit(0)
