"""Prints pages of plain tables as PDF, in a separate process without a window.

python -m workbench.gui.kit.printing PAGE.html FILE.pdf
"""

from __future__ import annotations

import faulthandler
import os
import sys
from pathlib import Path

from PySide6.QtCore import QMarginsF, QUrl
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument

from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.jobs import children
from workbench.services.reports.pdf import SECONDS

_POINTS = 9.0
"""Size of the running text."""
_END = b"%%EOF"
"""The end of every PDF file."""


@guarded
class _Page(QTextDocument):
    """A document that never loads any resources."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing."""
        return None


def command() -> tuple[str, ...]:
    """The command that prints; the page and the PDF file are its last two arguments."""
    return children.command(__name__)


def print_page(page: Path, pdf: Path) -> None:
    """Lay out ``page`` on A4 with page numbers and write it to ``pdf``. Needs a QGuiApplication. Raises OSError."""
    document = _Page()
    face = fonts.font(13)
    face.setPointSizeF(_POINTS)
    document.setDefaultFont(face)
    document.setHtml(page.read_text(encoding="utf-8"))
    writer = QPdfWriter(str(pdf))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    # The document has its own margins, with the page number in the lower one.
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Millimeter)
    writer.setTitle(document.metaInformation(QTextDocument.MetaInformation.DocumentTitle))
    writer.setCreator("Palimpsest")
    document.print_(writer)
    del writer  # which closes the file, and reports no error if it could not be written
    if not pdf.read_bytes().rstrip().endswith(_END):
        raise OSError("the PDF file could not be written whole")


def main() -> int:
    """Print. Ends after the time limit even if the waiting process is gone."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QGuiApplication(sys.argv)
    fonts.load_bundled()
    print_page(Path(sys.argv[1]), Path(sys.argv[2]))
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main())
