"""Reports problems to the user, with a report of them to copy."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import apply_style, button, column, heading, label, row
from workbench.gui.shell.title_bar import Banner
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext


class BugDialog(QDialog):
    """Shows a problem: ``sentence`` says what happened, ``hint`` its consequence; ``report`` can be read and copied."""

    def __init__(self, sentence: str, hint: str, report: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Report a problem"))
        self.resize(680, 440)
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setFont(fonts.mono(12))
        self.text.setAccessibleName(tr("Report"))
        self.copy = button(tr("Copy report"), self.copy_report)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        privacy = label(tr("It contains no text of your documents."), 12, role="faint")
        whole = column(
            heading(sentence), label(hint, 13, role="muted", wrap=True), spacing=10, margins=(18, 16, 18, 14)
        )
        whole.addWidget(self.text, 1)
        whole.addLayout(row(self.copy, privacy, None, close))
        self.setLayout(whole)

    def copy_report(self) -> None:
        """Copy the report to the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText(tr("Copied"))


class Trouble(QObject):
    """For one window, shows a sentence in its ``banner`` for each new problem, and the report on request."""

    def __init__(self, context: AppContext, banner: Banner, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._banner, self._window = context, banner, window
        # Deferred, because a problem may occur while drawing, or in another thread.
        self._context.problems.recorded.connect(self.tell, Qt.ConnectionType.QueuedConnection)
        self._context.unexpected.connect(self.tell)
        self._context.bug.connect(self.show_bug)

    def tell(self, _problem: object = None) -> None:
        """Show that something went wrong, and offer the report."""
        sentence = tr("An internal error occurred. Everything else still works.")
        self._banner.say(sentence, "danger", tr("Report a problem…"), self.show_report)

    def show_bug(self, sentence: str, trace: str) -> None:
        """Record the error that ended a job, with its ``trace``, and show the report at once."""
        self._context.problems.record_trace("job", trace)
        hint = tr("Your project is safe: finished work is in the file. Include this report when you contact us.")
        self._show(sentence, hint)

    def show_report(self) -> None:
        """Show everything recorded since the start."""
        if len(self._context.problems):
            sentence = tr("An internal error occurred.")
            hint = tr("Your project is safe: finished work is in the file. Include this report when you contact us.")
        else:
            sentence = tr("No errors since the start.")
            hint = tr(
                "If something does not work, describe what you did and what you expected, and include these lines."
            )
        self._show(sentence, hint)

    def _show(self, sentence: str, hint: str) -> None:
        dialog = BugDialog(sentence, hint, self._context.problems.report(), self._window)
        apply_style(dialog, self._context.theme)
        dialog.open()
