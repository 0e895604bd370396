"""Verdicts that carry over to no passage of a run, which can be attached by hand, and lost hand-added passages."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.types import Run
from workbench.project.documents import texts_of
from workbench.project.listing import DocumentItem, ids_of, removed_keys
from workbench.services.review.by_hand import gone
from workbench.services.review.judgement import Judgement
from workbench.services.review.overview import RunColumns, suspects_without, unplaced_in
from workbench.services.review.verdict_index import UnplacedPassage
from workbench.services.session import Session

_EXCERPT = 300
"""Maximum number of characters of a passage that are shown."""


@dataclass(frozen=True, slots=True)
class UnplacedItem:
    """Verdicts without a passage in a run, or a hand-added passage (``added``) whose text is gone;
    with the pair (keys) and the judged texts.
    """

    a: int
    b: int
    unplaced: UnplacedPassage
    a_text: str
    b_text: str
    added: bool = False

    @property
    def judgement(self) -> Judgement:
        """The judgement."""
        return self.unplaced.judgement


def unplaced(session: Session, columns: RunColumns) -> list[UnplacedItem]:
    """The judged passages without a passage in ``columns``, and lost hand-added ones, in order; none in a run that
    compares whole documents.
    """
    if columns.whole:
        return []
    with session.read() as connection:
        ids, removed = ids_of(connection), removed_keys(connection)
        # Undo may have brought back an earlier version.
        keys = {ids[key]: key for key in sorted(ids, key=lambda key: (key not in removed, key))}
        lost = list(unplaced_in(session.verdicts.follow(connection), columns, set(keys)))
        targets = {row.target for row in lost}
        added = [row for row in gone(connection) if row.target not in targets]
        lost += added
        keys |= columns.key_of
        # The judged text, which may not be the current one.
        judged = [(row.keys[0] or keys[row.a], row.keys[1] or keys[row.b]) for row in lost]
        texts = dict(texts_of(connection, sorted({key for pair in judged for key in pair})))
    rows = []
    for row, of in zip(lost, judged, strict=True):
        one, other = (
            texts.get(key, "")[span.start : span.end][:_EXCERPT] for key, span in zip(of, row.spans, strict=True)
        )
        rows.append(UnplacedItem(keys[row.a], keys[row.b], row, one, other, added=row in added))
    return sorted(rows, key=lambda row: (row.unplaced.a, row.unplaced.b, row.unplaced.spans))


def unmatched(session: Session, columns: RunColumns, run: Run) -> list[DocumentItem]:
    """The suspects that ``run`` was applied to without a match among ``columns``, by title."""
    with session.read() as connection:
        return suspects_without(connection, columns, run)
