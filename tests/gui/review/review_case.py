"""A project with a run, and a Review screen over it, for the tests of Review."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from tests.project_files import build_once
from workbench.base.types import Block, Document, Matches, Results, Role
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import import_paths
from workbench.services.session import Session, create

FILLER = "ここは誰も写していない文である。"


def matches_of(rows: list[tuple[int, int, int, int, int, int, float, int]]) -> Matches:
    """Matches from rows (a, b, a_start, a_end, b_start, b_end, score, tier)."""
    table = np.array(rows, np.float64).reshape(-1, 8)
    whole = [table[:, i].astype(np.int64) for i in range(6)]
    evidence = {"segments": np.arange(1, len(table) + 1)}
    return Matches(*whole, table[:, 6], table[:, 7].astype(np.int8), evidence)


ROWS = [
    (1, 3, 0, 40, 200, 240, 40.0, 0),
    (1, 3, 100, 160, 300, 360, 60.0, 1),
    (1, 3, 200, 220, 0, 20, 20.0, 2),
    (1, 4, 10, 50, 0, 40, 30.0, 0),
    (2, 4, 0, 16, 0, 16, 16.0, 0),
]
"""Suspect 1: three passages from source 3 (the last moved), one from source 4. Suspect 2: one from source 4."""


@build_once
def build(
    path: Path,
    rows: list[tuple[int, int, int, int, int, int, float, int]],
    excluded: dict[str, int],
    blocks: tuple[Block, ...] = (),
) -> None:
    """A project with two suspects (keys 1, 2), two sources (3, 4), all with ``blocks``, and one run with ``rows``."""
    create(path)
    documents = [
        Document(name, f"{name}。" + FILLER * 40, role=role, title=f"題 {name}", language="ja", blocks=blocks)
        for name, role in (("s1", Role.SUSPECT), ("s2", Role.SUSPECT), ("t1", Role.SOURCE), ("t2", Role.SOURCE))
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "digest", 1, {"content": True} if blocks else {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches_of(rows), excluded=excluded), documents=2)
        with session.write() as connection:
            finish_run(connection, run.id)


def opened(qtbot: QtBot, context: AppContext, path: Path) -> ReviewView:
    """Review over the project at ``path``, loaded and shown."""
    context.open_project(path)
    qtbot.waitUntil(lambda: context.project == path)
    view = ReviewView(context)
    list(view.pieces)
    qtbot.addWidget(view)
    context.actions.set_view("review")
    context.changed.connect(view.follow)
    view.resize(1300, 800)
    # Painted once, with everything on it: what it looks like as one part after another is read is painted by the tests
    # of the whole window.
    view.setUpdatesEnabled(False)
    view.show()
    with qtbot.waitSignal(view.ready):
        view.load()
    qtbot.waitUntil(lambda: view.is_ready() and context.reads.pending == 0)
    view.setUpdatesEnabled(True)
    return view


def settled(qtbot: QtBot, review: ReviewView) -> None:
    """Wait until all is read."""
    qtbot.waitUntil(lambda: review.is_ready() and review.context.reads.pending == 0)


def stored(review: ReviewView) -> list[tuple[str, str]]:
    """Verdicts and notes as they hold."""
    assert review.context.session is not None
    with review.context.session.read() as connection:
        return [(label.value, label.note) for label in labels.current(connection).values()]


def compare_files(path: Path, source: str, suspect: str) -> None:
    """A new project of two files beside it, which have one passage in common."""
    create(path)
    context = Context("test", lambda event: None, lambda: False)
    for name, role in ((source, Role.SOURCE), (suspect, Role.SUSPECT)):
        assert import_paths(context, path, [path.parent / name], role).imported == 1
    assert detect(context, path, "digest", {}, workers=1).matches == 1
