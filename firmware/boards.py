"""What the boards of `pilelight play` need to know of a unit, and what they show of it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.moment import stamp
from firmware.protocol import Reader, Refused, header
from firmware.settings import SettingsError
from firmware.tones import tune
from firmware.unit import Unit
from firmware.units import UNITS
from hal.errors import BoardError
from hal.ports import Answered, Input, Wish
from hal.virtual import Shown

if TYPE_CHECKING:
    from hal.panel.access import Access
    from hal.panel.board import PanelBoard
    from hal.panel.mirror import Mirror, Way
    from hal.panel.room import Parse
    from hal.pi.board import PiSettings
    from hal.pi.nightwatch import NightWatch
    from wiring.model import UnitWiring


PANEL_USER = "pilelight-panel"  # of systemd/pilelight.sysusers


def page_of(unit: Unit) -> dict[str, Any]:
    """What a page needs to draw the unit and to sound like it."""
    icons = unit.kind.icons(unit.rules)
    first = json.loads(header(unit, 0, __version__))
    return {
        "header": first,
        "tones": {name: [list(note) for note in tune(name, icons)] for name in first["tones"]},
    }


def record_to_watch(path: str) -> tuple[str, str]:
    """The unit that a record is of, and its text. SettingsError for a file that is none; the page tells damage."""
    not_a_record = SettingsError(f"--watch {path}: not a record: its first line names none of {', '.join(UNITS)}")
    try:
        text = Path(path).read_text(encoding="utf-8")
        unit = json.loads(text.partition("\n")[0])["unit"]
    except OSError as why:
        raise SettingsError(f"--watch {path}: cannot be read: {why.strerror}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise not_a_record from None
    if not isinstance(unit, str) or unit not in UNITS:
        raise not_a_record
    return unit, text


def open_panel(
    options: argparse.Namespace, page: Mapping[str, Any], parse: Parse, downloads: Mapping[str, Callable[[], str]]
) -> PanelBoard:
    """Open the unit's page, with `--lan` to the whole network, and say where it is."""
    from hal.panel.board import PanelBoard

    board = PanelBoard(page, parse, port=options.port, access=_access(options), downloads=downloads)
    print(f"playing on {board.url}", file=sys.stderr)
    tell_others(board.shared_url, board.pin)
    if not options.no_browser:
        show_page(board.url)
    return board


def open_mirrors(
    options: argparse.Namespace, page: Mapping[str, Any], understand: Parse,
    put: Callable[[Wish | Answered], object], files: Mapping[str, Callable[[], Iterable[str]]],
) -> list[Mirror]:
    """Open what shows the unit beside its own board: a page of its own, and a place where a panel may come to."""
    if not (options.panel or options.panel_socket):
        return []
    from hal.panel.mirror import Mirror

    return [Mirror(page, way, understand, put, files) for way in _ways(options)]


def _ways(options: argparse.Namespace) -> Iterator[Way]:
    from hal.panel.ways import Meeting, Spawned

    if options.panel:
        access = _access(options)
        spawned = Spawned(port=options.port, access=access)
        print(f"shown on {spawned.url}", file=sys.stderr)
        tell_others(spawned.shared_url, access.pin)
        yield spawned
    if options.panel_socket:
        try:
            yield Meeting(options.panel_socket, panel_users())
        except BoardError as why:
            print(why, file=sys.stderr)  # the table can do without


def panel_users() -> set[int]:
    """The numbers of the users whose panel may show a unit of ours: ourselves, root, and the service's."""
    import pwd

    users = {0, os.getuid()}
    with suppress(KeyError):
        users.add(pwd.getpwnam(PANEL_USER).pw_uid)
    return users


def _access(options: argparse.Namespace) -> Access:
    from hal.panel.access import HERE, to_the_network

    return to_the_network(guests_press=options.guests == "press") if options.lan else HERE


def tell_others(url: str | None, pin: str | None) -> None:
    """Print what people with phones need to come in: the address and its code, and the owner's PIN."""
    if url is not None:
        from hal.panel.access import print_code

        print(f"for phones in this network: {url}", file=sys.stderr)
        if pin is not None:
            print(f"the owner's PIN: {pin}", file=sys.stderr)
        print_code(url, sys.stderr)


def show_page(url: str) -> None:
    """Open a browser if this machine has a screen for one; otherwise the printed address must do."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    webbrowser.open(url)


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
        brightness=unit.settings["common"]["brightness"],
    )


def night_watch(wiring: UnitWiring) -> NightWatch:
    """Who makes the unit dark if this program is killed. To be opened before threads, lines and lights, closed last."""
    from hal.pi.dark import darken
    from hal.pi.nightwatch import NightWatch

    return NightWatch(partial(darken, wiring))


@contextmanager
def first_light(wiring: UnitWiring) -> Iterator[None]:
    """Let one LED glow while a block opens the board, which takes seconds; put it out if the block fails.

    Why it could not glow is told later, by the strip itself.
    """
    from hal.pi.dark import first_light, no_light

    if wiring.lights is not None:
        with suppress(OSError):
            first_light(wiring.lights)
    try:
        yield
    except BaseException:
        if wiring.lights is not None:
            with suppress(OSError):
                no_light(wiring.lights)
        raise


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
