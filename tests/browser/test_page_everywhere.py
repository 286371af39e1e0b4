"""Everything that can be opened on the page: at every size, in every language, for axe, and by keyboard alone."""

from itertools import product

import pytest

from hal.panel.access import Access
from hal.panel.mirror import Mirror
from hal.panel.ways import Spawned
from hal.ports import Contact, Moved
from tests.browser.scripted import HEADERS, TONES, Moment, ScriptedUnit
from tests.browser.test_page import SIZES, WORDS

pytestmark = pytest.mark.browser

ALL_WORDS = (f"{WORDS}, .setting > label, .setting-part, .setting-about, .home-unit :is(strong, span), .foot-link, "
             ".prompt, h2, h3")
OVERFLOWING = """words => [...document.querySelectorAll(words)]
    .filter(word => word.getClientRects().length && word.textContent.trim())
    .filter(word => {
        const box = word.getBoundingClientRect(), around = word.parentElement.getBoundingClientRect();
        return box.left < around.left - 1 || box.right > around.right + 1 || word.scrollWidth > word.clientWidth + 1
            && getComputedStyle(word).display !== "inline" && word.clientWidth > 0;
    }).map(word => word.textContent)"""
OPENED = {"settings": "#open-settings", "home": "#open-home", "rules": "#open-rules"}


def open_thing(page, thing):
    page.evaluate("selector => document.querySelector(selector).click()", OPENED[thing])
    page.wait_for_selector(f"#{thing}:not([hidden])")


def close_thing(page, thing):
    page.locator(f"#{thing}").get_by_role("button").first.click()
    page.wait_for_selector(f"#{thing}", state="hidden")


def violations(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


@pytest.mark.parametrize("unit", ["triple-play", "master", "spin", "party"])
def test_nothing_that_opens_overflows(play, open_page, unit):
    page = open_page(play(unit, "--lab"))
    for language, (size, (width, height)) in product(("de", "es", "en"), SIZES.items()):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#language").select_option(language)
        page.wait_for_selector(f"html[lang={language}]")
        for thing in OPENED:
            open_thing(page, thing)
            where = f"{thing}, {size}, {language}"
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), where
            assert page.evaluate(f"document.getElementById('{thing}').scrollWidth <= "
                                 f"document.getElementById('{thing}').clientWidth"), where
            assert page.evaluate(OVERFLOWING, ALL_WORDS) == [], where
            close_thing(page, thing)


@pytest.mark.parametrize("unit", ["triple-play", "master", "spin", "party"])
def test_the_card_of_rules_is_as_wide_as_its_dialog(play, open_page, unit):
    """The button beside the title takes no width from what stands below it, however long the title is."""
    page = open_page(play(unit))
    for language, (width, height) in product(("de", "es", "en"), SIZES.values()):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#language").select_option(language)
        page.wait_for_selector(f"html[lang={language}]")
        open_thing(page, "rules")
        wide, room = page.evaluate("""() => {
            const dialog = document.getElementById("rules"), style = getComputedStyle(dialog);
            const card = dialog.querySelector("dl").getBoundingClientRect();
            return [card.width, dialog.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)];
        }""")
        assert wide == pytest.approx(room, abs=1), f"{language}, {width}"
        close_thing(page, "rules")


@pytest.mark.parametrize("unit", ["triple-play", "master", "spin", "party"])
def test_axe_finds_nothing_in_what_opens(play, open_page, unit):
    page = open_page(play(unit, "--lab"), reduced_motion="reduce")
    for scheme, thing in product(("light", "dark"), OPENED):
        page.emulate_media(color_scheme=scheme)
        open_thing(page, thing)
        assert violations(page) == [], f"{thing}, {scheme}"
        close_thing(page, thing)


def test_axe_finds_nothing_where_something_was_refused_or_is_recorded(play, open_page):
    page = open_page(play("triple-play"), reduced_motion="reduce")
    page.get_by_role("button", name="Begin a record").click()
    page.wait_for_selector("[data-recording=true]")
    open_thing(page, "settings")
    page.locator("#setting-triple_play-turn_seconds").fill("0")
    page.keyboard.press("Enter")
    page.wait_for_selector(".setting-error:not([hidden])")
    assert violations(page) == []


@pytest.mark.parametrize("owner", [True, False])
def test_axe_finds_nothing_where_others_are_let_in(monkeypatch, open_page, owner):
    monkeypatch.setattr("hal.panel.board.own_address", lambda: "127.0.0.1")
    monkeypatch.setattr("hal.panel.room.is_loopback", lambda address: owner)
    with ScriptedUnit(access=Access("0.0.0.0", "t", "1", guests_press=False)) as unit:
        page = open_page(unit.url, viewport={"width": 360, "height": 640})
        page.locator("#open-share").click()
        page.wait_for_selector("#share")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        page.close()


def test_a_page_beside_the_real_board_shows_it_and_says_that_it_only_shows(open_page):
    way = Spawned(port=0)
    mirror = Mirror({"header": HEADERS["triple-play"], "tones": TONES, "shows_only": True}, way, None, None)
    page = open_page(way.url)
    assert page.get_by_text("This page shows what the unit does. Use its own buttons.").is_visible()
    assert page.locator("#open-settings").is_hidden() and page.locator("#open-home").is_disabled()
    assert page.locator("#tape button").count() == 0
    mirror.heard(Moved("power", "on", 0))
    mirror.heard(Contact("pile2", True, 1))
    mirror.hear(Moment(2, [{"state": "playing"}, {"lights": {"pile2": "white"}}, {"display": "9"}]))
    page.wait_for_selector(".display[data-text='9']")
    page.wait_for_selector("[data-input=pile2][data-colour=white][data-down=true]")
    page.wait_for_selector("[data-switch=power] [aria-checked=true]")
    page.keyboard.press("1")
    page.locator("[data-input=pile3]").click()
    assert page.locator("#notice").is_hidden(), "what is not pressed is not refused"
    page.close()
    mirror.close()


def test_a_whole_evening_by_keyboard_alone(play, open_page):
    """Tab, Enter, Escape and the unit's keys: another unit, a setting, a round, a record; the focus is always seen."""
    page = open_page(play("triple-play"))

    def tab_to(selector):
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none" or selector == "#language", f"no focus ring on {selector}"
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {selector}")

    tab_to("#open-home")
    page.keyboard.press("Enter")
    page.wait_for_selector("#home[open]")
    tab_to("[data-unit=party]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".case.party")
    tab_to("#open-settings")
    page.keyboard.press("Enter")
    page.wait_for_selector("#settings:not([hidden])")
    tab_to("#setting-party-players")
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    page.wait_for_selector(".settings-status:text-is('Applied.')")
    assert page.locator(".seat").count() == 6
    page.keyboard.press("Escape")
    page.wait_for_selector("#open-settings:focus")
    tab_to("[data-switch=power] button")
    page.keyboard.press(" ")
    page.wait_for_selector("[data-direction=on]")
    tab_to("#tape-turn")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-recording=true]:focus")
    page.keyboard.press("r")
    page.wait_for_selector("[data-direction=back]")
    assert page.get_by_role("status").first.inner_text().startswith("Play goes the other way.")
