"""Rounds of Triple Play in a real browser, on the program people start: `pilelight play`."""

import pytest

pytestmark = pytest.mark.browser


def tap(page, key):
    """Tap a key as a hand does: the key is up for a moment before it can go down again (C-11: 30 ms)."""
    page.keyboard.press(key)
    page.evaluate("() => new Promise(done => setTimeout(done, 50))")


def power_on(page, *, timer=False):
    if timer:
        page.get_by_role("switch", name="Timer").click()
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector(".display[data-text='-']")


def start_round(page, *, timer=False):
    power_on(page, timer=timer)
    tap(page, " ")
    page.wait_for_selector(".counter-bar[data-colour=blue][data-pattern=flash]")
    tap(page, " ")
    page.wait_for_selector(".pad[data-colour=white]")


def lit_pad(page):
    return page.locator(".pad[data-colour=white][data-pattern='']").first


def same_unit(one, other):
    """Whether two pages come to show the same; each is asked in turn until they agree."""
    shown = """() => JSON.stringify([...document.querySelectorAll(".pad, .counter-bar, .display")].map(
        ({ dataset }) => [dataset.colour, dataset.pattern, dataset.text, dataset.down]))"""
    return any(one.evaluate(shown) == other.evaluate(shown) for _ in range(200))


def happened(page):
    return page.locator("#happened").inner_text().replace("\n", " ")


def heard(page, text):
    page.wait_for_selector(f"#happened li:text-is('{text}')")


def test_a_turn_with_the_mouse(play, open_page):
    """TP-1 to TP-6: dark, GO, GO, a lit pad, the next turn."""
    page = open_page(play())
    assert page.locator("#prompt").inner_text() == "Switch the power on."
    start_round(page)
    pile = lit_pad(page).get_attribute("data-input")[-1]
    lit_pad(page).click()
    heard(page, f"Pile {pile} takes a card.")
    page.wait_for_selector(".pad[data-colour=white][data-pattern='']")


def test_a_pad_that_is_dark_is_refused_in_red_and_in_words(play, open_page):
    """TP-8."""
    page = open_page(play(lit_odds="[1,0,0]"))
    start_round(page)
    dark = page.locator(".pad[data-colour=off]").first.get_attribute("data-input")
    page.locator(f"[data-input={dark}]").click()
    page.wait_for_selector(f"[data-input={dark}][data-colour=red][data-pattern=flash]")
    heard(page, f"Pile {dark[-1]} is not lit.")
    page.wait_for_selector(f"[data-input={dark}][data-colour=off]")


def test_a_hold_shows_how_far_it_is_and_warns(play, open_page):
    """TP-7, with a hold that no machine is too slow to see."""
    page = open_page(play(hold_to_clear=600, warn_clear=0.3))
    start_round(page)
    pile = lit_pad(page).get_attribute("data-input")[-1]
    page.keyboard.down(pile)
    page.wait_for_selector(".hold.is-running")
    page.wait_for_selector(".counter-bar[data-colour=white][data-pattern=fade]")
    page.keyboard.up(pile)


def test_a_hold_clears(play, open_page):
    """TP-7, with a shorter hold."""
    page = open_page(play(hold_to_clear=0.8, warn_clear=0.3))
    start_round(page)
    pile = lit_pad(page).get_attribute("data-input")[-1]
    page.keyboard.down(pile)
    heard(page, f"Pile {pile} is cleared.")
    page.keyboard.up(pile)
    assert "takes a card" not in happened(page)


def test_an_overload_says_what_to_draw_and_go_goes_on(play, open_page):
    """TP-10, TP-11."""
    page = open_page(play(overload_presses="[2,2]", penalty_odds="[0,0,1,0]", lit_odds="[0,0,1]"))
    start_round(page)
    for _ in range(2):
        page.wait_for_selector("[data-input=pile2][data-colour=white][data-pattern='']")
        tap(page, "2")
        page.wait_for_selector("#happened li:first-child:text-matches('takes a card|overloads')")
    page.wait_for_selector(".display[data-text='3'][data-pattern=flash]")
    assert page.locator("#prompt").inner_text() == "Pile 2 overloads: draw three, then press GO."
    assert page.locator(".counter-word").nth(1).inner_text() == "■ overload"
    page.locator("[data-input=go]").click()
    page.wait_for_selector(".display[data-text='']")
    page.wait_for_selector(".pad[data-colour=white]")


def test_the_volume_is_set_with_go_alone(play, open_page):
    """TP-17, C-16: downwards first, silent at 0, back to the game by itself."""
    page = open_page(play(hold_for_volume=0.5, volume_idle=4))
    start_round(page)
    page.keyboard.down(" ")
    page.wait_for_selector(".display[data-text='3']")
    page.keyboard.up(" ")
    page.evaluate("() => new Promise(done => setTimeout(done, 50))")
    for volume in "210":
        tap(page, " ")
        page.wait_for_selector(f".display[data-text='{volume}']")
    page.wait_for_selector(".display[data-text='']")
    page.wait_for_selector(".pad[data-colour=white]")


def test_a_countdown_pauses_goes_on_and_runs_out(play, open_page):
    """TP-13, TP-15, TP-16."""
    page = open_page(play(turn_seconds=3))
    start_round(page, timer=True)
    page.wait_for_selector(".display[data-text='3']")
    tap(page, " ")
    page.wait_for_selector(".display[data-pattern=flash]")
    assert page.locator("#prompt").inner_text() == "Paused. Tap GO to go on."
    tap(page, " ")
    page.wait_for_selector(".display[data-text='1']")
    page.wait_for_selector(".display[data-text='6'][data-pattern=flash]")
    assert page.locator("#prompt").inner_text() == "Time is up: draw six, then press GO."


def test_two_pages_stay_in_step_through_a_round(play, open_page):
    url = play(overload_presses="[4,4]")
    ann, ben = open_page(url), open_page(url)
    start_round(ann)
    for turn in range(6):
        page = (ann, ben)[turn % 2]
        page.wait_for_selector(".pad[data-colour=white][data-pattern=''], .display[data-pattern=flash]")
        if page.locator(".display[data-pattern=flash]").count():
            tap(page, " ")
            page.wait_for_selector(".display[data-pattern='']")
        else:
            page.evaluate("() => document.querySelector('#happened li').dataset.old = ''")
            tap(page, lit_pad(page).get_attribute("data-input")[-1])
            page.wait_for_selector("#happened li:first-child:not([data-old]):text-matches('takes|overloads')")
        assert same_unit(ann, ben)


def test_a_browser_that_vanishes_mid_press_plays_the_card_it_held(play, open_page):
    """Its pads are released: the press counts, and the other page plays on."""
    url = play()
    ann, ben = open_page(url), open_page(url)
    start_round(ann)
    pile = lit_pad(ann).get_attribute("data-input")[-1]
    ann.keyboard.down(pile)
    ben.wait_for_selector(f"[data-input=pile{pile}][data-pattern=flash]")
    ann.close()
    heard(ben, f"Pile {pile} takes a card.")
    ben.wait_for_selector(".pad[data-colour=white][data-pattern='']")


def test_switching_off_darkens_everything(play, open_page):
    """C-1."""
    page = open_page(play())
    start_round(page)
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector("#prompt:text-is('Switch the power on.')")
    assert page.locator(".pad:not([data-colour=off]), .counter-bar:not([data-colour=off])").count() == 0
    assert page.locator(".display").get_attribute("data-text") == ""


def test_the_page_says_which_version_it_plays(play, open_page):
    """What the page shows as version is what the program is."""
    from firmware import __version__

    page = open_page(play())
    assert page.locator("#foot").inner_text().startswith(f"Pilelight {__version__}")
