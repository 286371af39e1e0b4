"""What must not stand anywhere in this repository."""

import re
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
BINARY = {".png", ".jpg", ".gif", ".ico", ".woff2"}
NAMED_IN_WORDS = {"README.md", "TRADEMARKS.md"}
THIS = Path(__file__).relative_to(ROOT).as_posix()

MARK = re.compile(r"(?<![a-z])uno(?![a-z])|mattel", re.IGNORECASE)
MACHINE = re.compile(r"/work/|/root/|/opt/pypi|/home/(?!pi\b)\w|\.pyenv|pypi\.org|pythonhosted|npmjs|deb\.debian")
JUNK = re.compile(r"[ \t]+$|\r|\ufeff|^(?:<{7}|>{7}) ", re.MULTILINE)

GPL = re.compile(r"(?<!L)(?<!Lesser )(?<!A)(?:GPL|General Public License)")
MAY_BE_GPL = {"pwm", "pi5"}     # extras that a user asks for by name; `dev` has `pwm` for its tests only
# What only a Raspberry Pi installs: read from the packages themselves once, not from this machine.
ON_A_PI = {"gpiod": "LGPL-2.1-or-later", "lgpio": "Unlicense", "rpi-gpio": "MIT", "rpi-ws281x": "MIT"}


def files():
    """Return the path of every file that is in the repository or about to be."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def findings(pattern, exempt=frozenset()):
    """Return `file:line: text` for all that *pattern* finds in the texts of the repository."""
    found = []
    for name in files():
        if name == THIS or name in exempt or Path(name).suffix in BINARY:
            continue
        text = (ROOT / name).read_bytes().decode()
        for hit in pattern.finditer(text):
            line = text.count("\n", 0, hit.start()) + 1
            found.append(f"{name}:{line}: {text.splitlines()[line - 1][:120]!r}")
    return found


def test_other_peoples_marks_stand_in_two_files_only():
    assert [name for name in files() if MARK.search(name)] == []
    assert findings(MARK, NAMED_IN_WORDS) == []


def test_no_path_or_host_of_the_machine_it_was_written_on():
    assert findings(MACHINE) == []


def test_no_trailing_blanks_carriage_returns_or_merge_marks():
    assert findings(JUNK) == []


def test_every_text_ends_with_one_newline():
    texts = {name: (ROOT / name).read_bytes() for name in files() if Path(name).suffix not in BINARY}
    assert [name for name, text in texts.items() if text and (text[-1:] != b"\n" or text[-2:] == b"\n\n")] == []


LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def anchors(text):
    """Return what a link can point to in a Markdown text: its headings, in the form of a web page, and its ids."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain} | set(
        re.findall(r'<a id="([^"]+)">', text))


def test_every_link_in_the_documents_leads_somewhere():
    lost = []
    for name in (name for name in files() if name.endswith(".md")):
        for hit in LINK.finditer((ROOT / name).read_text(encoding="utf-8")):
            target, _, anchor = hit[1].partition("#")
            if target.startswith(("https:", "http:", "mailto:")):
                continue
            path = (ROOT / name).parent / target if target else ROOT / name
            if not path.exists() or (anchor and anchor not in anchors(path.read_text(encoding="utf-8"))):
                lost.append(f"{name}: {hit[0]}")
    assert lost == []


def extras():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def needed_by(extra):
    """Return the names of all distributions that installing the *extra* brings, the installed ones' needs included."""
    seen, todo = set(), [("pilelight", extra)]
    while todo:
        name, wanted = todo.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            assert name in ON_A_PI, f"{name} is not installed, and its licence is not written down"
            continue
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate({"extra": wanted}):
                todo += [(canonicalize_name(requirement.name), more) for more in (*requirement.extras, "")]
    return {name for name, _ in seen}


def licence(name):
    """Return what the distribution says about its licence."""
    if name in ON_A_PI:
        return ON_A_PI[name]
    said = distribution(name).metadata
    classifiers = [text for text in said.get_all("Classifier") or [] if text.startswith("License")]
    return " ".join([said.get("License-Expression") or "", (said.get("License") or "")[:200], *classifiers])


@pytest.mark.parametrize("extra", sorted({"", *extras()} - MAY_BE_GPL - {"dev"}))
def test_what_is_installed_is_not_gpl_unless_asked_for_by_name(extra):
    assert {name: licence(name) for name in needed_by(extra) if GPL.search(licence(name))} == {}


def test_a_gpl_licence_would_be_seen():
    assert GPL.search(licence("rpi-hardware-pwm")) and not GPL.search(licence("gpiod"))


def test_no_extra_brings_the_gpl_ones_along():
    for name, requirements in extras().items():
        brought = {extra for text in requirements for extra in Requirement(text).extras}
        allowed = {"pwm"} if name == "dev" else set()
        assert brought & MAY_BE_GPL <= allowed, name
