"""A page in chromium, measured from inside: how soon a key is seen as light, and how smoothly the arrow turns."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PRESSES = 60
TURNS_MS = 2_000

ON = """async () => {
  document.querySelector('[data-switch=power] button').click()
  const press = code => { for (const kind of ['keydown', 'keyup'])
    dispatchEvent(new KeyboardEvent(kind, { code, key: ' ' })) }
  for (let n = 0; n < 2; n++) { await new Promise(done => setTimeout(done, 300)); press('Space') }
  await new Promise(done => setTimeout(done, 1500))
}"""
SEEN_MS = """async presses => {
  const pad = document.querySelector('[data-input=pile1]'), spent = []
  const becomes = pattern => new Promise((done, failed) => {
    setTimeout(() => failed(new Error(`pile 1 never became '${pattern}'`)), 5000)
    const look = () => pad.dataset.pattern === pattern && pad.dataset.colour === 'white' && (watch.disconnect(), done())
    const watch = new MutationObserver(look)
    watch.observe(pad, { attributes: true })
    look()
  })
  for (let n = 0; n < presses; n++) {
    const begin = performance.now()
    dispatchEvent(new KeyboardEvent('keydown', { code: 'Digit1', key: '1' }))
    await becomes('flash')
    spent.push(performance.now() - begin)
    await new Promise(done => setTimeout(done, 50))
    dispatchEvent(new KeyboardEvent('keyup', { code: 'Digit1', key: '1' }))
    await becomes('')
    await new Promise(done => setTimeout(done, 250))
  }
  return spent
}"""
FRAMES = """async forMs => {
  document.querySelector('[data-switch=power] button').click()
  const rotor = document.querySelector('.rotor')
  rotor.click()
  const seen = new Set(), begin = performance.now()
  let frames = 0
  while (performance.now() - begin < forMs) {
    await new Promise(requestAnimationFrame)
    frames++
    seen.add(rotor.style.getPropertyValue('--angle'))
  }
  return [frames / (performance.now() - begin) * 1000, seen.size]
}"""


class Page(NamedTuple):
    """What was measured: from a key to its light on the page (ms), and frames a second while the arrow turns."""

    seen_ms: float
    frames: float


@contextmanager
def program(unit: str, *words: str) -> Iterator[str]:
    """Play *unit* on the panel; its address."""
    panel = ("--board", "panel", "--port", "0", "--no-browser")
    command = [sys.executable, "-m", "firmware", "play", unit, *panel, *words]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            found = (re.search(r"http://\S+", line) for line in running.stderr)
            yield next(address.group() for address in found if address)
        finally:
            running.terminate()


def measure(chromium: str) -> Page:
    """Measure both in the browser at this path. Raises what playwright raises, and AssertionError for a still arrow."""
    from playwright.sync_api import sync_playwright

    def opened(address: str) -> Any:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#unit[data-link=open] .case")
        return page

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with program("triple-play", "--set", "triple_play.lit_odds=[0,0,1]",
                     "--set", "triple_play.overload_presses=[20,20]") as address:
            page = opened(address)
            page.evaluate(ON)
            seen_ms = median(page.evaluate(SEEN_MS, PRESSES // 4))      # a pile overloads at its 20th press
        with program("spin") as address:
            frames, angles = opened(address).evaluate(FRAMES, TURNS_MS)
        browser.close()
    assert angles > frames / 2, f"the arrow was seen at {angles} angles only"
    return Page(seen_ms, frames)
