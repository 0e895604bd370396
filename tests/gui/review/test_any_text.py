"""Review opens on any text: matches across blank lines, line ends of every kind, signs that reorder or join."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.base.types import Role
from workbench.gui.problems import recorder
from workbench.gui.screens.review.view import ReviewView
from workbench.jobs.context import Context
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import import_paths
from workbench.services.session import create

PARAGRAPHS = (
    "The first paragraph speaks of the river and its banks in early spring.\n\n"
    "The second follows the mill, whose wheel turned day and night.\n\n\n"
    "The third ends with a song of the ferrymen.\n"
)
FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("source", "suspect"),
    [
        pytest.param(PARAGRAPHS, f"My own words.\n\n{PARAGRAPHS}\nMy end.\n", marks=pytest.mark.rest),
        (PARAGRAPHS.replace("\n", "\r\n"), f"Mine.\r\n{PARAGRAPHS}"),
        pytest.param(PARAGRAPHS.replace("\n\n", "\u2028\u2029\t"), f"{PARAGRAPHS}\n\n\n", marks=pytest.mark.rest),
        (f"{FAMILY} {PARAGRAPHS}", f"{PARAGRAPHS}\u202e{FAMILY}\u0301\n\n"),
        (PARAGRAPHS.replace("\n", "\n\0"), PARAGRAPHS * 2),
    ],
    ids=["three paragraphs", "CR LF", "separators", "joined signs", "NUL"],
)
def test_review_opens_on_what_was_imported_and_detected(
    start: Start, qtbot: QtBot, tmp_path: Path, source: str, suspect: str
) -> None:
    path, ctx = tmp_path / "case.palimpsest", Context("test", lambda event: None, lambda: False)
    create(path)
    for name, text, role in (("source.txt", source, Role.SOURCE), ("suspect.txt", suspect, Role.SUSPECT)):
        (tmp_path / name).write_bytes(text.encode())
        assert import_paths(ctx, path, [tmp_path / name], role).imported == 1
    assert detect(ctx, path, "digest", {"min_run": 1, "min_surprisal": 60}, workers=1).matches > 0
    controller = start(path, "review")
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    for action in ("review.next", "review.next", "review.previous"):
        controller.context.actions.run(action)
        settle(qtbot, controller)
        controller.window.grab()
    for pane in (review.pair.left, review.pair.right):
        pane.set_size(pane.size_px + 3)
        pane.set_caret(pane.lines.length)
    controller.window.resize(1000, 620)
    controller.window.grab()
    assert review.pair.left.marks.stretches(0, review.pair.left.lines.length)
    assert not len(recorder())
