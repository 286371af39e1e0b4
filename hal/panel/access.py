"""Who may come in, and who may do what: this machine's own pages everything, others with a token as guests.

A guest looks on and, where that is allowed, presses. Whoever knows the PIN owns the unit as its own machine does.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import NamedTuple, TextIO

from hal.errors import BadSetting, BoardError, library
from hal.whole import write_whole

LOOPBACK = ("127.0.0.1", "::1", "localhost")
TOKEN, PIN = re.compile(r"[A-Za-z0-9_-]{16,64}"), re.compile(r"[0-9]{6}")
LONGEST_KEPT = 1_000            # characters of a file with both
MOST_WATCHED = 256              # addresses whose wrong guesses are remembered


class CannotListen(BoardError, OSError):
    """The panel's port cannot be opened; the text says why and what would help."""


class Access(NamedTuple):
    """Where a panel listens and who may do what there. Without a *pin* everybody who comes in is the owner."""

    host: str = "127.0.0.1"
    token: str | None = None
    pin: str | None = None
    guests_press: bool = True


HERE = Access()


def is_loopback(address: str) -> bool:
    """Tell whether *address* is this machine talking to itself."""
    return address == "::1" or address.startswith("127.")


def to_the_network(*, guests_press: bool) -> Access:
    """Return access from the whole network this machine is in, with a token and a PIN that nobody had before."""
    return Access("0.0.0.0", secrets.token_urlsafe(12), f"{secrets.randbelow(1_000_000):06}", guests_press)


def kept(file: Path) -> Access:
    """Return access from the whole network with the token and the PIN in *file*; where there is none, new ones are put
    there, for nobody but its owner to read. Raises OSError, and BadSetting for a file that has something else in it.
    """
    with _alone(file.parent):
        try:
            with open(file, encoding="utf-8") as there:
                found = json.loads(there.read(LONGEST_KEPT))
            token, pin = found["token"], found["pin"]
            if TOKEN.fullmatch(token) and PIN.fullmatch(pin):
                return Access("0.0.0.0", token, pin, guests_press=False)
        except FileNotFoundError:
            return _renew(file)
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
    raise BadSetting(f"{file}: neither token nor PIN in it; make new ones with --renew")


def renewed(file: Path) -> Access:
    """Put a new token and a new PIN into *file*, whole or not at all, and return that access. Raises OSError."""
    with _alone(file.parent):
        return _renew(file)


def _renew(file: Path) -> Access:
    access = to_the_network(guests_press=False)
    write_whole(file, json.dumps({"token": access.token, "pin": access.pin}), 0o600)
    return access


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let the panels of other units on this machine, which share *folder*, wait for the block. Raises OSError."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flock(opened, LOCK_EX)
        yield
    finally:
        os.close(opened)


def own_address() -> str:
    """Return the address by which others in the network reach this machine. Raises `CannotListen` without a network.

    Nothing is sent: to connect a datagram socket only asks the kernel which way it would go.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))    # an address kept for examples (RFC 5737)
            address: str = asking.getsockname()[0]
        except OSError as problem:
            why = problem.strerror or str(problem)
            raise CannotListen(f"this machine is in no network that others could reach it by: {why}") from problem
    return address


def qr_rows(text: str) -> list[str]:
    """Return *text* as a QR code without its quiet zone, row by row, `1` for dark."""
    with library("segno", "panel"):
        import segno
    return ["".join(map(str, row)) for row in segno.make(text, micro=False).matrix]


def print_code(text: str, to: TextIO) -> None:
    """Print *text* as a QR code, for whoever has a phone in hand and looks at a terminal."""
    with library("segno", "panel"):
        import segno
    segno.make(text, micro=False).terminal(out=to, compact=True)


class Tries:
    """Wrong guesses, counted by who made them: after *most* of them within *within_us* nobody listens for a while."""

    def __init__(self, most: int, within_us: int = 60_000_000) -> None:
        self._most, self._within_us = most, within_us
        self._wrong: dict[str, deque[int]] = {}

    def are_spent(self, who: str, now_us: int) -> bool:
        """Whether *who* has guessed wrong too often of late."""
        wrong = self._wrong.get(who)
        return wrong is not None and len(wrong) == self._most and now_us - wrong[0] < self._within_us

    def note(self, who: str, now_us: int) -> None:
        """Count one wrong guess. Of many guessers those are forgotten who have guessed nothing for longest."""
        wrong = self._wrong.pop(who, None) or deque(maxlen=self._most)
        wrong.append(now_us)
        self._wrong[who] = wrong
        if len(self._wrong) > MOST_WATCHED:
            del self._wrong[next(iter(self._wrong))]
