"""Directions of a finished run: read from stored dates, captures and texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scored import store

from workbench.base.types import Document, PairScore, Results, Role
from workbench.jobs.context import Context
from workbench.project.captures import ARCHIVED, Capture, Outcome, add_captures
from workbench.project.documents import add_documents
from workbench.project.pairs import pairs_of
from workbench.project.runs import load_run
from workbench.services.detecting.runs import detect
from workbench.services.relations.settling import _Settling
from workbench.services.session import Session, create

TEXT = [f"第{n}の文は、町の{n}番目の橋について書かれている。" for n in range(12)]
NEWS, COPIER = "https://news.example/a/1.html", "https://copier.example/x/9.html"


def page(url: str, text: list[str], **more: Any) -> Document:
    site = url.split("/")[2]
    return Document(url, "".join(text), Role.SUSPECT, url=url, site=site, language="ja", **more)


def stored(path: Path, *pages: Document) -> Session:
    """A new project with these pages."""
    create(path)
    session = Session(path)
    with session.write() as connection:
        add_documents(connection, list(pages))
    return session


def settled(path: Path, *pages: Document, captures: dict[str, list[Capture]] | None = None) -> dict[str, Any]:
    """The evidence of the only pair, and the ``original`` (the number of its page; 0: unknown)."""
    with stored(path, *pages) as session, session.write() as connection:
        for fetch, rows in (captures or {}).items():
            add_captures(connection, fetch, rows)
    detect(Context("test", lambda event: None, lambda: False), path, "rare-sentences", {}, workers=0)
    with Session(path, write=False) as session, session.read() as connection:
        (pair,) = pairs_of(connection, 1)
    original = {"b from a": pair.a, "a from b": pair.b}.get(pair.evidence["direction"], 0)
    return {**pair.evidence, "original": original}


def capture(url: str, document: int, moment: str) -> Capture:
    return Capture(url, url, moment, Outcome.NEW, 200, document)


@pytest.mark.slow
def test_a_copy_that_names_its_source_says_where_it_is_from(tmp_path: Path) -> None:
    copied = [*TEXT[:9], "（news.exampleより）"]
    evidence = settled(tmp_path / "p.palimpsest", page(NEWS, TEXT), page(COPIER, copied))
    assert (evidence["original"], evidence["direction_strength"]) == (1, "medium")
    assert "names the site of" in evidence["direction_reason"]


def test_an_archive_read_later_may_tell_of_a_time_before(tmp_path: Path) -> None:
    captures = {
        "day-1": [capture(COPIER, 2, "2026-03-02T00:00:00Z"), capture(NEWS, 1, "2026-03-02T00:00:00Z")],
        f"{ARCHIVED}crawl": [capture(NEWS, 1, "2026-02-01T00:00:00Z")],
    }
    evidence = settled(tmp_path / "p.palimpsest", page(NEWS, TEXT), page(COPIER, TEXT), captures=captures)
    assert evidence["original"] == 1
    assert "was captured before" in evidence["direction_reason"]


def test_a_last_change_is_not_a_date_of_publication(tmp_path: Path) -> None:
    early, late = "2026-03-01T00:00:00Z", "2026-03-05T00:00:00Z"
    for number, (news, by, known) in enumerate(((late, "sitemap", False), (early, "sitemap", True))):
        pages = page(NEWS, TEXT, published=news, dated_by=by), page(COPIER, TEXT, published="2026-03-03")
        evidence = settled(tmp_path / f"{number}.palimpsest", *pages)
        assert evidence["original"] == (1 if known else 0)


def test_a_page_that_marks_what_it_left_out_is_from_the_one_that_has_it(tmp_path: Path) -> None:
    excerpt = [*TEXT[:5], "（中略）", *TEXT[6:]]
    evidence = settled(tmp_path / "p.palimpsest", page(COPIER, excerpt), page(NEWS, TEXT))
    assert (evidence["original"], evidence["direction_strength"]) == (2, "weak")
    assert "marks an omission where" in evidence["direction_reason"]


def test_a_page_that_links_to_the_larger_one_it_is_taken_from_is_a_citation_in_either_order(tmp_path: Path) -> None:
    part, whole = TEXT[:4], [*TEXT, *(f"その{n}番目の橋は古い。石で出来ていて、今も人が渡っている。" for n in range(8))]
    for number, reverse in enumerate((False, True)):
        small, large = page(COPIER, part, links=(NEWS,)), page(NEWS, whole)
        path = tmp_path / f"cites{number}.palimpsest"
        evidence = settled(path, *((large, small) if reverse else (small, large)))
        assert "the smaller page links to the one its text is from" in evidence["decision"]
        other = tmp_path / f"cited{number}.palimpsest"
        small, large = page(COPIER, part), page(NEWS, whole, links=(COPIER,))
        evidence = settled(other, *((large, small) if reverse else (small, large)))
        assert "the smaller page links" not in evidence["decision"]


@pytest.mark.parametrize(("containment", "relation"), [(0.9, "shared sentences"), (0.91, "citation")])
def test_a_quoting_page_is_a_citation_above_the_limit_of_inclusion(
    tmp_path: Path, containment: float, relation: str
) -> None:
    ctx = Context("test", lambda event: None, lambda: False)
    with stored(tmp_path / "p.palimpsest", page(NEWS, TEXT), page(COPIER, TEXT[:4])) as session:
        quoting = {"link_ab": False, "link_ba": True, "characters_a": 900, "characters_b": 200, "decision": ""}
        stored_pair = PairScore(1, 2, 0.2, 0.2, containment, "shared sentences", quoting)
        settings = {"identical": 0.6, "inclusion": 0.9}
        run = store(session, "rare-sentences", Results(pairs=(stored_pair,)), settings)
        with session.read() as connection:
            (pair,) = pairs_of(connection, run)
            settled_pair = _Settling(ctx, connection, load_run(connection, run)).settled(pair)
    assert settled_pair.relation == relation


@pytest.mark.parametrize(("resemblance", "mirrored"), [(0.6, 0), (0.61, 1)])
def test_hosts_are_compared_by_their_pages_that_are_more_alike_than_the_limit(
    tmp_path: Path, resemblance: float, mirrored: int
) -> None:
    create(tmp_path / "p.palimpsest")
    ctx = Context("test", lambda event: None, lambda: False)
    with Session(tmp_path / "p.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, [page(NEWS, TEXT), page(COPIER, TEXT)])
        pair = PairScore(1, 2, resemblance, resemblance, 1.0, "mirror", {"decision": ""})
        run = store(session, "rare-sentences", Results(pairs=(pair,)), {"identical": 0.6, "inclusion": 0.9})
        with session.read() as connection:
            assert len(_Settling(ctx, connection, load_run(connection, run))._hosts) == mirrored


@pytest.mark.slow
def test_an_invalid_address_does_not_end_the_run(tmp_path: Path) -> None:
    broken = Document(
        "b", "".join(TEXT), Role.SUSPECT, url="http://[copier/a.html", site="copier.example", language="ja"
    )
    assert settled(tmp_path / "p.palimpsest", page(NEWS, TEXT), broken)["original"] == 0
