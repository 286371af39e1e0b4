"""The same seed and inputs give the same bytes: whatever the hash seed, and on every Python that is here."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.agenda import SECOND
from firmware.moment import stamp
from firmware.protocol import line_of
from firmware.units import UNITS
from hal.ports import Contact, Seeded
from tests.desk import make_unit
from tests.scripts import rough_play

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters():
    """Return {version: how to start it} of every other Python on the PATH that is new enough and starts.

    A version manager may need to be told which one to take, hence the environment.
    """
    found = {}
    for version in VERSIONS:
        for name, more in _candidates(version):
            path = shutil.which(name)
            if path is None:
                continue
            ask = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            said = subprocess.run(ask, capture_output=True, text=True, env={**os.environ, **more})
            if said.stdout.strip() == version:
                found[version] = (path, more)
                break
    return found


def _candidates(version):
    yield f"python{version}", {}
    if manager := shutil.which("pyenv"):
        listed = subprocess.run([manager, "versions", "--bare"], capture_output=True, text=True).stdout.split()
        yield from ((f"python{version}", {"PYENV_VERSION": full}) for full in listed if full.startswith(f"{version}."))
    yield "python3", {}


def script(name, seed):
    """Return rough play as lines of the bench."""
    unit = make_unit(name)
    lines = [json.dumps({"t": 0, "run": True})]
    closed = set()
    for heard in rough_play(unit, seed, 60 * SECOND):
        if isinstance(heard, Seeded) or (isinstance(heard, Contact) and heard.closed == (heard.name in closed)):
            continue
        if isinstance(heard, Contact):
            closed ^= {heard.name}
        lines.append(f'{{"t": {stamp(heard.at_us)}, {json.dumps(line_of(heard))[1:]}')
    return "\n".join([*lines, '{"t": 400, "run": true}', ""]).encode()


def played(python, name, environment=None):
    command = [python, "-m", "firmware", "bench", name, "--seed", "7", "--frames"]
    done = subprocess.run(command, input=script(name, 7), capture_output=True, cwd=ROOT,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})})
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.fixture(scope="module")
def wanted():
    return {name: played(sys.executable, name) for name in UNITS}


@pytest.mark.parametrize("name", UNITS)
def test_the_hash_seed_changes_nothing(name, wanted):
    """C-22."""
    assert len(wanted[name].splitlines()) > 100
    for hash_seed in ("0", "1", "4294967295"):
        assert played(sys.executable, name, {"PYTHONHASHSEED": hash_seed}) == wanted[name]


def test_every_python_that_is_here_plays_the_same(wanted):
    """C-22: to the byte, frames included."""
    found = interpreters()
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in found
    differ = [f"{name} on {version}" for version, (python, environment) in found.items() for name in UNITS
              if played(python, name, environment) != wanted[name]]
    assert differ == []
