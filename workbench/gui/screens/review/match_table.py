"""All matches of a run as a table of any length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon

from workbench.base.types import Ints, Tier
from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, ColumnsModel, Index, decimal, whole
from workbench.gui.kit.cues import tier_look
from workbench.gui.problems.guard import guarded
from workbench.services.review.overview import Judged, RunColumns
from workbench.services.review.tallies import VERDICTS


@guarded
class MatchTable(ColumnsModel):
    """Rows are matches; columns are numpy arrays, so that a million sort and filter at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._titles: list[str] = []
        self._verdict_looks: list[tuple[str, QIcon]] = []
        self._common_from = 0
        tiers = [tier_look(tier).words for tier in Tier]
        super().__init__(
            (
                Column("a_title", tr("Suspect"), lambda v: self._titles[int(v)], width=200),
                Column("a_start", tr("From"), whole, numeric=True, width=72),
                Column("b_title", tr("Source"), lambda v: self._titles[int(v)], width=200),
                Column("b_start", tr("From"), whole, numeric=True, width=72),
                Column("length", tr("Characters"), whole, numeric=True, width=92),
                Column("score", tr("Score"), decimal, numeric=True, width=72),
                Column("resemblance", tr("Resemblance"), decimal, numeric=True, width=110, blank="–"),
                Column("containment", tr("Containment"), decimal, numeric=True, width=110, blank="–"),
                Column("tier", tr("Kind"), lambda v: tiers[int(v)], width=150),
                Column(
                    "others",
                    tr("Elsewhere"),
                    self._elsewhere,
                    numeric=True,
                    width=104,
                    blank="…",
                    tip=tr("How many other documents of the project hold the text, too"),
                ),
                Column("verdict", tr("Verdict"), lambda v: self._verdict_looks[int(v) - 1][0] if v else "", width=112),
            ),
            "row",
            parent,
        )
        self._columns: RunColumns | None = None
        self._rank_of: dict[int, int] = {}
        self._text = ""
        self._threshold = -np.inf
        self._only: NDArray[np.int64] | None = None

    def hidden(self, *, whole: bool) -> list[int]:
        """Columns without a meaning where passages, or else (``whole``) whole documents, are listed."""
        without = ("a_start", "b_start", "length", "tier", "others") if whole else ("resemblance", "containment")
        return [at for at, column in enumerate(self.columns) if column.name in without]

    def set_columns(self, columns: RunColumns) -> None:
        """Show the matches of a run."""
        self._columns = columns
        m = columns.matches
        none = np.full(len(m), np.nan, np.float32)
        keys = sorted(columns.items, key=lambda k: columns.title(k).casefold())
        self._titles = [columns.title(k) for k in keys]
        self._rank_of = {key: rank for rank, key in enumerate(keys)}
        ranks = np.zeros(max(columns.items, default=0) + 1, np.int32)
        for key, rank in self._rank_of.items():
            ranks[key] = rank
        self.set_values(
            {
                "row": np.arange(len(m)),
                "a_title": ranks[m.a],
                "b_title": ranks[m.b],
                "a_start": m.a_start,
                "b_start": m.b_start,
                "length": m.a_end - m.a_start,
                "score": m.score,
                "tier": m.tier,
                "resemblance": m.evidence["resemblance"] if columns.whole else none,
                "containment": m.evidence["containment"] if columns.whole else none,
                "others": none,
                "verdict": np.zeros(len(m), np.int8),
            }
        )
        self.narrow(self._text, self._threshold)

    def show_others(self, counts: Ints) -> None:
        """Show how many other documents hold the text of each match, int64[n]."""
        self.set_column("others", counts)

    def show_common_from(self, count: int) -> None:
        """Call a match a common phrase where more than ``count`` other documents hold its text."""
        if count != self._common_from:
            self._common_from = count
            self.set_column("others", self.values("others"))

    def _elsewhere(self, count: Any) -> str:
        words = whole(count)
        return tr("common · {count}", count=words) if count > self._common_from else words

    def show_verdicts(self, judged: Judged, looks: Mapping[str, tuple[str, QIcon]]) -> None:
        """Show the verdicts on matches; ``looks`` gives each value its words and icon, in the order of sorting."""
        self._verdict_looks = list(looks.values())
        place = {value: at for at, value in enumerate(looks, 1)}
        by_code = np.array([0, *(place.get(value, 0) for value in VERDICTS)], np.int8)
        self.set_column("verdict", by_code[judged.code])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; a verdict has its icon beside the words."""
        if role == Qt.ItemDataRole.DecorationRole:
            if index.isValid() and index.row() < len(self.order) and self.columns[index.column()].name == "verdict":
                code = int(self.values("verdict")[self.source_row(index.row())])
                return self._verdict_looks[code - 1][1] if code else None
            return None
        return super().data(index, role)

    def is_narrowed(self, text: str, threshold: float) -> bool:
        """Whether :meth:`narrow` with the same was the last."""
        return (text.strip().casefold(), threshold) == (self._text, self._threshold)

    def narrow_to(self, rows: NDArray[np.int64] | None) -> None:
        """Only the matches in ``rows`` (None: all) of those that text and threshold leave."""
        before = self._only
        same = rows is before or (rows is not None and before is not None and np.array_equal(rows, before))
        if not same:
            self._only = rows
            self.narrow(self._text, self._threshold)

    def narrow(self, text: str, threshold: float) -> None:
        """Only matches with a document whose title holds ``text``, scoring at least ``threshold``."""
        self._text, self._threshold = text.strip().casefold(), threshold
        if self._columns is None:
            return
        mask: NDArray[np.bool_] = self._columns.above(threshold)
        if self._only is not None:
            mask &= np.isin(np.arange(len(mask)), self._only)
        if self._text:
            named = np.array([self._text in title.casefold() for title in self._titles], np.bool_)
            mask &= named[np.asarray(self.values("a_title"))] | named[np.asarray(self.values("b_title"))]
        self.set_filter("", mask)
