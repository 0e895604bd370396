"""Which decisions a report rests on."""

from __future__ import annotations

import pytest
from scored import add, label_pairs

from workbench.base.types import Span
from workbench.services.reports.decisions import decisions_about
from workbench.services.review.judgement import Reviewer
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session


@pytest.mark.parametrize("pair", [("s0", "s1"), ("s1", "s0")])
def test_what_was_said_of_a_pair_belongs_to_its_report_in_whichever_order_it_was_compared(
    session: Session, pair: tuple[str, str]
) -> None:
    add(session)
    label_pairs(session, {("s0", "s1"): "near-duplicate", ("s0", "b0"): "not"})
    with session.read() as connection:
        assert [decision.label.value for decision in decisions_about(connection, [pair])] == ["near-duplicate"]


def test_a_blind_reviewers_own_verdict_is_in_her_report_also_where_she_took_it_back(session: Session) -> None:
    add(session)
    unit = Unit("s0", "s1", (Span(0, 4), Span(0, 4)))
    for who, value in (("Ann", "copy"), ("Ben", "not-copy"), ("Ann", "")):
        give_verdict(session, unit, value, "", who)
    with session.read() as connection:
        decisions = decisions_about(connection, [("s0", "s1")], Reviewer("Ann", blind=True))
    assert [(decision.label.who, decision.label.value) for decision in decisions] == [("Ann", "copy"), ("Ann", "")]
