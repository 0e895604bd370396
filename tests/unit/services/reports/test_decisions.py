"""Which decisions a report rests on."""

from __future__ import annotations

import pytest
from scored import add, label_pairs

from workbench.services.reports.decisions import decisions_about
from workbench.services.session import Session


@pytest.mark.parametrize("pair", [("s0", "s1"), ("s1", "s0")])
def test_what_was_said_of_a_pair_belongs_to_its_report_in_whichever_order_it_was_compared(
    session: Session, pair: tuple[str, str]
) -> None:
    add(session)
    label_pairs(session, {("s0", "s1"): "near-duplicate", ("s0", "b0"): "not"})
    with session.read() as connection:
        assert [decision.label.value for decision in decisions_about(connection, [pair])] == ["near-duplicate"]
