"""The command line. Exit status: 0 all is well; 1 something was found (a difference, a stale drawing, a fault);
2 what was asked makes no sense or cannot be done here; 130 interrupted from the keyboard.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from firmware import __version__
from firmware.settings import SettingsError
from firmware.units import UNITS
from hal.errors import BoardError

PORT = 8765
DELEGATED = {
    "calibrate": ("hal.pi.calibrate", "measure pressure pads on a Raspberry Pi"),
    "wiring": ("wiring.cli", "check, draw and list the wiring of a unit"),
}
"""Commands that have a command line of their own: the module with its `main(argv)`, and what they are for."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in DELEGATED:
        return _delegate(words[0], words[1:])
    if not words:
        _parser().print_help(sys.stderr)
        return 2
    options = _parser().parse_args(words)
    try:
        status: int = options.run(options)
    except (SettingsError, BoardError) as why:
        print(why, file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as why:
        if why.filename is None:  # no file of ours: what is printed cannot be written
            print(f"the output cannot be written: {why.strerror}", file=sys.stderr)
            sys.stdout = None
        else:
            print(f"{why.filename}: {why.strerror}", file=sys.stderr)
        return 2
    return status


def _delegate(command: str, words: list[str]) -> int:
    from importlib import import_module

    status: int = import_module(DELEGATED[command][0]).main(words)
    return status


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal, which argparse itself would load half of `shutil` for at every start."""

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size().columns
        except OSError:
            columns = 80
        super().__init__(prog, width=min(columns, 120) - 2)


class _Parser(argparse.ArgumentParser):
    """A parser with that help."""

    def __init__(self, **given: Any) -> None:
        super().__init__(formatter_class=_Help, **given)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pilelight",
        description="Firmware for do-it-yourself electronic card-game units.",
        epilog="exit status: 0 fine (Ctrl-C ends play so), 1 something was found, 2 cannot be done, 130 interrupted",
    )
    parser.add_argument("--version", action="version", version=f"pilelight {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    bench = commands.add_parser("bench", help="run a unit in virtual time: JSON lines in, JSON lines out")
    _unit_argument(bench)
    _common_arguments(bench)
    bench.add_argument("--frames", action="store_true", help="also tell the bytes of the strip whenever they change")
    bench.set_defaults(run=_bench)

    play = commands.add_parser("play", help="play a unit, in a browser or on the real board")
    play.add_argument("unit", nargs="?", metavar="UNIT", help="default: triple-play; a page asks first")
    _common_arguments(play)
    play.add_argument("--board", metavar="BOARD", help="panel, pi or virtual (default: what fits this machine)")
    _wiring_argument(play)
    play.add_argument("--panel", action="store_true", help="beside another board: show it in a browser, too")
    play.add_argument("--panel-socket", metavar="PATH", help="beside another board: let `pilelight panel` come there")
    _page_arguments(play)
    play.add_argument("--lan", action="store_true", help="let phones in this network open the page, too; prints a code")
    play.add_argument("--guests", choices=("press", "look"), default="press", help="with --lan: what they may do there")
    play.add_argument("--lab", action="store_true", help="with a fault bench on the page: break parts, pull the plug")
    play.add_argument("--watch", metavar="FILE", help="show a record in the browser, at any moment and speed")
    play.add_argument("--record", type=_path, metavar="FILE", help="write down everything that goes in and out")
    play.set_defaults(run=_play)

    panel = commands.add_parser("panel", help="show a unit in a browser that another process plays, as a service does")
    _unit_argument(panel)
    panel.add_argument("--socket", metavar="PATH", help="where that lets it in (default: that of the service)")
    panel.add_argument("--port", type=_port, default=PORT, help=f"port of the page (default: {PORT})")
    panel.add_argument("--lan", action="store_true", help="let phones in this network open the page, too")
    panel.add_argument("--state", type=_path, metavar="DIR", help="with --lan: keep the token and the PIN here")
    panel.add_argument("--renew", action="store_true", help="with --state: make a new token and a new PIN, and end")
    panel.set_defaults(run=_panel)

    dark = commands.add_parser("dark", help="on a Raspberry Pi: lights dark, display blank, buzzer silent, at once")
    _unit_argument(dark)
    _wiring_argument(dark)
    dark.set_defaults(run=_dark)

    replay = commands.add_parser("replay", help="play a record again and compare what comes out")
    replay.add_argument("file", metavar="FILE")
    replay.set_defaults(run=_replay)

    charts = commands.add_parser("charts", help="draw the state machines into docs/charts")
    charts.add_argument("--check", action="store_true", help="only say which drawings are stale (exit status 1)")
    charts.add_argument("--output", default="docs/charts", metavar="DIR", help="default: docs/charts")
    charts.set_defaults(run=_charts)

    _add_care(commands)
    for name, (_, purpose) in DELEGATED.items():
        commands.add_parser(name, help=purpose, add_help=False)
    return parser


def _add_care(commands: argparse._SubParsersAction[_Parser]) -> None:
    """The commands for whoever builds or mends a unit."""
    doctor = commands.add_parser("doctor", help="say what this machine has for a unit, what it lacks, and the cure")
    doctor.add_argument("unit", nargs="?", metavar="UNIT", help="a unit or a wiring file; else what all need")
    doctor.add_argument("--state", metavar="DIR", help="where the round is kept (default: that of the service)")
    doctor.add_argument("--json", action="store_true", help="for programs")
    doctor.set_defaults(run=_doctor)

    selftest = commands.add_parser("selftest", help="walk through every part of a unit, with a person or a jig")
    _unit_argument(selftest)
    selftest.add_argument("--board", metavar="BOARD", help="pi, panel or virtual (default: what fits this machine)")
    _wiring_argument(selftest)
    _settings_arguments(selftest)
    selftest.add_argument("--only", action="append", default=[], metavar="PART", help="only this part; again for more")
    selftest.add_argument("--auto", action="store_true", help="fail what gets no answer in time, as on a jig")
    selftest.add_argument("--within", type=float, default=10, metavar="SECONDS", help="that time (default: 10)")
    selftest.add_argument("--junit", metavar="FILE", help="write the results there, as JUnit's XML")
    _page_arguments(selftest)
    selftest.set_defaults(run=_selftest)

    report = commands.add_parser("report", help="write one file with what a bug report needs, without secrets")
    report.add_argument("unit", nargs="?", metavar="UNIT", help="a unit or a wiring file")
    report.add_argument("--output", metavar="FILE", help="default: pilelight-report-DATE-TIME.zip, here")
    report.add_argument("--config", metavar="FILE", help="settings in TOML, besides those of the service")
    report.add_argument("--state", metavar="DIR", help="where the round is kept (default: that of the service)")
    report.add_argument("--log", metavar="FILE", help="a log (default: the service's, from the journal)")
    report.add_argument("--record", metavar="FILE", help="the record of a round: what play --record wrote")
    report.set_defaults(run=_report)


def _path(text: str) -> str:
    """The name of a file or a directory, for argparse."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _port(text: str) -> int:
    """A port, for argparse."""
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535")
    return int(text)


def _unit_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="UNIT", help=", ".join(UNITS))


def _wiring_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wiring", metavar="NAME|FILE", help="wiring of the unit (default: the one named like it)")


def _page_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=PORT, help=f"port of the page (default: {PORT}; 0: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only serve the page, open no browser")


def _common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, help="make chance repeat itself")
    _settings_arguments(parser)
    parser.add_argument(
        "--state", type=_path, metavar="DIR", help="keep the round here, so that a pulled plug loses nothing"
    )


def _settings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="a setting, its value in JSON"
    )
    parser.add_argument("--config", type=_path, metavar="FILE", help="settings in TOML")


def _bench(options: argparse.Namespace) -> int:
    from firmware.commands import bench

    return bench(options)


def _play(options: argparse.Namespace) -> int:
    from firmware.commands import play
    from firmware.log import nobody_has_to_listen

    with nobody_has_to_listen():
        return play(options)


def _panel(options: argparse.Namespace) -> int:
    from firmware.apart import panel
    from firmware.log import nobody_has_to_listen

    with nobody_has_to_listen():
        return panel(options)


def _dark(options: argparse.Namespace) -> int:
    from firmware.commands import darken

    return darken(options)


def _replay(options: argparse.Namespace) -> int:
    from firmware.commands import replay_file

    return replay_file(options)


def _charts(options: argparse.Namespace) -> int:
    from firmware.commands import draw_charts

    return draw_charts(options)


def _doctor(options: argparse.Namespace) -> int:
    from firmware.doctor import doctor

    return doctor(options)


def _selftest(options: argparse.Namespace) -> int:
    from firmware.selftest_run import selftest

    return selftest(options)


def _report(options: argparse.Namespace) -> int:
    from firmware.report import report

    return report(options)
