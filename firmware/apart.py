"""`pilelight panel`: pages for a unit that another process plays, such as a service that has no network of its own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from firmware.assembly import all_settings, known_kind, settings_of
from firmware.boards import page_of, tell_others
from firmware.notify import service
from firmware.settings import SettingsError
from firmware.unit import Unit

if TYPE_CHECKING:
    from hal.panel.access import Access

PLACE = "/run/pilelight/{unit}/panel.sock"
KEPT = "access.json"


def panel(options: argparse.Namespace) -> int:
    """Show the unit until somebody ends the program, whether it is played or not. Raises BoardError, SettingsError."""
    from hal.panel.mirrored import Mirrored, end_on_sigterm, give_way, stay

    kind = known_kind(options.unit)
    access = _access(options)
    if options.renew:
        print("a new token and a new PIN are kept; they hold when the panel starts next", file=sys.stderr)
        return 0
    unit = Unit(kind, settings_of(kind, all_settings(None, [], kind)), seed=0)
    end_on_sigterm()
    give_way()
    mirrored = Mirrored({**page_of(unit), "shows_only": True, "away": True}, access=access, port=options.port)
    told = service()

    def say(text: str) -> None:
        print(text, file=sys.stderr)
        told.status(text)

    print(f"shown on {mirrored.board.url}", file=sys.stderr)
    tell_others(mirrored.board.shared_url, mirrored.board.pin)
    told.ready("pages may come")
    try:
        stay(mirrored, options.socket or PLACE.format(unit=kind.name), say)
    finally:
        told.stopping()
        mirrored.close()


def _access(options: argparse.Namespace) -> Access:
    """Who may come in: this machine; with `--lan` also who has the token, which `--state` keeps over a restart."""
    from hal.panel.access import HERE, kept, renewed, to_the_network

    if options.renew and options.state is None:
        raise SettingsError("--renew: name the directory with --state, where token and PIN are kept")
    file = None if options.state is None else Path(options.state, KEPT)
    try:
        if options.renew and file is not None:
            return renewed(file)
        if not options.lan:
            return HERE
        return to_the_network(guests_press=False) if file is None else kept(file)
    except OSError as why:
        raise SettingsError(f"--state {options.state}: token and PIN cannot be kept: {why.strerror}") from None
