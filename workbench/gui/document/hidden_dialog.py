"""The text of a page that browsers do not show."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from workbench.base.types import Document
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import column, label
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.pages.hidden import stored_hidden_text

_MOST = 100_000
"""Characters that are shown, so that laying them out holds nothing up."""


@guarded
class HiddenDialog(QDialog):
    """Shows what browsers hide of the page ``document`` of the project."""

    def __init__(self, context: AppContext, parent: QWidget, document: Document) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Hidden text"))
        self.resize(640, 420)
        why = tr("The styles of this page hide these words in a browser; they do not count.")
        self.text = QPlainTextEdit(tr("Reading…"))
        self.text.setReadOnly(True)
        self.text.setFont(fonts.font(13, language=document.language))
        self.text.setAccessibleName(tr("Hidden text"))
        layout = column(label(why, 12, role="muted", wrap=True), margins=(18, 16, 18, 16), spacing=10)
        layout.addWidget(self.text, 1)
        self.setLayout(layout)
        context.jobs.submit(
            tr("Hidden text"), stored_hidden_text, context.project, document.key, after=self._read, quiet=True
        )

    def _read(self, record: JobRecord) -> None:
        text = record.result if isinstance(record.result, str) else record.error
        left = len(text) - _MOST
        more = trn("{count} more character is not shown", "{count} more characters are not shown", left)
        self.text.setPlainText(f"{text[:_MOST]}\n\n{more}" if left > 0 else text)
