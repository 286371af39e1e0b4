"""`pilelight play`: a unit on a board that lives in real time, or on the virtual one with everything written down."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.assembly import make_unit, open_memory, wiring_of
from firmware.clerk import Clerk, LineFile
from firmware.kind import Kind
from firmware.moment import stamp
from firmware.notify import Examined, Pulse, Well, service
from firmware.protocol import Reader, Refused, header
from firmware.record import Recorder
from firmware.runner import Runner
from firmware.settings import SettingsError, Values
from firmware.stage import Stage
from firmware.tones import tune
from firmware.unit import Unit
from hal.errors import BoardError
from hal.open import open_board, open_pi
from hal.ports import Board, Input, Listener, Stop
from hal.virtual import Shown, VirtualBoard

if TYPE_CHECKING:
    from firmware.memory import Memory
    from hal.panel.board import PanelBoard
    from hal.pi.board import PiSettings
    from wiring.model import UnitWiring


def play(options: argparse.Namespace, kind: Kind, values: Values, hardware: Mapping[str, Any]) -> int:
    """Play until somebody stops it; the exit status. *hardware* is the section `[board]` of the settings."""
    wiring = cache(lambda: wiring_of(kind, options.wiring))
    with ExitStack() as closing:
        clerk = Clerk()
        closing.callback(clerk.close)
        memory = open_memory(options.state, kind, clerk.sync)
        if memory is not None:
            closing.callback(memory.close)
        seed = int.from_bytes(os.urandom(6)) if options.seed is None else options.seed
        unit = make_unit(kind, values, seed, memory)
        try:
            record = LineFile(options.record, clerk) if options.record else None
        except OSError as why:
            raise SettingsError(f"--record {options.record}: cannot be written: {why.strerror}") from None
        if record is not None:
            closing.callback(record.close)
        try:
            board, reason = open_board(options.board, _openers(options, unit, wiring, hardware))
        except BoardError as why:
            print(why, file=sys.stderr)
            return 2
        closing.callback(board.close)
        print(reason, file=sys.stderr)
        why_over = _run(options, unit, board, memory, record, seed, wiring)
    return 0 if why_over else 2


def _run(
    options: argparse.Namespace, unit: Unit, board: Board, memory: Memory | None, record: LineFile | None, seed: int,
    wiring: Callable[[], UnitWiring],
) -> bool:
    told = service()
    stage = _stage_for(board, unit, wiring)
    listeners: list[Listener] = []
    before: list[Callable[[Input], None]] = []
    after: list[Callable[[], None]] = []
    if isinstance(board, Listener):
        listeners.append(board)
    if record is not None:
        recorder = Recorder(record.write, unit, seed, _came_with(memory))
        listeners.append(recorder)
        before.append(recorder.heard)
    if memory is not None:
        after.append(lambda: memory.keep(unit.volume.level, unit.save()))
    if options.panel and board.name != "panel":
        listeners.append(_mirror(options, unit))

    def stop(*_: object) -> None:
        told.stopping()
        board.stop()  # type: ignore[attr-defined]

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    pulse = Pulse(told, board.health if isinstance(board, Examined) else Well)
    try:
        why_over = Runner(unit, board, stage, listeners, before, after, pulse).run()
    finally:
        if stage is not None:
            stage.darken()
    if isinstance(why_over, Stop) and memory is not None:
        memory.keep(unit.volume.level, None)  # stopping ends the round (C-5)
    return True


def _came_with(memory: Memory | None) -> Mapping[str, object]:
    if memory is None:
        return {}
    return {"saved": memory.saved, "memory_fault": memory.damage or memory.fault, "volume": memory.volume}


def _stage_for(board: Board, unit: Unit, wiring: Callable[[], UnitWiring]) -> Stage | None:
    """The stage of a board that has parts to drive."""
    if board.strip is None and board.display is None and board.buzzer is None:
        return None
    from firmware.looks import Renderer

    lights = wiring().lights
    return Stage(board, Renderer(lights) if lights is not None else None, unit.kind.icons(unit.rules))


def _openers(
    options: argparse.Namespace, unit: Unit, wiring: Callable[[], UnitWiring], hardware: Mapping[str, Any]
) -> dict[str, Callable[[], Board]]:
    def panel() -> Board:
        board = _panel(options, unit)
        print(f"playing on {board.url}", file=sys.stderr)
        if not options.no_browser:
            show_page(board.url)
        return board

    def pi() -> Board:
        _first_light(wiring())
        return open_pi(wiring(), pi_settings(unit, hardware))

    def virtual() -> Board:
        return VirtualBoard(script(unit), write_down=print_shown)

    return {"panel": panel, "pi": pi, "virtual": virtual}


def pi_settings(unit: Unit, hardware: Mapping[str, Any]) -> PiSettings:
    """What the section `[board]` and the unit say to a Pi. Raises BoardError for a calibration that is none."""
    from hal.pi.board import PiSettings
    from hal.pi.fsr import load_calibration

    pads = [name for name, contact in unit.contacts.items() if contact.is_pad]
    return PiSettings(
        gpio=hardware["gpio"],
        gpiochip=None if hardware["gpiochip"] < 0 else hardware["gpiochip"],
        wheel_slots=unit.kind.slots(unit.rules) or None,
        pads=load_calibration(Path(hardware["calibration"]), pads),
    )


def _first_light(wiring: UnitWiring) -> None:
    """Let one LED glow before what takes seconds to load. Why it could not is told later, by the strip itself."""
    from hal.pi.dark import first_light

    if wiring.lights is not None:
        with suppress(OSError):
            first_light(wiring.lights)


def _panel(options: argparse.Namespace, unit: Unit, *, only_shows: bool = False) -> PanelBoard:
    from hal.panel.board import PanelBoard

    reader = Reader(unit)

    def understand(message: Mapping[str, Any], at_us: int) -> list[Input]:
        if only_shows:
            raise Refused("this page only shows what the unit does; use the unit's own buttons")
        return reader.inputs(message, at_us)

    return PanelBoard(page_of(unit), understand, port=options.port)


def _mirror(options: argparse.Namespace, unit: Unit) -> PanelBoard:
    board = _panel(options, unit, only_shows=True)
    print(f"shown on {board.url}", file=sys.stderr)
    return board


def page_of(unit: Unit) -> dict[str, Any]:
    """What a page needs to draw the unit and to sound like it."""
    icons = unit.kind.icons(unit.rules)
    first = json.loads(header(unit, 0, __version__))
    return {"header": first, "tones": {name: [list(note) for note in tune(name, icons)] for name in first["tones"]}}


def show_page(url: str) -> None:
    """Open a browser if this machine has a screen for one; otherwise the printed address must do."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    webbrowser.open(url)


def script(unit: Unit, reached: Callable[[int], object] = lambda until_us: None) -> Iterator[Input]:
    """Input lines of the bench protocol from stdin, as a script for the virtual board.

    *reached* is told up to which time (µs) each line goes: of a tap to the end of its release, of a run to its end.
    """
    reader = Reader(unit)
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            try:
                inputs, until_us = reader.read(line)
            except Refused as why:
                print(f"line {number}: {why}", file=sys.stderr)
            else:
                reached(until_us)
                yield from inputs


def print_shown(shown: Shown) -> None:
    """Print what a part of the virtual board shows."""
    what = shown.what.hex() if isinstance(shown.what, bytes) else f"{shown.what[0]} Hz, volume {shown.what[1]}"
    print(f"{stamp(shown.at_us):>10} {shown.part:8} {what}")
