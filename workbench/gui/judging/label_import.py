"""Bringing labels in from a file: ask which one, show what its columns hold, import as a job, report the outcome."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.label_import_dialog import ImportLabelsDialog
from workbench.gui.kit.file_dialogs import open_file
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.labelling import LabelOptions, LabelResult, import_labels
from workbench.services.labels.mapping import Preview, preview


class LabelImporter(QObject):
    """Imports labels into the open project, the same way from every screen."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.dialog: ImportLabelsDialog | None = None

    def ask(self, label_set: str) -> None:
        """Ask for a file of labels, to be imported into ``label_set``."""
        filters = [tr("Labels (*.csv *.tsv *.jsonl)"), tr("All files (*)")]
        path = open_file(self._parent, tr("Import labels"), self._context.folder, filters)
        if path is not None:
            self.offer(path, label_set)

    def offer(self, path: Path, label_set: str) -> None:
        """Show the content of the file at ``path`` before it is imported into ``label_set``."""
        self._context.folder = path.parent

        def show(contents: Preview) -> None:
            dialog = ImportLabelsDialog(self._parent.window(), path, contents)
            dialog.accepted.connect(lambda: self.bring(path, dialog.label_set(), dialog.meaning()))
            dialog.set_chosen.connect(again)
            dialog.finished.connect(lambda _result: dialog.deleteLater())
            self.dialog = dialog
            dialog.open()

        def again(name: str) -> None:
            dialog = self.dialog
            if dialog is not None:
                self._context.background(
                    lambda session: preview(session, path, name), dialog.show_preview, owner=dialog
                )

        self._context.background(lambda session: preview(session, path, label_set), show, owner=self)

    def bring(self, path: Path, label_set: str, meaning: dict[str, str], *, overwrite: bool = False) -> None:
        """Import the labels of ``path`` into ``label_set``, its columns understood as ``meaning`` says.

        Labels that are there change only with ``overwrite``, which is offered where the file says something else.
        """
        project = self._context.project
        if project is not None:
            options = LabelOptions(label_set=label_set, columns=meaning, overwrite=overwrite)
            title = tr("Import labels from {name}", name=path.name)

            def again() -> None:
                self.bring(path, label_set, meaning, overwrite=True)

            after = self._context.after(LabelResult, partial(self._say, again))
            self._context.jobs.submit(title, import_labels, project, path, options, after=after)

    def _say(self, again: Callable[[], object], result: LabelResult) -> None:
        parts = [trn("{count} label was imported.", "{count} labels were imported.", result.imported)]
        if result.unchanged:
            parts.append(trn("{count} already existed.", "{count} already existed.", result.unchanged))
        if result.failed:
            first = result.failed[0]
            parts.append(trn("{count} row was refused.", "{count} rows were refused.", len(result.failed)))
            parts.append(f"{Path(first.path).name}: {say(first.error)}")
        if result.changes:
            change = result.changes[0]
            parts.append(
                trn(
                    "{count} row contradicts the existing label and was left out.",
                    "{count} rows contradict the existing labels and were left out.",
                    len(result.changes),
                )
            )
            words = {"who": change.who, "name": change.name, "before": change.before, "after": change.after}
            parts.append(tr("{who} on {name}: {before}, in the file {after}.", **words))
            self._context.offer(" ".join(parts), tr("Change the labels"), again)
        else:
            self._context.say(" ".join(parts), "warn" if result.failed else "ok")
