"""The documents, pairs or passages behind a figure, as a list."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame

from workbench.base.types import Ints
from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import column, heading, icon_button, label, row
from workbench.gui.kit.words import language_word
from workbench.gui.screens.evaluate.words import score_text
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.scored_run import NO_LABEL, POSITIVE, ScoredRun


class ItemModel(ColumnsModel):
    """Rows are items of a :class:`ScoredRun`, keyed by their row there; a part of a million is shown at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._bench: ScoredRun | None = None
        self._rows: Ints = np.zeros(0, np.int64)
        super().__init__(
            (
                Column("a", tr("Document"), self._title_a),
                Column("b", tr("Source"), self._title_b, width=260, blank="–"),
                Column("score", tr("Score"), score_text, True, 100, tr("not reported")),
                Column("value", tr("Label"), self._value, width=130),
                Column("truth", tr("Counts as"), self._truth, width=110),
                Column("length", tr("Length"), whole, True, 90),
                Column("language", tr("Language"), self._language, width=110),
                Column("site", tr("Site"), self._site, width=150),
            ),
            "row",
            parent,
        )

    def set_bench(self, bench: ScoredRun) -> None:
        """Show items of another bench: none, to begin with."""
        self._bench, self._rows = bench, np.zeros(0, np.int64)
        places = np.clip(np.searchsorted(bench.documents.key, bench.a), 0, max(0, len(bench.documents.key) - 1))
        everything = np.arange(len(bench))
        self.set_values(
            {
                "row": everything,
                "a": everything,
                "b": everything,
                "score": bench.score,
                "value": bench.value,
                "truth": bench.truth,
                "length": bench.documents.length[places] if len(bench.documents.key) else everything,
                "language": everything,
                "site": everything,
            }
        )

    def show_rows(self, rows: Ints) -> None:
        """Show these items, in this order until the user sorts them."""
        self._rows = rows
        self.set_filter("")

    def _order_again(self) -> None:
        if self._sort[0] < 0:
            self.order = self._rows.astype(np.int32)
            return
        mask = np.zeros(self.total, np.bool_)
        mask[self._rows] = True
        self._mask = mask
        super()._order_again()

    def _title_a(self, item: object) -> str:
        return "" if self._bench is None else self._bench.title(int(self._bench.a[int(item)]))  # type: ignore[call-overload]

    def _title_b(self, item: object) -> str:
        return "" if self._bench is None else self._bench.title(int(self._bench.b[int(item)]))  # type: ignore[call-overload]

    def _value(self, code: object) -> str:
        number = int(code)  # type: ignore[call-overload]
        return "–" if self._bench is None or number < 0 else self._bench.values[number]

    @staticmethod
    def _truth(code: object) -> str:
        number = int(code)  # type: ignore[call-overload]
        return tr("no label") if number == NO_LABEL else tr("positive") if number == POSITIVE else tr("negative")

    def _place(self, item: object) -> int:
        assert self._bench is not None
        return int(np.searchsorted(self._bench.documents.key, self._bench.a[int(item)]))  # type: ignore[call-overload]

    def _language(self, item: object) -> str:
        return "" if self._bench is None else language_word(self._bench.documents.language[self._place(item)])

    def _site(self, item: object) -> str:
        return "" if self._bench is None else self._bench.documents.site[self._place(item)]


class ItemList(QFrame):
    """The list with its title. ``opened`` carries the row of an item."""

    opened = Signal(int)
    chosen = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        run = context.actions.run
        self.model = ItemModel(self)
        self.table = Table(self.model, tr("Items"))
        self.title = heading("", 13)
        self.note = label("", 12, role="faint")
        self.review = icon_button(context.theme, tr("Open in Review"), "review", lambda: run("evaluate.review"))
        self.label = icon_button(context.theme, tr("Label these"), "label", lambda: run("evaluate.label"))
        head = row(self.title, self.note, None, self.review, self.label, margins=(14, 6, 8, 6), spacing=10)
        whole_ = column(head, spacing=0, margins=(1, 1, 1, 1))
        whole_.addWidget(self.table, 1)
        self.setLayout(whole_)
        self.setMinimumHeight(88)
        self.table.opened.connect(lambda key: self.opened.emit(int(key)))
        self.table.selected.connect(self.chosen)

    def set_bench(self, bench: ScoredRun) -> None:
        """Show items of another bench."""
        self.model.set_bench(bench)
        self.table.setColumnHidden(1, bench.kind is TargetKind.DOCUMENT)
        for at, there in ((6, any(bench.documents.language)), (7, any(bench.documents.site))):
            self.table.setColumnHidden(at, not there)

    def show_rows(self, rows: Ints, title: str, note: str = "") -> None:
        """Show items under a title."""
        self.title.setText(title)
        self.note.setText(note)
        self.model.show_rows(rows)

    def rows(self) -> list[int]:
        """The items that are selected, else all that are shown."""
        keys = self.table.chosen_keys()
        return [int(key) for key in keys] if keys else self.model.order.tolist()

    def first(self) -> int:
        """The item that is chosen, else the first; -1 in an empty list."""
        keys = self.table.chosen_keys()
        return int(keys[0]) if keys else int(self.model.order[0]) if len(self.model.order) else -1
