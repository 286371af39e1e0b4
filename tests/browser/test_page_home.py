"""Another unit on the same page, and the fault bench, on the program people start."""

import pytest

from tests.browser.conftest import NO_LINK
from tests.browser.scripted import HEADERS, TONES, ScriptedUnit, parse

pytestmark = pytest.mark.browser

NAMES = {"triple-play": "Three piles", "master": "Turn timer", "spin": "Wheel", "party": "Big table"}
CASES = {"triple-play": "triple", "master": "master", "spin": "spin", "party": "party"}


def choose(page, unit):
    page.locator("#open-home").click()
    page.get_by_role("dialog").get_by_role("button", name=NAMES[unit]).click()
    page.wait_for_selector(f".case.{CASES[unit]}")


def test_without_a_unit_the_page_asks_first_which_it_shall_be(play, open_page):
    page = open_page(play(None))
    page.wait_for_selector("#home[open]")
    assert page.locator(".home-unit strong").all_inner_texts() == list(NAMES.values())
    page.locator("[data-unit=spin]").click()
    page.wait_for_selector(".case.spin")
    assert page.title() == "Wheel – Pilelight"
    page.reload()
    page.wait_for_selector("#unit[data-link=open] .case.spin")
    assert page.locator("#home").is_hidden(), "who has chosen is not asked again"


def test_with_a_unit_the_page_begins_with_it(play, open_page):
    page = open_page(play("party"))
    page.wait_for_selector(".case.party")
    assert page.locator("#home").is_hidden()


def test_all_units_are_played_one_after_the_other_on_one_page(play, open_page):
    url = play("triple-play")
    ann, ben = open_page(url), open_page(url)
    for unit in ("master", "spin", "party", "triple-play"):
        choose(ann, unit)
        ben.wait_for_selector(f".case.{CASES[unit]}")
        assert ann.locator("#unit-name").inner_text() == NAMES[unit]
        if unit == "master":
            ben.keyboard.press(" ")
            ann.wait_for_selector(".halo[data-colour=red]")
        else:
            ben.get_by_role("switch", name="Power").click()
            ann.wait_for_selector("[data-switch=power] [aria-checked=true]")
            ann.wait_for_selector("#prompt:not(:text-is('Switch the power on.'))")


def test_the_chooser_works_by_keyboard_alone(play, open_page):
    page = open_page(play("master"))
    page.locator("#open-home").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-unit=master]:focus")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".case.spin")


def test_a_pad_that_is_held_when_the_unit_changes_is_let_go(open_page):
    """The finger that is still down belongs to the unit that is gone; lifting it is no mistake."""
    with ScriptedUnit() as unit:
        page = open_page(unit.url)
        page.keyboard.down("1")
        unit.wait_for("press pile1")
        unit.board.turn_to({"header": HEADERS["party"], "tones": TONES}, parse)
        page.wait_for_selector(".case.party")
        page.keyboard.up("1")
        page.keyboard.press("n")
        unit.wait_for("press pile1", "press next", "release next")
        assert page.locator("#notice").is_hidden()


def test_an_arrow_that_runs_stops_with_its_unit(open_page):
    with ScriptedUnit("spin") as unit:
        page = open_page(unit.url)
        page.locator(".rotor").focus()
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('.rotor').style.getPropertyValue('--angle') !== '5deg'")
        unit.board.turn_to({"header": HEADERS["master"], "tones": TONES}, parse)
        page.wait_for_selector(".case.master")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.keyboard.press(" ")
        while "release timer" not in unit.done:
            page.evaluate("() => new Promise(requestAnimationFrame)")
        before_the_timer = unit.done[:unit.done.index("press timer")]
        assert all(done.startswith("wheel ") for done in before_the_timer)
        assert unit.done[len(before_the_timer):] == ["press timer", "release timer"]


def test_the_fault_bench_of_the_program_breaks_the_real_units(play, open_page):
    """C-20, C-21: what is broken is said, and so is that it works again."""
    page = open_page(play("triple-play", "--lab"))
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector(".display[data-text='-']")
    page.get_by_role("button", name="broken: the display").click()
    page.wait_for_selector("#happened li:text-matches('the display')")
    page.wait_for_selector(".display[data-text='']")
    page.get_by_role("button", name="broken: the display").click()
    page.wait_for_selector(".display[data-text='-']")
    page.get_by_role("button", name="the loop is late").click()
    page.wait_for_selector(".lab [aria-pressed=true]:text-is('the loop is late')")
    page.keyboard.press(" ")
    page.wait_for_selector("#prompt:text-is('Press GO to start the round.')")
    choose(page, "spin")
    page.wait_for_selector(".lab :text-is('broken: the wheel')")
    assert page.locator(".lab [aria-pressed=true]").all_inner_texts() == ["the loop is late"]


def test_the_plug_is_pulled_by_click(play, open_page):
    page = open_page(play("master", "--lab"))
    page.may_say(NO_LINK)
    page.get_by_role("button", name="pull the plug").click()
    page.wait_for_selector("#unit[data-link=lost]")
    assert page.locator("#notice").inner_text().startswith("The program has ended.")
