"""Lights flash four times a second by the rules. On a page that is harmless only while they are small (WCAG 2.3.1).

Up to 25 % of any 341 x 256 pixels of a page of 1024 x 768 may flash more than three times a second: that is what the
guideline takes for ten degrees of a field of view. Compared are two pictures of a page, its lights on and off.
"""

import base64

import pytest

from tests.browser.test_play_triple import lit_pad, start_round
from tests.browser.test_play_units import tap

MOST_PIXELS = 341 * 256 // 4
ON_MS, OFF_MS = 20, 140         # of a blink of 250 ms
SIZE = {"width": 1024, "height": 768}

# An animation that is only paused may be drawn as it was before: what it has at that time becomes its target's style.
FREEZE = """ms => {
  window.blinking ??= document.getAnimations().filter(a => !(a instanceof CSSTransition))
  document.getAnimations().filter(a => a instanceof CSSTransition).forEach(a => a.finish())
  for (const a of window.blinking) { a.pause(); a.currentTime = ms; a.commitStyles(); a.cancel() }
}"""
MOST = """async ([on, off]) => {
  const wide = 341, high = 256
  async function luminance(png) {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
    const { width, height } = picture
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas.drawImage(picture, 0, 0)
    const { data } = canvas.getImageData(0, 0, width, height)
    const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4
    const one = n => .2126 * linear(data[n]) + .7152 * linear(data[n + 1]) + .0722 * linear(data[n + 2])
    return { width, height, values: Float64Array.from({ length: width * height }, (_, n) => one(4 * n)) }
  }
  const a = await luminance(on), b = await luminance(off)
  const line = a.width + 1, sums = new Uint32Array(line * (a.height + 1))
  for (let y = 0; y < a.height; y++) for (let x = 0; x < a.width; x++) {
    const p = a.values[y * a.width + x], q = b.values[y * a.width + x]
    const flashes = Math.abs(p - q) >= .1 && Math.min(p, q) < .8 ? 1 : 0
    sums[(y + 1) * line + x + 1] = flashes + sums[y * line + x + 1] + sums[(y + 1) * line + x] - sums[y * line + x]
  }
  let most = 0
  for (let y = 0; y + high <= a.height; y++) for (let x = 0; x + wide <= a.width; x++)
    most = Math.max(most, sums[(y + high) * line + x + wide] - sums[y * line + x + wide]
      - sums[(y + high) * line + x] + sums[y * line + x])
  return most
}"""


def most_flashing(page):
    """Return how many pixels flash in that part of the page where most do."""
    assert page.locator("[data-pattern=flash]").count() > 0
    pictures = []
    for ms in (ON_MS, OFF_MS):
        page.evaluate(FREEZE, ms)
        pictures.append(base64.b64encode(page.screenshot()).decode())
    blank = page.context.new_page()         # a page of its own: ours may load nothing, data: included
    most = blank.evaluate(MOST, pictures)
    blank.close()
    return most


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_pad_that_is_held_flashes_within_bounds(play, open_page, scheme):
    page = open_page(play(hold_to_clear=600, warn_clear=500, lit_odds="[0,0,1]"), viewport=SIZE, color_scheme=scheme)
    start_round(page)
    page.keyboard.down(lit_pad(page).get_attribute("data-input")[-1])
    page.wait_for_selector(".pad[data-pattern=flash]")
    assert 1_000 < most_flashing(page) < MOST_PIXELS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ring_of_the_timer_flashes_within_bounds(play, open_page, scheme):
    page = open_page(play("master", speeds="[5,60]"), viewport=SIZE, color_scheme=scheme)
    tap(page, " ")
    page.wait_for_selector(".halo[data-pattern=slow-blink]")
    tap(page, " ")
    page.get_by_role("slider", name="Speed").press("ArrowRight")    # in the 5 s of the turn; a fine lasts a minute then
    page.wait_for_selector(".halo[data-pattern=flash]")
    assert 1_000 < most_flashing(page) < MOST_PIXELS
