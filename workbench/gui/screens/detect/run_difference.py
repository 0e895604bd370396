"""Comparison of two runs: passages that appeared, disappeared, or are in both."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from workbench.base.types import Matches, Run
from workbench.gui.i18n import tr
from workbench.gui.judging.evidence_words import score_column
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.columns import Column, ColumnsModel, decimal
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, column, heading, label, line, panel, row
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.review.visible import visible

_Place = tuple[int, int, int, int, int, int]
_SHOWN = 120
"""Number of characters of a passage in its row."""


def _place(span: tuple[int, int]) -> str:
    return f"{span[0]:,}–{span[1]:,}"


class RunDifferenceDialog(QDialog):
    """A table of passages, switched between the three kinds; Enter opens one in Review."""

    def __init__(self, context: AppContext, first: Run, second: Run, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._first, self._second = context, first, second
        self._comparison: queries.Comparison | None = None
        self.setWindowTitle(tr("Compare runs"))
        self.resize(1120, 600)
        self.model = ColumnsModel(
            [
                Column("suspect", tr("Document")),
                Column("a", tr("Characters"), _place, numeric=True, width=130),
                Column("source", tr("Source")),
                Column("b", tr("Characters"), _place, numeric=True, width=130),
                Column("score", tr("Score"), decimal, numeric=True, width=96),
                Column("verdict", tr("Verdict"), lambda v: state_words(v)[0] if v else "", width=110),
                Column("text", tr("Text"), self._text, width=260),
            ],
            "key",
            self,
        )
        self.table = Table(self.model, tr("Passages"), many=False)
        self.table.opened.connect(self._open)
        self.chips: dict[str, QPushButton] = {}
        chips = row(spacing=6)
        for key, word in self._words().items():
            self.chips[key] = button(word, partial(self.show_kind, key), kind="chip")
            chips.addWidget(self.chips[key])
        title = tr(
            "Run {first} ({m1}) against run {second} ({m2})",
            first=first.id,
            m1=f"{first.method} {first.version}",
            second=second.id,
            m2=f"{second.method} {second.version}",
        )
        self.state = label(tr("Comparing…"), 12, role="muted")
        frame, inner = panel()
        inner.addLayout(row(chips, None, self.state, margins=(12, 8, 14, 8)))
        inner.addWidget(line())
        inner.addWidget(self.table, 1)
        inner.setContentsMargins(1, 0, 1, 1)
        whole = column(heading(title), spacing=12, margins=(16, 14, 16, 14))
        whole.addWidget(frame, 1)
        whole.addLayout(
            row(
                label(tr("Verdicts belong to passages and are kept, whichever run shows them."), 12, role="faint"),
                None,
                button(tr("Close"), self.accept),
            )
        )
        self.setLayout(whole)
        # It holds the texts of all suspects.
        self.finished.connect(self.deleteLater)
        context.background(queries.comparison(first.id, second.id), self._show, failed=self._refuse)

    @staticmethod
    def _words() -> dict[str, str]:
        return {"appeared": tr("Appeared"), "vanished": tr("Vanished"), "common": tr("In both")}

    def _show(self, comparison: queries.Comparison) -> None:
        self._comparison = comparison
        for key, word in self._words().items():
            self.chips[key].setText(f"{word}  {len(getattr(comparison, key)):,}")
        self.show_kind(next((k for k in self.chips if len(getattr(comparison, k))), "appeared"))

    def _refuse(self, error: Exception) -> None:
        self.state.setText(tr("The runs could not be compared. Select them again."))
        self._context.show_error(error)

    def show_kind(self, kind: str) -> None:
        """List "appeared", "vanished" or "common" passages."""
        for key, chip in self.chips.items():
            chip.setChecked(key == kind)
        if self._comparison is None:
            return
        rows: Matches = getattr(self._comparison, kind)
        ids = self._comparison.ids
        verdicts = self._comparison.verdicts[list(self._words()).index(kind)]
        run = self._first.id if kind == "vanished" else self._second.id
        self.model.set_heading("score", *score_column(rows.evidence))
        self.model.set_values(
            {
                "key": [(run, *place) for place in _places(rows)],
                "suspect": [ids.get(int(k), "") for k in rows.a],
                "a": list(zip(rows.a_start.tolist(), rows.a_end.tolist(), strict=True)),
                "source": [ids.get(int(k), "") for k in rows.b],
                "b": list(zip(rows.b_start.tolist(), rows.b_end.tolist(), strict=True)),
                "score": rows.score,
                "verdict": verdicts,
                "text": _places(rows),
            }
        )
        self.state.setText(tr("Enter opens a passage in Review") if len(rows) else tr("There are none."))

    def _text(self, place: _Place) -> str:
        """The beginning of a passage, on one line."""
        text = "" if self._comparison is None else self._comparison.texts.get(place[0], "")
        passage = text[place[2] : min(place[3], place[2] + _SHOWN)]
        return " ".join(visible(passage).split()) + "…" * (place[3] - place[2] > _SHOWN)

    def _open(self, key: tuple[int, int, int, int, int, int, int]) -> None:
        self.accept()
        run, a, b, *limits = key
        self._context.open_passage(run, a, b, (limits[0], limits[1], limits[2], limits[3]))


def _places(rows: Matches) -> list[_Place]:
    """Keys of suspect and source, and start and end on both sides, for each of ``rows``."""
    columns = (rows.a, rows.b, rows.a_start, rows.a_end, rows.b_start, rows.b_end)
    return list(zip(*(column.tolist() for column in columns), strict=True))
