"""Passages found by hand are matches of every run: counted, shown, judged and reported like the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text
from stored import FIRST, PASSAGES

from workbench.base.evidence import ADDED
from workbench.base.types import Span
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.queries import documents_page
from workbench.services.reports.exporting import Selection, export_report
from workbench.services.review.by_hand import add, pairs_with_added, restore, withdraw
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import quality, read_overview
from workbench.services.review.pairs import open_pair, open_suspect, pairs
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session


def add_by_hand(session: Session) -> str:
    with session.read() as connection:
        a, b = load_document(connection, 1), load_document(connection, 2)
    return add(session, a, Span(0, 3), b, Span(1, 4), "A. Reader").target


def test_it_is_counted_and_shown_with_the_others(session: Session) -> None:
    before, (row,) = open_pair(session, 1, 1, 2), listed_suspects(session, read_overview(session, 1))
    add_by_hand(session)
    after, (counted,) = open_pair(session, 1, 1, 2), listed_suspects(session, read_overview(session, 1))
    assert len(after.matches) == len(before.matches) + 1 == counted.matches == row.matches + 1
    assert pairs(session, 1)[0].matches == counted.matches
    assert documents_page(session).table.matches.tolist() == [counted.matches] * 2
    assert counted.coverage >= row.coverage
    flags = after.matches.evidence[ADDED].tolist()
    spans = list(zip(after.matches.a_start.tolist(), after.matches.b_start.tolist(), strict=True))
    assert [span for span, flag in zip(spans, flags, strict=True) if flag] == [(0, 1)]
    assert len(open_suspect(session, 1, 1, None)[0].matches) == len(after.matches)


def test_it_is_listed_beside_pairs_that_are_all_damaged(session: Session) -> None:
    add_by_hand(session)
    with session.write() as connection:
        connection.execute(text("UPDATE pair SET evidence = '{'"))
    with session.read() as connection:
        (pair,) = pairs_with_added(connection, 1)
    assert (pair.a, pair.b, pair.matches) == (1, 2, len(open_pair(session, 1, 1, 2).matches))


def test_the_lists_are_read_again_where_one_was_added_or_withdrawn(session: Session) -> None:
    first = read_overview(session, 1)
    assert first.columns is not None
    assert read_overview(session, 1, first.columns).columns is first.columns
    label = None
    with session.read() as connection:
        a, b = load_document(connection, 1), load_document(connection, 2)
    label = add(session, a, Span(0, 3), b, Span(1, 4), "A. Reader")
    second = read_overview(session, 1, first.columns)
    assert second.columns is not None
    assert len(second.columns.matches) == len(first.columns.matches) + 1
    withdraw(session, label.target, "A. Reader")
    third = read_overview(session, 1, second.columns)
    assert third.columns is not None
    assert len(third.columns.matches) == len(first.columns.matches)
    restore(session, label)
    assert listed_suspects(session, read_overview(session, 1))[0].matches == len(first.columns.matches) + 1


def test_what_the_run_finds_itself_is_not_doubled(session: Session) -> None:
    match = PASSAGES[FIRST][0]
    with session.read() as connection:
        a, b = load_document(connection, 1), load_document(connection, 2)
    add(session, a, match.a_span, b, match.b_span, "A. Reader")
    assert listed_suspects(session, read_overview(session, 1))[0].matches == len(PASSAGES[FIRST])


def test_a_verdict_on_it_counts_and_the_method_missed_it(session: Session) -> None:
    add_by_hand(session)
    give_verdict(session, Unit("a", "b", (Span(0, 3), Span(1, 4))), "copy", who="A. Reader")
    overview = read_overview(session, 1)
    assert overview.columns is not None
    assert overview.judged is not None
    assert list(overview.judged.values().values()) == ["copy"]
    at = quality(overview.columns, overview.judged, 0)
    assert (at.copies, at.precision, at.recall) == (1, None, 0.0)


def test_it_is_reported_like_the_others(session: Session, ctx: Context, tmp_path: Path) -> None:
    add_by_hand(session)
    export_report(ctx, session.path, Selection(1, "a"), tmp_path / "r.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    assert [(r["a_start"], r["b_start"]) for r in rows if r["evidence"].get(ADDED) in ("1", 1, "1.0")] == [(0, 1)]
    assert len(rows) == len(PASSAGES[FIRST]) + 1


def test_an_empty_side_is_refused(session: Session) -> None:
    with session.read() as connection:
        a, b = load_document(connection, 1), load_document(connection, 2)
    with pytest.raises(ValueError, match="both sides"):
        add(session, a, Span(0, 3), b, Span(2, 2), "A. Reader")


def test_a_match_at_the_threshold_is_above_it_and_what_a_person_found_the_method_missed(session: Session) -> None:
    target = add_by_hand(session)
    overview = read_overview(session, 1)
    assert overview.columns is not None
    scores = overview.columns.matches.score.tolist()
    # As sure as the surest of the run, so that no threshold hides it.
    assert scores == [PASSAGES[FIRST][0].score, PASSAGES[FIRST][1].score, PASSAGES[FIRST][0].score]
    for match in PASSAGES[FIRST]:
        give_verdict(session, Unit("a", "b", (match.a_span, match.b_span)), "copy", "", "A. Reader")
    give_verdict(session, Unit("a", "b", (Span(0, 3), Span(1, 4))), "copy", "", "A. Reader")
    overview = read_overview(session, 1)
    assert overview.columns is not None
    assert overview.judged is not None
    for threshold, recall in ((PASSAGES[FIRST][1].score, 2 / 3), (PASSAGES[FIRST][0].score, 1 / 3)):
        assert quality(overview.columns, overview.judged, threshold).recall == pytest.approx(recall)
    assert target
