"""`python -m firmware` is the command line."""

import sys

from firmware.cli import main

sys.exit(main())
