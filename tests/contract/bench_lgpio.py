"""An lgpio on the bench: the calls that gpiozero's LGPIOFactory makes, on lines that a test drives.

What it copies from lgpio 0.2.2 with care: one thread calls back for all lines and dies of the first exception, levels
and nanoseconds come with each report, a claimed line cannot be claimed by another handle, errors are `lgpio.error`.
"""

import queue
import sys
import threading
import types

IN_USE_ELSEWHERE = object()
FLAG_OUT, FLAG_UP, FLAG_DOWN, FLAG_NONE = 1 << 1, 1 << 5, 1 << 6, 1 << 7


class CallbackThread(threading.Thread):
    """lgpio's `_callback_thread`: reports in, callbacks out, no `try`."""

    def __init__(self):
        super().__init__(daemon=True)
        self.reports = queue.Queue()
        self.callbacks = []
        self.start()

    def run(self):
        while True:
            report = self.reports.get()
            try:
                if report is None:
                    return
                chip, gpio, level, tick = report
                for wanted_chip, wanted_gpio, call in list(self.callbacks):
                    if (wanted_chip, wanted_gpio) == (chip, gpio):
                        call(chip, gpio, level, tick)
            except Exception:  # noqa: BLE001  the real one prints a traceback and is dead
                self.dead = True
                return
            finally:
                self.reports.task_done()


class Callback:
    def __init__(self, module, entry):
        self._module, self._entry = module, entry

    def cancel(self):
        callbacks = self._module._notify_thread.callbacks
        if self._entry in callbacks:
            callbacks.remove(self._entry)


class BenchLgpio(types.ModuleType):
    """The module; `drive` is the wire, `now_ns` the kernel's clock."""

    BOTH_EDGES, RISING_EDGE, FALLING_EDGE = 3, 1, 2
    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = FLAG_UP, FLAG_DOWN, FLAG_NONE

    class error(Exception):  # noqa: N801  lgpio's own spelling
        pass

    def __init__(self, clock):
        super().__init__("lgpio")
        self._clock = clock
        self._callback_thread = CallbackThread
        self._notify_thread = CallbackThread()
        self.lines = {}         # gpio: flags
        self.level = {}
        self.alerts = set()
        self.busy = set()
        self.opened = []
        self.pwm = {}

    def gpiochip_open(self, chip):
        self.opened.append(chip)
        return 7

    def gpiochip_close(self, handle):
        self.lines.clear()
        self.alerts.clear()

    def _claim(self, gpio, flags):
        if gpio in self.busy:
            raise self.error("'GPIO busy'")
        self.lines[gpio] = flags
        if flags & FLAG_UP:
            self.level.setdefault(gpio, 1)
        return 0

    def gpio_claim_input(self, handle, gpio, flags=0):
        self.alerts.discard(gpio)
        return self._claim(gpio, flags)

    def gpio_claim_output(self, handle, gpio, level=0):
        self.level[gpio] = level
        return self._claim(gpio, FLAG_OUT)

    def gpio_claim_alert(self, handle, gpio, edges, flags=0):
        assert edges == self.BOTH_EDGES
        self.alerts.add(gpio)
        return self._claim(gpio, flags)

    def gpio_free(self, handle, gpio):
        self.lines.pop(gpio, None)

    def gpio_get_mode(self, handle, gpio):
        return self.lines.get(gpio, 0)

    def gpio_read(self, handle, gpio):
        return self.level.get(gpio, 0)

    def gpio_write(self, handle, gpio, level):
        self.level[gpio] = int(level)

    def gpio_set_debounce_micros(self, handle, gpio, micros):
        assert micros == 0, "lgpio's debounce delays a press by its whole time"

    def tx_pwm(self, handle, gpio, frequency, duty):
        self.pwm[gpio] = (frequency, duty)

    def callback(self, handle, gpio, edge, call):
        entry = (handle, gpio, call)
        self._notify_thread.callbacks.append(entry)
        return Callback(self, entry)

    def drive(self, gpio, high, lost=False):
        """The wire changes; the thread reports it, unless the edge is *lost*. Returns when the callback has run."""
        before = self.gpio_read(7, gpio)
        self.level[gpio] = int(high)
        if before != high and not lost and gpio in self.alerts:
            self.report(gpio, int(high))

    def report(self, gpio, level):
        thread = self._notify_thread
        if thread.is_alive() and not getattr(thread, "dead", False):
            thread.reports.put((7, gpio, level, self._clock() * 1000))
            thread.reports.join()

    def kill_callbacks(self):
        """End the thread as an exception in somebody's callback does."""
        thread = self._notify_thread
        thread.reports.put(None)
        thread.join()


def install(monkeypatch, clock):
    """Put a fresh one in place of lgpio, for one test, and return it."""
    lgpio = BenchLgpio(clock)
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    return lgpio
