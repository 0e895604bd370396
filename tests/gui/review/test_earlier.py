"""The evidence says where a source itself took the passage."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from review_case import ROWS, build, opened

from workbench.gui.workspace.context import AppContext
from workbench.services.session import Session


@pytest.mark.usefixtures("no_pauses")
def test_a_source_that_is_itself_a_copy_is_marked_at_the_passages_it_took(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    path = tmp_path / "case.palimpsest"
    build(path, ROWS, {})
    with Session(path) as session, session.write() as connection:
        for key, date in ((3, "2004-01-01"), (4, "2001-01-01")):
            connection.exec_driver_sql("UPDATE document SET published = ? WHERE key = ?", (date, key))
    review = opened(qtbot, context, path)
    review.opening.open_pair(1, 3)
    mark = review.evidence._earlier
    qtbot.waitUntil(lambda: mark.isVisibleTo(review.evidence), timeout=20_000)
    assert "taken this passage from 題 t2 (b is dated before a" in mark.text()
    review.pair.go_to(1)
    qtbot.waitUntil(lambda: not mark.isVisibleTo(review.evidence))
    review.opening.open_pair(1, 4)
    qtbot.waitUntil(lambda: review.pair.opened is not None and review.pair.opened.b.key == 4)
    qtbot.waitUntil(lambda: not context.asides.pending)
    qtbot.waitUntil(lambda: not mark.isVisibleTo(review.evidence))
