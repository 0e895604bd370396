from __future__ import annotations

import numpy as np
import pytest
from stored import FIRST, PASSAGES, SHIFTED, store_run

from workbench.base.types import Document, Match, Role
from workbench.project.documents import add_documents, delete_documents
from workbench.services.labels.sets import SUSPECT_LABELS, VALUES
from workbench.services.queries import change_role
from workbench.services.review.overview import (
    ENOUGH,
    Followed,
    OpenPair,
    Overview,
    Quality,
    follow_verdicts,
    read_overview,
)
from workbench.services.review.pairs import open_pair
from workbench.services.review.verdicts import Unit, give_verdict, judge, passage_unit, restore, set_verdict
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]
IDS = {1: "a", 2: "b"}


def shown(overview: Overview) -> tuple[object, ...]:
    assert overview.judged is not None
    judged = overview.judged
    columns = (judged.carried, judged.own, judged.counts, judged.decision)
    return judged.values(), [column.tolist() for column in columns], overview.last


def judged_values(session: Session) -> list[str]:
    judged = read_overview(session, 1).judged
    assert judged is not None
    return list(judged.values().values())


@pytest.mark.parametrize("run_id", [1, 2])
@pytest.mark.parametrize(
    "verdicts",
    [
        [(LONG, "copy")],
        [(LONG, "copy"), (LONG, "not-copy"), (TAIL, "partial")],
        [(LONG, "copy"), (LONG, "")],
        [(PASSAGES[SHIFTED][0], "partial"), (LONG, "copy"), (LONG, "")],
    ],
)
def test_following_the_log_shows_what_reading_anew_shows(
    session: Session, run_id: int, verdicts: list[tuple[Match, str]]
) -> None:
    store_run(session, PASSAGES[SHIFTED])
    overview, before = read_overview(session, run_id), open_pair(session, run_id, 1, 2)
    shown_of_pair = dict(enumerate(before.judgements))
    with Session(session.path) as other:
        for match, value in verdicts:
            set_verdict(other, match, value)
            followed = follow_verdicts(session, overview, OpenPair("a", "b", before.matches, overview.last, "a"))
            overview = followed.overview
            shown_of_pair |= followed.changed
            assert shown(overview) == shown(read_overview(session, run_id))
            assert tuple(shown_of_pair.values()) == open_pair(session, run_id, 1, 2).judgements


def test_the_open_pair_follows_the_log_from_where_it_was_read_also_if_the_lists_are_newer(session: Session) -> None:
    before = open_pair(session, 1, 1, 2)
    set_verdict(session, LONG, "copy")
    overview = read_overview(session, 1)
    followed = follow_verdicts(session, overview, OpenPair("a", "b", before.matches, before.last, "a"))
    shown_of_pair = dict(enumerate(before.judgements)) | dict(followed.changed)
    assert tuple(shown_of_pair.values()) == open_pair(session, 1, 1, 2).judgements != before.judgements


def test_nothing_is_read_anew_where_the_log_has_gained_nothing(session: Session) -> None:
    set_verdict(session, LONG, "copy")
    overview = read_overview(session, 1)
    assert follow_verdicts(session, overview) == Followed(overview)


def test_a_passage_between_two_suspects_counts_for_both_when_it_is_judged(session: Session) -> None:
    change_role(session, [2], Role.SUSPECT)
    overview = read_overview(session, 1)
    for value in ("copy", "not-copy", "partial", ""):
        set_verdict(session, LONG, value)
        overview = follow_verdicts(session, overview).overview
        assert shown(overview) == shown(read_overview(session, 1))
        assert overview.columns is not None
        assert overview.judged is not None
        one, other = (overview.judged.counts[overview.columns.place_of(key)].tolist() for key in (1, 2))
        assert one == other
        assert sum(one) == bool(value)


def test_suspects_are_listed_by_the_roles_that_documents_have_now(session: Session) -> None:
    first = read_overview(session, 1)
    assert read_overview(session, 1, first.columns).columns is first.columns
    change_role(session, [2], Role.SUSPECT)
    second = read_overview(session, 1, first.columns)
    assert [row.id for row in second.suspects] == [row.id for row in read_overview(session, 1).suspects] == ["a", "b"]
    with session.write() as connection:
        delete_documents(connection, [2])
    assert read_overview(session, 1, second.columns).columns is second.columns


def test_a_verdict_on_a_document_that_the_run_does_not_list_changes_no_list(session: Session) -> None:
    overview = read_overview(session, 1)
    with session.write() as connection:
        add_documents(connection, [Document("c", "Nothing in common.", Role.SUSPECT)])
    for value in [*VALUES[SUSPECT_LABELS], ""]:
        give_verdict(session, Unit("c"), value)
    followed = follow_verdicts(session, overview).overview
    assert shown(followed) == shown(read_overview(session, 1))


def test_many_passages_are_judged_at_once_and_given_back_what_they_had(session: Session) -> None:
    set_verdict(session, LONG, "copy", "word for word")
    units = [passage_unit(match, IDS) for match in (LONG, TAIL)]
    before = judge(session, units, "not-copy")
    assert before == [("copy", "word for word"), ("", "")]
    assert judged_values(session) == ["not-copy", "not-copy"]
    restore(session, units, before)
    assert judged_values(session) == ["copy"]


def test_a_quality_is_shown_where_copies_and_others_were_judged() -> None:
    assert not Quality(ENOUGH, 0, 0.0, None).enough
    assert Quality(ENOUGH, 1, 0.5, 1.0).enough
    assert not Quality(ENOUGH, ENOUGH, 1.0, 1.0).enough


def test_a_match_at_the_threshold_is_counted_among_those_above_it(session: Session) -> None:
    columns = read_overview(session, 1).columns
    assert columns is not None
    for threshold in np.unique(columns.matches.score).tolist():
        assert columns.count_above(threshold) == int((columns.matches.score >= threshold).sum())
