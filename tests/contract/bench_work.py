"""A worker without a thread: its jobs get their turns on the bench's clock, by the worker's own rules."""

from hal.pi.worker import Worker


class Shift:
    """Some jobs, the clock they run by, and what they told."""

    def __init__(self, clock):
        self.clock = clock
        self.told = []
        self.due_us = {}

    def tell(self, given):
        self.told.append(given)

    def take_told(self):
        told, self.told = self.told, []
        return told

    def hire(self, *jobs):
        self.worker = Worker("bench", jobs, self.clock)
        self.ring()

    def ring(self):
        """Every job gets a turn now, as when somebody rings."""
        for job in self.worker._jobs:
            self.due_us[job] = self.worker._turn(job)

    def work(self, for_us):
        """Let *for_us* pass: each job comes when it is due."""
        until_us = self.clock() + for_us
        while True:
            dues = [(due, number) for number, due in enumerate(self.due_us.values()) if due is not None]
            if not dues or min(dues)[0] > until_us:
                self.clock.us = until_us
                return
            due_us, number = min(dues)
            self.clock.us = max(self.clock.us, due_us)
            job = self.worker._jobs[number]
            self.due_us[job] = self.worker._turn(job)
