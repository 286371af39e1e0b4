"""What makes one kind of unit different from another: the one thing that a file in `units` hands over."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias

from firmware.body import Body
from firmware.chart import Chart
from firmware.events import Button
from firmware.outputs import Face, Look
from firmware.settings import Setting

Rules: TypeAlias = Mapping[str, Any]
"""The settings of one section by name."""


def is_count(value: object, most: int) -> bool:
    """Whether *value*, from a saved round, is a whole number from 0 to *most*."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


class Game(Protocol):
    """The round that a unit plays: its data, and what it looks like in each state of its chart."""

    def begin(self) -> None:
        """Say what a fresh power-on says."""

    def lights(self, state: str) -> tuple[Look, ...]:
        """The looks of all lights, in the order of the kind's `lights`."""

    def face(self, state: str) -> Face:
        """What the display shows."""

    def sleeps(self, state: str) -> bool:
        """Whether the unit may fall asleep in *state* when nothing happens (C-6)."""

    def countdown_waits(self, state: str, main_in_doubt: bool, hold_waits: bool) -> bool:
        """Whether a second that is due now waits for a release that is not certain yet (TP-16)."""

    def wheel(self, slot: int | None, at_us: int, awake: bool) -> None:
        """Take a reading of the wheel; None: it cannot be read, and the next reading is a first one."""

    def save(self, state: str) -> dict[str, object] | None:
        """What the next power-on needs to go on from here (C-5), JSON-ready; None when it is to start fresh."""

    def resume(self, saved: Mapping[str, Any]) -> str:
        """Take over what `save` gave, tell `resumed`, and return the state to be in.

        Raises ValueError, KeyError or TypeError when it makes no sense with these settings.
        """


class Kind(NamedTuple):
    """A kind of unit. What its settings can change is a function of them."""

    name: str
    title: str
    buttons: tuple[Button, ...]
    main: Button
    settings: tuple[Setting, ...]
    chart: Chart[Any]
    new_game: Callable[[Body, Mapping[str, str]], Game]
    """Begin at power-on, with the positions that the switches have at that moment (C-2)."""
    switches: Callable[[Rules], Mapping[str, tuple[str, ...]]]
    """The switches and their positions; the first position is where they stand until one is reported."""
    lights: Callable[[Rules], tuple[str, ...]]
    tones: tuple[str, ...]
    icons: Callable[[Rules], tuple[str, ...]] = lambda rules: ()
    """Tones beyond *tones*, one for each icon of a wheel."""
    slots: Callable[[Rules], int] = lambda rules: 0
    """How many slots the wheel has; 0 for a unit without one."""
    times_us: Mapping[str, int] = MappingProxyType({})
    """Times that rows of the chart name and nobody may set."""
    off_state: str | None = None
    """The state of the chart that means off, for a unit that is switched by its main button."""
    sleep_setting: str | None = "sleep_after"
    """Which setting has its sleep time; one of its own section hides the common one. None: it never sleeps."""

    @property
    def section(self) -> str:
        """The name of its section in the settings."""
        return self.name.replace("-", "_")
