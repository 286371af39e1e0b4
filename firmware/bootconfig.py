"""What a Raspberry Pi's config.txt says, as far as the doctor asks: values, `dtparam`s and overlays in force. Pure.

Sections such as `[pi4]` count where the model is meant. What else a section can ask (a display, a GPIO's level, a
serial number) is not known here: its lines do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

ON = {"on", "yes", "true", "1", ""}
DEEPEST_INCLUDE = 3
HIGHEST_GPIO = 53
_MODEL = re.compile(r"none|pi\d|cm\d")


class BootConfig(NamedTuple):
    """The lines in force. *overlays* are whole: `pwm,pin=12,func=4`."""

    values: dict[str, str]
    params: dict[str, str]
    overlays: tuple[str, ...]
    pins: tuple[str, ...]  # what stands after each `gpio=`: `23-25=ip,pu`

    def says(self, line: str) -> bool:
        """Whether `key=value` is in force, and no later line takes it back."""
        key, _, value = line.partition("=")
        return self.values.get(key) == value

    def is_on(self, *names: str) -> bool:
        """Whether a `dtparam` is on, under any of its *names*."""
        return any(self.params.get(name, "off") in ON for name in names)

    def pulled_up(self) -> frozenset[int]:
        """The GPIOs that are pulled up from the start by a `gpio=` line."""
        pulled: set[int] = set()
        for line in self.pins:
            pins, _, operations = line.partition("=")
            named = {gpio for found in re.finditer(r"(\d+)(?:-(\d+))?", pins) for gpio in _span(found)}
            if "pu" in operations.split(","):
                pulled |= named
            elif {"pd", "pn"} & set(operations.split(",")):
                pulled -= named
        return frozenset(pulled)


def _span(found: re.Match[str]) -> range:
    first, last = int(found[1][:4]), int((found[2] or found[1])[:4])
    return range(first, min(last, HIGHEST_GPIO) + 1)


def filters_of(model: str) -> frozenset[str]:
    """Return the sections that count for a model, as its maker's table has them."""
    for beginning, names in _FILTERS:
        if model.startswith(beginning):
            return frozenset(names) | ({"pi3+"} if "3 Model" in model and "Plus" in model else frozenset())
    return frozenset()


_FILTERS = (
    ("Raspberry Pi Zero 2", ("pi0", "pi0w", "pi02")),
    ("Raspberry Pi Zero", ("pi0", "pi0w")),
    ("Raspberry Pi 400", ("pi4", "pi400")),
    ("Raspberry Pi 4", ("pi4",)),
    ("Raspberry Pi Compute Module 4", ("pi4", "cm4")),
    ("Raspberry Pi 500", ("pi5", "pi500")),
    ("Raspberry Pi 5", ("pi5",)),
    ("Raspberry Pi Compute Module 5", ("pi5", "cm5")),
    ("Raspberry Pi 3", ("pi3",)),
    ("Raspberry Pi Compute Module 3", ("pi3",)),
    ("Raspberry Pi 2", ("pi2",)),
)


def read(text: str, filters: Collection[str], include: Callable[[str], str] = lambda name: "") -> BootConfig:
    """Return what *text* sets on a machine whose sections are *filters*. *include* gives the text of another file."""
    values: dict[str, str] = {}
    params: dict[str, str] = {}
    overlays: list[str] = []
    pins: list[str] = []
    of_model = of_rest = True
    for line in _lines(text, include):
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip().lower()
            if name == "all":
                of_model = of_rest = True
            elif _MODEL.match(name):
                of_model = name in filters
            else:
                of_rest = False
        elif line and not line.startswith("#") and of_model and of_rest:
            _take(line, values, params, overlays, pins)
    return BootConfig(values, params, tuple(overlays), tuple(pins))


def _lines(text: str, include: Callable[[str], str], depth: int = 0) -> Iterator[str]:
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("include ") and depth < DEEPEST_INCLUDE:
            yield from _lines(include(line.removeprefix("include ").strip()), include, depth + 1)
        else:
            yield line


def _take(
    line: str, values: dict[str, str], params: dict[str, str], overlays: list[str], pins: list[str]
) -> None:
    key, _, value = line.partition("=")
    key, value = key.strip(), value.strip()
    if key in ("dtparam", "device_tree_param"):
        for assignment in value.split(","):
            name, _, setting = assignment.partition("=")
            params[name.strip()] = setting.strip()
    elif key in ("dtoverlay", "device_tree_overlay"):
        if value:
            overlays.append(value)
    elif key == "gpio":
        pins.append(value)
    else:
        values[key] = value
