"""Who labels the entries of the queue, and by how many each is labelled."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QPlainTextEdit, QSpinBox, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.theme import fonts


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
