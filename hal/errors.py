"""What can go wrong with a board, in one small tree. Every error is a builtin one too, and says what would be right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class BoardError(Exception):
    """A board, a line or a chip cannot be used. `str()` of it is one line for the maker."""


class UnknownBoard(BoardError, ValueError):
    """There is no board of that name."""


class BadSetting(BoardError, ValueError):
    """A setting of the board has a value that cannot work."""


def remedy(extra: str) -> str:
    """How to get the libraries of *extra*, for the service and a folder with the source (no package index has us)."""
    here = f".venv/bin/pip install -e '.[{extra}]'"
    return f"in Pilelight's folder sudo systemd/install.sh --with {extra} UNIT, or {here}"


class MissingLibrary(BoardError, ImportError):
    """A library is not installed; *extra* is the part of the distribution that brings it."""

    def __init__(self, library: str, extra: str, hint: str = "") -> None:
        self.library, self.extra = library, extra
        super().__init__(f"{library} is not installed: {remedy(extra)}{hint}")


@contextmanager
def library(name: str, extra: str) -> Iterator[None]:
    """Import a library inside this block: that it is missing then becomes the error that names *extra*."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingLibrary(name, extra) from error


class NoGpio(BoardError, OSError):
    """This machine has no GPIO lines that could be used."""


class NoRights(BoardError, PermissionError):
    """This user may not use a device; *group* is the group that may."""

    def __init__(self, device: str, group: str) -> None:
        self.device, self.group = device, group
        super().__init__(f"{device}: not allowed; sudo usermod -aG {group} $USER, then log in again")


class LineBusy(BoardError, OSError):
    """Somebody else has claimed a GPIO line."""


class ChipError(BoardError, OSError):
    """A chip does not answer, or answers nonsense."""
