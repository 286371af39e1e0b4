"""The plug is pulled at thirty moments of a round: what the disk has then is put in order, and the round goes on."""

import json
import random
import subprocess
import time

import pytest
from bench_client import Bench

from firmware.commands import unit_from_header
from firmware.memory import decode
from firmware.protocol import Reader
from tests.vm.machine import STATE, Machine, file_on, mended
from tests.vm.table import INPUTS, RECORD, SWITCH, Table

pytestmark = pytest.mark.vm

CUTS = 30
MAY_BE_LOST_US = 250_000
LONG = {"triple_play.overload_presses": [20, 20]}


def rounds(lines):
    """Return (time in µs, round as it was kept) for all that a record tells, in order."""
    first, *rest = map(json.loads, lines)
    unit = unit_from_header(first)
    reader = Reader(unit, recorded=True)
    unit.tick(0)
    kept = [(0, unit.save())]
    for message in rest:
        at_us = round(message["t"] * 1e6)
        if INPUTS & message.keys():
            for heard in reader.read(json.dumps(message))[0]:
                unit.tick(heard.at_us - 1)
                kept.append((heard.at_us - 1, unit.save()))
                unit.feed(heard)
        else:
            unit.tick(at_us)
        kept.append((at_us, unit.save()))
    return kept


def test_nothing_is_lost_that_was_announced_a_quarter_of_a_second_before(rig, tmp_path):
    """C-5."""
    disk, cut = tmp_path / "disk", tmp_path / "cut"
    subprocess.run(["cp", "--sparse=always", str(rig / "root.img"), str(disk)], check=True)
    chance = random.Random(1)
    found = []
    with Machine(rig, tmp_path / "machine", disk) as machine:
        table = Table(machine)
        table.restart(LONG)
        table.start_round()
        for number in range(CUTS):
            [pressed_us] = table.tap(f"pile{1 + number % 3}")
            told = table.hears(event="played")
            [press_t] = [message["t"] for message in told if "press" in message]
            time.sleep(chance.uniform(0, 0.5))
            now_us = machine.ask(read="/proc/uptime")["now_us"]
            machine.copy_disk(disk, cut)
            promised_us = now_us - pressed_us + press_t * 1e6 - MAY_BE_LOST_US
            assert "errors" not in mended(cut).lower()
            found.append((promised_us, file_on(cut, f"{STATE}/triple-play.state")))
            if number < CUTS - 1:
                cut.unlink()
            if max(kept_counts(found[-1][1])) >= 15:
                table.tap("go")
        lines = machine.read(RECORD).decode().splitlines()
    happened = rounds(lines)
    for number, (promised_us, journal) in enumerate(found):
        on_disk = decode(journal, "triple-play")["round"]
        last = max(index for index, (_, kept) in enumerate(happened) if kept == on_disk)
        promised = max(index for index, (at_us, _) in enumerate(happened) if at_us <= promised_us)
        assert last >= promised or happened[promised][1] == on_disk, f"cut {number}"
        goes_on(tmp_path / f"state-{number}", journal, on_disk)
    boots_again(rig, tmp_path, cut, decode(found[-1][1], "triple-play")["round"])


def kept_counts(journal):
    return decode(journal, "triple-play")["round"]["counts"]


def goes_on(folder, journal, kept):
    """A unit that is given the journal resumes that round."""
    folder.mkdir()
    (folder / "triple-play.state").write_bytes(journal)
    with Bench("triple-play", state=folder, settings=LONG) as bench:
        resumed = bench.power_on().event("resumed")
        assert (resumed["state"], resumed["lit"]) == ("playing", kept["lit"])


def boots_again(rig, folder, disk, kept):
    """The machine starts from the disk, and the unit goes on with the round by itself: its power switch is on."""
    with Machine(rig, folder / "again", disk, closed=(SWITCH["power"],)) as machine:
        table = Table(machine)
        table.started_again(0)
        [resumed] = [said for said in table.hears(event="resumed") if said.get("event") == "resumed"]
        assert (resumed["state"], resumed["lit"]) == ("playing", kept["lit"])
        table.tap("pile1")
        assert table.hears(event="played")[-1]["count"] == kept["counts"][0] + 1
