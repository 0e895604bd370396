"""What labels say and how runs fare by them, beside the same accounting over plain lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from plain import SETTLES, Statement, decided, mcnemar, merged, outcome, rates, standing
from scored import IDS, add, label, label_pairs, pairs, refer, store
from scored import passages as results
from scored import scores as scored_by

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Match, Role, Span
from workbench.jobs.context import Context
from workbench.project import labels as log
from workbench.project.documents import add_documents
from workbench.project.imports import begin_batch, finish_batch
from workbench.project.labels import add_labels
from workbench.project.runs import as_part, load_run
from workbench.services.choosing import find_run
from workbench.services.labels import merging
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import document_target
from workbench.services.measuring.evaluating import compare_runs, evaluate
from workbench.services.measuring.figure_request import finished_runs
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import Cell, read_scored_run
from workbench.services.review.verdicts import Unit, judgement_of
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags_of
from workbench.services.watching.cases import CaseState, read_cases, read_cases_of

people = st.sampled_from(("Ann", "Ben", "Cho", "adjudicator:Ann", "adjudicator:Dee"))
values = st.sampled_from(("splog", "splog", "blog", "unsure", ""))
statements_drawn = st.lists(
    st.tuples(st.sampled_from(IDS), st.builds(Statement, people, values, st.integers(0, 4))),
    max_size=24,
    unique_by=lambda one: (one[0], one[1].who, one[1].when),
)
_numbers = count()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Six suspects, two of them tagged, and a source."""
    path = tmp_path_factory.mktemp("measures") / "p.palimpsest"
    create(path)
    with Session(path) as opened:
        add(opened)
        add(opened, ["source"], Role.SOURCE)
        change_tags_of(opened, ["s0", "b1"], ["mail"], [])
        yield opened


def at(when: int) -> str:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=when)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def say(session: Session, statements: Sequence[tuple[str, Statement]], label_set: str) -> None:
    events = [Label(document_target(of), s.value, s.who, at(s.when), label_set=label_set) for of, s in statements]
    with session.write() as connection:
        add_labels(connection, events)


def by_document(statements: Sequence[tuple[str, Statement]]) -> dict[str, list[Statement]]:
    things = dict.fromkeys(of for of, _ in statements)
    own = {thing: [s for of, s in statements if of == thing] for thing in things}
    return {thing: events for thing, events in own.items() if standing(events)}


@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@example([("s0", Statement("Ann", "splog", 1)), ("s0", Statement("Ben", "splog", 1)), ("s0", Statement("Ben", "", 2))])
@example([("s0", Statement("adjudicator:Dee", "blog", 3)), ("s0", Statement("adjudicator:Ann", "splog", 3))])
@example([("s0", Statement("Ann", "splog", 0)), ("s0", Statement("Ben", "blog", 0))])
@given(statements_drawn)
def test_what_labels_say_is_what_lists_say(session: Session, statements: list[tuple[str, Statement]]) -> None:
    label_set = f"set{next(_numbers)}"
    say(session, statements, label_set)
    expected = by_document(statements)
    with session.read() as connection:
        assert (label_set, "document") in log.target_kinds(connection) or not expected
        last = log.latest_values(connection, label_set)
        order = {t: [*by] for t, by in log.by_annotator(connection, label_set).items()}
    assert last == {document_target(of): standing(events)[-1].value for of, events in expected.items()}
    assert order == {document_target(of): [s.who for s in standing(events)] for of, events in expected.items()}
    if not expected:
        return
    states = {target: state.value for target, state in settled(session, label_set).items()}
    assert states == {document_target(of): decided(events) for of, events in expected.items()}


pairs_of_matches = st.lists(
    st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(1, 3)).filter(lambda p: p[0] != p[1] and p[0] < 7),
    max_size=7,
    unique_by=lambda pair: pair[:2],
)


def _summed(rows: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    """Of a document the sum of its matches, on either side; of two compared both ways the greater one, once."""
    names = (*IDS, "source")
    both: dict[frozenset[int], int] = {}
    for a, b, score in rows:
        both[frozenset((a, b))] = max(score, both.get(frozenset((a, b)), 0))
    return {name: float(sum(s for pair, s in both.items() if key in pair)) for key, name in enumerate(names, 1)}


@settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
@example(
    [(n, Statement("Ann", "splog" if n[0] == "s" else "blog", 0)) for n in IDS], [(1, 5, 2), (2, 1, 1)], [1] * 6, ""
)
@given(
    statements_drawn,
    pairs_of_matches,
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
    st.sampled_from(("", "mail")),
)
def test_runs_are_measured_and_compared_as_lists_do(
    session: Session,
    statements: list[tuple[str, Statement]],
    rows: list[tuple[int, int, int]],
    figures: list[int],
    tag: str,
) -> None:
    label_set = f"set{next(_numbers)}"
    # There is something to look for and something to tell it from: else a measurement is refused.
    statements = [
        *statements,
        ("s0", Statement(f"{SETTLES}Zoe", "splog", 9)),
        ("b1", Statement(f"{SETTLES}Zoe", "blog", 9)),
    ]
    say(session, statements, label_set)
    truth = {of: value for of, events in by_document(statements).items() if (value := decided(events))}
    chosen = [n for n in IDS if truth.get(n) in ("splog", "blog") and (not tag or n in ("s0", "b1"))]
    positive = {n: truth[n] == "splog" for n in chosen}
    one = (
        store(session, "digest", results(*(Match(a, b, Span(0, 4), Span(0, 4), s) for a, b, s in rows))) if rows else 0
    )
    other = store(session, "copied-strings", scored_by([float(f) for f in figures]))
    score_of = {other: dict(zip(IDS, map(float, figures), strict=True)), one: _summed(rows)}
    question = Question(labels=label_set, positive=("splog",), tags=tag)
    expected = {}
    for run in (one, other) if rows else (other,):
        plain = rates([(score_of[run][n], positive[n]) for n in chosen])
        expected[run] = plain
        measured = evaluate(session, run, question)
        assert (measured.threshold, measured.labelled) == (plain.threshold, len(chosen))
        for rate in ("precision", "recall", "f1", "average_precision"):
            assert getattr(measured, rate) == pytest.approx(float(getattr(plain, rate)))
        _check_lists(session, measured, run, score_of[run], positive, question)
    if not rows:
        return
    for first, second in permutations((one, other)):
        compared = compare_runs(session, first, second, question)
        assert compared.items == len(chosen)
        assert compared.difference == pytest.approx(
            float(expected[first].average_precision - expected[second].average_precision)
        )
        assert compared.first.f1 - compared.second.f1 == pytest.approx(float(expected[first].f1 - expected[second].f1))
        right = [
            [(score_of[run][n] >= expected[run].threshold) == positive[n] for n in chosen] for run in (first, second)
        ]
        assert compared.p == pytest.approx(float(mcnemar(*right)))


def _check_lists(
    session: Session, measured: Any, run: int, score_of: dict[str, float], positive: dict[str, bool], question: Question
) -> None:
    """The lists of errors, of the command line and of the window, name the same documents, the surest first."""
    wrong = [n for n, yes in positive.items() if not yes and score_of[n] >= measured.threshold]
    missed = [n for n, yes in positive.items() if yes and score_of[n] < measured.threshold]
    assert [score_of[n] for (n,) in measured.false_positives] == sorted((score_of[n] for n in wrong), reverse=True)
    assert [score_of[n] for (n,) in measured.false_negatives] == sorted(score_of[n] for n in missed)
    with session.read() as connection:
        from workbench.project.runs import load_run

        stored_run = load_run(connection, run)
    scored = read_scored_run(session, stored_run, question)
    errors = {Cell.FALSE_POSITIVE: measured.false_positives, Cell.FALSE_NEGATIVE: measured.false_negatives}
    for cell, names in errors.items():
        in_window = [scored.identity(int(scored.a[row])) for row in scored.cell(cell, measured.threshold).tolist()]
        assert Counter(in_window) == Counter(n for (n,) in names)
        assert [score_of[n] for n in in_window] == [score_of[n] for (n,) in names]
    assert scored.left_out.get("labelled but not examined by the run", 0) == measured.left_out.get(
        "labelled but not examined by the run", 0
    )


def test_a_document_that_came_after_a_run_is_not_a_miss_of_it(path: Path) -> None:
    with Session(path) as opened:
        add(opened)
        run = store(opened, "digest", results(Match(1, 2, Span(0, 4), Span(0, 4), 1.0)))
        with opened.write() as connection:
            batch = begin_batch(connection)
            add_documents(connection, [Document("late", "a text that came later", Role.SUSPECT)], batch)
            finish_batch(connection, batch)
        names = {"s0": "splog", "s1": "splog", "b0": "blog", "late": "splog"}
        say(opened, [(name, Statement("Ann", value, 0)) for name, value in names.items()], "class")
        measured = evaluate(opened, run)
        assert (measured.recall, measured.labelled) == (1.0, 3)
        assert measured.left_out["labelled but not examined by the run"] == 1


def test_a_pair_or_passage_of_a_document_that_came_after_a_run_is_not_a_miss_of_it(path: Path) -> None:
    with Session(path) as opened:
        add(opened)
        of_pairs = store(opened, "minhash", pairs({(1, 2): 0.9, (4, 5): 0.4}))
        of_passages = store(opened, "digest", results(Match(1, 2, Span(0, 4), Span(0, 4), 1.0)))
        with opened.write() as connection:
            batch = begin_batch(connection)
            add_documents(connection, [Document("late", "a text that came later", Role.SUSPECT)], batch)
            finish_batch(connection, batch)
        label_pairs(opened, {("s0", "s1"): "copy", ("s0", "late"): "copy", ("b0", "b1"): "not-copy"})
        for other in ("s1", "late"):
            refer(opened, "s0", Span(0, 4), other, Span(0, 4))
        for run, question in ((of_pairs, Question("near-duplicate")), (of_passages, Question("reference"))):
            measured, scored = evaluate(opened, run, question), read_scored_run(opened, find_run(opened, run), question)
            assert (measured.recall, measured.false_negatives) == (1.0, ())
            for left_out in (measured.left_out, scored.left_out):
                assert left_out["labelled but not examined by the run"] == 1


def test_a_run_of_some_documents_is_not_measured(path: Path) -> None:
    with Session(path) as opened:
        add(opened)
        label(opened, {"s0": "splog", "s1": "splog", "b0": "blog"})
        run = store(opened, "digest", results(Match(1, 2, Span(0, 4), Span(0, 4), 1.0)))
        with opened.write() as connection:
            as_part(connection, load_run(connection, run))
        for measure in (evaluate, lambda session, run: read_scored_run(session, find_run(session, run), Question())):
            with pytest.raises(UserError, match="Run 1 examined only some of the documents"):
                measure(opened, run)
        assert finished_runs(opened) == {}


# Copies of a log that come together.

verdicts = st.sampled_from(("copy", "partial", "not-copy", ""))
things = st.sampled_from(("s0", "s1"))
logs_drawn = st.lists(
    st.tuples(st.sampled_from((0, 1, 2)), things, st.builds(Statement, people, verdicts, st.integers(0, 4))),
    max_size=12,
    # Nobody says two things of one thing at one moment in two places.
    unique_by=lambda one: (one[1], one[2].who, one[2].when),
)


@settings(max_examples=8, phases=(Phase.explicit, Phase.generate))
@example(
    [
        (1, "s0", Statement("Ann", "copy", 3)),
        (2, "s0", Statement("Ben", "not-copy", 3)),
        (2, "s0", Statement("Ben", "", 1)),
    ]
)
@example([(1, "s0", Statement("adjudicator:Dee", "copy", 2)), (2, "s0", Statement("adjudicator:Ann", "partial", 2))])
@given(logs_drawn)
def test_two_copies_that_are_merged_either_way_say_what_lists_say(
    tmp_path_factory: pytest.TempPathFactory, statements: list[tuple[int, str, Statement]]
) -> None:
    folder = tmp_path_factory.mktemp("merged")
    paths = folder / "one.palimpsest", folder / "other.palimpsest"
    create(paths[0])
    with Session(paths[0]) as opened:
        add(opened)
        say(opened, [(of, s) for where, of, s in statements if where == 0], "suspect")
    paths[1].write_bytes(paths[0].read_bytes())
    for number, path in enumerate(paths, 1):
        with Session(path) as opened:
            say(opened, [(of, s) for where, of, s in statements if where == number], "suspect")
    ctx = Context("test", lambda _event: None, lambda: False)
    merging.merge_batch(ctx, *paths, [merging.EVERYBODY])
    merging.merge_batch(ctx, paths[1], paths[0], [merging.EVERYBODY])
    own = ([(of, s) for where, of, s in statements if where in (0, n)] for n in (1, 2))
    expected = merged(*own)
    for path in paths:
        with Session(path, write=False) as opened:
            for thing in ("s0", "s1"):
                shown, plain = judgement_of(opened, Unit(thing)), outcome(expected.get(thing, []))
                assert (shown is None) == (plain is None)
                if shown is not None and plain is not None:
                    assert (shown.value, shown.label.who) == (plain.value, plain.by)
                    assert [(v.who, v.value) for v in shown.verdicts] == list(plain.verdicts)


def test_what_one_person_said_twice_at_one_moment_in_two_copies_is_held_apart(path: Path, ctx: Context) -> None:
    with Session(path) as opened:
        add(opened)
    copy = path.with_name("copy.palimpsest")
    copy.write_bytes(path.read_bytes())
    for where, value in ((path, "blog"), (copy, "splog")):
        with Session(where) as opened:
            say(opened, [("s0", Statement("Ann", value, 3))], "class")
    result = merging.merge_batch(ctx, path, copy)
    assert (result.added, [doubt.doubt for doubt in result.doubtful]) == (0, [merging.Doubt.CONTRADICTS])


def test_the_case_of_a_page_is_the_latest_whatever_order_copies_came_in(path: Path) -> None:
    page = "https://copier.example/x/9.html"
    states = (CaseState.SENT.value, 5), (CaseState.IGNORED.value, 2)
    with Session(path) as opened, opened.write() as connection:
        add_labels(
            connection, [Label(f"page:{page}", value, "Ann", at(when), label_set="case") for value, when in states]
        )
        for cases in (read_cases(connection), read_cases_of(connection, page)):
            assert cases.of(page).state is CaseState.SENT
            assert [event.value for event in cases.history(page)] == ["ignored", "notice sent"]


def test_the_history_of_a_case_keeps_the_order_of_events_of_one_moment(path: Path) -> None:
    page = "https://copier.example/x/9.html"
    values = (f"page:{page}", "a"), ("site:copier.example", "b"), (f"page:{page}", ""), ("site:copier.example", "c")
    events = [Label(target, value, "Ann", at(3), label_set="case") for target, value in values]
    with Session(path) as opened, opened.write() as connection:
        add_labels(connection, events)
        for cases in (read_cases(connection), read_cases_of(connection, page)):
            assert [event.value for event in cases.history(page)] == ["a", "b", "", "c"]


def test_where_one_of_two_annotators_takes_a_label_back_the_other_label_stays(path: Path) -> None:
    with Session(path) as opened:
        add(opened)
        run = store(opened, "copied-strings", scored_by([9, 8, 7, 1, 2, 3]))
        everything = [(name, "splog" if name[0] == "s" else "blog") for name in IDS]
        say(opened, [(name, Statement("Ann", value, 1)) for name, value in everything], "class")
        say(
            opened,
            [(name, Statement("Ben", value, when)) for name, _ in everything for value, when in (("blog", 2), ("", 3))],
            "class",
        )
        assert evaluate(opened, run).f1 == 1
        with opened.read() as connection:
            assert log.count_labels(connection) == (len(IDS), len(IDS))
        say(opened, [(name, Statement("Ann", "", 4)) for name in IDS], "class")
        with opened.read() as connection:
            assert (log.count_labels(connection), log.target_kinds(connection)) == ((0, 0), [])
        with pytest.raises(UserError, match="no labels"):
            evaluate(opened, run)
