"""What Review says while there is nothing to review."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.parts import EmptyState, button
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Overview


def empty_state(context: AppContext, overview: Overview, runs: QWidget) -> EmptyState:
    """Why there is nothing to review, and what to do next; ``runs`` leads to other runs."""
    theme, run = context.theme, overview.run
    detect = button(tr("Go to Detect"), lambda: context.show_view("detect"))
    detect.setProperty("kind", "primary")
    if not overview.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"))
        documents.setProperty("kind", "primary")
        sentence = tr("Import the texts to examine and the texts they may have been taken from.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    if run is None:
        sentence = tr("Run a method over the documents: its results can be reviewed here, passage by passage.")
        return EmptyState(theme, "detect", tr("Nothing was detected yet"), sentence, detect)
    examined = trn("{count} document was examined.", "{count} documents were examined.", run.documents)
    parts = [f"{count:,} {say(reason)}" for reason, count in run.excluded.items()]
    left_out = tr("Left out: {parts}.", parts="; ".join(parts)) if parts else tr("Nothing was left out.")
    advice = tr("Other parameters or another method may find more.")
    title = tr("Run {number} found no matches", number=run.id)
    return EmptyState(theme, "review", title, f"{examined} {left_out} {advice}", runs, detect)
