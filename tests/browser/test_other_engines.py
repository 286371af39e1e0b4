"""The page in the engines of other browsers: a round, what opens, and what each engine lays out in its own way.

Chromium has all the other tests. Where an engine is missing these are skipped on a laptop and fail in CI.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.browser.engines import ENTER, ESCAPE, NARROW, WIDE, Engine, Firefox, WebKit

pytestmark = pytest.mark.browser

PACKAGES = {"Firefox": "firefox-esr", "WebKit": "webkit2gtk-driver xvfb"}
PROGRAMS = {"Firefox": ["firefox-esr"], "WebKit": ["WebKitWebDriver", "Xvfb"]}
OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module", params=list(PACKAGES))
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    name = request.param
    if not all(map(shutil.which, PROGRAMS[name])):
        how = f"no {name}: apt-get install -y --no-install-recommends {PACKAGES[name]}"
        pytest.fail(how) if os.environ.get("CI") == "true" else pytest.skip(how)
    program = PROGRAMS[name][0]
    started = WebKit(program) if name == "WebKit" else Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield started
    started.close()


@pytest.fixture
def page(engine: Engine, play: Callable[..., str]) -> Iterator[Engine]:
    """A page that may not complain; it is left before its program ends."""
    engine.resize(*WIDE)
    yield engine
    complaints = engine.complaints
    engine.open("about:blank")
    assert complaints == []


def test_a_turn_of_three_piles(play: Callable[..., str], page: Engine) -> None:
    """TP-1 to TP-6, by mouse and keys; the rules and a setting are opened on the way."""
    page.open(play("triple-play"))
    page.see("#unit[data-link=open] .case")
    page.click("#open-rules")
    page.see("#rules[open]")
    page.press(ESCAPE)
    page.see("#rules:not([open])")
    page.click("[data-switch=power] button")
    page.see(".display[data-text='-']")
    page.press(" ")
    page.see(".counter-bar[data-colour=blue][data-pattern=flash]")
    page.press(" ")
    page.see(".pad[data-colour=white][data-pattern='']")
    pile = page.ask("document.querySelector(\".pad[data-colour=white][data-pattern='']\").dataset.input.at(-1)")
    page.click(f"[data-input=pile{pile}]")
    page.until(f"document.querySelector('#happened').textContent.includes('Pile {pile} takes a card.')")
    page.click("#open-settings")
    page.see("#settings:not([hidden])")
    page.ask("document.querySelector('#setting-triple_play-turn_seconds').select()")
    page.press("7")
    page.press(ENTER)
    page.until("document.querySelector('.settings-status').textContent === 'Applied.'")
    page.press(ESCAPE)
    page.see("#settings[hidden]")


def test_the_display_of_the_big_table_lies_on_the_table_and_nothing_overhangs(
        play: Callable[..., str], page: Engine) -> None:
    """At a desktop and as narrow as each engine's window can be."""
    url = play("party")
    for size in (WIDE, NARROW):
        page.resize(*size)
        page.open(url)
        page.see("#unit[data-link=open] .case")
        middle, top = page.ask("""[".party-middle", ".party-top"].map((one) => {
            const box = document.querySelector(one).getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom];
        })""")
        assert top[0] < middle[0] and top[1] < middle[1] and middle[2] < top[2] and middle[3] < top[3], size
        assert page.ask(OVERHANG) <= 0, size
