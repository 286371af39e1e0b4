"""The loop: who is asked in which order, when it wakes, and how it ends."""

from firmware.agenda import MS
from firmware.looks import Renderer
from firmware.runner import Runner
from firmware.stage import Stage
from hal.ports import Contact, Moved, Stop, Unplugged
from hal.virtual import VirtualBoard
from tests.desk import make_unit
from wiring.load import load_unit

ALL_LIT = {"triple_play.lit_odds": [0, 0, 1]}
START = [Moved("power", "on", 0), Contact("go", True, 100 * MS), Contact("go", False, 200 * MS)]


class Diary:
    """A strip, a recorder and a memory that write into one book."""

    def __init__(self):
        self.pages = []

    def shown(self, shown):
        if shown.part == "strip":
            self.pages.append("strip")

    def hear(self, moment):
        self.pages += [f"told {line}" for line in moment.lines]

    def before(self, heard):
        self.pages.append(f"heard {type(heard).__name__}")

    def after(self):
        self.pages.append("kept")


class CountingBoard(VirtualBoard):
    """A virtual board that counts how often it was asked."""

    waits = 0

    def wait(self, until_us):
        self.waits += 1
        return super().wait(until_us)


def run(script, end_us, *, stage=False):
    unit = make_unit("triple-play", ALL_LIT)
    diary = Diary()
    board = CountingBoard(script, end_us, write_down=diary.shown)
    shown = Stage(board, Renderer(load_unit("triple-play").lights)) if stage else None
    why = Runner(unit, board, shown, [diary], [diary.before], [diary.after]).run()
    return why, diary.pages, board


def test_an_input_is_written_down_before_it_is_played_and_kept_after_it_was_told():
    """C-5, C-22; and it is shown before anybody is told or a disk is asked."""
    why, pages, _ = run(START[:2], 150 * MS, stage=True)
    assert pages == [
        "heard Moved", 'told {"t": 0, "state": "standby"}', 'told {"t": 0, "display": "-"}', "kept",
        "heard Contact", "strip", 'told {"t": 0.1, "state": "ready"}',
        'told {"t": 0.1, "lights": {"counter1": "blue flash", "counter2": "blue flash", "counter3": "blue flash"}}',
        'told {"t": 0.1, "tone": "startup", "volume": 3}', "kept",
    ]  # fmt: skip
    assert why == Unplugged(150 * MS)


def test_it_sleeps_until_something_is_due():
    """No periodic wake-up: in standby only sleep is due, after two minutes."""
    _, pages, board = run(START[:1], 600_000 * MS)
    assert board.waits == 3
    assert pages[-3:] == ['told {"t": 120, "state": "asleep"}', 'told {"t": 120, "display": ""}', "kept"]


def test_it_wakes_for_the_frames_of_what_moves():
    """Counters flash at 4 Hz in ready: 8 changes a second, for a second."""
    _, pages, _ = run(START, 1_100 * MS, stage=True)
    assert pages.count("strip") == 8 + 1


def test_a_stop_ends_it_at_once():
    why, pages, _ = run([*START[:1], Stop(5 * MS), Contact("go", True, 5 * MS)], 900 * MS)
    assert why == Stop(5 * MS)
    assert pages[-1] == "kept" and "heard Contact" not in pages


def test_what_changed_nothing_is_not_kept_again():
    _, pages, _ = run([Contact("pile1", True, 5), Contact("pile1", False, 9)], 900 * MS)
    assert pages == ["heard Contact", "heard Contact"]


def test_moments_are_told_to_every_listener():
    unit, diaries = make_unit("triple-play", ALL_LIT), [Diary(), Diary()]
    Runner(unit, VirtualBoard(START, 900 * MS), listeners=diaries).run()
    assert diaries[0].pages == diaries[1].pages != []
