"""A wheel with a magnet over an AS5600: angles to slots, and the sensor itself.

This is the one part that has to be asked again and again: 200 times a second while it moves, 50 times at rest, on the
bus's own thread. A unit with a wheel on the axle of sensors (`hal.pi.quadrature`) or without a wheel does not wake up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hal.errors import ChipError, library
from hal.pi.repair import Repair
from hal.ports import Input, WheelAt

COUNTS = 4096
MOVING_EVERY_US = 5_000
RESTING_EVERY_US = 20_000
REST_AFTER_US = 1_000_000
MAGNET_EVERY_US = 1_000_000


class SlotTracker:
    """Turns raw angles (0 to 4095) into slots; pure.

    The angle is unwrapped, so that 4095 to 0 is one step (PD-Stepper#23). A slot is left only when the angle is beyond
    its end by the dead band, an eighth of a slot: a wheel that rests on a boundary gives one answer (Tasmota#516).
    """

    def __init__(self, slots: int, zero: int = 0, reversed_: bool = False) -> None:
        self._slots = slots
        self._zero = zero
        self._sign = -1 if reversed_ else 1
        self._raw: int | None = None
        self._slot = 0
        # the angle in units of 1/slots of a count: whole numbers, nothing drifts
        self._angle = 0
        self._dead_band = COUNTS // 8

    def move(self, raw: int) -> int | None:
        """Return the slot if the wheel has entered another one (or it is the first reading), else None."""
        if self._raw is None:
            self._raw = raw
            self._angle = self._sign * (raw - self._zero) * self._slots
            self._slot = self._angle // COUNTS
            return self._slot % self._slots
        step = (raw - self._raw + COUNTS // 2) % COUNTS - COUNTS // 2
        self._raw = raw
        self._angle += self._sign * step * self._slots
        inside = self._angle - self._slot * COUNTS
        if -self._dead_band <= inside < COUNTS + self._dead_band:
            return None
        self._slot = self._angle // COUNTS
        return self._slot % self._slots


class AngleSensor(Protocol):
    """What is used of an AS5600's driver."""

    raw_angle: int
    magnet_detected: bool


class As5600Wheel:
    """Reads the sensor and tells `WheelAt`; `Broke("wheel", …)` when it does not answer or sees no magnet."""

    def __init__(
        self, open_sensor: Callable[[], AngleSensor], tracker: Callable[[], SlotTracker], tell: Callable[[Input], None],
        forget: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        self._forget = forget
        self._open_sensor = open_sensor
        self._new_tracker = tracker
        self._tracker = tracker()
        self._tell = tell
        self._repair = Repair(("wheel",), tell)
        self._sensor: AngleSensor | None = None
        self._moved_us = 0
        self._magnet_due_us = 0

    def step(self, now_us: int) -> int | None:
        """Read the angle; return when to read it again (µs)."""
        if self._sensor is None:
            if not self._repair.due(now_us):
                return self._repair.next_us()
            self._sensor = self._open_sensor()
            self._tracker = self._new_tracker()
            self._magnet_due_us = now_us
        if now_us >= self._magnet_due_us:
            if not self._sensor.magnet_detected:
                raise ChipError("the AS5600 sees no magnet: 0.5 to 3 mm over the middle of the chip")
            self._magnet_due_us = now_us + MAGNET_EVERY_US
        slot = self._tracker.move(self._sensor.raw_angle)
        self._repair.works(now_us)
        if slot is not None:
            self._moved_us = now_us
            self._tell(WheelAt(slot, now_us))
        return now_us + (MOVING_EVERY_US if now_us - self._moved_us < REST_AFTER_US else RESTING_EVERY_US)

    def failed(self, error: Exception, now_us: int) -> int | None:
        """Forget the sensor; return when to look for it again (µs)."""
        self._sensor = None
        self._forget(error)
        return self._repair.broke(error, now_us)

    def close(self) -> None:
        """Nothing to do: the sensor only measures."""


def open_as5600(i2c: Any, address: int) -> AngleSensor:
    """Return the driver of the AS5600 at *address*. Raises `ValueError` or `OSError` if it does not answer."""
    with library("adafruit-circuitpython-as5600", "pi"):
        from adafruit_as5600 import AS5600
    sensor: AngleSensor = AS5600(i2c, address)
    return sensor
