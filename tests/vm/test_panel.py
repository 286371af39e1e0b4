"""The page as a service of its own, beside a game that has no network: who may come, who may die."""

import json
import shlex
from pathlib import Path

import pytest

from tests.vm.machine import SERVICE

pytestmark = pytest.mark.vm

PANEL = "pilelight-panel@triple-play"
PLACE = "/run/pilelight/triple-play/panel.sock"
PYTHON = "/opt/pilelight/bin/python"
RAW_PAGE = Path(__file__).parents[1] / "browser" / "raw_page.py"
FETCH = """
import sys, urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8765/" + sys.argv[1]).read().decode())
"""
WISH = """
import json, sys
sys.path.insert(0, "/run/unit")
from raw_page import RawPage
with RawPage("http://127.0.0.1:8765/", timeout_s=60) as page:
    page.say(json.loads(sys.argv[1]))
    message = page.hello
    while not (sys.argv[2] in message and (sys.argv[2] != "hello" or message is not page.hello)):
        message = page.read()
print(json.dumps(message))
"""
KNOCK = f"import socket; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect('{PLACE}')"


@pytest.fixture(scope="module")
def panel(machine):
    """The panel's service, running."""
    machine.ask(write="/run/unit/raw_page.py", text=RAW_PAGE.read_text())
    machine.ask(write="/run/unit/wish.py", text=WISH)
    machine.run(f"systemctl start {PANEL}", 300)
    yield machine
    machine.run(f"systemctl stop {PANEL}")


def unit_seen(machine):
    """Return what a page is told of the unit."""
    return json.loads(machine.run(f"{PYTHON} -c {shlex.quote(FETCH)} unit.json"))


def comes_back(machine, within_s=120):
    """Wait until pages show a unit that is there."""
    ask = f"{PYTHON} -c {shlex.quote(FETCH)} unit.json | grep -v '\"away\": true'"
    return json.loads(machine.wait_for(ask, within_s))


def wish(machine, what, answer="hello"):
    """Have a page of the machine's own wish for something; return what it is told then."""
    return json.loads(machine.run(f"{PYTHON} /run/unit/wish.py {shlex.quote(json.dumps(what))} {answer}"))


def test_the_page_shows_the_unit_and_its_owner_records_it(table, panel):
    comes_back(panel)
    table.start_round()
    table.sees(lambda: unit_seen(panel)["snapshot"]["state"], "playing")
    assert wish(panel, {"press": "go"}, "error")["error"].endswith("use the unit's own buttons")
    assert wish(panel, {"unit": "spin"}, "error")["error"].startswith("this unit is wired as it is")
    assert wish(panel, {"record": "start"})["recording"] is True
    table.hears(event="resumed")
    table.tap("pile1")
    table.hears(event="played")
    lines = panel.run(f"{PYTHON} -c {shlex.quote(FETCH)} record.jsonl").splitlines()
    assert [json.loads(line).get("event") for line in lines].count("played") == 1
    told = wish(panel, {"settings": {"triple_play": {"timeout_cards": 9}}})
    assert told["header"]["settings"]["triple_play"]["timeout_cards"] == 9


def test_whoever_of_the_two_dies_the_other_goes_on_and_they_find_each_other_again(table, panel):
    """C-5: the game's process is the same, the round goes on, no press is lost."""
    comes_back(panel)
    table.start_round()
    before = table.pid()
    panel.run(f"kill -9 $(systemctl show -p MainPID --value {PANEL})")
    table.tap("pile1")
    table.hears(event="played")
    panel.wait_for(f"[ $(systemctl show -p NRestarts --value {PANEL}) -ge 1 ] && systemctl is-active {PANEL}", 300)
    assert comes_back(panel)["snapshot"]["state"] == "playing"
    assert (table.pid(), panel.property("NRestarts")) == (before, "0")

    panel.run(f"kill -STOP $(systemctl show -p MainPID --value {PANEL})")
    table.tap("pile2")
    table.hears(event="played")
    panel.run(f"kill -CONT $(systemctl show -p MainPID --value {PANEL})")

    panel.run(f"systemctl stop {SERVICE}")
    table.sees(lambda: unit_seen(panel).get("away"), True)
    assert panel.property("StatusText", PANEL).startswith("the unit is away")
    panel.run(f"systemctl start {SERVICE}")
    table._read = 0
    table.power_off()
    table.power_on()
    comes_back(panel)
    table.sees(lambda: unit_seen(panel)["snapshot"]["state"], "standby")


def test_nobody_else_comes_to_the_game_and_the_panel_gets_nowhere_else(table, panel):
    """The file's rights first, then the kernel's word for who it is; the panel's own sandbox."""
    assert panel.run(f"stat -c '%U %G %a' {PLACE}") == "pilelight pilelight 660"
    denied = panel.run(f"runuser -u nobody -- {PYTHON} -c {shlex.quote(KNOCK)}", status=1)
    assert "PermissionError" in denied
    panel.run("usermod -aG pilelight games")
    panel.run(f"systemctl stop {PANEL}")
    panel.run(f"runuser -u games -- {PYTHON} -c {shlex.quote(KNOCK)}")
    panel.wait_for(f"journalctl -o cat -u {SERVICE} | grep -F 'user 5 may not show this unit'")
    panel.run(f"gpasswd -d games pilelight; systemctl start {PANEL}", 300)
    inside = f"nsenter -t $(systemctl show -p MainPID --value {PANEL}) -m"
    assert "Permission denied" in panel.run(
        f"{inside} runuser -u pilelight-panel -- ls /var/lib/pilelight 2>&1", status=2)
    assert panel.run(f"{inside} ls /dev").split() and "gpiochip0" not in panel.run(f"{inside} ls /dev").split()
    assert panel.run("ss -ltn 2>/dev/null | grep -c 8765 || grep -c ':223D' /proc/net/tcp") != "0"
    assert "0100007F:223D" in panel.run("cat /proc/net/tcp"), "on this machine only"
    assert "00000000:223D" not in panel.run("cat /proc/net/tcp")
