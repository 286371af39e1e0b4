"""Records watched in the page: a time slider, any speed, and words for a file that is none."""

import json

import pytest

from tests.browser.scripted import HEADERS, ScriptedUnit

pytestmark = pytest.mark.browser

LINES = [
    HEADERS["triple-play"],
    {"t": 0, "switch": "power", "to": "on"}, {"t": 0, "state": "standby"}, {"t": 0, "display": "-"},
    {"t": 1, "press": "go"}, {"t": 1, "state": "ready"}, {"t": 1.1, "release": "go"},
    {"t": 2, "event": "round-started", "mode": "regular"}, {"t": 2, "event": "turn", "lit": [2]},
    {"t": 2, "state": "playing"}, {"t": 2, "lights": {"pile2": "white"}}, {"t": 2, "display": ""},
    {"t": 3, "press": "pile2"}, {"t": 3.2, "release": "pile2"},
    {"t": 4, "event": "overload", "pile": 2, "draw": 4}, {"t": 4, "state": "overload"},
    {"t": 4, "lights": {"pile2": "off", "counter2": "red flash"}}, {"t": 4, "display": "4", "pattern": "flash"},
]


def record(lines, ending="\n"):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + ending
    return {"name": "round.jsonl", "mimeType": "application/json", "buffer": text.encode()}


@pytest.fixture
def unit():
    with ScriptedUnit() as unit:
        yield unit


def seek(page, seconds):
    page.locator("#replay input").evaluate(
        "(slider, seconds) => { slider.value = seconds; slider.dispatchEvent(new Event('input')); }", seconds)


def test_a_record_is_watched_at_any_moment_forwards_and_back(unit, open_page):
    page = open_page(unit.url)
    page.locator("#record").set_input_files(record(LINES))
    page.wait_for_selector("#replay:not([hidden])")
    seek(page, 2.5)
    page.wait_for_selector("[data-input=pile2][data-colour=white][data-down=false]")
    assert page.locator("#prompt").inner_text() == "Play on pile 2."
    seek(page, 3.1)
    page.wait_for_selector("[data-input=pile2][data-down=true]")
    seek(page, 4)
    page.wait_for_selector(".display[data-text='4'][data-pattern=flash]")
    assert page.locator("#prompt").inner_text() == "Pile 2 overloads: draw four, then press GO."
    seek(page, 0.5)
    page.wait_for_selector(".display[data-text='-']")
    assert page.locator(".pad:not([data-colour=off])").count() == 0


def test_it_plays_to_its_end_and_then_the_live_unit_is_back(unit, open_page):
    page = open_page(unit.url)
    page.locator("#record").set_input_files(record(LINES))
    page.locator("#replay select").select_option("16")
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector(".display[data-text='4']")
    page.wait_for_selector("#replay button:text-is('Play')")
    page.keyboard.press("1")                    # a record is watched, not played
    unit.show({"state": "ready"}, {"display": "-"})
    page.get_by_role("button", name="Back to the unit").click()
    page.wait_for_selector(".display[data-text='-']")
    page.keyboard.press("3")
    unit.wait_for("press pile3", "release pile3")


def test_a_record_of_another_unit_is_drawn_as_that_unit(unit, open_page):
    page = open_page(unit.url)
    page.locator("#record").set_input_files(record([HEADERS["master"], {"t": 1, "lights": {"timer": "red"}}]))
    page.wait_for_selector(".case.master")
    page.get_by_role("button", name="Back to the unit").click()
    page.wait_for_selector(".case.triple")


def test_a_last_line_that_was_cut_off_does_no_harm(unit, open_page):
    page = open_page(unit.url)
    page.locator("#record").set_input_files(record([*LINES, '{"t": 5, "ev'], ending=""))
    page.wait_for_selector("#replay:not([hidden])")
    seek(page, 4)
    page.wait_for_selector(".display[data-text='4']")


@pytest.mark.parametrize(("lines", "why"), [
    (["hello"], "line 1: not JSON"),
    ([{"t": 0, "state": "ready"}], "line 1: not the first line of a record"),
    ([*LINES[:3], "nonsense", LINES[3]], "line 4: not JSON"),
    ([*LINES[:6], {"t": 0.5, "state": "off"}, LINES[6]], "line 7: the time is missing or goes back"),
    ([LINES[0], {"state": "off"}], "line 2: the time is missing or goes back"),
])
def test_a_damaged_record_is_said_with_its_line_and_the_unit_stays(unit, open_page, lines, why):
    page = open_page(unit.url)
    page.locator("#record").set_input_files(record(lines))
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text() == f"round.jsonl, {why}."
    assert page.locator("#replay").is_hidden()
    page.keyboard.press("1")
    unit.wait_for("press pile1", "release pile1")
