"""The results of a self-test, for people and for machines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from firmware.selftest_walk import Result, Verdict

NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SELFTEST = ".selftest"
"""How the files end in which the results of safe mode are kept, each named after its unit."""
GOOD = (Verdict.OK, Verdict.SKIPPED)


def passed(results: Sequence[Result]) -> bool:
    """Whether nothing failed and everything was reached; what somebody skipped counts as seen to."""
    return all(result.verdict in GOOD for result in results)


def table(results: Sequence[Result]) -> Iterator[str]:
    """The results as lines, with advice for what failed, and a last line that counts."""
    width = max((len(result.step.name) for result in results), default=0)
    for result in results:
        yield f"{result.verdict.value:9} {result.step.name:{width}}  {result.detail}".rstrip()
        if result.verdict is Verdict.FAILED:
            yield f"{'':9} {'':{width}}  → {result.step.advice}"
    yield ""
    counts = {verdict: sum(result.verdict is verdict for result in results) for verdict in Verdict}
    yield ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count or verdict is Verdict.OK)


def junit(unit: str, board: str, results: Sequence[Result]) -> str:
    """The results as JUnit's XML: what was not reached is an error, so that an interrupted test is not green."""
    failures = sum(result.verdict is Verdict.FAILED for result in results)
    skipped = sum(result.verdict is Verdict.SKIPPED for result in results)
    errors = sum(result.verdict is Verdict.UNTRIED for result in results)
    seconds = sum(result.seconds for result in results)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            f'<testsuites><testsuite name={_quoted(f"selftest {unit} on {board}")} tests="{len(results)}"'
            f' failures="{failures}" errors="{errors}" skipped="{skipped}" time="{seconds:.3f}">',
            *(_case(unit, result) for result in results),
            "</testsuite></testsuites>\n",
        ]
    )


def _case(unit: str, result: Result) -> str:
    step = result.step
    case = f"<testcase classname={_quoted(f'{unit}.{step.part}')} name={_quoted(step.name)}"
    case += f' time="{result.seconds:.3f}"'
    match result.verdict:
        case Verdict.OK:
            return f"{case}/>"
        case Verdict.FAILED:
            message = _quoted(result.detail)
            return f"{case}><failure message={message}>{_text(step.advice)}</failure></testcase>"
        case Verdict.SKIPPED:
            return f'{case}><skipped message="skipped by hand"/></testcase>'
        case Verdict.UNTRIED:
            return f'{case}><error message="not reached"/></testcase>'


def _quoted(text: str) -> str:
    return quoteattr(NOT_XML.sub("?", text))


def _text(text: str) -> str:
    return escape(NOT_XML.sub("?", text))
