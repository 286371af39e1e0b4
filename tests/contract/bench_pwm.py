"""The kernel's PWM on the bench: a sysfs tree with the kernel's own rules, and rpi-hardware-pwm led to it."""

import errno
import io
import os
import types
from pathlib import Path


class BenchPwm:
    """`tree` is /sys/class/pwm. `tones` is what a piezo would hear: (Hz, duty) while enabled with a duty above 0."""

    def __init__(self, tree, device="fe20c000.pwm", chip=0):
        self.tree = tree
        self.heard = []
        self.refuse = False
        node = tree / "devices" / device
        node.mkdir(parents=True)
        self.chip = tree / f"pwmchip{chip}"
        self.chip.mkdir()
        (self.chip / "device").symlink_to(node)
        (self.chip / "export").write_text("")

    def export(self, channel, period=0, duty=0, enable=0):
        pwm = self.chip / f"pwm{channel}"
        pwm.mkdir(exist_ok=True)
        for name, value in (("period", period), ("duty_cycle", duty), ("enable", enable)):
            (pwm / name).write_text(f"{value}\n")
        return pwm

    def write(self, path, text):
        if self.refuse:
            raise OSError(errno.EIO, "Input/output error")
        path = Path(path)
        if path.name == "export":
            self.export(int(text))
            return
        state = {name: int((path.parent / name).read_text()) for name in ("period", "duty_cycle", "enable")}
        state[path.name] = int(text)
        if path.name != "enable" and (not state["period"] or state["duty_cycle"] > state["period"]):
            raise OSError(errno.EINVAL, "Invalid argument")
        path.write_text(text)
        sounds = state["enable"] and state["duty_cycle"]
        self.heard.append((round(1e9 / state["period"]), state["duty_cycle"] / state["period"]) if sounds else None)

    @property
    def tones(self):
        """What was heard, silences as None, each change once."""
        return [tone for before, tone in zip([object(), *self.heard], self.heard, strict=False) if tone != before]

    def lead(self, monkeypatch, library):
        """Make *library* (rpi_hardware_pwm) see this tree where it expects /sys/class/pwm."""
        bench = self

        def inside(path):
            return Path(str(path).replace("/sys/class/pwm", str(bench.tree)))

        class Control(io.StringIO):
            def __init__(self, path, mode):
                super().__init__()
                assert mode == "w"
                self._path = inside(path)

            def close(self):
                if not self.closed:
                    text = self.getvalue()
                    super().close()
                    bench.write(self._path, text)

        paths = types.SimpleNamespace(
            join=os.path.join, isdir=lambda path: inside(path).is_dir(), exists=lambda path: inside(path).exists())
        shim = types.SimpleNamespace(path=paths, access=lambda path, how: inside(path).exists(), W_OK=os.W_OK)
        monkeypatch.setattr(library, "os", shim)
        monkeypatch.setattr(library, "open", Control, raising=False)
