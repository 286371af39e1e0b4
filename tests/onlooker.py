"""Somebody who sits at the table, sees and hears what a unit does, and knows its rules.

`Onlooker.see` takes what a unit showed and checks what holds of any stream of outputs; `Onlooker.check` compares what
is seen now with what the rules make of the state that the unit is in. The rules stand here a second time, on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import copy

from firmware import power
from firmware.agenda import SECOND
from firmware.body import REFUSAL
from firmware.glyphs import can_show
from firmware.moment import Moment
from firmware.outputs import strength
from firmware.unit import Unit

PILES = (1, 2, 3)
LOW_SHOWN_US = 2 * SECOND  # C-4


class Onlooker:
    """What is seen of *unit*."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.lights = dict.fromkeys(unit.lights, "off")
        self.display, self.pattern = "", ""
        self.state = "off"
        self.last_us = 0
        self.moments = 0
        self._low_since_us = 0
        self._broken: set[str] = set()
        self._tones = {*unit.kind.tones, *unit.kind.icons(unit.rules)}

    def beside(self, unit: Unit) -> Onlooker:
        """Return somebody who has seen the same, beside another unit in the same configuration."""
        other = copy(self)
        other.unit, other.lights = unit, dict(self.lights)
        return other

    def see(self, moments: Iterable[Moment]) -> None:
        """Take what was shown. Everything in it is well formed and says something new."""
        for moment in moments:
            self.moments += 1
            assert self.last_us <= moment.at_us <= self.unit.now_us, "time went back, or ran ahead"
            self.last_us = moment.at_us
            healed = {event.get("part") for event in moment.events if event["event"] == "healed"}  # shown in full, C-20
            for event in moment.events:
                assert isinstance(event["event"], str) and json.loads(json.dumps(event)) == event
            for state in moment.states:
                assert state != self.state, f"{state} was the state already"
                self.state = state
            for light, look in (moment.lights or {}).items():
                assert self.lights[light] != str(look) or "strip" in healed, f"{light} was {look} already"
                self.lights[light] = str(look)
            if moment.face is not None:
                face = (moment.face.text, moment.face.pattern.value)
                assert (self.display, self.pattern) != face or "display" in healed, f"{face} was shown already"
                assert can_show(moment.face.text)
                self.display, self.pattern = face
                if self.display == "Lo":
                    self._low_since_us = moment.at_us
            assert [tone.name for tone in moment.tones if tone.name not in self._tones] == []
            assert [tone.volume for tone in moment.tones if tone.volume not in range(6)] == []
            assert moment.tones == sorted(moment.tones, key=strength)
            assert moment.outputs and len(moment.lines) == len(moment.outputs)
        self._note_parts()

    def check(self) -> None:
        """What is seen is what the rules make of the unit's state; what is inside is within its limits."""
        unit = self.unit
        awake = unit.power.state is power.AWAKE
        assert unit.deadline_us is None or unit.deadline_us > unit.now_us
        assert not (awake and unit.game is None)
        assert (unit.power.state is power.OFF) <= (unit.game is None), "off, and still a game"
        wanted = unit.kind.chart.report(unit.machine.state) if awake else unit.power.state
        assert self.state == wanted
        countdown = unit.body.countdown
        assert countdown.seconds >= 0 and not (countdown.running and countdown.standing)
        assert unit.volume.level in range(6)
        assert json.loads(json.dumps(unit.save())) == unit.save()
        if awake:
            {"triple-play": self._check_piles, "master": self._check_master, "spin": self._check_wheel,
             "party": self._check_party}[unit.kind.name]()  # fmt: skip
        self._check_lights(awake)
        self._check_display(awake)

    def _note_parts(self) -> None:
        """A part that was mended while the unit is off is dark, and nobody says so."""
        mended, self._broken = self._broken - set(self.unit.broken), set(self.unit.broken)
        if self.unit.game is None and "strip" in mended:
            self.lights = dict.fromkeys(self.unit.lights, "off")
        if self.unit.game is None and "display" in mended:
            self.display, self.pattern = "", ""

    def _check_lights(self, awake: bool) -> None:
        unit = self.unit
        if "strip" in unit.broken:
            return
        looks = {light: "off" for light in unit.lights}
        if awake:
            looks.update(LOOKS[unit.kind.name](unit, self.state))
            for light, (over, cover, until_us) in unit.body.covers.items():
                if until_us > unit.now_us:
                    assert str(over) == looks[light], f"{light} is covered by {cover}, which is over by now"
                    looks[light] = str(cover)
            for light, until_us in unit.body.refusals.items():
                if until_us > unit.now_us:
                    looks[light] = str(REFUSAL)
        assert self.lights == looks, f"in {self.state}"

    def _check_display(self, awake: bool) -> None:
        unit = self.unit
        if "display" in unit.broken:
            return
        wanted = FACES[unit.kind.name](unit, self.state) if awake else ("", "")
        if awake and self.display == "Lo" and not unit.game.face(unit.machine.state).busy:
            assert unit.now_us < self._low_since_us + LOW_SHOWN_US
        else:
            assert (self.display, self.pattern) == wanted, f"in {self.state}"

    # -- what holds inside ---------------------------------------------------------------------------------------

    def _check_piles(self) -> None:
        game, faulty = self.unit.game, self.unit.body.faulty
        low, high = self.unit.rules["overload_presses"]
        countdown, state = self.unit.body.countdown, self.unit.machine.state
        assert faulty == {contact.number for name, contact in self.unit.contacts.items()
                          if contact.is_pad and (contact.fault or name in self.unit.broken)}
        assert not set(game.lit) & faulty, "a faulty pad is lit"
        assert set(game.lit) <= set(PILES) and list(game.lit) == sorted(set(game.lit))
        for pile in PILES:
            limit = game.limits[pile]
            assert limit == 0 or low <= limit <= high
            overloaded = state == "overload" and pile == game.full_pile
            assert game.counts[pile] == limit if overloaded else game.counts[pile] < max(limit, 1)
            assert 0 <= game.presses[pile] < self.unit.rules["strip_after"]
        if state in ("playing", "holding"):
            assert game.lit or len(faulty) == 3, "nothing is lit, and nothing says why"
        if state in ("standby", "ready", "overload", "timeout"):
            assert not game.lit
        assert (state == "holding") == bool(game.held) and (not game.held or game.held in game.lit)
        assert (state in ("overload", "timeout")) == bool(game.draw)
        assert (state == "overload") == bool(game.full_pile)
        if not game.timer_mode:
            assert not countdown.running and not countdown.standing
        if countdown.running:
            assert state == "playing"
        if state == "playing" and game.timer_mode:
            assert countdown.running == bool(game.lit)

    def _check_master(self) -> None:
        game, countdown, state = self.unit.game, self.unit.body.countdown, self.unit.machine.state
        assert countdown.running == (state in ("running", "penalty")) and not countdown.standing
        assert game.total in (0, self.unit.rules["penalty_cards"], 2 * self.unit.rules["penalty_cards"])
        assert game.total or state != "penalty"
        assert self.unit.positions["speed"] == str(game.speed)

    def _check_wheel(self) -> None:
        game, countdown, state = self.unit.game, self.unit.body.countdown, self.unit.machine.state
        assert 0 <= game.lit < len(game.icons)
        assert (state in ("result", "aid")) <= (game.result is not None)
        assert countdown.running == (state == "aid")
        assert game.jumps <= 3

    def _check_party(self) -> None:
        game, state = self.unit.game, self.unit.machine.state
        players = self.unit.rules["players"]
        assert len(game.link) in (0, 2) and len(set(game.link)) == len(game.link)
        assert all(1 <= seat <= players for seat in (*game.link, game.cursor))
        assert self.unit.body.countdown.running == (state == "pointing")
        if state in ("clockwise", "counter"):
            assert game.clockwise == (state == "clockwise")


# -- the rules: looks and faces of each state ---------------------------------------------------------------------


def piles_look(unit: Unit, state: str) -> dict[str, str]:
    """TP-1 to TP-21."""
    game, looks = unit.game, {}
    for pile in PILES:
        count, limit = game.counts[pile], game.limits[pile]
        lit_look = {"playing": "white", "holding": "white", "paused": "white fade"}.get(state, "off")
        pile_look = lit_look if pile in game.lit else "off"
        if state == "holding" and pile == game.held:
            pile_look = "white flash"
        if count and count >= (limit - 2 if limit >= 6 else limit - 1):
            counter = "red fast-blink"
        elif count < limit // 2 or not count:
            counter = "green"
        else:
            counter = "yellow slow-blink"
        if state in ("standby", "ready"):
            counter = {"standby": "off", "ready": "blue flash"}[state]
        elif state == "overload" and pile == game.full_pile:
            counter = "red flash"
        elif state == "holding" and pile == game.held and game.warned:
            counter = "white fade"
        looks[f"pile{pile}"], looks[f"counter{pile}"] = pile_look, counter
    return looks


def piles_face(unit: Unit, state: str) -> tuple[str, str]:
    """TP-1 to TP-21."""
    game, left = unit.game, unit.body.countdown.seconds
    if state in ("overload", "timeout"):
        return str(game.draw), "flash"
    if state == "volume":
        return str(unit.volume.level), ""
    if left:
        return str(left), "flash" if state == "paused" else ""
    if len(unit.body.faulty) == len(PILES):
        return "E", ""
    return "-" if state in ("standby", "ready") else "", ""


def master_looks(unit: Unit, state: str) -> dict[str, str]:
    """MA-1 to MA-9."""
    last = unit.body.countdown.seconds <= unit.rules["tick_seconds"]
    return {"timer": {"waiting": "red slow-blink", "running": "red fast-blink" if last else "red",
                      "penalty": "red flash", "paused": "blue fade"}[state]}


def master_face(unit: Unit, state: str) -> tuple[str, str]:
    """MA-1 to MA-9."""
    game = unit.game
    if state == "paused":
        return "PAUS", ""
    if game.total:
        return str(game.total), "flash"
    return str(unit.body.countdown.seconds if state == "running" else game.speed), ""


def wheel_looks(unit: Unit, state: str) -> dict[str, str]:
    """SP-1 to SP-12."""
    game, looks = unit.game, dict.fromkeys(unit.lights, "off")
    if state == "idle":
        return dict.fromkeys(unit.lights, "white chase")
    if state == "spinning":
        looks[f"seg{game.lit + 1}"] = "white"
    elif state == "result":
        looks[f"seg{game.result + 1}"] = unit.rules["icons"][game.result]["colour"]
    return looks


def wheel_face(unit: Unit, state: str) -> tuple[str, str]:
    """SP-1 to SP-12."""
    game = unit.game
    if state == "volume":
        return str(unit.volume.level), ""
    if state == "result":
        left = unit.body.countdown.seconds
        return str(left) if left else unit.rules["icons"][game.result]["code"], ""
    return "SPin" if state == "idle" and game.hint else "", ""


def party_looks(unit: Unit, state: str) -> dict[str, str]:
    """PA-1 to PA-6."""
    game, looks = unit.game, dict.fromkeys(unit.lights, "off")
    if state == "volume":
        return looks
    for seat in range(1, unit.rules["players"] + 1):
        look = "green chase" if game.clockwise else "yellow chase-back"
        if seat in game.link or (state == "linking" and seat == game.chosen):
            look = "purple"
        if state == "linking" and seat == game.cursor and game.cursor_moved:
            look = "white flash"
        looks[f"seat{seat}"] = look
    return looks


def party_face(unit: Unit, state: str) -> tuple[str, str]:
    """PA-3, PA-6."""
    if state == "volume":
        return str(unit.volume.level), ""
    return str(unit.body.countdown.seconds) if state == "pointing" else "", ""


LOOKS = {"triple-play": piles_look, "master": master_looks, "spin": wheel_looks, "party": party_looks}
FACES = {"triple-play": piles_face, "master": master_face, "spin": wheel_face, "party": party_face}
