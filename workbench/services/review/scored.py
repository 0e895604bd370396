"""The documents that a run scored by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.types import DocumentScore
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
