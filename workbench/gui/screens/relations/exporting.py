"""Saving the pairs of a run as a graph for other programs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit import file_dialogs
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.relations.export import SUFFIXES, export_graph


def ask_export(context: AppContext, parent: QWidget, run_id: int) -> None:
    """Ask where to save the graph of a run, and write it as a job."""
    project = context.project
    if project is None:
        return
    filters = [tr("Graph (*.graphml)"), tr("Graph for Gephi (*.gexf)"), tr("Table (*.csv)")]
    folder = context.folder
    start = folder / f"{project.stem} {run_id}.graphml"
    path, chosen = file_dialogs.save_file(parent.window(), tr("Export the graph"), start, filters)
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        path = path.with_name(path.name + SUFFIXES[filters.index(chosen) if chosen in filters else 0])

    def written(record: JobRecord) -> None:
        if isinstance(record.result, int):
            count = trn("{count} pair", "{count} pairs", record.result)
            context.say(tr("The graph was saved to {path} ({count}).", path=path, count=count), "ok")
        else:
            context.say_job_ended(record)

    title = tr("Export {name}", name=path.name)
    context.jobs.submit(title, export_graph, project, run_id, path, after=written)
