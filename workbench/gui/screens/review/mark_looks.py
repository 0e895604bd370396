"""The appearance of differences and marks on words, on both sides and in the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from workbench.base.types import Span
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import difference_words
from workbench.gui.kit.figures import Swatch
from workbench.gui.kit.widgets import ThemeWatch, label, row
from workbench.gui.problems import guarded
from workbench.gui.theme.manager import Theme
from workbench.services.review.differences import Edit
from workbench.services.review.word_marks import MarkSort, WordMark, outside

_LEFT, _RIGHT, _GAP = 14, 12, 14
"""Pixels beside and between the entries."""


class WordLook(NamedTuple):
    """The drawing (a kind of ``kit.cues.draw_difference``) and explanation of a sort of marks."""

    kind: str
    rule: str

    @property
    def words(self) -> str:
        """The name of the sort of marks."""
        return difference_words(self.kind)


def word_look(sort: MarkSort) -> WordLook:
    """The look that distinguishes marks of ``sort``."""
    return {
        MarkSort.PHRASE: WordLook("phrase", tr("Consecutive words that are also consecutive in the other text")),
        MarkSort.WORD: WordLook("word", tr("A single word in both passages")),
        MarkSort.REPLACED: WordLook("replaced", tr("Different words in the same place")),
        MarkSort.NEW: WordLook("inserted", tr("Words that are not in the source passage")),
        MarkSort.LEFT_OUT: WordLook("deleted", tr("Words that are not in the suspect passage")),
    }[sort]


def counts_in_words(marks: Sequence[WordMark]) -> str:
    """The number of marks of each sort."""
    counts = Counter(mark.sort for mark in marks)
    return " · ".join(f"{word_look(sort).words} {counts[sort]:,}" for sort in MarkSort if counts[sort])


@guarded
class WordLegend(QFrame):
    """A sample, a name and a count for each sort of mark, in one line, so that the texts below never move.

    Entries without room are left out; the tooltip names all.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._names = {sort: label("", 12, role="muted", tabular=True) for sort in MarkSort}
        self._entries: dict[MarkSort, QWidget] = {}
        for sort, name in self._names.items():
            look = word_look(sort)
            swatch = Swatch(theme.tokens, difference=look.kind)
            ThemeWatch(swatch, theme, partial(_follow, swatch, theme))
            entry = QWidget()
            entry.setLayout(row(swatch, name, spacing=6))
            entry.setToolTip(look.rule)
            self._entries[sort] = entry
        self.setLayout(row(*self._entries.values(), None, margins=(_LEFT, 1, _RIGHT, 3), spacing=_GAP))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Marks on words"))
        self._wanted = frozenset(MarkSort)
        self.show_marks(None)

    def sizeHint(self) -> QSize:
        """The height of one entry, regardless of which are shown."""
        high = max(entry.sizeHint().height() for entry in self._entries.values())
        return QSize(0, high + 4)

    def text(self) -> str:
        """The whole text of the legend."""
        return " ".join(self._names[sort].text() for sort in MarkSort if sort in self._wanted)

    def show_marks(self, marks: Sequence[WordMark] | None) -> None:
        """Show the counts of ``marks`` by sort; None if unknown."""
        counts = Counter(mark.sort for mark in marks or ())
        self._wanted = frozenset(sort for sort in MarkSort if marks is None or counts[sort])
        for sort, name in self._names.items():
            words = word_look(sort).words
            name.setText(words if marks is None else f"{words} {counts[sort]:,}")
        self.setToolTip("\n".join(name.text() for sort, name in self._names.items() if sort in self._wanted))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - _LEFT - _RIGHT
        for sort, entry in self._entries.items():
            if sort in self._wanted:
                room -= entry.sizeHint().width() + _GAP
            entry.setVisible(sort in self._wanted and room + _GAP >= 0)


def _follow(swatch: Swatch, theme: Theme) -> None:
    swatch.set_tokens(theme.tokens)


Side = list[tuple[int, int, str]]
"""Start, end and kind (see ``kit.cues.draw_difference``)."""


def marked_edits(edits: Sequence[Edit]) -> tuple[Side, Side]:
    """The differences on each side: text only in the suspect was inserted, text only in the source was deleted."""
    return (
        [(*e.a_span, "replaced" if e.kind == "replaced" else "inserted") for e in edits if _some(e.a_span)],
        [(*e.b_span, "replaced" if e.kind == "replaced" else "deleted") for e in edits if _some(e.b_span)],
    )


def marked_words(marks: Sequence[WordMark]) -> tuple[Side, Side]:
    """Marks of each side."""
    looks = [(mark, word_look(mark.sort).kind) for mark in marks]
    return (
        [(*mark.a_span, kind) for mark, kind in looks if mark.a_span is not None],
        [(*mark.b_span, kind) for mark, kind in looks if mark.b_span is not None],
    )


def without_gaps(side: Side, gaps: Sequence[Span]) -> Side:
    """The marks of a side outside the disjoint ``gaps``, whose text has no counterpart."""
    return [(*part, kind) for start, end, kind in side for part in outside([Span(start, end)], gaps)]


def _some(span: Span) -> bool:
    return span.end > span.start
