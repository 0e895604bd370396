"""The papers' values are as they are printed: in order, and whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.base.messages import Message
from workbench.evaluation.figures import Table
from workbench.services.measuring.figures import KINDS
from workbench.services.measuring.paper_values import paper_values


def table_of(figure: str) -> Table:
    reference = paper_values(figure)
    assert reference is not None
    assert reference.table is not None
    return reference.table


@pytest.mark.parametrize(("figure", "rising"), [("thresholds", False), ("templates", True)])
def test_settings_are_in_order_and_recall_rises_with_what_is_selected(figure: str, rising: bool) -> None:
    rows = [[float(str(cell)) for cell in row] for row in table_of(figure).rows]
    settings: Sequence[float] = [row[0] for row in rows]
    assert settings == sorted(set(settings), reverse=not rising)
    recalls = [row[2] for row in rows]
    assert recalls == sorted(recalls)


def test_providers_add_up_to_all() -> None:
    *providers, whole = table_of("sites").rows
    for at in (1, 2):
        assert sum(int(str(row[at])) for row in providers) == whole[at]


def test_every_figure_with_values_of_a_paper_exists_and_says_how_its_texts_differ() -> None:
    with_values = [name for name in KINDS if paper_values(name) is not None]
    assert len(with_values) >= 7
    for name in with_values:
        reference = paper_values(name)
        assert reference is not None
        assert reference.series or reference.table
        assert all(isinstance(note, Message) for note in reference.notes)
