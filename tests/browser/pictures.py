"""Take the pictures of the page that the docs show: `make pictures`, or `python -m tests.browser.pictures [FOLDER]`.

Each unit in play, at the size of a desktop and of a phone, and what opens on the page. Blinking lights are caught
while they are on.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.browser.scripted import ScriptedUnit

IN_PLAY: dict[str, list[dict[str, Any]]] = {
    "triple-play": [
        {"event": "round-started", "mode": "timer"}, {"event": "played", "pile": 2, "count": 3},
        {"event": "turn", "lit": [1, 3]}, {"state": "playing"}, {"display": "9"},
        {"lights": {"pile1": "white", "pile3": "white", "counter1": "green", "counter2": "yellow slow-blink",
                    "counter3": "red fast-blink"}}],
    "master": [{"event": "turn"}, {"state": "running"}, {"lights": {"timer": "red"}}, {"display": "5"}],
    "spin": [{"event": "result", "icon": "war", "number": 5, "virtual": False}, {"state": "result"},
             {"lights": {"seg5": "yellow"}}, {"display": "HIGH"}],
    "party": [{"event": "linked", "a": 2, "b": 4}, {"state": "clockwise"}, {"display": ""},
              {"lights": {**{f"seat{n}": "green chase" for n in range(1, 9)}, "seat2": "purple", "seat4": "purple"}}],
}
SWITCHES = {"triple-play": {"power": "on", "timer": "on"}, "master": {"speed": "6"}, "spin": {"power": "on"},
            "party": {"power": "on"}}
WAR_SLOT = 18    # in the middle of the fifth of nine icons, four slots each
DESKTOP = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}


def moment_state(moment: list[dict[str, Any]]) -> str:
    """The state that a moment reports."""
    return next(str(output["state"]) for output in moment if "state" in output)


def slide(page: Any, unit: ScriptedUnit, switches: dict[str, str]) -> None:
    """Put the switches where they stand in play."""
    for switch, to in switches.items():
        if f"{switch} {to}" not in unit.done:
            page.locator(f"[data-switch={switch}] button").click()
            page.wait_for_selector(f"[data-switch={switch}] :is([aria-checked=true], [aria-valuenow='1'])")


def turn_wheel(page: Any, slot: int) -> None:
    """Turn the wheel clockwise by keyboard until its arrow stands on the middle of *slot*, counted from slot 0."""
    for _ in range(slot):
        page.locator(".rotor").press("ArrowRight")
    page.locator(".rotor").blur()


def hold_still(page: Any) -> None:
    """Let what slides arrive, and stop what blinks while it is on."""
    page.evaluate("""() => Promise.all(document.getAnimations().map(run => {
        if (run instanceof CSSTransition) return run.finished;
        run.pause();
        run.currentTime = 10;
    }))""")


def take(folder: Path) -> None:
    """Write `panel-UNIT.jpg` and `panel-UNIT-phone.jpg` into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        phone = {**playwright.devices["Pixel 7"], "color_scheme": "light", "device_scale_factor": 2}
        for name, moment in IN_PLAY.items():
            with ScriptedUnit(name) as unit:
                for suffix, options in (("", DESKTOP), ("-phone", phone)):
                    page = chromium.new_context(**options).new_page()
                    page.add_init_script(f"localStorage.setItem('pilelight.steps.{name}', 'known')")
                    page.goto(unit.url)
                    page.wait_for_selector("#unit[data-link=open] .case")
                    slide(page, unit, SWITCHES[name])
                    if name == "spin" and not suffix:   # the page on the phone follows
                        turn_wheel(page, WAR_SLOT)
                    unit.show(*moment)
                    page.wait_for_selector(f"#prompt[data-state={moment_state(moment)}]")
                    hold_still(page)
                    page.screenshot(path=folder / f"panel-{name}{suffix}.jpg", quality=82)
                    page.context.close()
        take_patterns(chromium, folder)
        take_what_opens(chromium, phone, folder)
        chromium.close()


def take_patterns(chromium: Any, folder: Path) -> None:
    """Write `panel-colour-patterns.jpg`: the three piles with a texture and a sign for each colour."""
    with ScriptedUnit("triple-play", common={"colour_patterns": True}) as unit:
        page = chromium.new_context(**DESKTOP).new_page()
        page.add_init_script("localStorage.setItem('pilelight.steps.triple-play', 'known')")
        page.goto(unit.url)
        page.wait_for_selector("#unit[data-link=open] .case")
        slide(page, unit, SWITCHES["triple-play"])
        unit.show(*IN_PLAY["triple-play"], {"lights": {"pile2": "red flash"}})
        page.wait_for_selector("[data-input=pile2][data-colour=red]")
        hold_still(page)
        page.screenshot(path=folder / "panel-colour-patterns.jpg", quality=82)
        page.context.close()


def take_what_opens(chromium: Any, phone: dict[str, Any], folder: Path) -> None:
    """Write `panel-home.jpg`, `panel-settings.jpg` and `panel-settings-phone.jpg`, of the program that people start."""
    words = [sys.executable, "-m", "firmware", "play", "--board", "panel", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr is not None
        url = next(line.split()[-1] for line in program.stderr if line.startswith("playing on "))
        page = chromium.new_context(**DESKTOP).new_page()
        page.goto(url)
        page.wait_for_selector("#home[open]")
        page.screenshot(path=folder / "panel-home.jpg", quality=82)
        page.locator("[data-unit=triple-play]").click()
        page.wait_for_selector("#home", state="hidden")
        page.context.close()
        for suffix, options in (("", DESKTOP), ("-phone", phone)):
            page = chromium.new_context(**options).new_page()
            page.add_init_script("localStorage.setItem('pilelight.steps.triple-play', 'known')")
            page.goto(url)
            page.wait_for_selector("#unit[data-link=open] .case")
            page.locator("#open-settings").click()
            page.wait_for_selector("#settings:not([hidden])")
            page.screenshot(path=folder / f"panel-settings{suffix}.jpg", quality=82)
            page.context.close()
        program.send_signal(signal.SIGINT)


if __name__ == "__main__":
    take(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
