"""Master: one button to slap before the turn is over.

Read `CHART` first: it is the unit. The rules' numbers (MA-…) are those of docs/spec/master.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware.agenda import SECOND
from firmware.body import Body
from firmware.chart import After, Chart, On
from firmware.events import RUN_OUT, SECOND_PASSED, SWITCHED, Button
from firmware.kind import Kind, is_count
from firmware.outputs import Colour, Face, Look, Pattern
from firmware.settings import Setting, grouped, seconds, whole

OFF, WAITING, RUNNING, PENALTY, PAUSED = "off", "waiting", "running", "penalty", "paused"
ON = "on"  # the parent of all but off

TIMER = Button("timer")

RED = (Look(Colour.RED),)
RED_FAST = (Look(Colour.RED, Pattern.FAST_BLINK),)
RED_SLOW = (Look(Colour.RED, Pattern.SLOW_BLINK),)
RED_FLASH = (Look(Colour.RED, Pattern.FLASH),)
BLUE_FADE = (Look(Colour.BLUE, Pattern.FADE),)
PAUSE = Face("PAUS")


def _check_speeds(value: Any) -> str | None:
    fits = (
        isinstance(value, list)
        and 1 <= len(value) <= 8
        and all(isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= 9_999 for v in value)
        and len(set(value)) == len(value)
    )
    return None if fits else "1 to 8 different whole seconds from 1 to 9999, like [4, 6, 8]"


SETTINGS = (
    *grouped(
        "times",
        Setting("speeds", [4, 6, 8], "The seconds of a turn at each position of the speed switch.", _check_speeds),
    ),
    *grouped("house", whole("penalty_cards", 2, 1, 99, "How many cards a run-out costs.")),
    *grouped("times", whole("tick_seconds", 3, 0, 9_999, "How many of the last seconds tick.")),
    *grouped(
        "inputs",
        seconds("hold_to_pause", 1.0, 0.1, 3_600, "How long the button is held to pause."),
        seconds("hold_to_switch_off", 3.0, 0.1, 3_600, "How long the button is held to switch off."),
        seconds("double_slap", 0.25, 0, 60, "A second slap sooner than this is the same slap."),
    ),
    *grouped(
        "times",
        seconds("off_after", 300, 0.1, 86_400, "How long nothing happens before the unit switches itself off."),
    ),
)


class Master:
    """The turns of one game and the fines of the present player."""

    __slots__ = ("body", "led_to_running", "pressed_here", "quiet_until_us", "speed", "speeds", "total")

    def __init__(self, body: Body, switches: Mapping[str, str]) -> None:
        self.body = body
        self.speeds: Sequence[int] = body.rules["speeds"]
        self.speed = int(switches["speed"])
        self.total = 0  # cards that the present player has to draw
        self.pressed_here = False  # the press that lasts came after the one that switched on (MA-13)
        self.led_to_running = False  # and it can pause (MA-9)
        self.quiet_until_us = 0  # a press before is a double or a late slap (MA-12)

    def begin(self) -> None:
        """See `kind.Game`; MA-1."""
        self.body.tone("startup")

    def lights(self, state: str) -> tuple[Look, ...]:
        """See `kind.Game`."""
        if state == RUNNING:
            return RED_FAST if self.body.countdown.seconds <= self.body.rules["tick_seconds"] else RED
        return {WAITING: RED_SLOW, PENALTY: RED_FLASH, PAUSED: BLUE_FADE}[state]

    def face(self, state: str) -> Face:
        """See `kind.Game`."""
        if state == PAUSED:
            return PAUSE
        if self.total:
            return Face(str(self.total), Pattern.FLASH, busy=True)
        if state == RUNNING:
            return Face(str(self.body.countdown.seconds), busy=True)
        return Face(str(self.speed))

    def sleeps(self, state: str) -> bool:
        """See `kind.Game`; this unit switches itself off instead (MA-11)."""
        return False

    def countdown_waits(self, state: str, main_in_doubt: bool, hold_waits: bool) -> bool:
        """See `kind.Game`: a hold that was due first comes first (C-15)."""
        return hold_waits

    def wheel(self, slot: int | None, at_us: int, awake: bool) -> None:
        """See `kind.Game`; this unit has no wheel."""

    def save(self, state: str) -> dict[str, object] | None:
        """See `kind.Game`: a waiting unit without a fine starts fresh, a running clock waits (C-5)."""
        return None if state in (OFF, WAITING) and not self.total else {"total": self.total}

    def resume(self, saved: Mapping[str, Any]) -> str:
        """See `kind.Game`."""
        total = saved["total"]
        if not is_count(total, 9_999):
            raise ValueError(f"no total to resume: {total}")
        self.total = total
        self.body.event("resumed", state=WAITING)
        return WAITING

    def count_down(self, at_us: int) -> None:
        """Start a full countdown."""
        self.body.countdown.start(self.speed * SECOND, at_us)

    def be_quiet(self, since_us: int) -> None:
        """Ignore slaps for a moment (MA-12)."""
        self.quiet_until_us = since_us + self.body.durations_us["double_slap"]


def is_double_slap(game: Master, _: int, at_us: int) -> bool:
    return at_us < game.quiet_until_us


def can_pause(game: Master, _: int, at_us: int) -> bool:
    return game.led_to_running


def came_after_switching_on(game: Master, _: int, at_us: int) -> bool:
    return game.pressed_here


def in_last_seconds(game: Master, seconds_left: int, at_us: int) -> bool:
    return bool(seconds_left <= game.body.rules["tick_seconds"])


def ignore(game: Master, _: int, at_us: int) -> None:
    game.pressed_here = True
    game.led_to_running = False


def pass_turn(game: Master, _: int, at_us: int) -> None:
    game.pressed_here = game.led_to_running = True
    game.total = 0
    game.body.tone("beep")
    game.body.event("turn")
    game.count_down(at_us)
    game.be_quiet(at_us)


def go_on(game: Master, _: int, at_us: int) -> None:
    game.pressed_here = game.led_to_running = True
    game.body.tone("beep")
    game.count_down(at_us)


def let_go(game: Master, _: int, at_us: int) -> None:
    game.led_to_running = game.pressed_here = False


def pause(game: Master, _: int, at_us: int) -> None:
    game.led_to_running = False
    game.body.countdown.stop()


def fine(game: Master, _: int, at_us: int) -> None:
    cards: int = game.body.rules["penalty_cards"]
    game.total += cards
    game.led_to_running = False
    game.be_quiet(at_us)
    game.body.tone("signal")
    game.body.event("penalty", draw=cards, total=game.total)


def fine_and_count_again(game: Master, _: int, at_us: int) -> None:
    fine(game, 0, at_us)
    game.count_down(at_us)


def tick(game: Master, _: int, at_us: int) -> None:
    game.body.tone("tick")


def say_goodbye(game: Master, _: int, at_us: int) -> None:
    game.body.tone("power-down")


def take_speed(game: Master, position: int, at_us: int) -> None:
    game.speed = game.speeds[position]


CHART: Chart[Master] = Chart(
    name="master",
    start=WAITING,
    parents={state: ON for state in (WAITING, RUNNING, PENALTY, PAUSED)},
    rows=(
        On(WAITING, TIMER.pressed, WAITING, when=is_double_slap, do=ignore),  # MA-12: off_after starts anew
        On(WAITING, TIMER.pressed, RUNNING, do=pass_turn),  # MA-2
        On(RUNNING, TIMER.pressed, None, when=is_double_slap, do=ignore),  # MA-12
        On(RUNNING, TIMER.pressed, None, do=pass_turn),  # MA-3
        On(RUNNING, RUN_OUT, PENALTY, do=fine_and_count_again),  # MA-6
        On(RUNNING, TIMER.held("hold_to_pause"), PAUSED, when=can_pause, do=pause),  # MA-9
        On(PENALTY, TIMER.pressed, None, when=is_double_slap, do=ignore),  # MA-12
        On(PENALTY, TIMER.pressed, RUNNING, do=pass_turn),  # MA-7
        On(PENALTY, RUN_OUT, WAITING, do=fine),  # MA-8
        On(PAUSED, TIMER.pressed, PAUSED, when=is_double_slap, do=ignore),  # MA-12: off_after starts anew
        On(PAUSED, TIMER.pressed, RUNNING, do=go_on),  # MA-9
        On(ON, SECOND_PASSED, None, when=in_last_seconds, do=tick),  # MA-5
        On(ON, SWITCHED, None, do=take_speed),  # MA-4
        On(ON, TIMER.held("hold_to_switch_off"), OFF, when=came_after_switching_on, do=say_goodbye),  # MA-10
        On(ON, TIMER.released, None, do=let_go),
        On(WAITING, After("off_after"), OFF),  # MA-11
        On(PAUSED, After("off_after"), OFF),  # MA-11
    ),
)


def switch_positions(rules: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    return {"speed": tuple(str(speed) for speed in rules["speeds"])}


def light_names(_: Mapping[str, object]) -> tuple[str, ...]:
    return ("timer",)


KIND = Kind(
    name="master",
    title="Turn timer",
    buttons=(TIMER,),
    main=TIMER,
    settings=SETTINGS,
    chart=CHART,
    new_game=Master,
    switches=switch_positions,
    lights=light_names,
    tones=("tick", "beep", "battery-low", "startup", "signal", "power-down"),
    off_state=OFF,
    sleep_setting=None,
)
