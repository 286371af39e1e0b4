"""`pilelight wiring`: check a unit's wiring, draw it, list its pins and its parts.

Exit status: 0 all is well, 1 the wiring has mistakes (or a sheet is stale), 2 the command was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from wiring.findings import UnknownName, WiringError
from wiring.load import board_names, load_board, load_unit, unit_names
from wiring.model import Board, UnitWiring

FINE, MISTAKES, USAGE = 0, 1, 2
DEFAULT_BOARD = "rpi-zero-2w"


def main(argv: Sequence[str]) -> int:
    """Run `pilelight wiring` with the arguments *argv* and return the exit status.

    A wrong command or `--help` ends in argparse's `SystemExit`, as in any command line.
    """
    parser = _parser()
    if not argv:
        parser.print_help(sys.stderr)
        parser.exit(USAGE)
    arguments = parser.parse_args(argv)
    try:
        if arguments.command == "sheets":
            return _sheets(Path(arguments.folder), check_only=arguments.check)
        if arguments.command == "check":
            return _check(arguments.unit, arguments.board)
        return _make(arguments)
    except UnknownName as error:
        print(error, file=sys.stderr)
        return USAGE
    except WiringError as error:
        print(error, file=sys.stderr)
        return MISTAKES
    except BrokenPipeError:
        # Whoever read the output has had enough; keep the interpreter from flushing the rest into nowhere.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return FINE
    except OSError as error:
        print(f"{error.filename or 'output'}: cannot be written ({error.strerror})", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pilelight wiring",
        description="Check a unit's wiring, draw it, list its pins and its parts.",
        epilog="Exit status: 0 all is well, 1 the wiring has mistakes or a sheet is stale, 2 the command was wrong.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    units = f"a unit ({', '.join(unit_names())}) or the path of a wiring file"
    boards = ", ".join(board_names())
    for name, words in (
        ("check", "say what is wrong with a wiring, and what would be right"),
        ("table", "print the pin table (Markdown)"),
        ("draw", "print the drawing (SVG)"),
        ("bom", "print the parts list (Markdown)"),
    ):
        command = commands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        command.add_argument("unit", metavar="UNIT", help=units)
        if name == "check":
            command.add_argument("--board", metavar="BOARD", help=f"one of {boards}, or a path; all if not given")
            continue
        command.add_argument(
            "--board", metavar="BOARD", default=DEFAULT_BOARD, help=f"one of {boards}, or a path ({DEFAULT_BOARD})"
        )
        command.add_argument("--output", metavar="FILE", help="write there instead of printing")
        if name == "bom":
            command.add_argument("--csv", action="store_true", help="as CSV instead of Markdown")
    words = "write the drawings, pin tables and parts lists of all units that are kept in docs/wiring"
    sheets = commands.add_parser("sheets", help=words, description=f"{words[0].upper()}{words[1:]}.")
    sheets.add_argument("--check", action="store_true", help="write nothing; say which are stale")
    sheets.add_argument("--folder", metavar="FOLDER", default="docs/wiring", help="where they are (docs/wiring)")
    return parser


def _check(unit_name: str, board_name: str | None) -> int:
    from wiring.check import check

    unit = load_unit(unit_name)
    boards = [load_board(name) for name in ([board_name] if board_name else board_names())]
    found = {board.name: check(unit, board) for board in boards}
    for board in boards:
        for finding in found[board.name]:
            others = len(boards) > 1 and any(finding not in found[each.name] for each in boards)
            if others:
                print(f"{board.name}: {finding}")
            elif board is boards[0]:
                print(finding)
    fine = [board.name for board in boards if not found[board.name]]
    if fine:
        print(f"{unit.name}: fine on {', '.join(fine)}")
    return FINE if len(fine) == len(boards) else MISTAKES


def _make(arguments: argparse.Namespace) -> int:
    from wiring.check import check

    unit, board = load_unit(arguments.unit), load_board(arguments.board)
    findings = check(unit, board)
    if findings:
        raise WiringError(findings)
    content = _maker(arguments)(unit, board)
    if arguments.output is None:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        Path(arguments.output).write_bytes(content.encode())
    return FINE


def _maker(arguments: argparse.Namespace) -> Callable[[UnitWiring, Board], str]:
    """Return the function that makes what was asked for."""
    if arguments.command == "draw":
        from wiring.draw import draw

        return draw
    if arguments.command == "table":
        from wiring.table import table

        return table
    from wiring.bom import bom, bom_csv

    return bom_csv if arguments.csv else bom


def _sheets(folder: Path, *, check_only: bool) -> int:
    from wiring.sheets import differing, write

    if not check_only:
        print(f"{write(folder)} files in {folder}")
        return FINE
    stale = differing(folder)
    for words in stale:
        print(words)
    if stale:
        print("run `pilelight wiring sheets` and look at the drawings")
    return MISTAKES if stale else FINE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
