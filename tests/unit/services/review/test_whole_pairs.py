"""Curves of edits, and labels of pairs of whole documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.listing import items_of
from workbench.project.pairs import Pair
from workbench.services.review.verdicts import Unit, give_verdict, history, settle
from workbench.services.review.whole_pairs import edit_curve, judgements_of_pairs, suspects_of_pairs
from workbench.services.session import Session, create

CTX = Context("test", lambda _event: None, lambda: False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("a", "一二三", role=Role.SUSPECT), Document("b", "四五六")])
    return path


def test_the_curve_ends_at_the_length_of_the_suspect_with_all_edits() -> None:
    common = "".join(chr(0x4E00 + i) for i in range(50))
    curve = edit_curve(CTX, "甲乙" + common, "丙" + common, {"slope": 0.2})
    assert (int(curve.positions[0]), int(curve.positions[-1])) == (0, 52)
    assert (int(curve.edits[0]), int(curve.edits[-1]), curve.slope) == (0, 3, 0.2)


def test_texts_that_differ_over_too_long_a_stretch_are_refused_in_a_sentence() -> None:
    # Every window stands in both texts, so that the skeletons keep all; the halves change places piece by piece.
    a = "".join(chr(0x4E00 + i % 4000) for i in range(8000))
    pieces = [a[i : i + 16] for i in range(0, len(a), 16)]
    b = "".join(reversed(pieces))
    with pytest.raises(UserError, match="differ completely over more than 1,000 characters"):
        edit_curve(CTX, a, b, {"max_stretch": 1000})


def test_a_suspect_is_listed_with_its_best_score_and_its_greatest_containment(project: Path) -> None:
    def pair(a: int, b: int, score: float, containment: float | None) -> Pair:
        return Pair(a, b, 0, score, 0.0, 0.0, 0, 0, 0, score, containment, None, {})

    with Session(project) as session:
        with session.write() as connection:
            add_documents(connection, [Document("c", "七八九", role=Role.SUSPECT)])
        with session.read() as connection:
            items = items_of(connection, [1, 2, 3])
    rows = suspects_of_pairs([pair(1, 2, 0.5, 0.75), pair(3, 2, 0.8, None), pair(1, 3, 0.6, 0.25)], items)
    assert [(row.id, row.score, row.coverage, row.sources) for row in rows] == [("c", 0.8, 0.0, 1), ("a", 0.6, 0.75, 2)]


@pytest.mark.slow
def test_a_label_of_a_pair_holds_for_both_orders_and_is_withdrawn(project: Path) -> None:
    def values(session: Session) -> dict[tuple[int, int], str]:
        with session.read() as connection:
            judgements = judgements_of_pairs(session.verdicts.follow(connection), [(1, 2)], {1: "a", 2: "b"})
        return {pair: judgement.value for pair, judgement in judgements.items()}

    with Session(project) as session:
        give_verdict(session, Unit("b", "a"), "not", "other topic", "A. Reader")
        assert values(session) == {(1, 2): "not"}
        give_verdict(session, Unit("b", "a"), "unknown", who="B. Reader")
        assert values(session) == {(1, 2): "conflict"}
        give_verdict(session, Unit("a", "b"), "", who="A. Reader")
        assert values(session) == {(1, 2): "unknown"}
        settle(session, Unit("a", "b"), "not", who="C. Reader")
        assert values(session) == {(1, 2): "not"}
        events = [(e.value, e.note) for e in history(session, Unit("a", "b"))]
        assert events == [("not", "other topic"), ("unknown", ""), ("", ""), ("not", "")]


def test_a_word_that_is_not_a_label_of_a_pair_is_refused(project: Path) -> None:
    with Session(project) as session, pytest.raises(ValueError, match="not a verdict"):
        give_verdict(session, Unit("a", "b"), "perhaps")
