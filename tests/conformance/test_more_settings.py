"""Settings: defaults, `--set` and `--config`, and what is wrong with them (docs/spec/bench.md and the units' pages)."""

import json
import subprocess

import pytest
from bench_client import SEED, WALL, Bench, arguments, plus, run_script

UNIT = "triple-play"
DEFAULTS = {
    "triple-play": {
        "overload_presses": [4, 8], "penalty_odds": [1, 1, 1, 1], "lit_odds": [20, 50, 30], "turn_seconds": 10,
        "timeout_cards": 6, "tick_seconds": 3, "hold_to_clear": 2, "warn_clear": 1, "hold_for_volume": 3,
        "hold_for_new_round": 6, "volume_idle": 2, "strip_after": 20},
    "master": {
        "speeds": [4, 6, 8], "penalty_cards": 2, "tick_seconds": 3, "hold_to_pause": 1, "hold_to_switch_off": 3,
        "double_slap": 0.25, "off_after": 300},
    "spin": {
        "at_rest": 0.8, "min_turns": 1, "show_hand_seconds": 10, "war_seconds": 3, "virtual_spin": [2.5, 4],
        "hold_for_volume": 3, "volume_idle": 2},
    "party": {"players": 8, "hold_to_link": 1, "hold_for_volume": 3, "give_up": 20, "sleep_after": 300},
}
ICONS = [("shout", "CALL", "white"), ("discard-color", "COL", "green"), ("draw-blue", "bLUE", "blue"),
         ("draw-red", "rEd", "red"), ("war", "HIGH", "yellow"), ("discard-number", "123", "purple"),
         ("show-hand", "OPEn", "white"), ("trade-hands", "PASS", "yellow"), ("keep-two", "2", "purple")]


def start(unit, *args):
    """Start a bench with these arguments as they are, end its input; status, stdout, stderr."""
    done = subprocess.run(arguments(unit, SEED, args=args), input=b"", capture_output=True, timeout=WALL)
    return done.returncode, done.stdout, done.stderr


def refused(unit, *args):
    """Return the message of a bench that must not start."""
    status, out, err = start(unit, *args)
    assert (status, out) == (2, b""), f"{args}: status {status}, stdout {out[:200]!r}, stderr {err[:200]!r}"
    assert err.strip(), "nothing on stderr"
    assert b"Traceback" not in err
    return err.decode()


@pytest.mark.parametrize("unit", DEFAULTS)
def test_the_defaults_of_the_spec(unit):
    """BENCH C-23 the first line shows every setting of the spec with its default."""
    settings = run_script(unit, []).header["settings"]
    common = {"debounce": 0.03, "stuck_after": 10, "sleep_after": 120, "volume": 3, "brightness": 1,
              "colour_patterns": False}
    assert {name: settings["common"].get(name) for name in common} == common
    own = settings[unit.replace("-", "_")]
    assert {name: own.get(name) for name in DEFAULTS[unit]} == DEFAULTS[unit]


def test_the_default_icons():
    """BENCH SP-3 the nine icons of the spec, in their order."""
    icons = run_script("spin", []).header["settings"]["spin"]["icons"]
    assert [(icon["id"], icon["code"], icon["colour"]) for icon in icons] == ICONS


@pytest.mark.parametrize("argument", [
    "triple_play.turn_seconds", "turn_seconds=6", "=6", "triple_play.turn_seconds=", "triple_play.turn_seconds=ten",
    "triple_play.turn_seconds=[10]", "triple_play.turn_seconds=true", "triple_play.turn_seconds=null",
    "triple_play.turn_seconds=NaN", "triple_play.turn_seconds=Infinity", "triple_play.turn_seconds=-1",
    "triple_play.turn_seconds=0", 'triple_play.turn_seconds="10"', "triple_play.turn_seconds={}",
    "triple_play.overload_presses=5", "triple_play.overload_presses=[5]", "triple_play.overload_presses=[4,8,9]",
    "triple_play.overload_presses=[8,4]", "triple_play.overload_presses=[4.5,8]", "triple_play.overload_presses=[1,1]",
    "triple_play.overload_presses=[21,21]", 'triple_play.overload_presses=["4","8"]',
    "triple_play.penalty_odds=[1,1,1]", "triple_play.penalty_odds=[1,1,1,1,1]", "triple_play.penalty_odds=[0,0,0,0]",
    "triple_play.penalty_odds=[1,1,1,-1]", "triple_play.lit_odds=[0,0,0]", "triple_play.lit_odds=[1,2]",
    "triple_play.lit_odds=[1,2,true]", "triple_play.lit_odds=[-1,2,3]", "triple_play.strip_after=0",
    "triple_play.strip_after=2.5", "triple_play.hold_to_clear=-2", "triple_play.timeout_cards=\"six\"",
    "common.volume=6", "common.volume=-1", "common.volume=2.5", "common.volume=true", "common.debounce=-0.01",
    "common.sleep_after=\"never\"", "common.loudness=3", "common.brightness=0", "common.brightness=0.04",
    "common.brightness=1.01", "common.brightness=true", 'common.brightness="dim"', "common.colour_patterns=1",
    'common.colour_patterns="on"', "common.colour_patterns=null", "triple_pla.turn_seconds=6",
    "triple-play.turn_seconds=6",
    "triple_play.turn_seconds.x=6", "triple_play=6", "triple_play.TURN_SECONDS=6",
])
def test_a_set_that_is_wrong(argument):
    """BENCH a wrong --set: a message on stderr, status 2, no first line."""
    refused(UNIT, "--set", argument)


@pytest.mark.parametrize("unit, argument", [
    ("party", "party.players=5"), ("party", "party.players=17"), ("party", "party.players=8.5"),
    ("master", "master.speeds=[]"), ("master", "master.speeds=6"), ("master", "master.speeds=[0,6]"),
    ("master", 'master.speeds=["6"]'), ("master", "master.double_slap=-1"),
    ("spin", "spin.virtual_spin=[4,2.5]"), ("spin", "spin.virtual_spin=3"), ("spin", "spin.icons=[]"),
    ("spin", 'spin.icons=[{"id":"a","code":"A","colour":"red"}]'), ("spin", 'spin.icons=["a","b"]'),
    ("spin", 'spin.icons=[{"id":"a","code":"A","colour":"pink"},{"id":"b","code":"B","colour":"red"}]'),
    ("spin", 'spin.icons=[{"id":"a","code":"ABCDE","colour":"red"},{"id":"b","code":"B","colour":"red"}]'),
    ("spin", 'spin.icons=[{"id":"a","code":"A"},{"id":"b","code":"B","colour":"red"}]'),
    ("spin", "spin.icons=" + json.dumps([{"id": f"i{n}", "code": str(n), "colour": "red"} for n in range(13)])),
])
def test_a_set_of_another_unit_that_is_wrong(unit, argument):
    """BENCH C-23 players, speeds, icons and lengths that cannot be: status 2 and a message."""
    refused(unit, "--set", argument)


def test_the_message_names_what_is_wrong():
    """BENCH the message of a wrong --set names the setting, and a misspelt section or name is repeated."""
    assert "turn_secs" in refused(UNIT, "--set", "triple_play.turn_secs=6")
    assert "turn_seconds" in refused(UNIT, "--set", "triple_play.turn_seconds=-3")
    assert "overload_presses" in refused(UNIT, "--set", "triple_play.overload_presses=[1,4]")


@pytest.mark.parametrize("name, value", [
    ("hold_to_clear", 1), ("overload_presses", [2, 20]), ("overload_presses", [7, 7]), ("tick_seconds", 0),
    ("penalty_odds", [0, 0, 0, 1]), ("lit_odds", [1, 2, 3]),
])
def test_a_set_that_is_right(name, value):
    """BENCH a value is JSON, blanks and all; the ends of a range belong to it."""
    status, out, _ = start(UNIT, "--set", f"triple_play.{name}= {json.dumps(value)} ")
    assert status == 0 and json.loads(out)["settings"]["triple_play"][name] == value


def test_many_sets():
    """BENCH --set may be given several times, for each section."""
    status, out, _ = start(UNIT, "--set", "triple_play.turn_seconds=7", "--set", "common.volume=1",
                           "--set", "triple_play.timeout_cards=2")
    settings = json.loads(out)["settings"]
    assert status == 0 and settings["common"]["volume"] == 1
    assert (settings["triple_play"]["turn_seconds"], settings["triple_play"]["timeout_cards"]) == (7, 2)


def test_a_config_file(tmp_path):
    """BENCH --config: the sections of the spec in TOML; --set goes over it."""
    file = tmp_path / "table.toml"
    file.write_text("[common]\nvolume = 1\n\n[triple_play]\nturn_seconds = 6\ntimeout_cards = 3\n", encoding="utf-8")
    with Bench(UNIT, args=["--config", file], settings={"triple_play.timeout_cards": 5}) as b:
        begun = b.start_round(timer=True)
        answer = b.run_until(plus(begun, 6))
        assert answer.event("timeout") == {"t": plus(begun, 6), "event": "timeout", "draw": 5}
        assert {o["volume"] for o in b.tones} == {1}


def test_an_empty_config_file(tmp_path):
    """BENCH nothing in it: the defaults."""
    file = tmp_path / "empty.toml"
    file.write_text("", encoding="utf-8")
    status, out, _ = start(UNIT, "--config", file)
    assert status == 0 and out == start(UNIT)[1]


@pytest.mark.parametrize("text", [
    b"[triple_play\nturn_seconds = 6\n", b"[triple_play]\nturn_secs = 6\n", b'[triple_play]\nturn_seconds = "long"\n',
    b"[triple_play]\noverload_presses = [1, 4]\n", b"[nothing]\nx = 1\n", b"\xff\xfe\n", b"turn_seconds = 6\n",
    b"triple_play = 5\n", b"[triple_play]\nturn_seconds = 6\nturn_seconds = 7\n",
    b"[triple_play]\nturn_seconds = nan\n",
    b"[common]\nvolume = 9\n", b"[triple_play]\nturn_seconds = 2026-11-30\n",
])
def test_a_config_file_that_is_wrong(tmp_path, text):
    """BENCH broken TOML, wrong names, wrong kinds: a message that names the file, status 2, no first line."""
    file = tmp_path / "wrong.toml"
    file.write_bytes(text)
    assert "wrong.toml" in refused(UNIT, "--config", file)


def test_a_config_file_that_is_none(tmp_path):
    """BENCH a file that is not there, and a folder: a message, status 2, no first line."""
    assert "nowhere.toml" in refused(UNIT, "--config", tmp_path / "nowhere.toml")
    refused(UNIT, "--config", tmp_path)


def test_a_set_does_not_heal_a_wrong_config_file(tmp_path):
    """BENCH what is wrong in the file is told, also where --set would replace it."""
    file = tmp_path / "wrong.toml"
    file.write_text('[triple_play]\nturn_seconds = "long"\n', encoding="utf-8")
    refused(UNIT, "--config", file, "--set", "triple_play.turn_seconds=6")
