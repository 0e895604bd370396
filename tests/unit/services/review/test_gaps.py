"""Gaps of matches: every figure that says how much was matched leaves them out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from stored import A, B, store_run

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Results, Role, Span
from workbench.project.documents import add_documents
from workbench.project.matches import match_columns
from workbench.services.listing import pair_scores
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection, gather
from workbench.services.review.counting import read_counted
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import open_suspect, pairs
from workbench.services.review.pivot import Pivot, grouped
from workbench.services.scanning.running import counting
from workbench.services.scanning.settings import ScanSettings
from workbench.services.session import Session

FIRST = Match(1, 2, Span(2, 40), Span(0, 40), 9.0, {"segments": 1}, (Span(10, 20), Span(25, 30)), (Span(5, 10),))
SECOND = Match(1, 3, Span(15, 45), Span(10, 40), 5.0, {"segments": 1}, (Span(18, 28),))
MATCHED = len({*range(2, 10), *range(20, 25), *range(30, 40), *range(15, 18), *range(28, 45)})


@pytest.fixture
def run(session: Session) -> int:
    """A run that found FIRST and SECOND, which overlap in the suspect."""
    with session.write() as connection:
        add_documents(connection, [Document("c", B + "!", Role.SOURCE)])
    return store_run(session, [FIRST, SECOND]).id


def test_lists_pivots_shares_and_reports_agree(session: Session, run: int, tmp_path: Path) -> None:
    share = MATCHED / len(A)
    (row,) = listed_suspects(session, read_overview(session, run))
    assert row.coverage == pytest.approx(share)
    assert row.longest == 23
    assert {pair.b_id: pair.longest for pair in pairs(session, run)} == {"b": 23, "c": 20}
    counted = read_counted(session, run, 1).shares
    assert (counted.matched, counted.counted) == (MATCHED, MATCHED)
    of_pair = {row.b_id: (row.coverage_a, row.coverage_b) for row in pairs(session, run)}
    assert of_pair == {
        "b": (pytest.approx(23 / len(A)), pytest.approx(35 / len(B))),
        "c": (pytest.approx(20 / len(A)), pytest.approx(30 / len(B + "!"))),
    }
    overview = read_overview(session, run)
    assert overview.columns is not None
    for pivot, expected in {
        Pivot.SUSPECTS: {"a": share},
        Pivot.SOURCES: {"b": 35 / len(B), "c": 30 / len(B + "!")},
    }.items():
        listed = grouped(overview.columns, pivot, overview.suspects)
        assert {row.id: row.coverage for row in listed.rows} == pytest.approx(expected)
        assert max(row.longest for row in listed.rows) == (23 if pivot is Pivot.SUSPECTS else 35)
    assert sum(overview.columns.tiers[0].tolist()) == 23 + 20
    assert {p.b: (p.evidence["covered_a"], p.evidence["covered_b"]) for p in pair_scores(session, run)} == {
        2: (23, 35),
        3: (20, 30),
    }
    _, sources, _ = open_suspect(session, run, 1, None)
    assert [source.key for source in sources] == [2, 3]
    export(session, Selection(run=run), tmp_path / "r.jsonl")
    records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    assert [(r["characters"], r["counts"]) for r in records] == [(23, 23), (20, 20)]
    report = gather(NullProgress(), session, Selection(run=run))
    sections = list(report.sections())
    assert [section.coverage_a for section in sections] == pytest.approx([23 / len(A), 20 / len(A)])
    assert [passage.characters for section in sections for passage in section.passages] == [23, 20]
    assert report.cases[1].shares.matched == MATCHED


def test_what_is_left_out_of_a_match_with_gaps_is_counted_once(session: Session, run: int) -> None:
    exclude(session, [Exclusion(ExclusionKind.SOURCE, "c")], "test")
    counted = read_counted(session, run, 1)
    assert (counted.shares.matched, counted.shares.counted) == (MATCHED, 23)
    assert counted.shares.kept.tolist() == [source == 2 for source in counted.matches.b.tolist()]
    phrase, beginnings = A[20:25], (5, 20, 35)
    assert [at for at in range(len(A)) if A.startswith(phrase, at)] == [*beginnings]
    exclude(session, [Exclusion(ExclusionKind.PHRASE, phrase)], "test")
    assert read_counted(session, run, 1).shares.counted == 23 - len(beginnings) * len(phrase)


def test_a_match_is_as_long_as_what_it_covers(session: Session, run: int) -> None:
    exclude(session, [Exclusion(ExclusionKind.SHORTER, "21")], "test")
    counted = read_counted(session, run, 1)
    assert counted.shares.kept.tolist() == [source == 2 for source in counted.matches.b.tolist()]
    assert counted.shares.counted == 23
    with session.read() as connection:
        matches = match_columns(connection, run)
    short: Counter[str] = Counter()
    assert counting(Results(matches), ScanSettings(min_characters=31), short).matches.b.tolist() == [2]
    assert not len(counting(Results(matches), ScanSettings(min_characters=36), short).matches)
    assert sum(short.values()) == 3


@pytest.mark.usefixtures("run")
def test_of_two_sources_of_the_same_text_the_better_match_is_opened_first(session: Session) -> None:
    weaker = Match(1, 2, Span(2, 40), Span(0, 38), 0.98, {})
    better = Match(1, 3, Span(2, 40), Span(0, 38), 0.99, {})
    view, sources, _ = open_suspect(session, store_run(session, [weaker, better]).id, 1, None)
    assert view.b.key == 3
    assert [(source.number, source.key) for source in sources] == [(1, 3), (2, 2)]
