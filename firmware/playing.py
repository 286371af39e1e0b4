"""`pilelight play`: units on a board that lives in real time, or on the virtual one with everything written down.

One board stays open; on it one unit is played after another. A game ends when somebody stops the program, when the
plug is pulled, or when somebody at a panel wishes another unit, other settings or a record: then the next one begins.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from firmware.assembly import (
    first_inputs,
    fitted,
    keeper,
    known_kind,
    make_unit,
    open_memory,
    sections,
    settings_of,
    wiring_of,
)
from firmware.boards import (
    first_light,
    night_watch,
    open_mirrors,
    open_panel,
    page_of,
    pi_settings,
    print_shown,
    script,
)
from firmware.clerk import Clerk, LineFile
from firmware.kind import Kind
from firmware.memory import Memory
from firmware.notify import Examined, Pulse, Verdict, Well, service
from firmware.presets import presets_of
from firmware.reception import Reception, as_wired, described, wished_settings
from firmware.record import Recorder, Tape
from firmware.runner import Runner
from firmware.settings import COMMON, SettingsError, Values, from_text, to_toml
from firmware.stage import Stage
from firmware.unit import Unit
from firmware.units import UNITS
from firmware.wished import Wished
from hal.errors import BoardError
from hal.open import PI, chosen_board, open_board, open_pi
from hal.ports import (
    Battery,
    Board,
    Broke,
    Contact,
    Dims,
    Input,
    Listener,
    Moved,
    Seeded,
    Stop,
    TakesWishes,
    Unplugged,
    Wish,
)
from hal.virtual import VirtualBoard

if TYPE_CHECKING:
    from hal.panel.mirror import Mirror


BESIDE = ("header", "tones", "settings", "presets", "keeps", "recording", "recorded")
"""What of a page counts beside the real board."""


@runtime_checkable
class ShowsPages(Protocol):
    """A board that is a page itself."""

    def turn_to(self, page: Mapping[str, Any], parse: Callable[[Mapping[str, Any], int], Sequence[Input]]) -> None:
        """Show another unit, or the same with other settings."""

    def reply(self, number: int, why: str | None) -> None:
        """Tell whose `Wish` had this *number* that it was refused, and *why*; None: it was granted."""


def play(options: argparse.Namespace, kind: Kind, values: Values) -> int:
    """Play until somebody stops it; the exit status. *values* are all settings, by section."""
    with ExitStack() as closing:
        clerk = Clerk()
        closing.callback(clerk.close)
        evening = Evening(options, kind, values, clerk)
        closing.callback(evening.close)
        try:
            board, reason = open_board(options.board, evening.openers(closing))
        except BoardError as why:
            print(why, file=sys.stderr)
            return 2
        closing.callback(board.close)
        print(reason, file=sys.stderr)
        evening.play_on(board)
    return 0


class Evening:
    """All games on one board: which unit it is now, its settings, and what is kept of it."""

    def __init__(self, options: argparse.Namespace, kind: Kind, values: Values, clerk: Clerk) -> None:
        """Put the first unit together. Raises SettingsError for a state directory or a record that cannot be."""
        self._options, self._clerk = options, clerk
        self.kind, self._plain = kind, values
        self._wished = Wished(options.state, kind.name)
        self.values = self._with_wished(values)
        self._chosen = bool(options.unit or options.watch)  # else a page asks first which unit it is to be
        self._wiring = cache(lambda: wiring_of(kind, options.wiring))
        self._seed = int.from_bytes(os.urandom(6)) if options.seed is None else options.seed
        self._memory = open_memory(options.state, kind, clerk.sync)
        self.unit = make_unit(kind, settings_of(kind, self.values), self._seed, self._memory)
        self._came_with = _came_with(self._memory, self.unit)
        self._first = first_inputs(self._memory)  # what the next game begins with
        self._left: tuple[Input, ...] = ()  # what came after the wish that ended the last one
        self.tape: Tape | None = None  # a record that was wished
        self._file: LineFile | None = None
        if options.wiring is not None:
            self._wiring()  # a wrong one is said at once, needed or not
        try:
            if options.record is not None:
                self._file = LineFile(options.record)
                print(f"recording into {self._file.path}", file=sys.stderr)
        except OSError as why:
            self.close()
            raise SettingsError(f"--record {options.record}: cannot be written: {why.strerror}") from None

    def _with_wished(self, values: Values) -> Values:
        """*values* with those in their place that were made on a page for the present unit, if they fit its wires."""
        fixed = [
            f"{section}.{name}"
            for _, given in map(from_text, self._options.set)
            for section, own in given.items()
            for name in own
        ]

        def fits(both: Values) -> None:
            if chosen_board(self._options.board) == PI:
                fitted(wiring_of(self.kind, self._options.wiring), Unit(self.kind, settings_of(self.kind, both), 0))

        return self._wished.over(values, sections(), self._options.config, fixed, fits)

    def close(self) -> None:
        """Close the journal and the record."""
        if self._memory is not None:
            self._memory.close()
        if self._file is not None:
            self._file.close()

    # -- the board ---------------------------------------------------------------------------------------------------

    def openers(self, closing: ExitStack) -> dict[str, Callable[[], Board]]:
        """How to open each board that there is; what a board needs beside it is left to *closing*."""

        def panel() -> Board:
            downloads = {"settings.toml": self.settings_as_toml, "record.jsonl": self.record_as_text}
            if self._options.watch:
                downloads["watch.jsonl"] = lambda: self._options.watched
            return open_panel(self._options, self.page(), Reception(self.unit).understand, downloads)

        def pi() -> Board:
            wiring = self._wiring()
            closing.enter_context(night_watch(wiring))
            with first_light(wiring):
                return open_pi(fitted(wiring, self.unit), pi_settings(self.unit, self.values["board"]))

        def virtual() -> Board:
            def reached(until_us: int) -> None:
                board.stay_until(until_us)

            board = VirtualBoard(script(self.unit, reached), write_down=print_shown)
            return board

        return {"panel": panel, "pi": pi, "virtual": virtual}

    def page(self) -> dict[str, Any]:
        """What a page needs to play the present unit, and to wish for another one, other settings or a record."""
        faults = {"lab": True, "parts": [*self.unit.parts]} if self._options.lab else {}
        watched = {"watch": os.path.basename(self._options.watch)} if self._options.watch else {}
        return {
            **page_of(self.unit),
            "units": list(UNITS),
            "choose": not self._chosen,
            "settings": described(self.kind, COMMON),
            "presets": presets_of(self.kind),
            "keeps": self._options.state is not None,
            "recording": self.tape is not None and self.tape.runs,
            "recorded": self.tape is not None,
            **faults,
            **watched,
        }

    def page_beside(self) -> dict[str, Any]:
        """What a page needs that shows the present unit beside its own board."""
        page = self.page()
        choices = as_wired(self.unit, self.values, page["presets"])
        return {**{key: page[key] for key in BESIDE}, "presets": choices, "shows_only": True}

    def _beside(self) -> Reception:
        return Reception(self.unit, built=self.values)

    def settings_as_toml(self) -> str:
        """The settings in force, as a file for `--config`."""
        return to_toml(self.values, {"common": COMMON, self.kind.section: self.kind.settings})

    def record_pieces(self) -> Iterable[str]:
        """The record that was wished last, some lines at a time; nothing without one."""
        return () if self.tape is None else self.tape.pieces()

    def record_as_text(self) -> str:
        """The same as one text."""
        return "".join(self.record_pieces())

    # -- the games ---------------------------------------------------------------------------------------------------

    def play_on(self, board: Board) -> None:
        """Play one unit after another on *board*, until the program is to end."""
        told = service()

        def stop(*_: object) -> None:
            told.stopping()
            board.stop()  # type: ignore[attr-defined]

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, stop)
        files = {"settings.toml": lambda: [self.settings_as_toml()], "record.jsonl": self.record_pieces}
        mirrors: list[Mirror] = []
        if isinstance(board, TakesWishes):
            mirrors = open_mirrors(self._options, self.page_beside(), self._beside().understand, board.put, files)
        board_health = board.health if isinstance(board, Examined) else Well
        pulse = Pulse(told, lambda: self._health(board_health()))
        try:
            while isinstance(why := self._game(board, mirrors, pulse), Wish):
                refused = self.grant(why)
                if isinstance(board, Dims):
                    board.dim(self.values["common"]["brightness"])
                if isinstance(board, ShowsPages):
                    board.turn_to(self.page(), Reception(self.unit).understand)
                    board.reply(why.number, refused)
                for mirror in mirrors:
                    mirror.turn_to(self.page_beside(), self._beside().understand)
        finally:
            for mirror in mirrors:
                mirror.close()
        if isinstance(why, Stop) and self._memory is not None:
            self._memory.keep(self.unit.volume.level, None)  # stopping ends the round (C-5)
        if isinstance(why, Unplugged) and isinstance(board, ShowsPages):
            kept = "without --state the round is gone"
            if self._memory is not None:
                kept = self._memory.fault or "the round goes on at the next start"
            print(f"the plug was pulled on the page: {kept}", file=sys.stderr)

    def _game(self, board: Board, mirrors: Sequence[Mirror], pulse: Pulse) -> Stop | Unplugged | Wish:
        unit, stage = self.unit, self._stage(board)
        listeners: list[Listener] = [*mirrors]
        before: list[Callable[[Input], None]] = [mirror.heard for mirror in mirrors]
        if isinstance(board, Listener):
            listeners.append(board)
        for write in self._records():
            recorder = Recorder(write, unit, self._seed, self._came_with)
            listeners.append(recorder)
            before.append(recorder.heard)
        after = () if self._memory is None else (_saying(keeper(self._memory, unit)),)
        first, self._first = self._first, ()
        runner = Runner(unit, board, stage, listeners, before, after, pulse)
        try:
            why = runner.run(first)
            self._left = runner.left
            return why
        finally:
            if stage is not None:
                stage.darken()

    def _health(self, board: Verdict) -> Verdict:
        """What a service manager is told: how the board is, and that the round would not survive a pulled plug."""
        if self._memory is None or self._memory.fault is None:
            return board
        return Well(board.ok, f"{board.why}; the round is not kept: {self._memory.fault}")

    def _records(self) -> list[Callable[[str], None]]:
        files = [] if self._file is None else [self._file.write]
        return [*files, *([self.tape.write] if self.tape is not None and self.tape.runs else [])]

    def _stage(self, board: Board) -> Stage | None:
        """The stage of a board that has parts to drive."""
        if board.strip is None and board.display is None and board.buzzer is None:
            return None
        from firmware.looks import renderer_of

        renderer = renderer_of(self._wiring().lights, self.unit.settings["common"])
        return Stage(board, renderer, self.kind.icons(self.unit.rules))

    # -- wishes ------------------------------------------------------------------------------------------------------

    def grant(self, wish: Wish) -> str | None:
        """Have the next game as it was wished; why not, if so: then the present one goes on.

        A change of settings goes on with the round, another unit does not.
        """
        what: Mapping[str, Any] = wish.what
        old, why = self.unit, None
        saved, volume = old.save(), old.volume.level
        if "unit" in what:
            why = self._change_to(known_kind(what["unit"]), wish.at_us)
            if why is None:
                return None
            print(why, file=sys.stderr)
        elif "settings" in what:
            self.values = wished_settings(self.values, what["settings"])
            made, plain = settings_of(self.kind, self.values), settings_of(self.kind, self._plain)
            self._clerk.do(partial(self._wished.keep, made, plain, self._options.config))
        elif what["record"] == "stop":
            if self.tape is not None:
                self.tape.runs = False
        else:
            self.tape = Tape()
        self._chosen = self._chosen or why is None
        self._came_with = {"saved": saved, "volume": volume, "start_us": wish.at_us}
        self.unit = Unit(
            self.kind, settings_of(self.kind, self.values), self._seed, saved, volume=volume, start_us=wish.at_us
        )
        self._first = (*_as_it_was(old, self.unit, wish.at_us), *self._left)
        return why

    def _change_to(self, kind: Kind, at_us: int) -> str | None:
        """Have another unit; why not, if so, and then nothing has changed."""
        if kind is self.kind and self._memory is not None:
            self._memory.close()  # it is opened again
        try:
            memory = open_memory(self._options.state, kind, self._clerk.sync)
        except SettingsError as why:
            return str(why)
        if self._memory is not None:
            self._memory.close()
        self._chosen = True
        self.kind, self._memory = kind, memory
        self._wished = Wished(self._options.state, kind.name)
        self.values = self._with_wished(self.values)
        self._wiring = cache(lambda: wiring_of(kind, None))
        self.unit = make_unit(kind, settings_of(kind, self.values), self._seed, memory, at_us)
        self._came_with = {**_came_with(memory, self.unit), "start_us": at_us}
        self._first = (*first_inputs(memory, at_us), *self._left)
        return None


def _as_it_was(old: Unit, new: Unit, at_us: int) -> list[Input]:
    """What *new* has to hear to be where *old* was: broken parts, buttons that are down, switches, battery."""
    inputs: list[Input] = [Seeded(int.from_bytes(os.urandom(6)), at_us)]
    inputs += [Broke(part, why, at_us) for part, why in old.broken.items()]
    inputs += [Contact(name, True, at_us, at_start=True) for name, c in old.contacts.items() if c.closed]
    last_power = sorted(old.positions.items(), key=lambda position: position[0] == "power")
    inputs += [Moved(switch, to, at_us) for switch, to in last_power if to in new.switches.get(switch, ())]
    return [*inputs, Battery(True, at_us)] if old.battery_low else inputs


def _saying(keep: Callable[[], Input | None]) -> Callable[[], Input | None]:
    """*keep*, with words for the log when the round cannot be kept any more, or can again."""

    def keep_and_say() -> Input | None:
        told = keep()
        if isinstance(told, Broke):
            print(f"the round is not kept, the game goes on: {told.why}", file=sys.stderr)
        elif told is not None:
            print("the round is kept again", file=sys.stderr)
        return told

    return keep_and_say


def _came_with(memory: Memory | None, unit: Unit) -> Mapping[str, object]:
    if memory is None:
        return {}
    return {"saved": memory.saved, "memory_fault": memory.damage, "volume": unit.volume.level}
