"""A file that is written whole, whenever the plug is pulled."""

import os
import stat

import pytest

from hal.whole import write_whole


def test_it_is_on_the_disk_before_it_has_its_name_and_then_the_name_is(tmp_path, monkeypatch):
    told, sync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (told.append(stat.S_IFMT(os.fstat(file).st_mode)), sync(file)))
    monkeypatch.setattr(os, "replace", lambda old, new: (told.append(os.path.basename(new)), replace(old, new)))
    write_whole(tmp_path / "kept", "Grüße", 0o600)
    assert told == [stat.S_IFREG, "kept", stat.S_IFDIR]
    assert (tmp_path / "kept").read_text(encoding="utf-8") == "Grüße"
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o600


def test_what_lies_in_its_way_is_replaced_and_no_link_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "kept.new").symlink_to("elsewhere")
    (tmp_path / "kept").symlink_to("elsewhere")
    write_whole(tmp_path / "kept", "new")
    assert (tmp_path / "elsewhere").read_text() == "mine"
    assert not (tmp_path / "kept").is_symlink() and (tmp_path / "kept").read_text() == "new"


def test_a_failure_leaves_the_old_one_and_nothing_beside_it(tmp_path):
    (tmp_path / "kept").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "kept", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
