"""Timelines of one contact: when, what came in, what must come out; each also with a loop that wakes up late."""

from random import Random

import pytest

from firmware.agenda import MS, Agenda
from firmware.debounce import Debounced
from firmware.events import Trigger

CLOSE, OPEN = True, False
WARN, CLEAR = Trigger("held for a second"), Trigger("held for two seconds")


class Ear:
    """Writes down what is left after debouncing, with the time of the cause in ms."""

    def __init__(self, agenda):
        self.agenda, self.told, self.waiting = agenda, [], []

    def pressed(self, contact, at_us):
        self.told.append(f"pressed at {at_us / MS:g}")

    def released(self, contact, at_us):
        self.told.append(f"released at {at_us / MS:g}")

    def held(self, contact, trigger, at_us):
        self.told.append(f"{trigger} at {at_us / MS:g}")

    def wait_for_contact(self, due_us, rank, act):
        self.waiting.append((due_us, rank, act))

    def settled(self):
        waiting, self.waiting = self.waiting, []
        for entry in waiting:
            self.agenda.set(*entry)


class Loop:
    """A contact, and the loop around it: what is due up to an edge is settled before the edge (C-15)."""

    def __init__(self, holds=()):
        self.agenda = Agenda()
        self.ear = Ear(self.agenda)
        self.contact = Debounced("pile1", 1, True, 30 * MS, holds, self.agenda, self.ear)

    def settle(self, until_us):
        while (due_us := self.agenda.next_us) is not None and due_us <= until_us:
            due_us, act = self.agenda.take()
            act(due_us)

    def row(self, at_ms, edge):
        """Handle one row of a timeline in time; what was told since the row before."""
        self.settle(at_ms * MS)
        if edge is not None:
            self.contact.edge(edge, round(at_ms * MS))
        self.settle(at_ms * MS)
        told, self.ear.told = self.ear.told, []
        return told

    def run_late(self, rows, most_us, chance):
        """Handle a timeline with wake-ups that are late by up to *most_us*; all that was told."""
        edges = [(round(at_ms * MS), edge) for at_ms, edge, _ in rows]
        while edges or self.agenda.next_us is not None:
            wake_us = min(t for t in (self.agenda.next_us, edges[0][0] if edges else None) if t is not None)
            wake_us += chance.randrange(most_us + 1)
            while edges and edges[0][0] <= wake_us:
                at_us, edge = edges.pop(0)
                self.settle(at_us)
                if edge is not None:
                    self.contact.edge(edge, at_us)
            self.settle(wake_us)
        return self.ear.told


# The name of the story, and its rows: ms, edge, what is told from the row before up to this one.
TIMELINES = {
    "C-9 a press counts at its first edge": [
        (0, CLOSE, ["pressed at 0"]),
    ],
    "C-9 the stamp is that of the edge, to the microsecond": [
        (1.234, CLOSE, ["pressed at 1.234"]),
    ],
    "C-10 a release counts once it is sure, dated when the contact opened": [
        (0, CLOSE, ["pressed at 0"]),
        (100, OPEN, []),
        (129.999, None, []),
        (130, None, ["released at 100"]),
    ],
    "C-10 a bouncing press is one press": [
        (0, CLOSE, ["pressed at 0"]),
        *[(ms, edge, []) for ms, edge in ((1, OPEN), (2, CLOSE), (4, OPEN), (5, CLOSE), (29, OPEN), (31, CLOSE))],
        (1_000, None, []),
    ],
    "C-10 a release within the first 30 ms is dated where it was": [
        (0, CLOSE, ["pressed at 0"]),
        (12, OPEN, []),
        (42, None, ["released at 12"]),
    ],
    "C-11 a tap of one millisecond is seen": [
        (0, CLOSE, ["pressed at 0"]),
        (1, OPEN, []),
        (30.999, None, []),
        (31, None, ["released at 1"]),
    ],
    "C-11 a bouncing release is one release, dated at its last opening": [
        (0, CLOSE, ["pressed at 0"]),
        *[(ms, edge, []) for ms, edge in ((100, OPEN), (101, CLOSE), (103, OPEN), (109, CLOSE), (110, OPEN))],
        (139.999, None, []),
        (140, None, ["released at 110"]),
    ],
    "C-11 a contact that was open for exactly the debounce time was released": [
        (0, CLOSE, ["pressed at 0"]),
        (70, OPEN, []),
        (100, CLOSE, ["released at 70", "pressed at 100"]),
    ],
    "C-10 a microsecond less and it was not": [
        (0, CLOSE, ["pressed at 0"]),
        (70, OPEN, []),
        (99.999, CLOSE, []),
        (500, None, []),
    ],
    "C-11 ten taps a second are ten presses": [
        row for n in range(10) for row in (
            (100 * n, CLOSE, [*([f"released at {100 * n - 30}"] if n else []), f"pressed at {100 * n}"]),
            (100 * n + 70, OPEN, []),
        )
    ],
    "C-10 a level that is told twice changes nothing": [
        (0, OPEN, []),
        (10, CLOSE, ["pressed at 10"]),
        (15, CLOSE, []),
        (100, OPEN, []),
        (120, OPEN, []),
        (130, None, ["released at 100"]),
    ],
}

HOLDS = ((2_000 * MS, CLEAR), (1_000 * MS, WARN))  # in whatever order the chart names them
HOLD_TIMELINES = {
    "TP-7 holds come due one after the other": [
        (0, CLOSE, ["pressed at 0"]),
        (999.999, None, []),
        (1_000, None, ["held for a second at 1000"]),
        (2_000, None, ["held for two seconds at 2000"]),
        (9_000, OPEN, []),
        (9_030, None, ["released at 9000"]),
    ],
    "C-10a a release stamped before a hold beats it, although it is sure only after it": [
        (0, CLOSE, ["pressed at 0"]),
        (999.999, OPEN, []),
        (1_020, None, []),
        (1_029.999, None, ["released at 999.999"]),
        (9_000, None, []),
    ],
    "C-14 a hold comes before the edge of its time": [
        (0, CLOSE, ["pressed at 0"]),
        (1_000, OPEN, ["held for a second at 1000"]),
        (1_030, None, ["released at 1000"]),
    ],
    "C-10a a bounce leaves the hold running from the first edge": [
        (0, CLOSE, ["pressed at 0"]),
        (500, OPEN, []),
        (520, CLOSE, []),
        (1_000, None, ["held for a second at 1000"]),
    ],
    "C-10a a hold that came due in a bounce is told when the contact closes, dated at its due time": [
        (0, CLOSE, ["pressed at 0"]),
        (990, OPEN, []),
        (1_010, None, []),
        (1_015, CLOSE, ["held for a second at 1000"]),
        (2_000, None, ["held for two seconds at 2000"]),
    ],
    "C-10a a hold that came due in a bounce, twice over": [
        (0, CLOSE, ["pressed at 0"]),
        (990, OPEN, []),
        (1_015, CLOSE, ["held for a second at 1000"]),
        (1_990, OPEN, []),
        (2_019, CLOSE, ["held for two seconds at 2000"]),
        (2_500, OPEN, []),
        (2_530, None, ["released at 2500"]),
    ],
    "C-14 a release that is sure at the time of a hold comes before it": [
        (0, CLOSE, ["pressed at 0"]),
        (970, OPEN, []),
        (1_000, None, ["released at 970"]),
    ],
    "C-11 a bounce on release does not start a hold anew": [
        (0, CLOSE, ["pressed at 0"]),
        (900, OPEN, []),
        (910, CLOSE, []),
        (911, OPEN, []),
        (941, None, ["released at 911"]),
        (5_000, None, []),
    ],
}
ALL = [
    *((name, (), rows) for name, rows in TIMELINES.items()),
    *((name, HOLDS, rows) for name, rows in HOLD_TIMELINES.items()),
]


@pytest.mark.parametrize("name, holds, rows", ALL, ids=[name for name, *_ in ALL])
def test_a_loop_that_is_in_time(name, holds, rows):
    """C-9, C-10, C-10a, C-11, C-14: every row brings what it says, and nothing else."""
    loop = Loop(holds)
    assert [(at_ms, edge, loop.row(at_ms, edge)) for at_ms, edge, _ in rows] == rows


@pytest.mark.parametrize("late_us", [300, 7 * MS, 40 * MS, 400 * MS])
@pytest.mark.parametrize("name, holds, rows", ALL, ids=[name for name, *_ in ALL])
def test_a_loop_that_is_late_tells_the_same(name, holds, rows, late_us):
    """C-15: what is told, its dates and its order do not depend on when somebody looked."""
    in_time = Loop(holds)
    told = [line for at_ms, edge, _ in rows for line in in_time.row(at_ms, edge)]
    in_time.settle(10**12)
    told += in_time.ear.told
    for seed in range(5):
        assert Loop(holds).run_late(rows, late_us, Random(seed)) == told


def test_a_hold_that_begins_anew_does_not_come_due_at_its_old_time():
    """C-8, C-10a: also when the old time was put aside, because the contact was in doubt."""
    loop = Loop([(1_000 * MS, WARN)])
    assert loop.row(0, CLOSE) == ["pressed at 0"]
    assert loop.row(990, OPEN) == []
    assert loop.row(1_005, None) == []
    loop.contact.hold_from(1_005 * MS, WARN)
    assert loop.row(1_010, CLOSE) == []
    assert loop.row(2_004.999, None) == []
    assert loop.row(2_005, None) == ["held for a second at 2005"]
    assert loop.row(9_000, None) == []


def test_a_hold_can_begin_anew_while_the_contact_is_down():
    """C-8: what is down at the wake-up counts its stuck time from there."""
    loop = Loop([(1_000 * MS, WARN), (2_000 * MS, CLEAR)])
    loop.row(0, CLOSE)
    assert loop.row(1_500, None) == ["held for a second at 1000"]
    loop.contact.hold_from(1_500 * MS, WARN)
    assert loop.row(2_499, None) == []
    assert loop.row(2_500, None) == ["held for a second at 2500"]
    assert loop.row(3_500, None) == ["held for two seconds at 3500"]


def test_a_contact_knows_whether_it_is_closed_and_whether_that_is_sure():
    loop = Loop()
    seen = []
    for at_ms, edge in ((0, CLOSE), (5, OPEN), (6, CLOSE), (50, OPEN), (80, None)):
        loop.row(at_ms, edge)
        seen.append((loop.contact.down, loop.contact.closed, loop.contact.unsettled))
    assert seen == [
        (True, True, False), (True, False, True), (True, True, False), (True, False, True), (False, False, False),
    ]
