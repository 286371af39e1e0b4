"""`pilelight panel` beside `pilelight play`: two programs that find each other, and a code that stays."""

import json
import re
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from firmware.boards import panel_users
from firmware.cli import main
from hal.errors import BadSetting
from hal.panel.access import kept, renewed
from tests.browser.raw_page import RawPage


@contextmanager
def program(*words, status=0):
    """Run `pilelight WORDS`; it is ended as a service manager does that."""
    command = [sys.executable, "-m", "firmware", *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as running:
        try:
            yield running
        finally:
            running.send_signal(signal.SIGTERM)
            _, said = running.communicate(timeout=20)
        assert running.returncode == status and "Traceback" not in said, said


def line_with(running, text):
    for line in running.stderr:
        if text in line:
            return line.strip()
    raise AssertionError(f"it never said {text}")


def moved_until(game, page, key):
    """Move the unit's switch to and fro until the page is told something with *key*; that."""
    for number in range(10_000):
        game.stdin.write(f'{{"t": {number}, "switch": "speed", "to": "{4 + 2 * (number % 2)}"}}\n')
        game.stdin.flush()
        if key in (message := page.read()):
            return message
    raise AssertionError(f"never {key}")


def test_the_panel_shows_the_unit_whenever_it_plays_and_begins_its_record(tmp_path):
    place = tmp_path / "panel.sock"
    play = ("play", "master", "--board", "virtual", "--panel-socket", place)
    with program("panel", "master", "--socket", place, "--port", "0") as panel:
        url = re.search(r"http://\S+", line_with(panel, "shown on")).group()
        with RawPage(url) as page:
            assert (page.hello["away"], page.hello["header"]["unit"]) == (True, "master")
            for _ in range(2):
                with program(*play) as game:
                    while "away" in (hello := page.read_until("hello")):
                        pass
                    assert hello["settings"] and hello["recording"] is False
                    page.say({"settings": {"master": {"speeds": [5, 7, 9]}}})
                    assert page.read_until("error")["error"].endswith("must be as it is wired, until it starts anew")
                    page.say({"settings": {"master": {"penalty_cards": 4}}})
                    hello = moved_until(game, page, "hello")    # the board hears of it between two lines of its script
                    assert hello["header"]["settings"]["master"]["penalty_cards"] == 4
                assert page.read_until("hello")["away"] is True
    assert not place.exists()


def test_a_place_that_cannot_be_does_not_keep_the_unit_from_playing(tmp_path):
    with program("play", "master", "--board", "virtual", "--panel-socket", tmp_path / "none" / "panel.sock") as game:
        assert "no panel can come here: No such file or directory" in line_with(game, "no panel")


def test_token_and_pin_stay_over_a_restart_until_they_are_renewed(tmp_path):
    first = kept(tmp_path / "access.json")
    assert kept(tmp_path / "access.json") == first and first.host == "0.0.0.0" and not first.guests_press
    assert stat.S_IMODE((tmp_path / "access.json").stat().st_mode) == 0o600
    (tmp_path / "access.json.new").write_text("left by a pulled plug")
    second = renewed(tmp_path / "access.json")
    assert {first.token, first.pin}.isdisjoint({second.token, second.pin})
    assert kept(tmp_path / "access.json") == second


GOOD = "abcdefghijklmnop"


def test_panels_that_start_together_have_the_same_code(tmp_path):
    """Those of two units on one board, which share the folder, at their very first start."""
    found = []
    panels = [threading.Thread(target=lambda: found.append(kept(tmp_path / "access.json"))) for _ in range(16)]
    for panel in panels:
        panel.start()
    for panel in panels:
        panel.join()
    assert set(found) == {kept(tmp_path / "access.json")} and len(found) == len(panels)


@pytest.mark.parametrize("content", [
    *("", "[]", "{}", '{"token": "a"}', "[" * 900, "\0" * 64),
    '{"token": null, "pin": null}', '{"token": "", "pin": ""}', '{"token": "a", "pin": "123456"}',
    json.dumps({"token": GOOD, "pin": ""}), json.dumps({"token": GOOD, "pin": "12345"}),
    json.dumps({"token": GOOD, "pin": 123456}), json.dumps({"token": [GOOD], "pin": "123456"}),
    json.dumps({"token": GOOD + "\r\n", "pin": "123456"}), json.dumps({"token": "\ud800" * 16, "pin": "123456"}),
])
def test_a_damaged_code_is_said_with_its_cure(tmp_path, content):
    (tmp_path / "access.json").write_text(content)
    with pytest.raises(BadSetting, match="make new ones with --renew"):
        kept(tmp_path / "access.json")


def test_a_new_code_is_made_on_demand(tmp_path, capsys):
    assert main(["panel", "spin", "--state", str(tmp_path), "--renew"]) == 0
    assert json.loads((tmp_path / "access.json").read_text()).keys() == {"token", "pin"}
    assert "hold when the panel starts next" in capsys.readouterr().err


@pytest.mark.parametrize("words, said", [
    (["--renew"], "--renew: name the directory with --state"),
    (["--lan", "--state", "/nonexistent"], "--state /nonexistent: token and PIN cannot be kept: No such file"),
])
def test_what_cannot_be_is_said(words, said, capsys):
    assert main(["panel", "spin", *words]) == 2
    assert said in capsys.readouterr().err


def test_with_lan_the_code_is_printed_and_the_owner_is_who_enters_the_pin(tmp_path, monkeypatch):
    with program("panel", "spin", "--lan", "--port", "0", "--state", tmp_path, "--socket", tmp_path / "none") as panel:
        try:
            url = line_with(panel, "for phones").split()[-1]
        except AssertionError:
            pytest.fail("this needs a machine that is in a network")
        pin = line_with(panel, "PIN").split()[-1]
    access = kept(tmp_path / "access.json")
    assert (url.partition("token=")[2], pin) == (access.token, access.pin)


def test_root_we_and_the_user_of_the_panel_may_come(monkeypatch):
    assert {0} <= panel_users()
    monkeypatch.setattr("pwd.getpwnam", lambda name: {"pilelight-panel": type("Entry", (), {"pw_uid": 4711})}[name])
    assert 4711 in panel_users()
