"""Saving the pairs of a run as a graph for other programs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.saving import save_as
from workbench.gui.workspace.context import AppContext
from workbench.services.relations.export import export_graph


def ask_export(context: AppContext, parent: QWidget, run_id: int) -> None:
    """Ask where to save the graph of a run, and write it as a job."""
    kinds = {tr("Graph (*.graphml)"): ".graphml", tr("Graph for Gephi (*.gexf)"): ".gexf", tr("Table (*.csv)"): ".csv"}

    def sentence(path: Path, pairs: int) -> str:
        count = trn("{count} pair", "{count} pairs", pairs)
        return tr("The graph was saved to {path} ({count}).", path=path, count=count)

    save_as(context, parent, tr("Export the graph"), f"{run_id}.graphml", kinds, export_graph, sentence, run_id=run_id)
