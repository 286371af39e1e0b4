"""Settings that were made on a page, kept beside the round over a switch-off and a pulled plug.

A TOML file for each unit, with only what differs from the settings that it would have without it. Of a setting that
stands in the settings file, too, the newer one counts: who spoke last is meant. What the command line says always
counts. Nothing of it may keep a unit from starting: what cannot be used is set aside, and said.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from firmware.settings import Setting, SettingsError, Values, from_file, settings, values_to_toml
from hal.whole import sync_folder, write_whole

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
        cannot have for other reasons than their own; what it says of *values* is passed on, for no page is to blame.
        """
        if self._path is None or not os.path.lexists(self._path):
            return values
        fits(values)
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

    def keep(self, values: Values, without: Values, config: str | None = None) -> None:
        """Have those of *values* on the disk that differ from the ones *without* a page; say so where that fails.

        They are newer than the file *config* is now, whatever the clock of a board says that has been without network.
        """
        if self._path is None:
            return
        made = {
            section: differing
            for section, own in values.items()
            if (differing := {name: value for name, value in own.items() if value != without[section][name]})
        }
        try:
            if made:
                write_whole(self._path, HEAD + values_to_toml(made))
                self._be_no_older_than(config)
            elif self._path.exists():
                self._path.unlink()
                sync_folder(self._path.parent)
        except OSError as why:
            print(f"{self._path}: the settings are not kept: {why.strerror}", file=sys.stderr)

    def _be_no_older_than(self, config: str | None) -> None:
        assert self._path is not None
        if config is not None and os.path.exists(config):
            newest_ns = max(os.stat(file).st_mtime_ns for file in (config, self._path))
            os.utime(self._path, ns=(newest_ns, newest_ns))

    def _set_aside(self, why: str) -> None:
        assert self._path is not None
        aside = self._path.with_suffix(".damaged")
        try:
            self._path.replace(aside)
            print(f"{why}\n{self._path}: not used; kept as {aside.name}", file=sys.stderr)
        except OSError:  # it can stay where it is: it is read again, and not used again
            print(f"{why}\n{self._path}: not used", file=sys.stderr)

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
