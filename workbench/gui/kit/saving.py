"""Saving a file: ask for a path, write it in a job, report it, and open it; also the sentences of reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say, tr
from workbench.gui.kit import file_dialogs
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.strings import ENGLISH


def open_file(path: Path) -> bool:
    """Open a file in its default program."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def report_words() -> dict[str, str]:
    """The report's sentences in the interface language, by their English form."""
    return {text: say(text) for text in ENGLISH.values()}


_READABLE = (".html", ".pdf")
"""Suffixes of files that are opened for reading; for others, the folder is opened."""


def ask_path(
    context: AppContext, parent: QWidget, title: str, name: str, kinds: Mapping[str, str]
) -> tuple[Path | None, str]:
    """The path to save to, and the chosen one of ``kinds`` (filters, each with its suffix); suggests ``name`` in the
    last used folder. A name without one of the suffixes gets the suffix of the chosen kind.
    """
    start = context.folder / name
    while True:
        path, kind = file_dialogs.save_file(parent.window(), title, start, [*kinds])
        if path is None:
            return None, kind
        context.folder = path.parent
        whole = path
        if path.suffix.lower() not in kinds.values():
            whole = path.with_name(path.name + kinds.get(kind, next(iter(kinds.values()))))
        if whole == path or not whole.exists():
            return whole, kind
        # The dialog did not ask whether to replace this file.
        start = whole


def save_as(
    context: AppContext,
    parent: QWidget,
    title: str,
    name: str,
    kinds: Mapping[str, str],
    job: Callable[..., Any],
    sentence: Callable[[Path, Any], str],
    **arguments: Any,
) -> None:
    """Ask for a path as :func:`ask_path` does, run the job ``job(ctx, project, path=…, **arguments)`` that writes
    there, and show the result of ``sentence(path, result)`` with a button that opens the file or its folder. The
    project's name precedes ``name``.
    """
    project = context.project
    if project is None:
        return
    path, _ = ask_path(context, parent, title, f"{project.stem} {name}", kinds)
    if path is None:
        return

    def ended(record: JobRecord) -> None:
        if record.state != "done":
            context.say_job_ended(record)
        elif path.suffix.lower() in _READABLE:
            context.offer(sentence(path, record.result), tr("Open it"), lambda: open_file(path))
        else:
            context.offer(sentence(path, record.result), tr("Open folder"), lambda: open_file(path.parent))

    context.jobs.submit(tr("Save {name}", name=path.name), job, project, path=path, after=ended, **arguments)
