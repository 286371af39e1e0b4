"""Wiring files, read strictly: a unit or a board, or one `WiringError` that names everything that is wrong.

What a file says is checked here as far as it concerns the file alone. Whether the parts get along with each other and
with a board is the business of `wiring.check`.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType

from wiring.findings import Finding, WiringError
from wiring.model import (
    Adc,
    As5600,
    Battery,
    Board,
    Buzzer,
    Contact,
    Display,
    Light,
    Lights,
    Pin,
    PressurePad,
    Quadrature,
    Supply,
    Switch,
    UnitWiring,
)
from wiring.reader import Table, is_name, meant, printable

HERE = Path(__file__).parent
LARGEST_FILE = 1 << 20
LAST_GPIO = 27
LAST_PIN = 40
COLOURS = ("white", "red", "yellow", "green", "blue", "purple")
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
        contacts=tuple(_contact(name, table) for name, table in top.entries("contacts", "pile1")),
        pressure_pads=tuple(_pressure_pad(name, table) for name, table in top.entries("pressure_pads", "pile1")),
        switches=tuple(_switch(name, table) for name, table in top.entries("switches", "power")),
        lights=_lights(top),
        display=_display(top),
        buzzer=_buzzer(top),
        wheel=_wheel(top),
        adc=_adc(top),
        battery=_battery(top),
        supply=_supply(top),
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
        active_ma=top.integer("active_ma", 1, 10_000, example=600),
        supply_ma=top.integer("supply_ma", 1, 10_000, example=3000),
    )
    top.finish()
    if found:
        raise WiringError(found)
    return board


def _locate(name: str | os.PathLike[str], folder: str, what: str) -> tuple[Path, str]:
    """Return the file's path and how to call it in a message."""
    given = os.fspath(name)
    if "/" in given or os.sep in given or given.endswith(".toml"):
        return Path(given), printable(given)
    known = _names(folder)
    if given not in known:
        raise WiringError([Finding(printable(given), "", f"there is no {what} of this name", meant(given, known))])
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
        raise unusable(f"is not TOML ({printable(str(error))})", "correct that line; see https://toml.io") from error


def _ground(table: Table) -> int | None:
    return table.integer_or_none("ground_pin", 1, LAST_PIN)


def _power(table: Table) -> int | None:
    return table.integer_or_none("power_pin", 1, LAST_PIN)


def _gpio(table: Table, key: str = "gpio", example: int = 17) -> int:
    return table.integer(key, 0, LAST_GPIO, example=example)


def _volts(table: Table) -> float:
    return table.number("volts", 1.8, 5.5, example=3.3)


def _address(table: Table, example: int) -> int:
    return table.integer("address", 0x08, 0x77, example=example)


def _contact(name: str, table: Table) -> Contact:
    contact = Contact(
        name=name,
        gpio=_gpio(table),
        ground_pin=_ground(table),
        pull_up_ohm=table.integer_or_none("pull_up_ohm", 470, 100_000),
        power_pin=_power(table),
    )
    table.finish()
    return contact


def _pressure_pad(name: str, table: Table) -> PressurePad:
    pad = PressurePad(
        name=name,
        channel=table.integer("channel", 0, 3),
        divider_ohm=table.integer("divider_ohm", 100, 1_000_000, example=10_000),
    )
    table.finish()
    return pad


def _switch(name: str, table: Table) -> Switch:
    if "closed" not in table:
        table.wrong("closed", "is missing", "write closed = { on = 24 }: each position and the GPIO it joins to ground")
    closed = table.pairs("closed", 0, LAST_GPIO, example="{ on = 24 }")
    opened = table.text_or_none("open", "off", longest=20)
    if opened is not None and (opened in closed or not is_name(opened)):
        table.wrong("open", "is no name of its own", 'write another position than those in `closed`, such as "off"')
    if opened is None and len(closed) == 1:
        table.wrong("open", "is missing", 'with one position in `closed`, write open = "off"')
    switch = Switch(name=name, closed=MappingProxyType(closed), open=opened, ground_pin=_ground(table))
    table.finish()
    return switch


def _lights(top: Table) -> Lights | None:
    table = top.section("lights")
    if table is None:
        return None
    count = table.integer("leds", 1, 1000, example=21)
    lights = Lights(
        data=_gpio(table, "data", example=10),
        leds=count,
        order=table.choice("order", ("GRB", "RGB", "BRG", "BGR", "RBG", "GBR")),
        driver=table.choice("driver", ("neopixel", "neopixel-spi"), default="neopixel"),
        spidev_bytes=table.integer("spidev_bytes", 4096, 1 << 20, default=4096),
        volts=_volts(table),
        max_ma=table.integer("max_ma", 1, 100_000, example=1000),
        ma_per_channel=table.number("ma_per_channel", 0.1, 100, example=20),
        ma_idle=table.number("ma_idle", 0, 20, example=1),
        level_shifter=table.flag("level_shifter"),
        series_ohm=table.integer("series_ohm", 0, 10_000, example=470),
        layout=_layout(table, count),
    )
    if lights.max_ma < lights.leds * lights.ma_idle:
        need = f"{lights.leds * lights.ma_idle:g}"
        table.wrong("max_ma", f"is less than the {need} mA that the dark strip draws", f"write at least {need}")
    table.finish()
    return lights


def _layout(lights: Table, count: int) -> tuple[Light, ...]:
    layout: list[Light] = []
    owner: dict[int, str] = {}
    for name, table in lights.entries("layout", "pile1"):
        leds = table.integers("leds", 0, count - 1)
        lit = table.pairs("lit", 1, max(1, len(leds)), example="{ green = 1, yellow = 2, red = 3 }")
        for colour in lit:
            if colour not in COLOURS:
                table.wrong("lit", f"{printable(colour)} is not a colour", meant(colour, COLOURS))
        for led in leds:
            if led in owner:
                table.wrong("leds", f"LED {led} belongs to {owner[led]}", "give each LED to one light")
            owner.setdefault(led, name)
        table.finish()
        layout.append(Light(name, leds, MappingProxyType(lit)))
    if not layout:
        lights.wrong("layout", "names no light", "write [lights.layout] with a line such as pile1 = { leds = [0, 1] }")
    return tuple(layout)


def _display(top: Table) -> Display | None:
    table = top.section("display")
    if table is None:
        return None
    chip = table.choice("chip", ("ht16k33", "tm1637"))
    display = Display(
        chip=chip,
        address=_address(table, 0x70) if chip == "ht16k33" else None,
        clock=_gpio(table, "clock") if chip == "tm1637" else None,
        data=_gpio(table, "data", example=27) if chip == "tm1637" else None,
        volts=_volts(table),
        power_pin=_power(table),
        ground_pin=_ground(table),
    )
    table.finish()
    return display


def _buzzer(top: Table) -> Buzzer | None:
    table = top.section("buzzer")
    if table is None:
        return None
    buzzer = Buzzer(
        gpio=_gpio(table, example=12),
        drive=table.choice("drive", ("hardware", "software")),
        series_ohm=table.integer("series_ohm", 0, 10_000, example=100),
        ground_pin=_ground(table),
    )
    table.finish()
    return buzzer


def _wheel(top: Table) -> As5600 | Quadrature | None:
    table = top.section("wheel")
    if table is None:
        return None
    wheel: As5600 | Quadrature
    if table.choice("sensor", ("as5600", "quadrature")) == "as5600":
        wheel = As5600(
            address=_address(table, 0x36),
            zero=table.integer("zero", 0, 4095, default=0),
            reversed=table.flag("reversed", default=False),
            volts=_volts(table),
            power_pin=_power(table),
            ground_pin=_ground(table),
        )
    else:
        wheel = Quadrature(
            a=_gpio(table, "a", example=17),
            b=_gpio(table, "b", example=27),
            index_mark=_gpio(table, "index_mark", example=22),
            cycles=table.integer("cycles", 1, 64, example=9),
            reversed=table.flag("reversed", default=False),
            volts=_volts(table),
            pull_up_ohm=table.integer("pull_up_ohm", 470, 100_000, example=10_000),
            power_pin=_power(table),
            ground_pin=_ground(table),
        )
    table.finish()
    return wheel


def _adc(top: Table) -> Adc | None:
    table = top.section("adc")
    if table is None:
        return None
    adc = Adc(_address(table, 0x48), _volts(table), _power(table), _ground(table))
    table.finish()
    return adc


def _battery(top: Table) -> Battery | None:
    table = top.section("battery")
    if table is None:
        return None
    if table.choice("source", ("under-voltage", "adc")) == "under-voltage":
        battery = Battery("under-voltage", None, None, None, None, None)
    else:
        low_mv = table.integer("low_mv", 500, 60_000, example=3400)
        battery = Battery(
            source="adc",
            channel=table.integer("channel", 0, 3),
            top_ohm=table.integer("top_ohm", 0, 10_000_000, example=100_000),
            bottom_ohm=table.integer("bottom_ohm", 100, 10_000_000, example=100_000),
            low_mv=low_mv,
            good_mv=table.integer("good_mv", low_mv + 1, 60_001, example=3600),
        )
    table.finish()
    return battery


def _supply(top: Table) -> Supply | None:
    table = top.section("supply")
    if table is None:
        return None
    supply = Supply(
        volts=_volts(table),
        max_ma=table.integer("max_ma", 1, 100_000, example=3000),
        capacitor_uf=table.integer("capacitor_uf", 0, 100_000, example=1000),
        ground_pin=_ground(table),
        feeds_board=table.flag("feeds_board", default=False),
        power_pin=_power(table),
    )
    table.finish()
    return supply


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
    for number in range(1, LAST_PIN + 1):
        if str(number) not in tables:
            top.wrong("pins", f"pin {number} is missing", f"write all pins from 1 to {LAST_PIN}")
    pins: list[Pin] = []
    for number, table in tables.items():
        if not number.isdecimal() or not 1 <= int(number) <= LAST_PIN:
            top.wrong("pins", f"{number} is not a pin", f"write the pins from 1 to {LAST_PIN}")
            continue
        pins.append(_pin(int(number), table))
    return tuple(sorted(pins))


def _pin(number: int, table: Table) -> Pin:
    if "power" in table:
        pin = Pin(number, table.choice("power", POWERS), None, (), None, None, "")
    else:
        gpio = _gpio(table)
        pin = Pin(
            number=number,
            name=f"GPIO{gpio}",
            gpio=gpio,
            functions=table.texts("functions"),
            boot_pull=table.choice("boot_pull", ("up", "down", "none")),
            fixed_pull_up_ohm=table.integer_or_none("fixed_pull_up_ohm", 100, 100_000),
            reserved=table.text_or_none("reserved", "HAT EEPROM") or "",
        )
    table.finish()
    return pin
