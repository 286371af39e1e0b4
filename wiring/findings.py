"""What is wrong in a wiring file, in words: one shape for what the loader refuses and what the checks find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Finding(NamedTuple):
    """One mistake: where it is written, what is wrong with it, and what would be right."""

    file: str
    where: str
    reason: str
    cure: str

    def __str__(self) -> str:
        """The line a maker reads: `file: [section] key = value: reason; cure`."""
        place = f"{self.file}: {self.where}: " if self.where else f"{self.file}: "
        return f"{place}{self.reason}; {self.cure}"


class WiringError(ValueError):
    """A wiring file cannot be used; `findings` has every reason, and the text is one line for each."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(map(str, self.findings)))


class UnknownName(WiringError):
    """There is no unit or board of the name that was asked for."""
