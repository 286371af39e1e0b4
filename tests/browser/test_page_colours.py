"""The page for eyes that see few colours, and with lights that are dimmed: signs, textures, sizes, axe."""

from itertools import combinations, product

import pytest

from tests.browser.scripted import ScriptedUnit
from tests.browser.test_page import SCENES, SIZES
from tests.browser.test_page_everywhere import ALL_WORDS, OVERFLOWING, violations

pytestmark = pytest.mark.browser

COLOURS = ["white", "red", "yellow", "green", "blue", "purple"]
PATTERNS = {"colour_patterns": True}
DRAW = """async colour => {
    const canvas = new OffscreenCanvas(48, 48), pen = canvas.getContext("2d");
    if (colour !== "white") {
        const tile = new Image();
        tile.src = `/static/img/texture/${colour}.svg`;
        await tile.decode();
        pen.fillStyle = pen.createPattern(tile, "repeat");
        pen.fillRect(0, 0, 48, 48);
    }
    return [...pen.getImageData(0, 0, 48, 48).data].filter((_, at) => at % 4 === 3).map(alpha => alpha > 110 ? 1 : 0);
}"""


def test_the_textures_differ_in_grey(open_page):
    """C-25: wherever one is laid over another, a good part of it is dark where the other is light; white is plain."""
    with ScriptedUnit() as unit:
        page = open_page(unit.url)
        drawn = {colour: page.evaluate(DRAW, colour) for colour in COLOURS}
        page.close()
    assert not any(drawn["white"])
    for colour in COLOURS[1:]:
        assert 0.25 < sum(drawn[colour]) / len(drawn[colour]) < 0.6, f"{colour}: neither dark nor light as a whole"
    for one, other in combinations(COLOURS, 2):
        differ = sum(a != b for a, b in zip(drawn[one], drawn[other], strict=True)) / len(drawn[one])
        assert differ > 0.25, f"{one} and {other}"


def test_every_light_has_the_texture_and_the_sign_of_its_colour(open_page):
    """C-25: pads and counters, colour by colour."""
    texture = "(light, part) => getComputedStyle(light, part).backgroundImage"
    with ScriptedUnit(common=PATTERNS) as unit:
        page = open_page(unit.url)
        for colour, sign in zip(COLOURS, "○■▲●◆▼", strict=True):
            unit.show({"lights": {"pile1": colour, "counter1": colour}})
            page.wait_for_selector(f"[data-input=pile1][data-colour={colour}]")
            wanted = "none" if colour == "white" else f'url("{unit.url}static/img/texture/{colour}.svg")'
            for light in ("[data-input=pile1] .pad-glow", ".counter .led .light"):
                assert page.locator(light).first.evaluate(texture, "::after") == wanted, light
            assert page.locator("[data-input=pile1] .pad-sign").inner_text() == sign
            assert page.locator(".counter-word").first.inner_text().startswith(sign)
        unit.show({"lights": {"pile1": "off"}})
        page.wait_for_selector("[data-input=pile1][data-colour=off]")
        assert page.locator("[data-input=pile1] .pad-sign").inner_text() == ""
        page.close()


@pytest.mark.parametrize("common, seen", [(PATTERNS, True), ({}, False)])
@pytest.mark.parametrize("name, light, mark", [
    ("master", "timer", ".halo-sign"), ("party", "seat1", ".seat-sign"), ("spin", "seg1", ".dial-sign"),
])
def test_ring_seats_and_wheel_have_signs_while_the_setting_is_on(open_page, name, light, mark, common, seen):
    """C-25."""
    with ScriptedUnit(name, common=common) as unit:
        page = open_page(unit.url)
        unit.show({"lights": {light: "purple"}})
        page.wait_for_selector(":is(.halo, .seat, .dial-segment)[data-colour=purple]")
        assert page.locator(mark).first.text_content() == "▼"
        assert page.locator(mark).first.is_visible() is seen
        if name == "spin":
            assert page.locator(".dial-texture").first.get_attribute("fill") == "url(#texture-purple)"
            assert page.locator(".dial-texture").first.is_visible() is seen
        page.close()


def test_the_card_of_the_rules_explains_the_signs(open_page):
    """C-25."""
    for common, seen in (({}, False), (PATTERNS, True)):
        with ScriptedUnit(common=common) as unit:
            page = open_page(unit.url)
            page.locator("#open-rules").click()
            assert page.locator(".colours").is_visible() is seen
            assert page.locator(".colours li").all_text_contents() == [
                "○white", "■red", "▲yellow", "●green", "◆blue", "▼purple"]
            page.close()


@pytest.mark.parametrize("name", SCENES)
def test_with_patterns_nothing_overflows_and_axe_finds_nothing(open_page, name):
    """In every size and language, light and dark."""
    with ScriptedUnit(name, common={**PATTERNS, "brightness": 0.05}) as unit:
        page = open_page(unit.url, reduced_motion="reduce")
        unit.show(*SCENES[name])
        page.wait_for_selector(".display:not([data-text=''])")
        for language, (size, (width, height)) in product(("de", "es", "en"), SIZES.items()):
            page.set_viewport_size({"width": width, "height": height})
            page.locator("#language").select_option(language)
            page.wait_for_selector(f"html[lang={language}]")
            where = f"{size}, {language}"
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), where
            assert page.evaluate(OVERFLOWING, f"{ALL_WORDS}, span.sign") == [], where
            page.locator("#open-rules").click()
            assert page.evaluate("document.getElementById('rules').scrollWidth <= "
                                 "document.getElementById('rules').clientWidth"), where
            page.keyboard.press("Escape")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], scheme
            page.locator("#open-rules").click()
            assert violations(page) == [], f"rules, {scheme}"
            page.keyboard.press("Escape")
        page.close()


@pytest.mark.parametrize("brightness", [0.05, 1])
def test_dimmed_lights_keep_their_digits_readable(open_page, brightness):
    """C-24: the lights are drawn dimmer; the display's digits keep a contrast of 3 to 1 on their glass."""
    with ScriptedUnit(common={"brightness": brightness}) as unit:
        page = open_page(unit.url)
        unit.show({"display": "8"}, {"lights": {"pile1": "white"}})
        page.wait_for_selector("[data-input=pile1][data-colour=white]")
        opacity = "light => Number(getComputedStyle(light).opacity)"
        drawn = page.locator("[data-input=pile1] .pad-glow").evaluate(opacity)
        assert drawn == pytest.approx(brightness ** (1 / 2.2), abs=0.01)
        share = page.locator(".display .light").evaluate(opacity)
        lit, glass = (255, 74, 56), (36, 10, 9)         # .seg.is-on, .display
        digit = [share * a + (1 - share) * b for a, b in zip(lit, glass, strict=True)]
        assert (luminance(digit) + 0.05) / (luminance(glass) + 0.05) > 3
        page.close()


def luminance(colour):
    """The relative luminance of WCAG."""
    linear = [c / 3294.6 if c <= 10.0 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
