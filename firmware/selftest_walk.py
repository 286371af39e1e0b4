"""The walk through the parts of a unit. Read `CHART` first: it is the self-test.

A step is asked for, answered by a contact, a switch, the wheel or a person, and noted; a short pause, then the next.
With a patience each answer must come in time, so that a rig without a person comes to an end.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from firmware.agenda import SECOND
from firmware.chart import After, Chart, On
from firmware.events import Trigger
from firmware.outputs import Tone
from firmware.selftest_steps import MIDDLE, Step, Way

ANNOUNCING, BETWEEN, SHOWING, PRESSING, RELEASING, MOVING, TURNING, OVER = (
    *("announcing", "between", "showing", "pressing", "releasing", "moving", "turning", "over"),
)
ASKING = "asking"  # the parent of all in which an answer is waited for

PRESSED, RELEASED = Trigger("a contact closes"), Trigger("a contact opens")
HELD = Trigger("main button held for no")
MOVED, TURNED, BROKE = Trigger("a switch moves"), Trigger("wheel moves"), Trigger("a part breaks")
YES, NO, SKIP = Trigger("yes is typed"), Trigger("no is typed"), Trigger("skip is typed")
ANSWERS = {"yes": YES, "no": NO, "skip": SKIP}


class Verdict(Enum):
    """How a step ended."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNTRIED = "not tried"


class Result(NamedTuple):
    """A step and how it ended: *detail* in words, after how long (s)."""

    step: Step
    verdict: Verdict
    detail: str = ""
    seconds: float = 0.0


class Walk:
    """What was answered so far, and what is known about the step that is asked for."""

    def __init__(
        self, steps: Sequence[Step], contacts: Sequence[str], main: str, slots: int, *, patient: bool, announced: bool
    ) -> None:
        """*contacts* in the order of their numbers. *patient*: wait for each answer without end.

        *announced*: who began it by holding the main button is to see so, and let it go, before the first step.
        """
        self.steps, self.contacts = tuple(steps), tuple(contacts)
        self.main, self.slots, self.patient, self.announced = contacts.index(main), slots, patient, announced
        self.results: list[Result] = []
        self.events: list[dict[str, object]] = []
        self.tones: list[Tone] = []
        self.broken: dict[str, str] = {}
        self.down: set[int] = set()
        self.closed_at_start: set[str] = set()  # and not opened since
        self._slot: int | None = None
        self._forget(0)

    def _forget(self, at_us: int) -> None:
        self.since_us = at_us
        self.answering = False  # the main button was pressed to answer this very step
        self.closures = 0
        self.others: list[str] = []  # contacts that closed although they were not asked for
        self.joined: list[str] = []  # and those that were closed together with the one that was
        self.positions: set[str] = set()
        self.slots_seen: set[int] = set()
        self.clockwise = 0

    @property
    def step(self) -> Step | None:
        """The step that is asked for, or comes next; None when there is none left."""
        return self.steps[len(self.results)] if len(self.results) < len(self.steps) else None

    @property
    def asked(self) -> Step:
        """The step that is asked for."""
        return self.steps[len(self.results)]

    @property
    def all_results(self) -> list[Result]:
        """The results, those that were never reached as well."""
        return [*self.results, *(Result(step, Verdict.UNTRIED) for step in self.steps[len(self.results) :])]

    @property
    def failures(self) -> int:
        """How many steps have failed so far."""
        return sum(result.verdict is Verdict.FAILED for result in self.results)

    # -- what comes in, told before the chart is asked -------------------------------------------------------------

    def closes(self, contact: str) -> None:
        """Count a raw closure."""
        self.closures += self.step is not None and contact == self.step.part

    def moves(self, switch: str, to: str) -> None:
        """Note where a switch stands."""
        if self.step is not None and switch == self.step.part:
            self.positions.add(to)

    def turns(self, slot: int) -> None:
        """Note where the wheel stands, and which way it came."""
        if self._slot is not None and self.slots:
            forward = (slot - self._slot) % self.slots
            self.clockwise += forward - self.slots if 2 * forward > self.slots else forward
        self._slot = slot
        self.slots_seen.add(slot)

    # -- what the rows do ------------------------------------------------------------------------------------------

    def begin(self, at_us: int) -> None:
        """Ask for the next step."""
        self._forget(at_us)
        step = self.asked
        told = {"step": len(self.results) + 1, "of": len(self.steps), "part": step.part, "way": step.way.value}
        self.events.append({"event": "self-test", **told, "ask": step.ask})

    def end(self, verdict: Verdict, at_us: int, detail: str = "") -> None:
        """Note how the step ended."""
        step = self.asked
        self.results.append(Result(step, verdict, detail, (at_us - self.since_us) / SECOND))
        told = {"event": "tested", "part": step.name, "verdict": verdict.value}
        self.events.append({**told, **({"detail": detail} if detail else {})})
        self.tones.append(Tone("denied" if verdict is Verdict.FAILED else "beep", MIDDLE))

    def fail(self, at_us: int, why: str) -> None:
        """Note that the step failed, and all that was seen of it."""
        seen = self._seen()
        self.end(Verdict.FAILED, at_us, f"{why}; {seen}" if seen else why)

    def _seen(self) -> str:
        step = self.asked
        if step.way is Way.PRESS:
            if step.part in self.closed_at_start:
                return "it is closed since the start: a wire to ground, or held down"
            return f"instead closed: {', '.join(self.others)}" if self.others else ""
        if step.way is Way.MOVE:
            return f"seen: {', '.join(p for p in step.positions if p in self.positions) or 'no position'}"
        return f"{len(self.slots_seen)} of {self.slots} slots seen" if step.way is Way.TURN else ""


# -- guards: they only look ------------------------------------------------------------------------------------------


def main_began_it_and_is_held(walk: Walk, _: int, at_us: int) -> bool:
    return walk.announced and walk.contacts[walk.main] in walk.closed_at_start


def nothing_is_left(walk: Walk, _: int, at_us: int) -> bool:
    return walk.step is None


def next_is_broken(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.part in walk.broken


def next_is_shown(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.way is Way.SHOW


def next_is_pressed(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.way is Way.PRESS


def next_is_moved(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.way is Way.MOVE


def next_is_turned(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.way is Way.TURN


def is_the_one(walk: Walk, contact: int, at_us: int) -> bool:
    return walk.contacts[contact] == walk.asked.part


def is_main(walk: Walk, contact: int, at_us: int) -> bool:
    return contact == walk.main


def main_answers(walk: Walk, contact: int, at_us: int) -> bool:
    return contact == walk.main and walk.answering


def it_is_broken(walk: Walk, _: int, at_us: int) -> bool:
    return walk.asked.part in walk.broken


def every_position_was_seen(walk: Walk, _: int, at_us: int) -> bool:
    return walk.positions >= set(walk.asked.positions)


def it_went_round(walk: Walk, _: int, at_us: int) -> bool:
    return len(walk.slots_seen) == walk.slots and abs(walk.clockwise) >= walk.slots


def patience_has_an_end(walk: Walk, _: int, at_us: int) -> bool:
    return not walk.patient


# -- actions ---------------------------------------------------------------------------------------------------------


def ask(walk: Walk, _: int, at_us: int) -> None:
    walk.begin(at_us)


def say_it_is_over(walk: Walk, _: int, at_us: int) -> None:
    told: dict[str, object] = {"event": "self-test-over", "failed": walk.failures, "of": len(walk.steps)}
    told["parts"] = {result.step.name: [result.verdict.value, result.detail] for result in walk.results}
    walk.events.append(told)


def fail_broken(walk: Walk, _: int, at_us: int) -> None:
    walk.end(Verdict.FAILED, at_us, walk.broken[walk.asked.part])


def fail_unbegun(walk: Walk, _: int, at_us: int) -> None:
    walk.begin(at_us)
    fail_broken(walk, 0, at_us)


def note_answer(walk: Walk, _: int, at_us: int) -> None:
    walk.answering = True


def accept(walk: Walk, _: int, at_us: int) -> None:
    walk.end(Verdict.OK, at_us)


def skip(walk: Walk, _: int, at_us: int) -> None:
    walk.end(Verdict.SKIPPED, at_us)


def refuse(walk: Walk, _: int, at_us: int) -> None:
    walk.fail(at_us, "somebody said no")


def give_up(walk: Walk, _: int, at_us: int) -> None:
    walk.fail(at_us, "no answer in time")


def miss_release(walk: Walk, _: int, at_us: int) -> None:
    walk.end(Verdict.FAILED, at_us, "it closes, but does not open again")


def take_press(walk: Walk, contact: int, at_us: int) -> None:
    down = [walk.contacts[other] for other in sorted(walk.down - {contact})]
    walk.joined = [other for other in down if other not in walk.closed_at_start]


def note_other(walk: Walk, contact: int, at_us: int) -> None:
    walk.others.append(walk.contacts[contact])


def note_joined(walk: Walk, contact: int, at_us: int) -> None:
    walk.joined.append(walk.contacts[contact])


def judge_contact(walk: Walk, _: int, at_us: int) -> None:
    bounces = walk.closures - 1
    if walk.joined:
        with_it = ", ".join(dict.fromkeys(walk.joined))
        walk.end(Verdict.FAILED, at_us, f"{with_it} closed with it: do their wires touch?")
    else:
        walk.end(Verdict.OK, at_us, f"bounced {bounces} times" if bounces > 0 else "")


def judge_turn(walk: Walk, _: int, at_us: int) -> None:
    if walk.clockwise < 0:
        walk.end(Verdict.FAILED, at_us, "it counts backwards: turn reversed under [wheel] into its opposite")
    else:
        walk.end(Verdict.OK, at_us, f"all {walk.slots} slots seen")


CHART: Chart[Walk] = Chart(
    name="self-test",
    start=ANNOUNCING,
    parents={state: ASKING for state in (SHOWING, PRESSING, RELEASING, MOVING, TURNING)},
    rows=(
        On(ANNOUNCING, After("announcement"), ANNOUNCING, when=main_began_it_and_is_held),
        On(ANNOUNCING, After("announcement"), BETWEEN),
        On(ANNOUNCING, SKIP, BETWEEN),
        On(BETWEEN, After("pause"), OVER, when=nothing_is_left, do=say_it_is_over),
        On(BETWEEN, After("pause"), BETWEEN, when=next_is_broken, do=fail_unbegun),
        On(BETWEEN, After("pause"), PRESSING, when=next_is_pressed, do=ask),
        On(BETWEEN, After("pause"), MOVING, when=next_is_moved, do=ask),
        On(BETWEEN, After("pause"), TURNING, when=next_is_turned, do=ask),
        On(BETWEEN, After("pause"), SHOWING, when=next_is_shown, do=ask),
        On(PRESSING, PRESSED, RELEASING, when=is_the_one, do=take_press),
        On(PRESSING, PRESSED, None, do=note_other),
        On(RELEASING, PRESSED, None, do=note_joined),
        On(RELEASING, RELEASED, BETWEEN, when=is_the_one, do=judge_contact),
        On(RELEASING, After("patience"), BETWEEN, when=patience_has_an_end, do=miss_release),
        On(MOVING, MOVED, BETWEEN, when=every_position_was_seen, do=accept),
        On(TURNING, TURNED, BETWEEN, when=it_went_round, do=judge_turn),
        On(SHOWING, PRESSED, None, when=is_main, do=note_answer),
        On(SHOWING, RELEASED, BETWEEN, when=main_answers, do=accept),
        On(SHOWING, HELD, BETWEEN, when=main_answers, do=refuse),
        On(SHOWING, YES, BETWEEN, do=accept),
        On(ASKING, NO, BETWEEN, do=refuse),
        On(ASKING, SKIP, BETWEEN, do=skip),
        On(ASKING, BROKE, BETWEEN, when=it_is_broken, do=fail_broken),
        On(ASKING, After("patience"), BETWEEN, when=patience_has_an_end, do=give_up),
    ),
)
