"""Display of Markdown: nothing is fetched, no link is opened, HTML is not interpreted."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QPixmap, QTextDocument
from PySide6.QtWidgets import QTextBrowser

from workbench.gui.problems import guarded
from workbench.gui.theme import fonts

_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


@guarded
class MarkdownView(QTextBrowser):
    """Shows Markdown as formatted text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFont(fonts.font(14))
        self.setTabChangesFocus(True)

    def show_markdown(self, text: str) -> None:
        """Show ``text``."""
        self.document().setMarkdown(text, _FEATURES)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return an empty picture: otherwise Qt would read the file named in the text."""
        nothing = QPixmap(1, 1)
        nothing.fill(Qt.GlobalColor.transparent)
        return nothing
