"""Handing findings over: where to save a report, writing it as a job, opening it."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QWidget

from workbench.base.resources import data_dir
from workbench.base.types import Run
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit import file_dialogs, printing
from workbench.gui.kit.reports import open_file, report_words
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.methods.core import registry
from workbench.services.reports.exporting import Written, export_report
from workbench.services.reports.gathering import Selection

SUFFIXES = (".html", ".pdf", ".csv", ".jsonl")
_NAME = 60
"""Characters of a title in a suggested file name."""


class Reporter:
    """Writes reports of what Review shows: ``pair``, ``suspect`` or ``run``."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        self._context, self._parent = context, parent

    def ask(self, kind: str, opened: Opened) -> None:
        """Ask where to save the report on ``opened``'s pair, its suspect, or its whole run, then write it."""
        project = self._context.project
        if project is None:
            return
        filters = [tr("Page to read and print (*.html)"), "PDF (*.pdf)", tr("Table (*.csv)"), tr("Data (*.jsonl)")]
        # The sample lies where nobody looks for files.
        folder = Path.home() if project.parent == data_dir() else project.parent
        start = folder / f"{project.stem} {report_name(kind, opened)}.html"
        path, chosen = file_dialogs.save_file(self._parent.window(), tr("Save the report"), start, filters)
        if path is not None:
            if path.suffix.lower() not in SUFFIXES:
                path = path.with_name(path.name + SUFFIXES[filters.index(chosen) if chosen in filters else 0])
            self.write(kind, opened, path)

    def write(self, kind: str, opened: Opened, path: Path) -> JobRecord | None:
        """Write the report to ``path`` as a job; its suffix chooses the format."""
        project = self._context.project
        if project is None:
            return None
        selection = Selection(
            opened.run.id,
            opened.a.id if kind == "suspect" else None,
            (opened.a.id, opened.b.id) if kind == "pair" else None,
        )
        title = tr("Report {name}", name=path.name)
        return self._context.jobs.submit(
            title,
            export_report,
            project,
            selection,
            path,
            report_words() | _run_words(opened.run),
            printing.command(),
            after=lambda r: self._written(r, path),
        )

    def _written(self, record: JobRecord, path: Path) -> None:
        if isinstance(record.result, Written):
            count = trn("{count} passage", "{count} passages", record.result.passages)
            said = tr("The report was saved to {path} ({count}).", path=path, count=count)
            if left := record.result.passages_left_out:
                more = trn("{count} passage", "{count} passages", left)
                said = tr(
                    "The report was saved to {path} ({count}; not printed: {more}).", path=path, count=count, more=more
                )
            self._context.offer(
                said,
                tr("Open it"),
                lambda: open_file(path),
            )
        else:
            self._context.say_job_ended(record)


def report_name(kind: str, opened: Opened) -> str:
    """A file name (without suffix) that says what the report is about."""
    if kind == "run":
        return tr("run {number}", number=opened.run.id)
    titles = [opened.a.title or opened.a.id]
    if kind == "pair":
        titles.append(opened.b.title or opened.b.id)
    return " – ".join(" ".join(re.sub(r'[\x00-\x1f<>:"/\\|?*]', " ", t).split())[:_NAME].rstrip(". ") for t in titles)


def _run_words(run: Run) -> dict[str, str]:
    """What a report says of a run's method, settings and what was left out, by its English."""
    method = registry.get(run.method)
    said = {text for spec in method.parameters.specs() for text in (spec.help, spec.unit)} | {method.summary}
    return {text: tr(text) for text in said} | {reason: say(reason) for reason in run.excluded}
