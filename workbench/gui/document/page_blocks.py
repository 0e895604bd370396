"""The blocks of a page: which count as content and why, and the reviewer's own decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame
from shiboken6 import isValid

from workbench.base.types import Block, BlockClass, Document, Span
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import VALUE_ROLE, Column, ColumnsModel, Values
from workbench.gui.kit.tables import Table, TagDelegate
from workbench.gui.kit.widgets import button, column, heading, label, row
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.pages import decisions as blocks
from workbench.services.records import DECIDED, Override
from workbench.services.session import Session

_BEGINNING = 80
"""Characters of a block shown in its row."""


def verdict_word(verdict: str) -> str:
    """Whether a block counts, in the interface language."""
    return tr("Content") if verdict == BlockClass.CONTENT else tr("Left out")


class PageBlocks(QFrame):
    """A table of the blocks of one document. ``pointed`` carries the span of the block the user has moved to."""

    pointed = Signal(object)

    def __init__(self, context: AppContext, reload: Callable[[int], object] | None) -> None:
        """``reload`` shows the document with this key again; without it the verdicts are read-only."""
        super().__init__()
        self._context = context
        self._reload = reload
        self._document: Document | None = None
        self._following = False
        columns = [
            Column("verdict", tr("Verdict"), verdict_word, width=86),
            Column("text", tr("Text")),
            Column("rule", tr("Rule"), say),
        ]
        self.model = ColumnsModel(columns, "block", self)
        self.table = Table(self.model, tr("Blocks of the page"))
        tokens = {BlockClass.CONTENT.value: "ok", BlockClass.NON_CONTENT.value: "text3"}
        self.table.setItemDelegateForColumn(
            0, TagDelegate(context.theme, lambda index: tokens[index.data(VALUE_ROLE)], self.table)
        )
        self.table.selected.connect(self._moved)
        self._count = label("", 12, role="faint", tabular=True)
        self.reason = label("", 12, role="muted", wrap=True)
        self.reason.setContentsMargins(14, 6, 14, 8)
        run = context.actions.run
        self._overturn = button(tr("Overturn"), lambda: run("documents.overturn-block"))
        self._leave = button(tr("Leave to the rule"), lambda: run("documents.leave-block"))
        head = row(heading(tr("Blocks"), 13), self._count, None, self._leave, self._overturn, margins=(14, 8, 12, 8))
        if reload is None:
            self._leave.hide()
            self._overturn.hide()
        self._moved()
        layout = column(head, spacing=0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.reason)
        self.setLayout(layout)
        if reload is not None:
            self.table.opened.connect(lambda _key: self.overturn())
            context.actions.add(*self._actions())

    def _actions(self) -> list[Action]:
        def chosen() -> bool:
            return self._document is not None and self.table.any_chosen() and self.isVisible()

        return [
            Action(
                "documents.overturn-block",
                tr("Overturn the verdict on the chosen blocks"),
                self.overturn,
                "Ctrl+B",
                view="documents",
                icon="swap",
                enabled=chosen,
                needs=tr("Choose a document that was read from a page, and blocks of it, first."),
            ),
            Action(
                "documents.leave-block",
                tr("Leave the chosen blocks to the rule"),
                self.leave,
                "Ctrl+Shift+B",
                view="documents",
                icon="reset",
                enabled=chosen,
                needs=tr("Choose a document that was read from a page, and blocks of it, first."),
            ),
        ]

    def show_document(self, document: Document) -> None:
        """List the blocks of ``document``; the selected ones stay selected if it is the same document."""
        keep = self.table.chosen_keys() if self._document is not None and self._document.key == document.key else []
        self._document = document
        blocks = document.blocks
        values: dict[str, Values] = {
            "block": np.arange(len(blocks)),
            "verdict": [b.verdict.value for b in blocks],
            "rule": [b.rule for b in blocks],
            "text": [
                document.text[b.span.start : min(b.span.end, b.span.start + _BEGINNING)].replace("\n", " ")
                for b in blocks
            ],
        }
        self.model.set_values(values)
        counted = sum(b.verdict is BlockClass.CONTENT for b in blocks)
        self._count.setText(tr("{kept} of {total} count", kept=f"{counted:,}", total=f"{len(blocks):,}"))
        self.table.select_keys(keep)

    def follow(self, offset: int) -> None:
        """Select the block at ``offset`` of the text."""
        if self._document is None or self._following:
            return
        for number, block in enumerate(self._document.blocks):
            if block.span.start <= offset <= block.span.end:
                self._following = True
                self.table.select_keys([number])
                self._following = False
                return

    def scroll_to(self, offset: int) -> None:
        """Scroll the row of the block that begins at ``offset`` to the top, without selecting it."""
        starts = [] if self._document is None else [block.span.start for block in self._document.blocks]
        row = self.model.row_of(starts.index(offset)) if offset in starts else -1
        if row >= 0:
            self.table.updateGeometries()  # for rows that were just added
            self.table.scrollTo(self.model.index(row, 0), Table.ScrollHint.PositionAtTop)

    def overturn(self) -> None:
        """Make the selected blocks count if the first of them does not, and vice versa."""
        spans = self._spans()
        if self._document is None or not spans:
            return
        first = next(b for b in self._document.blocks if b.span == spans[0])
        self._decide(spans, BlockClass.NON_CONTENT if first.verdict is BlockClass.CONTENT else BlockClass.CONTENT)

    def leave(self) -> None:
        """Withdraw the decisions on the selected blocks."""
        self._decide(self._spans(), None)

    def _chosen(self) -> list[Block]:
        if self._document is None:
            return []
        return [self._document.blocks[number] for number in self.table.chosen_keys()]

    def _spans(self) -> list[Span]:
        return [block.span for block in self._chosen()]

    def _decide(self, spans: Sequence[Span], verdict: BlockClass | None) -> None:
        document = self._document
        if self._context.session is None or document is None or not spans:
            return
        key, who = document.key, self._context.settings.reviewer
        before: list[tuple[Override, ...]] = []

        def decide(session: Session) -> None:
            before.append(blocks.decide(session, key, spans, verdict, who))

        def put_back(session: Session) -> None:
            # If it failed after having to wait for another program, nothing was decided.
            if before:
                blocks.put_back(session, before[-1])
                before.pop()

        def show_again() -> None:
            if self._reload is not None and isValid(self):
                self._reload(key)

        title = trn("Decide on {count} block", "Decide on {count} blocks", len(spans))
        self._context.perform(title, decide, put_back, {"documents"}, then=show_again)

    def _moved(self) -> None:
        self._context.actions.refresh()
        chosen = self._chosen()
        spans = [block.span for block in chosen]
        self._overturn.setEnabled(bool(spans))
        self._leave.setEnabled(any(block.rule.startswith(DECIDED) for block in chosen))
        # Text the column has no room for; if several rows are selected, that of the first.
        self.reason.setText(f"{verdict_word(chosen[0].verdict)}: {say(chosen[0].rule)}" if chosen else "")
        self.reason.setVisible(bool(chosen))
        if spans and not self._following:
            self.pointed.emit(spans[0])
