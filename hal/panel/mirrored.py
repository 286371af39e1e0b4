"""The process that shows a unit in browsers beside its real board: `python -m hal.panel.mirrored SOCKET LISTENING`.

Started by `hal.panel.mirror`, which says what is sent; the numbers are those of the sockets it hands over. It ends when
the game does, however that ends. It gives way to the game: a unit's only core is busy with lights first.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from hal.panel.access import Access
from hal.panel.board import PanelBoard
from hal.panel.room import Refused
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, WheelAt

LONGEST = 1 << 20               # bytes of one message
NICER = 10


@dataclass(slots=True)
class Heard:
    """What was shown at one moment (`hal.ports.Telling`)."""

    at_us: int
    outputs: Sequence[Mapping[str, object]]
    lines: Sequence[str]


def main(files: Sequence[str]) -> None:
    """Show the unit until the game has ended."""
    for number in (signal.SIGINT, signal.SIGHUP):       # Ctrl-C and a closed terminal are for the game
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    os.nice(NICER)
    told, listening = (socket.socket(fileno=int(file)) for file in files)
    first = json.loads(told.recv(LONGEST))
    board = PanelBoard(first["page"], _refuse, access=Access(*first["access"]), listening=listening)
    try:
        while text := told.recv(LONGEST).decode():
            _show(board, text)
    finally:
        board.close()


def _show(board: PanelBoard, text: str) -> None:
    lines = text.split("\n")
    messages = [json.loads(line) for line in lines]
    first = messages[0]
    if "input" in first:
        board.see(_input(first["input"]))
    elif "snapshot" in first:
        board.see_all(first["snapshot"])
    else:
        at_us = round(first["t"] * 1_000_000)
        board.hear(Heard(at_us, [{key: line[key] for key in line if key != "t"} for line in messages], lines))


def _input(message: Mapping[str, Any]) -> Input:
    """The input that `room.said` wrote down; its time does not matter here."""
    match dict(message):
        case {"press": name}:
            return Contact(name, True, 0)
        case {"release": name}:
            return Contact(name, False, 0)
        case {"switch": switch, "to": to}:
            return Moved(switch, to, 0)
        case {"wheel": slot}:
            return WheelAt(slot, 0)
        case {"battery": level}:
            return Battery(level == "low", 0)
        case {"break": part, "why": why}:
            return Broke(part, why, 0)
        case {"mend": part}:
            return Mended(part, 0)
    raise ValueError(f"not an input: {message}")


def _refuse(message: Mapping[str, object], at_us: int) -> Sequence[Input]:
    raise Refused("this page only shows what the unit does; use the unit's own buttons")


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit


if __name__ == "__main__":
    main(sys.argv[1:])
