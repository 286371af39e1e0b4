"""install.sh and uninstall.sh in a Debian of their own: what comes, what stays, and that nothing is left behind."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.vm.machine import tell

pytestmark = pytest.mark.vm

HERE = Path(__file__).parent
INSTALL = [
    *("/install/systemd/install.sh", "--unattended", "--board", "rpi4"), "--panel", "--packages", "/install/packages",
]
CONFIG = "boot/firmware/config.txt"
OURS = ("proc", "sys", "dev", "install", "tmp", "run", "root/.cache")
LISTS_OF_USERS = {"etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-", "etc/.pwd.lock"}  # what groupadd leaves


def inside(root, *command, status=0):
    """Run a command in *root*, with /proc; return what it says."""
    words = ["unshare", "--mount", "--fork", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
             str(root), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, done.stdout
    return done.stdout


def listing(root):
    """Return {path: rights and contents} of all that is in *root*."""
    found = {}
    for folder, _, files in os.walk(root):
        inner = os.path.relpath(folder, root)
        if inner.startswith(OURS):
            continue
        for path in (Path(folder), *(Path(folder) / file for file in files)):
            name = os.path.relpath(path, root)
            if name in LISTS_OF_USERS or "__pycache__" in name:
                continue
            about = path.lstat()
            rest = ""
            if path.is_symlink():
                rest = os.readlink(path)
            elif path.is_file():
                rest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[name] = (oct(about.st_mode), about.st_uid, about.st_gid, rest)
    return found


@pytest.fixture(scope="module")
def debian(rig, tmp_path_factory):
    """A Debian root with what a maker has: our folder (here without its size), a wheel, its packages, a config.txt."""
    root = tmp_path_factory.mktemp("debian") / "root"
    subprocess.run(["cp", "-a", "--reflink=auto", str((rig / "debian").resolve()), str(root)], check=True)
    subprocess.run(["cp", "-a", str(rig / "root" / "install"), str(root / "install")], check=True)
    (root / CONFIG).parent.mkdir(parents=True)
    (root / CONFIG).write_text((HERE / "guest" / "config.txt").read_text())
    [wheel] = (root / "install").glob("pilelight-*.whl")
    yield root, [*INSTALL, "--wheel", f"/install/{wheel.name}", "triple-play"]
    subprocess.run(["rm", "-rf", str(root)], check=True)


@pytest.fixture(scope="module")
def installed(debian):
    """The same root, installed; with how it was before and what was said."""
    root, install = debian
    before = listing(root)
    looked = inside(root, *install, "--dry-run")
    unchanged = listing(root)
    said = inside(root, *install)
    return root, install, before, looked, unchanged, said


def test_a_dry_run_tells_every_step_and_changes_nothing(installed):
    _, _, before, looked, unchanged, said = installed
    assert unchanged == before
    steps = [line for line in looked.splitlines() if line.startswith("  + ")]
    done = [line for line in said.splitlines() if line.startswith("  + ")]
    without_time = [[word for word in line.split() if "before-pilelight" not in word] for line in (*steps, *done)]
    assert without_time[: len(steps)] == without_time[len(steps) :]
    assert looked.endswith("Nothing was changed.\n")


def test_the_service_files_are_as_systemd_wants_them(installed):
    root, *_ = installed
    for name, bound in (("pilelight", 1.0), ("pilelight-panel", 1.5)):
        verify = inside(root, "systemd-analyze", "verify", f"{name}@triple-play.service")
        assert [line for line in verify.splitlines() if "pilelight" in line] == []
        security = inside(root, "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20",
                          f"/etc/systemd/system/{name}@.service")
        exposure = float(security.splitlines()[-1].split(f"exposure level for {name}@i.service:")[1].split()[0])
        tell(f"{name}@.service: exposure {exposure}")
        assert exposure < bound


def test_config_txt_gets_what_was_missing_once_and_the_old_one_is_kept(installed):
    root, *_ = installed
    old = (HERE / "guest" / "config.txt").read_text()
    assert (root / CONFIG).read_text() == old + (
        "# >>> pilelight: uninstall.sh takes this away\n[all]\n"
        "dtparam=i2c_arm=on\ndtparam=spi=on\ncore_freq=500\ncore_freq_min=500\ndtparam=audio=off\n"
        "dtoverlay=pwm,pin=12,func=4\ngpio=13,23,24,25=ip,pu\n# <<< pilelight\n"
    )
    [copy] = root.glob(f"{CONFIG}.before-pilelight-*")
    assert copy.read_text() == old


def test_installed_again_it_keeps_the_settings_and_a_copy_of_them(installed):
    root, install, *_ = installed
    settings = root / "etc/pilelight/settings.toml"
    settings.write_text("[common]\nvolume = 1\n")
    before = listing(root)
    inside(root, *install)
    after = listing(root)
    news = {name for name in after.keys() | before.keys() if after.get(name) != before.get(name)}
    backups = {name for name in news if name.startswith("etc/pilelight/backup")}
    assert settings.read_text() == "[common]\nvolume = 1\n"
    assert any("settings.toml" in name for name in backups)
    assert {name for name in news - backups if not name.startswith("opt/pilelight")} <= {"etc/pilelight"}
    inside(root, *install)
    assert {name for name in listing(root) if name.startswith("etc/pilelight/backup")} == {
        name for name in after if name.startswith("etc/pilelight/backup")
    }


def test_taken_away_nothing_is_left_behind(installed):
    root, _, before, *_ = installed
    (root / "var/lib/pilelight/triple-play.state").write_text("a round")
    (root / "etc/pilelight/of-the-makers-own").write_text("kept")
    (root / "var/lib/pilelight-panel").mkdir()
    (root / "var/lib/pilelight-panel/access.json").write_text("a code")
    inside(root, "/install/systemd/uninstall.sh", "--unattended")
    assert (root / "etc/pilelight/settings.toml").exists() and (root / "var/lib/pilelight/triple-play.state").exists()
    assert not (root / "opt/pilelight").exists()
    inside(root, "/install/systemd/uninstall.sh", "--unattended", "--purge")
    after = listing(root)
    assert {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)} == {}
    assert "was never run here" in inside(root, "/install/systemd/uninstall.sh", "--unattended", status=2)


@pytest.mark.parametrize("words, says", [
    (["tripl"], "there is no unit of this name; did you mean triple-play?"),
    (["--with"], "--with needs a value"),
    (["--wiring", "/nowhere", "triple-play"], "--wiring /nowhere: there is no such file"),
    ([], "which unit?"),
    (["--frobnicate"], "there is no option --frobnicate"),
    (["spin", "--board", "rpi9"], "rpi9: there is no board of this name"),
])  # fmt: skip
def test_what_cannot_be_done_is_said_before_anything_is_done(debian, words, says):
    root, _ = debian
    before = listing(root)
    assert says in inside(root, "/install/systemd/install.sh", "--unattended", *words, status=2)
    assert listing(root) == before


def test_the_scripts_are_clean():
    scripts = [*HERE.parents[1].glob("systemd/*.sh"), *HERE.glob("*.sh"), HERE / "guest" / "setup"]
    done = subprocess.run(["shellcheck", *map(str, scripts)], stdout=subprocess.PIPE, text=True)
    assert done.stdout == "" and done.returncode == 0
