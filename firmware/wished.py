"""Settings that were made on a page, kept beside the round over a switch-off and a pulled plug.

A TOML file for each unit, with only what differs from the settings that it would have without it. Of a setting that
stands in the settings file, too, the newer one counts: who spoke last is meant. What the command line says always
counts. Nothing of it may keep a unit from starting: what cannot be used is set aside, and said.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from firmware.settings import Setting, SettingsError, Values, from_file, settings, values_to_toml

HEAD = """\
# Settings that were made on the page of the unit. They count until the settings file says something newer about the
# same; without this file they are forgotten.
"""


class Wished:
    """The settings of *unit* that were made on pages, in *directory*. None: they are not kept."""

    def __init__(self, directory: str | None, unit: str) -> None:
        self._path = None if directory is None else Path(directory, f"{unit}.settings.toml")

    def over(
        self, values: Values, sections: Mapping[str, Iterable[Setting]], config: str | None = None,
        fixed: Collection[str] = (), fits: Callable[[Values], object] = lambda values: None,
    ) -> Values:
        """*values* with what was made on a page in their place, except for *fixed* ones (`section.name`).

        *config* is the settings file that *values* are from. *fits* raises SettingsError for settings that the unit
        cannot have for other reasons than their own.
        """
        if self._path is None or not os.path.lexists(self._path):
            return values
        try:
            if not os.path.isfile(self._path):  # a pipe would never come to its end
                raise SettingsError(f"{self._path}: is no regular file")
            where, made = from_file(str(self._path))
            settings(sections, [(where, made)])
            said = {*fixed, *self._newer_names(config)}
            kept = {
                section: {name: value for name, value in own.items() if f"{section}.{name}" not in said}
                for section, own in made.items()
            }
            both = settings(sections, [("settings in force", values), (where, kept)])
            fits(both)
        except SettingsError as why:
            self._set_aside(str(why))
            return values
        return both

    def keep(self, values: Values, without: Values) -> None:
        """Have those of *values* on the disk that differ from the ones *without* a page; say so where that fails."""
        if self._path is None:
            return
        made = {
            section: differing
            for section, own in values.items()
            if (differing := {name: value for name, value in own.items() if value != without[section][name]})
        }
        try:
            if made:
                _replace(self._path, HEAD + values_to_toml(made))
            else:
                self._path.unlink(missing_ok=True)
        except OSError as why:
            print(f"{self._path}: the settings are not kept: {why.strerror}", file=sys.stderr)

    def _set_aside(self, why: str) -> None:
        assert self._path is not None
        aside = self._path.with_suffix(".damaged")
        print(f"{why}\n{self._path}: not used; kept as {aside.name}", file=sys.stderr)
        with suppress(OSError):
            self._path.replace(aside)

    def _newer_names(self, config: str | None) -> list[str]:
        """The settings that the file *config* has, if it is newer than what was made on a page.

        None of one that cannot be read any more: what is wrong there is no fault of what was made on a page.
        """
        assert self._path is not None
        try:
            if config is None or os.stat(config).st_mtime_ns <= self._path.stat().st_mtime_ns:
                return []
            tables: dict[str, object] = {**from_file(config)[1]} if os.path.isfile(config) else {}
        except (OSError, SettingsError):
            return []
        return [f"{section}.{name}" for section, own in tables.items() if isinstance(own, dict) for name in own]


def _replace(path: Path, text: str) -> None:
    """Write a file anew, whole or not at all, and have it on the disk."""
    fresh = path.with_suffix(".new")
    with open(fresh, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
