"""The documents a run scored, as a table of any length."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from workbench.base.types import DocumentScore
from workbench.gui.i18n import tr
from workbench.gui.models.columns import Column, ColumnsModel, whole
from workbench.project.listing import DocumentItem, items_of
from workbench.project.scores import scores_of
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of a run, highest first, with the documents they are of."""

    scores: tuple[DocumentScore, ...]
    items: dict[int, DocumentItem]

    def by_key(self, key: int) -> DocumentScore | None:
        """The score of the document ``key``."""
        return next((s for s in self.scores if s.document == key), None)


def read_scored(session: Session, run_id: int) -> Scored:
    """All documents that run ``run_id`` scored."""
    with session.read() as connection:
        scores = sorted(scores_of(connection, run_id), key=lambda s: (-s.score, s.document))
        return Scored(tuple(scores), items_of(connection, [s.document for s in scores]))


class ScoreTable(ColumnsModel):
    """Rows are documents; the key of a row is the document's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("title", tr("Title"), width=0),
                Column("language", tr("Language"), width=90),
                Column("length", tr("Length"), whole, numeric=True, width=90),
                Column("score", tr("Score"), score_words, numeric=True, width=100),
            ),
            "key",
            parent,
        )

    def set_scored(self, scored: Scored) -> None:
        """Show ``scored``, highest first until sorted otherwise."""
        items = [scored.items[s.document] for s in scored.scores]
        self.set_values(
            {
                "key": [s.document for s in scored.scores],
                "title": [item.title or item.id for item in items],
                "language": [item.language for item in items],
                "length": [item.length for item in items],
                "score": [s.score for s in scored.scores],
            },
            ("title",),
        )


def score_words(value: float) -> str:
    """A score: three decimals where it is small, else whole."""
    return f"{value:,.3f}" if value < 10 and value != round(value) else f"{value:,.0f}"
