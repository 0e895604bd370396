"""Runs may compare two suspects in different directions: what reviewers said and did about them holds in all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scored import passages, store

from workbench.base.evidence import ADDED
from workbench.base.types import Document, Match, Results, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, delete_documents, load_document
from workbench.services import listing
from workbench.services.choosing import find_run
from workbench.services.reports.cases import read_cases
from workbench.services.reports.decisions import decisions_about
from workbench.services.review.by_hand import add
from workbench.services.review.counting import find_common, follow_counted, read_counted, read_counted_shares
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.exclusions import exclude
from workbench.services.review.overview import OpenPair, follow_verdicts, read_overview
from workbench.services.review.pairs import ANYBODY, diff_runs, open_pair, open_suspect, pairs
from workbench.services.review.splitting import Cut, join, split, splits_of
from workbench.services.review.unplaced import unplaced
from workbench.services.review.verdicts import attach, give_verdict, judgement_of
from workbench.services.session import Session

LINE = "二人の学生が同じ文章を別々の報告に書き写したので、読む人は困ってしまった。"
TEXTS = ("甲" * 10 + LINE + "甲" * 400, "乙" * 60 + LINE + "乙" * 400)
HERE, THERE = Span(10, 10 + len(LINE)), Span(60, 60 + len(LINE))
ONE, OTHER = 1, 2
"""The runs that compare the second document with the first, and the first with the second."""


@pytest.fixture
def session(path: Path) -> Session:
    session = Session(path)
    with session.write() as connection:
        add_documents(connection, [Document(name, text, Role.SUSPECT) for name, text in zip("ab", TEXTS, strict=True)])
    assert store(session, "digest", passages(Match(2, 1, THERE, HERE, 1.0))) == ONE
    assert store(session, "digest", passages(Match(1, 2, HERE, THERE, 1.0))) == OTHER
    return session


def _verdicts(session: Session, run: int) -> dict[str, dict[str, int]]:
    return {row.id: dict(row.verdicts) for row in listed_suspects(session, read_overview(session, run))}


def _document(session: Session, key: int) -> Document:
    with session.read() as connection:
        return load_document(connection, key)


@pytest.mark.parametrize(("run", "again"), [(ONE, OTHER), (OTHER, ONE)])
def test_a_verdict_holds_in_a_run_that_compares_the_two_in_reverse(session: Session, run: int, again: int) -> None:
    before = read_overview(session, again)
    opened, counted = (
        open_pair(session, again, *((1, 2) if again == OTHER else (2, 1))),
        read_counted(session, again, 1),
    )
    assert counted.shares.counted_share > 0
    columns = read_overview(session, run).columns
    assert columns is not None
    label = give_verdict(session, columns.unit(0), "not-copy", "", "anna")
    assert _verdicts(session, run) == _verdicts(session, again) == {"a": {"not-copy": 1}, "b": {"not-copy": 1}}
    assert [read_counted(session, again, key).shares.counted_share for key in (1, 2)] == [0, 0]
    assert [dict(row.verdicts) for row in pairs(session, again)] == [{"not-copy": 1}]
    after = read_overview(session, again)
    assert after.columns is not None
    assert (after.unplaced, unplaced(session, after.columns)) == (0, [])
    followed = follow_verdicts(
        session, before, OpenPair(opened.a.id, opened.b.id, opened.matches, opened.last, "a"), counted
    )
    assert followed.overview.judged is not None
    assert after.judged is not None
    assert followed.overview.judged.values() == after.judged.values() == {0: "not-copy"}
    (judgement,) = followed.changed.values()
    assert judgement is not None
    assert judgement.value == "not-copy"
    assert followed.counted is not None
    assert followed.counted.shares.counted_share == 0
    with session.read() as connection:
        assert follow_counted(session, connection, counted, [label], after.last).shares.counted_share == 0
        assert [d.label.value for d in decisions_about(connection, [(opened.a.id, opened.b.id)])] == ["not-copy"]
    unit = after.columns.unit(0)
    give_verdict(session, unit, "", "", "anna")
    assert judgement_of(session, columns.unit(0)) is judgement_of(session, unit) is None
    assert _verdicts(session, run) == {"a": {}, "b": {}}


@pytest.mark.parametrize("count", [2, 4])
def test_a_removed_suspect_has_in_reports_the_share_that_review_shows(
    session: Session, ctx: Context, count: int
) -> None:
    rows = [Match(key, 1, THERE if key == 2 else HERE, HERE, 1.0) for key in range(2, count + 1)]
    with session.write() as connection:
        add_documents(connection, [Document(name, TEXTS[0] + name, Role.SUSPECT) for name in "cd"])
    run = store(session, "digest", passages(*rows))
    with session.write() as connection:
        delete_documents(connection, [1])
    shown = read_counted(session, run, 1).shares.counted_share
    assert shown > 0
    assert read_counted_shares(ctx, session.path, run, ANYBODY)[1] == shown
    cases = read_cases(session, find_run(session, run), pairs(session, run), None, either_side=True)
    assert cases.keys() == set(range(1, count + 1))
    assert cases[1].shares.counted_share == shown


def test_a_verdict_attached_to_a_passage_compared_in_reverse_is_on_it(session: Session) -> None:
    elsewhere = store(session, "digest", passages(Match(2, 1, Span(200, 230), Span(300, 330), 1.0)))
    columns, target = read_overview(session, elsewhere).columns, read_overview(session, OTHER).columns
    assert columns is not None
    assert target is not None
    label = give_verdict(session, columns.unit(0), "copy", "", "anna")
    assert read_overview(session, OTHER).unplaced == 1
    attach(session, label.target, target.unit(0), "anna")
    assert (_verdicts(session, OTHER), read_overview(session, OTHER).unplaced) == (
        {"a": {"copy": 1}, "b": {"copy": 1}},
        0,
    )
    assert _verdicts(session, ONE) == {"a": {"copy": 1}, "b": {"copy": 1}}


@pytest.mark.parametrize("run", [ONE, OTHER])
def test_a_passage_added_from_either_side_is_beside_those_of_the_run(session: Session, run: int) -> None:
    shares = [read_counted(session, run, key).shares.counted_share for key in (1, 2)]
    add(session, _document(session, 1), Span(100, 120), _document(session, 2), Span(200, 220), "anna")
    add(session, _document(session, 2), Span(300, 320), _document(session, 1), Span(300, 320), "anna")
    for key, before in zip((1, 2), shares, strict=True):
        assert read_counted(session, run, key).shares.counted_share > before
        view, (source,), others = open_suspect(session, run, key, None)
        assert (len(view.matches), source.matches, len(others)) == (3, 3, 0)
        assert int(view.matches.evidence[ADDED].sum()) == 2
    assert [(row.id, row.matches) for row in listed_suspects(session, read_overview(session, run))] == [
        *(("a", 3), ("b", 3))
    ]
    assert len([*listing.matches(session, run)]) == listing.count_matches(session, run) == 3


def test_passages_added_from_both_sides_to_a_pair_that_the_run_lacks_are_of_one_pair(session: Session) -> None:
    run = store(session, "digest", Results())
    add(session, _document(session, 1), Span(100, 120), _document(session, 2), Span(200, 220), "anna")
    add(session, _document(session, 2), Span(300, 320), _document(session, 1), Span(300, 320), "anna")
    assert [(row.id, row.matches) for row in listed_suspects(session, read_overview(session, run))] == [
        *(("a", 2), ("b", 2))
    ]


@pytest.mark.parametrize("crossed", [False, True])
def test_a_split_holds_in_a_run_that_compares_the_two_in_reverse(session: Session, crossed: bool) -> None:
    a, b = _document(session, 1), _document(session, 2)
    cut = Cut(HERE.start + 12, THERE.start + 20, crossed)
    split(session, a, b, (HERE, THERE), cut, "anna")
    limits = {}
    for run, keys in ((ONE, (2, 1)), (OTHER, (1, 2))):
        matches = open_pair(session, run, *keys).matches
        matches = matches.from_other_side() if run == ONE else matches
        limits[run] = {(*match.a_span, *match.b_span) for match in matches}
        assert len([*listing.matches(session, run)]) == listing.count_matches(session, run) == 2
    assert limits[ONE] == limits[OTHER] == {(*one, *other) for one, other in cut.halves(HERE, THERE)}
    join(session, splits_of(session, b, a, Span(THERE.start, cut.b)), "anna")
    assert len(open_pair(session, OTHER, 1, 2).matches) == 1


def test_runs_that_compare_in_different_directions_have_their_passages_in_common(session: Session) -> None:
    nearly = store(session, "digest", passages(Match(1, 2, HERE, Span(THERE.start, THERE.end + 3), 1.0)))
    for first, second in ((ONE, OTHER), (OTHER, ONE), (ONE, nearly)):
        difference = diff_runs(session, first, second)
        assert (len(difference.appeared), len(difference.vanished)) == (0, 0)
        shown = difference.common.a.tolist()
        assert np.array_equal(shown, [2] if second == ONE else [1])


@pytest.mark.parametrize("run", [ONE, OTHER])
def test_common_passages_of_all_documents_are_those_of_both_sides(session: Session, ctx: Context, run: int) -> None:
    with session.write() as connection:
        add_documents(connection, [Document("c", LINE, Role.BACKGROUND)])
    assert find_common(ctx, session.path, run, None, 1) == []
    assert [exclusion.suspect for exclusion in find_common(ctx, session.path, run, 1, 0)] == ["a"]
    everywhere = find_common(ctx, session.path, run, None, 0)
    assert [exclusion.suspect for exclusion in everywhere] == ["a", "b"]
    exclude(session, everywhere[:1])
    assert find_common(ctx, session.path, run, None, 0) == everywhere[1:]
    exclude(session, everywhere[1:])
    assert set(read_counted_shares(ctx, session.path, run, ANYBODY).values()) == {0.0}
