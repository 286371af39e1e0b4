"""What survives a pulled plug: journals cut off at every byte, damaged anywhere, full disks and killed processes."""

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest
from bench_client import Bench
from hypothesis import given
from hypothesis import strategies as st

from firmware import memory
from firmware.memory import LONGEST_BYTES, InUse, Memory, Unreadable, decode, encode

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = [{"state": "playing", "counts": [n, 0, n % 3], "lit": [1 + n % 3]} for n in range(4)]
JOURNAL = b"".join(encode("triple-play", 3, kept) for kept in ROUNDS)
ENDS = [sum(len(encode("triple-play", 3, kept)) for kept in ROUNDS[: n + 1]) for n in range(len(ROUNDS))]


def round_in(content):
    entry = decode(content, "triple-play")
    return None if entry is None else entry["round"]


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "state")


def journal(folder):
    return Path(folder) / "triple-play.state"


def remember(folder, *rounds, volume=3):
    kept = Memory(folder, "triple-play")
    for one in rounds:
        kept.keep(volume, one)
    kept.close()
    return kept


# -- what a pulled plug leaves -----------------------------------------------------------------------------------


def test_a_journal_that_is_cut_off_anywhere_goes_on_from_its_last_whole_entry():
    """C-5."""
    for cut in range(len(JOURNAL) + 1):
        whole = sum(end <= cut for end in ENDS)
        assert round_in(JOURNAL[:cut]) == (ROUNDS[whole - 1] if whole else None), f"cut off at {cut}"


@pytest.mark.parametrize("zeros", [1, 512, 4_096])
def test_zeros_at_the_end_are_what_a_file_system_left_of_the_last_entry(zeros):
    """C-5."""
    assert round_in(JOURNAL + bytes(zeros)) == ROUNDS[-1]
    assert round_in(JOURNAL[:-7] + bytes(zeros)) == ROUNDS[-2]


def test_an_empty_file_is_no_state():
    """C-5."""
    assert decode(b"", "triple-play") is None


def test_damage_before_the_last_entry_is_seen_wherever_it_is():
    """C-5: each byte of the entries that are followed by another one, in turn."""
    unseen = []
    for position in range(ENDS[2]):
        broken = bytearray(JOURNAL)
        broken[position] ^= 0x01
        try:
            decode(bytes(broken), "triple-play")
            unseen.append(position)
        except Unreadable:
            continue
    assert unseen == []


@given(st.binary(max_size=200))
def test_rubbish_is_unreadable_or_cut_off_but_never_a_round(rubbish):
    """C-5."""
    with contextlib.suppress(Unreadable):
        assert decode(rubbish, "triple-play") is None


@given(st.integers(0, len(JOURNAL) - 1), st.binary(min_size=1, max_size=8))
def test_whatever_is_written_over_a_journal_no_wrong_round_comes_out_of_it(position, noise):
    """C-5: a round of the journal, or none."""
    try:
        found = round_in(JOURNAL[:position] + noise + JOURNAL[position + len(noise):])
    except Unreadable:
        return
    assert found is None or found in ROUNDS


def entry(**fields):
    body = json.dumps(fields).encode()
    return b"%08x %s\n" % (crc32(body), body)


@pytest.mark.parametrize("content, why", [
    (b"hello\n", "entry 1 is damaged"),
    (b"hello", "it is no journal"),
    (b"\x7fELF\x00\x01\n", "entry 1 is damaged"),
    (b"00000000 {}\n", "entry 1 is damaged"),
    (b"%08x []\n" % crc32(b"[]"), "entry 1 is damaged"),
    (b"%08x {\n" % crc32(b"{"), "entry 1 is damaged"),
    (b"%08x %s\n" % (crc32(b"[" * 100_000), b"[" * 100_000), "entry 1 is damaged"),
    (entry(version=2, unit="triple-play", volume=3, round=None), "it is of version 2, this is 1"),
    (entry(unit="triple-play", volume=3, round=None), "it is of version None, this is 1"),
    (entry(version=1, unit="spin", volume=3, round=None), "it belongs to spin"),
    (encode("triple-play", 3, None) + b"\n" + encode("triple-play", 3, None), "entry 2 is damaged"),
])
def test_what_is_wrong_with_a_journal_is_said(content, why):
    """C-5."""
    with pytest.raises(Unreadable) as caught:
        decode(content, "triple-play")
    assert str(caught.value) == why


@pytest.mark.parametrize("fields", [
    {"version": 1, "unit": "triple-play"},
    {"version": 1, "unit": "triple-play", "volume": 3},
    {"version": 1, "unit": "triple-play", "volume": 9, "round": None},
    {"version": 1, "unit": "triple-play", "volume": True, "round": None},
    {"version": 1, "unit": "triple-play", "volume": "loud", "round": None},
    {"version": 1, "unit": "triple-play", "volume": 3, "round": [1]},
])
def test_an_entry_that_lacks_something_or_has_nonsense_is_unreadable(fields):
    """C-5: whoever wrote it, the unit starts fresh and says so."""
    with pytest.raises(Unreadable):
        decode(entry(**fields), "triple-play")


# -- the file ----------------------------------------------------------------------------------------------------


def test_what_was_kept_is_there_at_the_next_start(folder):
    """C-5."""
    remember(folder, *ROUNDS, volume=5)
    kept = Memory(folder, "triple-play")
    assert (kept.saved, kept.volume, kept.damage, kept.fault) == (ROUNDS[-1], 5, None, None)
    kept.close()


def test_the_volume_survives_the_end_of_a_round(folder):
    """C-5, C-16."""
    remember(folder, ROUNDS[0], None, volume=1)
    kept = Memory(folder, "triple-play")
    assert (kept.saved, kept.volume) == (None, 1)
    kept.close()


def test_a_new_folder_holds_nothing_yet(folder):
    kept = Memory(folder, "triple-play")
    assert (kept.saved, kept.volume, kept.damage, kept.fault) == (None, None, None, None)
    kept.close()
    kept.close()


def test_a_start_keeps_only_the_last_entry(folder):
    remember(folder, *ROUNDS)
    Memory(folder, "triple-play").close()
    assert journal(folder).read_bytes() == encode("triple-play", 3, ROUNDS[-1])


def test_a_round_that_did_not_change_is_not_written_again(folder):
    written = []
    kept = Memory(folder, "triple-play", lambda file, failed: written.append(file))
    for _ in range(3):
        kept.keep(3, ROUNDS[0])
    kept.keep(4, ROUNDS[0])
    kept.close()
    assert len(written) == 2
    assert journal(folder).read_bytes() == encode("triple-play", 3, ROUNDS[0]) + encode("triple-play", 4, ROUNDS[0])


def test_the_journal_does_not_grow_without_end(folder, monkeypatch):
    monkeypatch.setattr(memory, "LONGEST_BYTES", longest_bytes := 256 * 1024)
    kept = Memory(folder, "triple-play")
    longest = 0
    for n in range(6_000):
        kept.keep(3, {"n": n, "padding": "x" * 100})
        longest = max(longest, kept._bytes)
    kept.close()
    assert longest_bytes < longest < longest_bytes + 1_000
    again = Memory(folder, "triple-play")
    assert again.saved == {"n": 5_999, "padding": "x" * 100}
    again.close()


def test_a_damaged_journal_is_set_aside_and_not_overwritten(folder):
    """C-5: twice, side by side."""
    for n, damage in enumerate((b"first\n", b"second\n"), 1):
        os.makedirs(folder, exist_ok=True)
        journal(folder).write_bytes(damage)
        kept = Memory(folder, "triple-play")
        assert kept.damage == f"triple-play.state.damaged-{n}: entry 1 is damaged"
        assert (kept.saved, kept.fault) == (None, None)
        kept.keep(3, ROUNDS[0])
        kept.close()
        assert (Path(folder) / f"triple-play.state.damaged-{n}").read_bytes() == damage
        assert round_in(journal(folder).read_bytes()) == ROUNDS[0]


def test_units_do_not_share_a_journal(folder):
    remember(folder, ROUNDS[0])
    other = Memory(folder, "spin")
    assert other.saved is None
    other.close()


def test_two_programs_do_not_keep_one_journal(folder):
    """C-5: the second is refused, and may have it when the first is gone, also after it began the file anew."""
    first = Memory(folder, "triple-play")
    for n in range(3):
        first.keep(3, {"n": n, "padding": "x" * LONGEST_BYTES})
        with pytest.raises(InUse, match=r"triple-play\.state is in use: another pilelight plays triple-play on it"):
            Memory(folder, "triple-play")
    Memory(folder, "spin").close()
    first.close()
    second = Memory(folder, "triple-play")
    assert second.saved["n"] == 2
    second.close()


def test_a_journal_that_its_owner_begins_anew_just_now_is_still_in_use(folder, monkeypatch):
    """C-5: between opening the file and locking it, the owner put another one in its place."""
    first, lock = Memory(folder, "triple-play"), Memory._lock

    def slow_lock(self, file):
        first.keep(3, {"padding": "x" * LONGEST_BYTES})
        first.keep(3, ROUNDS[0])
        monkeypatch.setattr(Memory, "_lock", lock)
        self._lock(file)

    monkeypatch.setattr(Memory, "_lock", slow_lock)
    with pytest.raises(InUse):
        Memory(folder, "triple-play")
    first.close()


def test_a_round_that_makes_no_sense_is_set_aside(folder):
    """C-5."""
    remember(folder, ROUNDS[0])
    kept = Memory(folder, "triple-play")
    kept.reject("the round in it does not fit these settings")
    assert (kept.saved, kept.fault) == (None, None)
    assert kept.damage == "triple-play.state.damaged-1: the round in it does not fit these settings"
    kept.keep(3, ROUNDS[1])
    kept.close()
    assert round_in(journal(folder).read_bytes()) == ROUNDS[1]
    assert round_in((Path(folder) / "triple-play.state.damaged-1").read_bytes()) == ROUNDS[0]


def test_a_round_that_cannot_be_set_aside_is_a_fault(folder, monkeypatch):
    remember(folder, ROUNDS[0])
    kept = Memory(folder, "triple-play")

    def fail(old, new):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "rename", fail)
    kept.reject("it does not fit")
    assert (kept.saved, kept.damage, kept.fault) == (None, None, "Read-only file system")
    kept.close()


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file; give a directory for the state"):
        Memory(str(tmp_path / "state"), "triple-play")


def test_a_journal_that_is_a_folder_is_a_fault_and_no_crash(folder):
    journal(folder).mkdir(parents=True)
    kept = Memory(folder, "triple-play")
    assert "Is a directory" in kept.fault
    kept.keep(3, ROUNDS[0])
    assert kept.fault
    kept.close()


# -- a full disk -------------------------------------------------------------------------------------------------


class Disk:
    """`os.write` on a disk with so much room left."""

    def __init__(self):
        self.room = 10**9
        self._write = os.write

    def write(self, file, content):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(file, content[: self.room])
        self.room -= written
        return written


@pytest.fixture
def disk(monkeypatch):
    disk = Disk()
    monkeypatch.setattr(os, "write", disk.write)
    return disk


@pytest.mark.parametrize("room", [0, 1, 20])
def test_a_full_disk_is_a_fault_the_unit_plays_on_and_it_heals(folder, disk, room):
    """C-5, C-20: also when the last entry went in half."""
    kept = Memory(folder, "triple-play")
    kept.keep(3, ROUNDS[0])
    disk.room = room
    kept.keep(3, ROUNDS[1])
    assert kept.fault == "No space left on device"
    kept.keep(3, ROUNDS[1])
    assert kept.fault == "No space left on device"
    assert round_in(journal(folder).read_bytes()) == ROUNDS[0], "what was kept before is still there"
    disk.room = 10**9
    kept.keep(3, ROUNDS[1])
    assert kept.fault is None
    kept.close()
    assert round_in(journal(folder).read_bytes()) == ROUNDS[1]


@pytest.mark.parametrize("writable", [True, False], ids=["a hiccup", "for good"])
def test_what_was_written_and_cannot_be_synced_is_written_anew_or_a_fault(folder, disk, writable):
    """C-5, C-20: a card that dies lets the kernel take entries, and says only afterwards that they are lost."""
    failures = []
    kept = Memory(folder, "triple-play", lambda file, failed: failures.append(failed))
    kept.keep(3, ROUNDS[0])
    assert kept.fault is None
    failures.pop()(OSError(errno.EROFS, "Read-only file system"))
    journal(folder).write_bytes(b"")
    disk.room = 10**9 if writable else 0
    kept.keep(3, ROUNDS[0])
    assert kept.fault == (None if writable else "No space left on device")
    assert round_in(journal(folder).read_bytes()) == (ROUNDS[0] if writable else None)
    disk.room = 10**9
    kept.keep(3, ROUNDS[1])
    kept.close()
    assert kept.fault is None and round_in(journal(folder).read_bytes()) == ROUNDS[1]


def test_a_write_that_takes_only_a_part_is_gone_on_with(folder, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, content: real(file, content[:5]))
    remember(folder, *ROUNDS)
    assert round_in(journal(folder).read_bytes()) == ROUNDS[-1]


def test_a_disk_that_fails_when_the_journal_is_closed_is_a_fault(folder, monkeypatch):
    kept = Memory(folder, "triple-play")
    kept.keep(3, ROUNDS[0])

    def fail(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    kept.close()
    assert kept.fault == "Input/output error"


def test_a_folder_that_cannot_be_written_is_a_fault_with_its_name(folder, monkeypatch):
    def refuse(path, *how):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    kept = Memory(folder, "triple-play")
    assert kept.fault == f"Permission denied ({folder}/triple-play.state)"


# -- two at once -----------------------------------------------------------------------------------------------------


def test_a_second_program_does_not_touch_the_round_of_the_first(folder):
    """C-5: it would begin the journal anew under the first one's feet, and all that this writes would be lost."""
    first = Memory(folder, "triple-play")
    first.keep(3, ROUNDS[1])
    with pytest.raises(InUse) as refused:
        Memory(folder, "triple-play")
    first.keep(3, ROUNDS[2])
    first.close()
    assert str(refused.value) == f"{folder}/triple-play.state is in use: another pilelight plays triple-play on it"
    assert Memory(folder, "triple-play").saved == ROUNDS[2]


def test_a_journal_that_was_begun_anew_is_still_held(folder):
    first = Memory(folder, "triple-play")
    before = journal(folder).stat().st_ino
    for number in range(4):
        first.keep(3, {"number": number, "long": "x" * (LONGEST_BYTES // 2)})
    assert journal(folder).stat().st_ino != before
    with pytest.raises(InUse):
        Memory(folder, "triple-play")


def test_other_units_have_journals_of_their_own(folder):
    kept = Memory(folder, "triple-play")
    kept.keep(3, ROUNDS[1])
    assert Memory(folder, "spin").saved is None


# -- a process that is killed ------------------------------------------------------------------------------------


def test_a_round_goes_on_after_kill_9_in_the_middle_of_it(tmp_path):
    """C-5: nothing that was answered is lost."""
    settings = {"triple_play.lit_odds": [0, 0, 1], "triple_play.overload_presses": [9, 9]}
    with Bench("triple-play", settings=settings, state=tmp_path) as unit:
        unit.start_round()
        for _ in range(5):
            unit.tap("pile2")
        unit.run_for(1)
        before = unit.lights
        again = unit.reborn()
    with again:
        resumed = again.power_on().event("resumed")
        assert resumed == {"t": 0, "event": "resumed", "state": "playing", "mode": "regular", "lit": [1, 2, 3]}
        assert again.lights == before
        assert again.tap("pile2").event("played")["count"] == 6


KILLED_WHILE_WRITING = """
import os, sys
from firmware.memory import Memory
kept = Memory(sys.argv[1], "triple-play")
n = 0
while True:
    kept.keep(3, {"n": n, "padding": "x" * (n % 2_000)})
    os.write(1, b"%d\\n" % n)
    n += 1
"""


def test_a_process_that_is_killed_while_it_writes_leaves_what_it_had_announced(tmp_path):
    """C-5: wherever the kill falls, also into the change to a new file."""
    command = [sys.executable, "-c", KILLED_WHILE_WRITING, str(tmp_path)]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    announced = [int(next(writer.stdout)) for _ in range(700)]
    writer.send_signal(signal.SIGKILL)
    announced += [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith(b"\n")]
    writer.stdout.close()
    writer.wait()
    kept = Memory(str(tmp_path), "triple-play")
    assert kept.damage is None
    assert kept.saved["n"] >= announced[-1]
    kept.close()


def test_a_round_writes_little(tmp_path):
    """C-5: wear of the card: a turn appends one entry, of a few hundred bytes; pressing in vain appends nothing."""
    with Bench("triple-play", settings={"triple_play.overload_presses": [20, 20]}, state=tmp_path) as bench:
        bench.start_round()
        journal = tmp_path / "triple-play.state"
        before = journal.stat().st_size
        for _ in range(10):
            bench.tap("go")
        assert journal.stat().st_size == before
        for _ in range(26):  # the turns of a round of four players, see docs/service.md
            bench.play(bench.lit_piles()[-1])
            bench.run_for(0.3)
        written = journal.stat().st_size - before
    assert 26 * 200 < written < 26 * 400
