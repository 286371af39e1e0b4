"""The page in a real browser, on a unit whose strings the test holds: what hands do, and what eyes and ears get."""

import re
from itertools import product

import pytest

from hal.panel.access import Access
from tests.browser.conftest import NO_LINK, PATIENCE_MS
from tests.browser.scripted import ScriptedUnit

pytestmark = pytest.mark.browser

PLAYING = [
    {"event": "round-started", "mode": "regular"}, {"event": "turn", "lit": [1, 3]}, {"state": "playing"},
    {"lights": {"pile1": "white", "pile3": "white", "counter1": "green", "counter2": "yellow slow-blink",
                "counter3": "red fast-blink"}},
]
OVERLOAD = [
    {"event": "played", "pile": 2, "count": 5}, {"event": "overload", "pile": 2, "draw": 3}, {"state": "overload"},
    {"lights": {"pile1": "off", "pile3": "off", "counter2": "red flash"}}, {"display": "3", "pattern": "flash"},
]


def pad(page, name):
    return page.locator(f"[data-input={name}]")


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def lit(page):
    """The names of the pads whose light is on."""
    return page.locator(".pad:not([data-colour=off])").evaluate_all("pads => pads.map(pad => pad.dataset.input)")


def leds(page, counter):
    return page.locator(".counter").nth(counter - 1).locator(".led.is-lit").count()


def until(page, condition):
    """Return as soon as *condition* (JavaScript) is true, looked at in every frame; fail after a while."""
    page.evaluate(f"""() => new Promise((done, failed) => {{
        const giveUp = performance.now() + {PATIENCE_MS};
        const look = () => ({condition}) ? done()
            : performance.now() > giveUp ? failed(new Error({condition!r})) : requestAnimationFrame(look);
        look();
    }})""")


# Hands


def test_a_press_with_the_mouse_lasts_as_long_as_the_button_is_down(unit, open_page):
    page = open_page(unit.url)
    page.mouse.move(*middle(pad(page, "pile2")))
    page.mouse.down()
    unit.wait_for("press pile2")
    page.wait_for_selector("[data-input=pile2][data-down=true]")
    page.mouse.move(5, 5)                       # slipping off with the finger down is no release
    page.mouse.up()
    unit.wait_for("press pile2", "release pile2")
    page.wait_for_selector("[data-input=pile2][data-down=false]")


def test_a_tap_with_a_finger_is_one_press(unit, open_page, browser):
    page = open_page(unit.url, **browser.phone)
    pad(page, "pile1").tap()
    unit.wait_for("press pile1", "release pile1")


def test_two_fingers_hold_two_pads_at_once(unit, open_page, browser):
    page = open_page(unit.url, **browser.phone)
    fingers = page.context.new_cdp_session(page)
    one, two = (dict(zip("xy", middle(pad(page, name)), strict=True)) for name in ("pile1", "pile3"))
    one["id"], two["id"] = 1, 2
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [one]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [one, two]})
    unit.wait_for("press pile1", "press pile3")
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [two]})
    unit.wait_for("press pile1", "press pile3", "release pile3")
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    unit.wait_for("press pile1", "press pile3", "release pile3", "release pile1")


def test_keys_press_pads_and_a_key_that_repeats_presses_once(unit, open_page):
    page = open_page(unit.url)
    page.keyboard.down("1")
    page.keyboard.down("1")                     # what the keyboard repeats while it is held
    page.keyboard.down(" ")
    page.keyboard.up("1")
    page.keyboard.up(" ")
    for key in "23":
        page.keyboard.press(key)
    unit.wait_for("press pile1", "press go", "release pile1", "release go",
                  "press pile2", "release pile2", "press pile3", "release pile3")


def test_a_click_does_not_take_the_focus_so_space_is_still_go(unit, open_page):
    page = open_page(unit.url)
    pad(page, "pile1").click()
    page.get_by_role("switch", name="Power").click()
    page.keyboard.press(" ")
    unit.wait_for("press pile1", "release pile1", "power on", "press go", "release go")


def test_the_button_that_has_the_focus_is_pressed_by_space_and_enter(unit, open_page):
    page = open_page(unit.url)
    pad(page, "pile2").focus()
    page.keyboard.press(" ")
    page.keyboard.press("Enter")
    page.locator("[data-switch=timer] button").focus()
    page.keyboard.press(" ")
    unit.wait_for(*["press pile2", "release pile2"] * 2, "timer on")


def test_a_screen_readers_click_is_a_tap(unit, open_page):
    page = open_page(unit.url)
    pad(page, "go").evaluate("go => go.click()")
    unit.wait_for("press go", "release go")


def test_looking_away_lets_go(unit, open_page):
    page = open_page(unit.url)
    page.keyboard.down("1")
    page.keyboard.down("2")
    unit.wait_for("press pile1", "press pile2")
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    unit.wait_for("press pile1", "press pile2", "release pile1", "release pile2")


def test_a_page_that_is_closed_mid_press_lets_go(unit, open_page):
    page = open_page(unit.url)
    page.keyboard.down("3")
    unit.wait_for("press pile3")
    page.close()
    unit.wait_for("press pile3", "release pile3")


def test_switches_are_slid(unit, open_page):
    page = open_page(unit.url)
    power = page.get_by_role("switch", name="Power")
    assert power.get_attribute("aria-checked") == "false"
    power.click()
    page.wait_for_selector("[data-switch=power] [aria-checked=true]")
    power.click()
    page.wait_for_selector("[data-switch=power] [aria-checked=false]")
    unit.wait_for("power on", "power off")


# Eyes


def test_lights_counters_and_display_show_what_the_unit_shows(unit, open_page):
    page = open_page(unit.url)
    assert lit(page) == [] and leds(page, 1) == 0
    unit.show(*PLAYING, {"display": "10"})
    page.wait_for_selector(".display[data-text='10']")
    assert lit(page) == ["pile1", "pile3"]
    assert [leds(page, counter) for counter in (1, 2, 3)] == [1, 2, 3], "C-18: the level is told by number, too"
    assert [word.strip() for word in page.locator(".counter-word").all_inner_texts()] == [
        "● low", "▲ filling", "■ nearly full"]
    assert page.locator("#prompt").inner_text() == "Play on pile 1 or 3."


def test_a_page_that_comes_late_shows_the_same(unit, open_page):
    early = open_page(unit.url)
    unit.show(*PLAYING, {"display": "7"})
    early.wait_for_selector(".display[data-text='7']")
    late = open_page(unit.url)
    assert lit(late) == lit(early) == ["pile1", "pile3"]
    assert late.locator(".display").get_attribute("data-text") == "7"
    assert late.locator("#prompt").inner_text() == early.locator("#prompt").inner_text()


def test_two_browsers_show_the_same_unit(unit, open_page):
    ann, ben = open_page(unit.url), open_page(unit.url)
    ann.keyboard.down("2")
    ben.wait_for_selector("[data-input=pile2][data-down=true]")
    ben.keyboard.down("2")
    ann.keyboard.up("2")
    ben.keyboard.up("2")
    ann.wait_for_selector("[data-input=pile2][data-down=false]")
    unit.wait_for("press pile2", "release pile2")
    ben.get_by_role("switch", name="Timer").click()
    ann.wait_for_selector("[data-switch=timer] [aria-checked=true]")
    unit.show(*OVERLOAD)
    for page in (ann, ben):
        page.wait_for_selector(".display[data-text='3'][data-pattern=flash]")


@pytest.mark.parametrize(("pattern", "period_ms"), [
    ("flash", 250), ("fast-blink", 1000 / 3), ("slow-blink", 1000), ("fade", 1000)])
def test_patterns_run_at_the_rate_of_the_rules(unit, open_page, pattern, period_ms):
    """Common rules, words: flash 4 a second, fast-blink 3, slow-blink 1, fade a breath a second."""
    page = open_page(unit.url)
    unit.show({"lights": {"counter1": f"red {pattern}"}})
    page.wait_for_selector(f".counter-bar[data-pattern={pattern}]")
    durations = page.evaluate("document.getAnimations().map(run => run.effect.getTiming().duration)")
    assert len(durations) == 3 and all(abs(duration - period_ms) < 0.01 for duration in durations)


def test_nothing_runs_while_nothing_moves(unit, open_page):
    page = open_page(unit.url)
    unit.show({"lights": {"pile1": "white", "counter1": "green", "counter2": "red flash"}}, {"display": "10"})
    page.wait_for_selector(".counter-bar[data-pattern=flash]")
    unit.show({"lights": {"counter2": "red"}})
    page.wait_for_selector(".counter-bar[data-colour=red][data-pattern='']")
    until(page, "document.getAnimations().length === 0")


def test_the_display_shows_every_text_of_the_units(unit, open_page):
    page = open_page(unit.url)
    words = ["-", "Lo", "E", "SPin", "CALL", "COL", "bLUE", "rEd", "HIGH", "OPEn", "PASS", "PAUS"]
    for text in (*words, "1234", "5678", "90", ""):
        unit.show({"display": text})
        page.wait_for_selector(f".display[data-text='{text}']")
        lit_digits = page.locator(".display .light g").evaluate_all(
            "digits => digits.map(digit => [...digit.children].some(segment => segment.classList.contains('is-on')))")
        assert lit_digits == [False] * (4 - len(text)) + [True] * len(text), text


def test_a_hold_shows_how_far_it_is(unit, open_page):
    page = open_page(unit.url)
    unit.show(*PLAYING)
    page.wait_for_selector(".pad[data-colour=white]")
    page.keyboard.down("1")
    unit.wait_for("press pile1")
    unit.show({"state": "holding"}, {"lights": {"pile1": "white flash"}})
    page.wait_for_selector("[data-input=pile1] .hold.is-running")
    lasts_ms = page.locator("[data-input=pile1] .hold-fill").evaluate(
        "ring => ring.getAnimations()[0].effect.getTiming().duration")
    assert lasts_ms == 2000, "TP-7: two seconds clear"
    page.keyboard.up("1")
    unit.wait_for("press pile1", "release pile1")
    unit.show({"state": "playing"}, {"lights": {"pile1": "white"}})
    page.wait_for_selector("[data-input=pile1] .hold:not(.is-running)", state="attached")


def test_reduced_motion_keeps_still_and_says_it_in_words(unit, open_page):
    page = open_page(unit.url, reduced_motion="reduce")
    unit.show(*PLAYING, *OVERLOAD)
    page.wait_for_selector(".display[data-text='3']")
    until(page, "document.getAnimations().length === 0")
    assert page.locator(".counter-word").nth(1).inner_text() == "■ overload"
    assert page.locator("#prompt").inner_text() == "Pile 2 overloads: draw three, then press GO."


# Ears


def test_the_live_region_says_what_a_sighted_player_sees(unit, open_page):
    page = open_page(unit.url)
    unit.show(*OVERLOAD)
    page.wait_for_selector(".display[data-text='3']")
    assert page.get_by_role("status").inner_text() == (
        "Pile 2 takes a card. Pile 2 overloads, draw three. Pile 2 overloads: draw three, then press GO.")
    assert pad(page, "pile2").get_attribute("aria-label") == "Pile 2, dark, level overload"


def test_sound_waits_for_a_tap_then_plays_the_units_own_tones(unit, open_page):
    page = open_page(unit.url)
    chip = page.locator("#sound")
    assert chip.inner_text() == "Tap for sound"
    page.evaluate("""() => {
        window.played = [];
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) {
            window.played.push(this.type);
            return start.call(this, at);
        };
    }""")
    pad(page, "go").click()
    page.wait_for_selector("#sound[data-sound=on]")
    unit.show({"tone": "beep", "volume": 3}, {"tone": "overload", "volume": 3})
    until(page, "window.played.length === 2")
    chip.click()
    page.wait_for_selector("#sound[data-sound=off]")
    unit.show({"tone": "beep", "volume": 3}, {"display": "8"})
    page.wait_for_selector(".display[data-text='8']")
    assert page.evaluate("window.played") == ["square", "square"]


# The link


def test_a_unit_that_goes_away_is_said_and_comes_back_by_itself(open_page):
    with ScriptedUnit() as unit:
        page = open_page(unit.url)
        page.may_say(NO_LINK)
        port = unit.board.port
        page.keyboard.down("1")
        unit.wait_for("press pile1")
    page.wait_for_selector("#unit[data-link=lost]")
    assert page.locator("#notice").inner_text().startswith("The program has ended.")
    assert page.locator("#link-text").inner_text() == "connection lost"
    with ScriptedUnit(port=port) as unit:
        unit.show({"state": "ready"}, {"display": "-"})
        page.wait_for_selector("#unit[data-link=open]")
        page.wait_for_selector(".display[data-text='-']")
        assert page.locator("#notice").is_hidden()
        page.keyboard.up("1")
        page.keyboard.press("2")
        unit.wait_for("press pile2", "release pile2")


def test_a_page_left_open_over_an_upgrade_asks_to_be_reloaded(open_page):
    with ScriptedUnit() as unit:
        page = open_page(unit.url)
        page.may_say(NO_LINK)
        port = unit.board.port
    page.wait_for_selector("#unit[data-link=lost]")
    with ScriptedUnit(port=port, version="0.2.0"):
        page.wait_for_selector("#unit[data-link=outdated]")
        page.get_by_role("button", name="Reload").click()
        page.wait_for_selector("#unit[data-link=open]")
        assert "0.2.0" in page.locator("#foot").inner_text()


def test_whoever_came_with_the_token_comes_back_without_it(open_page):
    with ScriptedUnit(access=Access(token="s3cret")) as unit:
        page = open_page(unit.url)
        page.goto(unit.url.partition("?")[0])
        page.wait_for_selector("#unit[data-link=open] .case")
        page.keyboard.press("1")
        unit.wait_for("press pile1", "release pile1")


def test_one_page_too_many_says_so_and_gets_its_turn(open_page):
    with ScriptedUnit(max_pages=1) as unit:
        first = open_page(unit.url)
        context = first.context.browser.new_context()
        second = context.new_page()
        second.goto(unit.url)
        second.wait_for_selector("#unit[data-link=full]", state="attached")
        assert second.locator("#notice").inner_text().startswith("So many pages are open")
        first.close()
        second.evaluate("window.dispatchEvent(new Event('online'))")
        second.wait_for_selector("#unit[data-link=open] .case")
        context.close()


def test_what_the_unit_refuses_is_said(unit, open_page):
    page = open_page(unit.url)
    page.evaluate("""() => { document.querySelector("[data-switch=power] button").remove(); }""")
    unit.board._room._pages[0].tell('{"error":"unknown input \'pile9\'"}')
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text() == "The unit did not take that: unknown input 'pile9'"


def test_a_page_that_stumbles_says_so_and_goes_on(unit, open_page):
    page = open_page(unit.url)
    page.may_say("unheard-of")
    unit.show({"state": "unheard-of"})
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text().startswith("This page stumbled: ")
    unit.show(*PLAYING, {"display": "7"})
    page.wait_for_selector(".display[data-text='7']")
    assert page.locator("#prompt").inner_text() == "Play on pile 1 or 3."


# Every size, every light, every language

SIZES = {"phone": (360, 640), "tall phone": (412, 915), "tablet": (768, 1024), "desktop": (1280, 800),
         "zoomed": (640, 400)}
SCENES = {
    "triple-play": [*PLAYING, *OVERLOAD, {"lights": {"pile1": "red flash", "counter1": "purple flash"}}],
    "master": [{"event": "penalty", "draw": 2, "total": 4}, {"state": "waiting"},
               {"lights": {"timer": "red slow-blink"}}, {"display": "4", "pattern": "flash"}],
    "spin": [{"event": "result", "icon": "war", "number": 5, "virtual": False}, {"state": "result"},
             {"lights": {"seg5": "yellow"}}, {"display": "HIGH"}],
    "party": [{"event": "linked", "a": 2, "b": 6}, {"state": "counter"}, {"display": "3"},
              {"lights": {"seat1": "yellow chase-back", "seat2": "purple", "seat6": "purple"}}],
}
WORDS = ".pad-word, .counter-word, .chip, .legend, .slide-word, .halo-word, .party-direction"


@pytest.mark.parametrize("name", SCENES)
def test_nothing_overflows_at_any_size_and_in_any_language(open_page, name):
    """A word that leaves its box, or a page that scrolls sideways, is a fault."""
    with ScriptedUnit(name) as unit:
        page = open_page(unit.url)
        unit.show(*SCENES[name])
        page.wait_for_selector(".display:not([data-text=''])")
        for language, (size, (width, height)) in product(("de", "es", "en"), SIZES.items()):
            page.set_viewport_size({"width": width, "height": height})
            page.locator("#language").select_option(language)
            page.wait_for_selector(f"html[lang={language}]")
            root = "document.documentElement"
            assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), f"{size}, {language}"
            assert page.evaluate("""words => [...document.querySelectorAll(words)]
                .filter(word => word.getClientRects().length && word.textContent.trim())
                .filter(word => {
                    const box = word.getBoundingClientRect(), around = word.parentElement.getBoundingClientRect();
                    return box.left < around.left - 1 || box.right > around.right + 1
                        || word.scrollWidth > word.clientWidth + 1 || word.scrollHeight > word.clientHeight + 2;
                }).map(word => word.textContent)""", WORDS) == [], f"{size}, {language}"


@pytest.mark.parametrize("name", SCENES)
def test_axe_finds_nothing_in_light_and_dark(open_page, name):
    from axe_playwright_python.sync_playwright import Axe

    with ScriptedUnit(name) as unit:
        page = open_page(unit.url, reduced_motion="reduce")
        unit.show(*SCENES[name])
        page.wait_for_selector(".display:not([data-text=''])")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page).response["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == [], scheme


def test_forced_colours_keep_the_units_own(unit, open_page):
    page = open_page(unit.url, forced_colors="active")
    unit.show(*PLAYING, {"display": "1"})
    page.wait_for_selector(".display[data-text='1']")
    lit_colour, dark_colour = page.evaluate("""() => [".display .light .seg.is-on", ".display .seg:not(.is-on)"].map(
        which => getComputedStyle(document.querySelector(which)).fill)""")
    assert (lit_colour, dark_colour) == ("rgb(255, 74, 56)", "rgb(58, 18, 16)")


def test_the_language_is_the_browsers_and_can_be_changed(unit, open_page):
    page = open_page(unit.url, locale="de-AT")
    assert page.locator("#prompt").inner_text() == "Schalte den Strom ein."
    assert page.evaluate("document.documentElement.lang") == "de"
    page.locator("#language").select_option("es")
    page.wait_for_selector("html[lang=es]")
    assert page.locator("#prompt").inner_text() == "Enciende el aparato."
    page.reload()
    page.wait_for_selector("#unit[data-link=open] .case")
    assert page.locator("#prompt").inner_text() == "Enciende el aparato.", "the choice is kept"


@pytest.mark.parametrize("width", [1280, 600, 390])
def test_nothing_moves_under_the_finger_that_wakes_the_sound(unit, open_page, width):
    """The first press anywhere wakes the sound; were its chip to shrink, that press would miss what it is meant for."""
    page = open_page(unit.url, viewport={"width": width, "height": 800})
    where = [page.locator(chip).bounding_box() for chip in ("#open-rules", "#sound", "#language-tag")]
    page.locator("[data-input=pile1]").click()
    page.wait_for_selector("#sound[data-sound=on]")
    assert page.locator("#sound").get_by_text("Sound on").count() == 1
    assert [page.locator(chip).bounding_box() for chip in ("#open-rules", "#sound", "#language-tag")] == where


def test_of_two_languages_chosen_quickly_the_last_one_counts(unit, open_page):
    """The texts of the first may come later than those of the second."""
    page = open_page(unit.url)
    held = []
    page.route("**/texts/de.json", lambda route: held.append(route))  # noqa: PLW0108  # playwright marks it
    page.locator("#language").select_option("de")
    page.locator("#language").select_option("es")
    page.wait_for_selector("html[lang=es]")
    with page.expect_response("**/texts/de.json"):
        held[0].continue_()
    page.evaluate("() => new Promise(done => setTimeout(done, 50))")
    assert page.locator("#prompt").inner_text() == "Enciende el aparato."
    page.locator("#language").select_option("de")
    page.wait_for_selector("html[lang=de]")


def test_everything_works_with_the_network_cut(unit, open_page, browser):
    """All requests but those to the unit itself are cut; `open_page` checks that there were none."""
    page = open_page(unit.url)
    page.context.route(re.compile(r"^(?!http://127\.0\.0\.1)"), lambda route: route.abort())
    page.reload()
    page.wait_for_selector("#unit[data-link=open] .case")
    page.keyboard.press("1")
    unit.wait_for("press pile1", "release pile1")


# Rule card, first visit, fault bench


def test_the_rule_card_opens_reads_in_every_language_and_closes(unit, open_page):
    page = open_page(unit.url)
    titles = {"de": "Drei Stapel: Die Spielregeln in Kürze", "es": "Tres pilas: Las reglas en breve",
              "en": "Three piles: Rules of play, in short"}
    for language, title in titles.items():
        page.locator("#language").select_option(language)
        page.wait_for_selector(f"html[lang={language}]")
        page.locator("#open-rules").click()
        assert page.get_by_role("dialog").get_by_role("heading").inner_text() == title
        page.keyboard.press("1")                # a card is read, not played
        page.keyboard.press("Escape")
        page.wait_for_selector("#rules", state="hidden")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("2")
    unit.wait_for("press pile2", "release pile2")


def test_the_first_visit_explains_in_three_steps_and_the_next_does_not(unit, open_page):
    page = open_page(unit.url)
    assert page.locator("#steps li").count() == 3
    page.get_by_role("button", name="Got it").click()
    page.reload()
    page.wait_for_selector("#unit[data-link=open] .case")
    assert page.locator("#steps").is_hidden()


def test_the_fault_bench_breaks_what_one_clicks(open_page):
    with ScriptedUnit(lab=True) as unit:
        page = open_page(unit.url)
        unit.show(*PLAYING, {"display": "7"})
        page.wait_for_selector(".display[data-text='7']")
        for name in ("broken: the display", "broken: the lights", "battery low"):
            page.get_by_role("button", name=name).click()
            page.wait_for_selector(f".lab [aria-pressed=true]:text-is('{name}')")
        page.wait_for_selector(".display[data-text='']")
        assert lit(page) == [], "nothing is shown on what is broken (C-20)"
        page.get_by_role("button", name="broken: the display").click()
        page.wait_for_selector(".display[data-text='7']")
        page.get_by_role("button", name="stuck: pad 2").click()
        page.wait_for_selector("[data-input=pile2][data-down=true]")
        page.get_by_role("button", name="stuck: pad 2").click()
        unit.wait_for("break display", "break strip", "battery low", "mend display", "press pile2", "release pile2")


def test_the_fault_bench_makes_contacts_bounce(open_page):
    with ScriptedUnit(lab=True) as unit:
        page = open_page(unit.url)
        page.get_by_role("button", name="contacts bounce").click()
        page.keyboard.press("1")
        unit.wait_for(*["press pile1", "release pile1"] * 2, "press pile1", "release pile1",
                      *["press pile1", "release pile1"] * 2)


def test_without_the_fault_bench_there_is_none(unit, open_page):
    page = open_page(unit.url)
    assert page.locator("#lab").is_hidden()
