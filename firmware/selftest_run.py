"""`pilelight selftest`: a walk through the parts on a board, with a person, a keyboard or a jig that answers."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from firmware.agenda import SECOND
from firmware.assembly import all_settings, fitted, known_kind, settings_of, wiring_of
from firmware.boards import night_watch, pi_settings, print_shown, script, show_page
from firmware.protocol import Reader
from firmware.runner import Runner
from firmware.selftest import PAUSE_US, SelfTest
from firmware.selftest_board import ALL_OF_ITS_LIGHT, Speaker, page_for, stage_of, walk_through
from firmware.selftest_results import junit, passed, table
from firmware.selftest_steps import led_names, steps_of
from firmware.settings import SettingsError
from firmware.unit import Unit
from hal.errors import BoardError
from hal.open import open_board, open_pi
from hal.ports import Board, Input, Listener, Stop
from hal.virtual import VirtualBoard
from wiring.model import UnitWiring

WORDS = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "s": "skip", "skip": "skip"}
HOW = "{main}: a tap is yes, held for a second is no.{keys} Ctrl-C ends the test."
KEYS = " Or type y, n or s (skip), and ENTER."


@runtime_checkable
class TakesAnswers(Protocol):
    """A board that passes on what is typed at a terminal."""

    def answer(self, word: str) -> None:
        """Pass on `yes`, `no` or `skip`; from any thread."""


def selftest(options: argparse.Namespace) -> int:
    """Walk through the parts: 0 all is well, 1 something failed or was not reached, 2 it cannot begin, 130 stopped.

    SettingsError for a command line that makes no sense.
    """
    kind = known_kind(options.unit)
    wiring = wiring_of(kind, options.wiring)
    values = all_settings(options.config, options.set)
    values["common"].update(ALL_OF_ITS_LIGHT)
    unit = Unit(kind, settings_of(kind, values), seed=0)
    within_us = _within_us(options)
    _check_junit(options.junit)
    with ExitStack() as closing:
        try:
            openers = _openers(options, unit, wiring, values["board"], within_us, closing)
            board, reason = open_board(options.board, openers)
        except BoardError as why:
            print(why, file=sys.stderr)
            return 2
        closing.callback(board.close)
        print(reason, file=sys.stderr)
        test = walk_through(unit, wiring, board, options.only, within_us)
        print(HOW.format(main=kind.main.contacts[0].upper(), keys=KEYS if _listen(board) else ""), file=sys.stderr)
        stopped = _walk(test, board, wiring)
    return _report(options, board.name, test, stopped=stopped)


def _check_junit(path: str | None) -> None:
    """Say before the first step, not after the last, that the results cannot be written."""
    if path is None:
        return
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as why:
        raise SettingsError(f"--junit {path}: cannot be written: {why.strerror}") from None


def _within_us(options: argparse.Namespace) -> int | None:
    if not options.auto:
        return None
    within: float = options.within
    if not 0.1 <= within <= 3_600:
        raise SettingsError(f"--within {within:g}: must be seconds from 0.1 to 3600, like 10")
    return round(within * SECOND)


def _openers(
    options: argparse.Namespace, unit: Unit, wiring: UnitWiring, hardware: Mapping[str, Any], within_us: int | None,
    closing: ExitStack,
) -> dict[str, Callable[[], Board]]:
    def panel() -> Board:
        from hal.panel.board import PanelBoard

        board = PanelBoard(page_for(unit), Reader(unit).inputs, port=options.port)
        print(f"testing on {board.url}", file=sys.stderr)
        if not options.no_browser:
            show_page(board.url)
        return board

    def virtual() -> Board:
        lights = len(unit.lights) if wiring.lights is None else wiring.lights.leds
        most_steps = len(steps_of(wiring, "", list(unit.contacts), unit.switches, led_names(lights), 1))
        end_us = 0 if within_us is None else (most_steps + 1) * (within_us + 2 * PAUSE_US)

        def inputs() -> Iterator[Input]:
            yield from script(unit, board.stay_until)

        board = VirtualBoard(inputs(), end_us, write_down=print_shown)
        return board

    def pi() -> Board:
        closing.enter_context(night_watch(wiring))
        return open_pi(fitted(wiring, unit), pi_settings(unit, hardware))

    return {"panel": panel, "pi": pi, "virtual": virtual}


def _listen(board: Board) -> bool:
    """Pass on what is typed, if there is a terminal and the board takes it; whether that is so."""
    if not isinstance(board, TakesAnswers) or not sys.stdin.isatty():
        return False
    threading.Thread(target=_pass_on, args=(sys.stdin.fileno(), board.answer), name="keyboard", daemon=True).start()
    return True


def _pass_on(file: int, answer: Callable[[str], object]) -> None:
    """Read lines until there are no more. Not through `sys.stdin`: its lock would be held when the program ends."""
    rest = b""
    while chunk := os.read(file, 1024):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            typed = line.decode("utf-8", "replace").strip().lower()
            if word := WORDS.get(typed):
                answer(word)
            elif typed:
                print("y, n or s (skip)", file=sys.stderr)


def _walk(test: SelfTest, board: Board, wiring: UnitWiring) -> bool:
    """Play the test on the board; whether somebody stopped it before it was over."""
    stage = stage_of(board, wiring)
    stop: Callable[[], object] = board.stop  # type: ignore[attr-defined]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop())
    listeners: list[Listener] = [Speaker(partial(print, flush=True), stop)]
    if isinstance(board, Listener):
        listeners.append(board)
    try:
        why_over = Runner(test, board, stage, listeners).run()
    finally:
        if stage is not None:
            stage.darken()
    return isinstance(why_over, Stop) and not test.over


def _report(options: argparse.Namespace, board: str, test: SelfTest, *, stopped: bool) -> int:
    results = test.walk.all_results
    print()
    for line in table(results):
        print(line)
    if options.junit:
        try:
            Path(options.junit).write_text(junit(options.unit, board, results), encoding="utf-8")
        except OSError as why:
            print(f"--junit {options.junit}: cannot be written: {why.strerror}", file=sys.stderr)
            return 2
    if stopped:
        return 130
    return 0 if passed(results) else 1
