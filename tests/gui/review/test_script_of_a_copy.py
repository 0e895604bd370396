"""A copy in another script: no word of the panel calls it changed, and no character is marked as replaced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from review_case import opened, settled

from workbench.base.types import Document, Matches, Results, Role, Tier
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

SIMPLIFIED = "我们发现，网络上的文章经常被人复制。学者认为这种行为对创作者很不公平，也让读者难以判断。"
TRADITIONAL = "我們發現，網絡上的文章經常被人複製。學者認爲這種行爲對創作者很不公平，也讓讀者難以判斷。"


def test_everything_that_is_said_of_it_agrees(qtbot: QtBot, context: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "case.palimpsest"
    create(path)
    documents = [Document("s", SIMPLIFIED, Role.SUSPECT, language="zh"), Document("t", TRADITIONAL, language="zh")]
    evidence = {"methods": np.array([4]), "surprisal": np.array([0.0]), "odds": np.array([70.0])}
    one = [np.array([value], np.int64) for value in (1, 2, 0, len(SIMPLIFIED), 0, len(TRADITIONAL))]
    matches = Matches(*one, np.array([1.0]), np.array([int(Tier.FOLDED)], np.int8), evidence)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "copies", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
    view = opened(qtbot, context, path)
    settled(qtbot, view)
    qtbot.waitUntil(lambda: "Comparing" not in view.evidence.edits_text())

    def texts() -> str:
        labels = (part.text() for part in view.evidence.findChildren(QLabel) if part.isVisibleTo(view.evidence))
        return " | ".join(labels)

    qtbot.waitUntil(lambda: "no other document to search" in texts(), timeout=60_000)
    assert view.evidence.edits_text() == "Same except for the script"
    assert view.pair.edits == []
    for word in ("changed", "replaced", "differ", "bits", "Exact"):
        assert word not in texts(), texts()
