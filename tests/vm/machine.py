"""A virtual machine (qemu, no hardware virtualisation) with the unit in it: started, asked, paused, cut off."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

UNIT = "/sys/kernel/debug/unit"
SERVICE = "pilelight@triple-play"
STATE = "/var/lib/pilelight"
SMALL_DISK = "/dev/vdb"         # 4 MB, with an empty file system


class Machine:
    """The machine of *rig* (what build.sh made), running on *disk*.

    `with Machine(rig, folder) as machine:` boots it from the rig's own image, which stays as it is; a *disk* given is
    written to. *closed* are the GPIOs whose contacts are closed while it boots.
    """

    def __init__(self, rig: Path, folder: Path, disk: Path | None = None, closed: tuple[int, ...] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        port = folder / "agent"
        port.unlink(missing_ok=True)
        words = ["console=ttyS0", "loglevel=4", "mitigations=off", "tsc=unstable",
                 "systemd.show_status=0", "quiet", "noautogroup"]      # else a nice process has as much as the others
        if closed:
            words.append("closed=" + ",".join(map(str, closed)))
        drive = f"file={disk or rig / 'root.img'},format=raw,if=none,id=disk,cache=writeback"
        with (folder / "qemu").open("wb") as log:
            self._qemu = subprocess.Popen(
                [
                    "qemu-system-x86_64", "-accel", "tcg", "-machine", "pc", "-cpu", "max", "-smp", "1", "-m", "512",
                    "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                    "-kernel", str(rig / "vmlinuz"), "-initrd", str(rig / "initrd.cpio"), "-append", " ".join(words),
                    "-serial", f"file:{folder / 'console'}",
                    "-drive", drive if disk else drive + ",snapshot=on", "-device", "virtio-blk-pci,drive=disk",
                    "-drive", f"file={rig / 'small.img'},format=raw,if=none,id=small,snapshot=on",
                    "-device", "virtio-blk-pci,drive=small",
                    "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,path={port},server=on,wait=off",
                    "-device", "virtserialport,chardev=agent,name=agent",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self._waiting = b""
        self._line = self._connect(port)
        self.up_us = self._hear(within_s=240)["up"]

    def _connect(self, port: Path) -> socket.socket:
        until = time.monotonic() + 10
        while True:
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(str(port))
            except OSError:
                line.close()
                if time.monotonic() > until or self._qemu.poll() is not None:
                    raise RuntimeError(f"qemu does not start: {(self._folder / 'qemu').read_text()}") from None
                time.sleep(0.02)
            else:
                return line

    # -- asking --------------------------------------------------------------------------------------------------------

    def _hear(self, within_s: float) -> dict[str, Any]:
        until = time.monotonic() + within_s
        while b"\n" not in self._waiting:
            self._line.settimeout(max(0.01, until - time.monotonic()))
            try:
                heard = self._line.recv(1 << 20)
            except TimeoutError:
                raise TimeoutError(f"no answer within {within_s} s; the console: {self.console()[-2000:]}") from None
            if not heard:
                raise EOFError(f"the machine has ended; the console: {self.console()[-2000:]}")
            self._waiting += heard
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, within_s: float = 60, **asked: Any) -> dict[str, Any]:
        """Return the agent's answer (see guest/agent)."""
        self._line.settimeout(within_s)
        self._line.sendall(json.dumps(asked).encode() + b"\n")
        answer = self._hear(within_s + 10)
        assert "failed" not in answer, f"{asked}: {answer['failed']}"
        return answer

    def run(self, command: str, within_s: float = 120, status: int | None = 0) -> str:
        """Return what a shell command says, stripped. Its exit status must be *status*, unless that is None."""
        done = self.ask(within_s, run=command, limit_s=within_s)
        assert status is None or done["status"] == status, f"{command}: {done['status']}: {done['text']}"
        text: str = done["text"]
        return text.strip()

    def read(self, path: str) -> bytes:
        """Return the contents of a file."""
        text: str = self.ask(read=path)["text"]
        return text.encode("latin-1")

    def wait_for(self, command: str, within_s: float = 120) -> str:
        """Return what a shell command says once it succeeds. Asking again and again leaves the rest its processor."""
        until = time.monotonic() + within_s
        while True:
            done = self.ask(within_s, run=command, limit_s=within_s, nice=19)
            if done["status"] == 0:
                text: str = done["text"]
                return text.strip()
            if time.monotonic() > until:
                raise TimeoutError(f"{command} did not succeed within {within_s} s; {self.journal()}")
            time.sleep(0.1)

    def property(self, name: str, service: str = SERVICE) -> str:
        """Return what systemd says of the service."""
        return self.run(f"systemctl show -p {name} --value {service}")

    def journal(self) -> str:
        """Return the log of the service."""
        return self.run(f"journalctl --no-pager -o short-monotonic -n 60 -u {SERVICE}", status=None)

    def console(self) -> str:
        """Return what the machine printed."""
        return (self._folder / "console").read_text(errors="replace")

    # -- power ---------------------------------------------------------------------------------------------------------

    def copy_disk(self, disk: Path, to: Path) -> None:
        """Copy *disk* as a power cut at this moment would leave it: while the machine stands still."""
        self._qemu.send_signal(signal.SIGSTOP)
        try:
            subprocess.run(["cp", "--sparse=always", str(disk), str(to)], check=True)
        finally:
            self._qemu.send_signal(signal.SIGCONT)

    def cut(self) -> None:
        """Pull the plug. May be called twice."""
        self._line.close()
        self._qemu.kill()
        self._qemu.wait(10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()


def mended(disk: Path) -> str:
    """Have a disk's file system put in order, as the next boot would; return what was found the second time."""
    first = subprocess.run(["e2fsck", "-p", str(disk)], capture_output=True, text=True)
    assert first.returncode in {0, 1}, first.stdout + first.stderr
    return subprocess.run(["e2fsck", "-fn", str(disk)], check=True, capture_output=True, text=True).stdout


def file_on(disk: Path, path: str) -> bytes:
    """Return a file's contents from a disk that is not mounted."""
    return subprocess.run(["debugfs", "-R", f"cat {path}", str(disk)], check=True, capture_output=True).stdout


def tell(figure: str) -> None:
    """Show a person what was measured. A worker of pytest-xdist has no standard output."""
    print(f"\n{figure}", file=sys.stderr)


def needs_root_tools() -> None:
    """Say at once what is missing, before minutes have gone."""
    for tool in ("qemu-system-x86_64", "e2fsck", "debugfs"):
        assert shutil.which(tool), f"{tool} is not there; sudo tests/vm/build.sh installs it"
