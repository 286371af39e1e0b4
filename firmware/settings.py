"""Settings: what may be set, read from TOML or from `section.key=value`, with every mistake named at once.

Values are kept as they were written (seconds stay seconds); `in_us` turns times into what the units count in.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from firmware.agenda import SECOND

Values: TypeAlias = dict[str, dict[str, Any]]
"""Settings by section and name."""


GROUPS = ("house", "chance", "times", "light", "inputs")
"""What settings are about, in the order of the page: house rules, chance, times, sound and light, buttons."""


class SettingsError(ValueError):
    """Settings that cannot be used; the text names every problem, one a line."""


class Setting(NamedTuple):
    """One setting: its name and default, what it is for, and the check that answers what would be right.

    *shape* says how it is entered: seconds, whole, number, share, span, odds, choice, flag, text or other; *low* and
    *high* bound its numbers, *among* are the words of a choice. *group* is the one of GROUPS where a page shows it.
    """

    name: str
    default: Any
    doc: str
    check: Callable[[Any], str | None]
    shape: str = "other"
    low: float | None = None
    high: float | None = None
    among: tuple[str, ...] = ()
    group: str = ""

    @property
    def is_time(self) -> bool:
        """Whether it is a time in seconds."""
        return self.shape == "seconds"


def is_number(value: object) -> bool:
    """Whether *value* is a finite number, and not a truth value."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and isfinite(value))


def seconds(name: str, default: float, low: float, high: float, doc: str) -> Setting:
    """A time in seconds, kept to the microsecond."""

    def check(value: Any) -> str | None:
        fits = is_number(value) and low <= value <= high
        return None if fits else f"seconds from {low:g} to {high:g}, like {default:g}"

    return Setting(name, default, doc, check, "seconds", low, high)


def whole(name: str, default: int, low: int, high: int, doc: str) -> Setting:
    """A whole number."""

    def check(value: Any) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if fits else f"a whole number from {low} to {high}, like {default}"

    return Setting(name, default, doc, check, "whole", low, high)


def number(name: str, default: float, low: float, high: float, doc: str) -> Setting:
    """A number."""

    def check(value: Any) -> str | None:
        fits = is_number(value) and low <= value <= high
        return None if fits else f"a number from {low:g} to {high:g}, like {default:g}"

    return Setting(name, default, doc, check, "number", low, high)


def share(name: str, default: float, low: float, doc: str) -> Setting:
    """A part of a whole: from *low* to 1, which is all of it."""
    return number(name, default, low, 1, doc)._replace(shape="share")


def span(name: str, default: list[float], low: float, high: float, doc: str, *, whole_numbers: bool = True) -> Setting:
    """The lowest and the highest value of a draw."""
    kind = "whole numbers" if whole_numbers else "seconds"

    def check(value: Any) -> str | None:
        fits = (
            isinstance(value, list)
            and len(value) == 2
            and all(is_number(v) and low <= v <= high and (not whole_numbers or isinstance(v, int)) for v in value)
            and value[0] <= value[1]
        )
        return None if fits else f"two {kind} from {low:g} to {high:g}, the lower first, like {default}"

    return Setting(name, default, doc, check, "span", low, high)


def odds(name: str, default: list[float], doc: str) -> Setting:
    """How often each of several things comes, on any scale."""

    def check(value: Any) -> str | None:
        count = len(default)
        fits = (
            isinstance(value, list)
            and len(value) == count
            and all(is_number(v) and 0 <= v <= 1_000_000 for v in value)
            and any(value)
        )
        return None if fits else f"{count} numbers from 0 to 1000000, not all of them 0, like {default}"

    return Setting(name, default, doc, check, "odds", 0, 1_000_000)


def choice(name: str, default: str, among: tuple[str, ...], doc: str) -> Setting:
    """One of several words."""

    def check(value: Any) -> str | None:
        return None if value in among else f"one of {', '.join(among)}"

    return Setting(name, default, doc, check, "choice", among=among)


def flag(name: str, default: bool, doc: str) -> Setting:
    """Whether something is so."""

    def check(value: Any) -> str | None:
        return None if isinstance(value, bool) else "true or false"

    return Setting(name, default, doc, check, "flag")


def text(name: str, default: str, doc: str) -> Setting:
    """A text that is not empty."""

    def check(value: Any) -> str | None:
        return None if isinstance(value, str) and value else f'a text, like "{default}"'

    return Setting(name, default, doc, check, "text")


def grouped(group: str, *own: Setting) -> tuple[Setting, ...]:
    """The settings of *own* as members of a group."""
    return tuple(setting._replace(group=group) for setting in own)


COMMON = (
    *grouped(
        "inputs",
        seconds("debounce", 0.03, 0.001, 0.5, "How long a contact must stay open before a release counts."),
        seconds("stuck_after", 10, 0.1, 86_400, "A pad held longer than this is stuck and left out of the game."),
    ),
    *grouped(
        "times",
        seconds("sleep_after", 120, 0.1, 86_400, "How long nothing happens before the unit falls asleep."),
    ),
    *grouped(
        "light",
        whole("volume", 3, 0, 5, "The volume of a new unit; 0 is silent."),
        share("brightness", 1.0, 0.05, "How much of their light the strip and the display give; 1 is all of it."),
        flag("colour_patterns", False, "Whether each colour has a pattern of its own, for eyes that see few colours."),
    ),
)

BOARD = (
    choice("gpio", "lgpio", ("lgpio", "rpigpio"), "Which library reads the lines; rpigpio only for old kernels."),
    whole("gpiochip", -1, -1, 99, "The number of the GPIO chip; -1 finds it by its name."),
    text("calibration", "pads.toml", "The file that `pilelight calibrate` wrote for pressure pads."),
)
"""Settings of a real board, section `[board]`."""


MOST_NAMED = 50  # problems


def settings(sections: Mapping[str, Iterable[Setting]], given: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> Values:
    """Return all settings of *sections*, those *given* over the defaults; later ones win.

    *given* are pairs of where it is written (for messages) and values by section. Raises SettingsError with every
    problem: unknown section or name (with the nearest one), wrong kind, out of range. Of very many it names the first.
    """
    known = {section: {s.name: s for s in own} for section, own in sections.items()}
    values: Values = {section: {s.name: s.default for s in own.values()} for section, own in known.items()}
    problems: list[str] = []
    for where, table in given:
        for section, entries in table.items():
            if section not in known:
                problems.append(f"{where}: unknown section [{_name(section)}]{_nearest(section, known)}")
            elif not isinstance(entries, Mapping):
                problems.append(f"{where}: [{section}] must be a section with settings, not {_say(entries)}")
            else:
                for name, value in entries.items():
                    setting = known[section].get(name)
                    if setting is None:
                        near = _nearest(name, known[section])
                        problems.append(f"{where}: unknown setting {section}.{_name(name)}{near}")
                    elif wanted := setting.check(value):
                        problems.append(f"{where}: {section}.{name} = {_say(value)}: must be {wanted}")
                    else:
                        values[section][name] = value
                    if len(problems) > MOST_NAMED:
                        break
            if len(problems) > MOST_NAMED:  # no settings at all: to look for the nearest names would take long
                problems[MOST_NAMED:] = ["and so on: it is full of mistakes"]
                break
    if problems:
        raise SettingsError("\n".join(problems))
    return values


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(word, names, 1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(names)}"


def _say(value: object) -> str:
    import json

    try:
        text = json.dumps(value, default=str)
    except (ValueError, RecursionError):  # thousands of digits or of brackets
        text = "a value without end"
    return text if len(text) <= 60 else text[:59] + "…"


def _name(text: str) -> str:
    """A name as somebody wrote it, on one line and not without end."""
    return text if text.isprintable() and len(text) <= 60 else _say(text)


def from_text(assignment: str) -> tuple[str, Values]:
    """Read `section.key=value` (value in JSON) as given on a command line. SettingsError says what would be right."""
    import json

    name, equals, value = assignment.partition("=")
    section, dot, key = name.strip().partition(".")
    where = f"--set {_name(assignment)}"
    if not (equals and dot and section and key):
        raise SettingsError(f"{where}: must be section.key=value, like triple_play.turn_seconds=6")
    try:
        return where, {section: {key: json.loads(value)}}
    except (ValueError, RecursionError):
        raise SettingsError(f"{where}: the value must be JSON, like 6, [4, 8] or \"text\"") from None


LONGEST_FILE = 1_000_000  # bytes


def from_file(path: str) -> tuple[str, Values]:
    """Read a TOML file. SettingsError says what cannot be read and where."""
    import tomllib

    try:
        with open(path, "rb") as file:
            content = file.read(LONGEST_FILE + 1)
        if len(content) > LONGEST_FILE:
            raise SettingsError(f"{path}: too long for settings: more than {LONGEST_FILE} bytes")
        return path, tomllib.loads(content.decode("utf-8-sig"))
    except OSError as why:
        raise SettingsError(f"{path}: cannot be read: {why.strerror}") from None
    except SettingsError:
        raise
    except (ValueError, RecursionError) as why:  # not UTF-8, not TOML, or a number of thousands of digits
        raise SettingsError(f"{path}: not TOML: {why}") from None


def to_toml(values: Mapping[str, Mapping[str, Any]], sections: Mapping[str, Iterable[Setting]]) -> str:
    """The settings of *sections* as a TOML file that `from_file` reads back, each with what it is for."""
    lines = []
    for section, own in sections.items():
        lines.append(f"[{section}]")
        for setting in own:
            lines += [f"# {setting.doc}", f"{setting.name} = {_toml(values[section][setting.name])}"]
        lines.append("")
    return "\n".join(lines)


def values_to_toml(values: Mapping[str, Mapping[str, Any]]) -> str:
    """*values* by section and name as a TOML file that `from_file` reads back."""
    tables = ([f"[{section}]", *(f"{name} = {_toml(value)}" for name, value in own.items()), ""]
              for section, own in values.items())
    return "\n".join(line for table in tables for line in table)


def _toml(value: Any) -> str:
    import json

    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def in_us(settings_of_section: Iterable[Setting], values: Mapping[str, Any]) -> dict[str, int]:
    """The times among the settings, by name, in microseconds."""
    return {s.name: round(values[s.name] * SECOND) for s in settings_of_section if s.is_time}
