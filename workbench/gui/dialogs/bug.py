"""A bug: a sentence, and a report to copy."""

from __future__ import annotations

import platform
import sys

import PySide6
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.parts import button, column, heading, label, row
from workbench.gui.theme import fonts


def report_text(report: str) -> str:
    """The report with what the reader of it needs to know about this machine; no paths of projects, no texts."""
    about = f"Python {sys.version.split()[0]}, PySide6 {PySide6.__version__}, {platform.system()} {platform.release()}"
    return f"{about}\n\n{report.strip()}\n"


class BugDialog(QDialog):
    """Something went wrong that is not the user's to mend."""

    def __init__(self, sentence: str, report: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Unexpected problem"))
        self.resize(680, 440)
        self.text = QPlainTextEdit(report_text(report))
        self.text.setReadOnly(True)
        self.text.setFont(fonts.mono(12))
        self.text.setAccessibleName(tr("Report"))
        self.copy = button(tr("Copy report"), self.copy_report)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        hint = tr("Your project is safe: what was finished is in the file. Copy this report when you tell us about it.")
        whole = column(
            heading(sentence), label(hint, 13, role="muted", wrap=True), spacing=10, margins=(18, 16, 18, 14)
        )
        whole.addWidget(self.text, 1)
        whole.addLayout(row(self.copy, None, close))
        self.setLayout(whole)

    def copy_report(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText(tr("Copied"))
