"""`python -m firmware` is the command line."""

import sys

from firmware.start import main

sys.exit(main())
