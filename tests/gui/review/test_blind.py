"""Blind review in the window: every text and number is the same, whatever others have said."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot
from review_case import ROWS, build, opened, settled

from tests.gui.shown import shown
from workbench.base.types import Label, Span
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project import labels
from workbench.services.labels.sets import ASSIGNED
from workbench.services.labels.targets import adjudicator
from workbench.services.review.verdicts import Unit
from workbench.services.session import Session

NAMES = {1: "s1", 2: "s2", 3: "t1", 4: "t2"}


def about(row: tuple[int, ...]) -> Unit:
    return Unit(NAMES[row[0]], NAMES[row[1]], (Span(row[2], row[3]), Span(row[4], row[5])))


def label(unit: Unit, who: str, value: str) -> Label:
    return Label(unit.target, value, who, "2026-01-01T00:00:00Z", f"{who} says so", label_set=unit.label_set)


ROW = [tuple(map(int, row[:6])) for row in ROWS]
MINE = [label(about(ROW[0]), "A. Reader", "copy")]
LOST = Unit("s1", "t2", (Span(500, 540), Span(500, 540)))
THEIRS = {
    "not a copy": [label(about(ROW[1]), "B", "not-copy"), label(about(ROW[4]), "B", "not-copy")],
    "a conflict": [label(about(ROW[2]), "B", "not-copy"), label(about(ROW[2]), "C", "copy")],
    "settled": [
        label(about(ROW[3]), "B", "not-copy"),
        label(about(ROW[3]), "C", "copy"),
        label(about(ROW[3]), adjudicator("B"), "not-copy"),
    ],
    "the suspect": [label(Unit("s1"), "B", "copy"), label(Unit("s2"), "C", "not-copy"), label(Unit("s2"), "B", "copy")],
    "without a passage": [label(LOST, "B", "copy")],
}


def painted(qtbot: QtBot, view: ReviewView) -> list[str]:
    """The pixels of lists, texts and verdicts, which are painted from more than their texts."""
    # In how many other documents a text stands is counted apart.
    qtbot.waitUntil(lambda: "…" not in shown(view.table), timeout=60_000)
    QApplication.setCursorFlashTime(0)
    pixels = []
    for part in (view.suspects, view.table, view.scores, view.pair, view.evidence.verdict):
        kept = QBuffer()
        part.grab().save(kept, "PNG")
        pixels.append(hashlib.sha256(bytes(kept.data().data())).hexdigest())
    return pixels


def compared(qtbot: QtBot, context: AppContext, view: ReviewView) -> None:
    """Wait until all is read, the texts of the pair are compared and its common phrases are known."""
    settled(qtbot, view)

    def nothing_is_to_come() -> bool:
        # What is asked only after a pause is not pending yet.
        paused = any(timer.isActive() and timer.isSingleShot() for timer in view.findChildren(QTimer))
        comparing = any(part.text() == "Comparing…" for part in view.findChildren(QLabel))
        return not (paused or comparing or context.reads.pending or context.asides.pending)

    qtbot.waitUntil(nothing_is_to_come)
    # A widget added to a layout is shown in the next turn.
    QApplication.processEvents()


def all_shown(qtbot: QtBot, context: AppContext, path: Path, theirs: list[Label]) -> Iterator[tuple[str, list[str]]]:
    """What a blind reviewer sees at each step of a walk through Review."""
    build(path, ROWS, {})
    assigned = [Label(f"document:{name}", "yes", who, "", label_set=ASSIGNED) for name in ("s1",) for who in "BC"]
    with Session(path) as session, session.write() as connection:
        labels.add_labels(connection, [*assigned, *MINE, *theirs])
    context.settings.blind = True
    notices: list[str] = []
    context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    view: ReviewView = opened(qtbot, context, path)
    compared(qtbot, context, view)
    run = context.actions.run
    yield "opened", shown(view)
    yield "painted at first", painted(qtbot, view)
    for action in ["next", "next", "next", "conflict", "next-suspect", "first", "table", "table"]:
        run(f"review.{action}")
        compared(qtbot, context, view)
        yield action, shown(view)
    view.suspects.counted_asked.emit()
    qtbot.waitUntil(lambda: any("ranked" in sentence for sentence in notices), timeout=60_000)
    yield "ranked", shown(view)
    for action in ("exclusions", "unplaced"):
        before = set(QApplication.topLevelWidgets())
        run(f"review.{action}")
        compared(qtbot, context, view)
        for window in set(QApplication.topLevelWidgets()) - before:
            if not isinstance(window, QMenu):
                yield action, shown(window)
                window.close()
    state = view.save_state()
    yield "state", [f"{key}: {state[key]}" for key in sorted(state)]
    # A verdict that comes while the screen is open changes nothing either.
    if theirs:
        assert context.session is not None
        with context.session.write() as connection:
            labels.add_label(connection, label(about(ROW[1]), "C", "partial"))
    context.announce({"labels"})
    compared(qtbot, context, view)
    yield "followed", shown(view)
    yield "painted last", painted(qtbot, view)
    yield "notices", [sentence.replace(str(path.parent), "") for sentence in notices]
    context.close_project()


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("kind", ["all", pytest.param("a conflict", marks=pytest.mark.rest)])
def test_nothing_a_blind_reviewer_sees_depends_on_what_others_said(
    qtbot: QtBot, context: AppContext, tmp_path: Path, kind: str
) -> None:
    theirs = [label for some in THEIRS.values() for label in some] if kind == "all" else THEIRS[kind]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    alone = dict(all_shown(qtbot, context, tmp_path / "one" / "case.palimpsest", []))
    together = dict(all_shown(qtbot, context, tmp_path / "two" / "case.palimpsest", theirs))
    assert alone.keys() == together.keys()
    for step, texts in alone.items():
        assert texts == together[step], step
