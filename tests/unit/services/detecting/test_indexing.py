"""A sealed folder with folders in it: whole as it was sealed, and not whole after any change."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base.own_folders import MARK
from workbench.base.progress import NullProgress
from workbench.services.detecting import indexing

WHAT = "copies\n2\nkey"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file beside two folders, as a method made of methods writes its index."""
    index = tmp_path / "index"
    for name, text in (("facts.json", "{}"), ("digest/sizes.npy", "12"), ("altered/words.npy", "abc")):
        file = index / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    indexing.write(index, WHAT, NullProgress())
    return index


def whole(folder: Path, what: str = WHAT) -> bool:
    return indexing.is_whole(folder, what, NullProgress())


def test_what_was_sealed_is_whole_also_where_the_user_marks_it(folder: Path) -> None:
    assert whole(folder)
    (folder / MARK).write_text("mine", encoding="utf-8")
    assert whole(folder)


def test_it_is_whole_as_nothing_else(folder: Path) -> None:
    assert not whole(folder, "copies\n2\nother")


def _swap(folder: Path) -> None:
    """The same files and bytes, in each other's folder."""
    (folder / "digest/sizes.npy").rename(folder / "altered/sizes.npy")
    (folder / "altered/words.npy").rename(folder / "digest/words.npy")


def _lead_away(folder: Path) -> None:
    """The folder is a link to one with the same files."""
    (folder / "altered").rename(folder.parent / "elsewhere")
    (folder / "altered").symlink_to(folder.parent / "elsewhere", target_is_directory=True)


def _link_file(folder: Path) -> None:
    (folder / "altered/words.npy").rename(folder.parent / "words.npy")
    (folder / "altered/words.npy").symlink_to(folder.parent / "words.npy")


CHANGES: dict[str, Callable[[Path], object]] = {
    "bytes of the same length": lambda f: (f / "altered/words.npy").write_text("abd"),
    "a longer file": lambda f: (f / "altered/words.npy").write_text("abcd"),
    "a file gone": lambda f: (f / "altered/words.npy").unlink(),
    "a folder gone": lambda f: ((f / "altered/words.npy").unlink(), (f / "altered").rmdir()),
    "a file more in a folder": lambda f: (f / "digest/more.npy").write_text(""),
    "a manifest in a folder": lambda f: (f / "digest/manifest.json").write_text("{}"),
    "a mark in a folder": lambda f: (f / "digest" / MARK).write_text(""),
    "a folder in a folder": lambda f: (f / "digest/deeper").mkdir(),
    "a file of another folder": lambda f: (f / "facts.json").rename(f / "digest/facts.json"),
    "files exchanged": _swap,
    "a folder that is a link": _lead_away,
    "a file that is a link": _link_file,
    "a pipe": lambda f: os.mkfifo(f / "digest/pipe"),
    "another seal": lambda f: (f / "manifest.json").write_text('{"files": {}, "seal": "00"}'),
    "no manifest": lambda f: (f / "manifest.json").unlink(),
    "a manifest that is no object": lambda f: (f / "manifest.json").write_text("[" * 100_000),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_after_any_change_it_is_not_whole(folder: Path, change: Callable[[Path], object]) -> None:
    change(folder)
    assert not whole(folder)


def test_an_empty_folder_more_holds_nothing_and_changes_nothing(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert whole(folder)


def test_it_knows_when_it_was_used_last(folder: Path) -> None:
    os.utime(folder / "manifest.json", (5, 5))
    assert indexing.used(folder) == 5
    indexing.touch(folder)
    assert indexing.used(folder) > 5
    assert indexing.used(folder / "digest") == 0
