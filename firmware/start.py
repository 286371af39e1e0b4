"""Where the program begins: `pilelight dark` goes the shortest way, everything else through the command line.

After a kill people wait for the dark, and on a small Pi each module costs a hundredth of a second. So what a service
calls (`dark UNIT`, with or without `--wiring FILE`) reads its wiring and makes it dark, without a parser of arguments
or a unit. Whatever is not that plain, or wrong, goes the long way, which says what would be right.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_standard_files()
    words = list(sys.argv[1:] if argv is None else argv)
    left_on = _at_once(words)
    if left_on is not None:
        for why in left_on:
            print(why, file=sys.stderr)
        return 1 if left_on else 0
    from firmware.cli import main as command_line

    return command_line(words)


def _open_standard_files() -> None:
    """Have stdin, stdout and stderr, if on nothing, where the program was started without (`>&-`).

    Else the next file that is opened gets the number of one of them: the journal, or the line to the night watch. A
    driver in C that prints a word would write it there.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free


def _at_once(words: Sequence[str]) -> list[str] | None:
    """Make a unit dark and return what could not be; None if *words* ask for something else, or not so plainly."""
    match words:
        case ["dark", unit]:
            named = unit
        case ["dark", unit, "--wiring", named]:
            pass
        case _:
            return None
    from wiring.findings import WiringError
    from wiring.load import load_unit

    try:
        wiring = load_unit(named)
    except WiringError:
        return None
    if wiring.unit != unit:
        return None
    from hal.pi.dark import darken

    return darken(wiring)
