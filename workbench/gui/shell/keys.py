"""All shortcuts, which can be changed."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QKeySequenceEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.pauses import FilterField
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, caption, column, heading, key_text, label, line, panel, row
from workbench.gui.shell.catalogue import known_screens
from workbench.gui.shell.palette import RECENT
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext


class KeysDialog(QDialog):
    """A table of actions with their keys, and a field that records a new key for the chosen action."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.finished.connect(self.deleteLater)
        self.resize(720, 600)
        columns = [
            Column("title", tr("Action")),
            Column("where", tr("Where"), width=150),
            Column("key", tr("Keys"), width=170),
        ]
        self.model = ColumnsModel(columns, "id", self)
        self.table = Table(self.model, tr("Actions"), many=False)
        self.filter = FilterField(self.table, tr("Filter by action or key"), tr("Filter shortcuts"))
        self.filter.setFont(fonts.font(13))
        self.edit = QKeySequenceEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setAccessibleName(tr("New shortcut"))
        self.edit.setFixedWidth(240)
        self.state = label(tr("Select an action, then press its new keys in the field."), 12, role="muted", wrap=True)
        frame, inner = panel()
        inner.setContentsMargins(1, 0, 1, 1)
        inner.addWidget(self.table, 1)
        inner.addWidget(line())
        inner.addLayout(
            row(
                caption(tr("New shortcut")),
                self.edit,
                button(tr("No shortcut"), self.clear),
                None,
                margins=(14, 10, 12, 10),
            )
        )
        close = button(tr("Close"), self.accept, kind="primary")
        whole = column(heading(tr("Keyboard shortcuts")), self.filter, spacing=10, margins=(16, 14, 16, 14))
        whole.addWidget(frame, 1)
        bottom = row(self.state, button(tr("Defaults"), self.reset), close)
        bottom.setStretch(0, 1)
        whole.addLayout(bottom)
        self.setLayout(whole)
        self.filter.paused.connect(lambda: self.model.set_filter(self.filter.text()))
        self.table.selected.connect(self._selected)
        self.edit.keySequenceChanged.connect(self._record)
        self._fill()
        self.filter.setFocus()

    def _fill(self) -> None:
        actions = [a for a in self._context.actions if not a.id.startswith(RECENT)]
        keep, views = self.table.chosen_keys(), known_screens()
        self.model.set_values(
            {
                "id": [a.id for a in actions],
                "title": [a.title for a in actions],
                "where": [views[a.view].name() if a.view else tr("Everywhere") for a in actions],
                "key": [key_text(self._context.actions.shortcut(a.id)) for a in actions],
            },
            ("title", "key"),
        )
        self.table.select_keys(keep)

    def _selected(self) -> None:
        keys = self.table.chosen_keys()
        self.edit.setEnabled(bool(keys))
        with QSignalBlocker(self.edit):
            self.edit.setKeySequence(QKeySequence(self._context.actions.shortcut(keys[0]) if keys else ""))

    def _record(self, sequence: QKeySequence) -> None:
        keys = self.table.chosen_keys()
        portable = sequence.toString(QKeySequence.SequenceFormat.PortableText)
        if not keys or not portable:
            return
        if portable == "Tab" or sequence == QKeySequence(Qt.Key.Key_Backtab):
            self.state.setText(tr("Tab moves between fields and cannot be a shortcut."))
            return
        self.assign(keys[0], portable)

    def assign(self, action: str, sequence: str) -> None:
        """Give ``action`` the shortcut ``sequence``, and show which action lost it."""
        losers = self._context.actions.set_shortcut(action, sequence)
        self._keep()
        title = self._context.actions[action].title
        sentence = tr("{title}: {keys}.", title=title, keys=key_text(sequence) or tr("no shortcut"))
        if losers:
            sentence += " " + tr("{other} no longer has a shortcut.", other=self._context.actions[losers[0]].title)
        self.state.setText(sentence)

    def clear(self) -> None:
        """Remove the chosen action's shortcut."""
        keys = self.table.chosen_keys()
        if keys:
            self.assign(keys[0], "")
            self._selected()

    def reset(self) -> None:
        """Restore all defaults."""
        self._context.actions.reset_shortcuts()
        self._keep()
        self._selected()
        self.state.setText(tr("All shortcuts are back to their defaults."))

    def _keep(self) -> None:
        self._context.settings.shortcuts = self._context.actions.chosen()
        self._fill()
