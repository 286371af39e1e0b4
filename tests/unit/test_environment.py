"""A newcomer types `make play` on a machine that lacks something: one line says what, and the cure."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "cat", "dirname", "grep", "rm", "tail", "touch")


@pytest.fixture
def checkout(tmp_path):
    """A checkout with nothing but what the set-up reads, and a folder `bin` as its whole PATH: tools, no Python."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / ".ci" / "environment", tmp_path / ".ci")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, f"{tool} is not on the PATH"
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def command(checkout, name, script):
    """Put a command called *name* on the checkout's PATH, or anywhere inside it."""
    path = checkout / name if "/" in name else checkout / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def set_up(checkout, **env):
    return subprocess.run([checkout / ".ci" / "environment", "panel"], capture_output=True, text=True, timeout=120,
                          env={"PATH": str(checkout / "bin"), "HOME": str(checkout), **env})


def test_without_a_python_that_is_new_enough(checkout):
    command(checkout, "python3", "exit 1")     # as 3.10 answers the question whether it is 3.11
    done = set_up(checkout)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "pilelight: no Python 3.11 or newer is on the PATH; install it (Debian, Raspberry Pi OS: sudo apt install "
        "python3 python3-venv), or name one: make PYTHON=/path/to/python3.12\n")
    assert not (checkout / ".venv").exists()


def test_without_the_venv_module(checkout):
    command(checkout, "python3", 'case "$2" in *ensurepip*) exit 1;; esac')
    done = set_up(checkout)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("pilelight: python3 has no venv module; install it (Debian, Raspberry Pi OS: sudo apt "
                           "install python3-venv) and run make again\n")
    assert not (checkout / ".venv").exists()


def test_without_a_network(checkout):
    (checkout / "bin" / "python3").symlink_to(sys.executable)
    nowhere = "http://127.0.0.1:9/simple"
    done = set_up(checkout, PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=nowhere)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "pilelight: setting up .venv (panel) ...",
        ("pilelight: the package index cannot be reached; connect this machine to a network and run make again "
         "(pip's words: .venv/setup.log)"),
    ]
    assert not (checkout / ".venv" / "ready-panel").exists(), "half an environment must not pass for a whole one"


@pytest.mark.parametrize("ready", ["ready-panel", "ready-dev"])
def test_what_is_set_up_is_not_set_up_again(checkout, ready):
    command(checkout, ".venv/bin/python", '[ "$1" = -c ] || { echo "ran $*"; exit 1; }')
    (checkout / ".venv" / "made-in").write_text(f"{checkout}\n")
    (checkout / ".venv" / ready).touch()
    done = set_up(checkout)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_new_dependencies_are_installed_into_the_same_environment(checkout):
    command(checkout, ".venv/bin/python", 'echo "$*" >>asked; [ "$2" != compileall ]')
    (checkout / ".venv" / "made-in").write_text(f"{checkout}\n")
    (checkout / ".venv" / "ready-panel").touch()
    os.utime(checkout / ".venv" / "ready-panel", (1, 1))
    done = set_up(checkout)
    assert done.returncode == 0, done.stderr
    assert "pip install" in (checkout / "asked").read_text()
    assert (checkout / ".venv" / "ready-panel").stat().st_mtime > (checkout / "pyproject.toml").stat().st_mtime


def test_an_environment_made_elsewhere_is_made_anew(checkout):
    """The folder was moved: the old environment points to where it was."""
    command(checkout, ".venv/bin/python", "exit 0")
    (checkout / ".venv" / "made-in").write_text("/elsewhere\n")
    (checkout / ".venv" / "ready-panel").touch()
    done = set_up(checkout)
    assert done.returncode == 1
    assert "no Python 3.11" in done.stderr
    assert not (checkout / ".venv").exists()
