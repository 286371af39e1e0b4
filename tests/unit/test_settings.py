"""Settings: every mistake is named at once, with the place and what would be right; nothing else ever comes out."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.assembly import all_settings, known_kind, settings_of
from firmware.presets import PRESETS, presets_of
from firmware.settings import (
    COMMON,
    GROUPS,
    SettingsError,
    flag,
    from_file,
    from_text,
    in_us,
    number,
    odds,
    seconds,
    settings,
    span,
    to_toml,
    whole,
)
from firmware.units import UNITS, kind_named

ALL = {"common": COMMON, **{kind_named(name).section: kind_named(name).settings for name in UNITS}}
TOY = {
    "toy": (
        seconds("wait", 2.0, 0.5, 60, "How long."),
        whole("cards", 2, 1, 20, "How many."),
        number("turns", 1.0, 0.1, 10, "How far."),
        span("draw", [4, 8], 2, 20, "From, to."),
        span("spin", [2.5, 4.0], 0.5, 30, "From, to.", whole_numbers=False),
        odds("odds", [1, 1, 1], "How often."),
        flag("loud", False, "Whether."),
    )
}


def problems(*given):
    with pytest.raises(SettingsError) as caught:
        settings(TOY, given)
    return str(caught.value).splitlines()


def test_without_a_word_everything_is_at_its_default():
    assert settings(TOY) == {
        "toy": {
            **{"wait": 2.0, "cards": 2, "turns": 1.0, "draw": [4, 8], "spin": [2.5, 4.0], "odds": [1, 1, 1]},
            "loud": False,
        }
    }


def test_a_file_full_of_mistakes_is_refused_at_once():
    """Names like a right one in their thousands; to look for the nearest of each would take a small Pi minutes."""
    entries = {f"turn_secon{number}": 1 for number in range(100_000)}
    for table in ({"triple_play": entries}, {name: entries for name in entries}, dict.fromkeys(entries, 1)):
        with pytest.raises(SettingsError) as told:
            settings(ALL, [("x.toml", table), ("y.toml", table)])
        lines = str(told.value).splitlines()
        assert len(lines) == 51 and lines[-1] == "and so on: it is full of mistakes"


def test_the_last_word_counts():
    values = settings(TOY, [("file", {"toy": {"wait": 1, "cards": 5}}), ("--set", {"toy": {"wait": 3}})])
    assert (values["toy"]["wait"], values["toy"]["cards"]) == (3, 5)


def test_every_mistake_is_named_at_once_with_what_would_be_right():
    found = problems(
        ("pilelight.toml", {
            "toy": {
                **{"wait": 0, "cards": 2.5, "turns": "far", "draw": [8, 4], "spin": [1], "odds": [0, 0, 0], "wat": 1},
                "loud": "on",
            },
            "tyo": {"wait": 1}, "cards": 3,
        }),
        ("--set toy.cards=true", {"toy": {"cards": True}}),
        ("--set", {"toy": 7}),
    )  # fmt: skip
    assert found == [
        "pilelight.toml: toy.wait = 0: must be seconds from 0.5 to 60, like 2",
        "pilelight.toml: toy.cards = 2.5: must be a whole number from 1 to 20, like 2",
        'pilelight.toml: toy.turns = "far": must be a number from 0.1 to 10, like 1',
        "pilelight.toml: toy.draw = [8, 4]: must be two whole numbers from 2 to 20, the lower first, like [4, 8]",
        "pilelight.toml: toy.spin = [1]: must be two seconds from 0.5 to 30, the lower first, like [2.5, 4.0]",
        "pilelight.toml: toy.odds = [0, 0, 0]: must be 3 numbers from 0 to 1000000, not all of them 0, like [1, 1, 1]",
        "pilelight.toml: unknown setting toy.wat; did you mean wait?",
        'pilelight.toml: toy.loud = "on": must be true or false',
        "pilelight.toml: unknown section [tyo]; did you mean toy?",
        "pilelight.toml: unknown section [cards]; there are toy",
        "--set toy.cards=true: toy.cards = true: must be a whole number from 1 to 20, like 2",
        "--set: [toy] must be a section with settings, not 7",
    ]


@pytest.mark.parametrize("name, good, bad", [
    ("wait", [0.5, 60, 1], [0.49, 60.1, True, "2", None, [2], float("nan"), float("inf"), 10**400, {}]),
    ("cards", [1, 20], [0, 21, 1.0, False, "1", 10**400]),
    ("turns", [0.1, 10, 1], [0, 10.5, True, "1", float("nan")]),
    ("draw", [[2, 20], [5, 5]], [[1, 5], [5, 21], [5], [4, 5, 6], [4.0, 5], [True, 4], "48", {"low": 4}]),
    ("spin", [[0.5, 30], [3, 3]], [[0.4, 1], [2, 31], [3, 2], [float("nan"), 3]]),
    ("odds", [[0, 0, 1], [0.5, 1e6, 3]], [[1, 1], [1, 1, -1], [1, 1, True], [1, 1, 1e7], [float("inf"), 1, 1], 3]),
    ("loud", [True, False], [0, 1, "true", None, [True]]),
])
def test_the_bounds_of_each_kind_of_setting(name, good, bad):
    for value in good:
        assert settings(TOY, [("here", {"toy": {name: value}})])["toy"][name] == value
    for value in bad:
        assert len(problems(("here", {"toy": {name: value}}))) == 1


def test_times_are_counted_in_whole_microseconds():
    assert in_us(TOY["toy"], {"wait": 0.1 + 0.2, "cards": 3}) == {"wait": 300_000}


@pytest.mark.parametrize("section", ALL)
def test_every_setting_is_explained_and_its_default_is_right(section):
    for setting in ALL[section]:
        assert setting.check(setting.default) is None, setting.name
        assert setting.doc.endswith(".") and setting.doc[0].isupper(), setting.name
        assert setting.group in GROUPS, setting.name
        json.dumps(setting.default)


def test_no_two_settings_of_a_section_have_one_name():
    for section, own in ALL.items():
        names = [setting.name for setting in own]
        assert len(names) == len(set(names)), section


# -- from a command line and from a file -------------------------------------------------------------------------


@pytest.mark.parametrize("text, value", [
    ("toy.wait=6", 6), (" toy.wait =6", 6), ("toy.wait=[4, 8]", [4, 8]), ('toy.wait="a=b"', "a=b"),
    ("toy.wait=1e-3", 0.001), ("toy.wait=true", True),
])
def test_an_assignment_is_read(text, value):
    where, values = from_text(text)
    assert values == {"toy": {"wait": value}} and where == f"--set {text}"


@pytest.mark.parametrize("text", ["", "toy", "toy=3", "toy.=3", ".wait=3", "toy.wait", "=", "."])
def test_an_assignment_of_another_shape_is_refused(text):
    with pytest.raises(SettingsError, match=r"must be section.key=value, like triple_play.turn_seconds=6"):
        from_text(text)


@pytest.mark.parametrize("value", ["", "six", "[4", "{}}", "'6'", "[" * 100_000, "9" * 5_000])
def test_a_value_that_is_no_json_is_refused(value):
    with pytest.raises(SettingsError, match="the value must be JSON"):
        from_text(f"toy.wait={value}")


def test_a_file_is_read(tmp_path):
    path = tmp_path / "unit.toml"
    path.write_text("[toy]\nwait = 6.5\n")
    assert from_file(str(path)) == (str(path), {"toy": {"wait": 6.5}})


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_exported_is_read_back(tmp_path, unit):
    """Every kind of setting, each away from its default: brightness and patterns as well."""
    sections = {"common": COMMON, kind_named(unit).section: kind_named(unit).settings}
    values = settings(sections, [("here", {"common": {"brightness": 0.3, "colour_patterns": True, "volume": 0}})])
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(values, sections), encoding="utf-8")
    assert "\nbrightness = 0.3\n" in path.read_text() and "\ncolour_patterns = true\n" in path.read_text()
    assert settings(sections, [from_file(str(path))]) == values


@pytest.mark.parametrize("content", [b"[toy\n", b"\xff\xfe", b"toy = " + b"[" * 10_000, b"a=1\na=2\n"])
def test_a_file_that_is_no_toml_is_refused(tmp_path, content):
    path = tmp_path / "unit.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match="not TOML"):
        from_file(str(path))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read: No such file or directory"):
        from_file(str(tmp_path / "none.toml"))
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        from_file(str(tmp_path))


def test_file_and_command_line_are_judged_together(tmp_path):
    path = tmp_path / "unit.toml"
    path.write_text("[triple_play]\nturn_secs = 6\n[master]\nspeeds = []\n")
    with pytest.raises(SettingsError) as caught:
        all_settings(str(path), ["triple_play.timeout_cards=0", "rubbish"])
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert "--set rubbish: must be section.key=value, like triple_play.turn_seconds=6" in lines
    assert f"{path}: unknown setting triple_play.turn_secs; did you mean turn_seconds?" in lines


def test_an_unknown_unit_is_refused_with_those_that_there_are():
    with pytest.raises(SettingsError, match=f"unknown unit 'quadruple'; there are {', '.join(UNITS)}"):
        known_kind("quadruple")


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_gets_its_own_section_and_the_common_one(name):
    kind = kind_named(name)
    assert list(settings_of(kind, all_settings(None, []))) == ["common", kind.section]


@pytest.mark.parametrize("value", [
    [], [4, 4], [0], [10_000], [4.0], [True], list(range(1, 10)), 4, "4", [None],
])
def test_speeds_that_no_switch_could_have(value):
    with pytest.raises(SettingsError, match="1 to 8 different whole seconds"):
        all_settings(None, [f"master.speeds={json.dumps(value)}"])


ICON = {"id": "a", "code": "b", "colour": "red"}


@pytest.mark.parametrize("value, why", [
    ([], "2 to 12 icons"), ([ICON], "2 to 12 icons"), ("icons", "2 to 12 icons"),
    ([ICON, 3], "nothing else"), ([ICON, {"id": "c"}], "nothing else"), ([ICON, {**ICON, "more": 1}], "nothing else"),
    ([ICON, {**ICON, "id": 3}], "all of them texts"), ([ICON, {**ICON, "id": ""}], "all of them texts"),
    ([ICON, ICON], "ids differ"), ([ICON, {**ICON, "id": "beep"}], "ids differ"),
    ([ICON, {**ICON, "id": "x" * 41}], "at most 40"),
    ([ICON, {**ICON, "id": "c", "code": "12345"}], "7-segment"),
    ([ICON, {**ICON, "id": "c", "code": "ß"}], "7-segment"),
    ([ICON, {**ICON, "id": "c", "colour": "pink"}], "white, red, yellow"),
    ([ICON, {**ICON, "id": "c", "colour": "off"}], "white, red, yellow"),
])
def test_icons_that_no_wheel_could_have(value, why):
    with pytest.raises(SettingsError, match=why):
        all_settings(None, [f"spin.icons={json.dumps(value)}"])


# -- ready-made choices ------------------------------------------------------------------------------------------


def choices(unit):
    return {choice["name"]: choice["settings"] for choice in presets_of(kind_named(unit))}


def test_the_ready_made_choices_are_those_of_units_that_there_are():
    assert set(PRESETS) < {kind_named(unit).section for unit in UNITS}


@pytest.mark.parametrize("unit", [unit for unit in UNITS if choices(unit)])
def test_a_ready_made_choice_is_a_right_wish_and_the_one_of_the_sheet_is_the_default(unit):
    section = kind_named(unit).section
    defaults, found = settings(ALL)[section], choices(unit)
    assert list(found) == ["sheet", "quick", "gentle"]
    chosen = {name: settings(ALL, [(name, wish)])[section] for name, wish in found.items()}
    assert chosen["sheet"] == defaults
    assert defaults != chosen["quick"] != chosen["gentle"] != defaults


@pytest.mark.parametrize("unit", [unit for unit in UNITS if choices(unit)])
def test_a_ready_made_choice_leaves_nothing_of_the_one_before(unit):
    """Each sets the same settings, and those are about the game: no table has other seats or sounds by it."""
    groups = {setting.name: setting.group for setting in kind_named(unit).settings}
    touched = [sorted(wish[kind_named(unit).section]) for wish in choices(unit).values()]
    assert touched[0] == touched[1] == touched[2]
    assert {groups[name] for name in touched[0]} <= {"house", "chance", "times"}


# -- whatever is written -----------------------------------------------------------------------------------------

NAMES = st.one_of(st.text(max_size=12), st.sampled_from([s.name for own in ALL.values() for s in own]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
SECTIONS = st.one_of(st.text(max_size=8), st.sampled_from([*ALL]))


def words_of(do, *given):
    """Return the lines of the SettingsError that *do* raises; none when it raises none. Anything else is a failure."""
    try:
        do(*given)
    except SettingsError as why:
        return str(why).split("\n")
    return []


@given(st.dictionaries(SECTIONS, st.one_of(VALUES, st.dictionaries(NAMES, VALUES, max_size=4)), max_size=4))
def test_whatever_stands_in_a_file_gives_settings_or_an_error_in_words(table):
    lines = words_of(settings, ALL, [("file", table)])
    assert [line for line in lines if not line.startswith("file: ") or len(line) > 400 or not line.isprintable()] == []


@given(st.lists(st.tuples(st.sampled_from([*ALL]), st.data())))
def test_what_was_accepted_is_within_its_bounds(choices):
    given = []
    for section, data in choices:
        setting = data.draw(st.sampled_from(ALL[section]))
        given.append(("file", {section: {setting.name: data.draw(VALUES)}}))
    if not words_of(settings, ALL, given):
        values = settings(ALL, given)
        assert all(s.check(values[section][s.name]) is None for section, own in ALL.items() for s in own)


@given(st.text(max_size=40))
def test_whatever_stands_on_a_command_line_is_read_or_refused(text):
    words = words_of(from_text, text)
    assert len(words) <= 1 and all(line.startswith("--set ") and line.isprintable() for line in words)


@given(st.binary(max_size=60))
def test_whatever_stands_in_a_file_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    assert all(line.startswith(str(path)) for line in words_of(from_file, str(path))[:1])


def test_a_value_nested_as_deep_as_can_be_read_is_refused_in_words():
    """However deep the reader still follows, saying what is wrong must not go too deep."""
    for depth in range(1, sys.getrecursionlimit() + 50):
        assert words_of(all_settings, None, [f"triple_play.turn_seconds={'[' * depth}{']' * depth}"])


def test_a_name_with_line_breaks_is_said_on_one_line():
    assert problems(("file", {"toy": {"a\nb": 1}, "c\rd": {}})) == [
        'file: unknown setting toy."a\\nb"; there are wait, cards, turns, draw, spin, odds, loud',
        'file: unknown section ["c\\rd"]; there are toy',
    ]
