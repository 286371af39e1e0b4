"""What the commands do: put the parts together, run, and take them apart again."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.assembly import (
    all_settings,
    first_inputs,
    keeper,
    known_kind,
    make_unit,
    open_memory,
    settings_of,
    wiring_of,
)
from firmware.bench import BenchBoard
from firmware.kind import Kind
from firmware.protocol import Reader, header
from firmware.runner import Runner
from firmware.settings import COMMON, settings
from firmware.unit import Unit
from firmware.units import UNITS, kind_named
from hal.open import PI, chosen_board
from hal.ports import Stop

if TYPE_CHECKING:
    from firmware.stage import Stage
    from wiring.model import UnitWiring


def bench(options: argparse.Namespace) -> int:
    """`pilelight bench`."""
    kind = known_kind(options.unit)
    values = settings_of(kind, all_settings(options.config, options.set, kind))
    if sys.stdin is None or sys.stdout is None:
        print("the bench reads stdin and writes stdout; neither may be closed", file=sys.stderr)
        return 2
    memory = open_memory(options.state, kind)
    seed = int.from_bytes(os.urandom(6)) if options.seed is None else options.seed
    unit = make_unit(kind, values, seed, memory)
    board = BenchBoard(Reader(unit), sys.stdin.buffer, sys.stdout)
    stage = frame_stage(board, kind, unit) if options.frames else None
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, board.stop)
    sys.stdout.write(header(unit, seed, __version__) + "\n")
    sys.stdout.flush()
    keep = () if memory is None else (keeper(memory, unit),)
    why = Runner(unit, board, stage, listeners=[board], after_input=keep).run(first_inputs(memory))
    if isinstance(why, Stop):
        if memory is not None:
            memory.keep(unit.volume.level, None)
        if stage is not None:
            stage.darken()
    board.close()
    if memory is not None:
        memory.close()
    if board.interrupted:
        return 130
    return 2 if board.refused else 0


def frame_stage(board: BenchBoard, kind: Kind, unit: Unit) -> Stage:
    """A stage whose strip only tells its bytes."""
    from firmware.looks import renderer_of
    from firmware.stage import Stage
    from wiring.load import load_unit

    board.strip = board
    renderer = renderer_of(load_unit(kind.name).lights, unit.settings["common"])
    return Stage(board, renderer, kind.icons(unit.rules))


def replay_file(options: argparse.Namespace) -> int:
    """`pilelight replay`."""
    from firmware.record import BadRecord, Difference, replay

    try:
        with open(options.file, encoding="utf-8") as file:
            agree = replay(file, unit_from_header, options.file)
    except OSError as why:
        print(f"{options.file}: cannot be read: {why.strerror}", file=sys.stderr)
        return 2
    except UnicodeDecodeError:
        print(f"{options.file}: not a record: not UTF-8", file=sys.stderr)
        return 2
    except BadRecord as problem:
        print(problem, file=sys.stderr)
        return 2
    except Difference as difference:
        print(difference)
        print(f"  watch it: pilelight play --watch {shlex.quote(options.file)}")
        return 1
    print(f"{options.file}: {agree} lines agree")
    return 0


def unit_from_header(first: Mapping[str, Any]) -> Unit:
    """The unit that the first line of a record describes."""
    kind = kind_named(first.get("unit", ""))
    if first.get("version") != __version__:
        print(f"recorded by version {first.get('version')}, replayed by {__version__}", file=sys.stderr)
    sections = {"common": COMMON, kind.section: kind.settings}
    values = settings(sections, [("first line", first.get("settings", {}))])
    kept = (first.get("saved"), first.get("memory_fault"), first.get("volume"))
    return Unit(kind, values, first["seed"], *kept, start_us=first.get("start_us", 0))


def draw_charts(options: argparse.Namespace) -> int:
    """`pilelight charts`."""
    from firmware.charts import drawings

    stale = []
    for name, text in drawings().items():
        path = os.path.join(options.output, name)
        try:
            with open(path, encoding="utf-8") as file:
                current = file.read() == text
        except FileNotFoundError:
            current = False
        if not current:
            stale.append(path)
            if not options.check:
                os.makedirs(options.output, exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
    for path in stale:
        print(f"{path} {'is stale; run pilelight charts' if options.check else 'drawn'}")
    return 1 if stale and options.check else 0


def play(options: argparse.Namespace) -> int:
    """`pilelight play`."""
    from firmware.boards import record_to_watch
    from firmware.playing import play as play_on

    unit, options.watched = record_to_watch(options.watch) if options.watch else (None, "")
    if options.watch and options.board is None:
        options.board = "panel"
    kind = known_kind(options.unit or unit or next(iter(UNITS)))
    if chosen_board(options.board) == PI and go_is_held(wiring_of(kind, options.wiring), kind.main.contacts[0]):
        from firmware.safemode import safe_mode

        return safe_mode(options, kind)
    return play_on(options, kind, all_settings(options.config, options.set))


def go_is_held(wiring: UnitWiring, main: str = "go") -> bool:
    """Whether the *main* button is down now: how a player gets out of settings with which the unit does not start."""
    from hal.pi.held import is_held

    go = next((contact.gpio for contact in wiring.contacts if contact.name == main), None)
    try:
        return go is not None and is_held(go)
    except OSError:
        return False  # what is wrong with the line, opening the board says better


def darken(options: argparse.Namespace) -> int:
    """`pilelight dark`."""
    from hal.pi.dark import darken as make_dark

    left_on = make_dark(wiring_of(known_kind(options.unit), options.wiring))
    for why in left_on:
        print(why, file=sys.stderr)
    return 1 if left_on else 0
