"""The other units in a real browser, on the program people start: a slap, a fling, a turn of direction."""

import pytest

from tests.browser.test_page_units import fling

pytestmark = pytest.mark.browser


def tap(page, key):
    """Tap a key as a hand does: slower than a contact bounces, and than a double slap (MA-12)."""
    page.keyboard.press(key)
    page.evaluate("() => new Promise(done => setTimeout(done, 300))")


def test_the_timer_is_slapped_runs_out_and_fines(play, open_page):
    """MA-1 to MA-8."""
    page = open_page(play("master", speeds="[2,4]"))
    assert page.locator(".halo-word").inner_text() == "off"
    tap(page, " ")
    page.wait_for_selector(".halo[data-colour=red][data-pattern=slow-blink]")
    page.get_by_role("slider", name="Speed").press("ArrowRight")
    page.wait_for_selector(".display[data-text='4']")
    page.get_by_role("slider", name="Speed").press("ArrowLeft")
    page.wait_for_selector(".display[data-text='2']")
    page.get_by_role("slider", name="Speed").evaluate("slider => slider.blur()")
    tap(page, " ")
    page.wait_for_selector(".halo-word:text-is('slap!')")
    page.wait_for_selector(".halo-word:text-is('draw!')")
    assert page.locator("#prompt").inner_text() == "Too slow: draw two, then slap."
    page.wait_for_selector(".halo[data-pattern=slow-blink]")
    assert page.locator("#prompt").inner_text() == "Draw four. The next player slaps to go on."


def test_the_arrow_is_flung_and_its_segment_says_what_to_do(play, open_page):
    """SP-2, SP-3, by mouse."""
    page = open_page(play("spin", at_rest=0.6))
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector("[data-segment=seg1][data-pattern=chase]")
    fling(page)
    page.wait_for_selector("#happened li:text-matches('^Result: ')")
    segment = page.locator(".dial-segment:not([data-colour=off])")
    assert segment.count() == 1
    slot = page.locator(".rotor").evaluate("""rotor => {
        const angle = parseFloat(rotor.style.getPropertyValue("--angle")) % 360;
        return Math.floor((angle + 360) % 360 / 10);
    }""")
    assert segment.get_attribute("data-segment") == f"seg{slot // 4 + 1}", "the arrow's icon counts"


def test_go_spins_without_the_wheel(play, open_page):
    """SP-8."""
    page = open_page(play("spin", virtual_spin="[0.6,0.8]"))
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector("[data-segment=seg1][data-pattern=chase]")
    tap(page, " ")
    page.wait_for_selector("#happened li:text-matches('^Result: ')")
    assert page.locator(".dial-segment:not([data-colour=off])").count() == 1


def test_the_big_table_turns_round_counts_and_links(play, open_page):
    """PA-1 to PA-5."""
    page = open_page(play("party", players=6, hold_to_link=0.4))
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector("[data-direction=on]")
    assert page.locator(".seat[data-pattern=chase]").count() == 6
    tap(page, "r")
    page.wait_for_selector("[data-direction=back]")
    page.keyboard.down(" ")
    page.wait_for_selector(".seat[data-seat='1'][data-colour=white][data-pattern=flash]")
    page.keyboard.up(" ")
    tap(page, "n")
    tap(page, " ")
    tap(page, "n")
    tap(page, " ")
    page.wait_for_selector(".party-link.is-shown")
    assert page.locator("#happened li").first.inner_text() == "Seats 2 and 3 are linked."
    tap(page, " ")
    page.wait_for_selector(".display[data-text='3']")
    page.wait_for_selector(".display[data-text='1']")
    page.wait_for_selector("#happened li:text-is('The link is gone.')")
