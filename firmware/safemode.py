"""Safe mode: GO was held when the unit got its power. Default settings, a self-test and the panel only.

Nothing is played, and no round is read or kept. The self-test is answered on the unit (a tap of GO is yes, held for a
second is no) or, by this machine and the owner, on pages. At its end lights and display say how it went. Then the unit
waits, and pages may still put settings together and save them as a file, until its power goes off and on.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.assembly import all_settings, fitted, settings_of, wiring_of
from firmware.boards import first_light, night_watch, open_mirrors, pi_settings
from firmware.clerk import Clerk
from firmware.kind import Kind
from firmware.notify import Examined, Pulse, Service, Well, service
from firmware.presets import presets_of
from firmware.protocol import Refused
from firmware.reception import Reception, as_wired, described, wished_settings
from firmware.runner import Runner
from firmware.selftest_board import ALL_OF_ITS_LIGHT, Speaker, page_for, stage_of, walk_through
from firmware.selftest_results import SELFTEST, table
from firmware.selftest_walk import ANSWERS
from firmware.settings import COMMON, Values, to_toml
from firmware.unit import Unit
from hal.errors import BoardError
from hal.open import open_pi
from hal.ports import Answered, Board, Input, Moved, TakesWishes, Wish
from hal.whole import write_whole

if TYPE_CHECKING:
    from hal.panel.mirror import Mirror
    from wiring.model import UnitWiring

BEGINS = "{main} is held: safe mode, with default settings, a self-test and the panel only; no round is read or kept"
HOW = "{main}: a tap is yes, held for a second is no"
OVER = "the self-test is over: {counts}; to play, switch the power off and on"


def safe_mode(options: argparse.Namespace, kind: Kind) -> int:
    """Test the unit on its board until its power goes off and on, or somebody stops the program; the exit status."""
    mode = SafeMode(kind, wiring_of(kind, options.wiring), service())
    main = kind.main.contacts[0].upper()
    print(BEGINS.format(main=main), file=sys.stderr)
    with ExitStack() as closing:
        closing.enter_context(night_watch(mode.wiring))
        try:
            with first_light(mode.wiring):
                board = open_pi(fitted(mode.wiring, mode.unit), pi_settings(mode.unit, mode.values["board"]))
        except BoardError as why:
            print(why, file=sys.stderr)
            return 2
        closing.callback(board.close)
        print(HOW.format(main=main), file=sys.stderr)
        mode.walk_on(board, options)
    return 0


class SafeMode:
    """A unit in safe mode, what pages may do about it, and what becomes of the results."""

    def __init__(self, kind: Kind, wiring: UnitWiring, told: Service) -> None:
        """*told* hears what is asked. Nothing is opened yet."""
        self.kind, self.wiring = kind, wiring
        self.values: Values = all_settings(None, [])
        self.unit = self._unit()  # as pages see it
        self._told, self._clerk = told, Clerk()
        self._taking = threading.Lock()  # pages come by two ways at most, each with a thread of its own
        self._mirrors: Sequence[Mirror] = ()

    def _unit(self, **common: object) -> Unit:
        values = settings_of(self.kind, self.values)
        return Unit(self.kind, {**values, "common": {**values["common"], **common}}, seed=0)

    def walk_on(self, board: Board, options: argparse.Namespace) -> None:
        """Walk through the parts on *board*, then wait. *options* are those of `pilelight play`."""
        told = self._told
        stop: Callable[[], object] = board.stop  # type: ignore[attr-defined]

        def end(*_: object) -> None:
            told.stopping()
            stop()

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, end)
        stage = stage_of(board, self.wiring)
        self._open_mirrors(board, options)
        test = walk_through(self._unit(**ALL_OF_ITS_LIGHT), self.wiring, board, announced=True)
        speaker = Speaker(self._say, lambda: self._end(tuple(table(test.walk.results)), options))
        power = Power(lambda: test.over, stop)
        pulse = Pulse(told, board.health if isinstance(board, Examined) else Well)
        before = [power.heard, *(mirror.heard for mirror in self._mirrors)]
        try:
            Runner(test, board, stage, [speaker, *self._mirrors], before, pulse=pulse).run()
        finally:
            if stage is not None:
                stage.darken()  # C-21
            for mirror in self._mirrors:
                mirror.close()
            self._clerk.close()

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr)
        self._told.status(f"safe mode: {text.strip()}")

    def _end(self, lines: Sequence[str], options: argparse.Namespace) -> None:
        """Tell the results, and keep them for `pilelight report`."""
        for line in lines:
            print(line, file=sys.stderr)
        self._say(OVER.format(counts=lines[-1]))
        if options.state is not None:
            self._clerk.do(partial(keep, Path(options.state), self.kind.name, lines))

    # -- pages ---------------------------------------------------------------------------------------------------------

    def _open_mirrors(self, board: Board, options: argparse.Namespace) -> None:
        if isinstance(board, TakesWishes):
            put, files = board.put, {"settings.toml": lambda: [self.settings_as_toml()]}
            take: Callable[[Wish | Answered], object] = lambda given: self._take(given, put)  # noqa: E731
            self._mirrors = open_mirrors(options, self.page(), self.understand, take, files)

    def page(self) -> dict[str, Any]:
        """What a page needs to show the test, to answer it, and to put settings together."""
        presets = as_wired(self.unit, self.values, presets_of(self.kind))
        more = {"settings": described(self.kind, COMMON), "presets": presets, "shows_only": True, "answers": True}
        return {**page_for(self.unit), **more}

    def settings_as_toml(self) -> str:
        """The settings that pages have put together, as a file for `--config`."""
        return to_toml(self.values, {"common": COMMON, self.kind.section: self.kind.settings})

    def understand(self, message: Mapping[str, Any], at_us: int) -> Sequence[Input]:
        """What a page may want here: an answer to what is asked, or settings. Raises ValueError, in words."""
        if "record" in message:
            raise Refused("in safe mode nothing is played, and nothing recorded")
        if "answer" not in message:
            return Reception(self.unit, built=self.values).understand(message, at_us)
        word = message["answer"]
        if len(message) > 1 or not isinstance(word, str) or word not in ANSWERS:
            raise Refused(f"'answer' stands alone and must be {', '.join(ANSWERS)}")
        return [Answered(word, at_us)]

    def _take(self, given: Wish | Answered, put: Callable[[Wish | Answered], object]) -> None:
        """Hand an answer over to the test. Other settings are only for pages: the test has its own."""
        if isinstance(given, Answered):
            put(given)
            return
        wish: Mapping[str, Any] = given.what
        with self._taking:
            self.values = wished_settings(self.values, wish["settings"])
            self.unit = self._unit()
        for mirror in self._mirrors:
            mirror.turn_to(self.page(), self.understand, goes_on=True)


class Power:
    """Ends safe mode once the power switch of the unit, if it has one, goes off and on after the test is over."""

    def __init__(self, over: Callable[[], bool], end: Callable[[], object]) -> None:
        self._over, self._end = over, end
        self._was = ""

    def heard(self, given: Input) -> None:
        """Take an input that the test is about to get."""
        if isinstance(given, Moved) and given.switch == "power":
            if self._over() and (self._was, given.to) == ("off", "on"):
                self._end()
            self._was = given.to


def keep(folder: Path, unit: str, lines: Sequence[str]) -> None:
    """Put the results of *unit* into *folder*, whole or not at all: the plug comes next. That it cannot be is said."""
    file = folder / f"{unit}{SELFTEST}"
    try:
        write_whole(file, "\n".join([f"pilelight {__version__}, {unit}", *lines, ""]))
    except OSError as why:
        print(f"{file}: the results cannot be kept: {why.strerror}", file=sys.stderr)
