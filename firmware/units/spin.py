"""Spin: a wheel of icons, turned by hand or, without one, by the unit itself.

Read `CHART` first: it is the unit. The rules' numbers (SP-…) are those of docs/spec/spin.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware import volume
from firmware.agenda import OTHER, SECOND, Entry
from firmware.body import Body
from firmware.chart import After, Chart, On
from firmware.events import RUN_OUT, SECOND_PASSED, WHEEL_FAILED, WHEEL_LOST, WHEEL_MOVED, WOKEN, Button, Trigger
from firmware.glyphs import can_show
from firmware.kind import Kind
from firmware.outputs import BLANK, OFF, WEAKEST_FIRST, Colour, Face, Look, Pattern
from firmware.settings import Setting, grouped, number, seconds, span
from firmware.volume import VOLUME, VOLUME_IDLE
from firmware.wheel import WheelTrack

IDLE, SPINNING, TURNING, RESULT, AID = "idle", "spinning", "turning-by-itself", "result", "aid"
ANY = "any"  # the parent of all

GO = Button("go")
WHEEL_RESTS = Trigger("wheel rests")
SEGMENT_PASSED = Trigger("segment passes")
TURN_ENDS = Trigger("turning ends")

SLOTS_PER_ICON = 4
NUDGE_SLOTS = 4  # SP-4
JUMPS_TO_IGNORE = 3  # SP-9
ROUNDS = 2  # of a spin without the wheel, about (SP-8)
SLOWING = 1.06  # each gap of it beside the one before

CHASE = Look(Colour.WHITE, Pattern.CHASE)
WHITE = Look(Colour.WHITE)
SPIN_HINT = Face("SPin", busy=True)
COLOURS = tuple(colour.value for colour in Colour if colour is not Colour.OFF)

ICONS = [
    {"id": "shout", "code": "CALL", "colour": "white"},
    {"id": "discard-color", "code": "COL", "colour": "green"},
    {"id": "draw-blue", "code": "bLUE", "colour": "blue"},
    {"id": "draw-red", "code": "rEd", "colour": "red"},
    {"id": "war", "code": "HIGH", "colour": "yellow"},
    {"id": "discard-number", "code": "123", "colour": "purple"},
    {"id": "show-hand", "code": "OPEn", "colour": "white"},
    {"id": "trade-hands", "code": "PASS", "colour": "yellow"},
    {"id": "keep-two", "code": "2", "colour": "purple"},
]


def _check_icons(value: Any) -> str | None:
    wanted = "2 to 12 icons like {id = \"war\", code = \"HIGH\", colour = \"yellow\"}"
    if not isinstance(value, list) or not 2 <= len(value) <= 12:
        return wanted
    if not all(isinstance(i, dict) and set(i) == {"id", "code", "colour"} for i in value):
        return f"{wanted}, each with id, code and colour and nothing else"
    if not all(isinstance(text, str) and text and text.isprintable() for i in value for text in i.values()):
        return f"{wanted}, all of them texts"
    names = [i["id"] for i in value]
    if len(set(names)) < len(names) or any(name in WEAKEST_FIRST or len(name) > 40 for name in names):
        return "icons whose ids differ from each other and from the other tones, of at most 40 characters"
    if not all(can_show(i["code"]) for i in value):
        return "icons whose codes are up to 4 characters that a 7-segment display can show"
    if not all(i["colour"] in COLOURS for i in value):
        return f"icons whose colours are of {', '.join(COLOURS)}"
    return None


SETTINGS = (
    *grouped("house", Setting("icons", ICONS, "The icons of the wheel, clockwise from slot 0.", _check_icons)),
    *grouped("inputs", seconds("at_rest", 0.8, 0.05, 60, "How long the wheel must not move to have stopped.")),
    *grouped("house", number("min_turns", 1.0, 0.05, 100, "How many turns make a spin.")),
    *grouped(
        "times",
        seconds("show_hand_seconds", 10, 1, 9_999, "How long a hand is shown."),
        seconds("war_seconds", 3, 1, 9_999, "How long is counted down until all show their highest card."),
        span("virtual_spin", [2.5, 4.0], 0.1, 600, "How long a spin without the wheel lasts.", whole_numbers=False),
    ),
    *grouped(
        "inputs",
        seconds("hold_for_volume", 3.0, 0.1, 3_600, "How long go is held to set the volume."),
        seconds("volume_idle", 2.0, 0.1, 3_600, "How long after the last release the volume closes by itself."),
    ),
)


class Spin:
    """The wheel, the present spin and its result."""

    __slots__ = (
        *("before_volume", "began_in_result", "body", "colours", "face_of", "go_is_armed", "hint", "hint_before"),
        *("icons", "ignored", "is_virtual", "jumps", "lit", "must_rest", "result", "start", "track"),
        *("_gaps", "_rest"),
    )

    def __init__(self, body: Body, switches: Mapping[str, str]) -> None:
        self.body = body
        icons: list[dict[str, str]] = body.rules["icons"]
        self.icons = tuple(icon["id"] for icon in icons)
        self.face_of = tuple(Face(icon["code"]) for icon in icons)
        self.colours = tuple(Look(Colour(icon["colour"])) for icon in icons)
        self.track = WheelTrack(SLOTS_PER_ICON * len(icons))
        self.start = 0  # the place where the present spin began
        self.began_in_result = False
        self.lit = 0  # the segment that is lit while it spins, from 0
        self.result: int | None = None  # the number of the icon, from 0
        self.is_virtual = False
        self.hint = self.hint_before = False  # `SPin` is shown, was shown before the present spin
        self.jumps = 0  # without a result of the wheel between
        self.ignored = False  # the wheel, until the next power-on
        self.must_rest = False  # before a new spin counts (SP-12)
        self.go_is_armed = False  # the press of go that lasts can become a tap or a hold
        self.before_volume = IDLE
        self._rest: Entry | None = None
        self._gaps: list[int] = []  # due times of the segments to come in a spin without the wheel

    @property
    def state(self) -> str:
        """The active state of the chart."""
        return self.body.owner.game_state()

    def _happens(self, trigger: Trigger, at_us: int, subject: int = 0) -> None:
        self.body.owner.happens(self, trigger, subject, at_us)

    def begin(self) -> None:
        """See `kind.Game`; SP-1."""
        self.body.tone("startup")

    # -- what it looks like --------------------------------------------------------------------------------------

    def lights(self, state: str) -> tuple[Look, ...]:
        """See `kind.Game`."""
        if state == IDLE:
            return (CHASE,) * len(self.icons)
        looks = [OFF] * len(self.icons)
        if state in (SPINNING, TURNING):
            looks[self.lit] = WHITE
        elif state in (RESULT, AID) and self.result is not None:
            looks[self.result] = self.colours[self.result]
        return tuple(looks)

    def face(self, state: str) -> Face:
        """See `kind.Game`."""
        if state in (VOLUME, VOLUME_IDLE):
            return volume.face(self.body)
        if state == AID:
            return Face(str(self.body.countdown.seconds), busy=True)
        if state == RESULT and self.result is not None:
            return self.face_of[self.result]
        return SPIN_HINT if state == IDLE and self.hint else BLANK

    def sleeps(self, state: str) -> bool:
        """SP-10; a volume that go leaves is not for long."""
        return state in (IDLE, RESULT, VOLUME)

    def countdown_waits(self, state: str, main_in_doubt: bool, hold_waits: bool) -> bool:
        """See `kind.Game`; go means nothing in an aid."""
        return False

    def save(self, state: str) -> dict[str, object] | None:
        """See `kind.Game`: a result is kept."""
        if state not in (RESULT, AID) or self.result is None:
            return None
        return {"icon": self.icons[self.result]}

    def resume(self, saved: Mapping[str, Any]) -> str:
        """See `kind.Game`. ValueError when the wheel was changed and the icon is gone."""
        self.result = self.icons.index(saved["icon"])
        self.body.event("resumed", state=RESULT)
        return RESULT

    # -- the wheel -----------------------------------------------------------------------------------------------

    def icon_at(self, place: int) -> int:
        """The number of the icon at a place, from 0."""
        return place % self.track.slots // SLOTS_PER_ICON

    def wheel(self, slot: int | None, at_us: int, awake: bool) -> None:
        """See `kind.Game`."""
        track, state = self.track, self.state
        if slot is None:
            track.forget()
            self._happens(WHEEL_LOST, at_us)
            return
        jump = track.is_jump(slot, at_us)
        before = track.place
        moved = track.read(slot, at_us)
        if before is None:
            return
        start = track.spin_start(at_us)
        if start is not None or (moved and state == SPINNING):
            self.body.owner.moved_by_hand(at_us)
        if moved and self.must_rest:
            self.plan_rest(at_us)
        if self.ignored:
            return
        if jump:
            self._jump(slot, at_us, awake)
        elif state == SPINNING:
            self._turn(before, moved, at_us)
        elif state in (TURNING, VOLUME, VOLUME_IDLE):
            track.stand_at(slot, at_us)
        elif start is not None and not self.must_rest:
            if not awake:
                self.body.owner.spun(at_us)
            self.start = start
            self._happens(WHEEL_MOVED, at_us, before)

    def _jump(self, slot: int, at_us: int, awake: bool) -> None:
        self.track.stand_at(slot, at_us)
        if not awake or self.state == TURNING:
            return
        self.jumps += 1
        self.ignored = self.jumps >= JUMPS_TO_IGNORE
        self.body.event("fault", part="wheel", reason="jump")
        self._happens(WHEEL_FAILED, at_us)

    def _turn(self, before: int, moved: bool, at_us: int) -> None:
        track = self.track
        assert track.place is not None
        if not moved:
            if track.place == track.furthest and before != track.place:
                self._rest_again(at_us)
            return
        icon = self.icon_at(track.place)
        if icon not in (self.icon_at(before), self.lit):
            self.body.tone("tick")
        self.lit = icon
        self.plan_rest(at_us)

    def plan_rest(self, at_us: int) -> None:
        """Wait for the wheel to stop, since *at_us*."""
        self.body.agenda.drop(self._rest)
        self._rest = self.body.agenda.set(at_us + self.body.durations_us["at_rest"], OTHER, self._come_to_rest)

    def _rest_again(self, at_us: int) -> None:
        """Back on the furthest slot after a flicker: the result that waited for it comes at once (SP-5)."""
        if at_us >= self.track.moved_us + self.body.durations_us["at_rest"]:
            self.body.agenda.drop(self._rest)
            self.track.rest()
            self._happens(WHEEL_RESTS, at_us)

    def _come_to_rest(self, due_us: int) -> None:
        track = self.track
        if track.stepped_back_us is not None:
            if due_us < track.stepped_back_us + self.body.durations_us["at_rest"]:
                self.plan_rest(track.stepped_back_us)
                return
            track.settle_one_back()
        track.rest()
        self._happens(WHEEL_RESTS, due_us)

    def stop_waiting(self) -> None:
        """No spin is under way any more."""
        self.body.agenda.drop(self._rest)

    # -- a spin without the wheel ----------------------------------------------------------------------------------

    def turn_by_itself(self, at_us: int) -> None:
        """Draw the icon, then the length, and plan the segments: gaps that never shrink, about two rounds (SP-8)."""
        body, count = self.body, len(self.icons)
        self.result = body.random.randrange(count)
        low_s, high_s = body.rules["virtual_spin"]
        length_us = body.random.randint(round(low_s * SECOND), round(high_s * SECOND))
        steps = count * ROUNDS + (self.result - self.lit) % count
        weights: list[float] = []
        weight = 1.0
        for _ in range(steps + 1):
            weights.append((weights[-1] if weights else 0.0) + weight)
            weight *= SLOWING
        self._gaps = [at_us + int(length_us * sum_ / weights[-1]) for sum_ in weights[:-1]] + [at_us + length_us]
        self._plan_segment()

    def _plan_segment(self) -> None:
        self.body.agenda.set(self._gaps.pop(0), OTHER, self._pass_segment)

    def _pass_segment(self, due_us: int) -> None:
        if self._gaps:
            self._plan_segment()
            self._happens(SEGMENT_PASSED, due_us)
        else:
            self._happens(TURN_ENDS, due_us)


# -- guards ------------------------------------------------------------------------------------------------------


def turned_far_enough(game: Spin, _: int, at_us: int) -> bool:
    needed: float = game.body.rules["min_turns"]
    return abs(game.track.furthest - game.start) >= needed * game.track.slots


def began_in_result(game: Spin, _: int, at_us: int) -> bool:
    return game.began_in_result


def hardly_moved(game: Spin, _: int, at_us: int) -> bool:
    return abs(game.track.furthest - game.start) < NUDGE_SLOTS


def tapped(game: Spin, _: int, at_us: int) -> bool:
    return game.go_is_armed


def is_show_hand(game: Spin, _: int, at_us: int) -> bool:
    return game.result is not None and game.icons[game.result] == "show-hand"


def is_war(game: Spin, _: int, at_us: int) -> bool:
    return game.result is not None and game.icons[game.result] == "war"


# -- actions -----------------------------------------------------------------------------------------------------


def start_spin(game: Spin, before: int, at_us: int) -> None:
    track = game.track
    assert track.place is not None
    game.began_in_result = game.state in (RESULT, AID)
    game.hint_before, game.hint = game.hint, False
    game.body.countdown.stop()
    track.start_from(game.start, at_us)
    game.lit = game.icon_at(track.place)
    if game.lit != game.icon_at(before):
        game.body.tone("tick")
    game.body.event("spin-started", direction="cw" if track.way > 0 else "ccw")
    game.plan_rest(at_us)


def show_result(game: Spin, _: int, at_us: int) -> None:
    game.result, game.is_virtual, game.jumps = game.icon_at(game.track.furthest), False, 0
    tell_result(game)


def show_drawn_result(game: Spin, _: int, at_us: int) -> None:
    game.is_virtual = True
    tell_result(game)


def tell_result(game: Spin) -> None:
    assert game.result is not None
    icon = game.icons[game.result]
    game.body.event("result", icon=icon, number=game.result + 1, virtual=game.is_virtual)
    game.body.tone(icon)


def take_hint_back(game: Spin, _: int, at_us: int) -> None:
    game.hint = game.hint_before


def refuse_short_spin(game: Spin, _: int, at_us: int) -> None:
    game.body.event("spin-refused", reason="too-short")
    ask_for_spin(game, 0, at_us)


def ask_for_spin(game: Spin, _: int, at_us: int) -> None:
    """The spin is void: `SPin` until the next one (SP-4, SP-9)."""
    game.stop_waiting()
    game.body.countdown.stop()
    game.hint = True
    game.result = None
    game.body.refuse(at_us)


def give_up_waiting(game: Spin, _: int, at_us: int) -> None:
    game.must_rest = True
    game.body.event("fault", part="wheel", reason="no-rest")
    ask_for_spin(game, 0, at_us)
    game.plan_rest(game.track.moved_us)


def note_rest(game: Spin, _: int, at_us: int) -> None:
    game.must_rest = False


def arm(game: Spin, _: int, at_us: int) -> None:
    game.go_is_armed = True
    game.hint = False


def turn_by_itself(game: Spin, _: int, at_us: int) -> None:
    game.go_is_armed = False
    game.body.tone("beep")
    game.turn_by_itself(at_us)


def pass_segment(game: Spin, _: int, at_us: int) -> None:
    game.lit = (game.lit + 1) % len(game.icons)
    game.body.tone("tick")


def disarm(game: Spin, _: int, at_us: int) -> None:
    game.go_is_armed = False


def show_hand(game: Spin, _: int, at_us: int) -> None:
    game.body.tone("beep")
    game.body.countdown.start(game.body.durations_us["show_hand_seconds"], at_us)


def count_to_war(game: Spin, _: int, at_us: int) -> None:
    game.body.tone("tick")
    game.body.countdown.start(game.body.durations_us["war_seconds"], at_us)


def tick(game: Spin, _: int, at_us: int) -> None:
    game.body.tone("tick")


def end_aid(game: Spin, _: int, at_us: int) -> None:
    game.body.tone("signal")
    game.result = None


def end_result(game: Spin, _: int, at_us: int) -> None:
    game.body.tone("beep")
    game.result = None


CHART: Chart[Spin] = Chart(
    name="spin",
    start=IDLE,
    parents={state: ANY for state in (IDLE, SPINNING, TURNING, RESULT, AID, VOLUME, VOLUME_IDLE)},
    reports={**volume.REPORTS, TURNING: SPINNING, AID: RESULT},
    rows=(
        # a spin of the wheel
        *(On(state, WHEEL_MOVED, SPINNING, do=start_spin) for state in (IDLE, RESULT, AID)),  # SP-2, SP-6, SP-7
        On(SPINNING, WHEEL_RESTS, RESULT, when=turned_far_enough, do=show_result),  # SP-3
        On(SPINNING, WHEEL_RESTS, RESULT, when=began_in_result),  # SP-4: a nudge
        On(SPINNING, WHEEL_RESTS, IDLE, when=hardly_moved, do=take_hint_back),  # SP-4: a nudge
        On(SPINNING, WHEEL_RESTS, IDLE, do=refuse_short_spin),  # SP-4
        On(SPINNING, After("no_rest"), IDLE, do=give_up_waiting),  # SP-12
        *(On(state, WHEEL_FAILED, IDLE, do=ask_for_spin) for state in (IDLE, SPINNING, RESULT, AID)),  # SP-9
        On(SPINNING, WHEEL_LOST, IDLE, do=ask_for_spin),  # C-20
        On(ANY, WHEEL_RESTS, None, do=note_rest),  # SP-12
        # a spin without it
        On(IDLE, GO.pressed, None, do=arm),
        On(IDLE, GO.released, TURNING, when=tapped, do=turn_by_itself),  # SP-8
        On(TURNING, SEGMENT_PASSED, None, do=pass_segment),  # SP-8
        On(TURNING, TURN_ENDS, RESULT, do=show_drawn_result),  # SP-8
        On(ANY, GO.released, None, do=disarm),
        On(ANY, WOKEN, None, do=disarm),  # C-7
        # the result
        On(RESULT, GO.pressed, AID, when=is_show_hand, do=show_hand),  # SP-7
        On(RESULT, GO.pressed, AID, when=is_war, do=count_to_war),  # SP-7
        On(RESULT, GO.pressed, IDLE, do=end_result),  # SP-6
        On(AID, SECOND_PASSED, None, when=is_war, do=tick),  # SP-7
        On(AID, RUN_OUT, IDLE, do=end_aid),  # SP-7
        # volume
        *volume.rows(GO, opens_from=(IDLE,), close=disarm),  # SP-12
    ),
)


def switch_positions(_: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    return {"power": ("off", "on")}


def icon_names(rules: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(icon["id"] for icon in rules["icons"])


def light_names(rules: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"seg{number}" for number, _ in enumerate(rules["icons"], 1))


def slot_count(rules: Mapping[str, Any]) -> int:
    return SLOTS_PER_ICON * len(rules["icons"])


KIND = Kind(
    name="spin",
    title="Wheel",
    buttons=(GO,),
    main=GO,
    settings=SETTINGS,
    chart=CHART,
    new_game=Spin,
    switches=switch_positions,
    lights=light_names,
    tones=("tick", "beep", "denied", "battery-low", "startup", "signal", "power-down"),
    icons=icon_names,
    slots=slot_count,
    times_us={"no_rest": 30 * SECOND},
)
