"""A passage that a reviewer splits is two, wherever it is listed, counted, judged and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored import FIRST, PASSAGES, SHIFTED, A, B, store_run

from workbench.base.evidence import ADDED
from workbench.base.types import Document, Match, Matches, Span, Tier
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services import listing
from workbench.services.reports.exporting import Selection, export_report
from workbench.services.review.by_hand import add
from workbench.services.review.counting import read_counted
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import open_pair, open_suspect, pairs
from workbench.services.review.passages import passages
from workbench.services.review.splitting import SPLIT, Cut, cut_at, join, split, split_again
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]
PLACE = LONG.a_span.start + 15
"""Behind the first of three sentences."""
CUT = Cut(PLACE, LONG.b_span.start + 15)
HALVES = [
    (LONG.a_span.start, PLACE, LONG.b_span.start, CUT.b),
    (PLACE, LONG.a_span.end, CUT.b, LONG.b_span.end),
]
REST = (*TAIL.a_span, *TAIL.b_span)


def _documents(session: Session) -> tuple[Document, Document]:
    with session.read() as connection:
        return load_document(connection, 1), load_document(connection, 2)


def _split(session: Session, cut: Cut = CUT) -> object:
    return split(session, *_documents(session), (LONG.a_span, LONG.b_span), cut, "A. Reader")


def _limits(matches: Matches) -> list[tuple[int, int, int, int]]:
    m = matches
    return list(zip(*(c.tolist() for c in (m.a_start, m.a_end, m.b_start, m.b_end)), strict=True))


def test_both_parts_are_in_its_place_with_what_they_share(session: Session) -> None:
    before = read_counted(session, 1, 1).shares
    row, (pair,) = listed_suspects(session, read_overview(session, 1))[0], pairs(session, 1)
    _split(session)
    after = open_pair(session, 1, 1, 2).matches
    assert _limits(after) == [*HALVES, REST]
    assert [Tier(tier) for tier in after.tier.tolist()] == [Tier.EXACT, Tier.EXACT, Tier.EXACT]
    assert _limits(open_suspect(session, 1, 1, None)[0].matches) == _limits(after)
    now = read_counted(session, 1, 1).shares
    assert now.counted_share == before.counted_share
    (listed,), (counted,) = listed_suspects(session, read_overview(session, 1)), pairs(session, 1)
    assert (listed.matches, listed.passages) == (row.matches + 1, row.passages + 1)
    assert (listed.coverage, listed.score) == (row.coverage, row.score)
    assert (counted.matches, counted.coverage_a, counted.score) == (pair.matches + 1, pair.coverage_a, pair.score)


def test_the_parts_are_no_one_passage_though_they_touch(session: Session) -> None:
    _split(session)
    assert passages(open_pair(session, 1, 1, 2).matches).tolist() == [0, 1, 1]


def test_one_join_gives_the_passage_back_and_it_can_be_split_again(session: Session) -> None:
    label = _split(session)
    join(session, [label], "A. Reader")
    assert _limits(open_pair(session, 1, 1, 2).matches) == [(*LONG.a_span, *LONG.b_span), REST]
    split_again(session, [label])
    assert _limits(open_pair(session, 1, 1, 2).matches) == [*HALVES, REST]


def test_a_verdict_given_before_holds_for_both_parts_and_each_takes_its_own(session: Session) -> None:
    give_verdict(session, Unit("a", "b", (LONG.a_span, LONG.b_span)), "copy", who="A. Reader")
    label = _split(session)
    assert [j and j.value for j in open_pair(session, 1, 1, 2).judgements] == ["copy", "copy", None]
    spans = Span(*HALVES[1][:2]), Span(*HALVES[1][2:])
    give_verdict(session, Unit("a", "b", spans), "not-copy", who="A. Reader")
    assert [j and j.value for j in open_pair(session, 1, 1, 2).judgements] == ["copy", "not-copy", None]
    join(session, [label], "A. Reader")
    assert [j and j.value for j in open_pair(session, 1, 1, 2).judgements] == ["copy", None]


def test_a_later_run_with_other_limits_is_split_at_the_same_place(session: Session) -> None:
    _split(session)
    later = store_run(session, PASSAGES[SHIFTED])
    assert _limits(open_pair(session, later.id, 1, 2).matches) == [
        (LONG.a_span.start + 2, PLACE, 2, CUT.b),
        (PLACE, LONG.a_span.end, CUT.b, LONG.b_span.end),
    ]


def test_a_passage_added_by_hand_can_be_split_too(session: Session) -> None:
    a, b = _documents(session)
    add(session, a, Span(0, 4), b, Span(50, 54), "A. Reader")
    split(session, a, b, (Span(0, 4), Span(50, 54)), Cut(2, 52), "A. Reader")
    assert _limits(open_pair(session, 1, 1, 2).matches)[:2] == [(0, 2, 50, 52), (2, 4, 52, 54)]


def test_the_parts_of_a_passage_added_by_hand_are_listed_as_added(session: Session) -> None:
    a, b = _documents(session)
    where = (Span(0, 4), Span(50, 54))
    add(session, a, where[0], b, where[1], "A. Reader")
    split(session, a, b, where, Cut(2, 52), "A. Reader")
    rows = list(listing.matches(session, 1))
    assert len(rows) == listing.count_matches(session, 1) == len(PASSAGES[FIRST]) + 2
    parts = [match for match in rows if match.a_span.end <= 4]
    assert [(match.a_span, match.evidence[ADDED]) for match in parts] == [(Span(0, 2), 1), (Span(2, 4), 1)]


def test_reports_and_the_list_of_matches_name_both(session: Session, ctx: Context, tmp_path: Path) -> None:
    _split(session)
    for name in ("r.jsonl", "r.csv", "r.html"):
        export_report(ctx, session.path, Selection(1, "a"), tmp_path / name)
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    assert [(r["a_start"], r["a_end"], r["b_start"], r["b_end"]) for r in rows] == [*HALVES, REST]
    assert [bool(r["evidence"].get(SPLIT)) for r in rows] == [True, True, False]
    assert len((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()) == 4
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count("Split by") == 2
    listed = [(*m.a_span, *m.b_span) for m in listing.matches(session, 1)]
    assert sorted(listed) == sorted([*HALVES, REST])
    assert listing.count_matches(session, 1) == 3 == listing.count_matches(session, 1, document="b")


def test_a_part_without_text_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="both sides"):
        _split(session, Cut(PLACE, LONG.b_span.start))


def test_the_lists_are_read_again(session: Session) -> None:
    first = read_overview(session, 1)
    _split(session)
    second = read_overview(session, 1, first.columns)
    assert first.columns is not None
    assert second.columns is not None
    assert len(second.columns.matches) == len(first.columns.matches) + 1


ONE = "The harbour was closed for eleven days after the storm. "
TWO = "No ship had been lost, though three were driven ashore. "
EINS = "前年の秋に橋が流された。その日は雨だった。"
ZWEI = "村人は舟で川を渡った。春には新しい橋ができた。"
OTHER = "去年秋天那座桥被水冲走了。那天下着雨。"
NEXT = "村里的人坐船过河，春天才有了新的桥。"


def _whole(a: str, b: str) -> Match:
    return Match(1, 2, Span(0, len(a)), Span(0, len(b)), 1.0)


@pytest.mark.parametrize(("one", "two"), [(ONE, TWO), (EINS, ZWEI), (OTHER, NEXT)])
def test_the_other_side_is_split_where_the_alignment_says(one: str, two: str) -> None:
    assert cut_at(one + two, one + two, _whole(one + two, one + two), len(one)) == Cut(len(one), len(one))
    changed = one.replace(one[4:7], "x")
    assert cut_at(one + two, changed + two, _whole(one + two, changed + two), len(one)) == Cut(len(one), len(changed))
    back = cut_at(one + two, changed + two, _whole(one + two, changed + two), len(changed), in_suspect=False)
    assert back == Cut(len(one), len(changed))


@pytest.mark.parametrize(("one", "two"), [(ONE, TWO), (EINS, ZWEI), (OTHER, NEXT)])
def test_sentences_in_another_order_each_keep_their_own(one: str, two: str) -> None:
    a, b = one + two, two + one
    cut = cut_at(a, b, _whole(a, b), len(one))
    assert cut == Cut(len(one), len(two), crossed=True)
    halves = cut.halves(Span(0, len(a)), Span(0, len(b)))
    assert [(a[x.start : x.end], b[y.start : y.end]) for x, y in halves] == [(one, one), (two, two)]
    assert cut_at(a, b, _whole(a, b), len(two), in_suspect=False) == cut


def test_a_place_outside_a_passage_splits_nothing() -> None:
    match = Match(1, 2, Span(5, len(A)), Span(0, len(B)), 1.0)
    assert cut_at(A, B, match, 5) is None
    assert cut_at(A, B, match, len(A)) is None
