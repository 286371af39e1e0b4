"""`pilelight wiring` on a maker's desk: what it prints, what it says of mistakes, and its exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wiring.cli import main
from wiring.draw import draw
from wiring.load import load_board, load_unit
from wiring.sheets import write

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def mine(tmp_path):
    """Return the path of a maker's own wiring file, a copy of triple-play's with some words changed."""

    def copy(**changes: str) -> str:
        text = (REPOSITORY / "wiring/units/triple-play.toml").read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(f"{old} = ", f"{new} = ", 1)
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return copy


@pytest.fixture
def clash(mine):
    """Return the path of a wiring file whose strip clashes with the buzzer on all boards but a Pi 5."""
    path = Path(mine())
    path.write_text(path.read_text(encoding="utf-8").replace("data = 10 ", "data = 18 "), encoding="utf-8")
    return str(path)


def test_a_good_wiring_is_fine_on_every_board(capsys):
    assert main(["check", "triple-play"]) == 0
    assert capsys.readouterr().out == "triple-play: fine on rpi-zero-2w, rpi3, rpi4, rpi5\n"


def test_one_may_ask_for_one_board(capsys):
    assert main(["check", "master", "--board", "rpi4"]) == 0
    assert capsys.readouterr().out == "master: fine on rpi4\n"


def test_a_mistake_on_one_board_is_said_of_that_board(capsys, clash):
    assert main(["check", clash]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "mine: fine on rpi5"
    assert [line.split(": ")[0] for line in lines[:-1]] == ["rpi-zero-2w"] * 2 + ["rpi3"] * 2 + ["rpi4"] * 2
    assert lines[1] == (
        f"rpi-zero-2w: {clash}: [lights] data = 18: GPIO18 shares its PWM with the buzzer on GPIO12; "
        "use GPIO10 (needs no root)"
    )


def test_a_mistake_on_all_boards_is_said_once(capsys, mine):
    path = mine(pile3="pile33")
    assert main(["check", path]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: [contacts] pile33: triple-play has no such part; did you mean pile3?",
        f"{path}: [contacts]: pile3 is missing; see wiring/units/triple-play.toml",
    ]


@pytest.mark.parametrize("command", ["draw", "table", "bom"])
def test_nothing_is_made_from_a_wiring_with_mistakes(capsys, clash, command):
    """A sheet of it would be built."""
    assert main([command, clash]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "GPIO18 shares its PWM with the buzzer on GPIO12" in captured.err
    assert main([command, clash, "--board", "rpi5"]) == 0
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_read_as_wiring_says_why(capsys, mine):
    path = mine(chip="chipp")
    assert main(["check", path]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f'{path}: [display] chipp = "ht16k33": is unknown; did you mean chip?' in captured.err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "tripel-play"], "tripel-play: there is no unit of this name; did you mean triple-play?\n"),
        (["draw", "spin", "--board", "rpi6"], "rpi6: there is no board of this name; did you mean rpi5?\n"),
    ],
)
def test_a_mistyped_name_is_a_wrong_command(capsys, arguments, message):
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message.split(";", maxsplit=1)[0])


@pytest.mark.parametrize("arguments", [[], ["solder", "spin"], ["check"], ["draw", "spin", "--colour"]])
def test_a_wrong_command_shows_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: pilelight wiring")


def test_without_a_command_all_of_them_are_told(capsys):
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 2
    assert "check " in capsys.readouterr().err


def test_help_names_the_units_the_boards_and_the_exit_status(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert "Exit status: 0" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["draw", "--help"])
    words = "".join(capsys.readouterr().out.split())  # argparse breaks lines at the hyphens of names
    assert "master,party,spin,spin-hall,triple-play,triple-play-fsr" in words
    assert "rpi-zero-2w,rpi3,rpi4,rpi5" in words


def test_a_drawing_goes_to_the_screen_or_into_a_file(capsys, tmp_path):
    drawing = draw(load_unit("spin"), load_board("rpi5"))
    assert main(["draw", "spin", "--board", "rpi5"]) == 0
    assert capsys.readouterr().out == drawing
    file = tmp_path / "spin.svg"
    assert main(["draw", "spin", "--board", "rpi5", "--output", str(file)]) == 0
    assert file.read_bytes().decode() == drawing
    assert capsys.readouterr() == ("", "")


def test_parts_come_as_markdown_or_csv(capsys):
    assert main(["bom", "master"]) == 0
    assert capsys.readouterr().out.startswith("# Turn timer on Raspberry Pi Zero 2 W: parts\n")
    assert main(["bom", "master", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("Number,Part,Look for,For\n")
    assert main(["table", "master"]) == 0
    assert capsys.readouterr().out.startswith("# Turn timer on Raspberry Pi Zero 2 W: pins\n")


def test_a_file_that_cannot_be_written_is_named(capsys, tmp_path):
    file = tmp_path / "no such folder" / "spin.svg"
    assert main(["draw", "spin", "--output", str(file)]) == 2
    assert capsys.readouterr().err == f"{file}: cannot be written (No such file or directory)\n"


def test_sheets_are_written_and_checked(capsys, tmp_path):
    folder = tmp_path / "sheets"
    assert main(["sheets", "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == f"49 files in {folder}\n"
    assert main(["sheets", "--check", "--folder", str(folder)]) == 0
    assert capsys.readouterr().out == ""
    (folder / "spin-rpi5.svg").write_text("old", encoding="utf-8")
    assert main(["sheets", "--check", "--folder", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{folder / 'spin-rpi5.svg'}: is stale",
        "run `pilelight wiring sheets` and look at the drawings",
    ]
    assert write(folder) == 49


def test_a_reader_that_goes_away_is_no_mistake():
    """`pilelight wiring draw spin | head -1`"""
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "wiring.cli", "draw", "spin"],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, "")
