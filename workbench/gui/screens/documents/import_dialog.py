"""The import dialog: a preview of inputs and their decoding, with overrides, before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QListWidget, QListWidgetItem, QSplitter, QWidget

from workbench.base.errors import UserError
from workbench.base.tags import listed
from workbench.base.types import Role
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import LANGUAGES, say, tr, trn
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.tag_chooser import problem_of, tag_field
from workbench.gui.kit.widgets import (
    button,
    caption,
    choice_box,
    column,
    columns_field,
    heading,
    label,
    line,
    panel,
    row,
)
from workbench.gui.kit.words import role_word
from workbench.gui.problems import guarded
from workbench.gui.screens.documents.judging_pages import repetition_box, rule_words
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord, OnlyJob
from workbench.reading import recognition
from workbench.reading.formats import csv, format_names, jsonl, parquet
from workbench.reading.formats.rows import columns_of
from workbench.reading.recognition import AUTOMATIC
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.previewing import (
    GuessBasis,
    PreviewItem,
    PreviewList,
    guess_role,
    kept_roles,
    preview_inputs,
)
from workbench.services.queries import count_roles

ENCODINGS = ("utf-8", "cp932", "euc-jp", "iso-2022-jp", "gb18030", "big5", "utf-16", "cp1252", "latin-1")
_PAUSE = 400
LIMIT = 50
"""Maximum number of inputs previewed; all are imported."""


TABLES = (*csv.suffixes, *jsonl.suffixes, *parquet.suffixes)
"""Suffixes of files whose rows are documents."""


def _update_box() -> QCheckBox:
    """A check box for importing new versions, hidden in an empty project."""
    box = QCheckBox(tr("Changed files become new versions of their documents, in the same role; verdicts follow"))
    box.setFont(fonts.font(13))
    box.setToolTip(tr("A file belongs to the document that came from the same path, a row to the one with its id."))
    box.hide()
    return box


@guarded
class ImportDialog(QDialog):
    """Previews ``paths`` in a separate process, again after every change of an override."""

    def __init__(self, context: AppContext, paths: Sequence[Path], parent: QWidget, base: Path | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.paths = list(paths)
        self._base = base
        self.items: tuple[PreviewItem, ...] = ()
        self._job = OnlyJob(context.jobs, self)
        self.setWindowTitle(tr("Import"))
        self.resize(980, 640)
        self.roles = choice_box(tr("Role"), [(r.value, role_word(r)) for r in Role])
        self.roles.setFont(fonts.font(20, fonts.SEMIBOLD))
        self.roles.setMinimumWidth(220)
        self.roles.setPlaceholderText(tr("Choose…"))
        self.roles.setCurrentIndex(-1)
        self.why = label("", 13, wrap=True)
        self._chosen = False
        """Whether the user has chosen the role."""
        self._counts: Mapping[str, int] | None = None
        self._previews: PreviewList | None = None
        self._kept: Sequence[Role | None] = ()
        """The role of the document of which each input would be a new version; None for a new document."""
        self.formats = choice_box(tr("Format"), [(n, tr("Automatic") if n == "auto" else n) for n in format_names()])
        self.encodings = choice_box(tr("Encoding"), [("", tr("Automatic")), *((e, e) for e in ENCODINGS)])
        self.languages = choice_box(tr("Language"), [("", tr("Automatic")), *LANGUAGES.items()])
        for box in (self.roles, self.formats, self.encodings, self.languages):
            box.setMinimumWidth(150)
        self.tags = tag_field(tr("Tags"))
        self.columns = columns_field()
        self.rules = choice_box(tr("Content blocks"), [(name, words[0]) for name, words in rule_words().items()])
        self.repetition = repetition_box()
        self.update_box = _update_box()
        self.ocr = QCheckBox()
        self.ocr.setFont(fonts.font(13))
        self.ocr.hide()
        self.list = QListWidget()
        self.list.setObjectName("choices")
        self.list.setAccessibleName(tr("Inputs"))
        self.list.setFont(fonts.font(13))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pane = DocumentPane(context, tr("Select an input to see what would be read from it."))
        self.state = label("", 12, role="muted", wrap=True)
        self.go = button(tr("Import"), self.accept, kind="primary")
        self._build()
        self._later = after_pause(self.preview, 0, self)
        self._typed = after_pause(self.preview, _PAUSE, self)
        self.list.currentRowChanged.connect(self._show_item)
        for box in (self.formats, self.encodings, self.languages, self.rules):
            box.currentIndexChanged.connect(lambda _index: self._later.start(0))
        self.roles.currentIndexChanged.connect(lambda _index: self._role_changed())
        self.roles.activated.connect(lambda _index: self._choose_role())
        self.update_box.toggled.connect(lambda _checked: self._guess())
        self.ocr.toggled.connect(lambda _checked: self._choose_recognition())
        self.tags.textChanged.connect(lambda _text: self._check_fields())
        self.columns.textChanged.connect(lambda _text: self._choose_columns())
        self.preview()
        if context.session is not None:
            context.background(count_roles, self._count_roles, owner=self)

    def _build(self) -> None:
        frame, inner = panel()
        inner.setContentsMargins(1, 0, 1, 6)
        self._count = label("", 12, role="faint", tabular=True)
        inner.addLayout(row(heading(tr("Inputs")), self._count, None, margins=(14, 10, 12, 8)))
        inner.addWidget(line())
        inner.addWidget(self.list, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(10)
        splitter.addWidget(frame)
        splitter.addWidget(self.pane)
        splitter.setSizes([320, 620])
        boxes = row(spacing=14)
        for box in (self.formats, self.encodings, self.languages):
            boxes.addLayout(column(caption(box.accessibleName()), box, spacing=4))
        boxes.addLayout(column(caption(self.tags.accessibleName()), self.tags, spacing=4))
        boxes.setStretch(boxes.count() - 1, 1)
        leave = button(tr("Cancel"), self.reject)
        bottom = row(self.state, leave, self.go)
        bottom.setStretch(0, 1)
        role = row(label(tr("These documents are"), 15), self.roles, self.why, spacing=12)
        role.setStretch(2, 1)
        pages = row(caption(self.rules.accessibleName()), self.rules, self.repetition, None, spacing=12)
        self._tables = QWidget()
        self._tables.setLayout(row(caption(self.columns.accessibleName()), self.columns, spacing=12))
        self._tables.hide()
        parts = role, line(), boxes, pages, self.update_box, self._tables, self.ocr
        whole = column(*parts, spacing=12, margins=(14, 12, 14, 12))
        whole.addWidget(splitter, 1)
        whole.addLayout(bottom)
        self.setLayout(whole)
        self.go.setDefault(True)

    def role(self) -> Role | None:
        """The chosen role (rows that name a role keep theirs); None if none is needed."""
        return None if self.roles.currentIndex() < 0 else Role(self.roles.currentData())

    def _only_versions(self) -> bool:
        """Whether every input becomes a new version, which keeps its role."""
        previews = self._previews
        known = [kept is not None for item, kept in zip(self.items, self._kept, strict=False) if item.document]
        return self.update_box.isChecked() and previews is not None and previews.complete and bool(known) and all(known)

    def _show_kept(self, roles: Sequence[Role | None]) -> None:
        self._kept = roles
        self._guess()

    def _count_roles(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self.update_box.setVisible(any(counts.values()))
        self._guess()

    def _guess(self) -> None:
        """Guess the role and show the reason, until the user chooses one; ask if it is unclear and needed."""
        self.roles.setEnabled(not self._only_versions())
        if self._only_versions():
            self.roles.setCurrentIndex(-1)
            self._chosen = False
            self.why.setText(tr("New versions keep the roles of their documents."))
            self._role_changed()
            return
        if self._counts is None or self._chosen:
            self._allow()
            return
        guess = guess_role(self.paths, self._counts, self._previews)
        self.roles.setCurrentIndex(-1 if guess.role is None else self.roles.findData(guess.role.value))
        sources, suspects = (self._counts.get(role, 0) for role in (Role.SOURCE, Role.SUSPECT))
        self.why.setText(
            {
                GuessBasis.NAME: tr("guessed from the name “{name}”", name=guess.name),
                GuessBasis.NO_SUSPECTS: trn(
                    "guessed: the project has {count} source and no suspects",
                    "guessed: the project has {count} sources and no suspects",
                    sources,
                ),
                GuessBasis.NO_SOURCES: trn(
                    "guessed: the project has {count} suspect and no sources",
                    "guessed: the project has {count} suspects and no sources",
                    suspects,
                ),
                GuessBasis.MIXED: tr(
                    "Choose a role: the names suggest different ones. Import such folders one by one."
                ),
                GuessBasis.NOTHING: tr("Choose a role: neither the names nor the project show which it is."),
                GuessBasis.ROWS: tr("Each row states its own role, which it keeps."),
            }[guess.sign]
        )
        self._allow()

    def _choose_role(self) -> None:
        self._chosen = True
        self.why.setText("")

    def _role_changed(self) -> None:
        self._show_item(self.list.currentRow())
        self._allow()

    def _allow(self) -> None:
        """Allow the import only of readable inputs, with valid tags and a known role."""
        whole = self._problem() is None and (self.roles.currentIndex() >= 0 or self._only_versions())
        self.go.setEnabled(whole and self.is_ready() and len(self._unread()) < len(self.items))

    def options(self) -> ImportOptions:
        """The chosen overrides."""
        return ImportOptions(
            format=self.formats.currentData(),
            encoding=self.encodings.currentData() or None,
            language=self.languages.currentData() or None,
            base=self._base,
            blocks=self.rules.currentData(),
            site_repetition=self.repetition.isChecked(),
            update=self.update_box.isChecked(),
            tags=() if problem_of(self.tags) else listed(self.tags.text()),
            ocr=AUTOMATIC if self.ocr.isChecked() else "",
            columns={} if self._problem() else columns_of(self.columns.text()),
        )

    def _problem(self) -> UserError | None:
        """What is wrong with the tags or columns."""
        try:
            columns_of(self.columns.text())
        except UserError as error:
            return error
        return problem_of(self.tags)

    def _check_fields(self) -> bool:
        """Show what is wrong with the tags or columns; returns whether nothing is."""
        error = self._problem()
        self.state.setText("" if error is None else say(error.message))
        self._allow()
        return error is None

    def _choose_columns(self) -> None:
        """Read the inputs again with other columns, once nothing more is typed."""
        self._typed.stop()
        if self._check_fields():
            self._typed.start()

    def preview(self) -> None:
        """Read the inputs again with the current overrides."""
        self.state.setText(tr("Reading…"))
        self.go.setEnabled(False)
        self._job.begin(
            tr("Preview"),
            preview_inputs,
            self.paths,
            replace(self.options(), ocr=""),
            LIMIT,
            after=self._read,
            quiet=True,
        )

    def is_ready(self) -> bool:
        return not self._job.running

    def _read(self, record: JobRecord) -> None:
        if isinstance(record.result, PreviewList):
            self._previews = record.result
            self._kept = ()
            self._show(record.result)
            self._guess()
            if self._context.session is not None:
                self._context.latest(self, "versions", kept_roles(self.items), self._show_kept)
        else:
            self.items = ()
            self.list.clear()
            self.pane.clear()
            self.state.setText(record.error or tr("The preview was cancelled."))
        self._allow()

    def _show(self, previews: PreviewList) -> None:
        self.items = previews.items
        chosen = max(0, self.list.currentRow())
        self.list.clear()
        for item in previews.items:
            entry = QListWidgetItem(item.name)
            entry.setToolTip(say(item.error) or item.name)
            self.list.addItem(entry)
        self._count.setText(
            f"{len(self.items):,}" if previews.complete else tr("first {count}", count=f"{len(self.items):,}")
        )
        of_table = any(suffix in item.name.lower() for item in previews.items for suffix in TABLES)
        self._tables.setVisible(of_table or bool(self.columns.text()))
        self._offer_recognition(sum(1 for item in self.items if item.is_picture))
        self._mark()
        self._say_state()
        self.list.setCurrentRow(min(chosen, len(self.items) - 1))

    def _offer_recognition(self, pictures: int) -> None:
        """Offer to read the text of ``pictures``, if there are any and the program is installed."""
        self.ocr.setVisible(pictures > 0)
        self.ocr.setText(
            trn("Read the text of {count} picture or scan", "Read the text of {count} pictures or scans", pictures)
        )
        if pictures:
            try:
                recognition.check(AUTOMATIC)
                self.ocr.setEnabled(True)
                self.ocr.setToolTip(
                    tr("With Tesseract, in the languages it is most confident in; takes a few seconds per page")
                )
            except UserError as error:
                self.ocr.setEnabled(False)
                self.ocr.setText(f"{self.ocr.text()}: {say(error.message)} {say(error.hint)}")
        self.ocr.setChecked(pictures > 0 and self.ocr.isEnabled() and self.ocr.isChecked())

    def _mark(self) -> None:
        """Show which inputs would fail."""
        theme, unread = self._context.theme, self._unread()
        for number, item in enumerate(self.items):
            look = ("warning", "danger") if item in unread else ("documents", "accent")
            self.list.item(number).setIcon(theme.icon(*look))

    def _choose_recognition(self) -> None:
        self._mark()
        self._say_state()
        self._show_item(self.list.currentRow())

    def _unread(self) -> list[PreviewItem]:
        """The inputs that would fail."""
        read = self.ocr.isChecked()
        return [item for item in self.items if item.document is None and not (read and item.is_picture)]

    def _say_state(self) -> None:
        previews = self._previews
        if previews is None:
            return
        failed = len(self._unread())
        if not self.items:
            self.state.setText(tr("There is nothing to read here."))
        elif not previews.complete:
            self.state.setText(
                tr("The first {count} inputs are shown; all will be imported.", count=f"{len(self.items):,}")
            )
        else:
            readable = len(self.items) - failed
            parts = [trn("{count} document will be read.", "{count} documents will be read.", readable)]
            if failed:
                parts.append(
                    trn(
                        "{count} input cannot be read and will be listed as failed.",
                        "{count} inputs cannot be read and will be listed as failed.",
                        failed,
                    )
                )
            self.state.setText(" ".join(parts))
        self._allow()

    def _show_item(self, number: int) -> None:
        if not 0 <= number < len(self.items):
            self.pane.clear()
            return
        item = self.items[number]
        if item.document is None:
            self.pane.clear()
            read = item.is_picture and self.ocr.isChecked()
            self.pane.empty.title.setText(tr("Will be read by text recognition") if read else tr("Cannot be read"))
            self.pane.empty.sentence.setText("" if read else say(item.error))
        else:
            role = item.role or (self._kept[number] if self._only_versions() else self.role())
            document = item.document if role is None else replace(item.document, role=role)
            self.pane.show_document(document, item.length, with_role=role is not None)
