"""One browser for all tests, and a page that is checked for what no page may ever do.

Debian's chromium, driven by playwright. Without it these tests are skipped on a laptop and fail in CI.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.scripted import ScriptedUnit

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
PATIENCE_MS = 15_000
NO_LINK = "WebSocket connection to|net::ERR_CONNECTION"     # what a page says whose program has ended


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A chromium without a window. Sound needs no tap in it, unless a test says otherwise."""
    if not Path(CHROMIUM).exists():
        if os.environ.get("CI") == "true":
            pytest.fail("no chromium: apt-get install -y --no-install-recommends chromium")
        pytest.skip("no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        chromium.phone = playwright.devices["Pixel 7"]
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a page at a URL; at the end none may have complained, or loaded anything from elsewhere.

    A page whose program has ended before it may complain of that. A test says beforehand, with `page.may_say`, what
    else it expects to be complained of: the browser says it when it likes, also after the test.
    """
    contexts, complaints, homes, expected = [], [], set(), []

    def opened(url: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        home = urlsplit(url).netloc
        homes.add(home)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(f"{error}"))
        page.on("request", lambda asked: complaints.append(asked.url) if urlsplit(asked.url).netloc != home else None)
        page.goto(url)
        page.wait_for_selector("#unit[data-link=open] .case")
        page.may_say = expected.append
        return page

    yield opened
    for context in contexts:
        context.close()
    if not all(map(listens, homes)):
        expected.append(NO_LINK)
    assert [said for said in complaints if not any(re.search(pattern, said) for pattern in expected)] == []


def listens(home: str) -> bool:
    """Whether somebody takes connections at *home*, `address:port`."""
    address, _, port = home.rpartition(":")
    try:
        with socket.create_connection((address, int(port)), timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture
def unit() -> Iterator[ScriptedUnit]:
    """A three-pile unit on a string."""
    with ScriptedUnit() as scripted:
        yield scripted


@pytest.fixture
def play() -> Iterator[Callable[..., str]]:
    """Start `pilelight play` with options and settings; gives the page's address. Each ends well when it is told to."""
    running = []

    def started(unit: str | None = "triple-play", *more: str, **settings: Any) -> str:
        section = (unit or "").replace("-", "_")
        words = [word for name, value in settings.items() for word in ("--set", f"{section}.{name}={value}")]
        named = [] if unit is None else [unit]
        program = subprocess.Popen(
            [sys.executable, "-m", "firmware", "play", *named, "--board", "panel", "--port", "0", "--no-browser",
             *more, *words],
            stderr=subprocess.PIPE, text=True)
        running.append(program)
        assert program.stderr is not None
        said = []
        for line in program.stderr:
            said.append(line)
            if found := re.search(r"http://\S+", line):
                return found.group()
        raise AssertionError(f"no address in {said}")

    yield started
    for program in running:
        program.send_signal(signal.SIGINT)          # one that is ending already may be interrupted at its very end
        assert program.wait(timeout=20) in (0, 130, -signal.SIGINT)
        assert program.stderr is not None
        program.stderr.close()
