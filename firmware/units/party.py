"""Party: the direction of play, a countdown to point, and links between two seats of a big table.

Read `CHART` first: it is the unit. The rules' numbers (PA-…) are those of docs/spec/party.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware import volume
from firmware.agenda import SECOND
from firmware.body import Body
from firmware.chart import After, Chart, On
from firmware.events import RUN_OUT, SECOND_PASSED, WOKEN, Button
from firmware.kind import Kind, is_count
from firmware.outputs import BLANK, OFF, Colour, Face, Look, Pattern
from firmware.settings import grouped, seconds, whole
from firmware.volume import VOLUME, VOLUME_IDLE

CLOCKWISE, COUNTER, POINTING, LINKING = "clockwise", "counter", "pointing", "linking"
ANY = "any"  # the parent of all
SEATS = 16

GO, REVERSE, NEXT = Button("go"), Button("reverse"), Button("next")

CHASE = Look(Colour.GREEN, Pattern.CHASE)
CHASE_BACK = Look(Colour.YELLOW, Pattern.CHASE_BACK)
LINKED = Look(Colour.PURPLE)
CURSOR = Look(Colour.WHITE, Pattern.FLASH)

POINTING_SECONDS = 3

SETTINGS = (
    *grouped("house", whole("players", 8, 6, SEATS, "How many seats are used.")),
    *grouped(
        "inputs",
        seconds("hold_to_link", 1.0, 0.1, 3_600, "How long go is held to link two seats."),
        seconds("hold_for_volume", 3.0, 0.1, 3_600, "How long go is held to set the volume."),
        seconds("volume_idle", 2.0, 0.1, 3_600, "How long after the last release the volume closes by itself."),
    ),
    *grouped(
        "times",
        seconds("give_up", 20, 1, 3_600, "How long nobody chooses before a link is given up."),
        seconds("sleep_after", 300, 0.1, 86_400, "How long nothing happens before the unit falls asleep."),
    ),
)


class Party:
    """The direction of play and who is linked."""

    __slots__ = (
        *("before_volume", "body", "choosing", "chosen", "clockwise", "cursor", "cursor_moved", "go_is_armed"),
        "link",
    )

    def __init__(self, body: Body, switches: Mapping[str, str]) -> None:
        self.body = body
        self.clockwise = True
        self.link: tuple[int, ...] = ()  # the two seats that are linked
        self.cursor = 1
        self.cursor_moved = True  # since the last choice: then the cursor hides what lies under it
        self.chosen = 0  # the first seat of a new link
        self.go_is_armed = False  # the press of go that lasts can become a tap or a hold
        self.choosing = False  # it was taken while linking, and chooses when it is let go
        self.before_volume = CLOCKWISE

    @property
    def players(self) -> int:
        """How many seats are used."""
        players: int = self.body.rules["players"]
        return players

    @property
    def direction(self) -> str:
        """The state that shows the direction of play."""
        return CLOCKWISE if self.clockwise else COUNTER

    def begin(self) -> None:
        """See `kind.Game`; PA-1."""
        self.body.tone("startup")

    def lights(self, state: str) -> tuple[Look, ...]:
        """See `kind.Game`."""
        return tuple(self._look(state, seat) for seat in range(1, SEATS + 1))

    def _look(self, state: str, seat: int) -> Look:
        if seat > self.players or state in (VOLUME, VOLUME_IDLE):
            return OFF
        if state == LINKING:
            if seat == self.cursor and self.cursor_moved:
                return CURSOR
            if seat == self.chosen:
                return LINKED
        if seat in self.link:
            return LINKED
        return CHASE if self.clockwise else CHASE_BACK

    def face(self, state: str) -> Face:
        """See `kind.Game`."""
        if state in (VOLUME, VOLUME_IDLE):
            return volume.face(self.body)
        if state == POINTING:
            return Face(str(self.body.countdown.seconds), busy=True)
        return BLANK

    def sleeps(self, state: str) -> bool:
        """PA-6; the countdown, the linking and a volume that go leaves are not for long."""
        return state in (CLOCKWISE, COUNTER, VOLUME)

    def countdown_waits(self, state: str, main_in_doubt: bool, hold_waits: bool) -> bool:
        """See `kind.Game`; go means nothing in a countdown."""
        return False

    def wheel(self, slot: int | None, at_us: int, awake: bool) -> None:
        """See `kind.Game`; this unit has no wheel."""

    def save(self, state: str) -> dict[str, object] | None:
        """See `kind.Game`: direction and link are kept (PA-6)."""
        return {"direction": self.direction, "link": list(self.link)}

    def resume(self, saved: Mapping[str, Any]) -> str:
        """See `kind.Game`. A link to a seat that is not used any more is none."""
        state: str = saved["direction"]
        if state not in (CLOCKWISE, COUNTER):
            raise ValueError(f"no direction: {state}")
        link = tuple(saved["link"])
        if len(link) not in (0, 2) or not all(is_count(seat, SEATS) and seat for seat in link):
            raise ValueError(f"no link to resume: {link}")
        self.clockwise = state == CLOCKWISE
        self.link = link if all(1 <= seat <= self.players for seat in link) else ()
        self.body.event("resumed", state=state)
        return state


# -- guards ------------------------------------------------------------------------------------------------------


def is_clockwise(game: Party, _: int, at_us: int) -> bool:
    return game.clockwise


def tapped(game: Party, _: int, at_us: int) -> bool:
    return game.go_is_armed


def seat_is_chosen(game: Party, _: int, at_us: int) -> bool:
    return game.choosing and game.cursor == game.chosen


def chooses_first(game: Party, _: int, at_us: int) -> bool:
    return game.choosing and not game.chosen


def chooses_second_clockwise(game: Party, _: int, at_us: int) -> bool:
    return game.choosing and game.clockwise


def chooses(game: Party, _: int, at_us: int) -> bool:
    return game.choosing


def one_second_left(game: Party, seconds_left: int, at_us: int) -> bool:
    return seconds_left == 1


# -- actions -----------------------------------------------------------------------------------------------------


def turn_round(game: Party, _: int, at_us: int) -> None:
    game.clockwise = not game.clockwise
    game.body.tone("reverse")
    game.body.event("direction", to="cw" if game.clockwise else "ccw")


def refuse(game: Party, _: int, at_us: int) -> None:
    game.body.refuse(at_us)


def arm(game: Party, _: int, at_us: int) -> None:
    game.go_is_armed = True


def disarm(game: Party, _: int, at_us: int) -> None:
    game.go_is_armed = game.choosing = False


def take_choice(game: Party, _: int, at_us: int) -> None:
    game.choosing = True


def start_pointing(game: Party, _: int, at_us: int) -> None:
    game.go_is_armed = False
    game.body.countdown.start(POINTING_SECONDS * SECOND, at_us)
    game.body.tone("tick")


def tick(game: Party, _: int, at_us: int) -> None:
    game.body.tone("tick")


def point(game: Party, _: int, at_us: int) -> None:
    game.body.tone("signal")
    game.body.event("point")
    if game.link:
        game.link = ()
        game.body.event("unlinked")


def open_linking(game: Party, _: int, at_us: int) -> None:
    game.choosing = False
    game.cursor, game.cursor_moved, game.chosen = 1, True, 0
    game.body.tone("beep")


def move_on(game: Party, _: int, at_us: int) -> None:
    game.cursor = game.cursor % game.players + 1
    game.cursor_moved = True
    game.body.tone("beep")


def refuse_choice(game: Party, _: int, at_us: int) -> None:
    game.choosing = False
    game.body.refuse(at_us)


def choose_first(game: Party, _: int, at_us: int) -> None:
    game.choosing = False
    game.chosen, game.cursor_moved = game.cursor, False
    game.body.tone("beep")


def choose_second(game: Party, _: int, at_us: int) -> None:
    game.choosing = False
    game.link = (game.chosen, game.cursor)
    game.body.tone("beep")
    game.body.tone("signal")
    game.body.event("linked", a=game.chosen, b=game.cursor)


CHART: Chart[Party] = Chart(
    name="party",
    start=CLOCKWISE,
    parents={state: ANY for state in (CLOCKWISE, COUNTER, POINTING, LINKING, VOLUME, VOLUME_IDLE)},
    reports=volume.REPORTS,
    rows=(
        On(CLOCKWISE, REVERSE.pressed, COUNTER, do=turn_round),  # PA-2
        On(COUNTER, REVERSE.pressed, CLOCKWISE, do=turn_round),  # PA-2
        On(LINKING, REVERSE.pressed, LINKING, do=refuse),  # PA-2; a press all the same (PA-4)
        On(ANY, REVERSE.pressed, None, do=refuse),  # PA-2
        # point
        *(On(way, GO.pressed, None, do=arm) for way in (CLOCKWISE, COUNTER)),
        *(On(way, GO.released, POINTING, when=tapped, do=start_pointing) for way in (CLOCKWISE, COUNTER)),  # PA-3
        On(POINTING, SECOND_PASSED, None, when=one_second_left, do=point),  # PA-3, PA-5
        On(POINTING, SECOND_PASSED, None, do=tick),  # PA-3
        On(POINTING, RUN_OUT, CLOCKWISE, when=is_clockwise),  # PA-3
        On(POINTING, RUN_OUT, COUNTER),
        # link
        *(On(way, GO.held("hold_to_link"), LINKING, when=tapped, do=open_linking) for way in (CLOCKWISE, COUNTER)),
        On(LINKING, NEXT.pressed, LINKING, do=move_on),  # PA-4
        On(LINKING, GO.pressed, LINKING, do=take_choice),  # PA-4: chooses when it is let go
        On(LINKING, GO.released, None, when=seat_is_chosen, do=refuse_choice),  # PA-4
        On(LINKING, GO.released, None, when=chooses_first, do=choose_first),  # PA-4
        On(LINKING, GO.released, CLOCKWISE, when=chooses_second_clockwise, do=choose_second),  # PA-4
        On(LINKING, GO.released, COUNTER, when=chooses, do=choose_second),  # PA-4
        On(LINKING, GO.released, None, do=disarm),
        On(LINKING, After("give_up"), CLOCKWISE, when=is_clockwise, do=disarm),  # PA-4
        On(LINKING, After("give_up"), COUNTER, do=disarm),
        On(ANY, WOKEN, None, do=disarm),  # C-7
        # volume
        *volume.rows(
            GO, opens_from=(CLOCKWISE, COUNTER, LINKING), close=disarm, back_to=(CLOCKWISE, COUNTER),
            back=lambda game, state: game.direction,
        ),  # PA-6
    ),
)  # fmt: skip


def switch_positions(_: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    return {"power": ("off", "on")}


def light_names(_: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(f"seat{seat}" for seat in range(1, SEATS + 1))


KIND = Kind(
    name="party",
    title="Big table",
    buttons=(GO, REVERSE, NEXT),
    main=GO,
    settings=SETTINGS,
    chart=CHART,
    new_game=Party,
    switches=switch_positions,
    lights=light_names,
    tones=("tick", "beep", "denied", "reverse", "battery-low", "startup", "signal", "power-down"),
)
