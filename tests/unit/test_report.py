"""A maker writes a bug report: one file, everything in it that is asked for first, and nobody's password."""

import argparse
import io
import json
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest

from firmware import __version__
from firmware.report import LOG_LINES, collect, journal, masked, without_secrets, write
from hal.panel.access import print_code
from tests.machines import PI_4, FakePi
from wiring.load import load_unit

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 18, 5, tzinfo=UTC)


@pytest.fixture
def pi4(tmp_path):
    return FakePi(tmp_path / "pi", PI_4)


def nothing_logged():
    return "-- No entries --\n"


def pages(pi, read_journal=nothing_logged, **options):
    given = {"unit": "triple-play", "state": None, "config": None, "log": None, "record": None, **options}
    return collect(pi.place(), load_unit("triple-play"), argparse.Namespace(**given), NOW, read_journal,
                   home=pi.root / "home")


# -- what is in it ---------------------------------------------------------------------------------------------------


def test_what_a_report_begins_with(pi4):
    pi4.on_bus = []
    report = pages(pi4)["report.txt"].splitlines()
    assert report[0] == f"pilelight {__version__}, 2026-11-30 18:05 UTC"
    assert report[2:5] == ["unit: triple-play", "not in here: the log: the service has written none", ""]
    assert report[5] == "ok       board             Raspberry Pi 4 Model B Rev 1.4 (rpi4)"
    assert "failure  i2c               HT16K33 does not answer at 0x70 (display)" in report
    assert report[-1] == "1 failure, no warnings"


def test_the_doctor_is_in_it_for_programs_as_well(pi4):
    data = json.loads(pages(pi4)["doctor.json"])
    assert (data["unit"], data["fine"], data["lines"][0]["topic"]) == ("triple-play", True, "board")


def test_every_library_is_in_it_with_its_version(pi4):
    versions = pages(pi4)["versions.txt"].splitlines()
    assert f"gpiozero {version('gpiozero')}" in versions
    assert versions == sorted(versions, key=lambda line: line.split()[0].lower())


def test_the_settings_of_the_service_and_those_that_are_named(pi4, tmp_path):
    pi4.write("/etc/pilelight/settings.toml", "[common]\nvolume = 2\n[panel]\npin = \"4711\"\nhost = \"::\"\n")
    pi4.write("/var/lib/pilelight/spin.settings.toml", "[spin]\nat_rest = 0.5\n")
    pi4.write("/etc/pilelight/wiring.toml", "[contacts]\ngo = { gpio = 23, ground_pin = 20 }\n")
    pi4.write("/etc/pilelight/broken.toml", "wifi_password = \"hunter2\nvolume = 3\n")
    mine = tmp_path / "mine.toml"
    mine.write_text("[triple_play]\nturn_seconds = 6\n[mqtt]\npassword = 'x'\n")
    told = pages(pi4, config=str(mine))["settings.json"]
    settings = json.loads(told)
    assert settings.pop("etc/pilelight/broken.toml").startswith("not readable: not TOML: ")
    assert settings == {
        "etc/pilelight/settings.toml": {"common": {"volume": 2}, "panel": {"pin": "(left out)", "host": "::"}},
        "etc/pilelight/wiring.toml": {"contacts": {"go": {"gpio": 23, "ground_pin": 20}}},
        "var/lib/pilelight/spin.settings.toml": {"spin": {"at_rest": 0.5}},
        str(mine): {"triple_play": {"turn_seconds": 6}, "mqtt": {"password": "(left out)"}},
    }
    assert "hunter2" not in told


def test_the_settings_that_were_made_on_the_page_of_a_unit_without_a_service(pi4, tmp_path):
    (tmp_path / "spin.settings.toml").write_text("[spin]\nat_rest = 0.5\n")
    told = json.loads(pages(pi4, state=str(tmp_path))["settings.json"])
    assert told == {str(tmp_path / "spin.settings.toml"): {"spin": {"at_rest": 0.5}}}


def test_the_last_lines_of_the_log(pi4, tmp_path):
    log = "".join(f"line {number}\n" for number in range(1, 1_000))
    told = pages(pi4, lambda: log)["log.txt"].splitlines()
    assert (len(told), told[0], told[-1]) == (LOG_LINES, f"line {1_000 - LOG_LINES}", "line 999")
    mine = tmp_path / "my.log"
    mine.write_bytes(b"the strip went dark\nand then\xff\n")
    assert pages(pi4, log=str(mine))["log.txt"] == "the strip went dark\nand then�\n"


def test_a_record_stays_one_that_can_be_replayed(tmp_path):
    record, output = tmp_path / "round.jsonl", tmp_path / "report.zip"
    lines = [{"t": 0, "switch": "power", "to": "on"}, {"t": 1, "tap": "go"}, {"t": 2, "tap": "go"}]
    play = [sys.executable, "-m", "firmware", "play", "triple-play", "--board", "virtual", "--record", record]
    subprocess.run(play, input="".join(json.dumps(line) + "\n" for line in lines), text=True, cwd=ROOT, check=True,
                   capture_output=True, timeout=60)
    report("triple-play", "--record", record, "--output", output)
    with zipfile.ZipFile(output) as file:
        file.extract("record.jsonl", tmp_path)
    assert (tmp_path / "record.jsonl").read_bytes() == record.read_bytes()
    done = subprocess.run([sys.executable, "-m", "firmware", "replay", tmp_path / "record.jsonl"], cwd=ROOT, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout


# -- what is not in it -----------------------------------------------------------------------------------------------


def test_whose_home_it_was_is_not_told(pi4):
    told = pages(pi4)
    assert "ok       lgpio's directory ~ is writable" in told["report.txt"].splitlines()
    assert not [name for name, text in told.items() if str(pi4.root / "home") in text]


def test_what_cannot_be_had_is_said(pi4, tmp_path):
    def no_journal():
        raise FileNotFoundError(2, "No such file or directory", "journalctl")

    told = pages(pi4, no_journal, record=str(tmp_path / "gone.jsonl"))
    assert [line for line in told["report.txt"].splitlines() if line.startswith("not in here")] == [
        "not in here: the log (journalctl: No such file or directory)",
        f"not in here: the record ({tmp_path}/gone.jsonl: No such file or directory)",
    ]
    assert list(told) == ["report.txt", "doctor.json", "versions.txt", "settings.json"]


def test_a_record_too_large_to_attach(pi4, tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.report.LARGEST_RECORD", 1_000_000)
    record = tmp_path / "long.jsonl"
    record.write_text("x" * 2_000_000)
    told = pages(pi4, record=str(record))
    assert f"not in here: the record ({record}: 2 MB; attach it yourself)" in told["report.txt"].splitlines()


def test_secrets_among_a_records_settings_and_in_what_is_no_record(pi4, tmp_path):
    record = tmp_path / "round.jsonl"
    record.write_text('{"bench": 1, "settings": {"mqtt": {"token": "abc"}}}\n{"t": 1, "tap": "go"}\n')
    assert pages(pi4, record=str(record))["record.jsonl"] == (
        '{"bench": 1, "settings": {"mqtt": {"token": "(left out)"}}}\n{"t": 1, "tap": "go"}\n')
    record.write_text("mqtt token=abc\n")
    assert pages(pi4, record=str(record))["record.jsonl"] == "mqtt token=(left out)\n"


@pytest.mark.parametrize("key", [
    "password", "wifi_password", "mqtt-token", "PSK", "api_key", "apikey", "token_file", "pin", "owner_pin",
    "client_secret",
])  # fmt: skip
def test_a_secrets_name(key):
    assert masked({"deep": [{key: ["a", {"b": 1}]}]}) == {"deep": [{key: "(left out)"}]}


@pytest.mark.parametrize("key", ["ground_pin", "power_pin", "volume", "pins", "spin", "tokens_left", "compass"])
def test_a_name_that_is_no_secrets(key):
    assert masked({key: 7}) == {key: 7}


def test_dates_and_other_things_of_toml_are_texts():
    assert masked({"day": NOW.date(), "at": [NOW.time()]}) == {"day": "2026-11-30", "at": ["18:05:00"]}


@pytest.mark.parametrize("line, told", [
    ("mqtt: password=hunter2, port=1883", "mqtt: password=(left out), port=1883"),
    ("wifi_psk: 'a b c' set", "wifi_psk: (left out) set"),
    ("for phones: http://192.0.2.7:8765/?token=abc&x=1", "for phones: http://192.0.2.7:8765/?token=(left out)"),
    ("the owner's PIN: 123456", "the owner's PIN: (left out)"),
    ('{"access_token": "abc", "t": 1}', '{"access_token": (left out), "t": 1}'),
    ("Authorization: Bearer abc.def", "Authorization: (left out)"),
    ("open mqtt://me:hunter2@broker:1883/x", "open mqtt://(left out)@broker:1883/x"),
    ("pile1 pressed on pin 29; http://10.0.0.7:8765/", "pile1 pressed on pin 29; http://10.0.0.7:8765/"),
])  # fmt: skip
def test_secrets_in_free_text(line, told):
    assert without_secrets(line) == told


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_printed_code_is_a_secret_too(encoding):
    """A phone reads the token from it. Where a terminal cannot show blocks, they are written as escapes."""
    printed = io.StringIO()
    print_code("http://192.0.2.7:8765/?token=abcdefghijklmnop", printed)
    rows = printed.getvalue().encode(encoding, "backslashreplace").decode(encoding).splitlines()
    log = "".join(f"2026-11-30T18:05:00 unit pilelight[7]: {row}\n" for row in rows)
    assert without_secrets(log) == "2026-11-30T18:05:00 unit pilelight[7]: (left out)\n" * len(rows)


# -- the journal, the file, the command ------------------------------------------------------------------------------


def fake_journalctl(tmp_path, monkeypatch, script):
    command = tmp_path / "bin" / "journalctl"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:/usr/bin:/bin")


def test_the_journal_is_asked_for_the_units_and_no_more(tmp_path, monkeypatch):
    fake_journalctl(tmp_path, monkeypatch, 'echo "$@"')
    assert journal(3) == "--unit pilelight@* --lines 3 --no-pager --output short-iso\n"


def test_a_journal_that_refuses_or_never_answers(tmp_path, monkeypatch):
    fake_journalctl(tmp_path, monkeypatch, "echo first >&2; echo second >&2; exit 1")
    with pytest.raises(OSError, match="first"):
        journal()
    monkeypatch.setattr("firmware.report.LOG_PATIENCE_S", 0.1)
    (tmp_path / "bin" / "journalctl").write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    with pytest.raises(TimeoutError, match=r"no answer in 0\.1 s"):
        journal()


def test_half_a_report_is_never_left_behind(tmp_path):
    (tmp_path / "report.zip").mkdir()
    with pytest.raises(OSError, match="directory"):
        write(tmp_path / "report.zip", {"report.txt": "x"})
    assert [path.name for path in tmp_path.iterdir()] == ["report.zip"]


def report(*words, **given):
    return subprocess.run([sys.executable, "-m", "firmware", "report", *words], capture_output=True, text=True,
                          timeout=60, **{"cwd": ROOT, **given})


def test_the_command_says_where_it_wrote_and_what(tmp_path):
    done = report("triple-play", "--output", tmp_path / "report.zip")
    assert (done.returncode, done.stderr) == (0, "")
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        names = file.namelist()
        assert file.read("report.txt").decode().startswith(f"pilelight {__version__}, ")
    assert done.stdout == (
        f"written to {tmp_path}/report.zip: {', '.join(names)}\n"
        "It is a zip of plain texts; look at them before you attach it to a bug report.\n")


def test_without_a_name_it_is_named_by_its_time_and_put_here(tmp_path):
    done = report(cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    (written,) = tmp_path.iterdir()
    assert written.match("pilelight-report-20??????-??????.zip")
    assert done.stdout.startswith(f"written to {written.name}: report.txt, doctor.json")


@pytest.mark.parametrize("words, said", [
    (["tripel-play"], "tripel-play: there is no unit of this name; did you mean triple-play?"),
    (["--output", "/dev/null/report.zip"], "--output /dev/null/report.zip: cannot be written: Not a directory"),
])  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_line(words, said):
    done = report(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said + "\n")
