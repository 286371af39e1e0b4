"""Phones beside the unit: the owner lets others in, guests do what they may, and the PIN makes an owner."""

import argparse

import pytest

from firmware.boards import open_panel
from hal.panel.access import Access, qr_rows
from hal.ports import Wish
from tests.browser.conftest import NO_LINK
from tests.browser.scripted import HEADERS, TONES, ScriptedUnit, parse

pytestmark = pytest.mark.browser

PIN = "271828"


@pytest.fixture
def shared(monkeypatch):
    """Open a unit to a network that is this machine; *guests* says whether its browsers count as guests."""
    monkeypatch.setattr("hal.panel.board.own_address", lambda: "127.0.0.1")

    def opened(*, guests=True, **access):
        if guests:
            monkeypatch.setattr("hal.panel.room.is_loopback", lambda address: False)
        return ScriptedUnit(access=Access("0.0.0.0", "s3cret", PIN, **access))

    return opened


def enter_pin(page, pin):
    if not page.locator("#share").is_visible():
        page.get_by_role("button", name="I am the owner").click()
    page.get_by_label("PIN", exact=True).fill(pin)
    page.keyboard.press("Enter")


def test_the_owner_shows_a_code_with_the_address_and_the_pin(shared, open_page):
    with shared(guests=False) as unit:
        page = open_page(unit.url)
        page.get_by_role("button", name="Let others in").click()
        assert page.locator(".share-address").inner_text() == unit.board.shared_url
        assert page.get_by_text(f"The owner's PIN: {PIN}").is_visible()
        modules = page.locator(".share-code path").get_attribute("d").count("M")
        assert modules == "".join(qr_rows(unit.board.shared_url)).count("1")
        page.keyboard.press("Escape")
        page.wait_for_selector("#share", state="hidden")
        page.keyboard.press("1")
        unit.wait_for("press pile1", "release pile1")


def test_a_guest_presses_and_becomes_the_owner_with_the_pin(shared, open_page, browser):
    with shared() as unit:
        page = open_page(unit.board.shared_url, **browser.phone)
        page.locator("[data-input=pile2]").tap()
        unit.wait_for("press pile2", "release pile2")
        enter_pin(page, "000000")
        page.wait_for_selector("#share [role=alert]:text-is('That is not the PIN.')")
        enter_pin(page, PIN)
        page.wait_for_selector("#open-share:text-is('Let others in')")
        assert page.locator("#share").is_hidden() and page.locator("#notice").is_hidden()


def test_who_guesses_too_often_is_told_to_wait(shared, open_page):
    with shared() as unit:
        page = open_page(unit.url)
        for _ in range(5):
            enter_pin(page, "000000")
            page.wait_for_selector("#share [role=alert]:text-is('That is not the PIN.')")
        enter_pin(page, PIN)
        page.wait_for_selector("#share [role=alert]:text-is('Too many wrong PINs. Wait a minute.')")


def test_a_guest_who_may_only_look_is_told_so_and_presses_nothing(shared, open_page, browser):
    with shared(guests_press=False) as unit:
        page = open_page(unit.url, **browser.phone)
        told = page.get_by_text("You look on. Whoever enters the owner's PIN may press.")
        assert told.is_visible()
        page.locator("[data-input=pile2]").tap()
        page.locator("[data-switch=power] button").tap()
        page.wait_for_selector("#notice:not([hidden])")
        assert unit.done == []
        enter_pin(page, PIN)
        page.wait_for_selector("#open-share:text-is('Let others in')")
        page.locator("[data-input=pile2]").tap()
        unit.wait_for("press pile2", "release pile2")
        assert told.count() == 0


def test_an_owner_whose_link_was_lost_is_the_owner_again(shared, open_page):
    with shared() as unit:
        page = open_page(unit.url)
        enter_pin(page, PIN)
        page.wait_for_selector("#open-share:text-is('Let others in')")
        page.evaluate("""() => {                     // the network hiccups: the socket closes, a new one opens
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) { WebSocket.prototype.send = send; this.close(); };
        }""")
        page.keyboard.press("1")
        page.wait_for_selector("#unit[data-link=lost]")
        page.wait_for_selector("#unit[data-link=open]")
        page.wait_for_selector("#open-share:text-is('Let others in')")


def test_settings_units_and_records_are_the_owners_alone(monkeypatch, open_page):
    """What only the owner may do is not offered to a guest, and comes with the PIN."""
    monkeypatch.setattr("hal.panel.board.own_address", lambda: "127.0.0.1")
    monkeypatch.setattr("hal.panel.room.is_loopback", lambda address: False)
    monkeypatch.setattr("hal.panel.access.secrets.randbelow", lambda below: int(PIN))
    options = argparse.Namespace(lan=True, guests="press", port=0, no_browser=True)
    setting = {"section": "common", "name": "volume", "default": 3, "doc": "", "shape": "whole", "low": 0, "high": 5,
               "among": []}
    page_data = {"header": HEADERS["spin"], "tones": TONES, "units": ["spin", "party"], "settings": [setting],
                 "recording": False}
    board = open_panel(options, page_data, lambda message, at_us: [Wish(message, at_us)], {})
    page = open_page(board.url)
    assert page.locator("#open-settings").is_hidden() and page.locator("#open-home").is_disabled()
    assert page.locator("#tape button").count() == 0
    enter_pin(page, PIN)
    page.wait_for_selector("#open-settings:not([hidden])")
    assert page.locator("#open-home").is_enabled() and page.locator("#tape button").count() == 1
    page.close()
    board.close()


def test_the_terminal_shows_the_address_for_phones_and_its_code(monkeypatch, capsys):
    monkeypatch.setattr("hal.panel.board.own_address", lambda: "192.0.2.7")
    options = argparse.Namespace(lan=True, guests="look", port=0, no_browser=True)
    board = open_panel(options, {"header": HEADERS["spin"], "tones": TONES}, parse, {})
    board.close()
    said = capsys.readouterr().err.splitlines()
    token = board.url.rpartition("=")[2]
    assert said[:3] == [
        f"playing on http://127.0.0.1:{board.port}/?token={token}",
        f"for phones in this network: http://192.0.2.7:{board.port}/?token={token}",
        f"the owner's PIN: {board.pin}",
    ]
    assert len(said) > 15 and set("".join(said[3:])) <= set(" █▀▄")


def test_a_page_of_an_earlier_start_says_that_the_code_is_to_be_scanned_again(shared, open_page):
    with shared() as unit:
        page = open_page(unit.url)
        page.may_say(NO_LINK)
        page.may_say("403")
        port = unit.board.port
    page.wait_for_selector("#unit[data-link=lost]")
    with ScriptedUnit(port=port, access=Access(token="another")):
        page.wait_for_selector("#unit[data-link=denied]")
        assert page.locator("#notice").inner_text().startswith("This page has an address of an earlier start.")
        answer = page.goto(unit.url)
        assert answer.status == 403
        assert page.get_by_role("heading").inner_text() == "The whole address, please"
