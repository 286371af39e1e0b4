"""The boards on which the promises are tested, each with wires that a test can move.

A rig is a board and five verbs: `drive` a line, `lose` an edge, `advance` the time, `hear` what is told, `close`.
"""


from gpiozero.pins.mock import MockFactory, MockPWMPin

from hal.pi.board import EDGE_DELIVERY_US, PiBoard, PiSettings
from hal.ports import Contact, Seeded, Unplugged
from hal.virtual import VirtualBoard
from tests.contract import bench_gpio, bench_lgpio
from tests.contract.bench_clock import BenchClock, JumpingInbox
from tests.contract.hil import HilRig
from wiring.model import Contact as Button
from wiring.model import Quadrature, Switch, UnitWiring

REVISION = 0xA02082     # a Pi 3 Model B


def made(kind, **facts):
    """Return a *kind* of the wiring model with these facts; what does not matter here is None."""
    return kind(**{field: facts.get(field) for field in kind._fields})


def unit(**parts):
    """Return a unit of four contacts and three switches; *parts* are added or replaced."""
    contacts = {"go": 23, "pile1": 5, "pile2": 6, "pile3": 13}
    switches = {
        "power": ({"on": 24}, "off"), "timer": ({"on": 25}, "off"), "speed": ({"4": 16, "6": 17, "8": 27}, None),
    }
    facts = {
        "name": "bench", "file": "bench.toml", "unit": "triple-play", "pressure_pads": (),
        "contacts": tuple(made(Button, name=name, gpio=gpio) for name, gpio in contacts.items()),
        "switches": tuple(made(Switch, name=name, closed=closed, open=rest)
                          for name, (closed, rest) in switches.items()),
    }
    return made(UnitWiring, **facts | parts)


def gpios(wiring):
    """Return {line name: gpio}; a switch's line is called "switch position"."""
    named = {contact.name: contact.gpio for contact in wiring.contacts}
    for switch in wiring.switches:
        named |= {f"{switch.name} {position}": gpio for position, gpio in switch.closed.items()}
    if isinstance(wiring.wheel, Quadrature):
        named |= {"a": wiring.wheel.a, "b": wiring.wheel.b, "index": wiring.wheel.index_mark}
    return named


class PiRig:
    """A PiBoard on a factory that a test drives. Subclasses say which, and how its wires are moved."""

    def __init__(self, monkeypatch, wiring=None, held=(), devices=None, slots=None):
        self.wiring = wiring or unit()
        self.clock = BenchClock()
        self.inbox = JumpingInbox(self.clock)
        self._gpio = gpios(self.wiring)
        self.factory = self._open_factory(monkeypatch)
        for line in held:
            self.drive(line, closed=True)
        self.board = PiBoard(
            self.wiring, PiSettings(wheel_slots=slots), self.factory, devices, self.inbox, self.clock, lambda: 7)

    def drive(self, line, closed):
        """Close or open a contact; return its stamp (µs)."""
        self._wire(self._gpio[line], high=not closed, lost=False)
        return self.clock()

    def lose(self, line, closed):
        """Close or open a contact without an edge."""
        self._wire(self._gpio[line], high=not closed, lost=True)

    def advance(self, by_us):
        self.clock.us += by_us

    def hear(self, for_us=100_000):
        """Return all that the board tells within *for_us* from now; seeds left out."""
        until_us = self.clock() + for_us
        told = []
        while self.clock() < until_us + EDGE_DELIVERY_US:
            told += [given for given in self.board.wait(until_us) if not isinstance(given, Seeded)]
        return told

    def began(self):
        """Let the lines settle and return what the board told at its start."""
        return self.hear(50_000)

    def agrees(self, told, expected):
        """Whether the board told exactly this; stamps as well."""
        return told == expected

    def close(self):
        self.board.close()


class MockRig(PiRig):
    """gpiozero's MockFactory: the callback runs in the caller's thread."""

    name = "mock"

    def _open_factory(self, monkeypatch):
        clock = self.clock

        class Pin(MockPWMPin):
            wired = None    # a mock pin follows its own pull; a real one what it is wired to

            def _set_pull(self, value):
                super()._set_pull(value)
                if self.wired is not None:
                    self._state = self.wired

            def _call_when_changed(self):
                super(MockPWMPin.__base__, self)._call_when_changed(self.factory.ticks(), self._state)

        class Factory(MockFactory):
            ticks = staticmethod(clock.seconds)

        return Factory(pin_class=Pin)

    def _wire(self, gpio, high, lost):
        pin = self.factory.pin(gpio)
        pin.wired = high
        if lost:
            pin._state = high
        elif high:
            pin.drive_high()
        else:
            pin.drive_low()

    def pull(self, gpio):
        return self.factory.pin(gpio).pull

    def released(self, gpio):
        return gpio not in {int(info.name[4:]) for info in self.factory.pins}


class LgpioRig(PiRig):
    """gpiozero's LGPIOFactory, the one that is used on a Pi, over an lgpio with a thread of its own."""

    name = "lgpio"

    def _open_factory(self, monkeypatch):
        self.lgpio = bench_lgpio.install(monkeypatch, self.clock)
        from gpiozero.pins.lgpio import LGPIOFactory

        return _local(LGPIOFactory, self.clock)(chip=0)

    def _wire(self, gpio, high, lost):
        self.lgpio.drive(gpio, high, lost)

    def pull(self, gpio):
        return {32: "up", 64: "down", 128: "floating"}.get(self.lgpio.lines[gpio] & 0xE0)

    def released(self, gpio):
        return gpio not in self.lgpio.lines


class RpiGpioRig(PiRig):
    """gpiozero's RPiGPIOFactory over fake-rpi."""

    name = "rpigpio"

    def _open_factory(self, monkeypatch):
        self.gpio = bench_gpio.install(monkeypatch)
        from gpiozero.pins.rpigpio import RPiGPIOFactory

        return _local(RPiGPIOFactory, self.clock)()

    def _wire(self, gpio, high, lost):
        self.gpio.drive(gpio, high, lost)

    def pull(self, gpio):
        return {21: "down", 22: "up"}.get(self.gpio.pull[gpio], "floating")

    def released(self, gpio):
        return gpio not in self.gpio.mode


def _local(factory, clock):
    """Return *factory* on the bench's clock, on a Pi 3, with a book of pins of its own."""
    from gpiozero.pins.local import LocalPiFactory

    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()
    return type(factory.__name__, (factory,), {
        "__module__": factory.__module__,
        "ticks": staticmethod(clock.seconds),
        "_get_revision": lambda self: REVISION,
    })


class VirtualRig:
    """The board without hardware: what is driven becomes its script."""

    name = "virtual"

    def __init__(self, monkeypatch, held=()):
        self.clock = BenchClock()
        self._script = [Contact(line, True, self.clock(), at_start=True) for line in held]
        self.board = VirtualBoard([])

    def drive(self, line, closed):
        self._script.append(Contact(line, closed, self.clock()))
        return self.clock()

    def advance(self, by_us):
        self.clock.us += by_us

    def hear(self, for_us=100_000):
        self.clock.us += for_us
        self.board = VirtualBoard(self._script)
        self._script = []
        told = []
        while not (told and isinstance(told[-1], Unplugged)):
            told += self.board.wait(None)
        return told[:-1]

    def began(self):
        return self.hear(50_000)

    def agrees(self, told, expected):
        return told == expected

    def close(self):
        self.board.close()


RIGS = {rig.name: rig for rig in (MockRig, LgpioRig, RpiGpioRig)}
"""The boards that are a Pi's."""
EVERY = RIGS | {"virtual": VirtualRig, "hil": HilRig}
"""Those, the one without hardware, and a real one."""
