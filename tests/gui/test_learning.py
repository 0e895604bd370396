"""Weights that are learnt from labels, in Evaluate."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, finished, settle
from tests.gui.evaluate_case import COUNT, build, scores, shown
from workbench.base.types import DocumentScore, Results
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.option_fields import FileLine
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.choosing import find_run
from workbench.services.listing import document_ids
from workbench.services.session import Session
from workbench.services.tasks import Outcome


def test_a_run_whose_weights_are_learnt_offers_to_learn_and_warns_of_its_figures(
    start: Start, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = build(tmp_path / "case.palimpsest")
    controller = start(case, "evaluate", ask=lambda controller: shown(controller).open(1))
    view = shown(controller)
    assert view.head.learn.isHidden()
    assert view.head.warning.isHidden()
    with Session(case) as session, session.write() as connection:
        for parameters in ({}, {"weights": '{"intercept": 0, "figures": {}}'}):
            stored_run = begin_run(connection, "splog", 1, parameters, "00", 1)
            results = Results(scores=tuple(DocumentScore(k, v, {}) for k, v in enumerate(scores(), 1)))
            finish_chunk(connection, stored_run.id, 0, results, documents=COUNT)
            finish_run(connection, stored_run.id)
    view.open(3)
    settle(qtbot, controller)
    assert view.head.learn.isVisible()
    assert view.head.warning.isHidden()
    view.open(4)
    settle(qtbot, controller)
    assert "better than those of new documents" in view.head.warning.text()
    # It is as good beside another run.
    view.open(3)
    view.set_mode("runs-compared")
    settle(qtbot, controller)
    view.pages.comparison.table.select_keys([3, 4])
    qtbot.waitUntil(lambda: "run 4 were learnt" in view.pages.comparison.note.text())
    view.set_mode("curves")
    view.open(4)
    settle(qtbot, controller)
    qtbot.mouseClick(view.head.learn, Qt.MouseButton.LeftButton)
    dialog = view.learning.dialog
    assert dialog is not None
    assert dialog.fields.chosen().as_dict()["labels"] == "class"
    # What was learnt is one click away.
    offers: list[tuple[str, str, Callable[[], object]]] = []
    controller.context.offered.connect(lambda *offer: offers.append(offer))
    with Session(case, write=False) as session:
        view.learning._ended(SimpleNamespace(result=Outcome(("Learnt.",), {}, run=find_run(session, 3))))  # type: ignore[arg-type]
    ((sentence, title, show),) = offers
    assert sentence.startswith("Learnt.")
    assert title == "Show run 3"
    show()
    settle(qtbot, controller)
    assert view.head.warning.isHidden()
    # The rows of the form are close to each other, however few there are.
    tops = [field.widget.mapTo(dialog, QPoint(0, 0)).y() for field in dialog.fields.fields.values()]
    assert max(b - a for a, b in pairwise(sorted(tops))) < 3 * dialog.fields.fields["labels"].widget.height()
    dialog.reject()
    # Scores of another program become a run beside these.
    own = tmp_path / "own.csv"
    with Session(case, write=False) as session:
        ids = document_ids(session)
    own.write_text("id,score\n" + "\n".join(f"{name},{key}" for key, name in ids.items()), "utf-8")
    controller.context.actions.run("evaluate.import-scores")
    form = view.scores.dialog
    assert form is not None
    assert not form.go.isEnabled()
    file_field = form.fields.fields["file"].widget
    assert isinstance(file_field, FileLine)
    monkeypatch.setattr(file_dialogs, "open_file", lambda *_: own)
    qtbot.mouseClick(file_field.choose, Qt.MouseButton.LeftButton)
    assert file_field.line.text() == str(own)
    form.fields.fields["name"].set_value("bert")
    form.go.click()
    finished(qtbot, controller)
    sentence, title, show = offers[-1]
    assert f"{len(ids)} scores were imported." in sentence
    show()
    settle(qtbot, controller)
    assert view.shown.inputs.run is not None
    assert view.head.runs.currentText() == "Run 5 · bert"
