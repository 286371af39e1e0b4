"""What survives a pulled plug: an append-only journal of the round as it stands (C-5).

Each entry is a whole round, so the last whole entry is the state; an entry that was cut off by the plug costs one step,
never the round. An entry is a line: CRC-32 in hex, a blank, a JSON object. See docs/decisions/0014.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from typing import Any, TypeAlias
from zlib import crc32

from hal.whole import sync_folder

VERSION = 1
LONGEST_BYTES = 4 * 1024 * 1024
_BEGIN = re.compile(rb'[0-9a-f]{0,8}\Z|[0-9a-f]{8} (?:\{|\Z)')


class Unreadable(ValueError):
    """A journal that is no journal of ours; the text says why."""


def decode(content: bytes, unit: str) -> Mapping[str, Any] | None:
    """Return the last whole entry of a journal, or None if it has none. Raises Unreadable for anything else.

    What a pulled plug leaves (an entry cut off, or blocks of zeros at the end) is no damage.
    """
    lines = content.split(b"\n")
    tail = lines.pop().rstrip(b"\0")
    if not _BEGIN.match(tail):
        raise Unreadable("it is no journal")
    last = None
    for number, line in enumerate(lines, 1):
        last = _entry(line, number)
    if last is None:
        return None
    if last.get("version") != VERSION:
        raise Unreadable(f"it is of version {last.get('version')}, this is {VERSION}")
    if last.get("unit") != unit:
        raise Unreadable(f"it belongs to {last.get('unit')}")
    volume, saved = last.get("volume"), last.get("round", "")
    if type(volume) is not int or volume not in range(6) or not isinstance(saved, dict | None):
        raise Unreadable("its last entry makes no sense")
    return last


def encode(unit: str, volume: int, saved: Mapping[str, object] | None) -> bytes:
    """An entry of the journal, newline included."""
    entry = json.dumps({"version": VERSION, "unit": unit, "volume": volume, "round": saved}).encode()
    return b"%08x %s\n" % (crc32(entry), entry)


def _entry(line: bytes, number: int) -> Mapping[str, Any]:
    checksum, _, body = line.partition(b" ")
    if checksum != b"%08x" % crc32(body):
        raise Unreadable(f"entry {number} is damaged")
    try:
        entry = json.loads(body)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise Unreadable(f"entry {number} is damaged")
    return entry


Written: TypeAlias = Callable[[int, Callable[[OSError], None]], object]
"""What has a descriptor synced soon, and calls its second argument, from any thread, if that fails."""


class InUse(BlockingIOError):
    """Another program keeps this journal."""


class Memory:
    """The journal of one unit in a state directory."""

    def __init__(self, directory: str, unit: str, written: Written = lambda file, failed: None) -> None:
        """Open the journal. *written* is called after each entry.

        Raises NotADirectoryError when *directory* is a file, InUse while another program has the journal. Any other
        trouble is kept in `fault`: the unit plays on.
        """
        self.path = os.path.join(directory, f"{unit}.state")
        self.saved: Mapping[str, Any] | None = None
        self.volume: int | None = None
        self.damage: str | None = None  # why what was there could not be read
        self.fault: str | None = None  # why nothing can be written now
        self._unit, self._written = unit, written
        self._lost: OSError | None = None  # why entries that were written may not be on the disk
        self._file = -1
        self._last = b""
        self._bytes = 0
        if os.path.exists(directory) and not os.path.isdir(directory):
            raise NotADirectoryError(f"{directory} is a file; give a directory for the state")
        try:
            os.makedirs(directory, exist_ok=True)
            self._hold()
            self._read()
            self._rewrite(self._last)
        except InUse:
            raise
        except OSError as why:
            self.fault = _words(why)

    def _hold(self) -> None:
        """Have the journal alone: two programs that append to it in turn would tear the round apart."""
        while self._file < 0:
            file = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                os.close(file)
                raise OSError(errno.EINVAL, "is no regular file", self.path)
            self._lock(file)
            if os.path.samestat(os.fstat(file), os.stat(self.path)):
                self._file = file
            else:
                os.close(file)  # its owner began it anew meanwhile

    def _lock(self, file: int) -> None:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise InUse(f"{self.path} is in use: another pilelight plays {self._unit} on it") from None

    def _read(self) -> None:
        try:
            with open(self.path, "rb") as file:
                content = file.read(2 * LONGEST_BYTES)
        except FileNotFoundError:
            return
        try:
            entry = decode(content, self._unit)
        except Unreadable as why:
            self.damage = f"{self._set_aside()}: {why}"
            return
        if entry is not None:
            self.saved, self.volume = entry["round"], entry["volume"]
            self._last = encode(self._unit, entry["volume"], self.saved)

    def _set_aside(self) -> str:
        number = 1
        while os.path.exists(aside := f"{self.path}.damaged-{number}"):
            number += 1
        os.rename(self.path, aside)
        return os.path.basename(aside)

    def _rewrite(self, entry: bytes) -> None:
        """Begin the journal anew with *entry*; at no moment is there none."""
        new = f"{self.path}.new"
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            flock(file, LOCK_EX | LOCK_NB)
            if entry:
                _write(file, entry)
                os.fsync(file)
            os.rename(new, self.path)
            sync_folder(os.path.dirname(self.path) or ".")
        except OSError:
            os.close(file)
            raise
        if self._file >= 0:
            os.close(self._file)
        self._file, self._bytes = file, len(entry)

    def keep(self, volume: int, saved: Mapping[str, object] | None) -> None:
        """Append the round as it stands, if it changed. Trouble is kept in `fault` until a write succeeds again."""
        entry = encode(self._unit, volume, saved)
        if self._lost is not None:
            self.fault, self._lost = _words(self._lost), None
        if entry == self._last and self.fault is None:
            return
        try:
            if not (self._may_append(saved) and self._append(entry)):
                self._rewrite(entry)
            self._written(self._file, self._lose)
            self._last, self.fault = entry, None
        except OSError as why:
            self.fault = _words(why)

    def _lose(self, why: OSError) -> None:
        """The journal could not be synced: the next `keep` writes it anew, or has a fault to tell."""
        self._lost = why

    def _may_append(self, saved: Mapping[str, object] | None) -> bool:
        """Whether the journal is sound and short; a long one begins anew between two rounds, when nobody plays."""
        longest = LONGEST_BYTES if saved is not None else LONGEST_BYTES // 64
        return self._file >= 0 and self.fault is None and self._bytes <= longest

    def _append(self, entry: bytes) -> bool:
        """Add an entry; whether that worked. What a full disk took of it is cut off at the next start."""
        try:
            _write(self._file, entry)
        except OSError:
            return False  # a journal of one entry may still find room
        self._bytes += len(entry)
        return True

    def reject(self, why: str) -> None:
        """Set the journal aside: what is in it cannot be used."""
        try:
            self.damage = f"{self._set_aside()}: {why}"
            self._last = b""
            self._rewrite(self._last)
        except OSError as trouble:
            self.fault = _words(trouble)
        self.saved = None

    def close(self) -> None:
        """Sync and close the journal. May be called twice."""
        if self._file >= 0:
            try:
                os.fsync(self._file)
            except OSError as why:
                self.fault = _words(why)
            flock(self._file, LOCK_UN)  # a copy of the descriptor may wait to be synced
            os.close(self._file)
            self._file = -1


def _write(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]


def _words(why: OSError) -> str:
    return f"{why.strerror or why} ({why.filename})" if why.filename else str(why.strerror or why)
