"""A page beside a unit of wood and wire: remote display, settings and record; and the self-test of safe mode."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from queue import SimpleQueue

import pytest

from firmware.commands import unit_from_header
from firmware.record import replay
from hal.panel.access import HERE
from hal.panel.mirror import Mirror
from hal.panel.mirrored import Mirrored, stay
from hal.panel.ways import Meeting
from hal.ports import Wish
from tests.browser.scripted import HEADERS, TONES
from tests.browser.test_page_guests import PIN, enter_pin

pytestmark = pytest.mark.browser

SHOWS_ONLY = "This page shows what the unit does. Use its own buttons."


class Unit:
    """A unit beside the page: a Pi's board on mock pins. `close` and `open` are fingers."""

    def __init__(self, *words):
        command = [sys.executable, "-m", "tests.browser.real_board", *words, "--panel", "--port", "0"]
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.program.stderr:
            self.said.append(line)
            if found := re.search(r"shown on (http://\S+)", line):
                self.url = found.group(1)
                break
        self.listening = threading.Thread(target=lambda: self.said.extend(self.program.stderr), daemon=True)
        self.listening.start()

    def move(self, *lines):
        self.program.stdin.write("".join(f"{line}\n" for line in lines))
        self.program.stdin.flush()

    def tap(self, page, name, for_ms=60):
        """As long as a hand does, from when the unit has felt it: its clock runs, and contacts are debounced."""
        for verb, is_down, ms in (("close", "true", for_ms), ("open", "false", 60)):
            self.move(f"{verb} {name}")
            page.wait_for_selector(f"[data-input={name}][data-down={is_down}]")
            page.evaluate("ms => new Promise(done => setTimeout(done, ms))", ms)

    def end(self):
        self.program.send_signal(signal.SIGTERM)
        status = self.program.wait(timeout=20)
        self.listening.join()
        self.program.stdin.close()
        self.program.stderr.close()
        assert status == 0, self.said


@pytest.fixture
def beside():
    units = []

    def begun(*words):
        units.append(Unit(*words))
        return units[-1]

    yield begun
    for unit in units:
        unit.end()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_what_is_pressed_on_the_unit_is_shown_on_the_page_which_presses_nothing(beside, open_page):
    unit = beside("triple-play")
    page = open_page(unit.url)
    assert page.get_by_text(SHOWS_ONLY).is_visible() and page.locator("#open-home").is_disabled()
    unit.move("close power")
    page.wait_for_selector("[data-switch=power] [aria-checked=true]")
    unit.tap(page, "go")
    page.wait_for_selector(".counter-bar[data-colour=blue]")
    unit.tap(page, "go")
    page.wait_for_selector(".pad[data-colour=white]")
    page.keyboard.press("1")
    page.locator("[data-input=pile1]").click()
    assert page.locator("#notice").is_hidden()


def test_its_owner_changes_a_setting_and_the_round_goes_on(beside, open_page):
    unit = beside("triple-play")
    page = open_page(unit.url)
    unit.move("close power")
    page.wait_for_selector("[data-switch=power] [aria-checked=true]")
    unit.tap(page, "go")
    unit.tap(page, "go")
    page.wait_for_selector(".pad[data-colour=white]")
    page.locator("#open-settings").click()
    page.locator("#setting-triple_play-timeout_cards").fill("9")
    button(page, "Apply").click()
    page.wait_for_selector(".settings-status:text-is('Applied.')")
    page.wait_for_selector("#happened li:text-is('The round goes on.')")
    page.wait_for_selector(".pad[data-colour=white]")
    with page.expect_download() as download:
        page.locator("#settings-export").click()
    assert "timeout_cards = 9" in download.value.path().read_text(encoding="utf-8")
    page.locator("#setting-triple_play-timeout_cards").fill("0")
    button(page, "Apply").click()
    page.wait_for_selector("[data-setting='triple_play.timeout_cards'] .setting-error:not([hidden])")


def test_its_owner_begins_a_record_ends_it_saves_it_and_watches_it(beside, open_page):
    unit = beside("triple-play")
    page = open_page(unit.url)
    page.locator("#tape-turn[data-recording=false]").click()
    page.wait_for_selector("[data-recording=true]")
    unit.move("close power")
    page.wait_for_selector("[data-switch=power] [aria-checked=true]")
    unit.tap(page, "go")
    unit.tap(page, "go")
    page.wait_for_selector(".pad[data-colour=white]")
    page.locator("#tape-turn[data-recording=true]").click()
    page.wait_for_selector("[data-recording=false]")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save it").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines(keepends=True)
    assert replay(lines, unit_from_header, "saved") > 5
    assert any(json.loads(line).get("event") == "round-started" for line in lines)
    page.locator("#tape-watch").click()
    page.wait_for_selector("#replay:not([hidden])")
    button(page, "Back to the unit").click()
    page.wait_for_selector(".pad[data-colour=white]")


def test_a_guest_is_offered_nothing_until_the_pin(open_page, monkeypatch, tmp_path, browser):
    """Settings and records are the owner's; the page comes back by itself when the unit has been away."""
    monkeypatch.setattr("hal.panel.room.is_loopback", lambda address: False)
    monkeypatch.setattr("hal.panel.mirrored.AGAIN_S", 0.05)
    page_of = {"header": HEADERS["triple-play"], "tones": TONES, "shows_only": True, "recording": False}
    mirrored = Mirrored({**page_of, "away": True}, access=HERE._replace(pin=PIN))
    place = str(tmp_path / "panel.sock")
    threading.Thread(target=stay, args=(mirrored, place, lambda text: None), daemon=True).start()
    page = open_page(mirrored.board.url, **browser.phone)
    away = "The unit is away: its program does not run. This page keeps waiting and comes back by itself."
    page.wait_for_selector(f"#notice:text-is('{away}')")
    granted = SimpleQueue()
    game = Mirror(page_of, Meeting(place, {os.getuid()}), lambda what, at_us: [Wish(what, at_us)], granted.put)
    page.wait_for_selector("#notice", state="hidden")
    assert page.locator("#tape button").count() == 0 and page.get_by_text(SHOWS_ONLY).is_visible()
    enter_pin(page, PIN)
    page.locator("#tape-turn[data-recording=false]").tap()
    assert granted.get(timeout=20).what == {"record": "start"}
    game.close()
    page.wait_for_selector(f"#notice:text-is('{away}')")
    mirrored.close()
    page.close()
    assert granted.empty()


def test_the_self_test_of_safe_mode_is_answered_on_the_page(beside, open_page):
    """By buttons of the page for what is asked, by the unit's own for what is to be pressed; then all results."""
    unit = beside("triple-play", "--go-held")
    page = open_page(unit.url)
    prompt = page.locator("#prompt")
    page.wait_for_function("() => document.getElementById('prompt').textContent.startsWith('Self-test, 1 of 14')")
    assert page.locator("#answers button").all_inner_texts() == ["No", "Skip"]
    unit.tap(page, "go")
    page.wait_for_function("() => document.getElementById('prompt').textContent.startsWith('Self-test, 2 of 14')")
    button(page, "No").click()
    for step in range(3, 15):
        page.wait_for_function(
            "step => document.getElementById('prompt').textContent.startsWith(`Self-test, ${step} of 14`)", arg=step)
        button(page, "Skip").click()
    page.wait_for_selector("#prompt:text-is('The self-test is over: 1 of 14 failed.')")
    results = page.locator("#answers li").all_inner_texts()
    assert results[:3] == ["go well", "pile1 failed: somebody said no", "pile2 skipped"] and len(results) == 14
    assert page.locator("#answers p").inner_text() == "To play, switch the power off and on."
    page.locator("#open-settings").click()
    page.locator("#setting-triple_play-timeout_cards").fill("9")
    button(page, "Apply").click()
    page.wait_for_selector(".settings-status:text-is('Applied.')")
    assert prompt.inner_text() == "The self-test is over: 1 of 14 failed.", "what is shown stays"
    page.reload()
    page.wait_for_selector("#answers li[data-verdict=failed]")
