"""One rig for all, one machine for all tests that do not pull its plug."""

import os
import subprocess
from collections.abc import Iterator
from fcntl import LOCK_SH, flock
from pathlib import Path

import pytest

from tests.vm.machine import Machine, needs_root_tools
from tests.vm.table import Table

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def rig() -> Iterator[Path]:
    """What build.sh makes; it is not made anew meanwhile."""
    command = [str(HERE / "build.sh")] if os.geteuid() == 0 else ["sudo", "-n", str(HERE / "build.sh")]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    needs_root_tools()
    rig = Path(built.stdout.strip())
    with (rig / "lock").open("rb") as lock:
        flock(lock, LOCK_SH)
        yield rig


@pytest.fixture(scope="session")
def machine(rig, tmp_path_factory):
    """A machine that runs. A test leaves its service as it likes: each begins with what it needs."""
    with Machine(rig, tmp_path_factory.mktemp("machine")) as machine:
        yield machine


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
