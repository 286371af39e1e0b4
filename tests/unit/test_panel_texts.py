"""The page's texts: none is missing in any language, and what the page draws is what the unit's own parts draw."""

import json
import re
from pathlib import Path

import pytest

from firmware import glyphs
from firmware.outputs import Colour
from firmware.presets import PRESETS
from firmware.settings import COMMON, GROUPS
from firmware.units import UNITS, kind_named
from hal.panel.server import STATIC

TEXTS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((STATIC / "texts").glob("*.json"))}
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_there_is_one_file_per_language_the_page_offers():
    offered = re.search(r"LANGUAGES = \{(.*?)\}", source(STATIC / "js" / "words.js")).group(1)
    assert sorted(re.findall(r"(\w+):", offered)) == sorted(TEXTS) == ["de", "en", "es"]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_no_text_is_missing_and_none_has_lost_its_places(language):
    def places(text):
        return sorted(re.findall(r"\{(\w+)\}", text)) if isinstance(text, str) else len(text)

    english, other = TEXTS["en"], TEXTS[language]
    assert list(other) == list(english), "the same keys in the same order"
    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}
    assert [key for key, text in other.items() if text == "" and english[key] != ""] == []


def test_every_text_the_scripts_ask_for_exists():
    """Keys written out in full, and for those put together from parts that at least one begins so."""
    for path in SCRIPTS:
        for key in re.findall(r'\.say\(\s*"([\w.-]+)"', source(path)):
            assert key in TEXTS["en"], f"{path.name}: {key}"
        for beginning in re.findall(r"\.say\(`([\w.-]+)\$\{", source(path)):
            assert any(key.startswith(beginning) for key in TEXTS["en"]), f"{path.name}: {beginning}"


def test_every_unit_and_every_setting_has_its_texts():
    """A unit or a setting that is added is named on the page in every language."""
    kinds = [kind_named(unit) for unit in UNITS]
    wanted = {f"setting.common.{setting.name}" for setting in COMMON}
    wanted |= {f"setting.{kind.section}.{setting.name}" for kind in kinds for setting in kind.settings}
    assert {key for key in TEXTS["en"] if key.startswith("setting.")} == wanted
    assert {key for key in TEXTS["en"] if key.startswith("about.")} == {f"about.{key[8:]}" for key in wanted}
    for unit in UNITS:
        assert {f"unit.{unit}", f"home.{unit}", f"steps.{unit}", f"card.{unit}"} <= set(TEXTS["en"])


def test_every_group_choice_and_colour_has_its_texts():
    offered = re.search(r"GROUPS = \[(.*?)\]", source(STATIC / "js" / "settings.js")).group(1)
    assert tuple(re.findall(r'"(\w+)"', offered)) == GROUPS
    choices = {f"preset.{name}" for own in PRESETS.values() for name in own}
    assert {key for key in TEXTS["en"] if key.startswith("preset.")} == choices
    assert {key for key in TEXTS["en"] if key.startswith("group.")} == {f"group.{group}" for group in GROUPS}
    colours = {colour.value for colour in Colour} - {"off"}
    assert {key for key in TEXTS["en"] if key.startswith("colour.")} == {f"colour.{colour}" for colour in colours}
    signs = re.search(r"SIGN = \{(.*?)\}", source(STATIC / "js" / "colours.js")).group(1)
    drawn = dict(re.findall(r'(\w+): "(.)"', signs))
    assert set(drawn) == colours and len(set(drawn.values())) == len(colours)
    assert {path.stem for path in (STATIC / "img" / "texture").iterdir()} == colours - {"white"}


def test_the_page_draws_the_same_digits_as_the_unit():
    table = re.search(r"GLYPHS = \{(.*?)\};", source(STATIC / "js" / "display.js"), re.DOTALL).group(1)
    assert dict(re.findall(r'"(.)": "(\w*)"', table)) == glyphs.SEGMENTS


def test_no_file_of_the_page_names_another_address():
    """Everything works with the network cut. The one address left is a name, that of the SVG language."""
    for path in (path for path in STATIC.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg", ".json"}):
        addresses = set(re.findall(r"(?:https?:)?//[\w.]+\.[a-z]{2,}[^\s\"')]*", source(path)))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path.name
