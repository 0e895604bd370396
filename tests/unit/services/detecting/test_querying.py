from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Match, PairScore, Role, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.documents import add_documents
from workbench.project.matches import matches_of
from workbench.project.runs import runs
from workbench.project.scores import scores_of
from workbench.services.detecting.querying import FALLBACK, Lookup, as_file, as_text, look_up
from workbench.services.detecting.runs import detect
from workbench.services.session import Session, create

COPIED = (
    "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
    "とかくに人の世は住みにくい。住みにくさが高じると、安い所へ引き越したくなる。"
)
OTHER = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.palimpsest"
    create(path)
    documents = [
        Document("kusamakura", COPIED * 2, Role.SOURCE),
        Document("neko", OTHER * 2, Role.SOURCE),
        Document("essay", "随筆の書き出しである。" + OTHER, Role.SUSPECT),
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
    return path


def sources(lookup: Lookup, method: str) -> set[str]:
    return {hit.document.id for hit in lookup.hits if hit.method == method}


def test_without_any_index_one_is_built(project: Path, ctx: Context):
    lookup = look_up(ctx, project, as_text("前置きの文である。" + COPIED, "mine"))
    assert list(lookup.by_method) == [FALLBACK]
    assert sources(lookup, FALLBACK) == {"kusamakura"}
    best = lookup.hits[0]
    assert isinstance(best.finding, Match)
    assert best.finding.a_span == Span(9, 9 + len(COPIED))
    assert best.excerpt == COPIED
    with Session(project) as session, session.read() as connection:
        assert runs(connection) == []


def test_the_best_match_of_a_text_comes_first(project: Path, ctx: Context):
    lookup = look_up(ctx, project, as_text(OTHER[:25] + "と書いた。" + COPIED, "mine"), FALLBACK)
    assert [hit.document.id for hit in lookup.hits] == ["kusamakura", "neko"]
    assert lookup.hits[0].finding.score > lookup.hits[1].finding.score


@pytest.mark.slow
def test_every_index_that_runs_left_is_asked_and_the_others_are_named(project: Path, ctx: Context):
    for method in ("digest", "minhash", "rare-sentences"):
        detect(ctx, project, method, {}, workers=1)
    lookup = look_up(ctx, project, as_text(COPIED, "mine"))
    assert set(lookup.by_method) == {"digest", "minhash"}
    assert set(lookup.unasked) == {"rare-sentences"}
    assert sources(lookup, "digest") == sources(lookup, "minhash") == {"kusamakura"}
    digest, minhash = (next(h for h in lookup.hits if h.method == m) for m in ("digest", "minhash"))
    assert isinstance(digest.finding, Match)
    assert isinstance(minhash.finding, PairScore)


@pytest.mark.slow
@pytest.mark.parametrize("method", registry.names())
def test_each_method_says_of_a_text_what_it_says_of_it_once_imported(project: Path, ctx: Context, method: str):
    text = OTHER + "ここは自分で書いた文である。" + COPIED
    by_method = look_up(ctx, project, as_text(text, "mine"), method)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("mine", text, Role.SUSPECT)])
    lookup = look_up(ctx, project, as_text(text, "again"), method)
    run = detect(ctx, project, method, {}, workers=1)
    with Session(project) as session, session.read() as connection:
        stored = matches_of(connection, run.id, a=4)
    own = [hit.finding for hit in by_method.hits if isinstance(hit.finding, Match)]
    assert sorted((m.b, *m.a_span, *m.b_span) for m in own) == sorted((m.b, *m.a_span, *m.b_span) for m in stored)
    assert lookup.text.key == 5
    if own:
        assert sources(by_method, method) >= {"kusamakura"}


@pytest.mark.slow
@pytest.mark.parametrize("method", [None, "copies", "digest", "initials", "winnowing"])
def test_in_a_project_without_sources_a_text_is_compared_with_the_suspects(
    tmp_path: Path, ctx: Context, method: str | None
):
    project = tmp_path / "p.palimpsest"
    create(project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("neko", OTHER * 2, Role.SUSPECT)])
    name = method or FALLBACK
    lookup = look_up(ctx, project, as_text("前置きの文である。" + OTHER, "mine"), method)
    assert sources(lookup, name) == {"neko"}
    assert lookup.by_method[name]["compare"] == "all"
    if method is not None:
        assert not look_up(ctx, project, as_text(OTHER, "mine"), method, {"compare": "sources"}).hits


@pytest.mark.slow
@pytest.mark.parametrize("method", ["copied-strings", "trustable-lcs"])
def test_a_text_is_looked_up_in_documents_with_the_tags_alone(tmp_path: Path, ctx: Context, method: str):
    project = tmp_path / "p.palimpsest"
    create(project)
    tags = {"old": ("early",), "new": ("late",), "other": ("early", "late")}
    texts = {"old": COPIED, "new": COPIED, "other": OTHER}
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document(name, texts[name] * 2, Role.SUSPECT, tags=tags[name]) for name in texts])
    for tag, document in (("early", "old"), ("late", "new")):
        lookup = look_up(ctx, project, as_text(COPIED, "mine"), method, {"suspect_tags": tag})
        assert sources(lookup, method) == {document}


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.SOURCE, Role.SUSPECT])
def test_a_text_has_the_spam_score_that_it_has_once_imported(tmp_path: Path, ctx: Context, role: Role):
    project = tmp_path / "p.palimpsest"
    create(project)
    entries = [Document(f"e{i}", f"{i}日目。{COPIED[i:]}{OTHER[i:]}", role if i else Role.SUSPECT) for i in range(6)]
    text = "二" * 20 + COPIED + OTHER[::-1]
    with Session(project) as session, session.write() as connection:
        add_documents(connection, entries)
    detect(ctx, project, "splog", {}, workers=1)
    among = look_up(ctx, project, as_text(text, "mine"))
    assert set(among.unasked) == {"splog"}
    ((_, own),) = look_up(ctx, project, as_text(text, "mine"), "splog").scores
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("mine", text, Role.SUSPECT)])
    run = detect(ctx, project, "splog", {}, workers=1)
    with Session(project) as session, session.read() as connection:
        stored = next(s for s in scores_of(connection, run.id) if s.document == own.document)
    assert (own.score, dict(own.evidence)) == (stored.score, dict(stored.evidence))


@pytest.mark.slow
def test_a_text_without_text_is_refused(project: Path, ctx: Context, tmp_path: Path):
    with pytest.raises(UserError, match="no text"):
        as_text(" \n", "mine")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "一つ目"}\n{"text": "二つ目"}\n', encoding="utf-8")
    with pytest.raises(UserError, match="several texts"):
        as_file(ctx, rows)
    rows.write_bytes(b"")
    with pytest.raises(UserError):
        as_file(ctx, rows)


@pytest.mark.slow
def test_bytes_of_any_encoding_are_read(tmp_path: Path, ctx: Context):
    assert as_text(COPIED.encode("euc-jp"), "-").text == COPIED
    file = tmp_path / "mine.html"
    file.write_text(f"<html><body><p>{COPIED}</p></body></html>", encoding="utf-8")
    assert COPIED in as_file(ctx, file).text


def test_a_project_without_documents_says_so(tmp_path: Path, ctx: Context):
    create(tmp_path / "empty.palimpsest")
    with pytest.raises(UserError, match="no documents"):
        look_up(ctx, tmp_path / "empty.palimpsest", as_text(COPIED, "mine"))
