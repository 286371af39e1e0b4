"""Triple Play: three lit piles, three pads, and a hidden limit after which a pile overloads.

Read `CHART` first: it is the unit. The rules' numbers (TP-…) are those of docs/spec/triple-play.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import Any

from firmware import volume
from firmware.agenda import MS
from firmware.body import Body
from firmware.chart import Chart, On
from firmware.events import RUN_OUT, SECOND_PASSED, WOKEN, Button
from firmware.kind import Kind, is_count
from firmware.outputs import BLANK, OFF, Colour, Face, Look, Pattern
from firmware.settings import grouped, odds, seconds, span, whole
from firmware.volume import VOLUME, VOLUME_IDLE

STANDBY, READY, PLAYING, HOLDING = "standby", "ready", "playing", "holding"
OVERLOAD, TIMEOUT, PAUSED = "overload", "timeout", "paused"
ANY = "any"  # the parent of all
PILES = (1, 2, 3)

GO = Button("go")
PAD = Button("pad", "pile1", "pile2", "pile3", is_pad=True)

WHITE = Look(Colour.WHITE)
WHITE_FLASH = Look(Colour.WHITE, Pattern.FLASH)
WHITE_FADE = Look(Colour.WHITE, Pattern.FADE)
GREEN = Look(Colour.GREEN)
GREEN_FLASH = Look(Colour.GREEN, Pattern.FLASH)
YELLOW_BLINK = Look(Colour.YELLOW, Pattern.SLOW_BLINK)
RED_BLINK = Look(Colour.RED, Pattern.FAST_BLINK)
RED_FLASH = Look(Colour.RED, Pattern.FLASH)
BLUE_FLASH = Look(Colour.BLUE, Pattern.FLASH)
PURPLE_FLASH = Look(Colour.PURPLE, Pattern.FLASH)

START_FLASH_US = 1_000 * MS  # TP-3
TURN_BLINK_US = 150 * MS  # TP-4
REMINDER_US = 3_000 * MS  # TP-20
DASH = Face("-")
ERROR = Face("E")

SETTINGS = (
    *grouped(
        "chance",
        span("overload_presses", [4, 8], 2, 20, "A pile overloads after a number of presses drawn from this span."),
        odds("penalty_odds", [1, 1, 1, 1], "How often an overload costs 1, 2, 3 or 4 cards."),
        odds("lit_odds", [20, 50, 30], "How often a turn lights 1, 2 or 3 piles."),
    ),
    *grouped("times", seconds("turn_seconds", 10, 1, 9_999, "How long a turn lasts in timer mode.")),
    *grouped("house", whole("timeout_cards", 6, 1, 9_999, "How many cards a run-out costs.")),
    *grouped("times", whole("tick_seconds", 3, 0, 9_999, "How many of the last seconds tick.")),
    *grouped(
        "inputs",
        seconds("hold_to_clear", 2.0, 0.1, 3_600, "How long a lit pad is held to clear its pile."),
        seconds("warn_clear", 1.0, 0.1, 3_600, "After which part of that hold the counter warns."),
        seconds("hold_for_volume", 3.0, 0.1, 3_600, "How long go is held to set the volume."),
        seconds("hold_for_new_round", 6.0, 0.1, 3_600, "How long go is held to end the round."),
        seconds("volume_idle", 2.0, 0.1, 3_600, "How long after the last release the volume closes by itself."),
    ),
    *grouped(
        "house",
        whole("strip_after", 20, 1, 100_000, "After how many presses on a pile its cards should be taken off."),
    ),
)


class TriplePlay:
    """A round and what stands around it."""

    __slots__ = (
        *("body", "timer_mode", "counts", "limits", "levels", "presses", "lit", "unlit_turns", "last_sets", "held"),
        *("warned", "go_is_armed", "draw", "full_pile", "before_volume", "all_faulty", "_looks"),
    )

    def __init__(self, body: Body, switches: Mapping[str, str]) -> None:
        self.body = body
        self.timer_mode = switches["timer"] == "on"  # read at power-on only (C-2)
        self.counts = {pile: 0 for pile in PILES}
        self.limits = {pile: 0 for pile in PILES}  # hidden: the press that overloads (TP-10)
        self.levels: tuple[Look, ...] = (GREEN,) * len(PILES)  # the colours of the counters
        self.presses = {pile: 0 for pile in PILES}  # since the last reminder (TP-20)
        self.lit: tuple[int, ...] = ()
        self.unlit_turns = {pile: 0 for pile in PILES}  # turns since each pile was last lit (TP-4)
        self.last_sets: tuple[tuple[int, ...], ...] = ()  # the last two
        self.held = 0  # the lit pad that is down
        self.warned = False
        self.go_is_armed = False  # the press of go that lasts can become a tap or a hold (TP-18a)
        self.draw = 0  # cards to draw
        self.full_pile = 0  # the pile that overloaded
        self.before_volume = PLAYING
        self.all_faulty = False
        self._looks: dict[object, tuple[Look, ...]] = {}

    @property
    def mode(self) -> str:
        """The mode as it is reported."""
        return "timer" if self.timer_mode else "regular"

    def begin(self) -> None:
        """See `kind.Game`; TP-1: a fresh unit says nothing."""

    # -- what it looks like --------------------------------------------------------------------------------------

    def lights(self, state: str) -> tuple[Look, ...]:
        """See `kind.Game`."""
        key = (state, self.lit, self.held, self.warned, self.full_pile, self.levels)
        looks = self._looks.get(key)
        if looks is None:
            piles = (self._pile_look(state, pile) for pile in PILES)
            looks = self._looks[key] = (*piles, *(self._counter_look(state, pile) for pile in PILES))
        return looks

    def _pile_look(self, state: str, pile: int) -> Look:
        if pile == self.held and state == HOLDING:
            return WHITE_FLASH
        if pile in self.lit:
            if state in (PLAYING, HOLDING):
                return WHITE
            if state == PAUSED:
                return WHITE_FADE
        return OFF

    def _counter_look(self, state: str, pile: int) -> Look:
        if state == STANDBY:
            return OFF
        if state == READY:
            return BLUE_FLASH
        if state == OVERLOAD and pile == self.full_pile:
            return RED_FLASH
        if self.warned and pile == self.held:
            return WHITE_FADE
        return self.levels[pile - 1]

    def count(self, pile: int, count: int) -> None:
        """Have *count* presses on a pile; the colour of its counter follows from that and the hidden limit (TP-9)."""
        self.counts[pile] = count
        colour = level(count, self.limits[pile])
        if colour is not self.levels[pile - 1]:
            self.levels = (*self.levels[: pile - 1], colour, *self.levels[pile:])

    def face(self, state: str) -> Face:
        """See `kind.Game`."""
        if state in (VOLUME, VOLUME_IDLE):
            return volume.face(self.body)
        if state in (OVERLOAD, TIMEOUT):
            return Face(str(self.draw), Pattern.FLASH, busy=True)
        left = self.body.countdown.seconds if self.timer_mode else 0
        if left:
            return Face(str(left), Pattern.FLASH if state == PAUSED else Pattern.STEADY, busy=True)
        if self.all_faulty:
            return ERROR
        return DASH if state in (STANDBY, READY) else BLANK

    def sleeps(self, state: str) -> bool:
        """TP-19: a volume that go leaves, and a pad that is held, are not for long."""
        return state not in (VOLUME_IDLE, HOLDING)

    def countdown_waits(self, state: str, main_in_doubt: bool, hold_waits: bool) -> bool:
        """TP-16: what counts is when go was let go."""
        return self.go_is_armed and state == PLAYING and main_in_doubt

    def wheel(self, slot: int | None, at_us: int, awake: bool) -> None:
        """See `kind.Game`; this unit has no wheel."""

    # -- a turn --------------------------------------------------------------------------------------------------

    def next_turn(self, at_us: int) -> None:
        """Light the next piles; in timer mode the countdown starts at its full time (TP-4, TP-13)."""
        self.body.refusals.clear()
        self.body.countdown.stop()
        if self.light_new_set(at_us) and self.timer_mode:
            self.body.countdown.start(self.body.durations_us["turn_seconds"], at_us)

    def light_new_set(self, at_us: int) -> bool:
        """Draw and announce the piles to light; False when every pad is faulty."""
        shown = self.lit
        self.choose_set()
        if not self.lit:
            return False
        self.body.event("turn", lit=list(self.lit))
        if self.lit == shown:
            for pile in self.lit:
                self.body.cover(f"pile{pile}", WHITE, OFF, at_us, TURN_BLINK_US)
        return True

    def choose_set(self) -> None:
        """Light a set that is drawn; none when every pad is faulty."""
        self.lit = self.draw_set()
        if self.lit:
            for pile in PILES:
                self.unlit_turns[pile] = 0 if pile in self.lit else self.unlit_turns[pile] + 1
            self.last_sets = (*self.last_sets[-1:], self.lit)

    def draw_set(self) -> tuple[int, ...]:
        """The next set of piles by TP-4; an empty one when every pad is faulty."""
        sound = tuple(pile for pile in PILES if pile not in self.body.faulty)
        overdue = tuple(pile for pile in sound if self.unlit_turns[pile] >= 3)
        wanted: list[float] = self.body.rules["lit_odds"]
        for by_size in allowed_sets(sound, overdue, self.last_sets):
            sizes = [size for size in by_size if wanted[size - 1]]
            if sizes:
                return self.body.draw(by_size[self.body.draw(sizes, [wanted[size - 1] for size in sizes])])
        return sound  # the odds want more piles than there are sound pads

    def new_limit(self, pile: int) -> None:
        """Empty a pile's counter and draw its hidden limit (TP-10)."""
        low, high = self.body.rules["overload_presses"]
        self.limits[pile] = self.body.random.randint(low, high)
        self.count(pile, 0)

    def note_press(self, pile: int, at_us: int) -> None:
        """Count a press towards the reminder to take cards off (TP-20)."""
        self.presses[pile] += 1
        if self.presses[pile] >= self.body.rules["strip_after"]:
            self.presses[pile] = 0
            self.body.event("pile-full", pile=pile)
            self.body.tone("reminder")
            self.body.cover(f"counter{pile}", self.levels[pile - 1], PURPLE_FLASH, at_us, REMINDER_US)

    def let_go(self) -> int:
        """No pad is held any more; the one that was."""
        pile, self.held, self.warned = self.held, 0, False
        return pile

    # -- durability (C-5) ----------------------------------------------------------------------------------------

    def save(self, state: str) -> dict[str, object] | None:
        """See `kind.Game`. A press whose release was not confirmed is no part of the round yet."""
        if state in (VOLUME, VOLUME_IDLE):
            state = self.before_volume
        if state in (STANDBY, READY):
            return None
        return {
            **{"state": PLAYING if state == HOLDING else state, "mode": self.mode},
            **{"counts": list(self.counts.values()), "limits": list(self.limits.values())},
            **{"presses": list(self.presses.values()), "unlit_turns": list(self.unlit_turns.values())},
            **{"lit": list(self.lit), "last_sets": [list(s) for s in self.last_sets]},
            **{"draw": self.draw, "full_pile": self.full_pile},
        }

    def resume(self, saved: Mapping[str, Any]) -> str:
        """See `kind.Game`. No countdown runs by itself: a turn in timer mode is paused at its full time."""
        state: str = saved["state"]
        check_saved(saved)
        self.timer_mode = saved["mode"] == "timer"
        for own, kept in (
            (self.counts, saved["counts"]), (self.limits, saved["limits"]),
            (self.presses, saved["presses"]), (self.unlit_turns, saved["unlit_turns"]),
        ):  # fmt: skip
            own.update(zip(PILES, kept, strict=True))
        for pile in PILES:
            self.count(pile, self.counts[pile])
        self.lit = tuple(saved["lit"])
        self.last_sets = tuple(tuple(s) for s in saved["last_sets"])
        self.draw, self.full_pile = saved["draw"], saved["full_pile"]
        if state == PLAYING and not self.lit:
            self.choose_set()  # every pad was faulty when the plug was pulled
        if state == PLAYING and self.timer_mode:
            state = PAUSED
        if state == PAUSED:
            self.body.countdown.stand_at(self.body.durations_us["turn_seconds"])
        self.body.event("resumed", state=state, mode=self.mode, lit=list(self.lit))
        return state


@cache
def allowed_sets(
    sound: tuple[int, ...], overdue: tuple[int, ...], last_sets: tuple[tuple[int, ...], ...]
) -> tuple[dict[int, list[tuple[int, ...]]], ...]:
    """The sets of piles that may be lit, by their size: strictly, then without the repeat bound, then any (TP-4)."""
    sets = [piles for size in PILES for piles in combinations(sound, size)]
    in_window = [piles for piles in sets if set(overdue) <= set(piles)]
    fresh = [piles for piles in in_window if last_sets != (piles, piles)]
    return tuple(
        {size: own for size in PILES if (own := [piles for piles in allowed if len(piles) == size])}
        for allowed in (fresh, in_window, sets)
    )


def check_saved(saved: Mapping[str, Any]) -> None:
    """Raise ValueError, KeyError or TypeError when *saved* is no round."""
    fits = (
        saved["state"] in (PLAYING, OVERLOAD, TIMEOUT, PAUSED)
        and saved["mode"] in ("regular", "timer")
        and all(
            len(saved[name]) == len(PILES) and all(is_count(value, most) for value in saved[name])
            for name, most in (("counts", 20), ("limits", 20), ("presses", 100_000), ("unlit_turns", 1_000_000))
        )
        and all(limit >= 2 for limit in saved["limits"])
        and len(saved["last_sets"]) <= 2
        and all(set(piles) <= set(PILES) for piles in (saved["lit"], *saved["last_sets"]))
        and is_count(saved["draw"], 9_999)
        and saved["full_pile"] in (0, *PILES)
    )
    if not fits:
        raise ValueError("no round to resume")


def level(count: int, limit: int) -> Look:
    """The colour of a counter with *count* of *limit* presses (TP-9)."""
    if count == 0:
        return GREEN
    if count >= limit - (2 if limit >= 6 else 1):
        return RED_BLINK
    return GREEN if count < limit // 2 else YELLOW_BLINK


# -- guards ------------------------------------------------------------------------------------------------------


def pad_is_lit(game: TriplePlay, pile: int, at_us: int) -> bool:
    return pile in game.lit and not (game.timer_mode and game.body.countdown.over_at(at_us))


def time_is_over(game: TriplePlay, _: int, at_us: int) -> bool:
    return game.body.countdown.over_at(at_us)


def is_the_held_pad(game: TriplePlay, pile: int, at_us: int) -> bool:
    return pile == game.held


def reaches_the_limit(game: TriplePlay, pile: int, at_us: int) -> bool:
    return pile == game.held and game.counts[pile] + 1 >= game.limits[pile]


def tapped_in_timer_mode(game: TriplePlay, _: int, at_us: int) -> bool:
    return game.go_is_armed and game.timer_mode and game.body.countdown.running


def tapped(game: TriplePlay, _: int, at_us: int) -> bool:
    return game.go_is_armed


def opened_the_volume(game: TriplePlay, _: int, at_us: int) -> bool:
    return game.body.volume.opening


def in_last_seconds(game: TriplePlay, seconds_left: int, at_us: int) -> bool:
    return bool(seconds_left <= game.body.rules["tick_seconds"])


# -- actions -----------------------------------------------------------------------------------------------------


def greet(game: TriplePlay, _: int, at_us: int) -> None:
    game.body.tone("startup")


def start_round(game: TriplePlay, _: int, at_us: int) -> None:
    game.body.event("round-started", mode=game.mode)
    game.body.tone("round")
    game.lit, game.last_sets = (), ()
    game.unlit_turns = {pile: 0 for pile in PILES}
    game.presses = {pile: 0 for pile in PILES}
    for pile in PILES:
        game.new_limit(pile)
        game.body.cover(f"counter{pile}", GREEN, GREEN_FLASH, at_us, START_FLASH_US)
    game.next_turn(at_us)


def take_press(game: TriplePlay, pile: int, at_us: int) -> None:
    game.held = pile
    game.go_is_armed = False  # TP-18a
    if game.timer_mode:
        game.body.countdown.catch_up(at_us)
        game.body.countdown.stand(at_us)  # TP-14
    game.body.tone("beep")


def refuse_dark_pad(game: TriplePlay, pile: int, at_us: int) -> None:
    game.body.event("denied", pile=pile)
    game.body.refuse(at_us, f"pile{pile}")


def refuse(game: TriplePlay, pile: int, at_us: int) -> None:
    game.body.refuse(at_us, f"pile{pile}")


def warn(game: TriplePlay, _: int, at_us: int) -> None:
    game.warned = True


def clear_pile(game: TriplePlay, _: int, at_us: int) -> None:
    pile = game.let_go()
    game.new_limit(pile)
    game.body.event("cleared", pile=pile)
    game.body.tone("clear")
    game.note_press(pile, at_us)
    game.next_turn(at_us)


def count_press(game: TriplePlay, _: int, at_us: int) -> None:
    pile = game.let_go()
    game.count(pile, game.counts[pile] + 1)
    game.body.event("played", pile=pile, count=game.counts[pile])
    game.note_press(pile, at_us)


def play(game: TriplePlay, pile: int, at_us: int) -> None:
    count_press(game, pile, at_us)
    game.next_turn(at_us)


def overload(game: TriplePlay, pile: int, at_us: int) -> None:
    count_press(game, pile, at_us)
    game.full_pile = pile
    game.draw = game.body.draw((1, 2, 3, 4), game.body.rules["penalty_odds"])
    game.lit = ()
    game.body.countdown.stop()  # TP-12
    game.body.event("overload", pile=pile, draw=game.draw)
    game.body.tone("overload")


def end_overload(game: TriplePlay, _: int, at_us: int) -> None:
    game.body.tone("beep")
    game.new_limit(game.full_pile)
    game.full_pile = game.draw = 0
    game.next_turn(at_us)


def tick(game: TriplePlay, _: int, at_us: int) -> None:
    game.body.tone("tick")


def time_out(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = False  # TP-18a
    game.lit = ()
    game.draw = game.body.rules["timeout_cards"]
    game.body.event("timeout", draw=game.draw)
    game.body.tone("timeout")


def end_timeout(game: TriplePlay, _: int, at_us: int) -> None:
    game.body.tone("beep")
    game.draw = 0
    game.next_turn(at_us)


def arm(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = True


def disarm(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = False


def pause(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = False
    game.body.countdown.stand(at_us)
    game.body.tone("beep")


def unpause(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = False
    game.body.tone("beep")
    go_on(game, 0, at_us)


def go_on(game: TriplePlay, _: int, at_us: int) -> None:
    """Go on where it was; when nothing was left lit meanwhile, with the next turn (TP-21)."""
    if game.lit:
        game.body.countdown.go_on(at_us)
    else:
        game.next_turn(at_us)


def close_volume(game: TriplePlay, _: int, at_us: int) -> None:
    if game.before_volume == PLAYING:
        go_on(game, 0, at_us)


def end_round(game: TriplePlay, _: int, at_us: int) -> None:
    game.go_is_armed = game.body.volume.opening = False
    game.lit = ()
    game.body.countdown.stop()
    game.body.refusals.clear()
    game.body.event("round-over")
    game.body.tone("round-over")


def lose_pad(game: TriplePlay, pile: int, at_us: int) -> None:
    """A pad is faulty: its pile goes dark, and if none is left lit others are (TP-21)."""
    was_lit = pile in game.lit
    game.lit = tuple(lit for lit in game.lit if lit != pile)
    if was_lit and not game.lit:
        game.light_new_set(at_us)
    if len(game.body.faulty) == len(PILES) and not game.all_faulty:
        game.all_faulty = True
        if game.body.countdown.running:
            game.body.countdown.stop()
        game.body.event("fault", part="pads", reason="stuck")


def lose_held_pad(game: TriplePlay, pile: int, at_us: int) -> None:
    game.let_go()
    lose_pad(game, pile, at_us)
    if game.lit:
        game.body.countdown.go_on(at_us)
    else:
        game.body.countdown.stop()


def regain_pad(game: TriplePlay, pile: int, at_us: int) -> None:
    """A pad is sound again, with a fresh window for its pile (TP-4)."""
    game.unlit_turns[pile] = 0
    if game.all_faulty:
        game.all_faulty = False
        game.body.event("healed", part="pads")


def regain_first_pad(game: TriplePlay, pile: int, at_us: int) -> None:
    regain_pad(game, pile, at_us)
    game.next_turn(at_us)


def nothing_was_lit(game: TriplePlay, _: int, at_us: int) -> bool:
    return not game.lit


CHART: Chart[TriplePlay] = Chart(
    name="triple-play",
    start=STANDBY,
    parents={
        state: ANY
        for state in (STANDBY, READY, PLAYING, HOLDING, OVERLOAD, TIMEOUT, PAUSED, VOLUME, VOLUME_IDLE)
    },
    reports=volume.REPORTS,
    rows=(
        On(STANDBY, GO.pressed, READY, do=greet),  # TP-2
        On(READY, GO.pressed, PLAYING, do=start_round),  # TP-3
        # a turn
        On(PLAYING, PAD.pressed, HOLDING, when=pad_is_lit, do=take_press),  # TP-5
        On(PLAYING, PAD.pressed, None, when=time_is_over, do=refuse),  # TP-15, told when go is in doubt no more
        On(PLAYING, PAD.pressed, None, do=refuse_dark_pad),  # TP-8
        On(HOLDING, PAD.held("warn_clear"), None, when=is_the_held_pad, do=warn),  # TP-7
        On(HOLDING, PAD.held("hold_to_clear"), PLAYING, when=is_the_held_pad, do=clear_pile),  # TP-7
        On(HOLDING, PAD.released, OVERLOAD, when=reaches_the_limit, do=overload),  # TP-10
        On(HOLDING, PAD.released, PLAYING, when=is_the_held_pad, do=play),  # TP-6
        # overload and timer mode
        On(OVERLOAD, PAD.pressed, None, do=refuse),  # TP-11
        On(OVERLOAD, GO.pressed, PLAYING, do=end_overload),  # TP-11
        On(PLAYING, SECOND_PASSED, None, when=in_last_seconds, do=tick),  # TP-13
        On(PLAYING, RUN_OUT, TIMEOUT, do=time_out),  # TP-15
        On(TIMEOUT, PAD.pressed, None, do=refuse),  # TP-15
        On(TIMEOUT, GO.pressed, PLAYING, do=end_timeout),  # TP-15
        On(PLAYING, GO.pressed, None, do=arm),  # TP-18a
        On(PLAYING, GO.released, PAUSED, when=tapped_in_timer_mode, do=pause),  # TP-16
        On(PLAYING, GO.released, None, do=disarm),  # TP-16
        On(PAUSED, PAD.pressed, None, do=refuse),  # TP-16
        On(PAUSED, GO.pressed, None, do=arm),
        On(PAUSED, GO.released, PLAYING, when=tapped, do=unpause),  # TP-16
        # volume and round end
        *volume.rows(GO, opens_from=(PLAYING, PAUSED), close=close_volume),  # TP-17
        On(VOLUME, GO.held("hold_for_new_round"), READY, when=opened_the_volume, do=end_round),  # TP-18
        On(ANY, WOKEN, None, do=disarm),  # C-7
        # faulty pads
        On(HOLDING, PAD.failed, PLAYING, when=is_the_held_pad, do=lose_held_pad),  # C-20, C-13
        On(ANY, PAD.failed, None, do=lose_pad),  # TP-21
        On(PLAYING, PAD.healed, None, when=nothing_was_lit, do=regain_first_pad),  # TP-21
        On(ANY, PAD.healed, None, do=regain_pad),  # TP-21
    ),
)


def light_names(_: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(f"{light}{pile}" for light in ("pile", "counter") for pile in PILES)


def switch_positions(_: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    return {"power": ("off", "on"), "timer": ("off", "on")}


KIND = Kind(
    name="triple-play",
    title="Three piles",
    buttons=(GO, PAD),
    main=GO,
    settings=SETTINGS,
    chart=CHART,
    new_game=TriplePlay,
    switches=switch_positions,
    lights=light_names,
    tones=(
        *("tick", "beep", "denied", "battery-low", "startup", "reminder", "round", "round-over", "clear", "timeout"),
        *("overload", "power-down"),
    ),
)
