"""Reads one TOML table key by key and collects everything that is wrong with it.

Each key is asked for once, with what is allowed and an example. What is missing or wrong becomes a `Finding` and a
stand-in is handed back, so that reading goes on and one run names all mistakes; what nobody asked for is unknown.
The stand-ins never get out: whoever reads raises `WiringError` if anything was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar, cast

from wiring.findings import Finding

LONGEST_SHOWN = 40
_Choice = TypeVar("_Choice", bound=str)
_MISSING = object()


def toml(value: object, *, base: int = 10) -> str:
    """Return *value* as it would stand in a TOML file, cut to `LONGEST_SHOWN` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int):
        text = hex(value) if base == 16 else f"{value:.6g}" if abs(value) > 10**12 else str(value)
    elif isinstance(value, str):
        text = '"' + value.encode("unicode_escape").decode().replace('"', '\\"') + '"'
    elif isinstance(value, list):
        text = "[" + ", ".join(toml(each) for each in value[:LONGEST_SHOWN]) + "]"
    elif isinstance(value, dict):
        text = "{…}" if value else "{}"
    else:
        text = str(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _base(key: str) -> int:
    """Return the base in which people write the number at *key*."""
    return 16 if key == "address" else 10


def meant(word: str, known: Sequence[str]) -> str:
    """Return the cure for an unknown *word*: the nearest of *known* if one is near, else all of them."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"


class Table:
    """One table of a file. *header* is its `[section]`, *prefix* the dotted way from there (`go.`)."""

    def __init__(
        self, found: list[Finding], file: str, values: dict[str, object], header: str = "", prefix: str = ""
    ) -> None:
        self._found = found
        self._file = file
        self._values = values
        self._header = header
        self._prefix = prefix
        self._asked: list[str] = []
        self._wrong: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def where(self, key: str = "") -> str:
        """Return the place of *key* and its value, as a maker finds it in the file."""
        parts = [f"[{self._header}]"] if self._header else []
        if key:
            value = self._values.get(key, _MISSING)
            shown = "" if value is _MISSING else f" = {toml(value, base=_base(key))}"
            parts.append(f"{self._prefix}{printable(key)}{shown}")
        elif self._prefix:
            parts.append(self._prefix.rstrip("."))
        return " ".join(parts)

    def wrong(self, key: str, reason: str, cure: str) -> None:
        """Write down that *key* cannot be used."""
        self._wrong.add(key)
        self._found.append(Finding(self._file, self.where(key), reason, cure))

    def sound(self, *keys: str) -> bool:
        """Tell whether nothing was wrong with *keys*, so that it makes sense to compare them."""
        return self._wrong.isdisjoint(keys)

    def _take(self, key: str, example: str, default: object) -> object:
        self._asked.append(key)
        value = self._values.get(key, default)
        if value is _MISSING:
            self.wrong(key, "is missing", f"write {key} = {example}")
        return value

    def integer(self, key: str, low: int, high: int, *, default: int | None = None, example: int | None = None) -> int:
        """Return the whole number at *key*, *low* to *high* inclusive. Without a *default* it must be there."""
        stand_in = low if default is None else default
        shown = toml(low if example is None else example, base=_base(key))
        value = self._take(key, shown, _MISSING if default is None else default)
        if value is _MISSING:
            return stand_in
        right = f"write a number from {toml(low, base=_base(key))} to {toml(high, base=_base(key))}"
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong(key, "is not a whole number", right)
            return stand_in
        if not low <= value <= high:
            self.wrong(key, "is out of range", right)
            return stand_in
        return value

    def integer_or_none(self, key: str, low: int, high: int) -> int | None:
        """Return the whole number at *key*, or None if the file says nothing."""
        if key in self._values:
            return self.integer(key, low, high)
        self._asked.append(key)
        return None

    def number(self, key: str, low: float, high: float, *, example: float) -> float:
        """Return the number at *key*, whole or not, *low* to *high* inclusive. It must be there."""
        value = self._take(key, f"{example:g}", _MISSING)
        if value is _MISSING:
            return low
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(key, "is not a number", f"write a number from {low:g} to {high:g}")
            return low
        if not low <= value <= high:  # also true for nan
            self.wrong(key, "is out of range", f"write a number from {low:g} to {high:g}")
            return low
        return value

    def choice(self, key: str, choices: Sequence[_Choice], *, default: _Choice | None = None) -> _Choice:
        """Return the word at *key*, one of *choices*."""
        stand_in = choices[0] if default is None else default
        value = self._take(key, f'"{choices[0]}"', _MISSING if default is None else default)
        if value is _MISSING:
            return stand_in
        if value not in choices:
            cure = meant(value, choices) if isinstance(value, str) else f"known here: {', '.join(choices)}"
            self.wrong(key, "is unknown", cure)
            return stand_in
        return cast("_Choice", value)

    def text(self, key: str, example: str, *, longest: int = 60) -> str:
        """Return the text at *key*: printable, not empty, on one line."""
        value = self._take(key, f'"{example}"', _MISSING)
        if value is _MISSING:
            return example
        if not isinstance(value, str) or not 1 <= len(value) <= longest or not value.isprintable():
            self.wrong(key, "is not a line of text", f'write 1 to {longest} printable characters, such as "{example}"')
            return example
        return value

    def text_or_none(self, key: str, example: str, *, longest: int = 60) -> str | None:
        """Return the text at *key*, or None if the file says nothing."""
        if key in self._values:
            return self.text(key, example, longest=longest)
        self._asked.append(key)
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts at *key*; an absent key is an empty list."""
        value = self._take(key, '["…"]', [])
        if isinstance(value, list) and all(isinstance(each, str) and each.isprintable() for each in value):
            return tuple(value)
        self.wrong(key, "is not a list of texts", 'write a list such as ["SPI0 MOSI", "PIO"]')
        return ()

    def integers(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """Return the list of different whole numbers at *key*, at least one, each *low* to *high*."""
        value = self._take(key, "[0, 1, 2]", _MISSING)
        if value is _MISSING:
            return ()
        whole = isinstance(value, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in value)
        if not isinstance(value, list) or not whole or not value:
            self.wrong(key, "is not a list of whole numbers", "write a list such as [0, 1, 2]")
            return ()
        if any(not low <= each <= high for each in value):
            self.wrong(key, "has a number out of range", f"write numbers from {low} to {high}")
            return ()
        if len(set(value)) != len(value):
            self.wrong(key, "names a number twice", "write each once")
            return ()
        return tuple(value)

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        """Return true or false at *key*."""
        value = self._take(key, "false", _MISSING if default is None else default)
        if value is _MISSING:
            return False
        if not isinstance(value, bool):
            self.wrong(key, "is neither true nor false", "write true or false, without quotes")
            return False
        return value

    def section(self, key: str) -> Table | None:
        """Return the section `[key]` of the file, or None if there is none."""
        header = f"{self._header}.{key}" if self._header else key
        return self._inner(key, header, "")

    def entries(self, key: str, example: str) -> Iterator[tuple[str, Table]]:
        """Give name and table of each entry of the section `[key]`, in the order of the file; none if it is absent."""
        section = self.section(key)
        if section is None:
            return
        for name in section._values:
            if not is_name(name):
                section.wrong(name, "is not a name", f"write small letters, digits and dashes, such as {example}")
                continue
            entry = section._inner(name, section._header, f"{name}.")
            if entry is not None:
                yield name, entry

    def pairs(self, key: str, low: int, high: int, *, example: str) -> dict[str, int]:
        """Return the table of names and whole numbers at *key*; an absent key is an empty table."""
        inner = self._inner(key, self._header, f"{self._prefix}{key}.")
        if inner is None:
            return {}
        pairs = {name: inner.integer(name, low, high) for name in inner._values}
        if not pairs or not all(map(is_name, pairs)):
            self.wrong(key, "is not a table of names and numbers", f"write {key} = {example}")
            return {}
        return pairs

    def _inner(self, key: str, header: str, prefix: str) -> Table | None:
        self._asked.append(key)
        value = self._values.get(key, _MISSING)
        if value is _MISSING:
            return None
        if not isinstance(value, dict):
            self.wrong(key, "is not a table", f"write a table, such as [{key}] or {key} = {{ … }}")
            return None
        return Table(self._found, self._file, value, header, prefix)

    def finish(self) -> None:
        """Write down every key that nobody asked for."""
        for key in self._values:
            if key not in self._asked:
                self.wrong(key, "is unknown", meant(key, sorted(set(self._asked))))


def is_name(word: str) -> bool:
    """Tell whether *word* can name a part: up to 20 small letters, digits and dashes."""
    return 1 <= len(word) <= 20 and all(letter in "abcdefghijklmnopqrstuvwxyz0123456789-" for letter in word)


def printable(word: str, longest: int = LONGEST_SHOWN) -> str:
    """Return *word* on one line, with everything that a terminal might act on escaped, and cut to *longest*."""
    shown = word if word.isprintable() else word.encode("unicode_escape").decode()
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
