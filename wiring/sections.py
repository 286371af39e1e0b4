"""The sections of a unit's file, one reader each: a table in, a part of the model out.

Whatever is wrong is written down in the table; see `wiring.reader`.
"""

from __future__ import annotations

from types import MappingProxyType

from wiring.model import (
    Adc,
    As5600,
    Battery,
    Buzzer,
    Contact,
    Display,
    DisplayChip,
    Light,
    Lights,
    PressurePad,
    Quadrature,
    Supply,
    Switch,
)
from wiring.reader import Table, is_name, meant, printable

LAST_GPIO = 27
LAST_PIN = 40
COLOURS = ("white", "red", "yellow", "green", "blue", "purple")


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


def _label(name: str, table: Table) -> str:
    """Return what a sheet calls the part: as written, else made from its *name* (`pile1`: Pile 1)."""
    word = name.rstrip("0123456789")
    made = f"{word.replace('-', ' ').capitalize()} {name[len(word) :]}".strip()
    return table.text_or_none("label", "Pile pad 1", longest=24) or made


def contact(name: str, table: Table) -> Contact:
    contact = Contact(
        name=name,
        label=_label(name, table),
        gpio=_gpio(table),
        ground_pin=_ground(table),
        pull_up_ohm=table.integer_or_none("pull_up_ohm", 470, 100_000),
        power_pin=_power(table),
    )
    table.finish()
    return contact


def pressure_pad(name: str, table: Table) -> PressurePad:
    pad = PressurePad(
        name=name,
        label=_label(name, table),
        channel=table.integer("channel", 0, 3),
        divider_ohm=table.integer("divider_ohm", 100, 1_000_000, example=10_000),
    )
    table.finish()
    return pad


def switch(name: str, table: Table) -> Switch:
    if "closed" not in table:
        table.wrong("closed", "is missing", "write closed = { on = 24 }: each position and the GPIO it joins to ground")
    closed = table.pairs("closed", 0, LAST_GPIO, example="{ on = 24 }")
    opened = table.text_or_none("open", "off", longest=20)
    if opened is not None and (opened in closed or not is_name(opened)):
        table.wrong("open", "is no name of its own", 'write another position than those in `closed`, such as "off"')
    if opened is None and len(closed) == 1:
        table.wrong("open", "is missing", 'with one position in `closed`, write open = "off"')
    switch = Switch(name, _label(name, table), MappingProxyType(closed), opened, _ground(table))
    table.finish()
    return switch


def lights(top: Table) -> Lights | None:
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
        capacitor_uf=table.integer("capacitor_uf", 0, 100_000, example=1000),
        power_pin=_power(table),
        ground_pin=_ground(table),
        layout=_layout(table, count),
    )
    if table.sound("leds", "max_ma", "ma_idle") and lights.max_ma < lights.leds * lights.ma_idle:
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


def display(top: Table) -> Display | None:
    table = top.section("display")
    if table is None:
        return None
    chip: DisplayChip = table.choice("chip", ("ht16k33", "tm1637"))
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


def buzzer(top: Table) -> Buzzer | None:
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


def wheel(top: Table) -> As5600 | Quadrature | None:
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


def adc(top: Table) -> Adc | None:
    table = top.section("adc")
    if table is None:
        return None
    adc = Adc(_address(table, 0x48), _volts(table), _power(table), _ground(table))
    table.finish()
    return adc


def battery(top: Table) -> Battery | None:
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


def supply(top: Table) -> Supply | None:
    table = top.section("supply")
    if table is None:
        return None
    supply = Supply(
        volts=_volts(table),
        max_ma=table.integer("max_ma", 1, 100_000, example=3000),
        ground_pin=_ground(table),
        feeds_board=table.flag("feeds_board", default=False),
        power_pin=_power(table),
    )
    table.finish()
    return supply
