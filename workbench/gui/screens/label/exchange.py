"""What goes out and comes back: entries assigned, shares, labels as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QSpinBox, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.label_import import LabelImporter
from workbench.gui.kit.file_dialogs import open_files
from workbench.gui.kit.saving import save_as
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.screens.label.merge_dialog import MergeDialog
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.services.labels import assigning
from workbench.services.labels.export import write_labels
from workbench.services.labels.merging import MergeResult, merge_share, redo_merge, undo_merge
from workbench.services.labels.shares import ShareResult, export_share
from workbench.services.session import Session


class AssignDialog(QDialog):
    """Names, one a line, and how many of them label each of ``entries``."""

    def __init__(self, parent: QWidget, names: Sequence[str], entries: int) -> None:
        super().__init__(parent)
        self._entries = entries
        self.setWindowTitle(tr("Assign entries"))
        self.resize(440, 360)
        self.names = QPlainTextEdit("\n".join(names))
        self.names.setAccessibleName(tr("Annotators, one per line"))
        self.names.setFont(fonts.font(14))
        self.names.setTabChangesFocus(True)
        self.count = QSpinBox()
        self.count.setRange(1, 50)
        self.count.setValue(min(2, max(1, len(names))))
        self.count.setAccessibleName(tr("Annotators per entry"))
        self.words = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Assign"), self.accept, kind="primary")
        self.go.setDefault(True)
        whole = column(caption(tr("Annotators, one per line")), self.names, spacing=8, margins=(16, 14, 16, 12))
        whole.addLayout(row(caption(tr("Annotators per entry")), self.count, None))
        whole.addWidget(self.words)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.names.textChanged.connect(self._changed)
        self.count.valueChanged.connect(lambda _value: self._changed())
        self._changed()

    def annotators(self) -> list[str]:
        """The names, each once."""
        typed = (" ".join(line.split())[:120] for line in self.names.toPlainText().splitlines())
        return list(dict.fromkeys(name for name in typed if name))

    def each(self) -> int:
        """How many annotators an entry gets."""
        return self.count.value()

    def _changed(self) -> None:
        names, each = self.annotators(), self.each()
        possible = 1 <= each <= len(names)
        self.go.setEnabled(possible)
        if not possible:
            self.words.setText(tr("Enter at least {count} annotators.", count=each))
            return
        entries = trn("{count} entry", "{count} entries", self._entries)
        load = f"{self._entries * each / len(names):,.0f}"
        self.words.setText(
            tr(
                "{entries} in the queue; about {load} for each annotator. What is assigned already stays.",
                entries=entries,
                load=load,
            )
        )


_PROJECTS = "Palimpsest (*.palimpsest)"


class Exchange(QObject):
    """Asks for files and names, and does it in the background; ``desk`` is what the screen works at."""

    def __init__(self, context: AppContext, parent: QWidget, desk: Callable[[], LabelSession | None]) -> None:
        super().__init__(parent)
        self._context, self._parent, self._desk = context, parent, desk
        self.dialog: AssignDialog | None = None
        self.merging: MergeDialog | None = None
        self._waiting: list[Path] = []
        self.importer = LabelImporter(context, parent)

    # -- assigning

    def ask_assign(self) -> None:
        """Ask who labels the queue, and how many each entry."""
        desk = self._desk()
        if desk is None:
            return
        names = list(dict.fromkeys([*desk.board.annotators(), desk.who]))
        dialog = AssignDialog(self._parent.window(), names, len(desk.items))
        dialog.accepted.connect(lambda: self.assign(dialog.annotators(), dialog.each()))
        dialog.finished.connect(lambda _result: dialog.deleteLater())
        self.dialog = dialog
        dialog.open()

    def assign(self, annotators: list[str], each: int) -> None:
        """Assign the entries of the queue; undo takes it back."""
        desk = self._desk()
        if desk is None:
            return
        name = desk.board.label_set.name
        targets = [item.target for item in desk.items]
        try:
            pairs = assigning.deal(targets, annotators, each, desk.board.assigned)
        except UserError as error:
            self._context.show_error(error)
            return
        self._context.perform(
            trn("Assign {count} label", "Assign {count} labels", len(pairs)),
            lambda session: assigning.assign(session, name, pairs),
            lambda session: assigning.unassign(session, name, pairs),
            {"labels", "documents"},
            sentence=trn("{count} label was assigned.", "{count} labels were assigned.", len(pairs)),
        )

    # -- shares

    def ask_share(self) -> None:
        """Ask where the share of the annotator is written, and write it."""
        desk = self._desk()
        if desk is not None:
            who, label_set = desk.who, desk.board.label_set.name
            title, kinds = tr("Write the share of {who}", who=who), {_PROJECTS: ".palimpsest"}
            name = f"{who}.palimpsest"
            save_as(
                self._context, self._parent, title, name, kinds, export_share, _shared, label_set=label_set, who=who
            )

    def ask_merge(self) -> None:
        """Ask which shares or copies come back, and show what each would change, one after the other."""
        self._waiting = open_files(self._parent, tr("Bring shares back"), self._context.folder, [_PROJECTS])
        self._offer_next()

    def _offer_next(self) -> None:
        if self._waiting:
            self.offer_merge(self._waiting.pop(0))

    def offer_merge(self, path: Path) -> None:
        """Show what the share or copy at ``path`` would change before it is brought back."""
        project = self._context.project
        if project is None:
            return
        self._context.folder = path.parent
        dialog = MergeDialog(self._context, project, path, self._parent.window())
        dialog.accepted.connect(lambda: self.merge(path, dialog.accepted_people()))
        dialog.rejected.connect(self._offer_next)
        dialog.finished.connect(lambda _result: dialog.deleteLater())
        self.merging = dialog
        dialog.open()

    def merge(self, path: Path, accept: Sequence[str] = ()) -> None:
        """Bring back what people said in the project at ``path``, what is held back for the people in ``accept``."""
        project = self._context.project
        if project is not None:
            self._context.folder = path.parent
            title = tr("Bring back {name}", name=path.name)
            after = self._context.after(MergeResult, partial(self._merged, title))
            self._context.jobs.submit(title, merge_share, project, path, list(accept), after=after)

    def _merged(self, title: str, result: MergeResult) -> None:
        parts = [trn("{count} label was added.", "{count} labels were added.", result.added)]
        if result.known:
            parts.append(trn("{count} was known already.", "{count} were known already.", result.known))
        if result.failed:
            parts.append(
                trn(
                    "{count} was refused: its document is not here, or has another text.",
                    "{count} were refused: their documents are not here, or have other texts.",
                    len(result.failed),
                )
            )
        if result.doubtful:
            parts.append(trn("{count} was left out.", "{count} were left out.", len(result.doubtful)))
        if result.number:
            number = result.number
            self._context.history.push(
                title, lambda: self._switch(undo_merge, number), lambda: self._switch(redo_merge, number)
            )
            self._context.say_undoable(" ".join(parts))
        else:
            self._context.say(" ".join(parts), "warn" if result.failed or result.doubtful else "ok")
        self._offer_next()

    def _switch(self, switch: Callable[[Session, int], None], number: int) -> None:
        self._context.change(lambda session: switch(session, number), None)
        # What was read of the log may count no more, or again.
        self._context.announce({"labels", "documents", "runs"})

    # -- files

    def ask_import(self) -> None:
        """Ask for a file of labels for the set that is shown, and show what it holds."""
        desk = self._desk()
        if desk is not None:
            self.importer.ask(desk.board.label_set.name)

    def ask_export(self) -> None:
        """Ask where the labels are written, and write them."""
        desk = self._desk()
        if desk is not None:
            label_set = desk.board.label_set.name
            title, kinds = tr("Export labels"), {"CSV (*.csv)": ".csv", "JSON Lines (*.jsonl)": ".jsonl"}
            save_as(
                self._context, self._parent, title, f"{label_set}.csv", kinds, write_labels, _wrote, label_set=label_set
            )


def _shared(path: Path, result: ShareResult) -> str:
    entries = trn("{count} entry", "{count} entries", result.entries)
    return tr("The share was written to {path}: {entries}.", path=path, entries=entries)


def _wrote(path: Path, count: int) -> str:
    return tr("Wrote {labels} to {name}.", labels=trn("{count} label", "{count} labels", count), name=path)
