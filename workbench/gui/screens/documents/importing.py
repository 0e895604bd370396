"""Importing texts from the window: ask or paste, preview, import as a job, report the outcome, list failures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPlainTextEdit, QSplitter, QWidget

from workbench.base.errors import UserError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Match, Role
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.relation_words import relation_word
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.code_points import Utf16Map
from workbench.gui.kit.columns import Column, ColumnsModel, decimal
from workbench.gui.kit.engines import Asking
from workbench.gui.kit.tables import Table
from workbench.gui.kit.tasks import TaskRunner
from workbench.gui.kit.widgets import button, caption, column, heading, icon_button, label, line, panel, row
from workbench.gui.kit.words import local_time, role_word
from workbench.gui.problems import guarded
from workbench.gui.screens.documents.import_dialog import ImportDialog
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord, OnlyJob
from workbench.methods.core import registry
from workbench.reading import formats
from workbench.services import queries
from workbench.services.detecting.querying import Hit, Lookup, look_up_pasted
from workbench.services.engines.gathering import Gather
from workbench.services.fetching.task import Fetch
from workbench.services.importing.batch import ImportOptions, ImportResult, import_paths, paste
from workbench.services.records import StoredFailure
from workbench.services.review.visible import visible
from workbench.services.session import Session


class FailuresPane(QWidget):
    """A table of failures; without a selection the buttons apply to all of them."""

    def __init__(self, context: AppContext, importer: Importer) -> None:
        super().__init__()
        self._context, self._importer = context, importer
        columns = [
            Column("path", tr("Input"), width=260),
            Column("error", tr("Why it could not be read"), say),
            Column("when", tr("When"), local_time, width=156),
        ]
        self._failures: Sequence[StoredFailure] = ()
        self.model = ColumnsModel(columns, "id", self)
        self.table = Table(self.model, tr("Inputs that failed"))
        hint = label(tr("These inputs were not imported; everything else was."), 12, role="muted")
        retry = icon_button(context.theme, tr("Try again"), "retry", self.retry)
        dismiss = button(tr("Dismiss"), self.dismiss)
        whole = column(row(hint, None, dismiss, retry, margins=(16, 8, 12, 8)), line(), spacing=0)
        whole.addWidget(self.table, 1)
        self.reason = label("", 12, role="muted", wrap=True)
        self.reason.setContentsMargins(14, 8, 14, 10)
        self.reason.hide()
        whole.addWidget(self.reason)
        self.setLayout(whole)
        self.table.selected.connect(self._explain)

    def show_failures(self, failures: Sequence[StoredFailure]) -> None:
        """Replace the rows."""
        self._failures = failures
        self.model.set_values(
            {
                "id": [f.id for f in failures],
                "path": [f.path for f in failures],
                "error": [f.error for f in failures],
                "when": [f.when for f in failures],
            },
            ("path", "error"),
        )

    def count(self) -> int:
        """Number of failures listed."""
        return self.model.total

    def paths(self) -> list[str]:
        """Inputs of the selected rows, or of all."""
        rows = sorted({i.row() for i in self.table.selectionModel().selectedRows()}) or range(self.model.rowCount())
        paths = self.model.values("path")
        return [str(paths[self.model.source_row(r)]) for r in rows]

    def retry(self) -> None:
        """Import the inputs again."""
        self._importer.retry(self.paths())

    def dismiss(self) -> None:
        """Remove the inputs from the list."""
        paths = self.paths()
        if not paths:
            return
        chosen = set(paths)
        ids = [f.id for f in self._failures if f.path in chosen]
        self._context.perform(
            trn("Dismiss {count} failed input", "Dismiss {count} failed inputs", len(paths)),
            lambda session: queries.dismiss_failures(session, paths),
            lambda session: queries.list_failures_again(session, ids),
            {"documents"},
            sentence=trn("{count} failed input was dismissed.", "{count} failed inputs were dismissed.", len(paths)),
        )

    def _explain(self) -> None:
        """Show the full reason for the first selected failure, because the column may be too narrow."""
        chosen = self.table.chosen_keys()
        failure = next((f for f in self._failures if chosen and f.id == chosen[0]), None)
        self.reason.setText(f"{failure.path}: {say(failure.error)}" if failure else "")
        self.reason.setVisible(failure is not None)


def _place(span: tuple[int, int] | None) -> str:
    return "" if span is None else f"{span[0]:,}–{span[1]:,}"


@guarded
class LookDialog(QDialog):
    """A dialog with a text field, the findings for its text, and the document of the chosen finding."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._job = OnlyJob(context.jobs, self)
        self.lookup: Lookup | None = None
        self.setWindowTitle(tr("Look up a text"))
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
        self.pane = DocumentPane(context, tr("Select a finding to see its document here."))
        self.methods = QComboBox()
        self.methods.setAccessibleName(tr("Indexes to search"))
        self.methods.addItem(tr("All existing indexes"), "")
        for name in registry.names():
            self.methods.addItem(name, name)
        self.state = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Look up"), self.look, kind="primary", tip="Ctrl+Enter")
        # Enter inserts a line end in the text.
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self._ask)
        self._build()
        self.body.textChanged.connect(self._changed)
        self.table.selected.connect(self._chosen)
        self.finished.connect(self.deleteLater)
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
        """Look the text up as a job, or stop the running one."""
        project = self._context.project
        if self._job.running:
            self._job.stop()
            self.state.setText(tr("The lookup was cancelled."))
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
        return not self._job.running

    def _done(self, record: JobRecord) -> None:
        if isinstance(record.result, Lookup):
            self._show(record.result)
        else:
            self.state.setText(record.error or tr("The lookup was cancelled."))
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
        return tr("Searched: {methods}.", methods=", ".join(lookup.by_method))

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
    """The passage of the document, or the relation between the two texts."""
    finding: Any = hit.finding
    return " ".join(hit.excerpt.split()) if isinstance(finding, Match) else relation_word(finding.relation or "")


class PasteDialog(QDialog):
    """A dialog for a title, a role and a text."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Paste text"))
        self.resize(640, 520)
        self._title = QLineEdit()
        self._title.setPlaceholderText(tr("Title"))
        self._title.setAccessibleName(tr("Title"))
        self._role = QComboBox()
        self._role.setAccessibleName(tr("Role"))
        for role in (Role.SUSPECT, Role.SOURCE, Role.BACKGROUND):
            self._role.addItem(role_word(role), role.value)
        self._body = QPlainTextEdit()
        self._body.setAccessibleName(tr("Text"))
        self._body.setPlaceholderText(tr("Paste or type the text here"))
        self._body.setFont(fonts.font(14))
        self._body.setTabChangesFocus(True)
        self._count = label("", 12, role="faint", tabular=True)
        self._go = button(tr("Add"), self.accept, kind="primary")
        self._go.setDefault(True)
        top = row(
            column(caption(tr("Title")), self._title, spacing=4), column(caption(tr("Role")), self._role, spacing=4)
        )
        top.setStretch(0, 1)
        bottom = row(self._count, None, button(tr("Cancel"), self.reject), self._go)
        whole = column(top, caption(tr("Text")), spacing=10, margins=(14, 12, 14, 12))
        whole.addWidget(self._body, 1)
        whole.addLayout(bottom)
        self.setLayout(whole)
        self._body.textChanged.connect(self._changed)
        self._changed()

    def _changed(self) -> None:
        text = self.body_text()
        self._count.setText(trn("{count} character", "{count} characters", len(text)))
        self._go.setEnabled(bool(text.strip()))

    def fill(self, title: str, text: str, role: Role) -> None:
        """Show a title, a text and its role."""
        self._title.setText(title)
        self._body.setPlainText(text)
        self._role.setCurrentIndex(self._role.findData(role.value))

    def title_text(self) -> str:
        """The title."""
        return self._title.text()

    def body_text(self) -> str:
        """The text."""
        return self._body.toPlainText()

    def role(self) -> Role:
        """The role."""
        return Role(self._role.currentData())


ROOTS = 20
"""Number of folders in which failed inputs are searched for again."""


class Importer(QObject):
    """Imports into the open project. ``roots`` are the folders of previous inputs, latest first."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.fetcher = TaskRunner(context, parent, Fetch)
        self.gatherer = Asking(context, parent, Gather)
        self.fetcher.inherit()
        self.gatherer.inherit()
        self.roots: list[str] = []
        self.dialog: ImportDialog | None = None
        self.look: LookDialog | None = None
        self._again: list[str] = []
        self.pasting: PasteDialog | None = None
        self._draft: tuple[Session | None, str, str, Role] | None = None
        """A text that was typed and not stored, with its project: shown again at the next request."""

    def ask_files(self) -> None:
        """Choose files, then preview them."""
        patterns = " ".join(f"*{suffix}" for suffix in formats.suffixes())
        texts, everything = tr("Texts and archives"), tr("All files")
        filters = [f"{texts} ({patterns})", f"{everything} (*)"]
        paths = file_dialogs.open_files(self._parent.window(), tr("Import files"), Path(self._folder()), filters)
        if paths:
            self.offer(paths)

    def ask_folder(self) -> None:
        """Choose a folder, then preview its content."""
        path = file_dialogs.open_folder(self._parent.window(), tr("Import a folder"), Path(self._folder()))
        if path is not None:
            self.offer([path])

    def ask_paste(self) -> None:
        """Type or paste a text."""
        dialog = self.pasting = PasteDialog(self._context, self._parent.window())
        if self._draft is not None and self._draft[0] is self._context.session:
            dialog.fill(*self._draft[1:])
        for ended in (dialog.accepted, dialog.rejected):
            ended.connect(lambda: self._keep_draft(dialog))
        dialog.accepted.connect(lambda: self.paste(dialog.title_text(), dialog.body_text(), dialog.role()))
        dialog.open()

    def _keep_draft(self, dialog: PasteDialog) -> None:
        self._draft = self._context.session, dialog.title_text(), dialog.body_text(), dialog.role()

    def ask_look(self) -> None:
        """Look up a text without adding it."""
        if self._context.session is None:
            return
        self.look = LookDialog(self._context, self._parent.window())
        self.look.open()

    def offer(self, paths: Sequence[Path], base: Path | None = None, again: Sequence[str] = ()) -> None:
        """Preview ``paths`` and import them if confirmed; ids are relative to ``base``.

        ``again`` names the failed inputs that this import replaces.
        """
        if self._context.session is None:
            return
        self._again = list(again)
        self.dialog = ImportDialog(self._context, paths, self._parent.window(), base)
        self.dialog.accepted.connect(self._confirmed)
        self.dialog.finished.connect(self.dialog.deleteLater)
        self.dialog.open()

    def _confirmed(self) -> None:
        if self.dialog is not None:
            self.start(self.dialog.paths, self.dialog.role(), self.dialog.options(), self._again)

    def start(
        self, paths: Sequence[Path], role: Role | None, options: ImportOptions, again: Sequence[str] = ()
    ) -> JobRecord | None:
        """Import as a job; once it is complete, the failed inputs ``again`` are listed only if they failed again."""
        project = self._context.project
        if project is None:
            return None
        for path in paths:
            root = str(path.resolve().parent)
            self.roots = [root, *(r for r in self.roots if r != root)][:ROOTS]
        title = tr("Import {name}", name=paths[0].name)
        if len(paths) > 1:
            title = trn("Import {count} input", "Import {count} inputs", len(paths))
        cancelled = tr("The import was cancelled; documents read so far are in the project. Import again for the rest.")

        def done(result: ImportResult) -> None:
            others = sorted(set(again) - {failure.path for failure in result.failed})
            if others:
                self._context.change_later(lambda session: queries.dismiss_failures(session, others))
                self._context.announce({"documents"})
            if result.replaced:
                self._offer_undo(result)
            self._say(result)

        after = self._context.after(ImportResult, done, cancelled)

        def ended(record: JobRecord) -> None:
            so_far = record.result if record.state == "cancelled" and self._context.project == project else None
            if isinstance(so_far, ImportResult) and so_far.replaced:
                self._offer_undo(so_far)
                self._context.say_undoable(cancelled)
            else:
                after(record)

        return self._context.jobs.submit(title, import_paths, project, list(paths), role, options, after=ended)

    def _offer_undo(self, result: ImportResult) -> None:
        """Offer to undo that new versions took the place of documents."""

        def show(keys: Sequence[int]) -> None:
            self._context.change(lambda session: queries.bring_back(session, keys), None)
            self._context.announce({"documents", "labels"})

        count = len(result.replaced)
        title = trn("Replace {count} text by its new version", "Replace {count} texts by their new versions", count)
        self._context.history.push(title, lambda: show(result.replaced), lambda: show(result.versions))

    def paste(self, title: str, text: str, role: Role) -> None:
        """Store a pasted text."""
        if self._context.session is None:
            return
        try:
            result = self._context.change(
                lambda session: paste(session, title, text, role), ImportResult(imported=1, duplicates=0, failed=())
            )
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        self._draft = None
        self._context.announce({"documents"})
        self._say(result)

    def retry(self, names: Sequence[str]) -> None:
        """Import failed inputs again; the file of an archive member or a row is imported as a whole.

        If any of them are addresses, these are offered for fetching instead.
        """
        if addresses := [name for name in names if name.startswith(("http://", "https://"))]:
            self.fetcher.ask(places=[PageSource(PlaceKind.URL, address) for address in addresses])
            return
        bases: dict[Path, Path] = {}
        lost = []
        for name in names:
            place = self._find(name)
            if place is None:
                lost.append(name)
            else:
                bases[place[0]] = place[1]
        if lost:
            self._context.say(tr("{name} can no longer be found; import it again by hand.", name=lost[0]), "warn")
        if bases:
            roots = set(bases.values())
            there = [name for name in names if name not in lost]
            self.offer(list(bases), roots.pop() if len(roots) == 1 else None, there)

    def _find(self, name: str) -> tuple[Path, Path] | None:
        """The file of a failed input, and the folder that its name is relative to."""
        parts = name.split("!")
        files = ["!".join(parts[:end]) for end in range(len(parts), 0, -1)]
        candidates = [candidate for file in files for candidate in (file, file.rsplit(":", 1)[0])]
        for root in (Path(), *map(Path, self.roots)):
            for candidate in candidates:
                path = root / candidate
                if path.exists():
                    return path.resolve(), root.resolve()
        return None

    def _say(self, result: ImportResult) -> None:
        parts = [trn("{count} document was imported.", "{count} documents were imported.", result.imported)]
        if result.replaced:
            parts.append(trn("{count} is a new version.", "{count} are new versions.", len(result.replaced)))
        if result.duplicates:
            parts.append(trn("{count} already existed.", "{count} already existed.", result.duplicates))
        if result.kept:
            parts.append(trn("{count} keeps its role.", "{count} keep their roles.", result.kept))
        if result.doubled:
            parts.append(
                trn(
                    "{count} file now has two texts here: see Jobs.",
                    "{count} files now have two texts here: see Jobs.",
                    result.doubled,
                )
            )
        if result.failed:
            parts.append(
                trn(
                    "{count} input failed; it is listed under Failed.",
                    "{count} inputs failed; they are listed under Failed.",
                    len(result.failed),
                )
            )
        self._context.say(" ".join(parts), "warn" if result.failed or result.kept or result.doubled else "ok")

    def _folder(self) -> str:
        return self.roots[0] if self.roots else str(Path.home())
