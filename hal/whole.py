"""Files that are there whole or not at all, also after a pulled plug."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(file: Path, text: str, mode: int = 0o666) -> None:
    """Put *text* in the place of *file*, and have it on the disk when this returns. Raises OSError; the old one stays.

    *mode* is that of the new file, less what the umask forbids. For one writer at a time.
    """
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)  # left by a pulled plug, or a link that leads elsewhere
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as to:
            to.write(text)
            to.flush()
            os.fsync(to.fileno())
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Have the names in *folder* on the disk, too: some file systems keep them for themselves for a while."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
