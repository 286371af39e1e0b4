"""The comparison of `make bench` on a Pi's board: both sides must show the very same."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMPARE = "from tests import budgets; budgets.BOARD_PRESSES = 5; print(budgets.on_board().what)"


def test_the_turn_timer_and_the_bare_button_show_the_same_frame_digits_and_tone():
    """It raises SystemExit when they do not. In a process of its own: it puts modules of its own under the drivers."""
    ran = subprocess.run(
        [sys.executable, "-c", COMPARE], cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/tests/conformance"},
        capture_output=True, text=True, check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "press to all outputs, drivers on mock pins\n", "")
