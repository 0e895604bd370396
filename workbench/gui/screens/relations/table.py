"""The pairs of a run as a table of any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.gui.i18n import tr
from workbench.gui.judging.evidence_words import pair_score_name
from workbench.gui.judging.relation_words import (
    DIRECTION_EVIDENCE,
    decision_steps,
    direction_sentence,
    direction_sign,
    links_word,
    relation_word,
)
from workbench.gui.kit.cards import LEFT, draw_line
from workbench.gui.kit.columns import Column, ColumnsModel, Index, Mask, Values, decimal, whole
from workbench.gui.problems import guarded, restored
from workbench.gui.screens.relations.run import RelationRun, in_order
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme

HOST_ROLE = Qt.ItemDataRole.UserRole + 20
LANGUAGE_ROLE = Qt.ItemDataRole.UserRole + 21
PAGE_ROW = 42
"""Height of a row, logical pixels."""


@guarded
class PageDelegate(QStyledItemDelegate):
    """Draws title and host, one below the other."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row's background as usual and the two lines."""
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        tokens, area = self._theme.tokens, option.rect
        left, width, host = area.left() + 8, area.width() - 14, str(index.data(HOST_ROLE) or "")
        with restored(painter):
            title = font(13, MEDIUM, language=str(index.data(LANGUAGE_ROLE) or ""))
            top = area.top() + (4 if host else (area.height() - 18) // 2)
            draw_line(painter, str(index.data() or ""), title, tokens.text, QRect(left, top, width, 18), LEFT)
            draw_line(painter, host, font(11), tokens.text2, QRect(left, top + 18, width, 16), LEFT)


_PAGES = ("a_title", "b_title")


@guarded
class RelationTable(ColumnsModel):
    """Rows are pairs, keyed by their row in the run's columns; a hundred thousand sort and filter at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._run = RelationRun()
        self._decisions: Sequence[str] = ()
        self.empty: frozenset[str] = frozenset()
        super().__init__(
            (
                Column("a_title", tr("Page A"), self._title),
                Column("direction", tr("Direction"), direction_sign, width=88, tip=tr("From the original to the copy")),
                Column("b_title", tr("Page B"), self._title),
                Column("relation", tr("Relation"), self._relation, width=140),
                Column("resemblance", tr("R"), decimal, True, 70, "–", tr("Resemblance: common share of both")),
                Column("containment", tr("Simpson"), decimal, True, 84, "–", tr("Common share of the smaller text")),
                Column(
                    "score",
                    tr("Score"),
                    decimal,
                    True,
                    96,
                    tip=tr("The method's own, otherwise the sum of its matches' scores"),
                ),
                Column("url_similarity", tr("Address"), decimal, True, 86, "–", tr("Address similarity")),
                Column("links", tr("Links"), self._links, width=76),
                Column("sentences", tr("Sentences"), whole, True, 94, "–", tr("Shared sentences")),
                Column("matches", tr("Matches"), whole, True, 90),
                Column("decision", tr("Decided by"), self._decision, width=420),
            ),
            "row",
            parent,
        )

    @property
    def page_columns(self) -> list[int]:
        """Columns that show a page."""
        return [at for at, column in enumerate(self.columns) if column.name in _PAGES]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; pages with their hosts, directions with their evidence."""
        columns = self._run.columns
        if columns is None or not index.isValid() or index.row() >= len(self.order):
            return super().data(index, role)
        name, row = self.columns[index.column()].name, self.source_row(index.row())
        spoken = role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        if name == "direction" and spoken:
            words = (columns.words.get(part, [""] * len(columns))[row] for part in DIRECTION_EVIDENCE)
            return direction_sentence(*words)
        if name in _PAGES and (spoken or role in (HOST_ROLE, LANGUAGE_ROLE)):
            item = columns.items[int((columns.a if name == "a_title" else columns.b)[row])]
            if role == LANGUAGE_ROLE:
                return item.language
            return item.site if role == HOST_ROLE else "\n".join(filter(None, (item.title or item.id, item.site)))
        return super().data(index, role)

    def hidden(self) -> list[int]:
        """Columns for which no pair of the run has a value."""
        return [at for at, column in enumerate(self.columns) if column.name in self.empty]

    def set_run(self, run: RelationRun, ranked: RankedWords) -> None:
        """Show the pairs of a run; ``ranked`` comes from :func:`ranked_words`."""
        columns = run.columns
        assert columns is not None
        self._run = run
        self._decisions, decision = ranked
        none = np.full(len(columns), np.nan)
        numbers = columns.numbers
        there = [np.nan_to_num(numbers.get(name, none), nan=0.0) > 0 for name in ("link_ab", "link_ba")]
        values: dict[str, Values] = {
            "row": np.arange(len(columns)),
            "a_title": run.title_rank[columns.a],
            "b_title": run.title_rank[columns.b],
            "relation": columns.relation,
            "resemblance": columns.resemblance,
            "containment": columns.containment,
            "score": columns.score,
            "url_similarity": numbers.get("url_similarity", none),
            "links": there[0] + 2 * there[1].astype(np.int8),
            "direction": columns.words.get("direction", [""] * len(columns)),
            "sentences": numbers.get("sentences", none),
            "matches": columns.matches,
            "decision": decision,
        }
        figures = ("resemblance", "containment", "url_similarity", "sentences")
        empty = {name for name in figures if np.isnan(np.asarray(values[name], np.float64)).all()}
        empty |= {name for name in ("links", "matches") if not np.asarray(values[name]).any()}
        empty |= {name for name in ("direction", "decision") if name not in columns.words}
        if columns.relations in ((), ("",)):
            empty.add("relation")
        if np.array_equal(columns.score, columns.resemblance):
            empty.add("score")
        self.empty = frozenset(empty)
        self.set_heading("score", pair_score_name(sums=columns.sums), decimal)
        self.set_values(values)

    def narrow(self, text: str, mask: Mask | None) -> None:
        """Show only pairs in ``mask`` that have a page whose title or site contains ``text``."""
        needle = text.strip().casefold()
        if needle:
            named = np.array([needle in title.casefold() for title in self._run.titles], np.bool_)
            matching = named[np.asarray(self.values("a_title"))] | named[np.asarray(self.values("b_title"))]
            assert self._run.columns is not None
            keys = [key for key, item in self._run.columns.items.items() if needle in item.site.casefold()]
            matching |= np.isin(self._run.columns.a, keys) | np.isin(self._run.columns.b, keys)
            mask = matching if mask is None else matching & mask
        self.set_filter("", mask)

    def _title(self, rank: object) -> str:
        return self._run.titles[int(rank)]  # type: ignore[call-overload]

    def _relation(self, code: object) -> str:
        assert self._run.columns is not None
        return relation_word(self._run.columns.relations[int(code)])  # type: ignore[call-overload]

    @staticmethod
    def _links(code: object) -> str:
        number = int(code)  # type: ignore[call-overload]
        return links_word(bool(number & 1), bool(number & 2))

    def _decision(self, rank: object) -> str:
        if not self._decisions:
            return ""
        return " · ".join(decision_steps(self._decisions[int(rank)]))  # type: ignore[call-overload]


RankedWords = tuple[Sequence[str], Values]
"""The distinct decisions of a run's pairs in order, and the index of each pair's decision."""


def ranked_words(run: RelationRun) -> RankedWords:
    """The decisions of a run's pairs, ranked so that the table sorts numbers; may take a while."""
    assert run.columns is not None
    words = run.columns.words.get("decision")
    if words is None:
        return (), np.zeros(len(run.columns), np.int32)
    different = in_order(set(words))
    place = {word: at for at, word in enumerate(different)}
    return different, np.array([place[word] for word in words], np.int32)
