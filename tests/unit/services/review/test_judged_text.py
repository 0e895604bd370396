"""Verdicts go with the text they were given for, whatever became of the documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import pairs, store

from workbench.base.types import Document, Label, Matches, Results, Role, RunState, Span, Tier
from workbench.jobs.context import Context
from workbench.project.database import Connection
from workbench.project.documents import add_documents, bring_back, delete_documents, load_document, texts_of
from workbench.project.imports import begin_batch
from workbench.project.labels import add_label, history, verify_chain
from workbench.project.matches import match_columns
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.export import export_rows, write_rows
from workbench.services.labels.labelling import compare_annotators, import_labels
from workbench.services.labels.merging import merge_batch
from workbench.services.labels.sets import SUSPECT_LABELS
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import document_target, passage_target
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.review.by_hand import add, with_added, withdraw
from workbench.services.review.counting import read_counted
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.exclusions import exclude, of_passage, restore_excluded
from workbench.services.review.judged_text import ENOUGH, Relocation, digest
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import diff_runs, open_pair
from workbench.services.review.splitting import Cut, split
from workbench.services.review.unplaced import unplaced
from workbench.services.review.verdicts import Unit, give_verdict, judge, judged_events, judgement_of, restore
from workbench.services.session import Session, create

COPIED = "The quick brown fox jumps over the lazy dog near the river. It rests there until the evening comes."
BEFORE = "This is how it began. "
AFTER = " And this is how it ended."
SOURCE = COPIED + " What the source says besides."
A_SPAN = Span(len(BEFORE), len(BEFORE) + len(COPIED))
B_SPAN = Span(0, len(COPIED))
CONTEXT = Context("j", lambda _event: None, lambda: False)
ANOTHER = "Another text, in which only this is copied: " + COPIED
SPAN = Span(44, 44 + len(COPIED))
UNIT = Unit("s", "t", (A_SPAN, B_SPAN))
SUSPECT = SUSPECT_LABELS, document_target("s")


def _new(path: Path, text: str = BEFORE + COPIED + AFTER) -> Session:
    create(path)
    session = Session(path)
    with session.write() as connection:
        documents = [Document("s", text, Role.SUSPECT), Document("t", SOURCE, Role.SOURCE)]
        add_documents(connection, documents, begin_batch(connection))
    return session


def _replace(session: Session, text: str, key: int = 1, identity: str = "s") -> int:
    """Import the document again with another text; its key."""
    with session.write() as connection:
        role = load_document(connection, key).role
        delete_documents(connection, [key])
        add_documents(connection, [Document(identity, text, role)], begin_batch(connection))
        return int(connection.exec_driver_sql("SELECT max(key) FROM document").scalar() or 0)


def _run(session: Session, a: int, b: int, *spans: tuple[Span, Span]) -> int:
    """A finished run with these passages."""
    table = np.array([(*x, *y) for x, y in spans], np.int64).reshape(-1, 4)
    n, one = len(table), np.ones(len(table), np.int64)
    matches = Matches(one * a, one * b, *(table[:, at] for at in range(4)), np.ones(n), np.zeros(n, np.int8))
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(matches), documents=1)
        finish_run(connection, run.id, RunState.DONE)
    return run.id


def _values(session: Session, run: int, a: int, b: int) -> list[tuple[str, bool] | None]:
    return [j and (j.value, j.is_carried) for j in open_pair(session, run, a, b).judgements]


def test_a_verdict_keeps_a_hash_of_both_sides(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        one = give_verdict(session, UNIT, "copy", who="me")
        judge(session, [UNIT], "partial", who="you")
        restore(session, [UNIT], [("copy", "")], who="you")
        with session.read() as connection:
            kept = [event.digest for event in history(connection, [UNIT.target])]
            assert verify_chain(connection) == "ok"
        assert one.digest == digest(COPIED, COPIED)
        assert kept == [one.digest] * 3


def test_a_changed_hash_breaks_the_chain(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "copy", who="me")
        with session.write() as connection:
            connection.exec_driver_sql("DROP TRIGGER label_event_no_update")
            connection.exec_driver_sql("UPDATE label_event SET digest = ''")
            assert "changed" in verify_chain(connection)


def test_a_verdict_on_a_suspect_is_about_the_text_it_was_given_for(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        before = _run(session, 1, 2, (A_SPAN, B_SPAN))
        give_verdict(session, Unit("s"), "copy", "from the source", "me")
        key = _replace(session, ANOTHER)
        run = _run(session, key, 2, (SPAN, B_SPAN))
        (old,) = listed_suspects(session, read_overview(session, before))
        (new,) = listed_suspects(session, overview := read_overview(session, run))
        assert old.decision is not None
        assert (old.decision.value, new.decision) == ("copy", None)
        assert overview.judged is not None
        assert not overview.judged.decision.any()
        assert [label.value for label in session.verdicts.earlier(*SUSPECT)] == ["copy"]
        export(session, Selection(run=run), tmp_path / "r.html")
        page = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", (tmp_path / "r.html").read_text("utf-8")))
        assert "Copy · from the source (given for another text of this document" in page
        assert "not reviewed" in page

        give_verdict(session, Unit("s"), "not-copy", "", "me")
        (new,) = listed_suspects(session, read_overview(session, run))
        assert new.decision is not None
        assert new.decision.value == "not-copy"
        assert session.verdicts.earlier(*SUSPECT) == ()


def test_a_verdict_given_in_an_earlier_run_is_about_its_text_and_replaces_none_on_another(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        before = _run(session, 1, 2, (A_SPAN, B_SPAN))
        key = _replace(session, ANOTHER)
        run = _run(session, key, 2, (SPAN, B_SPAN))
        old, new = Unit("s", keys=(1, 0)), Unit("s", keys=(key, 0))

        def decisions() -> list[str]:
            rows = (listed_suspects(session, read_overview(session, shown))[0] for shown in (before, run))
            return ["" if row.decision is None else row.decision.value for row in rows]

        give_verdict(session, new, "not-copy", who="me")
        give_verdict(session, old, "copy", "the first text", "me")
        assert decisions() == ["copy", "not-copy"]
        assert judge(session, [new], "", "me") == [("not-copy", "")]
        assert decisions() == ["copy", ""]
        events = judged_events(session, old)
        assert [(event.value, of_text) for event, of_text in events] == [
            ("not-copy", False),
            ("copy", True),
            ("", False),
        ]
        assert [note.note for note in session.verdicts.suspect_notes("s", key)] == []


def test_a_passage_judged_in_an_earlier_run_is_judged_in_the_text_of_that_run(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        before = _run(session, 1, 2, (A_SPAN, B_SPAN))
        key = _replace(session, ANOTHER)
        columns = read_overview(session, before).columns
        assert columns is not None
        label = give_verdict(session, columns.unit(0), "copy", who="me")
        assert label.digest == digest(COPIED, COPIED)
        assert _values(session, before, 1, 2) == [("copy", False)]
        assert _values(session, _run(session, key, 2, (SPAN, B_SPAN)), key, 2) == [("copy", False)]


def test_a_verdict_on_a_pair_of_whole_documents_is_about_the_texts_it_was_given_for(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        before = store(session, "shingle", pairs({(1, 2): 0.9}))
        give_verdict(session, Unit("s", "t"), "near-duplicate", who="me")
        after = store(session, "shingle", pairs({(_replace(session, "Quite another text."), 2): 0.5}))
        shown = {}
        for run in (before, after):
            judged = read_overview(session, run).judged
            assert judged is not None
            export(session, Selection(run=run), tmp_path / "r.html")
            page = (tmp_path / "r.html").read_text("utf-8")
            shown[run] = judged.value(0), "not reviewed" in page, "given for another text" in page
        assert shown == {before: ("near-duplicate", False, False), after: ("", True, True)}


@pytest.mark.parametrize("signed", [True, False])
def test_a_verdict_follows_its_text_to_where_it_is_in_the_new_document(tmp_path: Path, signed: bool) -> None:
    added = "A sentence that was put in front of everything. "
    with _new(tmp_path / "p.palimpsest") as session:
        if signed:
            give_verdict(session, UNIT, "copy", who="me")
        else:
            with session.write() as connection:
                add_label(connection, Label(UNIT.target, "copy", "me", "2001-01-01T00:00:00Z"))
        new = _replace(session, added + BEFORE + COPIED + AFTER)
        there = Span(A_SPAN.start + len(added), A_SPAN.end + len(added))
        run = _run(session, new, 2, (there, B_SPAN))
        assert _values(session, run, new, 2) == [("copy", False)]


@pytest.mark.parametrize(("now", "carried"), [(COPIED.replace(" ", "\n"), False), (COPIED.replace("dog", "cat"), True)])
def test_a_verdict_is_carried_over_where_the_words_of_its_passage_are_others(
    tmp_path: Path, now: str, carried: bool
) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "copy", who="me")
        new = _replace(session, "Some more. " + BEFORE + now + AFTER)
        run = _run(session, new, 2, (_moved(A_SPAN, 11), B_SPAN))
        assert _values(session, run, new, 2) == [("copy", carried)]


def test_what_was_said_of_a_text_still_holds_for_that_text_alone(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        old_run = _run(session, 1, 2, (A_SPAN, B_SPAN))
        give_verdict(session, UNIT, "copy", who="me")
        other = (
            "x" * A_SPAN.start + "Something else stands at these places now, and nothing of what was judged there. " * 3
        )
        new = _replace(session, other)
        new_run = _run(session, new, 2, (A_SPAN, B_SPAN))
        assert _values(session, old_run, 1, 2) == [("copy", False)]
        assert _values(session, new_run, new, 2) == [None]
        columns = read_overview(session, new_run).columns
        assert columns is not None
        [lost] = unplaced(session, columns)
        assert (lost.judgement.value, lost.a_text, lost.b_text) == ("copy", COPIED, COPIED)
        # A verdict on the new text is nothing to the old one.
        give_verdict(session, UNIT, "not-copy", who="me")
        assert _values(session, new_run, new, 2) == [("not-copy", False)]
        assert _values(session, old_run, 1, 2) == [("copy", False)]
        columns = read_overview(session, new_run).columns
        assert columns is not None
        assert [row.judgement.value for row in unplaced(session, columns)] == ["copy"]


def test_verdicts_on_a_passage_that_the_new_text_has_unchanged_are_compared_as_in_review(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "copy", who="ann")
        newer = _replace(session, BEFORE + COPIED + " Another end.")
        give_verdict(session, UNIT, "not-copy", who="ben")
        assert _values(session, _run(session, newer, 2, (A_SPAN, B_SPAN)), newer, 2) == [("conflict", False)]
        compared = compare_annotators(session, "verdict")
        assert (compared.annotators, compared.of_others, compared.apart) == ({"ann": 1, "ben": 1}, 0, 0)
        assert [row.get("other_text", False) for row in export_rows(session, "verdict")] == [False, False]
        # It is moved in the next text, and has other line ends, but the same words.
        moved = "Here. " + BEFORE + "\n\n" + COPIED.replace(" ", "\n", 3)
        newest = _replace(session, moved, newer)
        at = Span(moved.index("\n\n") + 2, len(moved))
        assert _values(session, _run(session, newest, 2, (at, B_SPAN)), newest, 2) == [("conflict", False)]
        compared = compare_annotators(session, "verdict")
        assert (compared.annotators, compared.of_others, compared.apart) == ({"ann": 1, "ben": 1}, 0, 0)
        assert [row.get("other_text", False) for row in export_rows(session, "verdict")] == [False, False]
        # A word of it is another in the last text: both are for another.
        _replace(session, moved.replace(COPIED.split()[-2], "otherwise"), newest)
        compared = compare_annotators(session, "verdict")
        assert (compared.annotators, compared.of_others, compared.apart) == ({"ann": 1, "ben": 1}, 1, 0)
        assert [row.get("other_text", False) for row in export_rows(session, "verdict")] == [True, True]


def test_each_text_is_read_once_however_many_of_its_passages_have_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []

    def read(connection: Connection, keys: Sequence[int]) -> Iterator[tuple[int, str]]:
        for key, text in texts_of(connection, keys):
            reads.append(key)
            yield key, text

    monkeypatch.setattr("workbench.services.labels.settling.texts_of", read)
    with _new(tmp_path / "p.palimpsest") as session:
        for at in range(20):
            give_verdict(session, Unit("s", "t", (Span(at, at + 9), B_SPAN)), "copy", who="ann")
        newer = _replace(session, BEFORE + COPIED)
        assert not any(state.of_other for state in settled(session, "verdict").values())
        assert sorted(reads) == [1, newer]


def test_a_verdict_holds_again_when_undo_brings_its_text_back(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        unit = Unit("s")
        give_verdict(session, unit, "copy", who="ann")
        newer = _replace(session, ANOTHER)
        assert judgement_of(session, unit) is None
        for key, value in ((1, "copy"), (newer, ""), (1, "copy")):
            with session.write() as connection:
                bring_back(connection, [key])
            judgement = judgement_of(session, unit)
            assert (judgement.value if judgement else "") == value


def test_a_note_without_a_verdict_follows_its_text_and_is_not_on_another(tmp_path: Path) -> None:
    added = "A sentence that was put in front of everything. "
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "", "look again", who="me")
        new = _replace(session, added + BEFORE + COPIED + AFTER)
        there = Span(A_SPAN.start + len(added), A_SPAN.end + len(added))
        with session.read() as connection:
            verdicts = session.verdicts.follow(connection).of("s", "t")
        assert [label.note for label in verdicts.notes(there, B_SPAN)] == ["look again"]
        assert verdicts.notes(A_SPAN, B_SPAN) == ()
        assert [label.note for label in verdicts.notes(A_SPAN, B_SPAN, (1, 2))] == ["look again"]
        _run(session, new, 2, (there, B_SPAN))
        export(session, Selection(suspect="s"), tmp_path / "report.html")
        assert "look again" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_half_of_the_text_is_enough_and_less_is_listed(tmp_path: Path) -> None:
    first, second = COPIED.split(". ")
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "partial", who="me")
        kept = _replace(session, f"{BEFORE}{first}. In their place stand words nobody knew. {AFTER}")
        run = _run(session, kept, 2, (Span(len(BEFORE), len(BEFORE) + len(first) + 2), Span(0, len(first) + 2)))
        assert _values(session, run, kept, 2) == [("partial", True)]
        gone = _replace(session, f"{BEFORE}Words nobody knew, more of them than before, and then: {second[:20]}", kept)
        run = _run(session, gone, 2, (Span(0, 9), Span(0, 9)))
        overview = read_overview(session, run)
        assert overview.unplaced == 1
        assert overview.columns is not None
        assert [row.a_text for row in unplaced(session, overview.columns)] == [COPIED]


def test_a_verdict_given_again_or_withdrawn_in_the_new_text_comes_before_the_old_one(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "copy", who="me")
        new = _replace(session, COPIED)
        run = _run(session, new, 2, (B_SPAN, B_SPAN))
        there = Unit("s", "t", (B_SPAN, B_SPAN))
        assert _values(session, run, new, 2) == [("copy", False)]
        assert judge(session, [there], "partial", who="me") == [("copy", "")]
        assert _values(session, run, new, 2) == [("partial", False)]
        judge(session, [there], "", who="me")
        assert _values(session, run, new, 2) == [None]


def test_a_passage_found_by_hand_goes_with_its_text(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        with session.read() as connection:
            a, b = load_document(connection, 1), load_document(connection, 2)
        add(session, a, A_SPAN, b, B_SPAN, "me")
        new = _replace(session, COPIED)
        run = _run(session, new, 2)
        with session.read() as connection:
            [row] = [with_added(connection, run, Matches.empty()).row(0)]
        assert (row.a, row.a_span, row.b_span) == (new, B_SPAN, B_SPAN)


@pytest.mark.parametrize(("words", "tier"), [("A DOG", Tier.ALTERED), ("the Lazy dog", Tier.FOLDED)])
def test_a_passage_found_by_hand_is_not_called_exact_after_an_import_that_changed_it(
    tmp_path: Path, words: str, tier: Tier
) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        with session.read() as connection:
            a, b = load_document(connection, 1), load_document(connection, 2)
        add(session, a, A_SPAN, b, B_SPAN, "me")
        new = _replace(session, BEFORE + COPIED.replace("the lazy dog", words) + AFTER)
        run = _run(session, new, 2)
        assert [match.evidence["tier"] for match in open_pair(session, run, new, 2).matches] == [tier]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n　"])
def test_a_passage_keeps_its_limits_where_its_lines_are_broken_otherwise(line_end: str) -> None:
    text = "はじめに。山路を登りながら、こう考えた。智に働けば角が立つ。おわり。"
    passage = Span(5, len(text) - 4)
    wrapped = re.sub(r"(?s)(.{6})", rf"\1{line_end}", text)
    moved = Relocation(text, wrapped).place(passage)
    assert moved is not None
    assert "".join(wrapped[slice(*moved)].split()) == text[slice(*passage)]
    assert Relocation(wrapped, text).place(moved) == passage


def test_an_earlier_run_shows_what_was_added_or_split_in_its_own_text(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        run = _run(session, 1, 2, (A_SPAN, B_SPAN))
        give_verdict(session, UNIT, "copy", who="me")
        key = _replace(session, "More. " + BEFORE + COPIED + AFTER)
        new = _run(session, key, 2, (_moved(A_SPAN, 6), B_SPAN))
        with session.read() as connection:
            a, b = load_document(connection, key), load_document(connection, 2)
        add(session, a, Span(6, 12), b, Span(100, 106), "me")
        cut = Cut(6 + A_SPAN.start + 20, B_SPAN.start + 20)
        split(session, a, b, (_moved(A_SPAN, 6), B_SPAN), cut, "me")
        for number, suspect, by in ((run, 1, 0), (new, key, 6)):
            shown = {match.a_span for match in open_pair(session, number, suspect, 2).matches}
            whole = Span(A_SPAN.start + by, A_SPAN.end + by)
            assert shown == {Span(by, 6 + by), Span(whole.start, whole.start + 20), Span(whole.start + 20, whole.end)}
            (row,) = listed_suspects(session, read_overview(session, number))
            assert (row.key, row.matches, dict(row.verdicts)) == (suspect, 3, {"copy": 2})


def test_a_passage_in_both_texts_is_common_to_the_runs_before_and_after(tmp_path: Path) -> None:
    text = BEFORE + COPIED + AFTER
    with _new(tmp_path / "p.palimpsest", text) as session:
        gone = Span(0, len(BEFORE) - 1), Span(len(COPIED) + 1, len(COPIED) + 20)
        first = _run(session, 1, 2, (A_SPAN, B_SPAN), gone)
        key = _replace(session, "More. " + COPIED + AFTER)
        own = Span(6, 6 + len(COPIED))
        second, turned = _run(session, key, 2, (own, B_SPAN)), _run(session, 2, key, (B_SPAN, own))
        for later in (second, turned):
            difference = diff_runs(session, first, later)
            assert [match.a_span for match in difference.vanished] == [gone[0]]
            assert len(difference.appeared) == 0
            assert [{match.a, match.b} for match in difference.common] == [{key, 2}]
            back = diff_runs(session, later, first)
            assert (len(back.vanished), [match.a for match in back.appeared], len(back.common)) == (0, [1], 1)


def test_an_excluded_passage_stays_excluded_where_its_text_is_and_nowhere_else(tmp_path: Path) -> None:
    text = BEFORE + COPIED + AFTER
    with _new(tmp_path / "p.palimpsest", text) as session:
        run = _run(session, 1, 2, (A_SPAN, B_SPAN))
        with session.read() as connection:
            (match,) = match_columns(connection, run)
        exclude(session, [of_passage(match, "s", "t")], "quoted", "me")
        key = _replace(session, COPIED[::-1] + text)
        moved = _moved(A_SPAN, len(COPIED))
        new = _run(session, key, 2, (moved, B_SPAN))
        elsewhere = _run(session, key, 2, (A_SPAN, B_SPAN))
        for number, suspect, counted in ((run, 1, 0), (new, key, 0), (elsewhere, key, len(COPIED))):
            shares = read_counted(session, number, suspect).shares
            assert (shares.matched, shares.counted) == (len(COPIED), counted)
            (effect,) = shares.effects
            assert effect.passages == (counted == 0)
        assert effect.exclusion.what == passage_target("s", A_SPAN, "t", B_SPAN)
        restore_excluded(session, [effect.exclusion], "me")
        assert read_counted(session, new, key).shares.effects == ()


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def test_a_passage_found_by_hand_whose_text_is_gone_is_listed_with_what_it_was(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        with session.read() as connection:
            a, b = load_document(connection, 1), load_document(connection, 2)
        label = add(session, a, A_SPAN, b, B_SPAN, "me")
        new = _replace(session, "Something else stands at these places now, and nothing of what was added there. " * 3)
        run = _run(session, new, 2, (Span(0, 9), Span(0, 9)))
        overview = read_overview(session, run)
        assert overview.columns is not None
        assert (overview.unplaced, overview.gone, len(overview.columns.matches)) == (0, 1, 1)
        [lost] = unplaced(session, overview.columns)
        assert (lost.added, lost.judgement.label.who, lost.a_text, lost.b_text) == (True, "me", COPIED, COPIED)
        # Judged, it is listed once, with its verdict.
        give_verdict(session, UNIT, "copy", who="you")
        assert [row.added for row in unplaced(session, overview.columns)] == [False]
        withdraw(session, label.target, "me")
        assert read_overview(session, run).gone == 0


def test_a_passage_found_by_hand_is_back_with_the_text_that_undo_brings_back(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        with session.read() as connection:
            a, b = load_document(connection, 1), load_document(connection, 2)
        add(session, a, A_SPAN, b, B_SPAN, "me")
        _replace(session, "Something else stands at these places now, and nothing of what was added there. " * 3)
        with session.write() as connection:
            bring_back(connection, [1])
        overview = read_overview(session, _run(session, 1, 2))
        assert overview.columns is not None
        assert (overview.gone, [row.key for row in overview.suspects]) == (0, [1])
        assert overview.columns.matches.a.tolist() == [1]


def test_labels_of_another_copy_of_the_project_count_where_the_passage_is_the_same(tmp_path: Path) -> None:
    own, other = tmp_path / "own.palimpsest", tmp_path / "other.palimpsest"
    _new(own, BEFORE + COPIED + AFTER).close()
    with _new(other, BEFORE + COPIED + " An end that only this copy has.") as session:
        give_verdict(session, UNIT, "copy", who="you")
        give_verdict(session, Unit("s", "t", (Span(0, A_SPAN.end + 10), B_SPAN)), "partial", who="you")
    merged = merge_batch(CONTEXT, own, other)
    assert (merged.added, len(merged.failed)) == (1, 1)
    assert "a different text" in merged.failed[0].error
    with Session(own, write=False) as session, session.read() as connection:
        assert [event.value for event in history(connection, [UNIT.target])] == ["copy"]


def test_labels_written_to_a_file_keep_the_hash(tmp_path: Path) -> None:
    with _new(tmp_path / "p.palimpsest") as session:
        give_verdict(session, UNIT, "copy", who="me")
        write_rows(export_rows(session), tmp_path / "labels.jsonl")
    copy = tmp_path / "q.palimpsest"
    _new(copy).close()
    with Session(copy) as session:
        import_labels(CONTEXT, copy, tmp_path / "labels.jsonl")
        with session.read() as connection:
            assert [event.digest for event in history(connection, [UNIT.target])] == [digest(COPIED, COPIED)]


TEXTS = st.text(st.sampled_from("abc. \n一二。"), max_size=60)


@given(TEXTS, TEXTS, st.data())
def test_a_place_has_half_of_the_passage_in_order(old: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(old)))
    span = Span(start, data.draw(st.integers(start, len(old))))
    place = Relocation(old, new).place(span)
    wanted = old[span.start : span.end]
    if place is None:
        assert not wanted or wanted not in new
        return
    got = new[place.start : place.end]
    assert 0 <= place.start < place.end <= len(new)
    assert _common(wanted, got) >= ENOUGH * max(len(wanted), len(got))
    if wanted in new:
        assert got == wanted


def test_a_changed_sentence_is_placed_by_the_words_that_it_keeps() -> None:
    old = "A first sentence stays. The harbour was closed by the council in May. A last one."
    new = "A first sentence stays. Everyone knows: the harbour was shut by the council in May. A last one."
    start = old.index("The harbour")
    place = Relocation(old, new).place(Span(start, old.index(" A last")))
    assert place == Span(new.index("he harbour"), new.index(" A last"))


def _common(a: str, b: str) -> int:
    """Length of the longest common subsequence, from its definition."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for at, y in enumerate(b, 1):
            before, row[at] = row[at], before + 1 if x == y else max(row[at], row[at - 1])
    return row[-1]


def test_two_reviewers_who_write_to_one_project_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.palimpsest"
    _new(path).close()
    spans = [(Span(n, n + 20), Span(n, n + 20)) for n in range(20)]
    units = [Unit("s", "t", pair) for pair in spans]

    def work(who: str, value: str) -> None:
        with Session(path) as session:
            for unit in units:
                give_verdict(session, unit, value, who=who)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, "me", "copy"), pool.submit(work, "you", "not-copy")]:
            done.result()
    with Session(path, write=False) as session, session.read() as connection:
        assert verify_chain(connection) == "ok"
        for unit, pair in zip(units, spans, strict=True):
            values = {event.who: (event.value, event.old) for event in history(connection, [unit.target])}
            assert values == {"me": ("copy", ""), "you": ("not-copy", "")}
            judgement = session.verdicts.follow(connection).of("s", "t").at(*pair)
            assert judgement is not None
            assert judgement.conflict


def test_a_text_that_is_there_several_times_is_placed_where_it_was_moved_the_least() -> None:
    words = "These very words were judged. "
    old = "A beginning. " + words
    new = words + "Much that was added in front of it. " * 3 + words + "Something else. " * 9 + words
    place = Relocation(old, new).place(Span(len("A beginning. "), len(old)))
    assert place == Span(0, len(words))
    assert Relocation(words + old, "Ab. " + new).place(Span(0, len(words))) == Span(4, 4 + len(words))


def test_one_changed_word_does_not_lose_a_verdict_on_a_text_however_long_it_is() -> None:
    sentences = [f"This is sentence number {n} of a very long passage." for n in range(900)]
    old = " ".join(sentences)
    sentences[450] = sentences[450].replace("very", "rather")
    new = "Something before. " + " ".join(sentences)
    assert Relocation(old, new).place(Span(0, len(old))) == Span(18, len(new))
