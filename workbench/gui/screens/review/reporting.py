"""Reports: sealing, writing as a job, opening, printing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QWidget
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.gui import i18n
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.key_dialog import KeyDialog, read_key, show_problem
from workbench.gui.kit.layouts import fit
from workbench.gui.kit.saving import ask_path, open_file
from workbench.gui.kit.widgets import Copyable, WholeText, button, column, heading, label, row
from workbench.gui.problems import begun, ended, guarded
from workbench.gui.screens.review.match_table import passage_words
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.panels import Panels
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.exporting import PACK, PDF, Written, export_report, picture_report
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pack import USUAL, Seal
from workbench.services.timestamps import Service, load, save

_WIDTH = 720
_INDENT = 26
"""Indent below a check box, in pixels: the width of its indicator."""


@guarded
class SealDialog(QDialog):
    """Asks whether to sign and timestamp the pack called ``name``; by default an ``anonymous`` one is not signed."""

    def __init__(self, theme: Theme, parent: QWidget, name: str, *, anonymous: bool) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(tr("Evidence pack"))
        self.setFixedWidth(_WIDTH)
        self._service = load() or Service("")
        self.sign = _tick(tr("Sign it with my key"))
        self.stamp = _tick(tr("Get a trusted timestamp that proves it exists now"))
        self._key_words = label("", 12, role="muted", wrap=True)
        self.key_button = button(tr("Your key…"), self._open_key, kind="link")
        self.address = QLineEdit(self._service.url)
        self.address.setPlaceholderText("https://freetsa.org/tsr")
        self.address.setAccessibleName(tr("Address of the timestamp service (RFC 3161)"))
        self.address.setFont(fonts.font(13))
        self.address.setEnabled(False)
        self.stamp.toggled.connect(self.address.setEnabled)
        self.problem = label("", 12, role="danger", wrap=True)
        self.problem.hide()
        go = button(tr("Write the pack"), self.accept, kind="primary")
        go.setDefault(True)
        key_line = row(self._key_words, self.key_button, margins=(_INDENT, 0, 0, 0))
        key_line.setStretch(0, 1)
        sent = tr("It receives only the hash of the list of files.")
        self.setLayout(
            column(
                heading(name),
                column(self.sign, key_line, spacing=4),
                column(
                    self.stamp,
                    column(self.address, label(sent, 12, role="muted"), margins=(_INDENT, 0, 0, 0), spacing=4),
                    spacing=4,
                ),
                self.problem,
                row(None, button(tr("Cancel"), self.reject), go),
                spacing=14,
                margins=(18, 16, 18, 14),
            )
        )
        # Return writes the pack; without a key, the button beside it would have the focus.
        go.setFocus()
        self._show_key()
        if anonymous:
            self.sign.setChecked(False)

    def seal(self) -> Seal:
        """The chosen seal."""
        return Seal(self.sign.isChecked(), self.stamp.isChecked())

    def accept(self) -> None:
        """Save the service for the next time; keep the dialog open if its address is invalid."""
        url = self.address.text().strip()
        if self.stamp.isChecked() and url != self._service.url:
            try:
                save(Service(url))
            except UserError as error:
                show_problem(self.problem, error)
                return
        super().accept()

    def _show_key(self) -> None:
        key = read_key(self.problem)
        self.sign.setEnabled(bool(key))
        self.sign.setChecked(bool(key))
        if key:
            words = tr("Anyone who has your public key can verify that this pack is yours.")
        else:
            words = tr("You have no key: your evidence packs are not signed.")
        self._key_words.setText(words)

    def _open_key(self) -> None:
        dialog = KeyDialog(self._theme, self)
        dialog.finished.connect(lambda _code: self._show_key())
        dialog.open()


class PackDialog(QDialog):
    """Shows the fingerprint of the pack that was ``written`` to ``path``, and how to use it.

    ``counted`` describes the pack's contents; ``save_report`` writes the report with its fingerprint.
    """

    def __init__(
        self,
        theme: Theme,
        parent: QWidget,
        path: Path,
        written: Written,
        seal: Seal,
        counted: str,
        save_report: Callable[[], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Evidence pack"))
        self.setFixedWidth(_WIDTH)
        self.fingerprint = Copyable(theme, tr("Fingerprint"), written.fingerprint)
        what = tr(
            "Send the fingerprint separately from the pack. Anyone who has it can tell this pack from any "
            "other with File › Check an evidence pack, or “palimpsest verify”. The pack itself does not "
            "contain it; the report that goes with the pack can state it."
        )
        self.words = WholeText("", 12)
        self.words.set_text(" ".join(_facts(written, seal, counted)))
        self.report = button(tr("Save the report with the fingerprint…"), save_report)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        folder = button(tr("Open its folder"), lambda: open_file(path.parent))
        self.setLayout(
            column(
                heading(tr("The evidence pack was written")),
                WholeText(str(path), 13),
                self.words,
                self.fingerprint,
                label(what, 12, role="muted", wrap=True),
                row(self.report, folder, None, close),
                spacing=12,
                margins=(18, 16, 18, 14),
            )
        )
        fit(self)


def _facts(written: Written, seal: Seal, counted: str) -> list[str]:
    facts = [tr("It contains {count}.", count=counted)]
    facts.append(tr("It is signed with your key.") if written.signed else tr("It is not signed."))
    if seal.stamp:
        facts.append(tr("It has a trusted timestamp."))
    if written.names is not None:
        facts.append(tr("The key to the names is in {path}; store it separately.", path=written.names))
    return facts


def _tick(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setFont(fonts.font(13))
    return box


_NAME = 60
"""Number of characters of a title in a suggested file name."""


class Reporter:
    """Writes reports on the item that ``panels`` show: the ``pair``, its ``suspect`` or its ``run``, including unsaved
    notes.
    """

    def __init__(self, context: AppContext, panels: Panels) -> None:
        self._context, self._panels = context, panels
        self._printer: QPrinter | None = None

    def ask_open(self, kind: str) -> None:
        """Ask where to save the report on the open item, then write it."""
        self._panels.flush()
        if self._panels.pair.opened is not None:
            self.ask(kind, self._panels.pair.opened)

    def print_open(self) -> None:
        """Print the report on the open suspect."""
        self._panels.flush()
        if self._panels.pair.opened is not None:
            self.print("suspect", self._panels.pair.opened)

    def ask(self, kind: str, opened: PairData) -> None:
        """Ask where to save the report on ``opened``'s pair, its suspect, or its whole run, then write it."""
        project = self._context.project
        if project is None:
            return
        nameless = tr("Evidence pack without names (*.zip)")
        illustrated = {
            tr("HTML page with pictures of the cited pages (*.html)"): ".html",
            tr("PDF with pictures of the cited pages (*.pdf)"): ".pdf",
        }
        filters = {
            tr("HTML page to read and print (*.html)"): ".html",
            "PDF (*.pdf)": ".pdf",
            **illustrated,
            tr("CSV table (*.csv)"): ".csv",
            tr("JSON Lines data (*.jsonl)"): ".jsonl",
            tr("Evidence pack, with texts and checksums (*.zip)"): ".zip",
            nameless: ".zip",
        }
        name = f"{project.stem} {report_name(kind, opened)}.html"
        path, chosen = ask_path(self._context, self._panels, tr("Save the report"), name, filters)
        if path is not None:
            anonymous = chosen == nameless
            if path.suffix.lower() == PACK:
                self._ask_seal(kind, opened, path, anonymous=anonymous)
            else:
                self.write(kind, opened, path, anonymous=anonymous, with_pages=chosen in illustrated)

    def _ask_seal(self, kind: str, opened: PairData, path: Path, *, anonymous: bool) -> None:
        """Ask for additional proofs of the pack at ``path``, then write it."""
        dialog = SealDialog(self._context.theme, self._panels.window(), path.name, anonymous=anonymous)

        def write() -> None:
            self.write(kind, opened, path, anonymous=anonymous, seal=dialog.seal())

        dialog.accepted.connect(write)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(
        self,
        kind: str,
        opened: PairData,
        path: Path,
        *,
        anonymous: bool = False,
        seal: Seal = USUAL,
        pack: str = "",
        with_pages: bool = False,
    ) -> JobRecord | None:
        """Write the report to ``path`` as a job; its suffix chooses the format. ``pack``: the fingerprint of the
        accompanying pack. ``with_pages``: it contains pictures of the cited pages.
        """
        project = self._context.project
        if project is None:
            return None
        return self._context.jobs.submit(
            tr("Report {name}", name=path.name),
            export_report,
            project,
            replace(self._selection(kind, opened, anonymous=anonymous), with_pages=with_pages),
            path,
            i18n.current(),
            seal=seal,
            pack=pack,
            after=lambda r: self._written(
                r, path, seal, lambda hex_: self._ask_beside(kind, opened, path, hex_, seal, anonymous=anonymous)
            ),
        )

    def _ask_beside(
        self, kind: str, opened: PairData, of_pack: Path, fingerprint: str, seal: Seal, *, anonymous: bool
    ) -> None:
        """Ask where to save the report that names the pack ``of_pack`` by its ``fingerprint``, and the key if ``seal``
        signed it, then write it.
        """
        filters = {tr("HTML page to read and print (*.html)"): ".html", "PDF (*.pdf)": PDF}
        name = of_pack.with_suffix(".html").name
        path, _ = ask_path(self._context, self._panels, tr("Save the report"), name, filters)
        if path is not None:
            self.write(kind, opened, path, anonymous=anonymous, seal=seal, pack=fingerprint)

    def _written(self, record: JobRecord, path: Path, seal: Seal, beside: Callable[[str], object]) -> None:
        if isinstance(record.result, Written):
            written = record.result
            count = passage_words(written.passages, written.matches)
            sentence = tr("The report was saved to {path} ({count}).", path=path, count=count)
            if left := written.matches_left_out:
                more = trn("{count} match", "{count} matches", left)
                sentence = tr(
                    "The report was saved to {path} ({count}; not printed: {more}).", path=path, count=count, more=more
                )
            if written.fingerprint:
                if isValid(self._panels):
                    theme, window = self._context.theme, self._panels.window()
                    dialog = PackDialog(theme, window, path, written, seal, count, lambda: beside(written.fingerprint))
                    dialog.finished.connect(dialog.deleteLater)
                    dialog.open()
                    return
                # Review has been closed: the fingerprint is nowhere else.
                sentence += " " + tr("The fingerprint of the pack is {fingerprint}.", fingerprint=written.fingerprint)
                self._context.say(sentence, "warn")
                return
            if written.names is not None:
                sentence += " " + tr("The key to the names is in {path}; store it separately.", path=written.names)
            self._context.offer(
                sentence,
                tr("Open it"),
                lambda: open_file(path),
            )
        else:
            self._context.say_job_ended(record)

    def _selection(self, kind: str, opened: PairData, *, anonymous: bool = False) -> Selection:
        return Selection(
            opened.run.id,
            opened.a.id if kind == "suspect" else None,
            (opened.a.id, opened.b.id) if kind == "pair" else None,
            anonymous,
            self._context.settings.common_from,
            self._context.viewer,
        )

    def print(self, kind: str, opened: PairData) -> None:
        """Lay the report out, then ask for a printer and print it."""
        project = self._context.project
        if project is None:
            return
        folder = TemporaryDirectory()

        def ready(_written: Written) -> None:
            pages = sorted(Path(folder.name).glob("*.png"))
            # The dialog does not own its printer.
            self._printer = printer_for(report_name(kind, opened))
            dialog = QPrintDialog(self._printer, self._panels.window())
            dialog.setMinMax(1, max(1, len(pages)))
            dialog.setOption(QPrintDialog.PrintDialogOption.PrintPageRange)
            dialog.accepted.connect(lambda *_: self._paint(pages, folder))
            dialog.rejected.connect(folder.cleanup)
            dialog.finished.connect(dialog.deleteLater)
            dialog.setWindowModality(Qt.WindowModality.WindowModal)
            dialog.show()

        def failed(error: Exception) -> None:
            folder.cleanup()
            self._context.show_error(error)

        self._context.say(tr("Laying out the pages…"))
        self._context.aside(
            self._panels,
            picture_report,
            project,
            self._selection(kind, opened),
            Path(folder.name),
            DPI,
            i18n.current(),
            done=ready,
            failed=failed,
        )

    def _paint(self, pages: list[Path], folder: TemporaryDirectory[str]) -> None:
        """Print ``pages``, files in ``folder``, one strip at a time."""
        printer, context = self._printer, self._context
        if printer is None:
            return
        chosen = chosen_pages(printer, pages)

        def read(picture: Callable[[], QImage], then: Callable[[QImage], object]) -> None:
            context.background(lambda _session: picture(), then, owner=sheets)

        def ended(result: int | OSError) -> None:
            folder.cleanup()
            sheets.deleteLater()
            if isinstance(result, OSError):
                context.show_error(result)
                return
            context.say(trn("{count} page was sent to the printer.", "{count} pages were sent to the printer.", result))

        sheets = SheetPrinter(printer, chosen, read, self._panels)
        sheets.begun.connect(
            lambda page: context.say(tr("Printing page {page} of {total}…", page=page, total=len(chosen)))
        )
        sheets.ended.connect(ended)
        sheets.start()


def report_name(kind: str, opened: PairData) -> str:
    """A file name (without suffix) that describes the report."""
    if kind == "run":
        return tr("run {number}", number=opened.run.id)
    titles = [opened.a.title or opened.a.id]
    if kind == "pair":
        titles.append(opened.b.title or opened.b.id)
    return " – ".join(" ".join(re.sub(r'[\x00-\x1f<>:"/\\|?*]', " ", t).split())[:_NAME].rstrip(". ") for t in titles)


DPI = 200
"""Resolution of the pictures; small print remains legible."""
_STRIPS = 64
"""Number of strips in which a page is painted; each takes a few milliseconds."""


def printer_for(name: str) -> QPrinter:
    """The user's printer, set to A4 without margins, which the pictures contain. ``name`` is the document's."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    printer.setPageOrientation(QPageLayout.Orientation.Portrait)
    printer.setFullPage(True)
    printer.setDocName(name)
    return printer


def chosen_pages(printer: QPrinter, pages: Sequence[Path]) -> Sequence[Path]:
    """The ``pages`` that the user chose; all if no range was given."""
    first, last = printer.fromPage(), printer.toPage()
    if printer.printRange() is not QPrinter.PrintRange.PageRange or first < 1:
        return pages
    return pages[first - 1 : last or len(pages)]


Read = Callable[[Callable[[], QImage], Callable[[QImage], object]], None]
"""Calls the first function off the window's thread, and the second with its result."""


class SheetPrinter(QObject):
    """Prints pictures, each as large as the sheet, in strips between which the window stays responsive.

    ``begun`` emits the number of the sheet being printed, from 1; ``ended`` the number of sheets, or an OSError if the
    printer, or the file used instead, cannot be written.
    """

    begun = Signal(int)
    ended = Signal(object)

    def __init__(self, printer: QPrinter, pages: Sequence[Path], read: Read, parent: QObject) -> None:
        super().__init__(parent)
        self._printer, self._pages, self._read = printer, list(pages), read
        self._painters: list[QPainter] = []
        """The painter while it is open: with its printer gone, it would crash the process."""
        self.destroyed.connect(partial(_end_all, self._painters))
        self._picture = QImage()
        self._page = self._strip = 0
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._paint)

    def start(self) -> None:
        """Start with the first page."""
        painter = begun(self._printer)
        if painter is None:
            self._end(OSError("the printer takes no pages"))
            return
        self._painters.append(painter)
        if not self._pages:
            self._end(0)
        else:
            self._open()

    def _open(self) -> None:
        page = str(self._pages[self._page])
        self.begun.emit(self._page + 1)
        self._read(lambda: QImage(page), self._opened)

    def _opened(self, picture: QImage) -> None:
        self._picture, self._strip = picture, 0
        self._turn.start()

    def _paint(self) -> None:
        """Paint one strip, or go to the next page."""
        if self._strip < _STRIPS:
            try:
                self._paint_strip()
            except Exception:
                self._turn.stop()
                self._end(OSError("the page could not be painted"))
                raise
            self._strip += 1
            return
        self._turn.stop()
        self._page += 1
        if self._page == len(self._pages):
            self._end(self._page)
        elif self._printer.newPage():
            self._open()
        else:
            self._end(OSError("the printer takes no more pages"))

    def _paint_strip(self) -> None:
        (painter,) = self._painters
        picture = self._picture
        sheet = self._printer.paperRect(QPrinter.Unit.DevicePixel)
        scale = min(sheet.width() / max(1, picture.width()), sheet.height() / max(1, picture.height()))
        top, bottom = (picture.height() * at // _STRIPS for at in (self._strip, self._strip + 1))
        # At whole printer dots, strips join without a seam.
        above, below = round(top * scale), round(bottom * scale)
        target = QRect(0, above, round(picture.width() * scale), below - above)
        painter.drawImage(target, picture, QRect(0, top, picture.width(), bottom - top))

    def _end(self, result: int | OSError) -> None:
        _end_all(self._painters)
        self.ended.emit(result)


def _end_all(painters: list[QPainter], _deleted: object = None) -> None:
    while painters:
        ended(painters.pop())
