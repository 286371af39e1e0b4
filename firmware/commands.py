"""What the commands do: put the parts together, run, and take them apart again."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.bench import BenchBoard
from firmware.kind import Kind
from firmware.memory import Memory
from firmware.protocol import Reader, header
from firmware.runner import Runner
from firmware.settings import COMMON, SettingsError, Values, from_file, from_text, settings
from firmware.unit import Unit
from firmware.units import UNITS, kind_named
from hal.ports import Stop

if TYPE_CHECKING:
    from firmware.stage import Stage
    from hal.ports import Board


def known_kind(name: str) -> Kind:
    """The kind of unit of this name; SettingsError when there is none."""
    try:
        return kind_named(name)
    except LookupError as why:
        raise SettingsError(why.args[0]) from None


def all_settings(config: str | None, assignments: list[str]) -> Values:
    """Every setting of every unit: those of a file, and over them those of the command line. Names every problem."""
    given, problems = [], []
    for read, text in ((from_file, config), *((from_text, text) for text in assignments)):
        if text is not None:
            try:
                given.append(read(text))
            except SettingsError as why:
                problems.append(str(why))
    sections = {"common": COMMON, **{kind.section: kind.settings for kind in map(kind_named, UNITS)}}
    try:
        values = settings(sections, given)
    except SettingsError as why:
        raise SettingsError("\n".join([*problems, str(why)])) from None
    if problems:
        raise SettingsError("\n".join(problems))
    return values


def settings_of(kind: Kind, values: Values) -> Values:
    """What of *values* concerns a unit."""
    return {section: values[section] for section in ("common", kind.section)}


def open_memory(
    directory: str | None, kind: Kind, written: Callable[[int], object] = lambda file: None
) -> Memory | None:
    """The journal in *directory*, or None without one. SettingsError when the directory is none."""
    if directory is None:
        return None
    try:
        memory = Memory(directory, kind.name, written)
    except NotADirectoryError as why:
        raise SettingsError(f"--state {why}") from None
    if memory.fault is not None:
        print(f"--state {directory}: the round will not survive a pulled plug: {memory.fault}", file=sys.stderr)
    if memory.damage is not None:
        print(f"--state {directory}: starting fresh, what was there is kept as {memory.damage}", file=sys.stderr)
    return memory


def make_unit(kind: Kind, values: Values, seed: int, memory: Memory | None) -> Unit:
    """A unit that goes on where *memory* left off."""
    if memory is None:
        return Unit(kind, values, seed)
    return Unit(kind, values, seed, memory.saved, memory.damage or memory.fault, memory.volume)


def bench(options: argparse.Namespace) -> int:
    """`pilelight bench`."""
    kind = known_kind(options.unit)
    values = settings_of(kind, all_settings(options.config, options.set))
    memory = open_memory(options.state, kind)
    seed = int.from_bytes(os.urandom(6)) if options.seed is None else options.seed
    unit = make_unit(kind, values, seed, memory)
    out = sys.stdout
    board = BenchBoard(Reader(unit), sys.stdin.buffer, out)
    stage = frame_stage(board, kind, unit, board.tell_frame) if options.frames else None
    signal.signal(signal.SIGTERM, board.stop)
    signal.signal(signal.SIGINT, board.stop)
    out.write(header(unit, seed, __version__) + "\n")
    out.flush()
    keep = None if memory is None else lambda: memory.keep(unit.volume.level, unit.save())
    why = Runner(unit, board, stage, listeners=[board], after_input=[keep] if keep else ()).run()
    if isinstance(why, Stop):
        if memory is not None:
            memory.keep(unit.volume.level, None)
        if stage is not None:
            stage.darken()
    out.flush()
    if memory is not None:
        memory.close()
    if board.interrupted:
        return 130
    return 2 if board.refused else 0


def frame_stage(board: Board, kind: Kind, unit: Unit, tell: Callable[[bytes], None]) -> Stage:
    """A stage whose strip only tells its bytes."""
    from firmware.looks import Renderer
    from firmware.stage import Stage
    from wiring.load import load_unit

    class Telltale:
        def show(self, frame: bytes) -> None:
            tell(frame)

    board.strip = Telltale()
    lights = load_unit(kind.name).lights
    assert lights is not None
    return Stage(board, Renderer(lights), kind.icons(unit.rules))


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
    return Unit(kind, values, first["seed"], first.get("saved"), first.get("memory_fault"), first.get("volume"))


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
    from firmware.playing import play as play_on

    kind = known_kind(options.unit)
    return play_on(options, kind, settings_of(kind, all_settings(options.config, options.set)))
