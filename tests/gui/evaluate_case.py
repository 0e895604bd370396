"""A small project with known scores and labels, for Evaluate."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.project_files import build_once
from workbench.base.types import Document, DocumentScore, Label, Results, Role
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.shell.app import Controller
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.targets import document_target
from workbench.services.session import Session, create

COUNT, SPLOGS = 60, 20


def scores() -> list[float]:
    """Splogs (the first) score higher, with some errors both ways."""
    rng = np.random.default_rng(4)
    return [round(float(np.exp(rng.normal(4 if i < SPLOGS else 2.6, 0.8))), 1) for i in range(COUNT)]


@build_once
def build(path: Path, *, labels: bool = True, run: bool = True) -> Path:
    create(path)
    documents = [
        Document(
            f"d{i:02}", f"Entry {i}. " * (4 + i % 9), Role.SUSPECT, title=f"Entry {i}", language="ja" if i % 2 else "zh"
        )
        for i in range(COUNT)
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
        if run:
            for values, parameters in ((scores(), {}), ([v * 2 for v in scores()], {"min_length": 4})):
                stored_run = begin_run(connection, "copied-strings", 1, parameters, "00", 1)
                results = Results(scores=tuple(DocumentScore(k, v, {}) for k, v in enumerate(values, 1)))
                finish_chunk(connection, stored_run.id, 0, results, documents=COUNT)
                finish_run(connection, stored_run.id)
        if labels:
            give(connection, range(COUNT))
    return path


def give(connection: object, which: object) -> None:
    events = [
        Label(document_target(f"d{i:02}"), "splog" if i < SPLOGS else "blog", "anna", "")
        for i in which  # type: ignore[attr-defined]
    ]
    add_labels(connection, [Label(e.target, e.value, e.who, e.when, label_set="class") for e in events])  # type: ignore[arg-type]


def shown(controller: Controller) -> EvaluateView:
    view = controller.window.view("evaluate")
    assert isinstance(view, EvaluateView)
    return view


def counted(threshold: float) -> dict[str, int]:
    """The confusion matrix, by looking at every item."""
    counts = {"true_positive": 0, "false_positive": 0, "false_negative": 0, "true_negative": 0}
    for i, value in enumerate(scores()):
        right, chosen = i < SPLOGS, value >= threshold
        counts[("true_" if right == chosen else "false_") + ("positive" if chosen else "negative")] += 1
    return counts


def listed(view: EvaluateView) -> set[str]:
    scored = view.scored
    assert scored is not None
    return {scored.identity(int(scored.a[row])) for row in view.curves.items.model.order.tolist()}
