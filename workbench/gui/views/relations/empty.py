"""What Relations says while there is nothing to show."""

from __future__ import annotations

from workbench.gui.context import AppContext
from workbench.gui.i18n import tr
from workbench.gui.models.relation_run import RelationRun
from workbench.gui.parts import EmptyState, button


def empty_state(context: AppContext, run: RelationRun) -> EmptyState:
    """Why there is nothing, and what to do next."""
    theme = context.theme
    if not run.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        sentence = tr("Import the pages to compare: saved web pages, a WARC file, or texts with their addresses.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    detect = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
    sentence = tr(
        "Run rare-sentences in Detect: it pairs the pages that share rare sentences and says of each pair whether it "
        "is a mirror, an inclusion or a citation. Runs of other methods that pair documents are shown here, too."
    )
    return EmptyState(theme, "relations", tr("No run has pairs of pages yet"), sentence, detect)
