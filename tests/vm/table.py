"""The unit in the machine, in a player's words: fingers on its lines, eyes on its parts, ears on its buzzer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from firmware.commands import unit_from_header
from firmware.glyphs import segments
from firmware.record import replay
from tests.vm.machine import SERVICE, STATE, UNIT, Machine
from wiring.load import load_unit

WIRING = load_unit(Path(__file__).parent / "guest" / "wiring.toml")
GPIO = {contact.name: contact.gpio for contact in WIRING.contacts}
SWITCH = {switch.name: next(iter(switch.closed.values())) for switch in WIRING.switches}
LEDS = WIRING.lights.leds
RECORD = f"{STATE}/record"
INPUTS = {"press", "release", "switch", "break", "mend", "seed", "battery"}
OPEN, CLOSED = 1, 0
MS = 1_000
DIGIT_AT = (0, 2, 6, 8)         # where the HT16K33 of a clock display has its four digits
SPI_RESET_BYTES = 64
ONE = 0xF0

# All piles are lit in every turn, and times that a test would wait for are short.
QUICK = {
    "triple_play.lit_odds": [0, 0, 100], "triple_play.overload_presses": [4, 4], "triple_play.turn_seconds": 6,
    "common.stuck_after": 3, "common.sleep_after": 600,
}  # fmt: skip


class Sent(NamedTuple):
    """Something that went to a part: to which, when (µs of the machine), and what (bytes, or the PWM's numbers)."""

    part: str
    at_us: int
    what: Any


class Table:
    """The players' side of *machine*."""

    def __init__(self, machine: Machine, record: str = RECORD) -> None:
        self.machine = machine
        self._record = record
        self._read = 0

    # -- the service ---------------------------------------------------------------------------------------------------

    def set_up(self, settings: dict[str, Any] | None = None, *more: str) -> None:
        """Write down how the service is started from now on."""
        words = ["--wiring", "/etc/pilelight/triple-play.toml", "--record", self._record, *more]
        for name, value in {**QUICK, **(settings or {})}.items():
            words += ["--set", f"{name}={json.dumps(value, separators=(',', ':'))}"]
        text = f"PLAY_OPTIONS={' '.join(words)}\nDARK_OPTIONS=--wiring /etc/pilelight/triple-play.toml\n"
        self.machine.ask(write="/etc/pilelight/triple-play.env", text=text)

    def restart(self, settings: dict[str, Any] | None = None) -> None:
        """Begin anew: everything open and off, no round to go on with, a fresh record."""
        self.open_all()
        self.set_up(settings)
        self.machine.run(f"systemctl stop {SERVICE}; rm -rf {STATE}/*; systemctl start {SERVICE}")
        self._read = 0

    def started_again(self, restarts: int) -> None:
        """Wait until systemd has started the service that often by itself; its record is a new one."""
        self.machine.wait_for(
            f"[ $(systemctl show -p NRestarts --value {SERVICE}) -ge {restarts} ] && systemctl is-active {SERVICE}", 240
        )
        self._read = 0

    def pid(self) -> int:
        """The process of the service."""
        return int(self.machine.property("MainPID"))

    def watch(self) -> int:
        """The process that puts the lights out when the service's has died."""
        return int(self.machine.run("pgrep -x pilelight-watch"))

    # -- fingers -------------------------------------------------------------------------------------------------------

    def move(self, *steps: tuple[str, int, int], urgent: bool = True, **then: int) -> list[int]:
        """Set contacts or switches, each with a pause after it (µs); return when each was set (µs)."""
        lines = [[GPIO.get(name) or SWITCH[name], level, pause_us] for name, level, pause_us in steps]
        at_us: list[int] = self.machine.ask(lines=lines, urgent=urgent, **then)["at_us"]
        return at_us

    def signal(self, number: int, *steps: tuple[str, int, int], to: int | None = None) -> int:
        """Do *steps* as `move` does, then send a signal to the service's process or to another; return when (µs)."""
        return self.move(*steps, signal=number, to=to or self.pid())[-1]

    def press(self, name: str) -> int:
        """Put a finger down, and leave it; return when (µs)."""
        return self.move((name, CLOSED, 0))[0]

    def release(self, name: str) -> int:
        """Take the finger away; return when (µs)."""
        return self.move((name, OPEN, 0))[0]

    def tap(
        self, name: str, times: int = 1, down_ms: int = 50, up_ms: int = 50, urgent: bool = True
    ) -> list[int]:
        """Press and release, so many times; return when each press came (µs)."""
        return self.move(*[(name, CLOSED, down_ms * MS), (name, OPEN, up_ms * MS)] * times, urgent=urgent)[::2]

    def open_all(self) -> None:
        """Take every finger away and switch everything off."""
        self.move(*((name, OPEN, 0) for name in (*GPIO, *SWITCH)))

    def power_on(self, timer: bool = False) -> None:
        """Switch the unit on, and wait until it says so."""
        self.move(("timer", CLOSED if timer else OPEN, 50 * MS), ("power", CLOSED, 0))
        self.hears(state="standby")

    def power_off(self) -> None:
        """Switch the unit off, if it is on, and wait until it says so."""
        self.open_all()
        states = words(self.record(), "state")
        if states and states[-1] != ("state", "off"):
            self.hears(state="off")

    def start_round(self, timer: bool = False) -> None:
        """From off to the first turn."""
        self.power_on(timer)
        self.tap("go")
        self.hears(state="ready")
        self.tap("go")
        self.hears(state="playing")

    # -- what was said -------------------------------------------------------------------------------------------------

    def record(self) -> list[dict[str, Any]]:
        """Return the service's record so far, its first line excepted."""
        lines = self.machine.read(self._record).decode().split("\n")
        return [json.loads(line) for line in lines[1:-1]]

    def said(self) -> list[dict[str, Any]]:
        """Return what was added to the record since this was asked last."""
        everything = self.record()
        new = everything[self._read :]
        self._read = len(everything)
        return new

    def hears(self, within_s: float = 90, **wanted: Any) -> list[dict[str, Any]]:
        """Return what is said from now on until a message has all of *wanted*, that one included."""
        until = time.monotonic() + within_s
        heard: list[dict[str, Any]] = []
        while time.monotonic() < until:
            new = self.said()
            for number, message in enumerate(new):
                if wanted.items() <= message.items():
                    self._read -= len(new) - number - 1  # what follows is for the next to hear
                    return heard + new[: number + 1]
            heard += new
            time.sleep(0.1)
        raise AssertionError(f"nobody said {wanted} within {within_s} s, but {heard}; {self.machine.journal()}")

    def agrees_with_its_replay(self) -> None:
        """The outputs in the record are those that its inputs have in virtual time, to the microsecond (C-15, C-22)."""
        lines = self.machine.read(self._record).decode().splitlines(keepends=True)
        lines_of_games = [line for line in lines if not line.startswith('{"bench"')]
        outputs = [line for line in lines_of_games if line.split('"')[3] not in INPUTS and line.endswith("\n")]
        assert replay(lines, unit_from_header, "the record") == len(outputs)

    # -- eyes and ears -------------------------------------------------------------------------------------------------

    def display(self) -> bytes:
        """Return the segments of the four digits, as the chip has them in its memory; nothing if it is switched off."""
        chip = self.machine.read(f"{UNIT}/display")
        running, on = chip[16], chip[17] & 1
        return bytes(chip[at] for at in DIGIT_AT) if running and on else bytes(4)

    def shows(self, text: str, within_s: float = 30) -> None:
        """Wait until the display shows *text*."""
        self.sees(self.display, segments(text), within_s)

    def strip(self) -> list[tuple[int, int, int]]:
        """Return the colours (red, green, blue) of the LEDs, as they were sent last."""
        return colours(self.machine.read(f"{UNIT}/strip"))

    def is_dark(self, within_s: float = 30) -> None:
        """Wait until no LED is lit and the display is blank."""
        self.sees(lambda: (self.strip(), self.display()), ([(0, 0, 0)] * LEDS, bytes(4)), within_s)

    def sounds(self) -> bool:
        """Return whether the buzzer's PWM has a duty."""
        folder = "/sys/class/pwm/pwmchip0/pwm0"
        return self.machine.run(f"cat {folder}/enable {folder}/duty_cycle 2>/dev/null || echo 0").split()[-1] != "0"

    def sees(self, look: Callable[[], object], wanted: object, within_s: float = 30) -> None:
        """Wait until *look* returns *wanted*."""
        until = time.monotonic() + within_s
        while (seen := look()) != wanted:
            assert time.monotonic() < until, f"there is {seen}, and not {wanted}"
            time.sleep(0.1)

    def forget_tape(self) -> None:
        """Erase what the parts have recorded."""
        self.machine.ask(write=f"{UNIT}/tape", text="x")

    def tape(self) -> list[Sent]:
        """Return what the parts have recorded."""
        text = self.machine.read(f"{UNIT}/tape").decode()
        assert not text.endswith("full\n"), "the tape is full"
        return list(_sent(text.splitlines()))


def _sent(lines: Iterable[str]) -> Iterator[Sent]:
    for line in lines:
        at_us, bus, *what = line.split()
        if bus == "pwm":
            _, period_ns, duty_ns, on = map(int, what)
            yield Sent("buzzer", int(at_us), (period_ns, duty_ns if on else 0))
        else:
            yield Sent({"spi": "strip", "i2c": "display"}[bus], int(at_us), bytes.fromhex(what[0]))


def kept(machine: Machine) -> dict[str, Any]:
    """Return the last entry of the journal of rounds."""
    entry: dict[str, Any] = json.loads(machine.run(f"tail -n 1 {STATE}/triple-play.state").partition(" ")[2])
    return entry


def colours(transfer: bytes) -> list[tuple[int, int, int]]:
    """Return the colours in one SPI transfer: eight bits of it are one bit of a WS2812B, which are green, red, blue."""
    bits = transfer[SPI_RESET_BYTES:-SPI_RESET_BYTES]
    frame = [sum((bits[at + bit] == ONE) << (7 - bit) for bit in range(8)) for at in range(0, len(bits), 8)]
    return [(frame[at + 1], frame[at], frame[at + 2]) for at in range(0, len(frame), 3)]


def words(messages: Iterable[dict[str, Any]], *kinds: str) -> list[tuple[str, Any]]:
    """Return the messages of these kinds, as (kind, what), without their times."""
    return [(kind, message[kind]) for message in messages for kind in kinds if kind in message]
