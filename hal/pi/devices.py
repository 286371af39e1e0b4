"""How each chip of a unit is opened: the one place that goes from a wiring file to drivers."""

from __future__ import annotations

from hal.errors import BadSetting
from hal.pi.adc import Adc, Ads1115
from hal.pi.battery import Cell, UnderVoltage
from hal.pi.blinka import I2cBus
from hal.pi.buzzer import KernelPwm, Note, SoftwarePwm
from hal.pi.display import Ht16k33
from hal.pi.pins import Factory
from hal.pi.strip import open_strip
from hal.pi.tm1637 import Tm1637
from hal.pi.wheel import AngleSensor, open_as5600
from hal.pi.worker import Device
from wiring.model import As5600, UnitWiring


class Devices:
    """The chips of *wiring*. Each method raises what the maker must be told when its chip cannot be used.

    *brightness* (0 to 1) is the display's share of its usual light, and may be set anew: its next write is so bright.
    """

    def __init__(
        self, wiring: UnitWiring, factory: Factory, bus: I2cBus | None = None, brightness: float = 1.0
    ) -> None:
        self._wiring = wiring
        self._factory = factory
        self.brightness = brightness
        self._bus = bus or I2cBus()
        self._adc: Adc | None = None

    def strip(self) -> Device[bytes]:
        """The strip."""
        lights = self._wiring.lights
        assert lights is not None
        return open_strip(lights.driver, lights.data, lights.leds)

    def display(self) -> Device[bytes]:
        """The display, on either chip."""
        display = self._wiring.display
        assert display is not None
        if display.chip == "tm1637":
            assert display.clock is not None and display.data is not None
            return Tm1637(self._factory, display.clock, display.data, lambda: self.brightness)
        assert display.address is not None
        return Ht16k33(self._bus.get(), display.address, lambda: self.brightness)

    def buzzer(self) -> Device[Note]:
        """The buzzer, on the PWM that the wiring file names."""
        buzzer = self._wiring.buzzer
        assert buzzer is not None
        return KernelPwm(buzzer.gpio) if buzzer.drive == "hardware" else SoftwarePwm(self._factory, buzzer.gpio)

    def angle_sensor(self) -> AngleSensor:
        """The AS5600."""
        assert isinstance(self._wiring.wheel, As5600)
        return open_as5600(self._bus.get(), self._wiring.wheel.address)

    def adc(self) -> Adc:
        """The ADC, one and the same while it works."""
        if self._adc is None:
            if self._wiring.adc is None:
                raise BadSetting(f"{self._wiring.file}: [adc] is missing, but a pad or the battery needs it")
            self._adc = Ads1115(self._bus.get(), self._wiring.adc.address)
        return self._adc

    def battery(self) -> UnderVoltage | Cell:
        """The source of the battery's state."""
        battery = self._wiring.battery
        assert battery is not None
        if battery.source == "under-voltage":
            return UnderVoltage()
        assert battery.channel is not None and battery.top_ohm is not None and battery.bottom_ohm is not None
        assert battery.low_mv is not None and battery.good_mv is not None
        return Cell(
            self.adc, battery.channel, battery.top_ohm, battery.bottom_ohm, battery.low_mv, battery.good_mv
        )

    def forget(self, error: Exception) -> None:
        """Open the ADC anew next time, and the bus itself if *error* says that it is gone."""
        self._adc = None
        self._bus.failed(error)
