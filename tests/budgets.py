"""The budgets of speed and size, measured: `make bench`, or `make bench ARGS=--json`.

Each figure stands beside a peer or a floor that was measured in the same run, in turns with it: on another machine, or
with others at work, both move together and the ratio stays. Times are CPU times and medians; of what lasts microseconds
the median of many, by the clock that costs least. It is no test: whoever reads the table decides.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "conformance")]

PRESSES = 20_000
BOARD_PRESSES = 2_000
BLOCKS = 8
ROUNDS = 7
STARTS = 15
IDLE_S = 5.0
PERIOD_US = 500_000  # between two presses
READY_S = 20.0  # after which a program that is not ready has failed


class Figure(NamedTuple):
    """One line of the table. *value* must not be above *most* (or below *least*), or *ratio* not above *most_ratio*."""

    what: str
    value: float
    unit: str
    peer: str = ""
    ratio: float | None = None
    most: float | None = None
    least: float | None = None
    most_ratio: float | None = None

    @property
    def holds(self) -> bool:
        """Whether one of its bounds holds, if it has any."""
        bounds = [self.most is not None and self.value <= self.most]
        bounds.append(self.least is not None and self.value >= self.least)
        if self.most_ratio is not None and self.ratio is not None:
            bounds.append(self.ratio <= self.most_ratio)
        return any(bounds) or not self.budget

    @property
    def budget(self) -> str:
        """The bounds in words."""
        words = [f"≤ {self.most:,g} {self.unit}".rstrip()] if self.most is not None else []
        words += [f"≥ {self.least:,g} {self.unit}"] if self.least is not None else []
        return " or ".join([*words, *([f"≤ {self.most_ratio:g} ×"] if self.most_ratio is not None else [])])


# -- a unit on a virtual board -----------------------------------------------------------------------------------


class Desk:
    """A three-pile unit with 24 LEDs, a display and a buzzer, in a round whose piles are all lit and never overload."""

    def __init__(self) -> None:
        from firmware.looks import Renderer
        from firmware.stage import Stage
        from hal.virtual import VirtualBoard
        from tests.desk import make_unit
        from wiring.load import load_unit

        lights = load_unit("triple-play").lights
        assert lights is not None
        layout = tuple(
            light._replace(leds=tuple(range(4 * n, 4 * n + 4)), lit={}) for n, light in enumerate(lights.layout)
        )
        self.unit = make_unit("triple-play", {"triple_play.overload_presses": [20, 20], "common.sleep_after": 86_400})
        self.board = VirtualBoard((), write_down=lambda shown: None)
        self.stage = Stage(self.board, Renderer(lights._replace(leds=24, layout=layout)))
        self.now_us = 0
        self.longest_wait_us = 0  # of virtual time, from a closing contact to the first output
        self._start()

    def _start(self) -> None:
        from hal.ports import Contact, Moved

        self.feed(Moved("power", "on", 0))
        for closed in (True, False, True, False):
            self.now_us += 100_000
            self.feed(Contact("go", closed, self.now_us))
        self.wait(2_000_000)

    def feed(self, heard: Any) -> list[Any]:
        """Do what the loop does with an input, up to the last part; what was shown."""
        moments = self.unit.feed(heard)
        for moment in moments:
            self.stage.take(moment)
        self.stage.render(heard.at_us)
        return moments

    def wait(self, for_us: int) -> None:
        """Do what the loop does while nothing comes in."""
        self.now_us += for_us
        for moment in self.unit.tick(self.now_us):
            self.stage.take(moment)
        self.stage.render(self.now_us)

    def press(self) -> float:
        """Play a lit pile; the time (µs) from the closing contact to the last output."""
        from hal.ports import Contact

        pile = f"pile{self.unit.game.lit[0]}"  # type: ignore[union-attr]
        closes = Contact(pile, True, self.now_us)
        begin_ns = time.perf_counter_ns()
        shown = self.feed(closes)
        spent_ns = time.perf_counter_ns() - begin_ns
        self.longest_wait_us = max(self.longest_wait_us, shown[0].at_us - closes.at_us)
        self.feed(Contact(pile, False, self.now_us + 80_000))
        self.wait(PERIOD_US)
        if self.unit.machine.state == "overload":
            for closed in (True, False):
                self.feed(Contact("go", closed, self.now_us))
                self.wait(PERIOD_US)
        return spent_ns / 1_000


class MockButton:
    """A Button of gpiozero on its mock pins, with somebody who listens."""

    def __init__(self) -> None:
        from gpiozero import Button, Device
        from gpiozero.pins.mock import MockFactory

        Device.pin_factory = MockFactory()
        self.presses = 0
        self._button = Button(4)
        self._button.when_pressed = self._count
        self._pin = self._button.pin

    def _count(self) -> None:
        self.presses += 1

    def press(self) -> float:
        """Press and release it; the time (µs) that took."""
        begin_ns = time.perf_counter_ns()
        self._pin.drive_low()
        self._pin.drive_high()
        return (time.perf_counter_ns() - begin_ns) / 1_000


def clock_cost_us() -> float:
    """Return what looking at the clock twice costs."""
    costs = []
    for _ in range(2_000):
        begin_ns = time.perf_counter_ns()
        costs.append(time.perf_counter_ns() - begin_ns)
    return median(costs) / 1_000


def cpu_us(do: Callable[[], object], times: int) -> float:
    """Return the CPU time of one call."""
    begin_ns = time.process_time_ns()
    for _ in range(times):
        do()
    return (time.process_time_ns() - begin_ns) / times / 1_000


def presses() -> list[Figure]:
    """Measure presses, in turns with the mock button."""
    desk, button, clock_us = Desk(), MockButton(), clock_cost_us()
    ours, theirs, blocks = [], [], []
    for _ in range(BLOCKS):
        begin_ns = time.process_time_ns()
        spent = [desk.press() for _ in range(PRESSES // BLOCKS)]
        blocks.append((time.process_time_ns() - begin_ns) / len(spent) / 1_000)
        for _ in range(2_000):  # press by press: at a table too much else has run since the last one, for both
            ours.append(desk.press() - clock_us)
            theirs.append(button.press() - clock_us)
    assert button.presses == BLOCKS * 2_000
    press_us, button_us = median(ours), median(theirs)
    peer = f"gpiozero mock press and release, {button_us:.1f} µs"
    return [
        Figure("press to all outputs", press_us, "µs", peer, press_us / button_us, most=8, most_ratio=1.2),
        Figure("accepted presses a second", 1_000_000 / press_us, "/s", least=120_000),
        Figure("the same with release, next turn and its outputs", 1_000_000 / median(blocks), "/s"),
        Figure("last eighth of 20,000 presses beside the first", blocks[-1] / blocks[0], "", most=1.2),
        Figure("virtual time from an edge to its first output", desk.longest_wait_us, "µs", most=0),
    ]


def on_board() -> Figure:
    """Measure the way from a mock pin to what the drivers write, in turns with a bare Button that shows the same."""
    with redirect_stdout(StringIO()):  # fake-rpi greets whoever loads it
        from tests.budgets_board import Bare, OnBoard

    ours = OnBoard()
    ours.press()
    shown = ours.outputs.shown
    ours.rest()
    bare = Bare(*shown[2:])
    spent_us, bare_us = [], []
    for _ in range(BOARD_PRESSES):
        for table, spent in ((ours, spent_us), (bare, bare_us)):
            spent.append(table.press())
            if table.outputs.shown != shown:
                raise SystemExit(f"{type(table).__name__} shows {table.outputs.shown}, not {shown}")
            table.rest()
    peer = f"bare gpiozero Button with the same outputs, {median(bare_us):.1f} µs"
    ratio = median(spent_us) / median(bare_us)
    return Figure("press to all outputs, drivers on mock pins", median(spent_us), "µs", peer, ratio, most_ratio=1.2)


def leds() -> Figure:
    """Measure a frame that was never drawn before, on short and on long strips."""
    from firmware.looks import Renderer, Shown
    from firmware.outputs import Colour, Look, Pattern
    from wiring.load import load_unit
    from wiring.model import Light

    lights = load_unit("triple-play").lights
    assert lights is not None

    def drawing(count: int) -> Callable[[], object]:
        layout = tuple(Light(f"light{n}", tuple(range(n * count // 6, (n + 1) * count // 6)), {}) for n in range(6))
        renderer = Renderer(lights._replace(leds=count, layout=layout, max_ma=60 * count))
        fade = Look(Colour.WHITE, Pattern.FADE)
        shown = {light.name: Shown(fade, 0) for light in layout}
        at_us = 0

        def draw() -> None:
            nonlocal at_us
            at_us += 33_334
            for n, light in enumerate(layout):  # breaths of their own: hardly any frame comes twice
                shown[light.name] = Shown(fade, at_us * (n + 3) % 1_000_003)
            renderer.frame(shown, at_us)

        return draw

    short, long = drawing(24), drawing(240)
    costs: dict[int, list[float]] = {24: [], 240: []}
    for _ in range(ROUNDS):
        costs[24].append(cpu_us(short, 2_000))
        costs[240].append(cpu_us(long, 2_000))
    slope_us = (median(costs[240]) - median(costs[24])) / (240 - 24)
    return Figure("one more LED in a new frame", slope_us, "µs", f"24 LEDs {median(costs[24]):.1f} µs", most=0.1)


# -- programs ----------------------------------------------------------------------------------------------------


def spent_ms(command: Sequence[str]) -> float:
    """Return the CPU time (user and system) of a program that ends by itself."""
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return (used.ru_utime + used.ru_stime) * 1_000


CORE = """
from firmware.assembly import all_settings, known_kind, make_unit, settings_of
from firmware.runner import Runner
kind = known_kind("triple-play")
make_unit(kind, settings_of(kind, all_settings(None, [], kind)), 1, None).tick(0)
"""


def starts() -> list[Figure]:
    """Measure the start of the core and of the command around it, in turns with a Python that does nothing."""
    core = [sys.executable, "-c", CORE]
    command = [str(Path(sys.executable).with_name("pilelight")), "bench", "triple-play"]
    nothing = [sys.executable, "-c", "pass"]
    spent: dict[str, list[float]] = {"core": [], "command": [], "nothing": []}
    for _ in range(STARTS):
        for name, words in (("core", core), ("command", command), ("nothing", nothing)):
            spent[name].append(spent_ms(words))
    core_ms, command_ms, floor_ms = (median(spent[name]) for name in ("core", "command", "nothing"))
    peer = f"python -c pass, {floor_ms:.1f} ms"
    return [
        Figure("start to ready of the core", core_ms, "ms CPU", peer, core_ms / floor_ms, most_ratio=3),
        Figure("start to end of pilelight bench without a line", command_ms, "ms CPU", peer, command_ms / floor_ms),
    ]


class Program:
    """A program that runs until it is stopped, looked at from outside."""

    def __init__(self, *words: str, ready: bytes) -> None:
        """Start `pilelight` with these *words*; it is ready once it has written *ready*."""
        command = [sys.executable, "-u", "-m", "firmware", *words]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT)
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        said, until = b"", time.monotonic() + READY_S
        while ready not in said:
            said += self._process.stdout.read() or b""
            if self._process.poll() is not None or time.monotonic() > until:
                self.stop()
                raise SystemExit(f"{' '.join(command)} is not ready: {said.decode()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def _status(self, path: str, key: str) -> int:
        text = Path(f"/proc/{self._process.pid}/{path}").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{key}:"))

    @property
    def resident_mib(self) -> float:
        """The memory it has now."""
        return self._status("status", "VmRSS") / 1_024

    @property
    def wakes(self) -> int:
        """How often one of its threads has waited so far."""
        tasks = os.listdir(f"/proc/{self._process.pid}/task")
        return sum(self._status(f"task/{task}/status", "voluntary_ctxt_switches") for task in tasks)

    @property
    def spent_ms(self) -> float:
        """The CPU time of all its threads so far."""
        tasks = Path(f"/proc/{self._process.pid}/task")
        return sum(int(path.read_text(encoding="ascii").split()[0]) for path in tasks.glob("*/schedstat")) / 1_000_000


PANEL = ("play", "triple-play", "--board", "panel", "--port", "0", "--no-browser")


def residents() -> list[Figure]:
    """Measure memory and idleness of programs that are ready and wait."""
    nothing = subprocess.run([sys.executable, "-c", "print(open('/proc/self/status').read())"], capture_output=True,
                             text=True, check=True).stdout
    floor_mib = next(int(line.split()[1]) for line in nothing.splitlines() if line.startswith("VmRSS:")) / 1_024
    peer = f"python -c pass, {floor_mib:.1f} MiB"
    core = Program("bench", "triple-play", ready=b"\n")
    core_mib = core.resident_mib
    core.stop()
    panel = Program(*PANEL, ready=b"http://")
    time.sleep(1.0)
    panel_mib, wakes, spent = panel.resident_mib, panel.wakes, panel.spent_ms
    time.sleep(IDLE_S)
    wakes, spent = panel.wakes - wakes, panel.spent_ms - spent
    panel.stop()
    return [
        Figure("memory of the core", core_mib, "MiB", peer, core_mib / floor_mib, most=14),
        Figure("memory with the panel", panel_mib, "MiB", peer, panel_mib / floor_mib, most=34),
        Figure("wake-ups a second, idle with the panel", wakes / IDLE_S, "/s", most=0),
        Figure("CPU, idle with the panel", spent / IDLE_S / 10, "%", most=0.03),
    ]


def page() -> list[Figure]:
    """Measure a page, if this machine has a chromium. A frame lasts 16.7 ms."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium here: the page is not measured", file=sys.stderr)
        return []
    from tests.budgets_page import measure

    seen_ms, frames = measure(chromium)
    return [
        Figure("a key on a page to its light there", seen_ms, "ms", most=16.7),
        Figure("frames while the wheel turns on a page", frames, "/s", least=55),
    ]


def an_hour() -> Figure:
    """Measure an hour of play in virtual time through the bench, 7,200 presses."""
    lines = ['{"t": 0, "switch": "power", "to": "on"}', '{"t": 0.1, "tap": "go"}', '{"t": 0.4, "tap": "go"}']
    lines += [f'{{"t": {2 + n / 2:g}, "tap": "{("pile1", "pile2", "pile3", "go")[n % 4]}"}}' for n in range(7_200)]
    begin = os.times()
    subprocess.run([sys.executable, "-m", "firmware", "bench", "triple-play", "--seed", "1"], cwd=ROOT, check=True,
                   input="\n".join(lines).encode(), stdout=subprocess.DEVNULL)
    end = os.times()
    spent_s = end.children_user + end.children_system - begin.children_user - begin.children_system
    return Figure("an hour of play through the bench, 7,200 presses", spent_s, "s CPU", most=1)


def figures() -> list[Figure]:
    """Measure everything, byte-compiled as an installed program is; about half a minute."""
    for package in ("firmware", "hal", "wiring"):
        compileall.compile_dir(ROOT / package, quiet=2)
    return [*presses(), on_board(), leds(), *starts(), *residents(), *page(), an_hour()]


def table(found: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    rows = [("what", "measured", "ratio", "budget", "", "peer or floor")]
    for figure in found:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f} ×"
        measured = f"{figure.value:,.0f}" if figure.value >= 1_000 else f"{figure.value:.3g}"
        rows.append((figure.what, f"{measured} {figure.unit}".rstrip(), ratio, figure.budget,
                     ("ok" if figure.holds else "OVER") if figure.budget else "", figure.peer))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def main() -> int:
    """Print the table; 1 if a budget does not hold."""
    parser = argparse.ArgumentParser(description="Measure the budgets of speed and size.")
    parser.add_argument("--json", action="store_true", help="one object for a program to read")
    options = parser.parse_args()
    found = figures()
    if options.json:
        rows = [{**figure._asdict(), "budget": figure.budget, "holds": figure.holds} for figure in found]
        made_on = {"python": platform.python_version(), "machine": platform.machine()}
        print(json.dumps({**made_on, "figures": rows}, indent=2))
    else:
        print(table(found))
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
