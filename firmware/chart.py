"""State machines as tables: the kernel that runs, checks and draws them.

Theory of operation
-------------------
A chart is a list of rows, and the list is the only truth: it runs, it is drawn into the docs, it is linted, and a test
walks it. Nothing about when a unit changes its state stands anywhere else.

    On(PLAYING, PAD.pressed, HOLDING, when=pad_is_lit, do=take_press)      # TP-5
    On(PLAYING, PAD.pressed, None, do=refuse_dark_pad)                     # TP-8
    On(IDLE, After("give_up"), OFF)

* A *state* is a word that an onlooker could shout. Several states can share a *parent*; a parent is never active by
  itself, its rows count for all its children, and a state without a name of its own in the report goes by the one
  that `reports` gives.
* A *trigger* is what happened (`events`), `After(setting)` the time that a state has lasted. Triggers carry a
  *subject*: the number of a pad, the slot of a wheel, the seconds left.
* What happens is looked up leaf first, then in its parents; the first row whose guard `when` holds is taken. A guard
  only looks, it changes nothing.
* A taken row calls `do`, then changes the state. A row without a target (None) stays where it is and leaves the
  timers alone; a row whose target is its own state enters it anew, and its timers start again.
* Time is handed in. `at_us` is when the cause happened, not when it was handled: a late machine arms its timers at the
  same moments as a punctual one (C-15).

A machine has no clock, no thread and no output of its own; actions write into the game that was given to it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from firmware.agenda import OTHER, Act, Agenda, Entry
from firmware.events import Trigger

Game = TypeVar("Game")


class After(NamedTuple):
    """The trigger of a state that has lasted as long as the setting of this name says."""

    setting: str

    def __str__(self) -> str:
        return f"after {self.setting}"


class On(NamedTuple, Generic[Game]):
    """One row: in *source*, when *trigger* happens and *when* holds, *do* it and go to *target* (None: stay).

    *when* and *do* get the game, the subject, and the time of the cause (µs).
    """

    source: str
    trigger: Trigger | After
    target: str | None
    when: Callable[[Game, int, int], bool] | None = None
    do: Callable[[Game, int, int], None] | None = None

    def __str__(self) -> str:
        guard = f" [{words(self.when)}]" if self.when else ""
        action = f" / {words(self.do)}" if self.do else ""
        return f"{self.trigger}{guard}{action}"


def words(function: Callable[..., Any] | None) -> str:
    """A guard or an action in words; empty for none."""
    return "" if function is None else function.__name__.strip("_").replace("_", " ")


class Chart(Generic[Game]):
    """States, their parents, and who goes where on what. Made once, never changed."""

    __slots__ = ("_after", "_on", "name", "parents", "reports", "rows", "start")

    def __init__(
        self, name: str, start: str, rows: Sequence[On[Game]], parents: Mapping[str, str] | None = None,
        reports: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.start, self.rows = name, start, rows
        self.parents: Mapping[str, str] = parents or {}
        self.reports: Mapping[str, str] = reports or {}
        self._on: dict[str, dict[Trigger, tuple[On[Game], ...]]] = {}
        self._after: dict[str, tuple[On[Game], ...]] = {}
        for state in self.states:
            own: dict[Trigger, tuple[On[Game], ...]] = {}
            self._on[state] = own
            for level in self.path(state):
                for row in self.rows:
                    if row.source != level:
                        continue
                    if isinstance(row.trigger, After):
                        self._after[state] = (*self._after.get(state, ()), row)
                    else:
                        own[row.trigger] = (*own.get(row.trigger, ()), row)

    @property
    def states(self) -> tuple[str, ...]:
        """Every state that can be active, in the order in which the rows name them."""
        named = [self.start, *(state for row in self.rows for state in (row.source, row.target) if state)]
        parents = set(self.parents.values())
        return tuple(state for state in dict.fromkeys([*named, *self.parents]) if state not in parents)

    @property
    def triggers(self) -> tuple[Trigger | After, ...]:
        """Everything that some row waits for, in the order of the rows."""
        return tuple(dict.fromkeys(row.trigger for row in self.rows))

    def path(self, state: str) -> tuple[str, ...]:
        """*state* and its parents, innermost first."""
        path = [state]
        while path[-1] in self.parents:
            path.append(self.parents[path[-1]])
        return tuple(path)

    def report(self, state: str) -> str:
        """The name under which *state* is reported."""
        return self.reports.get(state, state)

    def lint(self, endings: Iterable[str] = (), patient: Iterable[str] = ()) -> list[str]:
        """What is wrong with the table, in words; an empty list when it is sound.

        *endings* may have no way out. A state that has no timer must be left by somebody's hand; *patient* names those
        that may wait for a part without one.
        """
        targets = {row.target for row in self.rows if row.target}
        lost = [state for state in self.states if state != self.start and state not in targets]
        problems = [f"{self.name}: {state} can never be reached" for state in lost]
        for state in self.states:
            rows = [row for row in self.rows if row.source in self.path(state)]
            if state not in endings and not any(row.target not in (None, state) for row in rows):
                problems.append(f"{self.name}: {state} has no way out")
            seen: set[Trigger | After] = set()
            for row in rows:
                if row.trigger in seen and row.source == state:
                    problems.append(f"{self.name}: {state}: '{row}' comes after a row that always holds")
                if row.when is None and row.source == state:
                    seen.add(row.trigger)
            waits = any(str(row.trigger).startswith("wheel") and row.target is not None for row in rows)
            if waits and state not in patient and not any(isinstance(row.trigger, After) for row in rows):
                problems.append(f"{self.name}: {state} waits for a part without a time-out")
        return problems

    def mermaid(self) -> str:
        """The chart as a Mermaid state diagram; the same table gives the same text."""
        lines = ["stateDiagram-v2", f"    [*] --> {_id(self.start)}"]
        names = dict.fromkeys([*self.states, *self.parents.values()])
        for state in names:
            if state not in self.parents:
                lines += self._draw(state, "    ")
        for row in self.rows:
            target = row.source if row.target is None else row.target
            note = " (stays)" if row.target is None else ""
            lines.append(f"    {_id(row.source)} --> {_id(target)} : {row}{note}")
        return "\n".join(lines) + "\n"

    def _draw(self, state: str, pad: str) -> list[str]:
        children = [child for child, parent in self.parents.items() if parent == state]
        if not children:
            return [f'{pad}state "{state}" as {_id(state)}']
        inner = [line for child in children for line in self._draw(child, pad + "    ")]
        return [f'{pad}state "{state}" as {_id(state)} {{', *inner, f"{pad}}}"]


def _id(state: str) -> str:
    return state.replace("-", "_").replace(" ", "_")


class Machine(Generic[Game]):
    """One running chart: the active state, the game it plays, and the timers of the state."""

    __slots__ = (
        *("_after", "_agenda", "_durations_us", "_on", "_timers", "chart", "entered_us", "entries", "game", "state"),
        "waits",
    )

    def __init__(
        self, chart: Chart[Game], game: Game, agenda: Agenda, durations_us: Mapping[str, int],
        waits: Callable[[int, Act], bool] = lambda due_us, act: False,
    ) -> None:
        """*durations_us* has the times (µs) of every setting that an `After` of the chart names.

        *waits* is asked when one is due whether it must wait; it then calls the timer again later.
        """
        self.waits = waits
        self.entries = 0  # how often a state was entered
        self.chart, self.game, self.state = chart, game, chart.start
        self.entered_us = 0
        self._agenda, self._durations_us = agenda, durations_us
        self._on, self._after = chart._on, chart._after
        self._timers: list[Entry] = []

    def feed(self, trigger: Trigger, subject: int, at_us: int) -> bool:
        """Take what happened at *at_us* (µs); whether some row was waiting for it."""
        game = self.game
        for _, _, target, when, do in self._on[self.state].get(trigger, ()):
            if when is None or when(game, subject, at_us):
                if do is not None:
                    do(game, subject, at_us)
                if target is not None:
                    self.enter(target, at_us)
                return True
        return False

    def enter(self, state: str, at_us: int) -> None:
        """Be in *state* since *at_us* (µs): the old timers end, its own ones start. Also how a saved game goes on."""
        if self._timers:
            self.forget_timers()
        self.state, self.entered_us = state, at_us
        self.entries += 1
        if state in self._after:
            self._arm(self._after[state], at_us)

    def rest(self) -> None:
        """Be back at the start, without timers: nothing happens until a state is entered."""
        self.forget_timers()
        self.state = self.chart.start
        self.entries += 1

    def forget_timers(self) -> None:
        """End the timers of the state."""
        for entry in self._timers:
            self._agenda.drop(entry)
        self._timers = []

    def _arm(self, rows: Iterable[On[Game]], at_us: int) -> None:
        for row in rows:
            assert isinstance(row.trigger, After)
            due_us = at_us + self._durations_us[row.trigger.setting]
            self._timers.append(self._agenda.set(due_us, OTHER, _Timer(self, row)))


class _Timer(Generic[Game]):
    """A timer of the active state; calling it takes its row if the guard holds."""

    __slots__ = ("entry", "machine", "row")

    def __init__(self, machine: Machine[Game], row: On[Game]) -> None:
        self.machine, self.row = machine, row
        self.entry = machine.entries

    def __call__(self, due_us: int) -> None:
        row, machine = self.row, self.machine
        if self.entry != machine.entries or machine.waits(due_us, self):
            return
        if row.when is not None and not row.when(machine.game, 0, due_us):
            return
        if row.do is not None:
            row.do(machine.game, 0, due_us)
        if row.target is not None:
            machine.enter(row.target, due_us)
