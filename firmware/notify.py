"""What a service manager is told of us (sd_notify(3), a datagram over AF_UNIX): ready, alive, stopping, and in words.

Where nobody asked to be told (no NOTIFY_SOCKET), every call does nothing, and there is no watchdog to wake up for.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable


class Verdict(Protocol):
    """Whether a board can hear and show; *why* not, in words."""

    @property
    def ok(self) -> bool:
        """Whether the watchdog may be fed."""

    @property
    def why(self) -> str:
        """What was found, for people."""


@runtime_checkable
class Examined(Protocol):
    """A board that can be asked how it is."""

    def health(self) -> Verdict:
        """How the board is now."""


class Well(NamedTuple):
    """The verdict on a board that nobody can ask."""

    ok: bool = True
    why: str = "playing"


class Service:
    """The line to the service manager."""

    def __init__(self, address: str | None = None, watchdog_us: int | None = None) -> None:
        """*address* is NOTIFY_SOCKET, *watchdog_us* the time without a sign of life after which we are killed."""
        self.watchdog_us = watchdog_us if address else None
        self._address = f"\0{address[1:]}" if address and address.startswith("@") else address

    def ready(self, status: str) -> None:
        """The unit can be played."""
        self._tell(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """A sign of life: the watchdog counts anew."""
        self._tell("WATCHDOG=1")

    def status(self, status: str) -> None:
        """What `systemctl status` shows."""
        self._tell(f"STATUS={status}")

    def stopping(self) -> None:
        """We were asked to end and are about to. May be called from a signal handler."""
        self._tell("STOPPING=1")

    def _tell(self, message: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.connect(self._address)
                line.send(message.encode())
        except OSError as why:
            print(f"the service manager does not hear us: {why}", file=sys.stderr)


def service(environment: Mapping[str, str] = os.environ) -> Service:
    """Return the line to who started us; WATCHDOG_USEC counts only if it is meant for this process."""
    meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    usec = environment.get("WATCHDOG_USEC", "")
    watchdog_us = int(usec) if meant and usec.isdecimal() and int(usec) > 0 else None
    return Service(environment.get("NOTIFY_SOCKET") or None, watchdog_us)


class Pulse:
    """The signs of life of a loop that runs: it beats after every pass, and feeds the watchdog while the board is well.

    `due_us` wakes the loop at half the watchdog's time; it stays None, and the loop asleep, without a watchdog.
    """

    def __init__(self, told: Service, health: Callable[[], Verdict] = Well) -> None:
        self.due_us: int | None = None
        self._told, self._health = told, health
        self._every_us = None if told.watchdog_us is None else told.watchdog_us // 2
        self._ready = False
        self._status = ""

    def beat(self, now_us: int) -> None:
        """The loop has made a pass, at *now_us* on the board's clock."""
        if self._ready and (self.due_us is None or now_us < self.due_us):
            return
        verdict = self._health()
        if not self._ready:
            self._ready, self._status = True, verdict.why
            self._told.ready(verdict.why)
        if self._every_us is not None:
            self.due_us = now_us + self._every_us
            if verdict.ok:
                self._told.alive()
        if verdict.why != self._status:
            self._status = verdict.why
            self._told.status(verdict.why)
            print(f"the board: {verdict.why}", file=sys.stderr)
