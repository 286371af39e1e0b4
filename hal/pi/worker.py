"""Threads that own a bus, and what they keep alive on it.

The game never touches a bus. It leaves the newest content with a `Keeper` and goes on; a `Worker`, one thread for each
bus, writes it, asks the sensors, and tries again what has failed. It sleeps until something is due or somebody rings.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from hal.pi.clock import NowUs, now_us
from hal.pi.repair import Repair
from hal.ports import Input

log = logging.getLogger(__name__)

Content = TypeVar("Content")
Written = TypeVar("Written", contravariant=True)


class Job(Protocol):
    """Something that a worker does. All of it runs on the worker's thread."""

    def step(self, now_us: int) -> int | None:
        """Do what is due. Return when to come again (µs), None for "when rung". May raise what its driver raises."""

    def failed(self, error: Exception, now_us: int) -> int | None:
        """Take what `step` raised; return when to come again, as `step` does."""

    def close(self) -> None:
        """Leave the part dark and silent. May raise what its driver raises."""


class Device(Protocol[Written]):
    """A chip that shows something. Each call raises when the chip does not take it."""

    def write(self, content: Written) -> None:
        """Show *content*, whatever the chip did or forgot before."""

    def close(self) -> None:
        """Release it. Was dark before."""


class Keeper(Generic[Content]):
    """Keeps a part showing the newest content: dark at the start, whole again after every failure, dark at the end.

    `show` belongs to the game's thread, everything else to the worker's. With *refresh_us*, content that is not dark is
    written again that often, so that a chip that lost it (a brown-out, a loose plug) gets it back.
    """

    def __init__(
        self, part: str, open_device: Callable[[], Device[Content]], dark: Content, tell: Callable[[Input], None],
        refresh_us: int | None = None, now: NowUs = now_us,
    ) -> None:
        self.ring: Callable[[], None] = lambda: None
        self._open_device = open_device
        self._device: Device[Content] | None = None
        self._dark = dark
        self._wanted = dark
        self._shown: Content | None = None
        self._again = False
        self._refresh_us = refresh_us
        self._refresh_due_us: int | None = None
        self._repair = Repair((part,), tell)
        self._now = now
        self._writing_since_us: int | None = None

    def show(self, content: Content) -> None:
        """Have *content* shown as soon as the bus is free; what was left before and not shown yet is skipped."""
        self._wanted = content
        self.ring()

    def show_again(self) -> None:
        """Have what is shown written anew: how the chip shows it has changed. From the game's thread, too."""
        self._again = True
        self.ring()

    def stuck_for_us(self, now_us: int) -> int:
        """For how long the present write has been going on (µs); 0 if there is none. Any thread may ask."""
        since_us = self._writing_since_us
        return 0 if since_us is None else now_us - since_us

    def step(self, now_us: int) -> int | None:
        """Write what is wanted, if it is not shown."""
        if self._device is None:
            if not self._repair.due(now_us):
                return self._repair.next_us()
            self._device = self._open_device()  # loading a driver takes seconds on a small board: no write that hangs
            self._shown = None
            now_us = self._now()
        wanted = self._wanted
        refresh_due = self._refresh_due_us is not None and now_us >= self._refresh_due_us
        if wanted != self._shown or refresh_due or self._again:
            self._writing_since_us = now_us
            self._again = False
            self._device.write(wanted)
            self._shown = wanted
            self._refresh_due_us = self._next_refresh(wanted)
            self._repair.works(self._now())
        self._writing_since_us = None
        return self._refresh_due_us

    def _next_refresh(self, shown: Content) -> int | None:
        return None if self._refresh_us is None or shown == self._dark else self._now() + self._refresh_us

    def failed(self, error: Exception, now_us: int) -> int | None:
        """Let go of the chip, to open it anew."""
        self._writing_since_us = None
        self._refresh_due_us = None
        device, self._device = self._device, None
        next_us = self._repair.broke(error, now_us)
        if device is not None:
            device.close()
        return next_us

    def close(self) -> None:
        """Show nothing, and release the chip."""
        device, self._device = self._device, None
        if device is None and not self._repair.hopeless:
            device, self._shown = self._open_device(), None  # it failed while lit: one more try, for the dark
        if device is None:
            return
        try:
            if self._shown != self._dark:
                device.write(self._dark)
        finally:
            device.close()


class Worker:
    """One thread, and the jobs on its bus."""

    def __init__(self, name: str, jobs: Sequence[Job], now: NowUs = now_us) -> None:
        self.name = name
        self._jobs = tuple(jobs)
        self._now = now
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._rung = False
        self._closing = False
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"pilelight-{name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wait_ready(self, patience_s: float = 1.0) -> bool:
        """Return whether all jobs had their first turn within *patience_s*. A bus may hang: the game goes on."""
        return self._ready.wait(patience_s)

    def ring(self) -> None:
        """Let the jobs have a turn now. Never blocks; ringing often is as good as once."""
        if not self._rung:
            self._rung = True
            self._bell.put(None)

    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Ask the thread to close its jobs, and to end. May be called twice."""
        self._closing = True
        self.ring()

    def wait_stopped(self, patience_s: float = 1.0) -> bool:
        """Return whether it ended within *patience_s*."""
        if self._thread.is_alive():
            self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        due_us = [self._turn(job) for job in self._jobs]
        self._ready.set()
        while not self._closing:
            rung = self._sleep(min((at_us for at_us in due_us if at_us is not None), default=None))
            for number, job in enumerate(self._jobs):
                at_us = due_us[number]
                if rung or (at_us is not None and at_us <= self._now()):
                    due_us[number] = self._turn(job)
        for job in self._jobs:
            try:
                job.close()
            except Exception as error:  # noqa: BLE001  the other jobs must still be closed
                log.warning("%s: closing failed: %s", self.name, error)

    def _turn(self, job: Job) -> int | None:
        try:
            return job.step(self._now())
        except Exception as error:  # noqa: BLE001  a driver may raise anything; a dead thread would be silence
            return self._after(job, error)

    def _after(self, job: Job, error: Exception) -> int | None:
        log.info("%s: %s", self.name, error)
        try:
            return job.failed(error, self._now())
        except Exception as second:  # noqa: BLE001  such as a chip that cannot even be released
            log.info("%s: after that: %s", self.name, second)
            return self._now() + 1_000_000

    def _sleep(self, until_us: int | None) -> bool:
        """Wait until *until_us*; return whether somebody rang before."""
        timeout_s = None if until_us is None else max(0, until_us - self._now()) / 1e6
        try:
            self._bell.get(timeout=timeout_s)
        except Empty:
            return False
        self._rung = False
        return True
