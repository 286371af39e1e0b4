"""A game says what happens on stderr, and goes on whether anybody can hear it or not."""

import os
import sys

import pytest

from firmware.cli import main
from firmware.log import Log, nobody_has_to_listen


@pytest.fixture
def nobody():
    """A stream into a pipe that nobody reads any more, as after a crash of the journal."""
    reads, writes = os.pipe()
    os.close(reads)
    stream = open(writes, "w", buffering=1, encoding="utf-8")  # noqa: SIM115 - closed below, however that fails
    yield stream
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_what_nobody_hears_is_dropped(nobody):
    with pytest.raises(BrokenPipeError):
        print("the round is not kept", file=nobody)
    log = Log(nobody)
    for number in range(10_000):
        print("the round is not kept", number, file=log, flush=True)
    assert log.fileno() == nobody.fileno()


def test_a_stream_that_is_closed_or_was_never_there_hears_nothing(tmp_path):
    with open(tmp_path / "log", "w", encoding="utf-8") as stream:
        print("heard", file=Log(stream), flush=True)
    for gone in (stream, None):
        print("not heard", file=Log(gone), flush=True)
    assert (tmp_path / "log").read_text(encoding="utf-8") == "heard\n"


def test_afterwards_stderr_is_what_it_was():
    before = sys.stderr
    with nobody_has_to_listen():
        assert sys.stderr is not before
    assert sys.stderr is before


@pytest.mark.parametrize("words, place", [
    (["play", "spin"], "firmware.commands.play"), (["panel", "spin"], "firmware.apart.panel"),
])
def test_a_game_and_its_page_speak_where_nobody_has_to_listen(nobody, monkeypatch, words, place):
    """C-20: without the journal the round goes on."""

    def say_much(options):
        for _ in range(1_000):
            print("the panel has gone", file=sys.stderr, flush=True)
        return 0

    monkeypatch.setattr(sys, "stderr", nobody)
    monkeypatch.setattr(place, say_much)
    assert main(words) == 0
