"""The pages of the other units: the button one slaps, the arrow one flings, the seats of the big table."""

import math
import time
from itertools import pairwise

import pytest

from tests.browser.scripted import ICONS, ScriptedUnit

pytestmark = pytest.mark.browser


@pytest.fixture
def master():
    with ScriptedUnit("master") as unit:
        yield unit


@pytest.fixture
def spin():
    with ScriptedUnit("spin") as unit:
        yield unit


@pytest.fixture
def party():
    with ScriptedUnit("party") as unit:
        yield unit


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def fling(page):
    """Fling the arrow with the mouse, as fast as a hand does it, however long the machine takes for it."""
    x, y = middle(page.locator(".rotor"))
    mouse = page.context.new_cdp_session(page)
    begun_s = time.time()
    kinds = ["mousePressed", *["mouseMoved"] * 5, "mouseReleased"]
    for at, (kind, degrees) in enumerate(zip(kinds, (0, 20, 40, 60, 80, 100, 100), strict=True)):
        angle = math.radians(degrees)
        mouse.send("Input.dispatchMouseEvent", {
            "type": kind, "x": x + 60 * math.sin(angle), "y": y - 60 * math.cos(angle), "button": "left",
            "clickCount": 1, "buttons": 0 if kind == "mouseReleased" else 1, "timestamp": begun_s + at * 0.02})


def wait_for_rest(unit, page):
    """Return all slots the arrow passed, once it stands still."""
    page.evaluate("""() => new Promise(done => {
        const rotor = document.querySelector(".rotor");
        let last = null, same = 0;
        const look = () => {
            const angle = rotor.style.getPropertyValue("--angle");
            same = angle === last ? same + 1 : 0;
            last = angle;
            same > 10 ? done() : requestAnimationFrame(look);
        };
        look();
    })""")
    page.keyboard.press(" ")                    # comes after all slots: what is done so far is complete then
    with unit._changed:
        assert unit._changed.wait_for(lambda: "release go" in unit.done, 10)
    return [int(done.split()[1]) for done in unit.done if done.startswith("wheel")]


# Master


def test_the_timer_is_slapped_by_mouse_and_by_space(master, open_page):
    page = open_page(master.url)
    page.locator("[data-input=timer]").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    master.wait_for(*["press timer", "release timer"] * 2)


def test_the_speed_is_where_one_puts_it(master, open_page):
    page = open_page(master.url)
    speed = page.get_by_role("slider", name="Speed")
    box = speed.bounding_box()
    speed.click(position={"x": box["width"] - 10, "y": box["height"] / 2})
    page.wait_for_selector("[data-switch=speed] [aria-valuetext='8 seconds']")
    speed.press("ArrowLeft")
    page.wait_for_selector("[data-switch=speed] [aria-valuetext='6 seconds']")
    master.wait_for("speed 8", "speed 6")


def test_the_ring_the_word_and_the_display_tell_whose_move_it_is(master, open_page):
    page = open_page(master.url)
    master.show({"event": "turn"}, {"state": "running"}, {"lights": {"timer": "red"}}, {"display": "6"})
    page.wait_for_selector(".halo[data-colour=red][data-pattern='']")
    assert page.locator(".halo-word").inner_text() == "slap!"
    master.show({"event": "penalty", "draw": 2, "total": 2}, {"state": "penalty"}, {"lights": {"timer": "red flash"}},
                {"display": "2", "pattern": "flash"})
    page.wait_for_selector(".halo[data-pattern=flash]")
    assert page.locator("#prompt").inner_text() == "Too slow: draw two, then slap."
    assert page.get_by_role("status").inner_text() == "Time is up, draw two. Too slow: draw two, then slap."


# Spin


def test_a_fling_with_the_mouse_goes_round_and_comes_to_rest(spin, open_page):
    page = open_page(spin.url)
    fling(page)
    slots = wait_for_rest(spin, page)
    steps = [(after - before) % 36 for before, after in pairwise(slots)]
    assert slots[0] == 0, "the first reading only says where it stands"
    assert sum(steps) >= 36, "the arrow runs on by itself, more than once round"
    assert all(0 < step < 12 for step in steps), "always clockwise, never in jumps a sensor would not make"


def test_a_finger_that_stops_before_it_lets_go_flings_nothing(spin, open_page):
    page = open_page(spin.url)
    x, y = middle(page.locator(".rotor"))
    page.mouse.move(x, y - 60)
    page.mouse.down()
    page.mouse.move(x + 60, y)
    page.evaluate("() => new Promise(done => setTimeout(done, 150))")   # the finger rests on the arrow
    page.mouse.up()
    assert wait_for_rest(spin, page)[-1] == 9


def flung(page, frames_a_second):
    """The slots that an arrow tells which is flung at 900 degrees a second, on a screen of so many frames a second."""
    return page.evaluate("""async (frames) => {
        const { Rotor } = await import("/static/js/units/rotor.js");
        let now = 0, draw = null;
        performance.now = () => now;
        window.requestAnimationFrame = (then) => { draw = then; return 1; };
        const told = [];
        const rotor = new Rotor(36, (slot) => told.push(slot));
        rotor.fling(900);
        while (rotor.frame !== null) { now += 1000 / frames; draw(now); }
        return [told, Math.round(now / 1000)];
    }""", frames_a_second)


def test_the_arrow_runs_the_same_way_on_a_slow_screen(spin, open_page):
    """SP-3: the unit hears every slot, in the same time, also where only three frames a second are drawn."""
    page = open_page(spin.url)
    (told, seconds), (told_slowly, slow_seconds) = flung(page, 60), flung(page, 3)
    assert len(told) > 36 and all((after - before) % 36 in (1, 2) for before, after in pairwise(told))
    assert told_slowly == told
    assert abs(slow_seconds - seconds) <= 1


@pytest.mark.parametrize("stamps", [[0, 15, 30, 45, 60, 75], [0, 0, 30, 30, 60, 75], [0, 28, 30, 43, 60, 75]])
def test_a_fling_is_as_fast_as_the_hand_also_where_moves_come_in_bunches(spin, open_page, stamps):
    """Browsers round the times of moves, or hand several over at once: 900 degrees a second stay 900."""
    page = open_page(spin.url)
    speed = page.evaluate("""async (stamps) => {
        const { Rotor } = await import("/static/js/units/rotor.js");
        const rotor = new Rotor(36, () => {});
        rotor.element.setPointerCapture = () => {};
        const hand = (at) => {
            const angle = 13.5 * at * Math.PI / 180;
            const [clientX, clientY] = [50 * Math.sin(angle), -50 * Math.cos(angle)];
            return { button: 0, pointerId: 1, timeStamp: stamps[at], clientX, clientY };
        };
        rotor.take(hand(0));
        for (const at of stamps.keys()) rotor.turn(hand(at));
        rotor.let({ ...hand(stamps.length - 1), timeStamp: stamps.at(-1) + 5 });
        rotor.stop();
        return rotor.speed;
    }""", stamps)
    assert speed == pytest.approx(900, rel=0.1)


def test_the_arrow_is_turned_and_spun_by_keys(spin, open_page):
    page = open_page(spin.url)
    rotor = page.locator(".rotor")
    rotor.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        rotor.press(key)
    spin.wait_for("wheel 1", "wheel 2", "wheel 1", "wheel 0", "wheel 35")
    rotor.press("Enter")
    rotor.evaluate("rotor => rotor.blur()")
    assert len(wait_for_rest(spin, page)) > 36


def test_every_icon_has_a_drawing_and_its_word(spin, open_page):
    page = open_page(spin.url)
    segments = page.locator(".dial-segment").all()
    words = [" ".join(segment.locator(".dial-word").all_text_contents()) for segment in segments]
    assert words == ["all shout", "one colour", "draw blue", "draw red", "highest wins", "one number", "show hand",
                     "hands left", "keep two"]
    drawings = page.locator(".dial-segment .icon path").evaluate_all(
        "paths => paths.map(path => path.getAttribute('d'))")
    assert len(drawings) == len(ICONS) and len(set(drawings)) == len(ICONS) - 1, "only blue and red share a drawing"


def test_the_result_lights_its_segment_and_says_what_to_do(spin, open_page):
    page = open_page(spin.url)
    spin.show({"lights": {f"seg{n}": "white chase" for n in range(1, 10)}}, {"state": "idle"})
    page.wait_for_selector("[data-segment=seg9][data-pattern=chase]")
    spin.show({"event": "result", "icon": "keep-two", "number": 9, "virtual": True}, {"state": "result"},
              {"lights": {**{f"seg{n}": "off" for n in range(1, 9)}, "seg9": "purple"}}, {"display": "2"})
    page.wait_for_selector("[data-segment=seg9][data-colour=purple]")
    assert page.locator(".dial-segment:not([data-colour=off])").count() == 1
    assert page.locator("#prompt").inner_text() == "Lay off all cards but two."


def test_two_pages_show_the_arrow_at_the_same_place(spin, open_page):
    ann, ben = open_page(spin.url), open_page(spin.url)
    ann.locator(".rotor").press("ArrowRight")
    ben.wait_for_selector(".rotor[style*='15deg']")


# Party


def test_the_big_tables_buttons_and_keys(party, open_page):
    page = open_page(party.url)
    for name in ("reverse", "go", "next"):
        page.locator(f"[data-input={name}]").click()
    page.evaluate("document.activeElement.blur()")
    for key in ("r", " ", "n"):
        page.keyboard.press(key)
    party.wait_for(*[f"{edge} {name}" for name in ("reverse", "go", "next") for edge in ("press", "release")] * 2)


def test_only_the_seats_in_use_are_drawn(party, open_page):
    page = open_page(party.url)
    assert page.locator(".seat-number").all_inner_texts() == [str(seat) for seat in range(1, 9)]


def test_direction_and_link_are_drawn_and_written(party, open_page):
    page = open_page(party.url)
    party.show({"state": "clockwise"}, {"lights": {f"seat{n}": "green chase" for n in range(1, 9)}})
    page.wait_for_selector("[data-direction=on]")
    assert page.locator(".party-direction").inner_text() == "clockwise"
    party.show({"event": "direction", "to": "ccw"}, {"event": "linked", "a": 1, "b": 4}, {"state": "counter"},
               {"lights": {f"seat{n}": "purple" if n in (1, 4) else "yellow chase-back" for n in range(1, 9)}})
    page.wait_for_selector("[data-direction=back] .party-link.is-shown")
    assert page.locator(".party-direction").inner_text() == "the other way"
    assert page.get_by_role("status").inner_text().startswith("Play goes the other way. Seats 1 and 4 are linked.")
