"""Documents: everything in the project, failed inputs, and the text of the selected document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QSplitter, QStackedWidget, QWidget

from workbench.base.types import Document, Role
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.captures_dialog import CapturesDialog
from workbench.gui.kit.columns import Column, ColumnsModel, Values, whole
from workbench.gui.kit.file_dialogs import FileDrop
from workbench.gui.kit.pauses import FilterField
from workbench.gui.kit.tables import LanguageDelegate, Table, TagDelegate
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.kit.tips import give_tips
from workbench.gui.kit.widgets import EmptyState, button, column, heading, icon_button, label, line, panel, row
from workbench.gui.kit.words import local_time, role_token
from workbench.gui.screens.documents import SCREEN, columns
from workbench.gui.screens.documents.importing import FailuresPane, Importer
from workbench.gui.screens.documents.judging_pages import PageJudge
from workbench.gui.screens.documents.selectors_dialog import SelectorsDialog
from workbench.gui.screens.documents.tagging import Roles, Tagging
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Screen, View
from workbench.services import queries
from workbench.services.fetching.captured import captures_of_page
from workbench.services.pages.site_list import Site, read_sites


class DocumentsView(View):
    """Table, failures, preview."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"documents", "matches", "labels", "runs"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.importer = Importer(context, self)
        self.judge = PageJudge(context, self)
        self.selectors: SelectorsDialog | None = None
        self.sites: SitesDialog | None = None
        self._columns = columns.document_columns()
        self.model = ColumnsModel([column.column for column in self._columns], "key", self)
        self.table = Table(self.model, tr("Documents"))
        yield
        self.failures = FailuresPane(context, self.importer)
        self.pane = DocumentPane(context, tr("Select a document to read its text here."), self._read)
        yield
        self.filter = FilterField(
            self.table, tr("Filter by title, id, site, language, label or tag"), tr("Filter documents")
        )
        self.tag_chooser = TagChooser()
        self.count = label("", 12, role="faint", tabular=True)
        self.chips: dict[str, QPushButton] = {}
        self._pages = QStackedWidget()
        self._to_select: list[int] = []
        self._listed = False
        self._tags: dict[int, tuple[str, ...]] = {}
        """Tags by key, of the documents that have any."""
        self._tag_to_choose = ""
        yield
        self._build()
        yield
        self.table.selected.connect(self._selection_changed)
        self.table.opened.connect(lambda _key: self.pane.text.setFocus())
        self.filter.paused.connect(self._filter)
        drop = FileDrop(self)
        drop.dropped.connect(lambda names: self.offer([Path(n) for n in names]))
        drop.hovering.connect(self._hover)
        roles = Roles(context, self.table, self._reread)
        self.capturing = Capturing(context, self.table)
        self.tagging = Tagging(context, self.table, self._reread, lambda: self._tags)
        self.tag_chooser.chosen.connect(self._filter)
        context.actions.add(*self._actions(), *roles.actions(), self.tagging.action(), self.capturing.action())

    def _actions(self) -> list[Action]:
        """Actions on documents in this view, and actions that import texts, available everywhere."""

        def there() -> bool:
            return self.context.session is not None

        def any_chosen() -> bool:
            return self.table.any_chosen()

        bring = self.importer
        project = tr("Open a project first.")
        return [
            Action(
                "documents.import",
                tr("Import files…"),
                bring.ask_files,
                "Ctrl+I",
                icon="import",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.folder",
                tr("Import a folder…"),
                bring.ask_folder,
                "Ctrl+Shift+I",
                icon="folder",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.paste",
                tr("Paste text as a document…"),
                bring.ask_paste,
                "Ctrl+Shift+V",
                icon="paste",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.look",
                tr("Look up a text…"),
                bring.ask_look,
                "Ctrl+Alt+K",
                icon="search",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.fetch",
                tr("Fetch pages…"),
                lambda: bring.fetcher.ask(places=[]),
                "Ctrl+Alt+I",
                icon="link",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.gather",
                tr("Gather a search corpus…"),
                lambda: bring.gatherer.ask(),
                "",
                icon="search",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.selectors",
                tr("Content selectors by host…"),
                self.show_selectors,
                "",
                icon="layers",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.sites",
                tr("Sites…"),
                self.show_sites,
                "",
                icon="link",
                enabled=there,
                needs=project,
            ),
            Action(
                "documents.judge",
                tr("Judge the blocks of all pages again…"),
                lambda: self.judge.ask(),
                "",
                icon="retry",
                enabled=there,
                needs=project,
            ),
            self.make_action("filter", tr("Filter documents"), self.filter.setFocus, "Ctrl+F", "filter"),
            self.make_action(
                "remove",
                tr("Remove selected documents"),
                self.remove,
                "Delete",
                "trash",
                enabled=any_chosen,
                needs=tr("Select documents first."),
            ),
            self.make_action("failures", tr("Show failed inputs"), lambda: self.choose("failed"), "", "warning"),
        ]

    def _build(self) -> None:
        theme = self.context.theme
        frame, layout = panel()
        self._frame = frame
        run = self.context.actions.run
        bring = icon_button(theme, tr("Import…"), "import", lambda: run("documents.import"), "primary")
        fetch = icon_button(theme, tr("Fetch…"), "link", lambda: run("documents.fetch"))
        folder = icon_button(theme, tr("Folder…"), "folder", lambda: run("documents.folder"))
        paste = icon_button(theme, tr("Paste text…"), "paste", lambda: run("documents.paste"))
        look = icon_button(theme, tr("Look up…"), "search", lambda: run("documents.look"))
        self.remove_button = icon_button(theme, tr("Remove"), "trash", lambda: run("documents.remove"))
        self.buttons = {
            "documents.remove": self.remove_button,
            "documents.look": look,
            "documents.paste": paste,
            "documents.fetch": fetch,
            "documents.folder": folder,
            "documents.import": bring,
        }
        give_tips(self.context.actions, self.buttons)
        bringing = [shown for shown in self.buttons.values() if shown is not self.remove_button]
        layout.addLayout(row(heading(tr("Documents")), self.count, None, *bringing, margins=(16, 10, 12, 8)))
        chips = row(spacing=6, margins=(14, 0, 12, 10))
        for key, word in columns.chip_words().items():
            chip = button(word, partial(self.choose, key), kind="chip")
            self.chips[key] = chip
            chips.addWidget(chip)
        self.gather_button = button(tr("Gather a search corpus…"), lambda: run("documents.gather"), kind="link")
        self.gather_button.hide()
        chips.addWidget(self.gather_button)
        chips.addStretch(1)
        chips.addWidget(self.remove_button)
        filters = row(self.filter, self.tag_chooser, spacing=8, margins=(12, 0, 12, 8))
        filters.setStretch(0, 1)
        layout.addLayout(filters)
        layout.addLayout(chips)
        layout.addWidget(line())
        self.table.setItemDelegateForColumn(0, LanguageDelegate(self._language_of, self.table))
        self.table.setItemDelegateForColumn(
            1, TagDelegate(theme, lambda i: role_token(i.data(Qt.ItemDataRole.UserRole + 1)), self.table)
        )
        self._empty = EmptyState(
            theme,
            "documents",
            tr("No texts yet"),
            tr(
                "Drop files or folders here, or import them: plain text, Markdown, LaTeX, web pages, PDF, "
                "Office, OpenDocument, RTF, EPUB, e-mail, JSON Lines, CSV, and archives of these. Import the "
                "sources and the texts to examine."
            ),
            icon_button(theme, tr("Import files…"), "import", lambda: run("documents.import"), "primary"),
            icon_button(theme, tr("Paste text…"), "paste", lambda: run("documents.paste")),
        )
        self._none = EmptyState(
            theme,
            "filter",
            tr("Nothing matches the filter"),
            tr("Change or clear the filter to see documents again."),
            button(tr("Clear filter"), self.clear_filter),
        )
        for page in (self.table, self.failures, self._empty, self._none):
            self._pages.addWidget(page)
        layout.addWidget(self._pages, 1)
        layout.setContentsMargins(1, 0, 1, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(10)
        self.splitter.setChildrenCollapsible(False)
        frame.setMinimumWidth(520)
        self.pane.setMinimumWidth(280)
        self.splitter.addWidget(frame)
        self.splitter.addWidget(self.pane)
        self.splitter.setSizes([860, 460])
        self.setLayout(column(self.splitter, margins=(10, 0, 10, 0)))
        self._overlay = QFrame(self)
        self._overlay.setObjectName("drop")
        self._overlay.setLayout(column(None, row(None, heading(tr("Drop to import"), 18), None), None))
        self._overlay.hide()
        self.chips["all"].setChecked(True)

    def load(self) -> None:
        """Read the table in the background; the selection is kept."""
        self.set_ready(False)
        if self.context.session is None:
            self.model.set_values(
                {name: [] for name in ("key", "id", "language", "own_tags", *(c.name for c in self.model.columns))}
            )
            self.pane.clear()
            self.set_ready()
            return
        self.context.latest(self, "table", queries.documents_page, self._show)

    def offer(self, paths: Sequence[Path]) -> None:
        """Open the import dialog on ``paths``."""
        self.importer.offer(paths)

    def show_selectors(self) -> None:
        """Show the CSS selectors of hosts."""
        self.selectors = SelectorsDialog(self.context, self.window(), self.judge)
        self.selectors.open()

    def show_sites(self) -> None:
        """Show the sites of the pages; a chosen one filters the table."""
        self.sites = SitesDialog(self.context, self.window())
        self.sites.chosen.connect(self.filter.setText)
        self.sites.open()

    def _show(self, page: queries.DocumentsPage) -> None:
        table = page.table
        to_select = self._to_select or self.table.chosen_keys()
        self._to_select = []
        values: dict[str, Values] = {"key": table.key, "id": table.id, "language": table.language}
        values |= {column.column.name: column.values(page) for column in self._columns}
        self._tags = {key: own for key, own in zip(table.key.tolist(), table.tags, strict=True) if own}
        values["own_tags"] = table.tags
        self.tag_chooser.offer(table.tags)
        if self._tag_to_choose:
            self.tag_chooser.choose(self._tag_to_choose)
            self._tag_to_choose = ""
        self.model.set_values(values, ("id", "language", *(c.column.name for c in self._columns if c.searched)))
        self._listed = True
        self.failures.show_failures(page.failures)
        counts = {r.value: table.role.count(r.value) for r in Role}
        counts |= {"all": len(table), "unusual": int(np.count_nonzero(table.unusual)), "failed": len(page.failures)}
        for key, word in columns.chip_words().items():
            self.chips[key].setText(f"{word}  {counts[key]:,}")
            self.chips[key].setAccessibleName(f"{word} {counts[key]:,}")
        for optional in ("unusual", "failed"):
            self.chips[optional].setVisible(counts[optional] > 0)
        for index, column_ in enumerate(self._columns):
            self.table.setColumnHidden(index, column_.optional and not any(values[column_.column.name]))
        if not counts.get(self._chosen(), 1) and self._chosen() in ("unusual", "failed"):
            self.chips[self._chosen()].setChecked(False)
            self.chips["all"].setChecked(True)
        self._narrow(to_select)
        chosen = self.table.chosen_keys()
        if not chosen:
            self.pane.clear()
            self.set_ready()
        elif self.pane.document is not None and self.pane.document.key in chosen:
            # A job may have changed the document, for example by judging its blocks again.
            self._read(self.pane.document.key)
        else:
            self._read(chosen[0])

    def _filter(self) -> None:
        if self._listed:  # the filter is applied after reading
            self._narrow(self.table.chosen_keys())

    def _narrow(self, to_select: list[int]) -> None:
        """Apply the filters, and select the documents of ``to_select`` that are still shown, else the first one."""
        chosen = self._chosen()
        mask = None
        if chosen == "unusual":
            mask = np.array(self.model.values("unusual")) > 0
        elif chosen not in ("all", "failed"):
            mask = np.array([role == chosen for role in self.model.values("role")], np.bool_)
        tagged = self.tag_chooser.passing(self.model.values("own_tags"))
        if tagged is not None:
            mask = tagged if mask is None else mask & tagged
        self.model.set_filter(self.filter.text(), mask)
        # A key press must not remove the selection of a hidden table.
        self.table.select_keys([] if chosen == "failed" else to_select)
        if not self.model.rowCount():
            self.context.newest(self, "document")
            self.pane.clear()
        elif chosen != "failed" and not self.table.any_chosen():
            self.table.select_keys([self.model.key_at(0)])
        visible, total = self.model.rowCount(), self.model.total
        self.count.setText(
            f"{total:,}" if visible == total else tr("{shown} of {total}", shown=f"{visible:,}", total=f"{total:,}")
        )
        if chosen == "failed":
            self._pages.setCurrentWidget(self.failures)
        elif not total and not self.failures.count():
            self._pages.setCurrentWidget(self._empty)
        else:
            self._pages.setCurrentWidget(self.table if visible else self._none if total else self._empty)
        self._show_selection_count()

    def choose(self, key: str) -> None:
        """Show only one role ("suspect", "source", "background"), "all", or the "failed" inputs."""
        for name, chip in self.chips.items():
            chip.setChecked(name == key)
        self.gather_button.setVisible(key == "background")
        self._filter()

    def clear_filter(self) -> None:
        """Show all documents again."""
        self.filter.clear()
        self.tag_chooser.choose("")
        self.choose("all")

    def remove(self) -> None:
        """Remove the selected documents from the project; undo brings them back."""
        keys = self.table.chosen_keys()
        if self.context.session is None or not keys:
            return

        def select() -> None:
            self._to_select = list(keys)

        self.context.perform(
            trn("Remove {count} document", "Remove {count} documents", len(keys)),
            lambda session: queries.remove(session, keys),
            lambda session: queries.restore(session, keys),
            {"documents"},
            then=select,
            sentence=trn("{count} document was removed.", "{count} documents were removed.", len(keys)),
        )

    def _reread(self, keys: list[int]) -> None:
        """Handle changed documents: select them again, and refresh the one shown beside the table."""
        self._to_select = keys
        if self.pane.document is not None:
            self._read(self.pane.document.key)

    def _read(self, key: int) -> None:
        self.context.latest(self, "document", queries.document(key), self._show_document, self._not_read)

    def _not_read(self, error: Exception) -> None:
        """Show no text: that of another document would be taken for the selected one's."""
        self.pane.clear()
        self.context.show_error(error)

    def _chosen(self) -> str:
        return next((k for k, chip in self.chips.items() if chip.isChecked()), "all")

    def _selection_changed(self) -> None:
        self._show_selection_count()
        keys = self.table.chosen_keys()
        if len(keys) == 1 and (self.pane.document is None or self.pane.document.key != keys[0]):
            self._read(keys[0])
        self.context.actions.refresh()

    def _show_selection_count(self) -> None:
        count = len(self.table.chosen_keys())
        self.remove_button.setEnabled(count > 0)
        self.remove_button.setText(" " + (tr("Remove {count}", count=f"{count:,}") if count > 1 else tr("Remove")))

    def _show_document(self, document: Document) -> None:
        # If nothing changed, the text keeps its scroll position.
        if document != self.pane.document:
            self.pane.show_document(document)
        self.set_ready()

    def _language_of(self, index: Any) -> str:
        return str(self.model.values("language")[self.model.source_row(index.row())])

    def _hover(self, above: bool) -> None:
        self._overlay.setGeometry(self._frame.geometry().translated(self.splitter.pos()))
        self._overlay.setVisible(above)
        self._overlay.raise_()

    def key_hints(self) -> list[tuple[str, str]]:
        return [
            ("documents.import", tr("import")),
            ("documents.filter", tr("filter")),
            ("documents.remove", tr("remove")),
            ("window.palette", tr("all actions")),
        ]

    def save_state(self) -> dict[str, Any]:
        column_, direction = self.model.sorted_by()
        return {
            "filter": self.filter.text(),
            "role": self._chosen(),
            "tag": self.tag_chooser.state(),
            "sort": [column_, direction == Qt.SortOrder.DescendingOrder],
            "selected": [int(k) for k in self.table.chosen_keys()[:50]],
            "sizes": self.splitter.sizes(),
            "roots": self.importer.roots,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        match state:
            case {"filter": str(text), "role": str(role)} if role in self.chips:
                self.filter.setText(text)
                for name, chip in self.chips.items():
                    chip.setChecked(name == role)
        match state.get("tag"):
            case str(tag):
                self._tag_to_choose = tag
        match state.get("sort"):
            case [int(column_), bool(down)] if -1 <= column_ < len(self.model.columns):
                direction = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
                self.table.sortByColumn(column_, direction)
        match state.get("sizes"):
            case [int(left), int(right)] if left > 0 and right > 0:
                self.splitter.setSizes([left, right])
        self._to_select = [k for k in state.get("selected", []) if isinstance(k, int)]
        self.importer.roots = [r for r in state.get("roots", []) if isinstance(r, str)]

    def first_focus(self) -> QWidget | None:
        return self.failures.table if self._chosen() == "failed" else self.table


class Capturing:
    """Shows the captures of a document's page."""

    def __init__(self, context: AppContext, table: Table) -> None:
        self._context, self._table = context, table
        self.dialog: CapturesDialog | None = None
        """The dialog shown last."""

    def action(self) -> Action:
        """Show the captures of the selected document."""
        return Action(
            "documents.captures",
            tr("Captures of the page…"),
            self.show,
            "",
            view="documents",
            icon="clock",
            enabled=lambda: len(self._table.chosen_keys()) == 1,
            needs=tr("Select one document."),
        )

    def show(self) -> None:
        """Show the captures of the selected document."""
        (key,) = self._table.chosen_keys()
        self.dialog = CapturesDialog(self._context, self._table.window(), "", partial(captures_of_page, key=key))
        self.dialog.open()


class SitesDialog(QDialog):
    """A table of sites; ``chosen`` emits the host whose documents are to be shown."""

    chosen = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Sites"))
        self.resize(820, 560)
        columns = [
            Column("host", tr("Host"), width=200),
            Column("name", tr("Name"), tip=tr("The ending that most titles of the site have in common")),
            Column("kind", tr("Kind"), width=150, tip=tr("Tags that all pages of the site have")),
            Column("pages", tr("Pages"), whole, numeric=True, width=76),
            Column(
                "first_seen",
                tr("First seen"),
                local_time,
                width=150,
                tip=tr("When it was first captured or, failing that, imported"),
            ),
        ]
        self.model = ColumnsModel(columns, "host", self)
        self.table = Table(self.model, tr("Sites"), many=False)
        empty = EmptyState(
            context.theme, "documents", tr("No sites yet"), tr("Fetched pages, and imported ones with an address.")
        )
        self._pages = QStackedWidget()
        for page in (self.table, empty):
            self._pages.addWidget(page)
        layout = column(heading(tr("Sites")), spacing=10, margins=(16, 14, 16, 14))
        layout.addWidget(self._pages, 1)
        self.show_button = button(tr("Show its documents"), lambda: self._choose(self.table.chosen_keys()[0]))
        layout.addLayout(row(self.show_button, None, button(tr("Close"), self.accept)))
        self.setLayout(layout)
        self.table.opened.connect(self._choose)
        self.table.selected.connect(self._tell)
        self.finished.connect(self.deleteLater)
        self._tell()
        context.latest(self, "sites", read_sites, self._show)

    def _show(self, sites: Sequence[Site]) -> None:
        names = [column.name for column in self.model.columns]
        self.model.set_values({name: [getattr(site, name) for site in sites] for name in names})
        self._pages.setCurrentIndex(0 if sites else 1)

    def _tell(self) -> None:
        self.show_button.setEnabled(self.table.any_chosen())

    def _choose(self, host: object) -> None:
        self.chosen.emit(str(host))
        self.accept()
