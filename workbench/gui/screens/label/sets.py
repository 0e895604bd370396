"""Creating and changing label sets in the Label screen, with undo, and showing their history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QComboBox, QDialog, QWidget
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import button, caption, column, label, row, store_accepted
from workbench.gui.kit.words import local_time
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.screens.label.set_dialog import MarkdownView, SetDialog
from workbench.gui.workspace.context import AppContext
from workbench.services.labels import definitions
from workbench.services.labels.definitions import LabelSet, SetVersion
from workbench.services.labels.values import value_counts
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session


class SetMaker:
    """Asks for label sets and saves them; ``use`` is called with the name of the set to work with."""

    def __init__(self, context: AppContext, parent: QWidget, use: Callable[[str], object]) -> None:
        self._context, self._parent, self._use = context, parent, use
        self.dialog: QDialog | None = None

    def make(self) -> None:
        """Ask for a new label set."""
        self._context.background(
            definitions.read_sets,
            lambda sets: self._ask(LabelSet(""), list(sets), None),
            owner=self._parent,
        )

    def change(self, label_session: LabelSession | None, *, guidelines: bool = False) -> None:
        """Ask for changes to the set of ``label_session``; ``guidelines``: starting with these."""
        if label_session is None:
            return
        board = label_session.board
        others = [name for name in board.sets if name != board.label_set.name]
        label_set = board.label_set
        self._context.background(
            lambda session: value_counts(session, label_set.name),
            lambda counts: self._ask(label_set, others, counts, guidelines=guidelines),
            owner=self._parent,
        )

    def _ask(
        self, label_set: LabelSet, others: Sequence[str], counts: Mapping[str, int] | None, *, guidelines: bool = False
    ) -> None:
        dialog = SetDialog(self._context.theme, self._parent.window(), label_set, others, counts)
        if guidelines:
            dialog.tabs.setCurrentIndex(1)
            dialog.guidelines.setFocus()
        store_accepted(dialog, lambda: self._save(label_set, dialog.label_set(), dialog.renamed(), new=counts is None))
        self.dialog = dialog
        dialog.open()

    def _save(self, before: LabelSet, after: LabelSet, renamed: Mapping[str, str], *, new: bool) -> bool:
        """Save ``after`` in place of ``before``. Returns whether it could be saved; if not, shows why."""
        who = self._context.settings.reviewer or reviewer()

        def write(label_set: LabelSet, names: Mapping[str, str]) -> None:
            self._context.change(lambda session: definitions.save_set(session, label_set, who, names), label_set)
            if isValid(self._parent):
                self._use(label_set.name)
            # Labels read from the log now have other names.
            self._context.announce({"labels", "runs"} if names else {"labels"})

        try:
            write(after, renamed)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return False
        if not new:
            title = tr("Change the label set {name}", name=after.name)
            back = dict.fromkeys(renamed, "")
            self._context.history.push(title, lambda: write(before, back), lambda: write(after, renamed))
        if renamed:
            names = ", ".join(f"{value} → {name}" for value, name in renamed.items())
            self._context.say_undoable(tr("Renamed with all labels: {names}.", names=names))
        return True

    def show_history(self, label_session: LabelSession | None) -> None:
        """Show every version of the set of ``label_session``."""
        if label_session is None:
            return
        name = label_session.board.label_set.name

        def read(session: Session) -> list[SetVersion]:
            return definitions.history(session, name)

        def show(versions: list[SetVersion]) -> None:
            if not versions:
                self._context.say(tr("The label set {name} has not been changed.", name=name))
                return
            self.dialog = VersionsDialog(name, versions, self._parent.window())
            self.dialog.open()

        self._context.background(read, show, owner=self._parent)


class VersionsDialog(QDialog):
    """The versions of a label set, newest first: author, time, values and guidelines."""

    def __init__(self, name: str, versions: Sequence[SetVersion], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("History of the label set {name}", name=name))
        self.resize(640, 520)
        self._versions = versions
        self.box = QComboBox()
        self.box.setAccessibleName(tr("Version"))
        for version in versions:
            self.box.addItem(f"{local_time(version.when)}  {version.who}".strip())
        self.values = label("", 13, wrap=True)
        self.guidelines = MarkdownView(tr("Guidelines"))
        self.box.currentIndexChanged.connect(self._show)
        count = trn("{count} version", "{count} versions", len(versions))
        whole = column(caption(count), self.box, self.values, spacing=8, margins=(16, 14, 16, 12))
        whole.addWidget(self.guidelines, 1)
        whole.addLayout(row(None, button(tr("Close"), self.close)))
        self.setLayout(whole)
        self._show(0)

    def _show(self, at: int) -> None:
        label_set = self._versions[at].label_set
        words = [
            f"{value.name} ({value.key})" + (f" – {tr('retired')}" if value.retired else "")
            for value in label_set.values
        ]
        self.values.setText(" · ".join(words))
        self.guidelines.show_markdown(label_set.guidelines)
