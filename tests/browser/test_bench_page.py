"""What `make bench` measures of a page can be measured; how much it is, is not judged here."""

import subprocess
import sys

from tests.browser.conftest import CHROMIUM

MEASURE = "import sys; from tests.budgets_page import measure; page = measure(sys.argv[1]); print(min(page) > 0)"


def test_a_key_is_seen_as_light_and_the_arrow_turns(browser):
    """In a process of its own, as `make bench`: playwright runs once in each."""
    ran = subprocess.run([sys.executable, "-c", MEASURE, CHROMIUM], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("True\n", 0), ran.stderr
