"""Importing labels from a file: ask which one, show its columns, import as a job, report the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.file_dialogs import open_file
from workbench.gui.kit.widgets import ChoiceBox, button, column, heading, label, row
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.labelling import LabelOptions, LabelResult, import_labels
from workbench.services.labels.mapping import ANNOTATOR_COLUMN, FIELDS, IGNORED, Preview, preview
from workbench.services.labels.merge_additions import redo_merge, undo_merge
from workbench.services.session import Session

_ROWS = 12


def field_words() -> dict[str, str]:
    """The possible contents of a column, in words."""
    words = {
        "id": tr("Document"),
        "label": tr("Label"),
        "annotator": tr("Annotator"),
        "note": tr("Note"),
        "time": tr("Time"),
        "set": tr("Label set"),
        "kind": tr("Kind"),
        "a": tr("First document"),
        "a_start": tr("First document: start"),
        "a_end": tr("First document: end"),
        "b": tr("Second document"),
        "b_start": tr("Second document: start"),
        "b_end": tr("Second document: end"),
    }
    return {field: words[field] for field in FIELDS}


class ImportLabelsDialog(QDialog):
    """Shows the first rows of ``path`` with the meaning above each column, and the label set to import into.

    ``set_chosen`` emits the name of another set: since values distinguish columns, the columns must be guessed again.
    """

    set_chosen = Signal(str)

    def __init__(self, parent: QWidget, path: Path, preview: Preview) -> None:
        super().__init__(parent)
        self._meaning: dict[str, str] = {}
        self.setWindowTitle(tr("Import labels"))
        self.resize(920, 480)
        self.boxes: dict[str, QComboBox] = {}
        self.sets = ChoiceBox()
        self.sets.setAccessibleName(tr("Label set"))
        self.sets.setMinimumWidth(240)
        self.sets.addItems(preview.sets)
        self.sets.activated.connect(lambda _at: self.set_chosen.emit(self.label_set()))
        into = label(tr("Import into the label set"), 13)
        into.setBuddy(self.sets)
        self.table = QTableWidget()
        self.table.setAccessibleName(tr("First rows of the file"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.verticalHeader().hide()
        self.table.setFont(fonts.font(13))
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(210)
        self.words = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Import"), self.accept, kind="primary")
        self.go.setDefault(True)
        whole = column(heading(path.name), spacing=8, margins=(16, 14, 16, 12))
        whole.addLayout(row(into, self.sets, None, spacing=8))
        whole.addWidget(label(tr("Choose what each column contains in the box above it."), 13, wrap=True))
        whole.addWidget(self.table, 1)
        whole.addWidget(self.words)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.show_preview(preview)

    def show_preview(self, preview: Preview) -> None:
        """Show the rows, each column with its guessed meaning."""
        self._meaning = dict(preview.meaning)
        self.sets.setCurrentText(preview.label_set)
        self.boxes = {}
        shown = preview.rows[:_ROWS]
        self.table.clear()
        self.table.setRowCount(len(shown) + 1)
        self.table.setColumnCount(len(preview.headings))
        self.table.setHorizontalHeaderLabels([*preview.headings])
        for at, name in enumerate(preview.headings):
            self.boxes[name] = self._box(name)
            self.table.setCellWidget(0, at, self.boxes[name])
            for number, cells in enumerate(shown, 1):
                self.table.setItem(number, at, QTableWidgetItem(cells[at]))
        self.table.setRowHeight(0, 40)
        self._changed()

    def _box(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(tr("Contents of the column {name}", name=name))
        box.addItem(tr("(ignored)"), IGNORED)
        box.addItem(tr("Labels of {name}", name=name), f"{ANNOTATOR_COLUMN}{name}")
        for field, word in field_words().items():
            box.addItem(word, field)
        meaning = self._meaning.get(name, IGNORED)
        if box.findData(meaning) < 0:
            box.addItem(meaning, meaning)
        box.setCurrentIndex(box.findData(meaning))
        box.currentIndexChanged.connect(partial(self._chosen, name))
        return box

    def _chosen(self, name: str, _at: int) -> None:
        self._meaning[name] = str(self.boxes[name].currentData())
        self._changed()

    def _changed(self) -> None:
        used = [field for field in self._meaning.values() if field]
        columns = [
            field for field in used if field.startswith(ANNOTATOR_COLUMN) or field in ("label", "labels", "kind")
        ]
        problem = _problem(used, columns)
        self.words.setText(problem or trn("{count} column of labels.", "{count} columns of labels.", len(columns)))
        self.go.setEnabled(not problem)

    def label_set(self) -> str:
        """The label set for rows that do not name one."""
        return self.sets.currentText()

    def meaning(self) -> dict[str, str]:
        """The meaning of each column, for the import."""
        return dict(self._meaning)


def _problem(used: Sequence[str], columns: Sequence[str]) -> str:
    """Why columns with these meanings cannot be imported; "" if they can."""
    if not ({"id", "target"} & set(used) or {"a", "b"} <= set(used)):
        return tr("No column identifies the document of a row. Choose one above.")
    if len(set(used)) < len(used):
        return tr("Two columns have the same content. Change one of them.")
    return "" if columns else tr("No column contains labels. Choose one above.")


def undo_as_merge(context: AppContext, title: str, number: int) -> None:
    """Offer to undo the labels that were imported or merged from event ``number`` on."""

    def switch(change: Callable[[Session, int], None]) -> None:
        context.change(lambda session: change(session, number), None)
        # Events read from the log may no longer count, or may count again.
        context.announce({"labels", "documents", "runs"})

    context.history.push(title, lambda: switch(undo_merge), lambda: switch(redo_merge))


class LabelImporter(QObject):
    """Imports labels into the open project, the same way from every screen."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.dialog: ImportLabelsDialog | None = None

    def ask(self, label_set: str) -> None:
        """Ask for a file of labels to import into ``label_set``."""
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
        """Import the labels of ``path`` into ``label_set``, with columns mapped by ``meaning``.

        Existing labels change only with ``overwrite``, which is offered if the file has another value.
        """
        project = self._context.project
        if project is not None:
            options = LabelOptions(label_set=label_set, columns=meaning, overwrite=overwrite)
            title = tr("Import labels from {name}", name=path.name)

            def again() -> None:
                self.bring(path, label_set, meaning, overwrite=True)

            after = self._context.after(LabelResult, partial(self._say, title, again))
            self._context.jobs.submit(title, import_labels, project, path, options, after=after)

    def _say(self, title: str, again: Callable[[], object], result: LabelResult) -> None:
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
            words = {
                "who": change.who,
                "name": change.name,
                "before": change.before,
                "after": change.after or tr("withdrawn"),
            }
            parts.append(tr("{name}, labelled by {who}: here {before}, in the file {after}.", **words))
        if result.number:
            undo_as_merge(self._context, title, result.number)
        if result.changes:
            self._context.offer(" ".join(parts), tr("Change the labels"), again)
        elif result.number:
            self._context.say_undoable(" ".join(parts))
        else:
            self._context.say(" ".join(parts), "warn" if result.failed else "ok")
