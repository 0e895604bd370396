from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlalchemy import Connection

from workbench.base.errors import ProjectError
from workbench.base.types import Block, BlockClass, Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, load_document
from workbench.project.pages import fingerprints_of, rule_blocks, store_blocks, store_fingerprints
from workbench.reading.blocks.repetition import Repetition
from workbench.reading.formats.html import page as read_page
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.pages import selectors, sites
from workbench.services.pages.judging import judge_pages
from workbench.services.session import Session, create

MENU = "<p>ここは当サイトの全ページに付く案内であり、どの記事にも同じものが載る。</p>"
BODY = "<p>{0}番目の記事だけに書いてあることで、ほかのどのページにもこの文は載っていない（{0}）。</p>"


def page(folder: Path, number: int, host: str = "site.example") -> Path:
    file = folder / f"{host}-{number}.html"
    link = f'<link rel="canonical" href="http://{host}/{number}.html">'
    file.write_text(
        f"<html><head><title>{number}</title>{link}</head><body>{MENU}{BODY.format(number)}</body></html>",
        encoding="utf-8",
    )
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.palimpsest"
    create(path)
    return path


def brought(project: Path, files: list[Path], **options: Any) -> None:
    chosen = ImportOptions(workers=1, **options)
    import_paths(Context("test", lambda event: None, lambda: False), project, files, Role.SOURCE, chosen)


def rules(project: Path, key: int) -> dict[str, tuple[str, str]]:
    with Session(project) as session, session.read() as connection:
        document = load_document(connection, key)
    text = {document.text[slice(*b.span)]: (b.verdict.value, b.rule) for b in document.blocks}
    return {("menu" if "全ページ" in words else "body"): rule for words, rule in text.items()}


@pytest.mark.slow
def test_what_three_pages_of_a_site_repeat_is_left_out(project: Path, tmp_path: Path):
    brought(project, [page(tmp_path, n) for n in range(4)])
    for key in (1, 4):
        assert rules(project, key)["menu"] == ("non-content", "repeated on 4 of 4 pages of the site")
        assert rules(project, key)["body"][0] == "content"


def test_what_one_page_says_at_different_times_is_not_repetition(project: Path, tmp_path: Path):
    versions = []
    for time in range(4):
        version = page(tmp_path, 0).rename(tmp_path / f"{time}.html")
        version.write_text(version.read_text(encoding="utf-8").replace("0番目", f"{time}番目"), encoding="utf-8")
        versions.append(version)
    brought(project, [*versions, page(tmp_path, 1)])
    assert "repeated" not in rules(project, 4)["menu"][1]
    brought(project, [page(tmp_path, 2)])
    assert rules(project, 4)["menu"] == ("non-content", "repeated on 3 of 3 pages of the site")


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["all", "kang"])
def test_without_site_repetition_only_the_rule_decides(project: Path, tmp_path: Path, ctx: Context, rule: str):
    brought(project, [page(tmp_path, n) for n in range(4)], blocks=rule, site_repetition=False)
    alone = [rules(project, key) for key in range(1, 5)]
    assert not any("repeated" in reason for words in alone for _, reason in words.values())
    judge_pages(ctx, project, rule, workers=1)
    assert "repeated" in rules(project, 1)["menu"][1]
    judge_pages(ctx, project, rule, site_repetition=False, workers=1)
    assert [rules(project, key) for key in range(1, 5)] == alone
    judge_pages(ctx, project, rule, workers=1)
    assert "repeated" in rules(project, 1)["menu"][1]


@pytest.mark.slow
def test_pages_of_one_site_that_come_one_by_one_count_together(project: Path, tmp_path: Path):
    for n in range(3):
        brought(project, [page(tmp_path, n)])
        brought(project, [page(tmp_path, n, "other.example")])
    assert rules(project, 1)["menu"] == ("non-content", "repeated on 3 of 3 pages of the site")
    brought(project, [page(tmp_path, 3)])
    assert rules(project, 1)["menu"] == ("non-content", "repeated on 4 of 4 pages of the site")


@pytest.mark.slow
def test_two_pages_or_pages_of_many_sites_repeat_nothing(project: Path, tmp_path: Path):
    brought(project, [page(tmp_path, n, f"{n}.example") for n in range(4)])
    brought(project, [page(tmp_path, n, "two.example") for n in range(2)])
    assert {rules(project, key)["menu"][0] for key in range(1, 7)} == {"content"}


@pytest.mark.slow
def test_what_a_selector_chose_stays_even_where_it_is_repeated(project: Path, tmp_path: Path):
    with Session(project) as session:
        selectors.choose(session, "site.example", "body")
    brought(project, [page(tmp_path, n) for n in range(4)])
    assert rules(project, 1)["menu"][0] == "content"


LINES = ["the menu of the site", "a notice for all readers", "what is said on some pages only", "a long text " * 9]


def read(number: int, lines: list[int]) -> str:
    own = f"<p>page {number} says something that no other page says, over and over: {number * 7919}</p>"
    return own + "".join(f"<p>{LINES[line]}</p>" for line in lines)


def everything(session: Session, keys: range) -> dict[int, tuple[Block, ...]]:
    with session.read() as connection:
        return rule_blocks(connection, list(keys))


def add(session: Session, first: int, pages: list[list[int]]) -> None:
    documents = [
        read_page(read(first + n, lines), f"page-{first + n}", site="site.example", rule="all")
        for n, lines in enumerate(pages)
    ]
    with session.write() as connection:
        add_documents(connection, documents)


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=4), min_size=1, max_size=4)
)
def test_pages_that_come_bit_by_bit_are_judged_as_if_they_had_come_at_once(
    batches: list[list[list[int]]], tmp_path_factory: pytest.TempPathFactory, ctx: Context
):
    folder = tmp_path_factory.mktemp("sites")
    pages = [page for batch in batches for page in batch]
    keys = range(1, len(pages) + 1)
    results = []
    for name, parts in (("bits", batches), ("whole", [pages])):
        create(folder / name)
        with Session(folder / name) as session:
            first = 1
            for part in parts:
                add(session, first, part)
                first += len(part)
                sites.judge_sites(ctx, session.project, {"site.example"})
            results.append(everything(session, keys))
    assert results[0] == results[1]


def test_only_new_pages_are_read_and_only_changed_ones_written(
    project: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
):
    opened: list[int] = []
    whole, texts = sites.load_document, sites.texts_of

    def counted(connection: Connection, key: int) -> Document:
        opened.append(key)
        return whole(connection, key)

    def counted_texts(connection: Connection, keys: Sequence[int]) -> Iterator[tuple[int, str]]:
        opened.extend(keys)
        return texts(connection, keys)

    monkeypatch.setattr(sites, "load_document", counted)
    monkeypatch.setattr(sites, "texts_of", counted_texts)
    with Session(project) as session:
        add(session, 1, [[0, 1]] * 25)
        assert sites.judge_sites(ctx, session.project, {"site.example"}) == 25
        opened.clear()
        assert sites.judge_sites(ctx, session.project, {"site.example"}) == 0
        assert not opened
        add(session, 26, [[0, 1]])
        assert sites.judge_sites(ctx, session.project, {"site.example"}) == 1
        assert set(opened) == {26}


def test_blocks_that_were_judged_anew_are_compared_anew(project: Path, ctx: Context):
    with Session(project) as session:
        add(session, 1, [[0]] * 4)
        sites.judge_sites(ctx, session.project, {"site.example"})
        before = everything(session, range(1, 5))
        assert {block.verdict for block in before[1][1:]} == {BlockClass.NON_CONTENT}
        with session.write() as connection:
            again = tuple(Block(b.span, b.kind, BlockClass.CONTENT, "", b.path) for b in before[1])
            store_blocks(connection, load_document(connection, 1), again)
        assert sites.judge_sites(ctx, session.project, {"site.example"}) == 1
        assert [b.verdict for b in everything(session, range(1, 2))[1]] == [b.verdict for b in before[1]]


def test_what_another_program_judges_anew_meanwhile_is_left_to_it(
    project: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
):
    with Session(project) as session:
        add(session, 1, [[0], [0], [0], [1, 2]])
        before = everything(session, range(1, 5))
        again = tuple(block._replace(verdict=BlockClass.NON_CONTENT, rule="another rule") for block in before[1])
        whole = sites.repetition.repeated

        def meanwhile(pages: Sequence[NDArray[np.void]], first: Sequence[int]) -> Repetition:
            with session.write() as connection:
                store_blocks(connection, load_document(connection, 1), again)
            return whole(pages, first)

        with monkeypatch.context() as patch:
            patch.setattr(sites.repetition, "repeated", meanwhile)
            assert sites.judge_sites(ctx, session.project, {"site.example"}) == 2
        with session.read() as connection:
            assert fingerprints_of(connection, range(1, 5)).keys() == {2, 3, 4}
        assert everything(session, range(1, 2))[1] == again


@pytest.mark.parametrize("packed", [b"short", b"\0" * 12])
def test_a_damaged_fingerprint_is_reported(project: Path, ctx: Context, packed: bytes):
    with Session(project) as session:
        add(session, 1, [[0]] * 4)
        with session.write() as connection:
            store_fingerprints(connection, dict.fromkeys(range(1, 5), (packed, "")))
        with pytest.raises(ProjectError, match="damaged"):
            sites.judge_sites(ctx, session.project, {"site.example"})
