"""Verdicts without a passage in the run that is shown: read, and attached to a passage by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QDialog, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.judging.eyes import eyes
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.parts import button, column, heading, label, row
from workbench.gui.kit.tables import Table
from workbench.gui.workspace.context import AppContext
from workbench.services.review.by_hand import restore, withdraw
from workbench.services.review.overview import RunColumns
from workbench.services.review.unplaced import Homeless, unplaced
from workbench.services.review.verdicts import Unit, attach
from workbench.services.session import Session


class UnplacedDialog(QDialog):
    """Lists the verdicts; those on the pair of ``passage`` can be attached to it, Enter opens the pair of one.

    ``name`` is what sentences call ``passage`` (None: no passage is shown).
    """

    def __init__(
        self, context: AppContext, columns: RunColumns, run: int, passage: Unit | None, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._columns, self._run = context, columns, run
        self._passage, self._name = passage, name
        self._rows: list[Homeless] = []
        self.setWindowTitle(tr("Verdicts without a passage in this run"))
        self.resize(980, 520)
        self.model = ColumnsModel(
            [
                Column("a", tr("Suspect"), width=150),
                Column("a_start", tr("From"), whole, numeric=True, width=70),
                Column("b", tr("Source"), width=150),
                Column("b_start", tr("From"), whole, numeric=True, width=70),
                Column("verdict", tr("Verdicts"), width=190),
                Column("text", tr("What was judged"), width=290),
            ],
            "key",
            self,
        )
        self.table = Table(self.model, tr("Verdicts without a passage"), many=False)
        self.table.opened.connect(self._open)
        self.table.selected.connect(self._chosen)
        sentence = tr(
            "These verdicts were given for passages of which this run has less than half. They stay in the project; "
            "choose one to attach it to the passage that is shown. A passage added by hand is listed where its text is "
            "there no more."
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
        self._context.background(lambda session: unplaced(session, self._columns), self._show, owner=self)

    def _show(self, rows: list[Homeless]) -> None:
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

    def _current(self) -> Homeless | None:
        keys = self.table.chosen_keys()
        return self._rows[keys[0]] if len(keys) == 1 and keys[0] < len(self._rows) else None

    def _chosen(self) -> None:
        row, passage = self._current(), self._passage
        if row is not None and row.added:
            self._show_added(row)
            return
        fits = row is not None and passage is not None and (row.unplaced.a, row.unplaced.b) == (passage.a, passage.b)
        self.attach.setEnabled(fits)
        self.attach.setText(tr("Attach to {name}", name=self._name) if passage else tr("Attach"))
        words = "" if row is None else f"{' '.join(row.a_text.split())}\n{' '.join(row.b_text.split())}"
        if row is not None and not fits:
            words += "\n" + tr(
                "To attach it, open a passage of the same suspect and source first (Enter opens the pair)."
            )
        self._texts.setText(words)

    def _show_added(self, row: Homeless) -> None:
        self.attach.setEnabled(True)
        self.attach.setText(tr("Withdraw the passage"))
        hint = tr("Its text stands there no more. Select it in both texts to add it again, then withdraw this one.")
        self._texts.setText("\n".join((*(" ".join(text.split()) for text in (row.a_text, row.b_text)), hint)))

    def _withdraw(self, row: Homeless) -> None:
        """Take a passage found by hand off the list; undo brings it back."""
        context, who = self._context, eyes(self._context).name
        label = row.judgement.label

        def make(change: Callable[[Session], object]) -> None:
            context.change(change, None)
            context.announce({"labels"})

        def take(session: Session) -> object:
            return withdraw(session, label.target, who)

        make(take)
        title = tr("Added passage withdrawn")
        context.history.push(title, partial(make, lambda session: restore(session, label)), partial(make, take))
        context.say_undoable(title)
        self.read()

    def _attach(self) -> None:
        row, passage, context = self._current(), self._passage, self._context
        if row is not None and row.added:
            self._withdraw(row)
            return
        if row is None or passage is None:
            return
        target, who = row.unplaced.target, eyes(context).name

        def make(unit: Unit | None) -> None:
            context.change(lambda session: attach(session, target, unit, who), None)
            context.announce({"labels"})

        make(passage)
        title = tr("Verdict attached to {name}", name=self._name)
        context.history.push(title, partial(make, None), partial(make, passage))
        context.say_undoable(title)
        self.read()

    def _open(self, key: int) -> None:
        verdict = self._rows[key]
        if len(self._columns.rows_of(verdict.a, verdict.b)):
            self.accept()
            self._context.open_review(self._run, verdict.a, verdict.b)
        else:
            self._texts.setText(tr("This run found nothing in this pair of documents."))


def unplaced_words(count: int, gone: int = 0) -> str:
    """That there are so many verdicts, and passages found by hand that are gone."""
    words = [
        trn("{count} verdict without a passage in this run", "{count} verdicts without a passage in this run", count),
        trn("{count} added passage whose text is gone", "{count} added passages whose text is gone", gone),
    ]
    return " · ".join(text for text, there in zip(words, (count, gone), strict=True) if there) or words[0]


def _verdict_words(row: Homeless) -> str:
    verdicts = row.judgement.verdicts
    if row.added:
        return ", ".join(tr("{who}: added by hand", who=label.who) for label in verdicts)
    return ", ".join(f"{label.who}: {state_words(label.value)[0]}" for label in verdicts) or "–"
