"""`pilelight doctor`: what this machine has for a unit, what it lacks, and the cure for each.

Nothing is claimed, opened for writing or changed. A probe is a function of a `Patient` that gives lines; what it cannot
read becomes a line, too. To add one, write it in one of the `doctor_…` modules and name it in its `PROBES`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from firmware import __version__, bootconfig, doctor_libraries, doctor_machine, doctor_wiring
from firmware.doctor_place import CONFIGS, Line, Patient, Place, Verdict, absent, ok, this_place, warning
from firmware.settings import SettingsError
from hal.errors import remedy
from wiring.findings import WiringError
from wiring.load import load_board, load_unit
from wiring.model import UnitWiring

STATE = "/var/lib/pilelight"
TOPIC_WIDTH = 17


def doctor(options: argparse.Namespace) -> int:
    """`pilelight doctor`: 0 nothing fails, 1 something does. SettingsError for a unit that cannot be read."""
    place = this_place()
    lines = examine(admit(place, unit_wiring(options.unit), options.state))
    if options.json:
        print(json.dumps(as_data(options.unit, lines), indent=2, ensure_ascii=False))
    else:
        for text in as_text(lines):
            print(text)
    return 1 if failed(lines) else 0


def unit_wiring(name: str | None) -> UnitWiring | None:
    """The wiring of the unit that is named; SettingsError when it cannot be read."""
    if name is None:
        return None
    try:
        return load_unit(name)
    except WiringError as why:
        raise SettingsError(str(why)) from None


def admit(place: Place, unit: UnitWiring | None = None, state: str | None = None) -> Patient:
    """Return what is to be examined. What cannot be read counts as not there: the probes say so."""
    model = _try(lambda: place.read(doctor_machine.MODEL)) or ""
    is_pi = model.startswith("Raspberry Pi")
    name = doctor_machine.board_name(model)
    config_file = next((name for name in CONFIGS if place.has(name)), None) if is_pi else None
    config_text = _try(lambda: place.read(config_file)) if config_file is not None else None
    folder = Path(config_file).parent if config_file is not None else Path()
    config = bootconfig.read(
        config_text or "",
        bootconfig.filters_of(model),
        lambda name: _try(lambda: place.read(str(folder / name))) or "",
    )
    given = state or place.environ.get("STATE_DIRECTORY") or (STATE if place.has(STATE) else None)
    return Patient(
        place,
        model if is_pi else None,
        load_board(name) if name is not None else None,
        config_file,
        config,
        unit,
        None if given is None else place.path(given) if given == STATE else Path(given),
    )


def _try(read: Callable[[], str]) -> str | None:
    try:
        return read()
    except OSError:
        return None


def examine(patient: Patient) -> list[Line]:
    """Return everything that was found, the machine first. Never raises for what a file says or refuses to say."""
    probes = (*doctor_machine.PROBES, *doctor_wiring.PROBES, *doctor_libraries.PROBES)
    lines = [line for probe in probes for line in _carefully(probe, patient)]
    return [*lines, *what_works(patient, lines)]


def _carefully(probe: Callable[[Patient], Iterator[Line]], patient: Patient) -> Iterator[Line]:
    topic = probe.__name__.replace("_", " ")
    try:
        yield from probe(patient)
    except PermissionError as why:
        yield warning(topic, f"{why.filename or why} may not be read", "run the doctor with sudo to see it")
    except OSError as why:
        yield warning(topic, f"{why.filename or topic} cannot be read: {why.strerror or why}")
    except ValueError as why:
        yield warning(topic, f"what stands there makes no sense: {why}", "report it, with this line")


def what_works(patient: Patient, lines: Iterable[Line]) -> Iterator[Line]:
    """What can be done on this machine now."""
    lines = list(lines)
    yield ok("works", "in virtual time: pilelight bench, replay, play --board virtual")
    page = [line for line in lines if line.topic == "library" and "(the page)" in line.text]
    if any(line.verdict in (Verdict.ABSENT, Verdict.FAILURE) for line in page):
        yield absent("works", "not in a browser: its libraries are missing", remedy("panel"))
    else:
        yield ok("works", "in a browser: pilelight play --board panel")
    if patient.model is None:
        yield absent("works", "not on the real board: this is no Raspberry Pi")
    elif failed(lines):
        yield absent("works", "not, or not wholly, on the real board: see the failures above")
    else:
        yield ok("works", "on the real board: pilelight play --board pi")


def failed(lines: Iterable[Line]) -> int:
    """How many lines are failures."""
    return sum(line.verdict is Verdict.FAILURE for line in lines)


def as_data(unit: str | None, lines: Iterable[Line]) -> dict[str, object]:
    """The lines, ready for JSON."""
    lines = list(lines)
    told = [
        {"topic": line.topic, "verdict": line.verdict.value, "text": line.text, "cure": line.cure} for line in lines
    ]
    return {"version": __version__, "unit": unit, "fine": not failed(lines), "lines": told}


def as_text(lines: Iterable[Line]) -> Iterator[str]:
    """The lines, for people."""
    lines = list(lines)
    for line in lines:
        yield f"{line.verdict.value:8} {line.topic:{TOPIC_WIDTH}} {line.text}"
        if line.cure:
            yield f"{'':8} {'':{TOPIC_WIDTH}} → {line.cure}"
    worried = sum(line.verdict is Verdict.WARNING for line in lines)
    yield ""
    yield f"{_count(failed(lines), 'failure')}, {_count(worried, 'warning')}"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
