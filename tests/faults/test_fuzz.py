"""A few changed files of each format; ``fuzz.py`` is the program for many."""

from __future__ import annotations

import collections
import contextlib
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.faults import fuzz
from tests.faults.fuzz_seeds import SEEDS
from workbench.base.errors import UserError
from workbench.reading import formats
from workbench.reading.formats import ReadOptions, Source


@pytest.mark.skipif(sys.platform == "win32", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("files", [30, pytest.param(120, marks=pytest.mark.rest)])
def test_changed_files_are_imported_or_refused_one_by_one(files: int) -> None:
    tally = fuzz.Tally()
    fuzz.run(seed=11, files=files, formats=list(SEEDS), batch=files, keep=None, tally=tally)
    assert tally.problems == []
    assert tally.outcomes["imported"] > files
    assert tally.outcomes["failed"] > files // 6


def test_every_format_has_a_file_to_change(tmp_path: Path) -> None:
    chosen = set()
    for suffix, seed in SEEDS.items():
        path = tmp_path / f"NAME{suffix}"
        path.write_bytes(seed())
        chosen.add(formats._choose(Source(path, path.name), ReadOptions()).name)
    asked_for = {"pan"} if find_spec("pyarrow") else {"pan", "parquet"}
    assert chosen == {each.name for each in formats.FORMATS} - asked_for


LONG = 30_000
"""Characters of a run: what takes a time that grows with its square takes seconds."""
MARKS = (*"[](){}<>*_`~#!|\\-=:;,.'&^$%@/ \t\n+0a\"あ", "[[", "{{", "```", "$$", "\\a{", "&#", "<b>", "> ", "1. ", "[^")


def is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


@pytest.mark.rest
@pytest.mark.parametrize("suffix", [suffix for suffix, seed in SEEDS.items() if is_text(seed())])
def test_a_long_run_of_a_mark_is_read_in_time_that_grows_with_its_length(suffix: str, tmp_path: Path) -> None:
    seed = SEEDS[suffix]()
    slow = []
    for mark in MARKS:
        middle = seed.find(b"\n", len(seed) // 2) + 1
        path = tmp_path / f"NAME{suffix}"
        path.write_bytes(seed[:middle] + (mark * (LONG // len(mark))).encode() + seed[middle:])
        begun = time.process_time()
        with contextlib.suppress(UserError):
            collections.deque(formats.read(Source(path, path.name)), 0)
        if time.process_time() - begun > 5:
            slow.append(mark)
    assert slow == []
