"""Wiring files, read strictly: a unit or a board, or one `WiringError` that names everything that is wrong.

What a file says is checked here as far as it concerns the file alone. Whether the parts get along with each other and
with a board is the business of `wiring.check`.
"""

from __future__ import annotations

import os
from pathlib import Path

from wiring import sections
from wiring.findings import Finding, UnknownName, WiringError
from wiring.model import Board, Pin, Pull, UnitWiring
from wiring.reader import Table, meant, printable

HERE = Path(__file__).parent
LARGEST_FILE = 1 << 20
LONGEST_PATH = 300  # as shown in a message
POWERS = ("3V3", "5V", "GND")


def unit_names() -> tuple[str, ...]:
    """Return the names of the unit files that come with the program, sorted."""
    return _names("units")


def board_names() -> tuple[str, ...]:
    """Return the names of the boards that come with the program, sorted."""
    return _names("boards")


def _names(folder: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (HERE / folder).glob("*.toml")))


def load_unit(name: str | os.PathLike[str]) -> UnitWiring:
    """Return the wiring of the unit *name*, or of the file at that path (a name with `/` or ending in `.toml`).

    Raises `WiringError` with everything that is wrong.
    """
    path, shown = _locate(name, "units", "unit")
    found: list[Finding] = []
    top = Table(found, shown, _parse(path, shown))
    unit = UnitWiring(
        name=path.stem,
        file=shown,
        unit=top.text("unit", "triple-play"),
        title=top.text("title", "Three-pile unit", longest=40),
        contacts=tuple(sections.contact(name, table) for name, table in top.entries("contacts", "pile1")),
        pressure_pads=tuple(sections.pressure_pad(name, pad) for name, pad in top.entries("pressure_pads", "pile1")),
        switches=tuple(sections.switch(name, table) for name, table in top.entries("switches", "power")),
        lights=sections.lights(top),
        display=sections.display(top),
        buzzer=sections.buzzer(top),
        wheel=sections.wheel(top),
        adc=sections.adc(top),
        battery=sections.battery(top),
        supply=sections.supply(top),
        analog_audio=top.flag("analog_audio", default=False),
    )
    top.finish()
    _names_once(unit, found)
    if found:
        raise WiringError(found)
    return unit


def load_board(name: str | os.PathLike[str]) -> Board:
    """Return the board *name*, or of the file at that path. Raises `WiringError` with everything that is wrong."""
    path, shown = _locate(name, "boards", "board")
    found: list[Finding] = []
    top = Table(found, shown, _parse(path, shown))
    board = Board(
        name=path.stem,
        file=shown,
        title=top.text("title", "Raspberry Pi 4"),
        pins=_pins(top),
        analog_audio=top.flag("analog_audio"),
        spi_strip_needs=top.texts("spi_strip_needs"),
        supply_ma=top.integer("supply_ma", 1, 10_000, example=3000),
        under_voltage=top.flag("under_voltage"),
    )
    top.finish()
    if not found:
        _every_gpio_once(board, found)
    if found:
        raise WiringError(found)
    return board


def _locate(name: str | os.PathLike[str], folder: str, what: str) -> tuple[Path, str]:
    """Return the file's path and how to call it in a message."""
    given = os.fspath(name)
    if "/" in given or os.sep in given or given.endswith(".toml"):
        return Path(given), printable(given, LONGEST_PATH)
    known = _names(folder)
    if given not in known:
        raise UnknownName([Finding(printable(given), "", f"there is no {what} of this name", meant(given, known))])
    return HERE / folder / f"{given}.toml", f"wiring/{folder}/{given}.toml"


def _parse(path: Path, shown: str) -> dict[str, object]:
    import tomllib

    def unusable(reason: str, cure: str) -> WiringError:
        return WiringError([Finding(shown, "", reason, cure)])

    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        why = getattr(error, "strerror", None) or str(error)
        raise unusable(f"cannot be read ({why})", "check the path and its rights") from error
    if len(content) > LARGEST_FILE:
        raise unusable("is larger than a megabyte", "give a wiring file") from None
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise unusable(f"is not UTF-8 text (byte {error.start})", "save it as UTF-8") from error
    except RecursionError as error:
        raise unusable("is nested too deep", "give a wiring file") from error
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        why = printable(str(error), LONGEST_PATH)
        raise unusable(f"is not TOML ({why})", "correct that line; see https://toml.io") from error


def _names_once(unit: UnitWiring, found: list[Finding]) -> None:
    seen: dict[str, str] = {}
    for section, names in (
        ("contacts", [contact.name for contact in unit.contacts]),
        ("pressure_pads", [pad.name for pad in unit.pressure_pads]),
        ("switches", [switch.name for switch in unit.switches]),
    ):
        for name in names:
            if name in seen:
                found.append(
                    Finding(unit.file, f"[{section}] {name}", f"stands in [{seen[name]}] too", "keep one of the two")
                )
            seen.setdefault(name, section)


def _pins(top: Table) -> tuple[Pin, ...]:
    tables = dict(top.entries("pins", "19"))
    numbers = {str(number): number for number in range(1, sections.LAST_PIN + 1)}
    for name in sorted(numbers.keys() - tables.keys(), key=int):
        top.wrong("pins", f"pin {name} is missing", f"write all pins from 1 to {sections.LAST_PIN}")
    for name in sorted(tables.keys() - numbers.keys()):
        top.wrong("pins", f"{name} is not a pin", f"write the pins from 1 to {sections.LAST_PIN}")
    return tuple(_pin(numbers[name], tables[name]) for name in numbers if name in tables)


def _every_gpio_once(board: Board, found: list[Finding]) -> None:
    at: dict[int, int] = {}
    for pin in board.pins:
        if pin.gpio is not None and at.setdefault(pin.gpio, pin.number) != pin.number:
            where = f"[pins] {pin.number}.gpio = {pin.gpio}"
            reason = f"pin {at[pin.gpio]} is GPIO{pin.gpio} too"
            found.append(Finding(board.file, where, reason, "keep one of the two"))
    if missing := [f"GPIO{gpio}" for gpio in range(sections.LAST_GPIO + 1) if gpio not in at]:
        cure = f"write GPIO0 to GPIO{sections.LAST_GPIO}, each once"
        found.append(Finding(board.file, "pins = {…}", f"no pin is {', '.join(missing)}", cure))


def _pin(number: int, table: Table) -> Pin:
    if "power" in table:
        pin = Pin(number, table.choice("power", POWERS), None, (), None, None, "")
    else:
        gpio = table.integer("gpio", 0, sections.LAST_GPIO)
        boot_pull: Pull = table.choice("boot_pull", ("up", "down", "none"))
        pin = Pin(
            number=number,
            name=f"GPIO{gpio}",
            gpio=gpio,
            functions=table.texts("functions"),
            boot_pull=boot_pull,
            fixed_pull_up_ohm=table.integer_or_none("fixed_pull_up_ohm", 100, 100_000),
            reserved=table.text_or_none("reserved", "the HAT EEPROM") or "",
        )
    table.finish()
    return pin
