"""The directions of the house: wiring <- hal <- firmware, and units that know nothing of the world."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Which of our modules a module may import: the first line whose name fits, the most particular first.
MAY_IMPORT = {
    "wiring": ("wiring",),
    "hal": ("hal", "wiring"),
    "firmware.units": (
        "firmware.agenda", "firmware.body", "firmware.chart", "firmware.events", "firmware.glyphs", "firmware.kind",
        "firmware.outputs", "firmware.settings", "firmware.units", "firmware.volume", "firmware.wheel",
    ),
    "firmware": ("firmware", "hal", "wiring"),
}
# Who may touch the world: clocks, threads, files, boards. All else in firmware is pure.
SHELL = (
    "firmware.__main__", "firmware.apart", "firmware.assembly", "firmware.bench", "firmware.boards", "firmware.clerk",
    "firmware.cli", "firmware.commands", "firmware.doctor", "firmware.memory", "firmware.notify", "firmware.playing",
    "firmware.reception", "firmware.record", "firmware.report", "firmware.runner", "firmware.safemode",
    "firmware.selftest_run", "firmware.start", "firmware.wished",
)
SEEN_BY_THE_CORE = {"hal.messages", "hal.ports", "wiring.model"}
WORLD = {
    "asyncio", "concurrent", "datetime", "gpiozero", "io", "multiprocessing", "os", "queue", "secrets", "select",
    "signal", "socket", "sqlite3", "starlette", "subprocess", "threading", "time", "uvicorn",
}
# What costs a start-up its speed, or does not exist on a machine without the extras.
HEAVY = {
    "asyncio", "board", "dataclasses", "decimal", "gpiozero", "hal.panel", "hal.pi", "neopixel", "numpy", "segno",
    "sqlite3", "starlette", "tomllib", "unittest", "uvicorn", "wiring.draw",
}


def modules():
    """Return {module name: path} of our three packages."""
    paths = [path for package in ("firmware", "hal", "wiring") for path in (ROOT / package).rglob("*.py")]
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in sorted(paths)}


def imported(path):
    """Return (line, module) of every import in the file, those inside functions, too; types-only ones as well."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: a relative import hides its direction"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def is_in(module, packages):
    return any(module == package or module.startswith(package + ".") for package in packages)


@pytest.mark.parametrize("module", modules())
def test_imports_go_one_way(module):
    allowed = next(may for name, may in MAY_IMPORT.items() if is_in(module, [name]))
    ours = [(line, name) for line, name in imported(modules()[module]) if is_in(name, ("firmware", "hal", "wiring"))]
    assert [(line, name) for line, name in ours if not is_in(name, allowed)] == []


@pytest.mark.parametrize("module", [m for m in modules() if is_in(m, ["firmware"]) and not m.startswith(SHELL)])
def test_the_core_knows_no_clock_no_file_no_thread_and_no_board(module):
    foreign = [(line, name) for line, name in imported(modules()[module])
               if is_in(name, WORLD) or (is_in(name, ["hal", "wiring"]) and not is_in(name, SEEN_BY_THE_CORE))]
    assert foreign == []


def test_nothing_heavy_is_imported_before_it_is_needed():
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    said = subprocess.run([sys.executable, "-c", "import sys, firmware.cli; print(*sys.modules)"], cwd=ROOT,
                          env=unmeasured, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert sorted(HEAVY & set(said.stdout.split())) == []


@pytest.mark.parametrize("module", [name for name in modules() if is_in(name, ["firmware", "hal"])])
def test_nobody_looks_at_the_clock_on_the_wall(module):
    """C-22: it jumps by hours when a Pi without a clock chip hears from the network; every time is monotonic."""
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    looked_at = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    wall = {"time.time", "time.time_ns", "time.localtime", "datetime.now", "datetime.datetime.now"}
    allowed = {"firmware.report": {"datetime.datetime.now", "datetime.now", "time.time", "time.localtime"}}
    assert wall & set(looked_at) - allowed.get(module, set()) == set()
