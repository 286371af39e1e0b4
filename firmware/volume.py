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

    def main_is_armed(self) -> bool:
        """Whether the press of the main button that lasts was taken where it can open the volume."""


def is_armed(game: HasBody, _: int) -> bool:
    return game.main_is_armed()


def volume_step(game: HasBody, _: int, at_us: int) -> None:
    game.body.volume.step()
    game.body.tone("beep")


def volume_let_go(game: HasBody, _: int, at_us: int) -> None:
    game.body.volume.opening = False


def face(body: Body) -> Face:
    """What the display shows meanwhile."""
    return Face(str(body.volume.level), busy=True)


def rows(
    main: Button,
    opens_from: Sequence[tuple[str, str]],
    close: Callable[[Any, int, int], None],
) -> tuple[On[Any], ...]:
    """The rows of the volume. *opens_from* are pairs: a state it is opened from, and the state it goes back to.

    *close* is done when it goes back.
    """

    def opened_from(back: str) -> Callable[[HasBody, int, int], None]:
        def open_volume(game: HasBody, _: int, at_us: int) -> None:
            game.before_volume = back
            game.body.countdown.stand(at_us)
            game.body.volume.open()
            game.body.tone("beep")

        return open_volume

    def came_from(back: str) -> Callable[[HasBody, int], bool]:
        def from_here(game: HasBody, _: int) -> bool:
            return game.before_volume == back

        from_here.__name__ = f"opened_in_{back}"
        return from_here

    ways_back = dict.fromkeys(back for _, back in opens_from)
    return (
        *(On(s, main.held("hold_for_volume"), VOLUME, when=is_armed, do=opened_from(b)) for s, b in opens_from),
        On(VOLUME, main.released, VOLUME_IDLE, do=volume_let_go),
        On(VOLUME, WOKEN, VOLUME_IDLE),
        On(VOLUME_IDLE, main.pressed, VOLUME, do=volume_step),
        *(On(VOLUME_IDLE, After("volume_idle"), b, when=came_from(b), do=close) for b in ways_back),
    )
