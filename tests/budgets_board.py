"""A turn timer on a Pi's board, and a bare gpiozero Button that shows the same: what `budgets` sets beside each other.

Both listen to gpiozero's MockFactory and write through the libraries that are used on a Pi, down to their lowest call:
Adafruit's NeoPixel into a recorder, its HT16K33 over a bus that keeps the chip's memory, gpiozero's PWM on a mock pin.
The threads of the real board are left out on purpose, on a table of two cores they would be measured instead: each part
is written in the caller's turn, as the bare Button does it.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.contract.rigs import MockRig, made, unit
from wiring.model import Contact

LEDS = 12
TO_TIMER_GPIO, TO_BUZZER_GPIO = 5, 12
DOWN_US, BETWEEN_US = 80_000, 1_250_000
"""Between two presses so much time goes by that the seconds move on and the ring blinks dark: a press changes all."""
STEP_US = 10_000


class Chip:
    """The memory of an HT16K33, as a bus that Adafruit's driver writes to."""

    def __init__(self) -> None:
        self.memory = bytes(16)

    def try_lock(self) -> bool:
        """As busio's bus."""
        return True

    def unlock(self) -> None:
        """As busio's bus."""

    def writeto(self, address: int, buffer: Any, *, start: int = 0, end: int | None = None, stop: bool = True) -> None:
        """Take a transfer: to the memory, or a command."""
        if len(buffer) == 17:
            self.memory = bytes(buffer[1:])

    @property
    def digits(self) -> bytes:
        """The segments of the four digits."""
        return bytes(self.memory[place] for place in (0, 2, 6, 8))


class Chain:
    """The LEDs: what `neopixel_write`, the lowest call, was last given. Installs what `neopixel` needs on a desk."""

    def __init__(self) -> None:
        self.frame = b""
        modules = {name: ModuleType(name) for name in ("board", "digitalio", "microcontroller", "neopixel_write")}
        vars(modules["board"])["D10"] = "GPIO10"
        vars(modules["digitalio"]).update(
            DigitalInOut=lambda pin: SimpleNamespace(pin=pin), Direction=SimpleNamespace(INPUT="in", OUTPUT="out")
        )
        vars(modules["microcontroller"])["Pin"] = object
        vars(modules["neopixel_write"])["neopixel_write"] = self._take
        sys.modules.update(modules)
        sys.modules.pop("neopixel", None)

    def _take(self, _: object, frame: bytearray) -> None:
        self.frame = bytes(frame)


class Outputs:
    """What there is to be shown on, seen from the wires."""

    def __init__(self) -> None:
        from gpiozero.pins.mock import MockFactory, MockPWMPin

        self.chain, self.chip = Chain(), Chip()
        self.factory = MockFactory(pin_class=MockPWMPin)
        self.buzzer_pin = self.factory.pin(TO_BUZZER_GPIO)

    @property
    def shown(self) -> tuple[bytes, bytes, float, float]:
        """The frame, the digits, and the buzzer's pitch (Hz) and duty (0 to 1)."""
        return self.chain.frame, self.chip.digits, self.buzzer_pin.frequency, self.buzzer_pin.state


class OnBoard:
    """The turn timer on `PiBoard`, from the edge at the pin to what its drivers write."""

    def __init__(self) -> None:
        from firmware.looks import Renderer
        from firmware.stage import Stage
        from hal.pi.buzzer import BuzzerPart, SoftwarePwm
        from hal.pi.display import Ht16k33, display
        from hal.pi.strip import open_strip, strip
        from hal.pi.worker import Keeper, Worker
        from tests.desk import make_unit
        from wiring.load import load_unit

        self.outputs = out = Outputs()
        timer = made(Contact, name="timer", gpio=TO_TIMER_GPIO)
        self._rig = MockRig(None, unit(unit="master", contacts=(timer,), switches=()))
        self._pin, self._board, clock = self._rig.factory.pin(TO_TIMER_GPIO), self._rig.board, self._rig.clock

        def tell(heard: object) -> None:
            raise AssertionError(heard)

        lit = strip(LEDS, lambda: open_strip("neopixel", 10, LEDS), tell, clock)
        digits = display(lambda: Ht16k33(out.chip), tell, clock)
        voice = BuzzerPart(lambda: SoftwarePwm(out.factory, TO_BUZZER_GPIO), tell, clock)
        self._board.strip, self._board.display, self._board.buzzer = lit, digits, voice
        keepers: tuple[Keeper[Any], ...] = (voice.keeper, digits, lit)
        for keeper in keepers:
            worker = Worker("bench", (keeper,), clock)
            keeper.ring = lambda keeper=keeper, turn=worker._turn: turn(keeper)  # type: ignore[misc]
            keeper.ring()
        lights = load_unit("master").lights
        assert lights is not None
        self._unit = make_unit("master")
        self._stage = Stage(self._board, Renderer(lights))
        self._rig.hear(50_000)
        for _ in range(3):          # switch on, begin, be in the middle of it
            self.press()
            self.rest()

    def press(self) -> float:
        """Slap it: the time (µs) from the edge until everything is written."""
        self._pin.wired = False
        begin_ns = time.perf_counter_ns()
        self._pin.drive_low()
        self._take()
        return (time.perf_counter_ns() - begin_ns) / 1_000

    def rest(self) -> None:
        """Let go, and let the time go by until the next press."""
        self._rig.advance(DOWN_US)
        self._pin.wired = True
        self._pin.drive_high()
        self._take()
        for _ in range(0, BETWEEN_US - DOWN_US, STEP_US):
            self._rig.advance(STEP_US)
            self._take()
            now_us = self._board.now_us()
            for moment in self._unit.tick(now_us):
                self._stage.take(moment)
            self._stage.render(now_us)

    def _take(self) -> None:
        """What `runner.Runner` does with what the board tells."""
        for heard in self._board.wait(0):
            for moment in self._unit.feed(heard):
                self._stage.take(moment)
            self._stage.render(self._board.now_us())


class Bare:
    """A Button whose callback shows the very same with the words of the libraries' own examples."""

    def __init__(self, pitch_hz: int, duty: float) -> None:
        """*pitch_hz* and *duty* are those of the tone to sound."""
        self.outputs = out = Outputs()
        import neopixel
        from adafruit_ht16k33.segments import Seg7x4
        from gpiozero import Button, PWMOutputDevice

        self._pitch_hz, self._duty = pitch_hz, duty
        self._button = Button(TO_TIMER_GPIO, pin_factory=out.factory)
        self._pin = out.factory.pin(TO_TIMER_GPIO)
        self._pixels = neopixel.NeoPixel("GPIO10", LEDS, auto_write=False)
        self._digits = Seg7x4(out.chip, auto_write=False)
        self._digits.brightness = 0.5
        self._buzzer = PWMOutputDevice(TO_BUZZER_GPIO, pin_factory=out.factory)
        self._button.when_pressed = self._show

    def _show(self) -> None:
        self._buzzer.frequency = self._pitch_hz
        self._buzzer.value = self._duty
        self._digits.print("   4")
        self._digits.show()
        self._pixels.fill((255, 0, 0))
        self._pixels.show()

    def press(self) -> float:
        """Press it: the time (µs) from the edge until everything is written."""
        begin_ns = time.perf_counter_ns()
        self._pin.drive_low()
        return (time.perf_counter_ns() - begin_ns) / 1_000

    def rest(self) -> None:
        """Let go, and show something else until the next press."""
        self._pin.drive_high()
        self._buzzer.value = 0
        self._digits.print("   3")
        self._digits.show()
        self._pixels.fill((0, 0, 0))
        self._pixels.show()
