"""Only folders that were made here are used or removed, and a link never leads anywhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.base import own_folders
from workbench.base.own_folders import MARK, is_own, is_sealed, make, open_own, remove, seal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "derived"


def test_a_folder_that_was_made_is_known_and_removed(folder: Path) -> None:
    make(folder, "index")
    (folder / "sub").mkdir()
    (folder / "sub" / "file").write_text("x")
    make(folder, "index")
    assert (folder / "sub" / "file").exists()
    assert is_own(folder, "index")
    assert remove(folder, "index")
    assert not folder.exists()
    assert remove(folder, "index")


def test_an_empty_folder_is_adopted_as_one_whose_maker_was_killed(folder: Path) -> None:
    folder.mkdir()
    (folder / MARK).write_text("")
    assert not is_own(folder, "index")
    make(folder, "index")
    assert is_own(folder, "index")


@pytest.mark.parametrize("mark", [None, "", "00" * 32, "no mark"])
def test_what_a_stranger_shipped_is_left_alone(folder: Path, mark: str | None) -> None:
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")
    if mark is not None:
        (folder / MARK).write_text(mark)
    with pytest.raises(FileExistsError):
        make(folder, "index")
    assert not is_own(folder, "index")
    assert not remove(folder, "index")
    assert (folder / "letter.txt").read_text() == "mine"


def test_a_mark_counts_for_its_use_and_its_user(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(folder, "index")
    assert not is_own(folder, "fetch")
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "another user"))
    assert not is_own(folder, "index")


def test_no_link_is_taken_for_a_folder(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    make(other, "index")
    (other / "letter.txt").write_text("mine")
    folder.symlink_to(other)
    with pytest.raises(FileExistsError):
        make(folder, "index")
    assert not is_own(folder, "index")
    assert not remove(folder, "index")
    assert (other / "letter.txt").read_text() == "mine"


def test_a_linked_mark_is_not_a_mark(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    make(other, "index")
    folder.mkdir()
    (folder / MARK).symlink_to(other / MARK)
    (folder / "letter.txt").write_text("mine")
    assert not is_own(folder, "index")


def test_links_in_a_removed_folder_lead_nowhere(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("mine")
    make(folder, "index")
    (folder / "link").symlink_to(other)
    (folder / "file").symlink_to(other / "letter.txt")
    assert remove(folder, "index")
    assert (other / "letter.txt").read_text() == "mine"


def test_a_folder_that_is_removed_half_way_is_still_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(folder, "index")
    (folder / "a").write_text("x")

    def killed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(own_folders.shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(folder, "index")
    assert is_own(folder, "index")
    assert remove(folder, "index")


@pytest.mark.timeout(20)
def test_neither_link_nor_pipe_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "."):
        for mode in ("rb", "r+b", "ab"):
            with pytest.raises(OSError, match=r"."):
                open_own(tmp_path / name, mode)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_seal_belongs_to_kind_content_and_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config"
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(config))
    sealed = seal("a", "text")
    assert is_sealed("a", "text", sealed)
    assert not is_sealed("b", "text", sealed)
    assert not is_sealed("a", "other", sealed)
    assert not is_sealed("a", "text", "é")
    assert stat.S_IMODE((config / "secret").stat().st_mode) == 0o600
    assert [file.name for file in config.iterdir()] == ["secret"]
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "other"))
    assert not is_sealed("a", "text", sealed)


def test_where_nothing_can_be_kept_the_secret_lasts_as_long_as_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PALIMPSEST_CONFIG", "PALIMPSEST_CACHE"):
        (tmp_path / name).write_text("a file is no folder")
        monkeypatch.setenv(name, str(tmp_path / name))
    assert is_sealed("a", "text", seal("a", "text"))
