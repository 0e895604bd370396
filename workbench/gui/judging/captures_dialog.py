"""The captured response of a page: as text, as a safe page, and its bytes to be saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtWidgets import (
    QDialog,
    QInputDialog,
    QPlainTextEdit,
    QStackedWidget,
    QTabWidget,
    QTextBrowser,
    QWidget,
)

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.saving import ask_path
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import EmptyState, button, column, heading, label, row
from workbench.gui.kit.words import local_time
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.fetching.captured import ShownCapture, captures, show_capture, write_capture
from workbench.services.records import Capture, Timestamp
from workbench.services.session import Session
from workbench.services.timestamps import Service, load, read_timestamps, save, stamp_captures

_MOST = 100_000
"""Maximum number of characters of a page shown, so that laying it out causes no delay; the saved file is complete."""


@guarded
class SafeBrowser(QTextBrowser):
    """Shows markup and loads nothing: no image, no style sheet, no link."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(tr("The page without scripts or fetched content"))

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Return something empty, whatever the page requests: for None, Qt itself would read a file of that name."""
        return QByteArray(b" ")


@guarded
class CapturesDialog(QDialog):
    """The captures of the page at ``address``, or those that ``read`` returns; the last one is shown first."""

    def __init__(
        self, context: AppContext, parent: QWidget, address: str, read: Callable[[Session], list[Capture]] | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._captures: Sequence[Capture] = ()
        self._reading: JobRecord | None = None
        self.setWindowTitle(tr("Captures"))
        self.resize(860, 640)
        self.title = heading(address, 13)
        recorded = tr("Time of the timestamp as recorded; palimpsest captures PROJECT --verify verifies it")
        columns = [
            Column("captured", tr("Captured"), local_time, width=170),
            Column("status", tr("Status"), whole, numeric=True, width=70),
            Column("stamped", tr("Timestamp"), local_time, width=150, tip=recorded),
            Column("hash", tr("SHA-256 of the bytes")),
        ]
        self.table = Table(ColumnsModel(columns, "row", self), tr("Captures"), many=False)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(fonts.font(13))
        self.text.setAccessibleName(tr("Text of the capture"))
        self.page = SafeBrowser()
        self.tabs = QTabWidget()
        self.tabs.addTab(self.page, tr("Page"))
        self.tabs.addTab(self.text, tr("Text"))
        self.notice = label("", 12, role="muted", wrap=True)
        self.outcome = label("", 12, role="muted", wrap=True)
        """The outcome of saving or timestamping, not of reading, which may end later."""
        self.save = button(tr("Save the bytes…"), lambda: self._save("bytes"))
        self.archive = button(tr("Save as a web archive…"), lambda: self._save("warc"))
        self.stamp = button(tr("Timestamp the bytes…"), self._ask_stamp)
        self.stamp.setToolTip(tr("A service of your choice signs their hash and the time; it receives nothing else."))
        self._list = read or partial(captures, url=address)
        self._pages = QStackedWidget()
        self._build()
        self.table.selected.connect(self._chosen)
        self._load()

    def _load(self) -> None:
        def read(session: Session) -> tuple[list[Capture], dict[bytes, list[Timestamp]]]:
            of_page = self._list(session)
            return of_page, read_timestamps(session, of_page)

        self._context.latest(self, "captures", read, lambda answer: self._show(*answer))

    def _build(self) -> None:
        shown = QWidget()
        inner = column(self.table, self.notice, self.tabs, self.outcome, spacing=8)
        inner.setStretchFactor(self.table, 1)
        inner.setStretchFactor(self.tabs, 4)
        shown.setLayout(inner)
        nothing = tr("This page was neither fetched by the project nor found in a web archive.")
        self._pages.addWidget(shown)
        self._pages.addWidget(EmptyState(self._context.theme, "clock", tr("No captures"), nothing))
        close = button(tr("Close"), self.reject)
        layout = column(self.title, spacing=8, margins=(14, 12, 14, 12))
        layout.addWidget(self._pages, 1)
        layout.addLayout(row(self.save, self.archive, self.stamp, None, close))
        self.setLayout(layout)
        self._enable(None)

    def _show(self, page_captures: list[Capture], stamps: Mapping[bytes, Sequence[Timestamp]]) -> None:
        self._captures = page_captures[::-1]
        model = self.table.model()
        assert isinstance(model, ColumnsModel)
        model.set_values(
            {
                "row": list(range(len(page_captures))),
                "captured": [c.captured for c in self._captures],
                "status": [c.status or None for c in self._captures],
                "stamped": [(of[0].stamped if (of := stamps.get(c.body_hash)) else "") for c in self._captures],
                "hash": [c.body_hash.hex() for c in self._captures],
            }
        )
        self._pages.setCurrentIndex(0 if page_captures else 1)
        if page_captures:
            self.title.setText(page_captures[-1].final_url or page_captures[-1].url)
            self.table.select_keys([0])
            self._chosen()

    def chosen(self) -> Capture | None:
        """The selected capture."""
        keys = self.table.chosen_keys()
        return self._captures[keys[0]] if keys and keys[0] < len(self._captures) else None

    def _chosen(self) -> None:
        capture, project = self.chosen(), self._context.project
        self._enable(capture)
        self.text.clear()
        self.page.clear()
        self._cancel()
        if capture is None or project is None:
            return
        if not capture.body_hash:
            self.notice.setText(tr("This response contained no bytes."))
            return
        self.notice.setText(tr("Reading…"))
        title = tr("Show a capture")
        self._reading = self._context.jobs.submit(title, show_capture, project, capture, after=self._read, quiet=True)

    def _read(self, record: JobRecord) -> None:
        if record is not self._reading and self._reading is not None:
            return
        self._reading = None
        look = record.result
        if not isinstance(look, ShownCapture):
            self.notice.setText(record.error)
            return
        self.text.setPlainText(look.text[:_MOST])
        self.page.setHtml(look.page[:_MOST])
        self.tabs.setTabVisible(0, bool(look.page))
        left = max(len(look.text), len(look.page)) - _MOST
        words = tr("No scripts run and nothing is fetched; links are disabled.")
        if left > 0:
            count = trn("{count} more character is not shown", "{count} more characters are not shown", left)
            words = f"{words} {count}"
        self.notice.setText(words)

    def _enable(self, capture: Capture | None) -> None:
        for part in (self.save, self.archive, self.stamp):
            part.setEnabled(capture is not None and bool(capture.body_hash))

    def _save(self, form: str) -> None:
        capture, project = self.chosen(), self._context.project
        if capture is None or project is None:
            return
        kinds = {tr("Web archive (*.warc)"): ".warc"} if form == "warc" else {tr("All files (*)"): ""}
        name = f"{capture.captured[:10] or 'capture'}{'.warc' if form == 'warc' else '.html'}"
        path, _ = ask_path(self._context, self, tr("Save the capture"), name, kinds)
        if path is None:
            return
        self._context.jobs.submit(
            tr("Save {name}", name=path.name), write_capture, project, capture, path, after=self._saved
        )

    def _saved(self, record: JobRecord) -> None:
        if isinstance(record.result, Path):
            self._say(tr("Saved to {path}.", path=record.result), "ok")
        else:
            self._context.say_job_ended(record)

    def _say(self, words: str, tone: str) -> None:
        """Show the outcome here, or in the banner if the dialog has been closed."""
        self.outcome.setText(words)
        if not self.isVisible():
            self._context.say(words, tone)

    def _ask_stamp(self) -> None:
        """Have the chosen capture timestamped; the first time, ask for a service."""
        capture, project = self.chosen(), self._context.project
        if capture is None or project is None:
            return
        if load() is None:
            question = tr("Address of the timestamp service (RFC 3161). It receives the hash of a page, nothing else.")
            url, agreed = QInputDialog.getText(self, tr("Timestamp service"), question)
            if not agreed or not url.strip():
                return
            try:
                save(Service(url.strip()))
            except UserError as error:
                self.outcome.setText(say(error.sentence))
                return
        self.outcome.setText(tr("Waiting for the timestamp service…"))
        title = tr("Timestamp a capture")
        self._context.jobs.submit(title, stamp_captures, project, [capture], after=self._stamped, quiet=True)

    def _stamped(self, record: JobRecord) -> None:
        if isinstance(record.result, int):
            self._load()
            self._say(tr("The bytes have been timestamped."), "ok")
        elif record.error:
            self._say(record.error, "danger")
        else:
            self.outcome.clear()

    def _cancel(self) -> None:
        if self._reading is not None:
            self._context.jobs.cancel(self._reading.id)
            self._reading = None

    def done(self, result: int) -> None:
        """Stop reading a capture as well."""
        self._cancel()
        super().done(result)
