"""The parts of a unit that are not input lines, each on the thread of its bus."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from hal.errors import BadSetting
from hal.pi.battery import BatteryWatch
from hal.pi.buzzer import BuzzerPart
from hal.pi.clock import NowUs
from hal.pi.devices import Devices
from hal.pi.display import display
from hal.pi.fsr import PadCalibration, PadSensor, PressurePads
from hal.pi.strip import strip
from hal.pi.wheel import As5600Wheel, SlotTracker
from hal.pi.worker import Job, Keeper, Worker
from hal.ports import Input
from wiring.model import As5600, UnitWiring

log = logging.getLogger(__name__)


class Parts:
    """Strip, display, buzzer, wheel, pressure pads and battery of *wiring*; what happens is told through *tell*.

    The strip has a thread of its own (its writes end with a sleep), so has everything on I2C, and the rest.
    """

    def __init__(
        self, wiring: UnitWiring, devices: Devices, slots: int | None, pads: Mapping[str, PadCalibration],
        tell: Callable[[Input], None], now: NowUs,
    ) -> None:
        self._devices, self._tell, self._now = devices, tell, now
        self.strip: Keeper[bytes] | None = None
        self.display: Keeper[bytes] | None = None
        self.buzzer: BuzzerPart | None = None
        self._on_i2c: list[Job] = []
        self._slow: list[Job] = []
        if wiring.lights is not None:
            self.strip = strip(wiring.lights.leds, devices.strip, tell, now)
        if wiring.display is not None:
            self.display = display(devices.display, tell, now)
            (self._on_i2c if wiring.display.chip == "ht16k33" else self._slow).append(self.display)
        if wiring.buzzer is not None:
            self.buzzer = BuzzerPart(devices.buzzer, tell, now)
            self._slow.append(self.buzzer.keeper)
        self._add_sensors(wiring, slots, pads)
        self._workers = self._hire()

    def _add_sensors(self, wiring: UnitWiring, slots: int | None, pads: Mapping[str, PadCalibration]) -> None:
        if isinstance(wheel := wiring.wheel, As5600):
            if slots is None:
                raise BadSetting("a unit with a wheel must be told how many slots it has: four times its icons")
            tracker = partial(SlotTracker, slots, wheel.zero, wheel.reversed)
            self._on_i2c.append(As5600Wheel(self._devices.angle_sensor, tracker, self._tell, self._devices.forget))
        if wiring.pressure_pads:
            sensors = {
                pad.channel: PadSensor(pad.name, pads.get(pad.name, PadCalibration())) for pad in wiring.pressure_pads
            }
            self._on_i2c.append(PressurePads(self._devices.adc, self._devices.forget, sensors, self._tell))
        if wiring.battery is not None:
            watch = BatteryWatch(self._devices.battery, self._tell)
            (self._slow if wiring.battery.source == "under-voltage" else self._on_i2c).append(watch)

    def _hire(self) -> list[Worker]:
        crews: list[tuple[str, list[Job]]] = [
            ("strip", [] if self.strip is None else [self.strip]), ("i2c", self._on_i2c), ("slow", self._slow),
        ]
        workers = []
        for name, jobs in crews:
            if not jobs:
                continue
            worker = Worker(name, jobs, self._now)
            for job in jobs:
                if isinstance(job, Keeper):
                    job.ring = worker.ring
            workers.append(worker)
        return workers

    def start(self) -> None:
        """Start the threads, all at once; return when every part was tried, or is not ready after a second."""
        for worker in self._workers:
            worker.start()
        for worker in self._workers:
            if not worker.wait_ready():
                log.warning("%s: not ready within a second; the game starts without it", worker.name)

    def health(self, stuck_after_us: int) -> str | None:
        """Return which part hangs, or None. A part that failed and is tried again does not hang."""
        for worker in self._workers:
            if not worker.alive():
                return f"the thread of {worker.name} has died"
        if self.strip is not None and self.strip.stuck_for_us(self._now()) > stuck_after_us:
            return "a frame does not leave: the strip's driver hangs"
        return None

    def close(self) -> None:
        """Make everything dark and silent: all threads at once, so that one that hangs costs a second, not each."""
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            if not worker.wait_stopped():
                log.warning("%s: did not end within a second", worker.name)
