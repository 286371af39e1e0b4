"""What the doctor looks at: a machine as files under a root and a few questions that are no files, and what it finds.

A test builds a machine of its own: a directory tree and some lambdas.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from firmware.bootconfig import BootConfig
from hal.pi.gpiochip import Chip
from wiring.model import Board, UnitWiring

CONFIGS = ("boot/firmware/config.txt", "boot/config.txt")
"""Where config.txt is: Raspberry Pi OS from bookworm on, and before. The first that is there counts."""


class Verdict(Enum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"
    ABSENT = "not here"  # nothing is wrong: this machine has no such thing


class Line(NamedTuple):
    """One finding: about what, how bad, in words, and what cures it."""

    topic: str
    verdict: Verdict
    text: str
    cure: str = ""


def ok(topic: str, text: str) -> Line:
    """A line that all is well."""
    return Line(topic, Verdict.OK, text)


def warning(topic: str, text: str, cure: str = "") -> Line:
    """A line about what may go wrong."""
    return Line(topic, Verdict.WARNING, text, cure)


def failure(topic: str, text: str, cure: str) -> Line:
    """A line about what cannot work."""
    return Line(topic, Verdict.FAILURE, text, cure)


def absent(topic: str, text: str, cure: str = "") -> Line:
    """A line about what this machine does not have."""
    return Line(topic, Verdict.ABSENT, text, cure)


class User(NamedTuple):
    """Who runs this: the name, whether it is root, the groups of this process and those that /etc/group grants."""

    name: str
    is_root: bool
    groups: frozenset[str]
    granted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """A machine. The callables answer what stands in no file."""

    root: Path
    kernel: str
    python: tuple[int, int, int]
    environ: Mapping[str, str]
    user: User
    working_directory: Path
    installed: Callable[[str], str | None]
    """The version of a distribution, or None."""
    importable: Callable[[str], bool]
    """Whether a module of this name is there, however it came."""
    may_use: Callable[[Path], bool]
    """Whether this process may read and write there."""
    chips: Callable[[], Sequence[Chip]]
    """The GPIO chips that may be opened."""
    line_user: Callable[[int, int], str | None]
    """Who claimed a line of a chip; None if it is free. Raises OSError."""
    users_of: Callable[[Path], Sequence[str]]
    """The other processes that have a device open."""
    on_i2c: Callable[[Path], Sequence[int]]
    """The addresses that answer on a bus. Raises OSError."""
    free_bytes: Callable[[Path], int]
    """The space left where a path is. Raises OSError."""

    def path(self, name: str) -> Path:
        """Where the file of this name is (`/dev/pio0`)."""
        return self.root / name.lstrip("/")

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return self.path(name).exists()

    def read(self, name: str) -> str:
        """The text of a file. Raises OSError."""
        return self.path(name).read_text(encoding="utf-8", errors="replace").rstrip("\0\n")

    def find(self, pattern: str) -> Iterator[Path]:
        """Files by pattern, sorted."""
        yield from sorted(self.root.glob(pattern.lstrip("/")))


class Patient(NamedTuple):
    """What is examined: the machine, which board it is, what its config.txt says, the unit and its state directory."""

    place: Place
    model: str | None  # None: no Raspberry Pi
    board: Board | None  # None: none that we have the pins of
    config_file: str | None
    config: BootConfig
    unit: UnitWiring | None
    state: Path | None

    def needs(self, wanted: bool) -> Callable[[str, str, str], Line]:
        """How to say that something is missing: it fails where the named unit needs it."""
        return failure if self.unit is not None and wanted else warning


def this_place() -> Place:
    """Return the machine that this runs on."""
    from hal.pi import gpiochip, i2cscan

    root = Path("/")
    return Place(
        root=root,
        kernel=platform.release(),
        python=sys.version_info[:3],
        environ=dict(os.environ),
        user=_user(),
        working_directory=_working_directory(),
        installed=_installed,
        importable=_importable,
        may_use=lambda path: os.access(path, os.R_OK | os.W_OK),
        chips=lambda: list(gpiochip.chips()),
        line_user=gpiochip.line_user,
        users_of=gpiochip.processes_with,
        on_i2c=i2cscan.answering,
        free_bytes=_free_bytes,
    )


def _user() -> User:
    import grp
    import pwd

    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    known = {group.gr_gid: group.gr_name for group in grp.getgrall()}
    groups = frozenset(known[gid] for gid in (os.getegid(), *os.getgroups()) if gid in known)
    granted = frozenset(group.gr_name for group in grp.getgrall() if name in group.gr_mem)
    return User(name, uid == 0, groups, granted)


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return Path(os.environ.get("PWD", "."))


def _installed(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _importable(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _free_bytes(path: Path) -> int:
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    disk = os.statvfs(there)
    return disk.f_bavail * disk.f_frsize
