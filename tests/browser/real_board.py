"""`pilelight play` on a Raspberry Pi's board whose pins are gpiozero's mock ones, as a program of its own.

    python -m tests.browser.real_board triple-play --panel --port 0       [--go-held for safe mode]

Each line on stdin moves a contact: `close go`, `open go`, `close power`. Nothing else is different from a real one but
that there is no strip, no display and no buzzer to drive.
"""

from __future__ import annotations

import sys
import threading
from contextlib import nullcontext

from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware import commands, playing, safemode
from firmware.cli import main
from hal.pi.board import PiBoard, PiSettings
from wiring.model import UnitWiring


def move(wiring: UnitWiring, factory: MockFactory) -> None:
    """Move contacts and switches as stdin says, until it ends."""
    lines = {contact.name: contact.gpio for contact in wiring.contacts}
    lines |= {switch.name: next(iter(switch.closed.values())) for switch in wiring.switches}
    for line in sys.stdin:
        verb, name = line.split()
        pin = factory.pin(lines[name])
        (pin.drive_low if verb == "close" else pin.drive_high)()


def open_mock(wiring: UnitWiring, settings: PiSettings | None = None) -> PiBoard:
    """Open the board, and have stdin move its contacts."""
    bare = wiring._replace(lights=None, display=None, buzzer=None, battery=None)
    factory = MockFactory(pin_class=MockPWMPin)
    board = PiBoard(bare, settings or PiSettings(), factory)
    threading.Thread(target=move, args=(wiring, factory), daemon=True).start()
    return board


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--go-held"]
    is_held = len(words) < len(sys.argv) - 1
    commands.go_is_held = lambda wiring, main: is_held  # type: ignore[assignment]
    for module in (playing, safemode):
        module.open_pi = open_mock  # type: ignore[attr-defined]
        module.first_light = lambda wiring: nullcontext()  # type: ignore[attr-defined]
    raise SystemExit(main(["play", *words, "--board", "pi"]))
