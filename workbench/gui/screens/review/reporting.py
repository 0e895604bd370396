"""Handing findings over: where to save a report, writing it as a job, opening it, printing it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from workbench.gui import i18n
from workbench.gui.i18n import tr, trn
from workbench.gui.kit import file_dialogs, printing
from workbench.gui.kit.reports import open_file
from workbench.gui.screens.review.pack_dialogs import PackDialog, SealDialog
from workbench.gui.screens.review.panels import Panels
from workbench.gui.screens.review.passage_words import passage_words
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.exporting import PACK, PDF, SUFFIXES, Written, export_report, picture_report
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pack import USUAL, Seal

_NAME = 60
"""Characters of a title in a suggested file name."""


class Reporter:
    """Writes reports of what ``panels`` show: on the ``pair``, its ``suspect`` or its ``run``, with what was just
    typed.
    """

    def __init__(self, context: AppContext, panels: Panels) -> None:
        self._context, self._panels = context, panels
        self._printer: QPrinter | None = None

    def ask_open(self, kind: str) -> None:
        """Ask where to save the report on what is open, then write it."""
        self._panels.flush()
        if self._panels.pair.opened is not None:
            self.ask(kind, self._panels.pair.opened)

    def print_open(self) -> None:
        """Print the report on the open suspect."""
        self._panels.flush()
        if self._panels.pair.opened is not None:
            self.print("suspect", self._panels.pair.opened)

    def ask(self, kind: str, opened: Opened) -> None:
        """Ask where to save the report on ``opened``'s pair, its suspect, or its whole run, then write it."""
        project = self._context.project
        if project is None:
            return
        nameless = tr("Evidence pack without names (*.zip)")
        filters = {
            tr("Page to read and print (*.html)"): ".html",
            "PDF (*.pdf)": ".pdf",
            tr("Table (*.csv)"): ".csv",
            tr("Data (*.jsonl)"): ".jsonl",
            tr("Evidence pack, with texts and sums to check (*.zip)"): ".zip",
            nameless: ".zip",
        }
        start = self._context.folder / f"{project.stem} {report_name(kind, opened)}.html"
        path, chosen = file_dialogs.save_file(self._panels.window(), tr("Save the report"), start, [*filters])
        if path is not None:
            if path.suffix.lower() not in SUFFIXES:
                path = path.with_name(path.name + filters.get(chosen, ".html"))
            anonymous = chosen == nameless
            if path.suffix.lower() == PACK:
                self._ask_seal(kind, opened, path, anonymous=anonymous)
            else:
                self.write(kind, opened, path, anonymous=anonymous)

    def _ask_seal(self, kind: str, opened: Opened, path: Path, *, anonymous: bool) -> None:
        """Ask what is to prove more of the pack at ``path``, then write it."""
        dialog = SealDialog(self._context.theme, self._panels.window(), path.name, anonymous=anonymous)

        def write() -> None:
            self.write(kind, opened, path, anonymous=anonymous, seal=dialog.seal())

        dialog.accepted.connect(write)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(
        self,
        kind: str,
        opened: Opened,
        path: Path,
        *,
        anonymous: bool = False,
        seal: Seal = USUAL,
        pack: str = "",
    ) -> JobRecord | None:
        """Write the report to ``path`` as a job; its suffix chooses the format. ``pack``: the fingerprint of the pack
        that it goes with.
        """
        project = self._context.project
        if project is None:
            return None
        return self._context.jobs.submit(
            tr("Report {name}", name=path.name),
            export_report,
            project,
            self._selection(kind, opened, anonymous=anonymous),
            path,
            i18n.current(),
            seal=seal,
            pack=pack,
            after=lambda r: self._written(
                r, path, seal, lambda hex_: self._ask_beside(kind, opened, path, hex_, anonymous=anonymous)
            ),
        )

    def _ask_beside(self, kind: str, opened: Opened, of_pack: Path, fingerprint: str, *, anonymous: bool) -> None:
        """Ask where to save the report that names the pack ``of_pack`` by its ``fingerprint``, then write it."""
        filters = {tr("Page to read and print (*.html)"): ".html", "PDF (*.pdf)": PDF}
        start = of_pack.with_suffix(".html")
        path, chosen = file_dialogs.save_file(self._panels.window(), tr("Save the report"), start, [*filters])
        if path is not None:
            if path.suffix.lower() not in filters.values():
                path = path.with_name(path.name + filters.get(chosen, ".html"))
            self.write(kind, opened, path, anonymous=anonymous, pack=fingerprint)

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
                theme, window = self._context.theme, self._panels.window()
                dialog = PackDialog(theme, window, path, written, seal, count, lambda: beside(written.fingerprint))
                dialog.finished.connect(dialog.deleteLater)
                dialog.open()
                return
            if written.names is not None:
                sentence += " " + tr("Who is who stands in {path}; keep it apart.", path=written.names)
            self._context.offer(
                sentence,
                tr("Open it"),
                lambda: open_file(path),
            )
        else:
            self._context.say_job_ended(record)

    def _selection(self, kind: str, opened: Opened, *, anonymous: bool = False) -> Selection:
        return Selection(
            opened.run.id,
            opened.a.id if kind == "suspect" else None,
            (opened.a.id, opened.b.id) if kind == "pair" else None,
            anonymous,
            self._context.settings.common_from,
            self._context.eyes,
        )

    def print(self, kind: str, opened: Opened) -> None:
        """Lay the report out, then ask for a printer and print it."""
        project = self._context.project
        if project is None:
            return
        folder = TemporaryDirectory()

        def ready(_written: Written) -> None:
            pages = sorted(Path(folder.name).glob("*.png"))
            # The dialog does not own its printer.
            self._printer = printing.printer_for(report_name(kind, opened))
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
            printing.DPI,
            i18n.current(),
            done=ready,
            failed=failed,
        )

    def _paint(self, pages: list[Path], folder: TemporaryDirectory[str]) -> None:
        """Print ``pages``, which lie in ``folder``, a strip at a time."""
        printer, context = self._printer, self._context
        if printer is None:
            return
        chosen = printing.chosen_pages(printer, pages)

        def read(picture: Callable[[], QImage], then: Callable[[QImage], object]) -> None:
            context.background(lambda _session: picture(), then, owner=sheets)

        def ended(result: int | OSError) -> None:
            folder.cleanup()
            sheets.deleteLater()
            if isinstance(result, OSError):
                context.show_error(result)
                return
            context.say(trn("{count} page was sent to the printer.", "{count} pages were sent to the printer.", result))

        sheets = printing.Sheets(printer, chosen, read, self._panels)
        sheets.begun.connect(
            lambda page: context.say(tr("Printing page {page} of {total}…", page=page, total=len(chosen)))
        )
        sheets.ended.connect(ended)
        sheets.start()


def report_name(kind: str, opened: Opened) -> str:
    """A file name (without suffix) that says what the report is about."""
    if kind == "run":
        return tr("run {number}", number=opened.run.id)
    titles = [opened.a.title or opened.a.id]
    if kind == "pair":
        titles.append(opened.b.title or opened.b.id)
    return " – ".join(" ".join(re.sub(r'[\x00-\x1f<>:"/\\|?*]', " ", t).split())[:_NAME].rstrip(". ") for t in titles)
