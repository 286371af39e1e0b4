"""A record begun and ended on the page, saved, watched, and watched again from a file."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.browser


def tap(page, key):
    """Tap a key as a hand does: slower than a contact bounces (C-11)."""
    page.keyboard.press(key, delay=50)
    page.evaluate("() => new Promise(done => setTimeout(done, 50))")


def button(page, name):
    return page.get_by_role("button", name=name)


def recorded_round(page):
    """Begin a record, start a round, change a setting and turn to another unit; then end the record."""
    button(page, "Begin a record").click()
    page.wait_for_selector("[data-recording=true]")
    page.get_by_role("switch", name="Power").click()
    page.wait_for_selector(".display[data-text='-']")
    tap(page, " ")
    tap(page, " ")
    page.wait_for_selector(".pad[data-colour=white]")
    page.locator("#open-home").click()
    page.locator("[data-unit=master]").click()
    page.wait_for_selector(".case.master")
    tap(page, " ")
    page.wait_for_selector(".halo[data-colour=red]")
    button(page, "End the record").click()
    page.wait_for_selector("[data-recording=false]")


def test_a_record_goes_over_two_units_is_saved_and_replays(play, open_page, tmp_path):
    page = open_page(play("triple-play"))
    recorded_round(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save it").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "record.jsonl"
    headers = [line for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if "bench" in line]
    assert [header["unit"] for header in headers] == ["triple-play", "master"]
    replayed = subprocess.run([sys.executable, "-m", "firmware", "replay", file], capture_output=True, text=True)
    assert (replayed.returncode, replayed.stderr) == (0, "")


def test_it_is_watched_on_the_page_with_each_unit_drawn_in_its_time(play, open_page):
    page = open_page(play("triple-play"))
    recorded_round(page)
    button(page, "Watch it").click()
    page.wait_for_selector("#replay:not([hidden])")
    page.wait_for_selector(".case.triple")
    slider = page.locator("#replay input")
    slider.evaluate("slider => { slider.value = slider.max; slider.dispatchEvent(new Event('input')); }")
    page.wait_for_selector(".case.master .halo[data-colour=red]")
    slider.evaluate("slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); }")
    page.wait_for_selector(".case.triple")
    button(page, "Back to the unit").click()
    page.wait_for_selector(".case.master")


def test_a_replay_that_fails_says_how_to_watch_it_and_that_shows_it(play, open_page, tmp_path):
    page = open_page(play("triple-play"))
    recorded_round(page)
    lines = page.evaluate("async () => (await (await fetch('/record.jsonl')).text())").splitlines()
    at = next(number for number, line in enumerate(lines) if '"ready"' in line)
    lines[at] = lines[at].replace('"ready"', '"playing"')
    file = tmp_path / "a round.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    replayed = subprocess.run([sys.executable, "-m", "firmware", "replay", file], capture_output=True, text=True)
    assert replayed.returncode == 1
    assert replayed.stdout.splitlines()[-1] == f"  watch it: pilelight play --watch '{file}'"

    watched = open_page(play(None, "--watch", str(file)))
    watched.wait_for_selector("#replay:not([hidden])")
    assert watched.locator("#home").is_hidden() and watched.locator("#replay").is_visible()
    watched.reload()
    watched.wait_for_selector("#replay:not([hidden])")
    watched.get_by_role("button", name="Back to the unit").click()
    watched.wait_for_selector("#prompt:text-is('Switch the power on.')")


@pytest.mark.parametrize("text, why", [
    (None, "cannot be read: No such file or directory"),
    ("", "not a record: its first line names none of triple-play, master, spin, party"),
    ('{"unit": "chess"}\n', "not a record: its first line names none of triple-play, master, spin, party"),
    ('{"unit": ["spin"]}\n', "not a record: its first line names none of triple-play, master, spin, party"),
])
def test_a_file_that_is_no_record_is_not_watched(tmp_path, text, why):
    file = tmp_path / "round.jsonl"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    watched = subprocess.run(
        [sys.executable, "-m", "firmware", "play", "--watch", file], capture_output=True, text=True)
    assert (watched.returncode, watched.stderr) == (2, f"--watch {file}: {why}\n")


def test_a_damaged_line_is_said_when_the_file_is_watched(play, open_page, tmp_path):
    file = tmp_path / "round.jsonl"
    file.write_text('{"bench": 1, "unit": "spin", "settings": {}}\nnonsense\n{"t": 1, "state": "off"}\n',
                    encoding="utf-8")
    page = open_page(play(None, "--watch", str(file)))
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text() == "round.jsonl, line 2: not JSON."
    page.wait_for_selector(".case.spin")
