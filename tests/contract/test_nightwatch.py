"""Whatever kills the game, its lights go out at once; and as long as it lives, nobody else touches them."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hal.pi.nightwatch import NightWatch

ROOT = Path(__file__).parents[2]
FATAL = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGPIPE, signal.SIGUSR1)

# A game whose buses are files. It reads what to do next from stdin and answers each line.
GAME = """
import fcntl, faulthandler, os, signal, subprocess, sys
from pathlib import Path
from hal.pi.dark import darken
from hal.pi.nightwatch import NightWatch
from wiring.load import load_unit

folder = Path(sys.argv[1])
journal = open(folder / "journal", "w")
fcntl.flock(journal, fcntl.LOCK_EX)
fcntl.ioctl = lambda *given: 0
wiring = load_unit("triple-play")
with NightWatch(lambda: darken(wiring, folder, folder / "class")):
    print("playing", flush=True)
    for line in sys.stdin:
        exec(line)
        print("done", flush=True)
"""


@pytest.fixture
def table(tmp_path):
    """A /dev and a /sys/class/pwm with everything on; a game that is played there, and who watches over it."""
    channel = tmp_path / "devices" / "3f20c000.pwm" / "pwm" / "pwmchip0" / "pwm0"
    channel.mkdir(parents=True)
    (channel / "period").write_text("2272727\n")
    (channel.parent / "device").symlink_to(channel.parents[2])
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "pwmchip0").symlink_to(channel.parent)
    parts = {"strip": tmp_path / "spidev0.0", "display": tmp_path / "i2c-1", "buzzer": channel / "duty_cycle"}
    for part in parts.values():
        part.write_text("on")
    with subprocess.Popen([sys.executable, "-c", GAME, tmp_path], cwd=ROOT, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as game:
        assert game.stdout.readline() == "playing\n"
        [watch] = Path(f"/proc/{game.pid}/task/{game.pid}/children").read_text().split()
        while Path(f"/proc/{watch}/comm").read_text() != "pilelight-watch\n":
            pass  # it is about to stand by

        def do(line):
            game.stdin.write(line + "\n")
            game.stdin.flush()
            return game.stdout.readline()

        def end():
            """What was said until the last of the two processes had gone (each holds stderr)."""
            return game.communicate(timeout=20)[1]

        yield SimpleNamespace(
            game=game, watch=int(watch), do=do, end=end, folder=tmp_path, parts=parts,
            on=lambda: {part for part, file in parts.items() if file.read_bytes().startswith(b"on")},
        )
        game.kill()


def is_dark(table):
    spi = table.parts["strip"].read_bytes()
    return (len(spi) == 64 + 8 * 63 + 64 and set(spi[64:-64]) == {0xC0}
            and table.parts["display"].read_bytes() == bytes(17) + b"\x80"
            and table.parts["buzzer"].read_text() == "0\n")


@pytest.mark.parametrize("number", FATAL, ids=lambda number: number.name)
def test_killed_the_game_leaves_the_dark_behind(table, number):
    """C-21."""
    table.game.send_signal(number)
    assert table.end() == ""
    assert table.game.returncode == -number and is_dark(table)


@pytest.mark.parametrize("line, said", [
    ("os._exit(3)", ""), ("raise RuntimeError('a mistake')", "RuntimeError: a mistake\n"), ("sys.exit(3)", ""),
])
def test_a_crash_leaves_the_dark_behind(table, line, said):
    """C-21: also when the game goes down with words of its own."""
    table.do(line)
    assert table.end().endswith(said)
    assert is_dark(table)


def test_a_game_that_ends_by_itself_dismisses_the_watch_and_nothing_is_touched(table):
    """C-21: what the next one shows stays."""
    table.game.stdin.close()
    assert table.game.wait(20) == 0
    assert not Path(f"/proc/{table.watch}").exists()  # and it has waited for that
    assert table.on() == {"strip", "display", "buzzer"}


def test_what_ends_a_game_in_order_does_not_end_the_watch_first(table):
    """C-21: systemd's SIGTERM and SIGABRT go to all processes of a service, Ctrl-C to all of a terminal."""
    table.do(f"[signal.signal(number, signal.SIG_IGN) for number in {[int(number) for number in ENDING]}]")
    for number in ENDING:
        os.kill(table.watch, number)
        os.kill(table.game.pid, number)
    assert os.getsid(table.watch) == table.watch != os.getsid(table.game.pid)
    assert table.do("1") == "done\n" and table.on() == {"strip", "display", "buzzer"}
    table.game.kill()
    table.end()
    assert is_dark(table)


def test_it_holds_nothing_of_the_game(table):
    """C-21 C-5: no descriptor but its line, no lock of the journal that would keep the next start away."""
    held = {int(fd.name): os.readlink(fd) for fd in Path(f"/proc/{table.watch}/fd").iterdir()}
    assert held.keys() == {0, 1, 2} and held[0].startswith("socket:") and held[1] == "/dev/null"
    assert held[2] == os.readlink(f"/proc/{table.game.pid}/fd/2")


def test_what_the_game_starts_does_not_keep_the_watch_from_noticing(table):
    """C-21: a page beside the unit is a process, too, and may outlive the game."""
    table.do("page = subprocess.Popen(['sleep', '60'], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)")
    table.do("(folder / 'page').write_text(str(page.pid))")
    table.game.kill()
    try:
        table.end()
        assert is_dark(table)
    finally:
        os.kill(int((table.folder / "page").read_text()), signal.SIGKILL)


def test_a_watch_that_is_killed_is_told_and_the_game_goes_on(table):
    """C-20 C-21."""
    os.kill(table.watch, signal.SIGKILL)
    while Path(f"/proc/{table.watch}").exists():
        assert table.do("1") == "done\n"
    table.game.stdin.close()
    assert table.game.wait(20) == 0
    assert table.game.stderr.read() == (
        "the night watch has gone: nobody puts the lights out if the program is killed from now on\n")


def test_a_child_that_ends_is_not_taken_for_the_watch(table):
    assert table.do("subprocess.run(['true'], check=True)") == "done\n"
    table.game.kill()
    assert table.end() == "" and is_dark(table)


def test_what_stays_on_is_told(table):
    """C-20 C-21: a part that fails keeps no other from the dark."""
    table.parts["strip"].unlink()
    table.parts["strip"].mkdir()
    table.game.kill()
    assert table.end() == f"after the end of the game: strip: [Errno 21] Is a directory: '{table.parts['strip']}'\n"
    assert table.parts["buzzer"].read_text() == "0\n" and table.parts["display"].read_bytes()[-1:] == b"\x80"


def test_a_machine_that_has_no_room_for_it_plays_without_it(monkeypatch, capsys):
    """C-20."""
    def full():
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", full)
    before = signal.getsignal(signal.SIGCHLD)
    with NightWatch(lambda: ["never asked"]):
        pass
    assert signal.getsignal(signal.SIGCHLD) is before
    assert capsys.readouterr().err == ("nobody puts the lights out if the program is killed from now on: "
                                       "Resource temporarily unavailable\n")
