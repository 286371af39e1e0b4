"""The thread that a slow disk may hold up, and the game never."""

import os
import threading

from firmware.clerk import Clerk, LineFile


def open_descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_a_slow_disk_piles_up_nothing(tmp_path, monkeypatch):
    """C-5: a hundred syncs are asked for while the first one hangs: one more follows, no descriptor is left."""
    go_on, synced = threading.Event(), []

    def slow(file):
        synced.append(file)
        assert go_on.wait(10)

    monkeypatch.setattr(os, "fdatasync", slow)
    before = open_descriptors()
    with open(tmp_path / "journal", "wb") as file:
        clerk = Clerk()
        for _ in range(100):
            clerk.sync(file.fileno())
        held = open_descriptors() - before
        go_on.set()
        clerk.close()
    assert held <= 3 and 1 <= len(synced) <= 2
    assert open_descriptors() == before


def test_a_disk_that_refuses_is_told_and_stops_nothing(tmp_path, monkeypatch, capsys):
    """C-5: the sync fails, what was queued behind it is done."""

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdatasync", full)
    done, told = [], []
    clerk = Clerk()
    with open(tmp_path / "journal", "wb") as file:
        clerk.sync(file.fileno(), told.append)
    clerk.do(lambda: done.append("behind it"))
    clerk.close()
    assert done == ["behind it"] and [why.errno for why in told] == [28]
    assert capsys.readouterr().err == "the round is not on the disk yet: No space left on device\n"


def test_a_record_never_replaces_another_file(tmp_path):
    """BENCH: the record of the last round is not lost to the next one, also when a service starts again and again."""
    path = tmp_path / "round.jsonl"
    path.write_text("precious")
    for number in (2, 3):
        file = LineFile(str(path))
        file.write(f"round {number}")
        file.close()
        assert file.path == str(tmp_path / f"round-{number}.jsonl")
    assert path.read_text() == "precious"
    assert (tmp_path / "round-2.jsonl").read_text() == "round 2\n"


def test_a_record_is_whole_when_it_is_closed(tmp_path):
    path = tmp_path / "round.jsonl"
    file = LineFile(str(path))
    for number in range(1_000):
        file.write(str(number))
    file.close()
    assert path.read_text().split() == [str(number) for number in range(1_000)]


def test_a_full_disk_ends_the_record_with_one_word(capsys, monkeypatch, tmp_path):
    """BENCH: said once, and the game goes on."""
    file = LineFile(str(tmp_path / "round.jsonl"))

    class Full:
        def write(self, text):
            raise OSError(28, "No space left on device")

        def close(self):
            raise OSError(28, "No space left on device")

    file._file.close()
    monkeypatch.setattr(file, "_file", Full())
    for _ in range(3):
        file.write("a line")
    file.close()
    assert capsys.readouterr().err.count("the record ends here: No space left on device") == 1
