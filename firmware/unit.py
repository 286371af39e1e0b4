"""A running unit: inputs in, moments out. No clock, no thread, no hardware; the same calls give the same outputs.

    contact, switch, wheel, battery, part  ──feed──▶  debounce ─▶ power (off, awake, asleep) ─▶ the game's chart
                                                                                                      │
    moments: events, states, lights, display, tones  ◀──────── what the game looks like now ◀─────────┘

`feed` settles every deadline up to the stamp of the input first, each at its own due time, then takes the input (C-15).
So a caller that wakes late gets the very same moments as one that is punctual. `deadline_us` says when to call `tick`.

What every unit has in common lives here and in `power`: power, sleep, the health of inputs and parts, the battery.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from firmware import events, power
from firmware.agenda import HOLD, OTHER, Act, Agenda
from firmware.body import Body, Volume
from firmware.chart import Machine
from firmware.debounce import Debounced
from firmware.events import Button, Trigger
from firmware.front import Front
from firmware.kind import Game, Kind
from firmware.moment import Moment
from firmware.power import AWAKE
from firmware.settings import COMMON, Values, in_us
from firmware.sleep import SleepClock
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, Seeded, WheelAt

STUCK = Trigger("held for stuck_after")
PARTS = ("display", "strip", "buzzer")
MEMORY = "memory"  # breaks when the round cannot be written down


class Unit:
    """One unit, from its first power-on to the end of the program."""

    __slots__ = (
        *("battery_low", "body", "broken", "contacts", "durations_us", "front", "game", "kind", "lights", "machine"),
        *("now_us", "parts", "positions", "power", "rules", "settings", "sleep", "switches", "volume"),
        *("_agenda", "_battery_told", "_buttons", "_memory_fault", "_moments", "_off_state", "_open"),
        *("_power_ons", "_reports", "_saved", "_seed", "_state", "_states", "_waiting", "_waker"),
    )

    def __init__(
        self, kind: Kind, settings: Values, seed: int, saved: Mapping[str, Any] | None = None,
        memory_fault: str | None = None, volume: int | None = None, start_us: int = 0,
    ) -> None:
        """A unit that is off.

        *saved* is the round that the last one left behind (`save`), *volume* what was set before; *memory_fault* says
        why a round that was there could not be read. It begins at *start_us* (µs).
        """
        self.kind, self.settings = kind, settings
        self.rules = settings[kind.section]
        common = settings["common"]
        self.durations_us = {**in_us(COMMON, common), **in_us(kind.settings, self.rules), **kind.times_us}
        self.switches = dict(kind.switches(self.rules))
        self.positions = {switch: positions[0] for switch, positions in self.switches.items()}
        self.lights = kind.lights(self.rules)
        pads = tuple(name for button in kind.buttons if button.is_pad for name in button.contacts)
        self.parts = (*PARTS, *(("wheel",) if kind.slots(self.rules) else ()), *pads)

        self._agenda = Agenda()
        self.volume = Volume(common["volume"] if volume is None else volume)
        self._seed, self._power_ons = seed, 0
        self.body = Body(self.rules, self.durations_us, self.volume, Random(seed), self._agenda, self)
        self._off_state, self._reports = kind.off_state, kind.chart.reports
        self.power = Machine(power.BY_BUTTON if kind.off_state else power.BY_SWITCH, self, self._agenda, {})
        self.game: Game | None = None
        self.machine: Machine[Any] = Machine(kind.chart, None, self._agenda, self.durations_us, self._timer_waits)
        self.contacts, self._buttons = self._make_contacts()

        self.front = Front(self.lights, self.body, self._agenda)
        sleep_after_us = None if kind.sleep_setting is None else self.durations_us[kind.sleep_setting]
        self.sleep = SleepClock(self._agenda, self, sleep_after_us)

        self.battery_low = self._battery_told = False
        self.broken: dict[str, str] = {}
        self.now_us = start_us
        self._saved, self._memory_fault = saved, memory_fault
        self._waiting: list[tuple[int, int, Act]] = []  # put aside until a contact in doubt is settled
        self._waker: Debounced | None = None  # the contact whose press switched on or woke
        self._state = power.OFF
        self._states: list[str] = []
        self._open = False  # something happened since the last moment was closed
        self._moments: list[Moment] = []
        if kind.off_state and (saved is not None):
            self.power.enter(AWAKE, start_us)
            self.start(start_us)
            self._after(start_us)
            self._open = True

    def _make_contacts(self) -> tuple[dict[str, Debounced], dict[str, Button]]:
        contacts, buttons = {}, {}
        for button in self.kind.buttons:
            holds = [
                (self.durations_us[setting], trigger)
                for trigger in self.kind.chart.triggers
                if isinstance(trigger, Trigger) and (setting := events.hold_setting(trigger, button))
            ]
            if button.is_pad:
                holds.append((self.durations_us["stuck_after"], STUCK))
            for number, name in enumerate(button.contacts, 1):
                contacts[name] = Debounced(
                    name, number, button.is_pad, self.durations_us["debounce"], holds, self._agenda, self
                )
                buttons[name] = button
        return contacts, buttons

    # -- time -----------------------------------------------------------------------------------------------------

    @property
    def deadline_us(self) -> int | None:
        """When `tick` is to be called next (µs), or None: only an input can change anything."""
        return self._agenda.next_us

    def tick(self, now_us: int) -> list[Moment]:
        """Settle everything that is due up to *now_us* (µs); what was shown, moment by moment."""
        self._settle(now_us)
        if self._open:
            self._flush()
        return self._take_moments()

    def feed(self, heard: Input) -> list[Moment]:
        """Take an input, after everything that was due up to its stamp; what was shown, moment by moment.

        An input that is stamped before what has been settled already counts as happening now.
        """
        if type(heard) is Contact:
            name, closed, at_us, at_start = heard
        else:
            name, closed, at_us, at_start = "", False, heard.at_us, True
        if at_us < self.now_us:  # noqa: PLR1730 - max() takes four times as long
            at_us = self.now_us
        heap = self._agenda.heap  # looked at here: nothing is due for most presses
        if heap and heap[0][0] <= at_us:  # type: ignore[operator]
            self._settle(at_us)
        if at_us > self.now_us:
            if self._open:
                self._flush()
            self.now_us = at_us
        if at_start:
            self._take_other(heard, at_us)
        else:
            self.contacts[name].edge(closed, at_us)
        self._after(at_us)
        heap = self._agenda.heap
        if heap and heap[0][0] <= at_us:  # type: ignore[operator]
            self._settle(at_us)
        self._flush()
        moments = self._moments
        if moments:
            self._moments = []
        return moments

    def _take_moments(self) -> list[Moment]:
        moments = self._moments
        if moments:
            self._moments = []
            return moments
        return []

    def _settle(self, until_us: int) -> None:
        agenda = self._agenda
        while True:
            due_us = agenda.next_us
            if due_us is None or due_us > until_us:
                break
            if due_us > self.now_us:
                if self._open:
                    self._flush()
                self.now_us = due_us
            due_us, act = agenda.take()
            act(due_us)
            self._open = True
            self._after(due_us)

    def _after(self, at_us: int) -> None:
        """Note what the last step changed: the state, a unit that switched itself off, one that may sleep now."""
        if self.power.state is AWAKE:
            state = self.machine.state
            if state is self._off_state:
                self.power.feed(power.SWITCHED_OFF, 0, at_us)
                state = power.OFF
            else:
                state = self._reports.get(state, state)
                if self.sleep.is_overdue:
                    self.sleep.look(self.now_us)
        else:
            state = self.power.state
        if state != self._state:
            self._state = state
            self._states.append(state)

    # -- inputs ---------------------------------------------------------------------------------------------------

    def _take_contact_at_start(self, name: str, closed: bool, at_us: int) -> None:
        contact = self.contacts[name]
        if closed and not contact.down:
            contact.fault = "held-at-start"
            if self.power.state is AWAKE:
                self.tell("fault", part=contact.name, reason=contact.fault)
        contact.edge(closed, at_us)

    def _take_other(self, heard: Input, at_us: int) -> None:
        match heard:
            case Contact(name, closed):
                self._take_contact_at_start(name, closed, at_us)
            case Moved(switch, to):
                self._take_switch(switch, to, at_us)
            case WheelAt(slot):
                if self.game is not None and "wheel" not in self.broken:
                    self.game.wheel(slot, at_us, self.power.state is AWAKE)
            case Battery(low):
                self.battery_low = low
                if low:
                    self._tell_battery()
                else:
                    self.front.forget_low()
            case Broke(part, why):
                self._break(part, why, at_us)
            case Mended(part):
                self._mend(part, at_us)
            case Seeded(seed):
                self._seed, self._power_ons = seed, 0

    def _take_switch(self, switch: str, to: str, at_us: int) -> None:
        if self.positions[switch] == to:
            return
        self.positions[switch] = to
        self.sleep.note(at_us)
        if switch == "power":
            self.power.feed(power.SWITCHED_ON if to == "on" else power.SWITCHED_OFF, 0, at_us)
        elif self.power.state is AWAKE:
            self.machine.feed(events.SWITCHED, self.switches[switch].index(to), at_us)

    # -- contacts: what the debouncing leaves ------------------------------------------------------------------------

    def pressed(self, contact: Debounced, at_us: int) -> None:
        """See `debounce.Ear`."""
        self.sleep.note(at_us)
        if contact.fault or contact.name in self.broken:
            return
        if self.power.state is AWAKE:
            self.machine.feed(self._buttons[contact.name].pressed, contact.number, at_us)
        elif self._buttons[contact.name] is self.kind.main:
            self._waker = contact
            self.power.feed(power.MAIN_PRESSED, 0, at_us)
            self._waker = None

    def released(self, contact: Debounced, at_us: int) -> None:
        """See `debounce.Ear`."""
        self.sleep.note(at_us)
        if contact.fault:
            contact.fault = None
            if self.game is not None and contact.name not in self.broken:
                self.tell("healed", part=contact.name)
                self._mind_pads(at_us)
        elif self.power.state is AWAKE and contact.name not in self.broken:
            self.machine.feed(self._buttons[contact.name].released, contact.number, at_us)

    def held(self, contact: Debounced, trigger: Trigger, at_us: int) -> None:
        """See `debounce.Ear`."""
        if self.power.state is not AWAKE or contact.fault or contact.name in self.broken:
            return
        if trigger is STUCK:
            contact.fault = "stuck"
            self.tell("fault", part=contact.name, reason="stuck")
            self._mind_pads(at_us)
        else:
            self.machine.feed(trigger, contact.number, at_us)

    def settled(self) -> None:
        """See `debounce.Ear`."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for due_us, rank, act in waiting:
                self._agenda.set(due_us, rank, act)

    def wait_for_contact(self, due_us: int, rank: int, act: Act) -> None:
        """See `debounce.Ear`."""
        self._waiting.append((due_us, rank, act))

    # -- the countdown -----------------------------------------------------------------------------------------------

    def second_passed(self, seconds_left: int, at_us: int) -> None:
        """See `countdown.Watcher`."""
        self.machine.feed(events.SECOND_PASSED, seconds_left, at_us)

    def ran_out(self, at_us: int) -> None:
        """See `countdown.Watcher`."""
        self.sleep.note(at_us)
        self.machine.feed(events.RUN_OUT, 0, at_us)

    def countdown_waits(self, due_us: int, rank: int, act: Act) -> bool:
        """See `countdown.Watcher`."""
        in_doubt = self.contacts[self.kind.main.name].unsettled
        if not in_doubt or self.game is None:
            return False
        if self.game.countdown_waits(self.machine.state, in_doubt, self._hold_waits()):
            self.wait_for_contact(due_us, rank, act)
            return True
        return False

    def _hold_waits(self) -> bool:
        return any(rank == HOLD for _, rank, _ in self._waiting)

    def _timer_waits(self, due_us: int, act: Act) -> bool:
        """Let a timer of the chart come after a hold that was due first and is still in doubt (C-10a, C-15)."""
        if self._hold_waits():
            self.wait_for_contact(due_us, OTHER, act)
            return True
        return False

    # -- sleep and what the game itself finds out ----------------------------------------------------------------------

    def may_sleep(self) -> bool:
        """See `sleep.Sleeper`."""
        if self.power.state is not AWAKE or self.game is None or self.body.countdown.running:
            return False
        held = any(c.is_pad and c.down and not c.fault and c.name not in self.broken for c in self.contacts.values())
        return not held and self.game.sleeps(self.machine.state)

    def is_in_doubt(self) -> bool:
        """See `sleep.Sleeper`."""
        return any(contact.unsettled for contact in self.contacts.values())

    def fall_asleep(self, at_us: int) -> None:
        """See `sleep.Sleeper`."""
        self.power.feed(power.TIRED, 0, at_us)

    def game_state(self) -> str:
        """See `body.Owner`."""
        return self.machine.state

    def happens(self, game: object, trigger: Trigger, subject: int, at_us: int) -> None:
        """See `body.Owner`."""
        if game is self.game:
            self.machine.feed(trigger, subject, at_us)

    def moved_by_hand(self, at_us: int) -> None:
        """See `body.Owner`."""
        self.sleep.note(at_us)

    def spun(self, at_us: int) -> None:
        """See `body.Owner`."""
        self.power.feed(power.SPUN, 0, at_us)

    # -- power: what the rows of its chart do ------------------------------------------------------------------------

    def start(self, at_us: int) -> None:
        """Do the power-on: tell what is faulty, then begin a game or go on with the saved one."""
        self._power_ons += 1
        body = self.body
        body.random = Random(f"{self._seed} {self._power_ons}")
        self._battery_told = False
        self.front.restart()
        for contact in self.contacts.values():
            if contact.down and contact is not self._waker and contact.name not in self.broken:
                contact.fault = "held-at-start"
                self.tell("fault", part=contact.name, reason=contact.fault)
        for part, why in self.broken.items():
            self.tell("fault", part=part, reason=why)
        if self._memory_fault is not None:
            self.tell("fault", part=MEMORY, reason=self._memory_fault)
            self._memory_fault = None
        body.faulty = self._faulty_pads()
        saved, self._saved = self._saved, None
        self.game = self.kind.new_game(body, dict(self.positions))
        self.machine.game = self.game
        self.machine.enter(self._first_state(saved), at_us)
        self._tell_pads(body.faulty, set(), at_us)
        self.sleep.start(at_us)

    def _first_state(self, saved: Mapping[str, Any] | None) -> str:
        assert self.game is not None
        if saved is not None:
            try:
                return self.game.resume(saved)
            except (KeyError, TypeError, ValueError):
                self.tell("fault", part=MEMORY, reason="the round that was kept does not fit these settings")
                self.game = self.machine.game = self.kind.new_game(self.body, dict(self.positions))
        self.game.begin()
        return self.kind.chart.start

    def wake(self, at_us: int) -> None:
        """Be as before sleep; a pad that is down counts only after it was released, its stuck time from now (C-8)."""
        self.tell("awake")
        self.sleep.start(at_us)
        for contact in self.contacts.values():
            if contact.is_pad and contact.down and not contact.fault:
                contact.hold_from(at_us, STUCK)
        self.machine.feed(events.WOKEN, 0, at_us)
        self._mind_pads(at_us, awake=True)
        if self.battery_low:
            self._tell_battery(awake=True)

    def end(self) -> None:
        """Forget the game; the next power-on starts fresh."""
        self.front.uncover()
        self.sleep.stop()
        self.body.countdown.stop()
        self.machine.rest()
        self._agenda.keep_releases()
        self._waiting.clear()
        self.game = self.machine.game = self._saved = None
        for contact in self.contacts.values():
            contact.fault = None

    # -- parts and battery -------------------------------------------------------------------------------------------

    def _break(self, part: str, why: str, at_us: int) -> None:
        if part in self.broken:
            return
        self.broken[part] = why
        self._note_part(part, works=False)
        if self.power.state is power.OFF or self.game is None:
            return
        if part in self.contacts:
            self.contacts[part].fault = None
        self.tell("fault", part=part, reason=why)
        if part == "wheel":
            self.game.wheel(None, at_us, self.power.state is AWAKE)
        self._mind_pads(at_us)

    def _mend(self, part: str, at_us: int) -> None:
        if self.broken.pop(part, None) is None:
            return
        self._note_part(part, works=True)
        is_shown = part in ("strip", "display")
        if self.power.state is power.OFF or self.game is None:
            if is_shown:
                self.front.mend_dark(part)
            return
        self.tell("healed", part=part)
        if is_shown:
            self.front.show_all(part)
        if part in self.contacts:
            contact = self.contacts[part]
            if contact.is_pad and contact.down:
                contact.hold_from(at_us, STUCK)
        self._mind_pads(at_us)

    def _note_part(self, part: str, *, works: bool) -> None:
        if part == "buzzer":
            self.body.silent = not works
        elif part == "strip":
            self.front.strip_works = works
        elif part == "display":
            self.front.display_works = works

    def _faulty_pads(self) -> set[int]:
        pads = (contact for contact in self.contacts.values() if contact.is_pad)
        return {pad.number for pad in pads if pad.fault or pad.name in self.broken}

    def _mind_pads(self, at_us: int, *, awake: bool = False) -> None:
        """Let the game know which pads are faulty; while asleep it learns that when it wakes."""
        if self.game is not None and (awake or self.power.state is AWAKE):
            before, self.body.faulty = self.body.faulty, self._faulty_pads()
            self._tell_pads(self.body.faulty - before, before - self.body.faulty, at_us)

    def _tell_pads(self, failed: set[int], healed: set[int], at_us: int) -> None:
        for contact in self.contacts.values():
            if contact.is_pad and contact.number in failed:
                self.machine.feed(self._buttons[contact.name].failed, contact.number, at_us)
            elif contact.is_pad and contact.number in healed:
                self.machine.feed(self._buttons[contact.name].healed, contact.number, at_us)

    def _tell_battery(self, *, awake: bool = False) -> None:
        if self.game is not None and (awake or self.power.state is AWAKE) and not self._battery_told:
            self._battery_told = True
            self.front.show_low()
            self.tell("battery-low")
            self.voice("battery-low")

    # -- outputs -----------------------------------------------------------------------------------------------------

    def tell(self, name: str, **fields: object) -> None:
        """Tell that *name* happened."""
        self.body.event(name, **fields)

    def voice(self, tone: str) -> None:
        """Start a tone."""
        self.body.tone(tone)

    def save(self) -> dict[str, object] | None:
        """The round as the next power-on needs it, JSON-ready; None if that is to start fresh (C-5)."""
        if self.game is None:
            return dict(self._saved) if self._saved is not None else None
        return self.game.save(self.machine.state)

    def _flush(self) -> None:
        """Close the present moment: what happened in it, and how lights and display stand at its end."""
        self._open = False
        body, game = self.body, self.game
        base, face = None, None
        if game is not None and self.power.state is AWAKE:
            state = self.machine.state
            base, face = game.lights(state), game.face(state)
        front, now_us = self.front, self.now_us
        lights = front.light_changes(base, now_us)
        face = front.face_change(face, now_us)
        events, states, tones = body.events, self._states, body.tones
        if lights or face is not None or events or tones or states:
            self._moments.append(Moment(now_us, events, states, lights, face, tones))
            body.events, self._states, body.tones = [], [], []
