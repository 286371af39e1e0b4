"""An RPi.GPIO on the bench: fake-rpi's, with modes, levels, pulls and edges that reach their callbacks.

fake-rpi alone forgets what is set up, reads random levels and never calls back; gpiozero's factory needs all three.
"""

import sys

import fake_rpi
from fake_rpi.RPi import _GPIO

fake_rpi.toggle_print(False)


class BenchGPIO(_GPIO):
    """One module's worth of RPi.GPIO; `drive` is the wire."""

    VERSION = "0.7.1"

    def __init__(self):
        super().__init__()
        self.mode, self.level, self.pull, self.callbacks = {}, {}, {}, {}

    def setwarnings(self, flag):
        pass

    def setmode(self, mode):
        self.numbering = mode

    def setup(self, channel, state, pull_up_down=_GPIO.PUD_OFF, initial=-1):
        self.mode[channel] = state
        self.pull[channel] = pull_up_down
        if state == self.OUT and initial != -1:
            self.level[channel] = int(bool(initial))

    def gpio_function(self, channel):
        return self.mode.get(channel, self.IN)

    def input(self, channel):
        return self.level.get(channel, int(self.pull.get(channel) == self.PUD_UP))

    def output(self, channel, state):
        if self.mode.get(channel) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.level[channel] = int(bool(state))

    def add_event_detect(self, channel, edge, callback=None, bouncetime=-666):
        assert (edge, bouncetime) == (self.BOTH, -666), "all edges are wanted, and none debounced here"
        self.callbacks[channel] = callback

    def remove_event_detect(self, channel):
        self.callbacks.pop(channel, None)

    def cleanup(self, channel=None):
        for each in list(self.mode) if channel is None else [channel]:
            self.mode.pop(each, None)
            self.pull.pop(each, None)
            self.callbacks.pop(each, None)

    def drive(self, channel, high, lost=False):
        """The wire changes; a callback hears of it, unless the edge is *lost*."""
        before = self.input(channel)
        self.level[channel] = int(high)
        if before != high and not lost and channel in self.callbacks:
            self.callbacks[channel](channel)

    class PWM:
        """Remembers what it plays."""

        def __init__(self, channel, frequency):
            self.channel, self.frequency, self.duty = channel, frequency, None

        def start(self, duty):
            self.duty = duty

        def ChangeDutyCycle(self, duty):
            self.duty = duty

        def ChangeFrequency(self, frequency):
            self.frequency = frequency

        def stop(self):
            self.duty = None


def install(monkeypatch):
    """Put a fresh one in place of RPi.GPIO, for one test, and return it."""
    gpio = BenchGPIO()
    monkeypatch.setattr(fake_rpi.RPi, "GPIO", gpio, raising=False)
    monkeypatch.setitem(sys.modules, "RPi", fake_rpi.RPi)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
    return gpio
