"""Paste a text and look it up in the indexes of the project, without adding it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QComboBox, QDialog, QPlainTextEdit, QSplitter, QWidget

from workbench.base.types import Document, Match
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.relation_words import relation_word
from workbench.gui.kit.code_points import Utf16Map
from workbench.gui.kit.columns import Column, ColumnsModel, decimal
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, column, heading, label, line, panel, row
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.only_job import OnlyJob
from workbench.methods.core import registry
from workbench.services import queries
from workbench.services.detecting.querying import Hit, Lookup, look_up_pasted
from workbench.services.review.visible import visible


def _place(span: tuple[int, int] | None) -> str:
    return "" if span is None else f"{span[0]:,}–{span[1]:,}"


@guarded
class LookDialog(QDialog):
    """A text field, the findings about the text in it, and the document of the chosen finding."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._job = OnlyJob(context.jobs, self)
        self.lookup: Lookup | None = None
        self.setWindowTitle(tr("Paste and look"))
        self.resize(1180, 720)
        self.body = QPlainTextEdit()
        self.body.setAccessibleName(tr("Text to look up"))
        self.body.setPlaceholderText(tr("Paste the text to look up here. It is not added to the project."))
        self.body.setFont(fonts.font(14))
        self.body.setTabChangesFocus(True)
        self.model = ColumnsModel(
            [
                Column("document", tr("Document"), visible),
                Column("method", tr("Method"), width=120),
                Column("place", tr("Characters"), _place, numeric=True, width=120),
                Column("score", tr("Score"), decimal, numeric=True, width=80),
                Column("text", tr("Text"), visible),
            ],
            "row",
            self,
        )
        self.table = Table(self.model, tr("Findings"), many=False)
        self.pane = DocumentPane(context, tr("Choose a finding to see its document here."))
        self.methods = QComboBox()
        self.methods.setAccessibleName(tr("Indexes to ask"))
        self.methods.addItem(tr("All existing indexes"), "")
        for name in registry.names():
            self.methods.addItem(name, name)
        self.state = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Look up"), self.look, kind="primary", tip="Ctrl+Enter")
        # Enter belongs to the text.
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self._ask)
        self._build()
        self.body.textChanged.connect(self._changed)
        self.table.selected.connect(self._chosen)
        self._changed()

    def _build(self) -> None:
        frame, inner = panel()
        inner.setContentsMargins(1, 0, 1, 1)
        inner.addLayout(row(heading(tr("Findings")), None, margins=(14, 10, 12, 8)))
        inner.addWidget(line())
        inner.addWidget(self.table, 1)
        left = QSplitter(Qt.Orientation.Vertical)
        left.addWidget(self.body)
        left.addWidget(frame)
        left.setSizes([300, 300])
        whole = QSplitter(Qt.Orientation.Horizontal)
        whole.addWidget(left)
        whole.addWidget(self.pane)
        whole.setSizes([600, 560])
        for splitter in (left, whole):
            splitter.setHandleWidth(10)
            splitter.setChildrenCollapsible(False)
        bottom = row(self.state, self.methods, button(tr("Close"), self.reject), self.go)
        bottom.setStretch(0, 1)
        layout = column(spacing=12, margins=(14, 12, 14, 12))
        layout.addWidget(whole, 1)
        layout.addLayout(bottom)
        self.setLayout(layout)
        self.go.setDefault(True)
        self.body.setFocus()

    def look(self) -> None:
        """Look the text up as a job, or stop the one that runs."""
        project = self._context.project
        if self._job.running:
            self._job.stop()
            self.state.setText(tr("Looking up was cancelled."))
            self._changed()
        elif project is not None:
            self.state.setText(tr("Looking up…"))
            self._job.begin(
                tr("Look up a text"),
                look_up_pasted,
                project,
                self.body.toPlainText(),
                self.methods.currentData() or None,
                after=self._done,
            )
            self._changed()

    def _ask(self) -> None:
        if self.go.isEnabled() and not self._job.running:
            self.look()

    def is_ready(self) -> bool:
        """Whether nothing is being looked up."""
        return not self._job.running

    def _done(self, record: JobRecord) -> None:
        if isinstance(record.result, Lookup):
            self._show(record.result)
        else:
            self.state.setText(record.error or tr("Looking up was cancelled."))
        self._changed()

    def _show(self, lookup: Lookup) -> None:
        self.lookup = lookup
        hits = lookup.hits
        self.model.set_values(
            {
                "row": list(range(len(hits))),
                "document": [hit.document.title or hit.document.id for hit in hits],
                "method": [hit.method for hit in hits],
                "place": [tuple(hit.finding.a_span) if isinstance(hit.finding, Match) else None for hit in hits],
                "score": [hit.finding.score for hit in hits],
                "text": [_words(hit) for hit in hits],
            }
        )
        self.pane.clear()
        parts = [trn("{count} finding.", "{count} findings.", len(hits)), self._methods(lookup)]
        parts += [
            tr("{method}: the text itself scores {score}.", method=method, score=decimal(score.score))
            for method, score in lookup.scores
        ]
        parts += [f"{method}: {say(reason)}." for method, reason in lookup.unasked.items()]
        self.state.setText(" ".join(parts))
        if hits:
            self.table.select_keys([0])

    @staticmethod
    def _methods(lookup: Lookup) -> str:
        return tr("Asked: {methods}.", methods=", ".join(lookup.by_method))

    def _chosen(self) -> None:
        keys = self.table.chosen_keys()
        if not keys or self.lookup is None:
            return
        hit = self.lookup.hits[keys[0]]
        self._mark(hit)
        self._context.latest(
            self, "source", queries.document(hit.document.key), lambda document: self._show_source(hit, document)
        )

    def _mark(self, hit: Hit) -> None:
        """Select the passage in the field, unless its text has been changed since."""
        text = self.body.toPlainText()
        if self.lookup is None or text != self.lookup.text.text or not isinstance(hit.finding, Match):
            return
        places = Utf16Map(text)
        cursor = self.body.textCursor()
        cursor.setPosition(places.to_utf16(hit.finding.a_span.start))
        cursor.setPosition(places.to_utf16(hit.finding.a_span.end), QTextCursor.MoveMode.KeepAnchor)
        self.body.setTextCursor(cursor)

    def _show_source(self, hit: Hit, document: Document) -> None:
        self.pane.show_document(document)
        if isinstance(hit.finding, Match):
            span = hit.finding.b_span
            self.pane.text.set_regions([span], named=False)
            self.pane.text.reveal(span.start, span.end)

    def _changed(self) -> None:
        self.go.setText(tr("Cancel") if self._job.running else tr("Look up"))
        self.go.setEnabled(self._job.running or bool(self.body.toPlainText().strip()))


def _words(hit: Hit) -> str:
    """The passage of the document, or how the two are related."""
    finding: Any = hit.finding
    return " ".join(hit.excerpt.split()) if isinstance(finding, Match) else relation_word(finding.relation or "")
