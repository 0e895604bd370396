"""Dialogs about a run as a whole: assigned suspects, suspects without a match, verdicts without a passage."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QLineEdit, QSpinBox, QSplitter, QWidget

from workbench.base.messages import percent
from workbench.base.types import Document, Label, Run
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import state_words, viewer
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import apply_style, button, caption, column, heading, label, row
from workbench.gui.screens.review.by_hand import add_match
from workbench.gui.screens.review.pair_data import unit_of
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.records import DocumentItem
from workbench.services.review.assigning import assign, draw, how_drawn, unassign
from workbench.services.review.by_hand import restore, withdraw
from workbench.services.review.overview import RunColumns
from workbench.services.review.unplaced import UnplacedItem, unmatched, unplaced
from workbench.services.review.verdicts import Unit, attach
from workbench.services.session import Session


class AssignDialog(QDialog):
    """Draws some of ``suspects`` (ids) at random for a reviewer."""

    def __init__(self, context: AppContext, suspects: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._suspects = context, list(suspects)
        title = tr("Assign suspects")
        self.setWindowTitle(title)
        self.setFixedWidth(460)
        self.name = QLineEdit(viewer(context).name)
        self.name.setMaxLength(120)
        self.name.setAccessibleName(tr("Reviewer"))
        self.count = QSpinBox()
        self.count.setRange(1, max(1, len(self._suspects)))
        self.count.setValue(len(self._suspects))
        self.count.setAccessibleName(tr("Number of suspects"))
        self.seed = QSpinBox()
        self.seed.setRange(0, 999_999)
        self.seed.setAccessibleName(tr("Seed"))
        self._share = label("", 12, role="faint", tabular=True)
        self.count.valueChanged.connect(lambda _count: self._show_share())
        sentence = tr(
            "The suspects are drawn at random; the seed is kept with the assignment, so that the same sample can be "
            "drawn again. Earlier assignments to this reviewer are replaced."
        )
        go = button(tr("Assign"), self._assign, kind="primary")
        go.setDefault(True)
        go.setEnabled(bool(self.name.text().strip() and self._suspects))
        self.name.textChanged.connect(lambda text: go.setEnabled(bool(text.strip() and self._suspects)))
        fields = row(
            column(caption(tr("Suspects")), row(self.count, self._share), spacing=4),
            column(caption(tr("Seed")), self.seed, spacing=4),
            None,
            spacing=16,
        )
        self.setLayout(
            column(
                heading(title),
                column(caption(tr("Reviewer")), self.name, spacing=4),
                fields,
                label(sentence, 12, role="muted", wrap=True),
                row(None, button(tr("Cancel"), self.reject), go),
                spacing=12,
                margins=(18, 16, 18, 14),
            )
        )
        self._show_share()

    def _show_share(self) -> None:
        total = len(self._suspects)
        self._share.setText(
            tr("of {total} ({share})", total=f"{total:,}", share=percent(self.count.value() / max(1, total)))
        )

    def _assign(self) -> None:
        who = " ".join(self.name.text().split())
        if not who or not self._suspects:
            return
        drawn = draw(self._suspects, count=self.count.value(), seed=self.seed.value())
        note = how_drawn(len(drawn), len(self._suspects), self.seed.value(), viewer(self._context).name)
        events: list[Label] = []

        def keep(session: Session) -> None:
            events[:] = assign(session, drawn, who, note)

        words = trn("{count} suspect", "{count} suspects", len(drawn))
        sentence = tr("{suspects} assigned to {name}", suspects=words, name=who)
        self._context.perform(sentence, keep, lambda session: unassign(session, events), sentence=sentence, later=True)
        self.accept()


class UnmatchedDialog(QDialog):
    """Lists the suspects that ``run`` covers without a match among ``columns``, with the text of the chosen one."""

    def __init__(self, context: AppContext, columns: RunColumns, run: Run, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(tr("Suspects without a match"))
        self.resize(980, 560)
        self.model = ColumnsModel(
            [
                Column("title", tr("Document"), width=220),
                Column("language", tr("Language"), width=80),
                Column("length", tr("Characters"), whole, numeric=True, width=90),
            ],
            "key",
            self,
        )
        self.table = Table(self.model, tr("Suspects without a match"), many=False)
        self.table.selected.connect(self._chosen)
        self.pane = DocumentPane(context, tr("Select a document to read it."))
        self.count = label("", 12, role="faint", tabular=True)
        split = QSplitter()
        split.setHandleWidth(10)
        split.addWidget(self.table)
        split.addWidget(self.pane)
        split.setSizes([440, 520])
        sentence = tr(
            "The run found nothing in these documents, or left them out. This does not prove that they are original."
        )
        layout = column(
            row(heading(tr("Suspects without a match")), self.count, None),
            label(sentence, 12, role="muted", wrap=True),
            spacing=10,
            margins=(18, 16, 18, 14),
        )
        layout.addWidget(split, 1)
        layout.addLayout(row(None, button(tr("Close"), self.accept)))
        self.setLayout(layout)
        context.background(lambda session: unmatched(session, columns, run), self._show, owner=self)

    def _show(self, items: list[DocumentItem]) -> None:
        self.count.setText(f"{len(items):,}")
        self.model.set_values(
            {
                "key": [item.key for item in items],
                "title": [item.title or item.id for item in items],
                "language": [item.language for item in items],
                "length": [item.length for item in items],
            }
        )
        if items:
            self.table.select_keys([items[0].key])
            self.table.setFocus()

    def _chosen(self) -> None:
        for key in self.table.chosen_keys():
            self._context.latest(self, "document", queries.document(key), self._read)

    def _read(self, document: Document) -> None:
        if document.key in self.table.chosen_keys():
            self.pane.show_document(document)


def unmatched_words(count: int) -> str:
    """A sentence with the number of suspects without a match."""
    return trn("{count} suspect without a match", "{count} suspects without a match", count)


class UnplacedDialog(QDialog):
    """Lists verdicts without a passage; those on the pair of ``passage`` can be attached to it, Enter opens the pair.

    ``name`` is the name of ``passage`` in sentences (None: no passage is shown).
    """

    def __init__(
        self, context: AppContext, columns: RunColumns, run: int, passage: Unit | None, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._columns, self._run = context, columns, run
        self._passage, self._name = passage, name
        self._rows: list[UnplacedItem] = []
        self.setWindowTitle(tr("Verdicts without a passage in this run"))
        self.resize(980, 520)
        self.model = ColumnsModel(
            [
                Column("a", tr("Suspect"), width=150),
                Column("a_start", tr("From"), whole, numeric=True, width=70),
                Column("b", tr("Source"), width=150),
                Column("b_start", tr("From"), whole, numeric=True, width=70),
                Column("verdict", tr("Verdicts"), width=190),
                Column("text", tr("Judged text"), width=290),
            ],
            "key",
            self,
        )
        self.table = Table(self.model, tr("Verdicts without a passage"), many=False)
        self.table.opened.connect(self._open)
        self.table.selected.connect(self._chosen)
        sentence = tr(
            "These verdicts belong to passages this run mostly did not find. They stay in the project; select one "
            "to attach it to the passage shown. Passages added by hand are listed when their text is gone."
        )
        self.attach = button("", self._attach, kind="primary")
        self._texts = label("", 12, role="muted", wrap=True)
        whole_layout = column(
            heading(tr("Verdicts without a passage in this run")),
            label(sentence, 12, role="muted", wrap=True),
            spacing=10,
            margins=(18, 16, 18, 14),
        )
        whole_layout.addWidget(self.table, 1)
        whole_layout.addWidget(self._texts)
        whole_layout.addLayout(row(self.attach, None, button(tr("Close"), self.accept)))
        self.setLayout(whole_layout)
        self._chosen()
        self.read()

    def read(self) -> None:
        """Read the list again."""
        self._context.latest(self, "rows", lambda session: unplaced(session, self._columns), self._show)

    def _show(self, rows: list[UnplacedItem]) -> None:
        self._rows = rows
        self.model.set_values(
            {
                "key": list(range(len(rows))),
                "a": [self._columns.title(r.a) or r.unplaced.a for r in rows],
                "a_start": [r.unplaced.spans[0].start for r in rows],
                "b": [self._columns.title(r.b) or r.unplaced.b for r in rows],
                "b_start": [r.unplaced.spans[1].start for r in rows],
                "verdict": [_verdict_words(r) for r in rows],
                "text": [" ".join(r.a_text.split()) for r in rows],
            }
        )
        if rows:
            self.table.select_keys([0])
        self._chosen()

    def _current(self) -> UnplacedItem | None:
        keys = self.table.chosen_keys()
        return self._rows[keys[0]] if len(keys) == 1 and keys[0] < len(self._rows) else None

    def _chosen(self) -> None:
        row, passage = self._current(), self._passage
        if row is not None and row.added:
            self._show_added(row)
            return
        of_row = None if row is None else {row.unplaced.a, row.unplaced.b}
        fits = passage is not None and of_row == {passage.a, passage.b}
        self.attach.setEnabled(fits)
        self.attach.setText(tr("Attach to {name}", name=self._name) if passage else tr("Attach"))
        words = "" if row is None else f"{' '.join(row.a_text.split())}\n{' '.join(row.b_text.split())}"
        if row is not None and not fits:
            words += "\n" + tr(
                "To attach it, open a passage of the same suspect and source first (Enter opens the pair)."
            )
        self._texts.setText(words)

    def _show_added(self, row: UnplacedItem) -> None:
        self.attach.setEnabled(True)
        self.attach.setText(tr("Withdraw the passage"))
        hint = tr("The text is no longer there. Select it in both texts to add it again, then withdraw this one.")
        self._texts.setText("\n".join((*(" ".join(text.split()) for text in (row.a_text, row.b_text)), hint)))

    def _withdraw(self, row: UnplacedItem) -> None:
        """Remove a hand-added passage from the list; undo restores it."""
        who, label, title = viewer(self._context).name, row.judgement.label, tr("Added passage withdrawn")
        self._context.perform(
            title,
            lambda session: withdraw(session, label.target, who),
            lambda session: restore(session, label),
            sentence=title,
        )
        self.read()

    def _attach(self) -> None:
        row, passage, context = self._current(), self._passage, self._context
        if row is not None and row.added:
            self._withdraw(row)
            return
        if row is None or passage is None:
            return
        target, who = row.unplaced.target, viewer(context).name

        title = tr("Verdict attached to {name}", name=self._name)
        context.perform(
            title,
            lambda session: attach(session, target, passage, who),
            lambda session: attach(session, target, None, who),
            sentence=title,
        )
        self.read()

    def _open(self, key: int) -> None:
        verdict = self._rows[key]
        if any(len(self._columns.rows_of(*pair)) for pair in ((verdict.a, verdict.b), (verdict.b, verdict.a))):
            self.accept()
            self._context.open_review(self._run, verdict.a, verdict.b)
        else:
            self._texts.setText(tr("This run found nothing in this pair of documents."))


def unplaced_words(count: int, gone: int = 0) -> str:
    """A sentence with the number of verdicts, and of passages added by hand whose text is gone."""
    words = [
        trn("{count} verdict without a passage in this run", "{count} verdicts without a passage in this run", count),
        trn("{count} added passage whose text is gone", "{count} added passages whose text is gone", gone),
    ]
    return " · ".join(text for text, there in zip(words, (count, gone), strict=True) if there) or words[0]


def _verdict_words(row: UnplacedItem) -> str:
    verdicts = row.judgement.verdicts
    if row.added:
        return ", ".join(tr("{who}: added by hand", who=label.who) for label in verdicts)
    return ", ".join(f"{label.who}: {state_words(label.value)[0]}" for label in verdicts) or "–"


class RunDialogs:
    """Opens dialogs about the run in ``opening``, whose pair ``pair`` shows."""

    def __init__(self, context: AppContext, opening: PairLoader, pair: PairPanel) -> None:
        self._context, self._opening, self._pair = context, opening, pair

    def show_unplaced(self) -> None:
        """List the verdicts without a passage in this run."""
        overview, opened, number = self._opening.overview, self._pair.opened, self._pair.active
        if overview.columns is None or overview.run is None:
            return
        unit = unit_of(opened, number) if opened is not None and number >= 0 else None
        name = tr("match {number}", number=number + 1)
        dialog = UnplacedDialog(self._context, overview.columns, overview.run.id, unit, name, self._window)
        dialog.finished.connect(self._opening.load)
        self._show(dialog)

    def show_unmatched(self) -> None:
        """List the suspects without a match in this run."""
        overview = self._opening.overview
        if overview.columns is not None and overview.run is not None:
            self._show(UnmatchedDialog(self._context, overview.columns, overview.run, self._window))

    def assign(self) -> None:
        """Assign suspects to a reviewer."""
        suspects = [row.id for row in self._opening.overview.suspects]
        dialog = AssignDialog(self._context, suspects, self._window)
        dialog.accepted.connect(self._opening.load)
        self._show(dialog)

    def follow_newer(self) -> None:
        """Go to the newer run that covers more of the documents, at the newest version of the open suspect; without
        one, :meth:`run_on`.
        """
        successor, opened = self._opening.overview.successor, self._pair.opened
        if not successor:
            self.run_on()
            return
        shown = 0 if opened is None else opened.a.key
        self._opening.request(successor, self._opening.overview.replaced.get(shown, shown))
        self._opening.load()

    def run_on(self) -> None:
        """Detect again with the settings of the shown run, because there are documents that it does not cover."""
        if self._opening.overview.run is not None:
            self._context.resume_requested.emit(self._opening.overview.run)

    def add_match(self) -> None:
        """Add the selection in both texts as a match, and go to it."""
        opened, left, right = self._pair.opened, self._pair.left.selection, self._pair.right.selection
        if opened is None:
            return
        sides = [(opened.a, left), (opened.b, right)]
        (first, of_first), (second, of_second) = reversed(sides) if opened.turned else sides
        if add_match(self._context, first, of_first, second, of_second):
            limits = (left.start, left.end, right.start, right.end)
            self._opening.request(opened.run.id, opened.a.key, opened.b.key, limits)

    @property
    def _window(self) -> QWidget:
        return self._pair.window()

    def _show(self, dialog: QDialog) -> None:
        apply_style(dialog, self._context.theme)
        dialog.open()
