"""A self-test on a board: what `pilelight selftest` and safe mode have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from firmware.boards import page_of
from firmware.looks import Renderer
from firmware.selftest import SelfTest
from firmware.selftest_steps import SWEEP, led_names, only, single_leds, steps_of
from firmware.settings import SettingsError
from firmware.stage import Stage
from firmware.tones import tune
from firmware.unit import Unit
from hal.ports import Board, Telling
from wiring.model import UnitWiring

ALL_OF_ITS_LIGHT: Mapping[str, Any] = {"brightness": 1.0, "colour_patterns": False}
"""The common settings with which a part is judged."""


class Speaker:
    """Says in words what is asked and how it ended."""

    def __init__(self, say: Callable[[str], object], over: Callable[[], object]) -> None:
        """*over* is called when the walk is."""
        self._say, self._over = say, over

    def hear(self, moment: Telling) -> None:
        """See `hal.ports.Listener`."""
        for output in moment.outputs:
            match output:
                case {"event": "self-test", "step": step, "of": of, "ask": ask}:
                    self._say(f"{step:>2}/{of}  {ask}")
                case {"event": "tested", "verdict": verdict}:
                    self._say(f"       {verdict}{': ' if 'detail' in output else ''}{output.get('detail', '')}")
                case {"event": "self-test-over"}:
                    self._over()


def page_for(unit: Unit) -> dict[str, Any]:
    """What a page needs to draw the unit while it is tested."""
    page = page_of(unit)
    page["tones"].update((name, [list(note) for note in tune(name, SWEEP)]) for name in (*SWEEP, "beep", "denied"))
    return page


def walk_through(
    unit: Unit, wiring: UnitWiring, board: Board, parts: Collection[str] = (), within_us: int | None = None,
    *, announced: bool = False,
) -> SelfTest:
    """The walk through *parts* of the unit on this board (all unless some are named), to begin now.

    Where the board has a strip its LEDs are lit singly. Raises SettingsError for a part that is not there. The rest is
    as for `SelfTest`; *announced*: lights and display say that it begins, and how it ended.
    """
    kind, contacts = unit.kind, list(unit.contacts)
    lamps = unit.lights if board.strip is None or wiring.lights is None else led_names(wiring.lights.leds)
    main, slots = kind.main.contacts[0], kind.slots(unit.rules)
    try:
        steps = only(steps_of(wiring, main, contacts, unit.switches, lamps, slots), parts)
    except ValueError as why:
        raise SettingsError(f"--only: {why}") from None
    return SelfTest(
        steps, contacts, main, tuple(dict.fromkeys((*lamps, *unit.lights))), slots=slots, within_us=within_us,
        debounce_us=unit.durations_us["debounce"], announced_on=lamps if announced else (),
        start_us=board.now_us(),
    )  # fmt: skip


def stage_of(board: Board, wiring: UnitWiring) -> Stage | None:
    """The stage of a board that has parts to drive, each LED of its strip a light of its own."""
    if board.strip is None and board.display is None and board.buzzer is None:
        return None
    lights = wiring.lights
    if lights is not None:
        lights = lights._replace(layout=(*single_leds(lights.leds), *lights.layout))
    return Stage(board, Renderer(lights) if lights is not None else None, SWEEP)
