"""What documents are is guessed from names and from what the project has, and asked for where both are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Document, Role
from workbench.services.importing.previewing import GuessBasis, PreviewItem, PreviewList, guess_role

NOTHING: dict[str, int] = {}
BOTH = {"source": 14, "suspect": 3}


def previews(*names: str, role: Role | None = None, complete: bool = True) -> PreviewList:
    items = (PreviewItem(name, Document(name, "text"), 4, role=role) for name in names)
    return PreviewList((*items, PreviewItem("broken", None, error="no")), complete=complete)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("case/suspects", Role.SUSPECT),
        ("case/Suspects-2024/essay.txt", Role.SUSPECT),
        ("case/submissions/group 3/essay.txt", Role.SUSPECT),
        ("pan/suspicious-document00265.txt", Role.SUSPECT),
        ("sources/suspects", Role.SUSPECT),
        ("case/sources/wiki.txt", Role.SOURCE),
        ("case/originals", Role.SOURCE),
        ("事案/検査対象/一.txt", Role.SUSPECT),
        ("事案/出典一覧", Role.SOURCE),
        ("案件/待查文档", Role.SUSPECT),
        ("案件/来源", Role.SOURCE),
        ("case/sources and suspects", None),
        ("case/on open source.txt", None),
        ("case/background", Role.BACKGROUND),
        ("case/essay.txt", None),
        ("case/resource/suspension.txt", None),
    ],
)
@pytest.mark.parametrize("counts", [NOTHING, BOTH])
def test_the_innermost_name_that_says_something_decides(path: str, role: Role | None, counts: dict[str, int]) -> None:
    assert guess_role([Path("/data/ann") / path], counts).role is role


def test_suspects_after_fourteen_sources_are_suspects() -> None:
    sources = {"source": 14}
    for path in ("suspects", "essays"):
        assert guess_role([Path("/data/ann") / path], sources).role is Role.SUSPECT
    assert guess_role([Path("/data/ann/more sources")], sources).role is Role.SOURCE
    assert guess_role([Path("/data/ann/sources")], sources).role is Role.SOURCE
    assert guess_role([Path("/data/ann/wiki")], {"suspect": 2}).role is Role.SOURCE


def test_a_folder_with_both_is_asked_about() -> None:
    case = [Path("/data/ann/case")]
    both = previews("case/suspects/a.txt", "case/sources/b.txt")
    assert guess_role(case, {"source": 14}, both) == guess_role(case, NOTHING, both)
    assert guess_role(case, NOTHING, both).sign is GuessBasis.MIXED
    assert guess_role(case, NOTHING, previews("case/suspects/a.txt", "case/suspects/b.txt")).role is Role.SUSPECT


def test_one_name_among_others_that_say_nothing_decides_nothing() -> None:
    names = previews("texts/source.txt", "texts/a.txt", "texts/b.txt")
    assert guess_role([Path("/data/ann/texts")], NOTHING, names).role is None


def test_rows_that_name_their_roles_are_not_asked_about() -> None:
    rows = previews("rows.jsonl:1", "rows.jsonl:2", role=Role.SUSPECT)
    assert guess_role([Path("/data/ann/rows.jsonl")], BOTH, rows).sign is GuessBasis.ROWS
    some = previews("rows.jsonl:1", role=Role.SUSPECT, complete=False)
    assert guess_role([Path("/data/ann/rows.jsonl")], BOTH, some).role is None
