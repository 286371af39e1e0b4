"""Which board a unit plays on: by name, or by what this machine is. The only place that picks one.

A choice always comes with its reason, in words to print. Nothing is tried in place of the board that was chosen: on a
Pi whose lines are busy the game does not start in a browser instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hal.errors import UnknownBoard
from hal.ports import Board

if TYPE_CHECKING:
    from hal.pi.board import PiBoard, PiSettings
    from wiring.model import UnitWiring

PI, PANEL = "pi", "panel"
MODEL = Path("/proc/device-tree/model")


class Machine(NamedTuple):
    """What a choice depends on: the model, if this is a Raspberry Pi, and its GPIO chips ("gpiochip0")."""

    model: str | None
    gpio_chips: tuple[str, ...]


class Opened(NamedTuple):
    """An open board, and why it is this one."""

    board: Board
    reason: str


def this_machine(model: Path = MODEL, dev: Path = Path("/dev")) -> Machine:
    """Return what this machine is. Only reads; opens nothing."""
    try:
        named = model.read_text(encoding="utf-8", errors="replace").rstrip("\0\n")
    except OSError:
        named = ""
    chips = tuple(sorted(chip.name for chip in dev.glob("gpiochip*")))
    return Machine(named if named.startswith("Raspberry Pi") else None, chips)


def choose_board(asked: str | None, names: Mapping[str, object], machine: Machine) -> tuple[str, str]:
    """Return the name of the board to open and the reason. Raises `UnknownBoard`, listing *names*."""
    if asked is not None:
        if asked not in names:
            raise UnknownBoard(f"there is no board {asked!r}; there are: {', '.join(sorted(names))}")
        return asked, f"board {asked}: asked for"
    if machine.model is None:
        return PANEL, "board panel: this machine is no Raspberry Pi"
    if not machine.gpio_chips:
        return PANEL, f"board panel: {machine.model}, but the kernel shows no GPIO chip (/dev/gpiochip*)"
    return PI, f"board pi: {machine.model} with {', '.join(machine.gpio_chips)}"


def chosen_board(asked: str | None) -> str:
    """Return the name of the board that `open_board` would open, whether there is one of that name or not."""
    return asked if asked is not None else choose_board(None, {}, this_machine())[0]


def open_board(
    asked: str | None, openers: Mapping[str, Callable[[], Board]], machine: Callable[[], Machine] = this_machine
) -> Opened:
    """Open the board named *asked* (None: the one that fits this machine) with its opener; return it and the reason.

    *openers* has at least `pi` and `panel`; each is called without arguments and only when chosen, so that it can
    import what it needs. Raises what it raises; `UnknownBoard` for a name that is not in *openers*.
    """
    name, reason = choose_board(asked, openers, machine())
    return Opened(openers[name](), reason)


def open_pi(wiring: UnitWiring, settings: PiSettings | None = None) -> PiBoard:
    """Return the board of this Raspberry Pi, wired as *wiring* says. Raises `BoardError`."""
    from hal.pi.board import PiBoard, PiSettings

    return PiBoard(wiring, settings or PiSettings())
