"""Settings on the page: what a change does is seen at once, what cannot be is said where it belongs."""

import json
import time
import tomllib
import urllib.request

import pytest

from firmware.boards import page_of
from firmware.reception import described
from firmware.settings import COMMON, GROUPS
from firmware.units import UNITS, kind_named
from hal.panel.board import PanelBoard
from tests.desk import make_unit

pytestmark = pytest.mark.browser


def fill(page, name, *values):
    """Enter *values* into the fields of the setting *name*, `section.name`."""
    fields = page.locator(f"[data-setting='{name}'] :is(input, select, textarea)")
    assert fields.count() == len(values)
    for at, value in enumerate(values):
        fields.nth(at).fill(str(value))


def entered(page, name):
    fields = page.locator(f"[data-setting='{name}'] :is(input, select, textarea)")
    return fields.evaluate_all("all => all.map(field => field.value)")


def status(page, text):
    page.wait_for_selector(f".settings-status:text-is('{text}')")


def opened(page):
    page.locator("#open-settings").click()
    page.wait_for_selector("#settings:not([hidden])")
    return page


def exported(page, url):
    with urllib.request.urlopen(f"{url}settings.toml", timeout=10) as answer:
        return tomllib.loads(answer.read().decode())


def test_a_change_is_seen_at_once_and_the_round_goes_on(play, open_page):
    url = play("triple-play")
    page = open_page(url)
    page.get_by_role("switch", name="Timer").click()
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector(".display[data-text='-']")
    opened(page)
    fill(page, "triple_play.turn_seconds", 27)
    page.keyboard.press("Enter")
    status(page, "Applied.")
    page.locator("#settings-close").click()
    for prompt in ("Press GO to start the round.", "Play on"):
        page.keyboard.press(" ", delay=50)
        page.wait_for_selector(f"#prompt:text-matches('^{prompt}')")
        page.evaluate("() => new Promise(done => setTimeout(done, 50))")    # a hand is slower than a bounce (C-11)
    page.wait_for_selector(".display[data-text^='2']")
    opened(page)
    fill(page, "common.volume", 5)
    page.get_by_role("button", name="Apply").click()
    status(page, "Applied.")
    page.wait_for_selector("#prompt:text-is('Paused. Tap GO to go on.')")    # a clock does not run on unseen
    assert exported(page, url)["common"]["volume"] == 5
    assert exported(page, url)["triple_play"]["turn_seconds"] == 27


def test_more_seats_at_the_table_are_drawn_at_once_on_every_page(play, open_page):
    url = play("party")
    ann, ben = open_page(url), open_page(url)
    opened(ann)
    fill(ann, "party.players", 12)
    ann.get_by_role("button", name="Apply").click()
    for page in (ann, ben):
        page.wait_for_function("() => document.querySelectorAll('.seat').length === 12")
    opened(ben)
    assert entered(ben, "party.players") == ["12"]


def test_what_cannot_be_is_said_in_the_words_of_the_toml_and_nothing_changes(play, open_page):
    url = play("triple-play")
    page = opened(open_page(url))
    before = exported(page, url)
    fill(page, "triple_play.turn_seconds", 0)
    fill(page, "triple_play.overload_presses", 9, 4)
    fill(page, "triple_play.lit_odds", 0, 0, 0)
    fill(page, "common.volume", "")
    fill(page, "triple_play.timeout_cards", 7)
    page.get_by_role("button", name="Apply").click()
    status(page, "Not applied: something cannot be so.")
    said = page.locator(".setting:has(.setting-error:not([hidden]))").evaluate_all(
        "rows => rows.map(row => [row.dataset.setting, row.querySelector('.setting-error').textContent])")
    assert said == [
        ["triple_play.overload_presses", "must be two whole numbers from 2 to 20, the lower first, like [4, 8]"],
        ["triple_play.lit_odds", "must be 3 numbers from 0 to 1000000, not all of them 0, like [20, 50, 30]"],
        ["triple_play.turn_seconds", "must be seconds from 1 to 9999, like 10"],
        ["common.volume", "must be a whole number from 0 to 5, like 3"],
    ]
    assert page.locator("[data-setting='triple_play.overload_presses'] input").first.evaluate(
        "field => field === document.activeElement && field.getAttribute('aria-invalid')") == "true"
    assert exported(page, url) == before
    page.get_by_role("button", name="As delivered").click()
    page.get_by_role("button", name="Apply").click()
    status(page, "Nothing was changed.")
    assert page.locator(".setting-error:not([hidden])").count() == 0


def test_a_refusal_for_another_reason_leaves_what_was_entered_to_be_applied_later(open_page):
    """Such as that the unit is away, or had too much at once; then somebody else changes something."""
    kind = kind_named("triple-play")

    def page_with(volume):
        unit = make_unit("triple-play", {"common.volume": volume})
        return {**page_of(unit), "settings": described(kind, COMMON)}

    def refuse(message, at_us):
        raise ValueError("that is too much at once; wait a moment")

    board = PanelBoard(page_with(3), refuse, port=0)
    try:
        page = opened(open_page(board.url))
        fill(page, "triple_play.turn_seconds", 27)
        page.get_by_role("button", name="Apply").click()
        page.wait_for_selector("#notice:text-matches('wait a moment')")
        board.turn_to(page_with(5), refuse)
        page.wait_for_function("() => document.getElementById('setting-common-volume').value === '5'")
        assert entered(page, "triple_play.turn_seconds") == ["27"]
        assert page.locator(".settings-status").inner_text() == ""
        page.close()
    finally:
        board.close()


@pytest.mark.parametrize(("speeds", "after"), [([4, 8], [4, 7]), ([2, 4, 6, 8], [2, 7, 6, 8])])
def test_a_list_may_be_shorter_or_longer_than_as_delivered(play, open_page, speeds, after):
    """Two speeds stay two, and four of them four."""
    url = play("master", speeds=json.dumps(speeds))
    page = opened(open_page(url))
    page.locator("#setting-master-speeds-1").fill("7")
    page.keyboard.press("Enter")
    status(page, "Applied.")
    assert exported(page, url)["master"]["speeds"] == after


def test_the_wheels_icons_are_set_as_they_are_written(play, open_page):
    page = opened(open_page(play("spin")))
    icons = json.loads(entered(page, "spin.icons")[0])
    assert len(icons) == 9
    fill(page, "spin.icons", "nonsense")
    page.get_by_role("button", name="Apply").click()
    status(page, "Not applied: something cannot be so.")
    assert page.locator("[data-setting='spin.icons'] .setting-error").inner_text().startswith("must be ")
    fill(page, "spin.icons", json.dumps(icons[:6]))
    page.get_by_role("button", name="Apply").click()
    status(page, "Applied.")
    assert page.locator(".dial-segment").count() == 6


def test_what_somebody_is_typing_outlives_the_change_of_another(play, open_page):
    url = play("triple-play")
    ann, ben = opened(open_page(url)), opened(open_page(url))
    fill(ann, "triple_play.timeout_cards", 3)
    fill(ben, "triple_play.turn_seconds", 15)
    ben.keyboard.press("Enter")
    status(ben, "Applied.")
    ann.wait_for_function("() => document.querySelector('#setting-triple_play-turn_seconds').value === '15'")
    assert entered(ann, "triple_play.timeout_cards") == ["3"]
    ann.get_by_role("button", name="Apply").click()
    status(ann, "Applied.")
    ben.wait_for_function("() => document.querySelector('#setting-triple_play-timeout_cards').value === '3'")


def test_the_file_is_saved_with_what_is_in_force(play, open_page):
    page = opened(open_page(play("master")))
    fill(page, "master.speeds", 3, 5, 7)
    page.keyboard.press("Enter")
    status(page, "Applied.")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a file (TOML)").click()
    assert download.value.suggested_filename == "settings.toml"
    saved = tomllib.loads(download.value.path().read_text(encoding="utf-8"))
    assert saved["master"]["speeds"] == [3, 5, 7] and saved["common"]["volume"] == 3


def test_with_a_place_to_keep_them_they_stay_and_the_page_says_so(play, open_page, tmp_path):
    kept = opened(open_page(play("master", "--state", str(tmp_path))))
    assert kept.locator("#settings .fine").first.inner_text().startswith("They count at once and stay")
    fill(kept, "master.penalty_cards", 3)
    kept.keyboard.press("Enter")
    status(kept, "Applied.")
    file = tmp_path / "master.settings.toml"
    give_up = time.monotonic() + 15
    while not file.exists() and time.monotonic() < give_up:     # a disk may be slow; nobody waits for it
        kept.evaluate("() => new Promise(requestAnimationFrame)")
    assert tomllib.loads(file.read_text()) == {"master": {"penalty_cards": 3}}
    not_kept = opened(open_page(play("master")))
    assert not_kept.locator("#settings .fine").first.inner_text().startswith("They hold until the program ends")


def test_a_pad_that_is_held_while_settings_change_is_not_stuck(play, open_page):
    url = play("triple-play")
    page, other = open_page(url), opened(open_page(url))
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector(".display[data-text='-']")
    box = page.locator("[data-input=pile1]").bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    other.wait_for_selector("[data-input=pile1][data-down=true]")
    fill(other, "triple_play.timeout_cards", 3)
    other.keyboard.press("Enter")
    status(other, "Applied.")
    other.wait_for_selector("[data-input=pile1][data-down=false]")
    page.mouse.up()
    assert page.locator("#notice").is_hidden()


@pytest.mark.parametrize("unit", UNITS)
def test_the_form_shows_every_setting_with_what_is_in_force(play, open_page, unit):
    page = opened(open_page(play(unit, "--set", "common.volume=1")))
    kind = kind_named(unit)
    every = [(kind.section, setting) for setting in kind.settings] + [("common", setting) for setting in COMMON]
    wanted = [(group, f"{section}.{s.name}") for group in GROUPS for section, s in every if s.group == group]
    shown = page.locator(".setting").evaluate_all(
        "rows => rows.map(row => [row.closest('[data-group]').dataset.group, row.dataset.setting])")
    assert [tuple(row) for row in shown] == wanted
    assert page.locator(".setting-about").evaluate_all("all => all.filter(one => !one.textContent).length") == 0
    assert entered(page, "common.volume") == ["1"]
    page.get_by_role("button", name="Apply").click()
    status(page, "Nothing was changed.")


def test_groups_are_headed_and_each_setting_is_explained(play, open_page):
    page = opened(open_page(play("triple-play")))
    assert page.locator("#settings h3").all_inner_texts() == [
        "Ready-made", "House rules", "Chance", "Times", "Sound and light", "Buttons and sensors"]
    group = page.get_by_role("region", name="House rules")
    assert group.locator("label").all_inner_texts() == ["Cards when time is up", "Presses until cards are taken off"]
    cards = page.get_by_role("spinbutton", name="Cards when time is up")
    about = page.locator(f"#{cards.get_attribute('aria-describedby').split()[0]}")
    assert about.inner_text() == "The sheet says six; small hands hold fewer."


def pressed(page):
    return page.locator("[data-preset][aria-pressed=true]").evaluate_all("all => all.map(one => one.dataset.preset)")


def test_a_ready_made_choice_is_applied_and_seen_in_the_form_on_every_page(play, open_page):
    url = play("triple-play")
    ann, ben = opened(open_page(url)), opened(open_page(url))
    assert pressed(ann) == ["sheet"]
    fill(ann, "common.volume", 1)                       # being typed: none of the choice's
    fill(ann, "triple_play.timeout_cards", 9)           # being typed: the choice wins
    ann.get_by_role("button", name="Gentle, for children").click()
    status(ann, "Applied.")
    for page in (ann, ben):
        page.wait_for_selector("[data-preset=gentle][aria-pressed=true]")
        assert entered(page, "triple_play.timeout_cards") == ["1"]
        assert entered(page, "triple_play.penalty_odds") == ["3", "1", "0", "0"]
    assert (entered(ann, "common.volume"), entered(ben, "common.volume")) == (["1"], ["3"])
    assert exported(ann, url)["triple_play"]["overload_presses"] == [7, 12]
    ben.get_by_role("button", name="Quick").click()
    ann.wait_for_selector("[data-preset=quick][aria-pressed=true]")
    assert entered(ben, "triple_play.timeout_cards") == ["6"], "nothing is left of the choice before"
    ben.locator("[data-preset=quick]").click()
    status(ben, "Nothing was changed.")
    fill(ben, "triple_play.turn_seconds", 7)
    ben.keyboard.press("Enter")
    ann.wait_for_function("() => !document.querySelector('[data-preset][aria-pressed=true]')")


def test_the_choice_for_children_moves_the_timers_switch_as_well(play, open_page):
    """MA-4: the switch has the speeds that are set."""
    page = opened(open_page(play("master")))
    page.get_by_role("button", name="Gentle, for children").click()
    status(page, "Applied.")
    assert page.get_by_role("slider", name="Speed").get_attribute("aria-valuetext") == "10 seconds"


def test_a_table_without_ready_made_choices_shows_none(play, open_page):
    page = opened(open_page(play("party")))
    assert page.locator("[data-preset]").count() == 0 and page.locator("#presets-title").count() == 0


def glow(page, selector):
    """How bright a steady light is drawn, from 0 to 1."""
    return float(page.locator(selector).first.evaluate("light => getComputedStyle(light).opacity"))


def test_brightness_and_patterns_are_seen_at_once_and_survive_a_restart(play, open_page, tmp_path):
    """C-24, C-25: on every page, in the file, and after a start with that file."""
    url = play("spin", "--set", "spin.icons=" + json.dumps([
        {"id": "war", "code": "HIGH", "colour": "yellow"}, {"id": "shout", "code": "CALL", "colour": "yellow"}]),
        virtual_spin="[0.1,0.1]")
    ann, ben = open_page(url), open_page(url)
    ann.get_by_role("switch", name="Power").click()
    ann.wait_for_selector(".dial-segment[data-colour=white]")
    ann.keyboard.press(" ", delay=50)
    for page in (ann, ben):
        page.wait_for_selector(".dial-segment[data-colour=yellow]")
    lamp, mark = ".dial-segment[data-colour=yellow] .dial-lamp", ".dial-segment[data-colour=yellow] .dial-sign"
    assert glow(ann, lamp) == glow(ben, lamp) == 1 and ben.locator(mark).is_hidden()
    ink = "() => getComputedStyle(document.querySelector('#prompt')).color"
    before = ben.evaluate(ink)
    opened(ann)
    slider = ann.get_by_role("slider", name="Brightness")
    assert slider.get_attribute("aria-valuetext") == "100 %"
    slider.fill("0.3")
    assert slider.get_attribute("aria-valuetext") == "30 %"
    ann.get_by_role("switch", name="A pattern for each colour").check()
    ann.get_by_role("button", name="Apply").click()
    status(ann, "Applied.")
    for page in (ann, ben):
        page.wait_for_selector("body[data-colour-patterns=true]")
        page.wait_for_selector(".dial-segment[data-colour=yellow]")         # the result is still there
        assert glow(page, lamp) == pytest.approx(0.3 ** (1 / 2.2), abs=0.01)
        assert page.locator(mark).text_content() == "▲" and page.locator(mark).is_visible()
    assert ben.evaluate(ink) == before, "words are as easy to read as before"
    saved = exported(ann, url)["common"]
    assert (saved["brightness"], saved["colour_patterns"]) == (0.3, True)
    file = tmp_path / "mine.toml"
    with urllib.request.urlopen(f"{url}settings.toml", timeout=10) as answer:
        file.write_bytes(answer.read())
    again = open_page(play("spin", "--config", str(file)))
    again.wait_for_selector("body[data-colour-patterns=true]")
    assert again.evaluate("getComputedStyle(document.querySelector('#unit')).getPropertyValue('--glow')") == "0.579"
    opened(again)
    assert entered(again, "common.brightness") == ["0.3"]
    assert again.get_by_role("switch", name="A pattern for each colour").is_checked()


def test_keys_typed_into_the_form_play_nothing(play, open_page):
    url = play("triple-play")
    page, other = opened(open_page(url)), open_page(url)
    fill(page, "triple_play.timeout_cards", "")
    page.keyboard.type("123")
    page.keyboard.press("Escape")
    page.wait_for_selector("#open-settings:focus")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.down("3")
    other.wait_for_selector("[data-input=pile3][data-down=true]")
    assert other.locator("[data-down=true]").count() == 1
    page.keyboard.up("3")
