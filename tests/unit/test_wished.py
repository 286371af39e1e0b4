"""Settings that were made on a page stay made: over a restart, under a newer word in the file, and never in the way."""

import os
from pathlib import Path

import pytest

from firmware.assembly import all_settings, known_kind, sections, settings_of
from firmware.settings import SettingsError
from firmware.wished import Wished

KIND = known_kind("triple-play")
EARLIER_NS, LATER_NS = 1_000_000_000, 2_000_000_000
YEAR_2096_NS = 4_000_000_000 * 1_000_000_000


@pytest.fixture
def plain():
    return settings_of(KIND, all_settings(None, []))


@pytest.fixture
def wished(tmp_path):
    return Wished(str(tmp_path), "triple-play")


def made_on(page, plain, **changes):
    """Keep *changes* of the unit's own settings, as a page makes them."""
    page.keep({**plain, "triple_play": {**plain["triple_play"], **changes}}, plain)


def turn_seconds(page, config=None, **more):
    values = all_settings(None if config is None else str(config), [])
    return page.over(values, sections(), config and str(config), **more)["triple_play"]["turn_seconds"]


def write(path, text, at_ns):
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(at_ns, at_ns))
    return path


def test_what_was_made_is_there_again(wished, plain, tmp_path):
    made_on(wished, plain, turn_seconds=7, overload_presses=[3, 5])
    again = Wished(str(tmp_path), "triple-play").over(plain, {s: sections()[s] for s in plain})
    assert again == {**plain, "triple_play": {**plain["triple_play"], "turn_seconds": 7, "overload_presses": [3, 5]}}
    kept = (tmp_path / "triple-play.settings.toml").read_text(encoding="utf-8").splitlines()[2:]
    assert kept == ["[triple_play]", "overload_presses = [3, 5]", "turn_seconds = 7"]


def test_each_unit_has_its_own(wished, plain, tmp_path):
    made_on(wished, plain, turn_seconds=7)
    assert turn_seconds(Wished(str(tmp_path), "master")) == 10


def test_back_to_what_it_was_leaves_nothing(wished, plain, tmp_path):
    made_on(wished, plain, turn_seconds=7)
    made_on(wished, plain)
    assert list(tmp_path.iterdir()) == []


def test_who_spoke_last_about_a_setting_is_meant(wished, plain, tmp_path):
    """An older file is overruled, a newer one overrules; what the file says nothing of stays made."""
    made_on(wished, plain, turn_seconds=7, timeout_cards=2)
    os.utime(tmp_path / "triple-play.settings.toml", ns=(LATER_NS, LATER_NS))
    config = write(tmp_path / "settings.toml", "[triple_play]\nturn_seconds = 20\n", EARLIER_NS)
    assert turn_seconds(wished, config) == 7
    write(config, "[triple_play]\nturn_seconds = 25\n", LATER_NS + 1)
    values = wished.over(all_settings(str(config), []), sections(), str(config))
    assert (values["triple_play"]["turn_seconds"], values["triple_play"]["timeout_cards"]) == (25, 2)


def test_the_command_line_always_counts(wished, plain):
    made_on(wished, plain, turn_seconds=7)
    assert turn_seconds(wished, fixed={"triple_play.turn_seconds"}) == 10


@pytest.mark.parametrize("text, why", [
    ("[triple_play]\nturn_seconds = 0\n", "triple_play.turn_seconds = 0: must be seconds from 1 to 9999, like 10"),
    ("[triple_play]\nturn = 7\n", "unknown setting triple_play.turn;"),
    ("turn", "not TOML"),
    ("\0\0\0\0", "not TOML"),
    ("[triple_play]\nturn_secon", "not TOML"),
])
def test_what_cannot_be_used_is_set_aside_and_said(wished, tmp_path, capsys, text, why):
    file = tmp_path / "triple-play.settings.toml"
    file.write_text(text, encoding="utf-8")
    assert turn_seconds(wished) == 10
    said = capsys.readouterr().err
    assert why in said and f"{file}: not used; kept as triple-play.settings.damaged" in said
    assert [path.name for path in tmp_path.iterdir()] == ["triple-play.settings.damaged"]


def test_what_the_wires_cannot_do_is_set_aside(wished, plain, tmp_path, capsys):
    made_on(wished, plain, turn_seconds=7)

    def fits(values):
        if values["triple_play"]["turn_seconds"] == 7:
            raise SettingsError("the switch has three positions")

    assert turn_seconds(wished, fits=fits) == 10
    assert capsys.readouterr().err.startswith("the switch has three positions\n")
    assert not (tmp_path / "triple-play.settings.toml").exists()


def test_what_is_wrong_without_a_page_is_not_the_pages_fault(wished, plain, tmp_path):
    """Such as a mistake in the wiring file: it is said, and what was made on the page is there when it is mended."""
    made_on(wished, plain, turn_seconds=7)

    def fits(values):
        raise SettingsError("[contacts] go.gpio = 99: there is no such line")

    with pytest.raises(SettingsError, match="gpio = 99"):
        turn_seconds(wished, fits=fits)
    assert turn_seconds(wished) == 7


def test_a_board_whose_clock_is_behind_keeps_what_was_made_on_it(wished, plain, tmp_path):
    """Without a network it may begin at a day before the settings file was written."""
    config = write(tmp_path / "settings.toml", "[triple_play]\nturn_seconds = 20\n", YEAR_2096_NS)
    wished.keep({**plain, "triple_play": {**plain["triple_play"], "turn_seconds": 7}}, plain, str(config))
    assert turn_seconds(wished, config) == 7
    write(config, "[triple_play]\nturn_seconds = 25\n", YEAR_2096_NS + 1)
    assert turn_seconds(wished, config) == 25


def test_a_place_where_nothing_can_be_does_not_keep_the_unit_from_starting(plain, tmp_path):
    nowhere = Wished(str(tmp_path / ("x" * 300)), "triple-play")
    assert turn_seconds(nowhere) == 10


def test_a_disk_that_cannot_set_aside_says_no_more_than_is_so(wished, tmp_path, capsys):
    (tmp_path / "triple-play.settings.damaged").mkdir()
    (tmp_path / "triple-play.settings.toml").write_text("turn", encoding="utf-8")
    assert turn_seconds(wished) == 10
    assert capsys.readouterr().err.endswith("triple-play.settings.toml: not used\n")


def test_a_file_that_was_being_written_when_the_plug_was_pulled_is_not_looked_at(wished, plain, tmp_path):
    made_on(wished, plain, turn_seconds=7)
    (tmp_path / "triple-play.settings.toml.new").write_text("[triple_play]\nturn_sec", encoding="utf-8")
    assert turn_seconds(wished) == 7
    made_on(wished, plain, turn_seconds=8)
    assert [path.name for path in tmp_path.iterdir()] == ["triple-play.settings.toml"]


def test_a_disk_that_takes_nothing_is_said(plain, tmp_path, capsys):
    made_on(Wished(str(tmp_path / "gone"), "triple-play"), plain, turn_seconds=7)
    assert capsys.readouterr().err.endswith("the settings are not kept: No such file or directory\n")


def test_without_a_state_directory_nothing_is_kept(plain):
    nowhere = Wished(None, "triple-play")
    made_on(nowhere, plain, turn_seconds=7)
    assert turn_seconds(nowhere) == 10


def test_a_config_that_is_gone_meanwhile_says_nothing(wished, plain, tmp_path):
    made_on(wished, plain, turn_seconds=7)
    values = all_settings(None, [])
    kept = wished.over(values, sections(), str(Path(tmp_path, "gone.toml")))
    assert kept["triple_play"]["turn_seconds"] == 7


@pytest.mark.parametrize("text", ["[triple_play", "triple_play = 7", "turn"])
def test_a_config_that_is_damaged_meanwhile_is_no_fault_of_what_was_made(wished, plain, tmp_path, text):
    """Another unit that is wished looks at the file again, hours after the start."""
    made_on(wished, plain, turn_seconds=7)
    os.utime(tmp_path / "triple-play.settings.toml", ns=(EARLIER_NS, EARLIER_NS))
    config = write(tmp_path / "settings.toml", text, LATER_NS)
    kept = wished.over(all_settings(None, []), sections(), str(config))
    assert kept["triple_play"]["turn_seconds"] == 7
    assert (tmp_path / "triple-play.settings.toml").exists()


@pytest.mark.parametrize("make", [
    os.mkfifo, os.mkdir, lambda path: path.symlink_to(path), lambda path: path.symlink_to("none"),
], ids=["pipe", "directory", "link to itself", "link to nothing"])
def test_what_is_no_file_does_not_keep_the_unit_from_starting(wished, plain, tmp_path, capsys, make):
    """A pipe that nobody writes to would be read for ever."""
    file = tmp_path / "triple-play.settings.toml"
    make(file)
    assert turn_seconds(wished) == 10
    assert f"{file}: is no regular file\n" in capsys.readouterr().err
    made_on(wished, plain, turn_seconds=7)
    assert turn_seconds(wished) == 7


@pytest.mark.parametrize("directory", ["x" * 5_000, "/".join(["x" * 200] * 40), "a\0b"])
def test_a_directory_that_cannot_be_holds_nothing(directory):
    assert turn_seconds(Wished(directory, "triple-play")) == 10
