"""No rule without a test, no test of an unknown rule, and a table that says so."""

from tests.traceability import DEFINED, NOT_BUILT_YET, PAGES, SPEC, TABLE, guards, rules_of, table

RULES = {rule for page in PAGES for rule in rules_of(page)}
GUARDED = {rule for guard in guards() for rule in guard.rules}


def test_every_rule_has_a_test():
    assert sorted(RULES - GUARDED - NOT_BUILT_YET) == []


def test_what_is_listed_as_not_built_has_no_test_yet():
    assert sorted(NOT_BUILT_YET - RULES) == [], "no such rules"
    assert sorted(NOT_BUILT_YET & GUARDED) == [], "these have tests now: take them off the list"


def test_no_test_names_an_unknown_rule():
    unknown = {f"{guard.path.name}::{guard.name}": set(guard.rules) - RULES for guard in guards()}
    assert {name: rules for name, rules in unknown.items() if rules} == {}


def test_every_rule_is_defined_once_and_links_to_its_own_row():
    defined = [pair for page in PAGES for pair in DEFINED.findall((SPEC / f"{page}.md").read_text(encoding="utf-8"))]
    assert [(rule, rule.lower()) for rule, _ in defined] == defined
    assert len(defined) == len(set(defined))


def test_the_table_is_up_to_date():
    assert TABLE.read_text(encoding="utf-8") == table(guards()), "stale: run `python tests/traceability.py`"
