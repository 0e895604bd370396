"""Saving a report of what watches found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.reports import open_file, report_words
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.watching.report import write_report_job

SUFFIXES = (".html", ".jsonl")


def ask_report(context: AppContext, parent: QWidget, watch: str, days: int) -> None:
    """Ask where to save the report of the last ``days`` days (0: all) of ``watch`` ("": all), and write it as a job."""
    project = context.project
    if project is None:
        return
    today = datetime.now(UTC).date()
    filters = [tr("Page to read and print (*.html)"), tr("Data (*.jsonl)")]
    folder = context.folder
    start = folder / f"{project.stem} {today.isoformat()}.html"
    path, chosen = file_dialogs.save_file(parent.window(), tr("Save the report"), start, filters)
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        path = path.with_name(path.name + SUFFIXES[filters.index(chosen) if chosen in filters else 0])
    since = (today - timedelta(days=days - 1)).isoformat() if days else ""

    def written(record: JobRecord) -> None:
        if isinstance(record.result, int):
            count = trn("{count} match", "{count} matches", record.result)
            sentence = tr("The report was saved to {path} ({count}).", path=path, count=count)
            context.offer(sentence, tr("Open it"), lambda: open_file(path))
        else:
            context.say_job_ended(record)

    title = tr("Report {name}", name=path.name)
    context.jobs.submit(title, write_report_job, project, path, watch, since, report_words(), after=written)
