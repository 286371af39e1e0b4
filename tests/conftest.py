"""What every test stands on: properties are searched without a stopwatch, and the same way each time in CI."""

import os

from hypothesis import settings

settings.register_profile("pilelight", deadline=None, derandomize=os.environ.get("CI") == "true", print_blob=True)
settings.load_profile("pilelight")
