"""What counts, who said what, which side, in which order and with which sign, beside a plain reference over lists."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from scored import IDS, add, label, label_pairs, pairs, passages, scores, store
from stored import FIRST, PASSAGES, A, B, columns

from workbench.base.types import Document, Label, Match, Role, Span
from workbench.jobs.context import Context
from workbench.methods.digest.matching import COST_UNIT, rarity
from workbench.methods.rare_sentences.relations import Direction, Relation, interval
from workbench.project.labels import add_labels, current
from workbench.project.labels import events as events_of
from workbench.project.listing import DocumentItem
from workbench.services.labels import merging
from workbench.services.labels.targets import ADJUDICATOR, TargetKind, document_target
from workbench.services.measuring.evaluating import compare_runs, differences
from workbench.services.measuring.label_selection import Question, score
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold
from workbench.services.relations import settling
from workbench.services.relations.direction import PageAge, direction
from workbench.services.relations.hosts import HostPair
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pair_reader import Findings
from workbench.services.review import by_hand
from workbench.services.review.counting import read_counted
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude, of_passage
from workbench.services.review.judgement import CONFLICT, judgement
from workbench.services.review.shares import shares
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags_of
from workbench.services.watching import findings as watch_findings

# Who said what, and what holds.

people = st.sampled_from(("Ann", "Ben", "Cho", f"{ADJUDICATOR}:Ann", f"{ADJUDICATOR}:Dee"))
events = st.lists(
    st.tuples(people, st.sampled_from(("copy", "not-copy", "partial", "")), st.integers(0, 3)),
    max_size=6,
    unique_by=lambda event: event[0],
)


@example([("Ben", "copy", 0), ("Ann", "not-copy", 1)])
@example([("Ann", "copy", 1), ("Ben", "not-copy", 1), ("Cho", "copy", 0)])
@example([("Ann", "copy", 0), ("adjudicator:Dee", "copy", 1), ("adjudicator:Ann", "partial", 2)])
@given(events)
def test_what_holds_is_what_lists_say(verdicts: list[tuple[str, str, int]]) -> None:
    labels = [Label("t", value, who, f"2026-01-01T00:00:0{when}Z") for who, value, when in verdicts]
    in_order = sorted((when, who, value) for who, value, when in verdicts if value)
    reviewers = [(who, value) for _, who, value in in_order if not who.startswith(ADJUDICATOR)]
    settlers = [(who, value) for _, who, value in in_order if who.startswith(ADJUDICATOR)]
    holds = judgement(labels)
    if not in_order:
        assert holds is None
        return
    assert holds is not None
    assert [(one.who, one.value) for one in holds.verdicts] == reviewers
    last = settlers[-1] if settlers else reviewers[-1]
    assert (holds.label.who, holds.label.value) == last
    differ = len({value for _, value in reviewers}) > 1
    assert holds.value == (CONFLICT if differ and not settlers else last[1])


# Which side, and what is left out.

spans = st.tuples(st.integers(0, 20), st.integers(1, 9)).map(lambda p: Span(p[0], p[0] + p[1]))
awkward = st.lists(st.tuples(spans, spans), min_size=1, max_size=6, unique=True)


def _overlap(one: Span, other: Span) -> float:
    shared = max(0, min(one.end, other.end) - max(one.start, other.start))
    return shared / max(one.end - one.start, other.end - other.start)


@given(awkward, st.integers(1, 9), st.data())
def test_exclusions_reach_the_passages_that_lists_say(
    rows: list[tuple[Span, Span]], least: int, data: st.DataObject
) -> None:
    text = "abcdefghij" * 3
    matches = columns([Match(1, 2, a, b, 1.0) for a, b in rows])
    sources = {2: DocumentItem(2, "b", "", Role.SOURCE, "en", 30, "", "")}
    document, none = Document("a", text, key=1), np.zeros(len(rows), np.bool_)

    def kept(exclusion: Exclusion) -> list[bool]:
        return shares(document, matches, sources, [exclusion], none).kept.tolist()

    assert kept(Exclusion(ExclusionKind.SHORTER, str(least))) == [a.end - a.start >= least for a, _ in rows]
    one = data.draw(st.sampled_from(rows))
    chosen = of_passage(Match(1, 2, *one, 1.0), "a", "b")
    same = [min(_overlap(a, one[0]), _overlap(b, one[1])) >= 0.5 for a, b in rows]
    assert kept(chosen) == [not left_out for left_out in same]


@pytest.mark.parametrize(("a", "b", "kept"), [(4, 4, False), (5, 4, True), (4, 5, True), (0, 8, True), (8, 0, True)])
def test_an_exclusion_reaches_passages_that_share_half_on_both_sides(a: int, b: int, kept: bool) -> None:
    passage = Match(1, 2, Span(0, 8), Span(10, 18), 1.0)
    matches = columns([Match(1, 2, Span(a, a + 8), Span(10 + b, 18 + b), 1.0)])
    sources = {2: DocumentItem(2, "b", "", Role.SOURCE, "en", 30, "", "")}
    measured = shares(
        Document("a", "x" * 30, key=1), matches, sources, [of_passage(passage, "a", "b")], np.zeros(1, bool)
    )
    assert measured.kept.tolist() == [kept]


def test_a_passage_added_by_hand_counts_whatever_the_threshold(session: Session) -> None:
    used = UsedThreshold("digest", TargetKind.PASSAGE, 1000.0, 1, "verdict", 9, 1, 1, 1, (0, 1), (0, 1), corrected=True)
    use_threshold(session, used)
    assert read_counted(session, 1, 1).shares.counted == 0
    a, b = Document("a", A, Role.SUSPECT, key=1), Document("b", B, Role.SOURCE, key=2)
    by_hand.add(session, a, Span(0, 4), b, Span(50, 54), "Ann")
    assert read_counted(session, 1, 1).shares.counted == 4


@pytest.mark.parametrize("phrase", ["山路", "山路を登りながら、こう考えた。", "つけたし"])
def test_window_report_csv_and_json_count_the_same(session: Session, tmp_path: Path, phrase: str) -> None:
    exclude(session, [Exclusion(ExclusionKind.PHRASE, phrase)], "a formula", "Ann")
    counted = read_counted(session, 1, 1)
    shown = list(counted.counts().values())
    hidden = {at + i for at in range(len(A)) if A.startswith(phrase, at) for i in range(len(phrase))}
    by_lists = [len(set(range(*row.a_span)) - hidden) for row in PASSAGES[FIRST]]
    assert shown == by_lists
    assert counted.shares.counted == sum(by_lists)
    for suffix in (".csv", ".jsonl"):
        export(session, Selection(), tmp_path / f"r{suffix}")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig") as file:
        assert [int(row["counts"]) for row in csv.DictReader(file)] == by_lists
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["counts"] for line in lines if "counts" in line] == by_lists
    export(session, Selection(), tmp_path / "r.html")
    assert f"{sum(by_lists)}" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_common_phrase_is_one_that_more_documents_have_than_said() -> None:
    rows = [Match(1, 2, Span(9 * n, 9 * n + 5), Span(9 * n, 9 * n + 5), 1.0) for n in range(3)]
    others: Any = np.array([2, 3, 4])
    nothing: Any = None
    phrases = Findings(columns(rows), np.arange(3), others, 3, {}, nothing, [()] * 3, {})
    assert phrases.common_passages == 1


# Runs against labels, and against each other.


@pytest.fixture
def labelled(path: Path) -> Iterator[Session]:
    with Session(path) as session:
        add(session)
        label(session, {name: "splog" if name.startswith("s") else "blog" for name in IDS})
        yield session


def test_the_better_run_is_better_by_every_figure_and_the_other_worse(labelled: Session, ctx: Context) -> None:
    good, bad = (
        store(labelled, "copied-strings", scores(values)) for values in ([9, 8, 7, 1, 2, 3], [1, 9, 2, 8, 7, 6])
    )
    (better,) = differences(ctx, labelled.path, bad, [good], Question())
    (worse,) = differences(ctx, labelled.path, good, [bad], Question())
    assert better.f1 > 0 > worse.f1
    assert better.average_precision > 0 > worse.average_precision
    assert (better.f1, better.average_precision) == (-worse.f1, -worse.average_precision)
    assert better.f1 == pytest.approx(1 - compare_runs(labelled, bad, good).first.f1)


drawn_pairs = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.sampled_from((0.25, 0.5, 0.75, 1.0))).filter(
        lambda p: p[0] != p[1]
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda pair: pair[:2],
)


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Six documents of which two have a tag; each two have a label."""
    path = tmp_path_factory.mktemp("accounting") / "p.palimpsest"
    create(path)
    with Session(path) as session:
        add(session)
        every = {(a, b): "near-duplicate" if a[0] == b[0] else "not" for a in IDS for b in IDS if a < b}
        label_pairs(session, every)
        change_tags_of(session, ["s0", "b1"], ["mail"], [])
        yield session


@settings(max_examples=20, phases=(Phase.explicit, Phase.generate))
@given(drawn_pairs, st.sampled_from(("", "mail")))
def test_pairs_are_scored_and_chosen_as_lists_say(
    tagged: Session, rows: list[tuple[int, int, float]], tag: str
) -> None:
    run = store(tagged, "shingle", pairs({(a, b): value for a, b, value in rows}))
    _, scored = score(tagged, run, Question(tags=tag))
    by_name = dict(zip(scored.names, scored.scores.tolist(), strict=True))
    wanted = {(a, b) for a in IDS for b in IDS if a < b and (not tag or {a, b} & {"s0", "b1"})}
    assert by_name.keys() == wanted
    for (one, other), value in by_name.items():
        both = [v for a, b, v in rows if {IDS[a - 1], IDS[b - 1]} == {one, other}]
        assert value == max(both) if both else np.isnan(value)


# Copies of a log that come together.


def test_nothing_that_was_said_is_lost_or_out_of_order_when_copies_come_together(tmp_path: Path, ctx: Context) -> None:
    first, second = tmp_path / "a.palimpsest", tmp_path / "b.palimpsest"
    create(first)
    with Session(first) as session:
        add(session)
    second.write_bytes(first.read_bytes())
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def at(seconds: int, value: str, note: str = "", of: str = "s0") -> Label:
        when = (start + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return Label(document_target(of), value, "Ann", when, note=note, label_set="class")

    # At one moment another value, then another note; and a log that is not in the order of time.
    logs = {first: [at(5, "blog")], second: [at(9, "unsure"), at(7, "splog"), at(5, "splog"), at(5, "blog", "why")]}
    for path, log in logs.items():
        with Session(path) as session, session.write() as connection:
            add_labels(connection, log)
    result = merging.merge_batch(ctx, first, second, [merging.EVERYBODY])
    assert (result.added, result.failed) == (4, ())
    with Session(first, write=False) as session, session.read() as connection:
        assert current(connection, "class")[document_target("s0")].value == "unsure"
        fresh = [(event.when, event.value, event.note) for event in events_of(connection, "class")][1:]
    assert sorted(fresh) == sorted((event.when, event.value, event.note) for event in logs[second])
    assert [when for when, *_ in fresh] == sorted(when for when, *_ in fresh)


# Which way, and where a rule's limit lies.


def test_between_two_originals_a_date_tells_and_a_suspects_own_word_does_not() -> None:
    early, late = interval("2026-03-01"), interval("2026-03-09")
    for a_source in (True, False):
        for b_source in (True, False):
            one_way = direction(PageAge(early, is_source=a_source), PageAge(late, is_source=b_source)).direction
            other = direction(PageAge(late, is_source=a_source), PageAge(early, is_source=b_source)).direction
            assert one_way is (Direction.UNKNOWN if b_source and not a_source else Direction.B_FROM_A)
            assert other is (Direction.UNKNOWN if a_source and not b_source else Direction.A_FROM_B)


@pytest.mark.parametrize(
    ("pages", "relation"), [(2, "mirror"), (4, "mirror"), (5, "identical copy"), (6, "identical copy")]
)
def test_two_hosts_with_five_pages_in_common_are_mirrors_as_a_whole_or_not_at_all(pages: int, relation: str) -> None:
    pair: Any = SimpleNamespace(relation=Relation.MIRROR.value)
    hosts = HostPair(pages, covered=0.1, same_path=1.0, order=1.0, template=0.0)
    assert not hosts.is_mirror
    assert settling._identical(pair, hosts, owned=False, same_path=True)[0] == relation


@pytest.mark.parametrize("itself", [True, False])
@pytest.mark.parametrize("holding", [2, 3, 4, 9])
def test_how_rare_a_sentence_is_is_a_matter_of_the_other_documents(itself: bool, holding: int) -> None:
    # Of 64 documents, the pair in question not counted; by its letters it is as rare as can be.
    others = holding - (2 if itself else 1)
    (bits,) = rarity(np.array([99.0]), np.array([holding]), 64, itself=itself)
    assert bits == pytest.approx(99.0 if others == 0 else np.log2(64 / others), abs=1 / COST_UNIT)


class _Shapes:
    def of(self, _key: int) -> Any:
        return SimpleNamespace(length=100, address="", links=frozenset())


def _copy(source: int, start: int, length: int, page: int = 1) -> Any:
    match = SimpleNamespace(a=page, b=source, a_start=start, a_end=start + length, b_start=0, b_end=length)
    return SimpleNamespace(match=match, source=SimpleNamespace(key=source), page=SimpleNamespace(key=page))


@pytest.mark.parametrize(
    ("lengths", "stitched"), [((20, 20, 10), True), ((20, 20, 9), False), ((50, 40), False), ((5, 5, 5), False)]
)
def test_a_page_is_stitched_where_three_originals_make_up_half_of_it(
    monkeypatch: pytest.MonkeyPatch, lengths: tuple[int, ...], stitched: bool
) -> None:
    # What a former state of the page held does not count.
    monkeypatch.setattr(watch_findings, "as_matches", _as_matches)
    former = [_copy(7, 0, 90, page=0)]
    copies = former + [_copy(n + 2, 30 * n, length) for n, length in enumerate(lengths)]
    shapes: Any = _Shapes()
    assert watch_findings._is_stitched(copies, shapes) is stitched


def _as_matches(rows: list[Any]) -> Any:
    return columns([Match(m.a, m.b, Span(m.a_start, m.a_end), Span(m.b_start, m.b_end), 1.0) for m in rows])


def test_a_passage_on_which_reviewers_differ_counts_until_it_is_settled(path: Path) -> None:
    unit = Unit("s0", "b0", (Span(0, 10), Span(0, 10)))
    with Session(path) as session:
        add(session)
        run = store(session, "digest", passages(Match(1, 4, Span(0, 10), Span(0, 10), 1.0)))
        for who, value, counts in (("Ann", "copy", 10), ("Ben", "not-copy", 10), ("adjudicator:Cho", "not-copy", 0)):
            give_verdict(session, unit, value, "", who)
            assert read_counted(session, run, 1).shares.counted == counts
