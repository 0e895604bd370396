"""What lies beside a project where its indexes should be: used, left alone or built again, with the same results."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base import own_folders
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.methods.core import registry
from workbench.project.documents import add_documents, delete_documents
from workbench.services.detecting import indexing
from workbench.services.detecting.runs import detect
from workbench.services.listing import document_scores, matches, pair_scores
from workbench.services.session import Session

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
SAID = "The old bridge over the river was rebuilt in the spring of that year, stone by stone, by many hands. "


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PALIMPSEST_CACHE", str(folder))
    return folder


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def ctx(warnings: list[str]) -> Context:
    def emit(event: Event) -> None:
        if isinstance(event, Warned):
            warnings.append(event.message)

    return Context("test", emit, lambda: False)


@pytest.fixture
def filled(path: Path) -> Path:
    texts = [f"元の文書の{i}番である。{COPIED}{SAID}" for i in range(3)]
    suspects = [f"これは{i}番の感想だ。{COPIED if i % 2 else '何もない。'}{SAID}" for i in range(4)]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"a{i}", text) for i, text in enumerate(texts)])
        add_documents(connection, [Document(f"b{i}", text, Role.SUSPECT) for i, text in enumerate(suspects)])
    return path


def index_of(project: Path) -> Path:
    return project.with_name(f"{project.name}-index")


def results(ctx: Context, project: Path, method: str = "digest", **settings: Any) -> tuple[Any, ...]:
    run = detect(ctx, project, method, settings, workers=1)
    with Session(project, write=False) as session:
        rows = [(m.a, m.b, *m.a_span, *m.b_span, m.score) for m in matches(session, run.id)]
        scores = [(s.document, s.score) for s in document_scores(session, run.id)]
        return rows, scores, [(p.a, p.b, p.score) for p in pair_scores(session, run.id)]


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("method", registry.names())
def test_flipped_bytes_change_no_result(
    filled: Path, ctx: Context, warnings: list[str], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = results(ctx, filled, method)
    rng = random.Random(5)
    (folder,) = (folder for folder in index_of(filled).iterdir() if folder.is_dir())
    monkeypatch.setattr(indexing, "_text", lambda what, contents: json.dumps(contents, sort_keys=True))
    indexing.write(folder, "", NullProgress())  # what it was sealed as does not matter here
    assert indexing.is_whole(folder, "", NullProgress())
    for name, content in files(folder).items():
        damaged = bytearray(content)
        if not content or name == own_folders.MARK:
            continue
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        (folder / name).write_bytes(damaged)
        assert not indexing.is_whole(folder, "", NullProgress()), name
        (folder / name).write_bytes(content)
    assert indexing.is_whole(folder, "", NullProgress())
    (folder / "manifest.json").write_bytes(b"damaged")
    assert results(ctx, filled, method) == calm
    assert warnings == ["The index was damaged and is being rebuilt."]


def test_a_whole_index_is_used_again(filled: Path, ctx: Context, warnings: list[str]) -> None:
    results(ctx, filled)
    before = files(index_of(filled))
    results(ctx, filled)
    assert files(index_of(filled)) == before
    assert not warnings


@pytest.mark.slow
@pytest.mark.parametrize("spoil", ["added", "missing", "cut", "linked", "mark"])
def test_an_index_that_is_not_what_was_written_is_built_again(
    filled: Path, ctx: Context, warnings: list[str], tmp_path: Path, spoil: str
) -> None:
    calm = results(ctx, filled)
    (folder,) = (folder for folder in index_of(filled).iterdir() if folder.is_dir())
    file = next(file for file in sorted(folder.glob("*.npy")) if file.stat().st_size > 200)
    match spoil:
        case "added":
            (folder / "more.npy").write_bytes(b"x")
        case "missing":
            file.unlink()
        case "cut":
            file.write_bytes(file.read_bytes()[:-1])
        case "linked":
            file.rename(tmp_path / "kept.npy")
            file.symlink_to(tmp_path / "kept.npy")
        case _:
            (folder / own_folders.MARK).write_text("00" * 32)
    assert results(ctx, filled) == calm
    warnings.clear()
    assert results(ctx, filled) == calm
    assert not warnings
    assert spoil != "linked" or (tmp_path / "kept.npy").exists()


def test_the_index_of_another_user_is_neither_used_nor_removed(
    filled: Path, ctx: Context, warnings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = results(ctx, filled)
    shipped = files(index_of(filled))
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "another user"))
    for file in index_of(filled).rglob("*.npy"):
        file.write_bytes(b"\x93NUMPY crafted")
    crafted = files(index_of(filled))
    assert results(ctx, filled) == calm
    assert files(index_of(filled)) == crafted
    assert crafted != shipped
    assert "not created by Palimpsest" in warnings[0]
    warnings.clear()
    assert results(ctx, filled) == calm
    assert not warnings  # the index that is kept in the cache is used


@pytest.mark.slow
def test_nothing_behind_a_link_is_touched(filled: Path, ctx: Context, tmp_path: Path) -> None:
    other = tmp_path / "documents"
    for name in ("download.part/a", "letters/complete", "letters/mine.txt", "listings/1.body"):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_text("mine")
    index_of(filled).symlink_to(other)
    before = files(other)
    for method in ("digest", "shingle", "simhash", "minhash", "winnowing"):
        results(ctx, filled, method)
    assert files(other) == before
    assert index_of(filled).is_symlink()


@pytest.mark.slow
def test_folders_that_bear_no_mark_stay(filled: Path, ctx: Context) -> None:
    own_folders.make(index_of(filled), "derived")
    for name in ("download.part", "letters", f"digest-{'0' * 24}-00000000.part"):
        (index_of(filled) / name).mkdir()
        (index_of(filled) / name / "complete").write_text("mine")
        (index_of(filled) / name / "manifest.json").write_text("{}")
    for method in ("digest", "shingle", "simhash", "minhash", "winnowing"):
        results(ctx, filled, method)
    assert len(list(index_of(filled).glob("*/complete"))) == 3


@pytest.mark.slow
def test_the_latest_indexes_and_the_last_of_each_method_are_kept_and_what_a_killed_builder_left_is_not(
    filled: Path, ctx: Context
) -> None:
    results(ctx, filled)
    (folder,) = (folder for folder in index_of(filled).iterdir() if folder.is_dir())
    part = folder.with_name(f"{folder.name}.part")
    shutil.copytree(folder, part)
    results(ctx, filled, "minhash")
    for k in range(1, 7):
        results(ctx, filled, "shingle", k=k)
    kept = sorted(folder.name.partition("-")[0] for folder in index_of(filled).iterdir() if folder.is_dir())
    assert kept == ["digest", "minhash", *["shingle"] * 4]


def test_a_sealed_folder_counts_for_what_it_was_sealed_as(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"content")
    indexing.write(tmp_path, "one", NullProgress())
    assert indexing.is_whole(tmp_path, "one", NullProgress())
    assert not indexing.is_whole(tmp_path, "another", NullProgress())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"files": [], "seal": 1}', b"\xff", b"[" * 100_000])
def test_a_file_that_is_not_a_manifest_is_not_an_obstacle(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    assert not indexing.is_whole(tmp_path, "one", NullProgress())


def add(project: Path, *texts: str, role: Role = Role.SUSPECT, first: int = 0) -> None:
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document(f"new{first + i}", text, role) for i, text in enumerate(texts)])


@pytest.mark.parametrize("method", ["copied-strings", "shingle", "minhash"])
@pytest.mark.parametrize("role", [Role.SUSPECT, Role.SOURCE])
def test_after_an_import_the_index_is_extended_and_nothing_else_is_found_than_with_one_built_anew(
    filled: Path, ctx: Context, warnings: list[str], method: str, role: Role
) -> None:
    settings = {"corpus": "all"} if method == "copied-strings" else {"compare": "all"}
    results(ctx, filled, method, **settings)
    add(filled, f"新しい文書だ。{COPIED}", SAID, role=role)
    extended = results(ctx, filled, method, **settings)
    (warning,) = warnings
    assert warning.startswith("The index was extended by 2 new documents in ")
    content = max(files_of_indexes(filled), key=lambda index: sum(map(len, index.values())))
    shutil.rmtree(index_of(filled))
    warnings.clear()
    assert results(ctx, filled, method, **settings) == extended
    assert not warnings
    assert files_of_indexes(filled) == [content]


def files_of_indexes(project: Path) -> list[dict[str, bytes]]:
    """The files of each index, without its manifest and mark."""
    folders = [folder for folder in index_of(project).iterdir() if folder.is_dir()]
    own = ("manifest.json", own_folders.MARK)
    return [{name: data for name, data in files(folder).items() if name not in own} for folder in folders]


def test_an_index_is_built_anew_after_a_change_of_documents_that_it_has(
    filled: Path, ctx: Context, warnings: list[str]
) -> None:
    results(ctx, filled, "copied-strings", corpus="all")
    with Session(filled) as session, session.write() as connection:
        delete_documents(connection, [2])
    add(filled, SAID)
    results(ctx, filled, "copied-strings", corpus="all")
    assert not warnings


def test_an_index_is_built_anew_where_most_documents_are_new(filled: Path, ctx: Context, warnings: list[str]) -> None:
    results(ctx, filled, "copied-strings", corpus="all")
    add(filled, *(f"{SAID}{i}" for i in range(8)))
    results(ctx, filled, "copied-strings", corpus="all")
    assert not warnings


def test_a_damaged_index_is_not_extended(filled: Path, ctx: Context, warnings: list[str]) -> None:
    results(ctx, filled, "copied-strings", corpus="all")
    (folder,) = (folder for folder in index_of(filled).iterdir() if folder.is_dir())
    (folder / "suffixes.npy").write_bytes((folder / "suffixes.npy").read_bytes()[:-1] + b"\x7f")
    add(filled, SAID)
    results(ctx, filled, "copied-strings", corpus="all")
    assert not warnings


@pytest.mark.parametrize("last", [10**30, -(10**30), 1e300, "all", None])
def test_an_index_that_claims_an_impossible_origin_is_not_extended(
    filled: Path, ctx: Context, warnings: list[str], last: object
) -> None:
    results(ctx, filled, "copied-strings", corpus="all")
    (folder,) = (folder for folder in index_of(filled).iterdir() if folder.is_dir())
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"last": last}))
    add(filled, SAID)
    results(ctx, filled, "copied-strings", corpus="all")
    assert not warnings
