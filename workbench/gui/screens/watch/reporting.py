"""Saving a report of what watches found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.reports import report_words
from workbench.gui.kit.saving import save_as
from workbench.gui.workspace.context import AppContext
from workbench.services.watching.report import write_report_job


def ask_report(context: AppContext, parent: QWidget, watch: str, days: int) -> None:
    """Ask where to save the report of the last ``days`` days (0: all) of ``watch`` ("": all), and write it as a job."""
    today = datetime.now(UTC).date()
    kinds = {tr("Page to read and print (*.html)"): ".html", tr("Data (*.jsonl)"): ".jsonl"}
    since = (today - timedelta(days=days - 1)).isoformat() if days else ""

    def sentence(path: Path, matches: int) -> str:
        count = trn("{count} match", "{count} matches", matches)
        return tr("The report was saved to {path} ({count}).", path=path, count=count)

    name, title, words = f"{today.isoformat()}.html", tr("Save the report"), report_words()
    what = {"watch": watch, "since": since, "words": words, "viewer": context.viewer}
    save_as(context, parent, title, name, kinds, write_report_job, sentence, **what)
