"""Reports written from the window: their sentences in the interface language, and opening the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from workbench.gui.i18n import say
from workbench.services.reports.strings import ENGLISH


def open_file(path: Path) -> bool:
    """Open a file in its default program."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def report_words() -> dict[str, str]:
    """The report's sentences in the interface language, by their English form."""
    return {text: say(text) for text in ENGLISH.values()}
