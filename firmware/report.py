"""`pilelight report`: one file for a bug report, with what a maintainer asks for first, and without secrets.

It is a zip of plain texts, so that a maker can look at all of it before attaching it, and a record stays one that can
be replayed. What could not be had is said in `report.txt`; the report itself never fails for it.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

from firmware import __version__
from firmware.doctor import STATE, admit, as_data, as_text, examine, unit_wiring
from firmware.doctor_place import Place, this_place
from firmware.selftest_results import SELFTEST
from firmware.settings import SettingsError, from_file
from wiring.model import UnitWiring

SETTINGS = ("etc/pilelight/*.toml", "var/lib/pilelight/*.settings.toml")
LOG_LINES = 500
LOG_PATIENCE_S = 20
LARGEST_RECORD = 50_000_000
MASK = "(left out)"
SECRET = r"(?:password|passphrase|passwd|secret|token|psk|api[_-]?key)"
SECRET_KEY = re.compile(rf"(?:.*[_-])?{SECRET}(?:[_-].*)?|(?:owner_|table_)?pin", re.IGNORECASE)
BLOCK = r"(?:[█▀▄]|\\u25(?:88|80|84))"  # a printed code, which has the token in it, is rows of these
SECRET_TEXT = (
    (re.compile(rf"(?i)(\b[\w-]*{SECRET}[\w-]*['\"]?\s*[=:]\s*)(?:\"[^\"]*\"|'[^']*'|[^\s,;]+)"), rf"\1{MASK}"),
    (re.compile(r"(\bPIN: )\d+"), rf"\1{MASK}"),
    (re.compile(r"(?i)(\bauthorization:\s*)\S.*"), rf"\1{MASK}"),
    (re.compile(r"(://)[^/\s@]+@"), rf"\1{MASK}@"),
    (re.compile(rf"{BLOCK}(?:{BLOCK}| ){{19,}}"), MASK),
)
"""What a secret is called in settings, and what it looks like in a log. A pin of the header is none: `ground_pin`."""


def report(options: argparse.Namespace) -> int:
    """Write the report and say where; 0 written, 2 it cannot be. SettingsError for a unit that is none."""
    now = datetime.now(UTC)
    output = Path(options.output or f"pilelight-report-{now:%Y%m%d-%H%M%S}.zip")
    pages = collect(this_place(), unit_wiring(options.unit), options, now)
    try:
        write(output, pages)
    except OSError as why:
        print(f"--output {output}: cannot be written: {why.strerror}", file=sys.stderr)
        return 2
    print(f"written to {output}: {', '.join(pages)}")
    print("It is a zip of plain texts; look at them before you attach it to a bug report.")
    return 0


def write(output: Path, pages: Mapping[str, str]) -> None:
    """Write the zip, whole or not at all. Raises OSError."""
    fresh = output.with_name(output.name + ".new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in pages.items():
                file.writestr(name, text)
        fresh.replace(output)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def journal(lines: int = LOG_LINES) -> str:
    """The last *lines* that the services wrote. Raises OSError where there is no journal."""
    command = ["journalctl", "--unit", "pilelight@*", "--lines", str(lines), "--no-pager", "--output", "short-iso"]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace", timeout=LOG_PATIENCE_S
        )
    except subprocess.TimeoutExpired as why:
        raise TimeoutError(None, f"no answer in {LOG_PATIENCE_S} s", "journalctl") from why
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0]
        raise OSError(None, said or f"exit status {done.returncode}", "journalctl")
    return done.stdout


def collect(
    place: Place, unit: UnitWiring | None, options: argparse.Namespace, now: datetime,
    read_journal: Callable[[], str] = journal, home: Path | None = None,
) -> dict[str, str]:
    """Return the report's texts by name, `report.txt` first. *options* are those of the command line."""
    notes: list[str] = []
    lines = examine(admit(place, unit, options.state))
    pages = {"doctor.json": json.dumps(as_data(options.unit, lines), indent=2, ensure_ascii=False)}
    pages["versions.txt"] = "".join(f"{each}\n" for each in _versions())
    pages["settings.json"] = json.dumps(_settings(place, options.config, options.state), indent=2, ensure_ascii=False)
    if (log := _log(options.log, read_journal, notes)) is not None:
        pages["log.txt"] = without_secrets(log)
    pages.update(_selftests(place, options.state))
    if options.record is not None and (record := _record(Path(options.record), notes)) is not None:
        pages["record.jsonl"] = record
    head = [
        f"pilelight {__version__}, {now:%Y-%m-%d %H:%M} UTC",
        f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}",
        f"unit: {options.unit or 'not named'}",
        *(f"not in here: {note}" for note in notes),
        "",
    ]
    told = "\n".join([*head, *as_text(lines)]) + "\n"
    return {name: _homeless(text, home or Path.home()) for name, text in {"report.txt": told, **pages}.items()}


def _versions() -> Iterator[str]:
    """Every distribution that is installed beside us; one whose metadata is damaged is left out."""
    found = {(each.metadata["Name"] or "", each.version) for each in distributions()}
    yield from (f"{name} {version}" for name, version in sorted(found, key=lambda pair: pair[0].lower()) if name)


def _settings(place: Place, config: str | None, state: str | None) -> dict[str, object]:
    """The settings of the service, those made on its page or kept in *state*, and of `--config`: by file, or why one
    cannot be read.
    """
    files = {str(path.relative_to(place.root)): path for pattern in SETTINGS for path in place.find(pattern)}
    if state is not None:
        files.update((str(path), path) for path in sorted(Path(state).glob("*.settings.toml")))
    if config is not None:
        files[config] = Path(config)
    told: dict[str, object] = {}
    for name, path in files.items():
        try:
            told[name] = masked(from_file(str(path))[1])
        except SettingsError as why:
            told[name] = f"not readable: {str(why).removeprefix(f'{path}: ')}"
    return told


def masked(value: object, key: str = "") -> object:
    """Return *value* with everything left out that stands under a secret's name."""
    if SECRET_KEY.fullmatch(key.lower()):
        return MASK
    if isinstance(value, Mapping):
        return {name: masked(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


def _selftests(place: Place, state: str | None) -> dict[str, str]:
    """What the self-tests of safe mode found last, with the time of each."""
    found = [*place.find(f"{STATE}/*{SELFTEST}")] if state is None else sorted(Path(state).glob(f"*{SELFTEST}"))
    told = {}
    for path in found:
        try:
            when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as why:
            told[path.name + ".txt"] = f"not readable: {why.strerror}\n"
        else:
            told[path.name + ".txt"] = f"{when:%Y-%m-%d %H:%M} UTC by the clock of the board\n{text}"
    return told


def _log(file: str | None, read_journal: Callable[[], str], notes: list[str]) -> str | None:
    try:
        text = read_journal() if file is None else Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as why:
        notes.append(f"the log ({why.filename or file}: {why.strerror or why})")
        return None
    last = text.splitlines()[-LOG_LINES:]
    if not [line for line in last if line != "-- No entries --"]:
        notes.append("the log: the service has written none")
        return None
    return "\n".join(last) + "\n"


def _record(file: Path, notes: list[str]) -> str | None:
    """The record, unchanged but for secrets among its settings: it can be replayed."""
    try:
        if (size := file.stat().st_size) > LARGEST_RECORD:
            notes.append(f"the record ({file}: {size / 1e6:.0f} MB; attach it yourself)")
            return None
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as why:
        notes.append(f"the record ({file}: {why.strerror})")
        return None
    first, newline, rest = text.partition("\n")
    try:
        header = json.loads(first)
    except (ValueError, RecursionError):
        return without_secrets(text)  # no record of ours: whatever it is, it is shown as a log is
    told = masked(header)
    return text if told == header else json.dumps(told) + newline + rest


def without_secrets(text: str) -> str:
    """Leave out what looks like a secret in free text."""
    for pattern, instead in SECRET_TEXT:
        text = pattern.sub(instead, text)
    return text


def _homeless(text: str, home: Path) -> str:
    """Do not tell whose home it was."""
    return text if home == Path(home.anchor) else text.replace(str(home), "~")
