from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.base.errors import Cancelled, UserError
from workbench.base.types import BlockClass, Document, Role, Span
from workbench.cli.main import main
from workbench.jobs.chunks import Crash
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, load_document
from workbench.reading.formats.html import page
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.pages import decisions as blocks
from workbench.services.pages import judging, selectors
from workbench.services.pages.judging import JudgingOutcome, judge_pages
from workbench.services.session import Session, create

BODY = "".join(f"<p>これは{i}番目の段落であり、記事の本文として読まれるべき十分に長い文である。</p>" for i in range(6))
MARKUP = (
    "<html><head><title>記事</title><link rel=canonical href='http://news.example/1'></head><body>"
    "<div class=menu><a href='/a'>政治</a> <a href='/b'>経済</a> <a href='/c'>国際</a></div>"
    f"<div id=main>{BODY}</div><div id=box>枠の中の文である。ここも文である。</div></body></html>"
)


@pytest.fixture
def project(tmp_path: Path, ctx: Context) -> Path:
    path, file = tmp_path / "p.palimpsest", tmp_path / "page.html"
    create(path)
    file.write_text(MARKUP, encoding="utf-8")
    import_paths(ctx, path, [file], Role.SOURCE, ImportOptions(workers=1))
    return path


def content(path: Path) -> str:
    with Session(path) as session, session.read() as connection:
        document = load_document(connection, 1)
    return "\n".join(document.text[slice(*b.span)] for b in document.blocks if b.verdict is BlockClass.CONTENT)


@pytest.mark.slow
def test_another_rule_judges_the_pages_again_from_their_markup(project: Path, ctx: Context) -> None:
    first = content(project)
    assert "段落" in first
    assert "政治" not in first
    assert judge_pages(ctx, project, "all", workers=1) == JudgingOutcome(1, 1, 0)
    assert "政治" in content(project)
    assert judge_pages(ctx, project, "all", workers=1) == JudgingOutcome(1, 0, 0)
    judge_pages(ctx, project, workers=1)
    assert content(project) == first


@pytest.mark.slow
def test_a_selector_set_later_holds_after_judging_again(project: Path, ctx: Context) -> None:
    with Session(project) as session:
        selectors.choose(session, "news.example", "#box")
    judge_pages(ctx, project, workers=1)
    assert content(project) == "枠の中の文である。ここも文である。"


@pytest.mark.slow
def test_decisions_go_on_holding(project: Path, ctx: Context) -> None:
    with Session(project) as session:
        document = blocks.open_page(session, "page.html")
        menu = next(b for b in document.blocks if "政治" in document.text[slice(*b.span)])
        blocks.decide(session, document.key, [menu.span], BlockClass.CONTENT, "Ana")
    judge_pages(ctx, project, "kang", workers=1)
    assert "政治" in content(project)


@pytest.mark.slow
def test_a_page_whose_markup_gives_another_text_is_left_as_it_was(tmp_path: Path, ctx: Context) -> None:
    path = tmp_path / "old.palimpsest"
    create(path)
    read = page("<p>one</p><p>two</p>", "old")
    changed = Document("old", "one\nTWO", blocks=read.blocks, markup=read.markup)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [changed, replace(changed, id="text", markup="")])
    assert judge_pages(ctx, path, "kang", workers=1) == JudgingOutcome(1, 0, 1)
    with Session(path) as session:
        assert blocks.open_page(session, "old").blocks[1].span == Span(4, 7)


@pytest.mark.slow
def test_an_unknown_rule_is_refused_and_a_cancel_is_obeyed(project: Path, ctx: Context) -> None:
    with pytest.raises(UserError, match="no rule"):
        judge_pages(ctx, project, "nonsense")
    with pytest.raises(Cancelled):
        judge_pages(Context("t", lambda event: None, lambda: True), project, workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("words", [("judge", "a"), ("list", "a", "0"), ("list", "a", "0", "content")])
def test_the_verb_refuses_words_that_an_action_does_not_use(
    project: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blocks", str(project), *words]) == 2
    assert f"blocks {words[0]} " in capsys.readouterr().err


def test_only_the_page_that_a_process_dies_on_is_left(
    project: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [replace(page(MARKUP, f"more{n}"), role=Role.SUSPECT) for n in range(3)])
    whole = judging.map_chunks

    def dying(ctx: Context, function: object, chunks: list[list[int]], **more: object) -> Iterator[tuple[int, object]]:
        for index, chunk in enumerate(chunks):
            if 2 in chunk:
                yield index, Crash(-11, "It crashed.")
            else:
                for _, result in whole(ctx, function, [chunk], **more | {"workers": 0}):
                    yield index, result

    monkeypatch.setattr(judging, "map_chunks", dying)
    assert judge_pages(ctx, project, "all", workers=1) == JudgingOutcome(4, 3, 1)
