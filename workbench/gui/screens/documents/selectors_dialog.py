"""The CSS selectors that locate the main text of pages, by host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QCompleter, QDialog, QLineEdit, QStackedWidget, QWidget

from workbench.base.errors import UserError
from workbench.base.messages import reason
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.saving import ask_path
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import (
    EmptyState,
    button,
    caption,
    column,
    heading,
    icon_button,
    label,
    line,
    row,
    set_role,
)
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.reading.formats import Failure
from workbench.services.pages import selectors
from workbench.services.pages.host_selectors import (
    Changes,
    HostSelectors,
    change_selectors,
    difference,
    make_changes,
    read_selectors,
)

if TYPE_CHECKING:
    from workbench.gui.screens.documents.judging_pages import PageJudge

SUFFIXES = (".jsonl", ".csv", ".json")


class SelectorsDialog(QDialog):
    """A table of hosts and selectors. Every change is stored at once and can be undone, here and in the main window."""

    def __init__(self, context: AppContext, parent: QWidget, judge: PageJudge) -> None:
        super().__init__(parent)
        self._context, self._judge = context, judge
        self.listing = HostSelectors((), (), 0)
        self._mine: set[str] = set()
        """Titles of this dialog's steps: only these can be undone here."""
        self.setWindowTitle(tr("Content selectors by host"))
        self.resize(760, 600)
        columns = [
            Column("host", tr("Host"), _host_words, width=190),
            Column("selector", tr("CSS selector")),
            Column("pages", tr("Pages"), whole, numeric=True, width=76, tip=tr("Pages the selector applies to")),
        ]
        self.model = ColumnsModel(columns, "host", self)
        self.table = Table(self.model, tr("Selectors by host"))
        self.failures = ColumnsModel(
            [Column("where", tr("Row"), width=190), Column("error", tr("Why it was refused"), say)], "id", self
        )
        self.refused = Table(self.failures, tr("Refused rows"))
        self.host, self.css = _Field(), _Field()
        self.state = label("", 12, role="muted", wrap=True)
        self.keep = button(tr("Keep"), self._keep, kind="primary")
        self.remove_button = icon_button(context.theme, tr("Remove"), "trash", self.remove)
        self.undo_button = icon_button(context.theme, tr("Undo"), "undo", self.undo)
        self.redo_button = icon_button(context.theme, tr("Redo"), "redo", self.redo)
        self.judge_button = icon_button(
            context.theme, tr("Judge all pages again…"), "retry", lambda: self._judge.ask(self)
        )
        self._pages = QStackedWidget()
        self._refusals = QWidget()
        self._build()
        self._connect()
        self.host.setFocus()
        self.load()

    def _build(self) -> None:
        theme = self._context.theme
        words = tr(
            "The text the selector matches is content, the rest is not. It applies to the host, its subdomains "
            "and pages read from now on; judge again for existing pages."
        )
        for field, name, hint in (
            (self.host, tr("Host"), tr("example.org, or * for all hosts")),
            (self.css, tr("CSS selector"), tr("article .body, or several with commas")),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(hint)
            field.setFont(fonts.font(13))
        bring = icon_button(theme, tr("Import…"), "import", self.ask_import)
        self.export_button = icon_button(theme, tr("Export…"), "export", self.ask_export)
        top = row(heading(tr("Selectors")), None, self.undo_button, self.redo_button, bring, self.export_button)
        empty = EmptyState(
            theme,
            "documents",
            tr("No selectors yet"),
            tr("Enter a host and its content selector below, or import a list: JSON Lines, CSV or JSON."),
        )
        self._pages.addWidget(self.table)
        self._pages.addWidget(empty)
        fields = row(
            column(caption(self.host.accessibleName()), self.host, spacing=4),
            column(caption(self.css.accessibleName()), self.css, spacing=4),
            column(None, row(self.keep, self.remove_button), spacing=0),
        )
        fields.setStretch(0, 3)
        fields.setStretch(1, 4)
        refusals = column(caption(tr("Refused rows")), self.refused, spacing=4)
        refusals.setStretch(1, 1)
        self._refusals.setLayout(refusals)
        self._refusals.setFixedHeight(150)
        self._refusals.hide()
        bottom = row(self.judge_button, None, button(tr("Close"), self.accept))
        whole_ = column(label(words, 12, role="muted", wrap=True), top, spacing=10, margins=(16, 14, 16, 14))
        whole_.addWidget(self._pages, 1)
        for part in (fields, self.state, self._refusals, line(), bottom):
            whole_.addLayout(part) if not isinstance(part, QWidget) else whole_.addWidget(part)
        self.setLayout(whole_)
        self.state.hide()

    def _connect(self) -> None:
        self.table.selected.connect(self._chosen)
        self.table.opened.connect(lambda _host: self.css.setFocus())
        self.css.returnPressed.connect(self._keep)
        self.host.returnPressed.connect(self.css.setFocus)
        for field in (self.host, self.css):
            field.textChanged.connect(lambda _text: self._tell())
        self._context.history.changed.connect(self.load)
        # It would read them again at every step, for as long as the window is open.
        self.finished.connect(self.deleteLater)
        for key, call in (
            (QKeySequence(QKeySequence.StandardKey.Undo), self.undo),
            (QKeySequence(QKeySequence.StandardKey.Redo), self.redo),
        ):
            QShortcut(key, self).activated.connect(call)
        gone = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.table)
        gone.setContext(Qt.ShortcutContext.WidgetShortcut)
        gone.activated.connect(self.remove)

    # -- reading

    def load(self) -> None:
        """Read the selectors again; the selection is kept."""
        self._context.latest(self, "selectors", read_selectors, self._show)

    def _show(self, listing: HostSelectors) -> None:
        self.listing = listing
        chosen = self.table.chosen_keys()
        hosts, rules, pages = ([r[i] for r in listing.rows] for i in range(3))
        self.model.set_values({"host": hosts, "selector": rules, "pages": pages})
        self._pages.setCurrentIndex(0 if listing.rows else 1)
        self.table.select_keys(chosen)
        completer = QCompleter(list(listing.hosts), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        if (popup := completer.popup()) is not None:
            popup.setStyleSheet(self._context.theme.sheet)
        self.host.setCompleter(completer)
        self.export_button.setEnabled(bool(listing.rows))
        self._tell()

    def _chosen(self) -> None:
        keys = self.table.chosen_keys()
        if len(keys) == 1:
            self.host.setText(str(keys[0]))
            self.css.setText(self.listing.selector(str(keys[0])) or "")
        self._tell()

    def _tell(self) -> None:
        self.keep.setEnabled(bool(self.host.text().strip() and self.css.text().strip()))
        self.remove_button.setEnabled(bool(self.table.chosen_keys()))
        history = self._context.history
        self.undo_button.setEnabled(history.undo_title() in self._mine)
        self.redo_button.setEnabled(history.redo_title() in self._mine)

    # -- changing

    def _keep(self) -> None:
        """Store the entered selector for the entered host."""
        if self._context.session is None or not self.keep.isEnabled():
            return
        try:
            host, css = selectors.checked(self.host.text(), self.css.text())
            self._change(tr("Selector for {host}", host=_host_words(host)), {host: css})
        except UserError as error:
            self._say(say(reason(error)), "danger")
            return
        self._say(tr("The selector for {host} was saved.", host=_host_words(host)), "ok")
        self._clear()

    def remove(self) -> None:
        """Remove the selectors of the selected hosts."""
        hosts = [str(h) for h in self.table.chosen_keys()]
        if self._context.session is None or not hosts:
            return
        try:
            title = trn("Remove {count} selector", "Remove {count} selectors", len(hosts))
            self._change(title, dict.fromkeys(hosts))
        except UserError as error:
            self._say(say(reason(error)), "danger")
            return
        self._say(trn("{count} selector was removed.", "{count} selectors were removed.", len(hosts)), "ok")

    def undo(self) -> None:
        """Undo the last change made in this dialog."""
        self._step("edit.undo", tr("Undone: {title}"), self._context.history.undo_title())

    def redo(self) -> None:
        """Redo the last change undone in this dialog."""
        self._step("edit.redo", tr("Redone: {title}"), self._context.history.redo_title())

    def _step(self, action: str, sentence: str, title: str) -> None:
        if title in self._mine:
            self._context.actions.run(action)
            self._say(sentence.format(title=title), "muted")

    def _change(self, title: str, changes: Changes) -> None:
        back: dict[str, str | None] = {}
        if self._context.change(lambda session: make_changes(session, changes, back), True):
            self._push(title, changes, back)

    def _push(self, title: str, changes: Changes, back: Changes) -> None:
        """``back`` undoes ``changes``; it is filled in before it is needed."""
        context = self._context
        self._mine.add(title)
        context.history.push(
            title,
            lambda: context.change(lambda session: change_selectors(session, back), None),
            lambda: context.change(lambda session: change_selectors(session, changes), None),
        )

    def _clear(self) -> None:
        """Clear the fields for the next host."""
        self.table.clearSelection()
        self.host.setText("")
        self.css.setText("")
        self.host.setFocus()
        self._show_refused(())

    # -- files

    def ask_import(self) -> None:
        """Choose a file of selectors and import them."""
        patterns = " ".join(f"*{suffix}" for suffix in (*SUFFIXES, ".tsv"))
        filters = [f"{tr('Selectors')} ({patterns})", f"{tr('All files')} (*)"]
        file = file_dialogs.open_file(self, tr("Import selectors"), self._context.folder, filters)
        if file is not None:
            self.bring(file)

    def bring(self, file: Path) -> None:
        """Import the selectors in ``file``; rejected rows are listed."""
        session = self._context.session
        if session is None:
            return
        self._say(tr("Reading…"), "muted")

        def read(_session: object) -> tuple[dict[str, str], selectors.SelectorResult, dict[str, str]]:
            before = selectors.selectors(session)
            return before, selectors.import_selectors(session, file), selectors.selectors(session)

        def show(outcome: tuple[dict[str, str], selectors.SelectorResult, dict[str, str]]) -> None:
            before, result, after = outcome
            changes = difference(before, after)
            if changes:
                title = tr("Import selectors from {name}", name=file.name)
                self._push(title, changes, difference(after, before))
            parts = [trn("{count} selector was imported.", "{count} selectors were imported.", result.imported)]
            if result.unchanged:
                parts.append(
                    trn("{count} already in the project.", "{count} already in the project.", result.unchanged)
                )
            if result.failed:
                parts.append(trn("{count} row was refused.", "{count} rows were refused.", len(result.failed)))
            self._say(" ".join(parts), "warn" if result.failed else "ok")
            self._show_refused(result.failed)

        self._context.background(read, show, owner=self, failed=lambda error: self._say(say(reason(error)), "danger"))

    def ask_export(self) -> None:
        """Choose where to write the selectors."""
        project = self._context.project
        if project is None:
            return
        kinds = {"JSON Lines (*.jsonl)": ".jsonl", "CSV (*.csv)": ".csv", "JSON (*.json)": ".json"}
        name = f"{project.stem} selectors.jsonl"
        path, _ = ask_path(self._context, self, tr("Export selectors"), name, kinds)
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write the selectors to ``path``."""
        session = self._context.session
        if session is None:
            return
        try:
            count = selectors.export_selectors(session, path)
        except (UserError, OSError) as error:
            self._say(say(reason(error)), "danger")
            return
        written = trn("{count} selector was written to {name}.", "{count} selectors were written to {name}.", count,
                      name=path.name)  # fmt: skip
        self._say(written, "ok")

    def _show_refused(self, failed: Sequence[Failure]) -> None:
        where = [f.path.rsplit("/", 1)[-1].rsplit("\\", 1)[-1] for f in failed]
        self.failures.set_values({"id": list(range(len(failed))), "where": where, "error": [f.error for f in failed]})
        self._refusals.setVisible(bool(failed))

    def _say(self, sentence: str, role: str) -> None:
        self.state.setText(sentence)
        set_role(self.state, "role", role)
        self.state.setVisible(bool(sentence))


@guarded
class _Field(QLineEdit):
    """A line edit that leaves undo and redo to its dialog if it has nothing to undo."""

    def event(self, event: QEvent) -> bool:
        """Ignore keys that have no effect here."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undo = event.matches(QKeySequence.StandardKey.Undo) and not self.isUndoAvailable()
            redo = event.matches(QKeySequence.StandardKey.Redo) and not self.isRedoAvailable()
            if undo or redo:
                event.ignore()
                return False
        return super().event(event)


def _host_words(host: str) -> str:
    return tr("* (all others)") if host == "*" else host
