"""The committed sheets: drawing, pin table and parts list of every unit for two boards, and an index."""

from __future__ import annotations

from pathlib import Path

from wiring.bom import bom, bom_csv
from wiring.draw import draw
from wiring.load import load_board, load_unit, unit_names
from wiring.table import aligned, table

BOARDS = ("rpi-zero-2w", "rpi5")
INDEX = "README.md"


def sheets() -> dict[str, str]:
    """Return the content of every sheet by its file name."""
    files: dict[str, str] = {}
    rows = [["Unit", *(load_board(board).title for board in BOARDS)]]
    for name in unit_names():
        unit = load_unit(name)
        row = [unit.title]
        for board in map(load_board, BOARDS):
            stem = f"{name}-{board.name}"
            files[f"{stem}.svg"] = draw(unit, board)
            files[f"{stem}-pins.md"] = table(unit, board)
            files[f"{stem}-parts.md"] = bom(unit, board)
            files[f"{stem}-parts.csv"] = bom_csv(unit, board)
            row.append(
                f"[drawing]({stem}.svg), [pins]({stem}-pins.md), [parts]({stem}-parts.md) ([CSV]({stem}-parts.csv))"
            )
        rows.append(row)
    files[INDEX] = "\n".join([*_INDEX_HEAD, *aligned(rows), *_INDEX_FOOT]) + "\n"
    return files


def differing(folder: Path) -> list[str]:
    """Return a line for each file in *folder* that is not what the wiring files say; none if all are up to date."""
    wanted = sheets()
    lines: list[str] = []
    for name in sorted(wanted):
        path = folder / name
        if not path.is_file():
            lines.append(f"{path}: is missing")
        elif path.read_bytes() != wanted[name].encode():
            lines.append(f"{path}: is stale")
    if folder.is_dir():
        lines += [f"{path}: belongs to no unit" for path in sorted(folder.iterdir()) if path.name not in wanted]
    return lines


def write(folder: Path) -> int:
    """Write every sheet into *folder* and return how many there are. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sheets()
    for name, content in wanted.items():
        (folder / name).write_bytes(content.encode())
    return len(wanted)


_INDEX_HEAD = [
    "# Wiring",
    "",
    "Print the drawing, tick off the pin table while you wire. Everything here is made from `wiring/units/*.toml` and",
    "`wiring/boards/*.toml` by `pilelight wiring sheets`; a test fails when it is stale. For another board or your own",
    "wiring file: `pilelight wiring check|draw|table|bom UNIT --board BOARD`.",
    "",
    "The program has checked these wirings against what the boards' pins can do. Nobody has built one on a real",
    "Raspberry Pi yet: measure the supply before you connect it, and tell us what you find.",
    "",
]
_INDEX_FOOT = [
    "",
    "## Rules that the drawings follow",
    "",
    "- The supply's ground meets the board's ground. Without that wire the strip hears nothing.",
    "- A GPIO bears 3.3 V. Whatever speaks to one runs at 3.3 V; the strip's data goes through a 74AHCT125.",
    "- 470 Ω in the strip's data line and 1000 µF across its supply protect the first LED.",
    "- The strip sits on GPIO10, which needs no root and works on every board; SPI0 has no other user then.",
    "- Switch everything off before you change a wire.",
]
