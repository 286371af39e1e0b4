"""Setting the volume with the main button, the same in every unit that has one (TP-17, SP-12, PA-6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from firmware.body import Body
from firmware.chart import After, On
from firmware.events import WOKEN, Button
from firmware.outputs import Face

VOLUME = "volume"
VOLUME_IDLE = "volume-idle"
REPORTS = {VOLUME_IDLE: VOLUME}


class HasBody(Protocol):
    """A game whose volume can be set: it remembers in which state that began."""

    body: Body
    before_volume: str
    go_is_armed: bool
    """Whether the press of the main button that lasts was taken where it can open the volume."""


def is_armed(game: HasBody, _: int, at_us: int) -> bool:
    return game.go_is_armed


def step_volume(game: HasBody, _: int, at_us: int) -> None:
    game.body.volume.step()
    game.body.tone("beep")


def let_go(game: HasBody, _: int, at_us: int) -> None:
    game.body.volume.opening = False


def face(body: Body) -> Face:
    """What the display shows meanwhile."""
    return Face(str(body.volume.level), busy=True)


def rows(
    main: Button,
    opens_from: Sequence[str],
    close: Callable[[Any, int, int], None],
    back_to: Sequence[str] = (),
    back: Callable[[Any, str], str] = lambda game, state: state,
) -> tuple[On[Any], ...]:
    """The rows of the volume: opened from any of *opens_from* by holding *main*, closed by itself.

    *close* is done when it goes back. It goes back to where it was opened, or to the one of *back_to* that *back*
    (given the game and the state it was opened from) says.
    """

    def opened_from(state: str) -> Callable[[HasBody, int, int], None]:
        def open_volume(game: HasBody, _: int, at_us: int) -> None:
            game.before_volume = back(game, state)
            game.go_is_armed = False
            game.body.countdown.stand(at_us)
            game.body.volume.open()
            game.body.tone("beep")

        return open_volume

    def goes_back(state: str) -> Callable[[HasBody, int, int], bool]:
        def came_from(game: HasBody, _: int, at_us: int) -> bool:
            return game.before_volume == state

        came_from.__name__ = f"came_from_{state}"
        return came_from

    return (
        *(On(s, main.held("hold_for_volume"), VOLUME, when=is_armed, do=opened_from(s)) for s in opens_from),
        On(VOLUME, main.released, VOLUME_IDLE, do=let_go),
        On(VOLUME, WOKEN, VOLUME_IDLE, do=let_go),
        On(VOLUME_IDLE, main.pressed, VOLUME, do=step_volume),
        *(On(VOLUME_IDLE, After("volume_idle"), s, when=goes_back(s), do=close) for s in back_to or opens_from),
    )
