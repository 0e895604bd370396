from __future__ import annotations

from dataclasses import replace

import pytest
from stored import FIRST, OTHER, PASSAGES, SENTENCE, SHIFTED, A, store_run

from workbench.base.errors import ProjectError
from workbench.base.types import Document, Role
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch, finish_batch
from workbench.project.labels import verify_chain
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import diff_runs, open_pair, pairs
from workbench.services.review.unplaced import unplaced
from workbench.services.review.verdicts import Unit, give_verdict, passage_unit, set_verdict
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]


def test_a_suspect_row_counts_exactly(session: Session) -> None:
    (row,) = listed_suspects(session, read_overview(session, 1))
    assert (row.id, row.title, row.length, row.matches, row.sources) == ("a", "写本", len(A), 2, 1)
    assert row.coverage == pytest.approx((3 * len(SENTENCE) + 5) / len(A))
    assert row.longest == 3 * len(SENTENCE)
    assert row.verdicts == {}


def test_a_pair_row_names_both_sides(session: Session) -> None:
    (row,) = pairs(session, 1)
    assert (row.a_id, row.b_id, row.a_title, row.b_title, row.matches) == ("a", "b", "写本", "原本", 2)
    assert pairs(session, 1, suspect_key=2) == []


def test_an_opened_pair_has_its_passages_in_the_order_of_the_suspect(session: Session) -> None:
    view = open_pair(session, 1, 1, 2)
    assert [m.a_span for m in view.matches] == [LONG.a_span, TAIL.a_span]
    assert view.judgements == (None, None)
    assert view.run.id == 1
    with pytest.raises(ProjectError):
        open_pair(session, 1, 1, 99)


@pytest.mark.slow
def test_a_verdict_is_counted_and_shown(session: Session) -> None:
    set_verdict(session, LONG, "copy", "word for word", "reader")
    # Both matches are parts of one passage.
    assert listed_suspects(session, read_overview(session, 1))[0].verdicts == {}
    assert pairs(session, 1)[0].verdicts == {"copy": 1}
    view = open_pair(session, 1, 1, 2)
    assert view.judgements[0] is not None
    first = view.judgements[0]
    assert (first.value, first.label.note, first.is_carried) == ("copy", "word for word", False)
    assert view.judgements[1] is None


def test_a_verdict_survives_a_run_that_cuts_the_passage_elsewhere(session: Session) -> None:
    set_verdict(session, LONG, "not-copy")
    rerun = store_run(session, PASSAGES[SHIFTED])
    (judgement,) = open_pair(session, rerun.id, 1, 2).judgements
    assert judgement is not None
    assert (judgement.label.value, judgement.is_carried) == ("not-copy", True)
    assert listed_suspects(session, read_overview(session, rerun.id))[0].verdicts == {"not-copy": 1}


def test_verdicts_on_passages_decide_no_suspect_and_its_own_verdict_does(session: Session) -> None:
    set_verdict(session, LONG, "copy", who="ann")
    (row,) = listed_suspects(session, read_overview(session, 1))
    assert (row.judged, row.matches, row.decision) == (0, 2, None)
    give_verdict(session, Unit("a"), "undecided", "one passage is enough to ask", "ann")
    (row,) = listed_suspects(session, read_overview(session, 1))
    assert row.decision is not None
    assert (row.decision.value, row.decision.label.note) == ("undecided", "one passage is enough to ask")
    give_verdict(session, Unit("a"), "copy", who="bob")
    (row,) = listed_suspects(session, read_overview(session, 1))
    assert row.decision is not None
    assert row.decision.conflict


def test_an_unknown_verdict_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="guilty"):
        set_verdict(session, LONG, "guilty")


def test_a_verdict_replaces_and_withdraws_the_one_before_and_the_chain_holds(session: Session) -> None:
    set_verdict(session, LONG, "copy", "first")
    second = set_verdict(session, LONG, "partial", "second")
    assert (second.value, second.note, second.old) == ("partial", "second", "copy")
    set_verdict(session, LONG, "")
    assert open_pair(session, 1, 1, 2).judgements[0] is None
    with session.read() as connection:
        assert verify_chain(connection) == "ok"


def test_two_runs_differ_by_what_appeared_and_vanished(session: Session) -> None:
    rerun = store_run(session, PASSAGES[SHIFTED] + PASSAGES[OTHER])
    difference = diff_runs(session, 1, rerun.id)
    assert (len(difference.appeared), len(difference.vanished), len(difference.common)) == (1, 1, 1)
    with pytest.raises(ProjectError):
        diff_runs(session, 1, 99)
    # Of documents of which a run has nothing, all appeared or vanished.
    with session.write() as connection:
        add_documents(connection, [Document("third", "x" * 60, Role.SOURCE)])
    other = store_run(session, [replace(PASSAGES[OTHER][0], a=2, b=3)])
    counts = [
        (len(d.appeared), len(d.vanished), len(d.common))
        for d in (diff_runs(session, 1, other.id), diff_runs(session, other.id, 1))
    ]
    assert counts == [(1, 2, 0), (2, 1, 0)]


def test_a_run_can_be_read_after_its_documents_were_deleted(session: Session) -> None:
    with session.write() as connection:
        delete_documents(connection, [1, 2])
    assert listed_suspects(session, read_overview(session, 1))[0].id == "a"
    assert open_pair(session, 1, 1, 2).a.id == "a"


def test_a_verdict_on_another_text_of_the_same_id_holds_for_none_of_its_passages(session: Session) -> None:
    set_verdict(session, LONG, "copy", who="ann")
    with session.write() as connection:
        delete_documents(connection, [1])
        batch = begin_batch(connection)
        other = Document("a", "別の本文に差し替えた。" * 30, Role.SUSPECT, title="写本")
        add_documents(connection, [other], batch)
        finish_batch(connection, batch)
    moved = [replace(match, a=3) for match in PASSAGES[FIRST]]
    rerun = store_run(session, moved)
    view = open_pair(session, rerun.id, 3, 2)
    assert (view.a.id, view.judgements) == ("a", (None,) * len(moved))
    overview = read_overview(session, rerun.id)
    assert overview.unplaced == 1
    assert overview.columns is not None
    (lost,) = unplaced(session, overview.columns)
    assert (lost.judgement.value, lost.unplaced.spans) == ("copy", (LONG.a_span, LONG.b_span))
    # On the old run, whose text it was given for, it still holds; one that is given now holds as well.
    assert open_pair(session, 1, 1, 2).judgements[0] is not None
    give_verdict(session, passage_unit(moved[0], {3: "a", 2: "b"}), "not-copy", who="bob")
    judgement = open_pair(session, rerun.id, 3, 2).judgements[0]
    assert judgement is not None
    assert [(label.who, label.value) for label in judgement.verdicts] == [("bob", "not-copy")]
