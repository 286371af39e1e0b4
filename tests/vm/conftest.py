"""One rig for all, one machine (for each worker of pytest-xdist) for all tests that do not pull its plug."""

import os
import subprocess
from collections.abc import Iterator
from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock
from pathlib import Path

import pytest

from tests.vm.machine import Machine, needs_root_tools
from tests.vm.table import Table

HERE = Path(__file__).parent
ASKED_IN_THE_END = {
    "journal": "journalctl --no-pager -o short-monotonic -n 150",
    "units": "systemctl --no-pager list-units --failed; systemctl --no-pager -l status 'pilelight*'",
    "mounts": "findmnt -t ext4,tmpfs",
    "processes": "ps -eo pid,stat,wchan:20,etimes,args --sort pid | grep -v '\\[.*\\]$'",
}


@pytest.fixture(scope="session")
def rig(tmp_path_factory, worker_id) -> Iterator[Path]:
    """What build.sh makes, once for all workers; it is not made anew meanwhile."""
    base = tmp_path_factory.getbasetemp()
    with (base if worker_id == "master" else base.parent).joinpath("rig").open("a+") as note:
        flock(note, LOCK_EX)
        note.seek(0)
        built = note.read() or build()
        note.truncate(0)
        note.write(built)
        note.flush()
        lock = (Path(built) / "lock").open("rb")
        flock(lock, LOCK_SH)
        flock(note, LOCK_UN)
    with lock:
        yield Path(built)


def build() -> str:
    """Make the rig; return its folder."""
    command = [str(HERE / "build.sh")] if os.geteuid() == 0 else ["sudo", "-n", str(HERE / "build.sh")]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    needs_root_tools()
    return built.stdout.strip()


@pytest.fixture(scope="session")
def machine(rig, tmp_path_factory):
    """A machine that runs. A test leaves its service as it likes: each begins with what it needs."""
    with Machine(rig, tmp_path_factory.mktemp("machine")) as machine:
        yield machine


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that failed shows what its machine has to say: its log, what is mounted, who runs."""
    report = yield
    machine = item.funcargs.get("machine")
    if report.failed and machine is not None:
        for name, command in ASKED_IN_THE_END.items():
            report.sections.append((f"{call.when}: {name}", in_the_end(machine, command)))
    return report


def in_the_end(machine, command):
    """What a command says in a machine that may be in any state."""
    try:
        return machine.run(command, status=None)
    except (OSError, EOFError, AssertionError) as error:  # it has ended, or hangs
        return repr(error)


@pytest.fixture
def table(machine):
    """A table with the unit on it, off, nothing remembered. What it does must be what a replay of its record does."""
    table = Table(machine)
    table.restart()
    yield table
    table.agrees_with_its_replay()


@pytest.fixture(scope="module")
def seat(machine):
    """A service that goes on from test to test."""
    seat = Table(machine)
    seat.restart()
    yield seat
    seat.agrees_with_its_replay()


@pytest.fixture
def unit(seat):
    """The unit of that service, off. Whoever leaves it on leaves it to be switched off."""
    yield seat
    seat.power_off()
