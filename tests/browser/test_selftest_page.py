"""The self-test in the browser: the drawn unit is walked through like one of wood and wire."""

import re
import signal
import subprocess
import sys

import pytest

from tests.browser.conftest import NO_LINK

pytestmark = pytest.mark.browser


@pytest.fixture
def walk():
    """Start `pilelight selftest` in the browser: the page's address, and the program to await."""
    running = []

    def started(unit, *words):
        words = ("selftest", unit, "--board", "panel", "--port", "0", "--no-browser", *words)
        program = subprocess.Popen(
            [sys.executable, "-m", "firmware", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(program)
        said = []
        for line in program.stderr:
            said.append(line)
            if found := re.search(r"http://\S+", line):
                return found.group(), program
        raise AssertionError(f"no address in {said}")

    yield started
    for program in running:
        if program.poll() is None:
            program.send_signal(signal.SIGINT)
        program.communicate(timeout=20)


def prompt(page, text):
    page.wait_for_function("text => document.getElementById('prompt').textContent === text", arg=text)


def test_the_page_asks_is_answered_and_says_that_it_is_over(walk, open_page):
    url, program = walk("triple-play", "--only", "go", "--only", "pile2", "--only", "buzzer")
    page = open_page(url)
    page.may_say(NO_LINK)
    prompt(page, "Self-test, 1 of 4: Press the GO button, and let it go.")
    assert not page.locator("#steps").is_visible()     # how to begin a round would lead astray
    page.keyboard.press("Space", delay=60)
    prompt(page, "Self-test, 2 of 4: Press the pile pad 2, and let it go.")
    page.keyboard.press("2", delay=60)
    prompt(page, "Self-test, 3 of 4: Do you hear 12 tones, each higher than the one before? (tap: yes, hold: no)")
    page.keyboard.press("Space", delay=60)
    prompt(page, "Self-test, 4 of 4: Do you hear 5 beeps, each louder than the one before? (tap: yes, hold: no)")
    page.keyboard.press("Space", delay=1_300)
    assert program.wait(timeout=20) == 1
    page.close()
    told = program.stdout.read().splitlines()
    assert told[-7:] == [
        "ok        go", "ok        pile2", "ok        buzzer tones",
        "failed    buzzer volumes  somebody said no",
        "                          → look at the wire to GPIO12, and whether the piezo is a passive one",
        "", "3 ok, 1 failed",
    ]  # fmt: skip


@pytest.mark.parametrize("unit, part", [("master", "strip"), ("spin", "strip"), ("party", "display")])
def test_every_unit_can_be_drawn_while_it_is_tested(walk, open_page, unit, part):
    url, _ = walk(unit, "--only", part)
    page = open_page(url)
    page.wait_for_function("() => document.getElementById('prompt').textContent.startsWith('Self-test, 1 of ')")
    selector = ".display[data-text='‾‾‾‾'] .is-on" if part == "display" else "[data-colour=red]"
    page.wait_for_selector(selector, state="attached")


def test_in_another_language_the_frame_is_translated(walk, open_page):
    url, _ = walk("triple-play", "--only", "pile1")
    page = open_page(url, locale="de-DE")
    prompt(page, "Selbsttest, 1 von 1: Press the pile pad 1, and let it go.")
