"""Boards in virtual time: a script of inputs, wake-ups as late as one likes, and a listener that remembers."""

from random import Random

from hal.ports import Unplugged


class ScriptBoard:
    """A board whose inputs come from a script. It wakes up to *late_us* after it should, and tells nobody.

    At *end_us* the plug is pulled. It owns the parts that are given to it.
    """

    name = "script"

    def __init__(self, script, end_us, late_us=0, chance=None, strip=None, display=None, buzzer=None):
        self._script, self._end_us = list(script), end_us
        self._late_us, self._chance = late_us, chance or Random(0)
        self._now_us = 0
        self.waits = 0
        self.strip, self.display, self.buzzer = strip, display, buzzer

    def now_us(self):
        return self._now_us

    def wait(self, until_us):
        self.waits += 1
        first_us = self._script[0].at_us if self._script else self._end_us
        wake_us = min(t for t in (first_us, until_us, self._end_us) if t is not None)
        late_us = self._chance.randrange(self._late_us + 1) if self._late_us else 0
        self._now_us = max(self._now_us, min(wake_us + late_us, self._end_us))
        heard = []
        while self._script and self._script[0].at_us <= self._now_us:
            heard.append(self._script.pop(0))
        if not heard and self._now_us >= self._end_us and (until_us is None or until_us > self._end_us):
            return [Unplugged(self._end_us)]
        return heard

    def close(self):
        pass


class Memoir:
    """A listener that remembers every line."""

    def __init__(self):
        self.lines = []

    def hear(self, moment):
        self.lines += moment.lines
