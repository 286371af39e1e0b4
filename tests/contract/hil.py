"""A real Raspberry Pi that presses its own buttons: the jig of bench/*.toml, as a rig.

The only rig on which time is real, and on which something may be missing: a wire that is not there skips the test and
is named.
"""

import os
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from hal.errors import BoardError
from hal.open import this_machine
from hal.pi.board import PiBoard
from hal.pi.clock import now_us
from hal.pi.pins import open_factory
from hal.ports import Seeded
from wiring.load import load_board
from wiring.model import Contact, UnitWiring

BENCH = Path(__file__).resolve().parents[2] / "bench"
KERNEL_US = 10_000
"""From a line that changes to its stamp, on a busy Pi."""
LONGEST_CLOSE_US = 2_000_000


class Wire(NamedTuple):
    """From the line that plays the finger to the line of a contact."""

    name: str
    finger: int
    contact: int
    resistor_ohm: int

    def __str__(self):
        return f"{place(self.finger)} through {self.resistor_ohm} ohm to {place(self.contact)}"


def place(gpio):
    """Return where a line is on the header, the same on every board: GPIO22 (pin 15)."""
    return f"GPIO{gpio} (pin {load_board('rpi4').pin(gpio).number})"


class Jig(NamedTuple):
    """What a file of bench/ says."""

    gpio: str
    wires: tuple[Wire, ...]
    tone: Wire | None


def load_jig(path=None):
    """Return the jig of the file, or of the one that PILELIGHT_BENCH names, or of bench/loopback.toml."""
    table = tomllib.loads(Path(path or os.environ.get("PILELIGHT_BENCH", BENCH / "loopback.toml")).read_text())
    wires = tuple(Wire(name, **wire) for name, wire in table["wires"].items())
    tone = table.get("tone")
    ear = tone and Wire("buzzer", tone["buzzer"], tone["ear"], tone["resistor_ohm"])
    return Jig(table["gpio"], wires, ear)


def missing(wire):
    pytest.skip(f"hil: no wire from {wire}; see docs/hil.md")


class HilRig:
    """The board on the jig's contacts, and the jig's fingers."""

    name = "hil"

    def __init__(self, monkeypatch, held=(), factory=None, jig=None):
        self.jig = jig or load_jig()
        self.factory = factory or self._open_factory()
        self._wires = {wire.name: wire for wire in self.jig.wires}
        for wire in self.jig.wires:
            self._try(wire)
        for line in held:
            self.drive(line, closed=True)
        self._start_us = now_us()
        self.board = PiBoard(_unit(self.jig.wires), factory=self.factory)

    def _open_factory(self):
        if this_machine().model is None:
            pytest.skip(f"hil: this is no Raspberry Pi; on one, wire {'; '.join(map(str, self.jig.wires))}")
        try:
            return open_factory(self.jig.gpio)
        except BoardError as error:
            pytest.skip(f"hil: {error}")

    def _try(self, wire):
        """Skip, naming the wire, unless the contact follows the finger both ways."""
        contact = self.factory.pin(wire.contact)
        contact.function = "input"
        contact.pull = "up"
        levels = []
        for closed in (False, True, False):
            self._finger(wire, closed)
            levels.append(bool(contact.state))
        if levels != [True, False, True]:
            self.factory.close()
            missing(wire)

    def _finger(self, wire, closed):
        """Pull the contact to ground, or let it go: like a button, the finger never drives it high."""
        pin = self.factory.pin(wire.finger)
        if closed:
            pin.function = "output"
            pin.state = 0
        else:
            pin.function = "input"
            pin.pull = "floating"
        time.sleep(0.001)

    def now(self):
        return now_us() - self._start_us

    def drive(self, line, closed):
        if line not in self._wires:
            pytest.skip(f"hil: {line} has no wire in bench/; see docs/hil.md")
        self._finger(self._wires[line], closed)
        return now_us() - getattr(self, "_start_us", 0)

    def advance(self, by_us):
        time.sleep(by_us / 1e6)

    def hear(self, for_us=100_000):
        until_us = self.now() + for_us
        told = []
        while self.board.now_us() < until_us:
            told += [given for given in self.board.wait(until_us) if not isinstance(given, Seeded)]
        return told

    def began(self):
        return self.hear(50_000)

    def agrees(self, told, expected):
        """Whether the board told the same, in the same order, each with a stamp close to when the finger moved."""
        return len(told) == len(expected) and all(
            given[:2] == meant[:2] and abs(given.at_us - meant.at_us) < KERNEL_US
            for given, meant in zip(told, expected, strict=True))

    def close(self):
        began_us = now_us()
        self.board.close()
        assert now_us() - began_us < LONGEST_CLOSE_US


def _unit(wires):
    fields = dict.fromkeys(UnitWiring._fields)
    contacts = tuple(
        Contact(**dict.fromkeys(Contact._fields) | {"name": wire.name, "gpio": wire.contact}) for wire in wires)
    return UnitWiring(**fields | {"name": "jig", "file": "bench", "contacts": contacts, "pressure_pads": (),
                                  "switches": ()})
