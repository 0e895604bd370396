"""The suspects of a run on whichever side of a match they stand: of two suspects that match, both are listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, B, stretches
from workbench.base.types import Ints, Role
from workbench.project.listing import DocumentItem, keys_of_role
from workbench.services.review.coverage import share
from workbench.services.review.overview import Overview, RunColumns
from workbench.services.review.pairs import PairRow, SuspectRow, pairs
from workbench.services.review.passages import passages, places_of
from workbench.services.review.selecting import of_suspect
from workbench.services.review.spans import union
from workbench.services.review.tallies import VERDICTS, passage_counts
from workbench.services.session import Session


def rows_of_either(columns: RunColumns, suspect: int) -> Ints:
    """Rows of the matches in which ``suspect`` (key) stands: as the first document, in the order of its text, then as
    the second in those of the pairs that were compared that way alone.
    """
    rows = of_suspect(columns, suspect)
    own = np.unique(columns.matches.b[rows])
    others = np.flatnonzero(columns.matches.b == suspect)
    return np.concatenate((rows, others[~np.isin(columns.matches.a[others], own)]))


def pairs_of_suspect(session: Session, run_id: int, suspect: int) -> list[PairRow]:
    """The pairs of the run in which ``suspect`` (key) stands on either side, seen from it, best score first."""
    own = pairs(session, run_id, suspect)
    partners = {suspect, *(row.b for row in own)}
    others = [row.from_other_side() for row in pairs(session, run_id, source_key=suspect) if row.a not in partners]
    return sorted([*own, *others], key=lambda row: (-row.score, row.b))


def listed_suspects(session: Session, overview: Overview) -> list[SuspectRow]:
    """The suspects with passages in the run of ``overview``, best score first.

    ``passages``, ``matches``, ``sources`` and ``verdicts`` of a suspect are of both sides, those of two suspects that
    were compared both ways once.
    """
    columns, judged = overview.columns, overview.judged
    if columns is None or judged is None:
        return []
    with session.read() as connection:
        keys = set(keys_of_role(connection, Role.SUSPECT))
        index = session.verdicts.follow(connection)
    known = {row.key: row for row in overview.suspects}
    second = sorted((set(np.unique(columns.matches.b).tolist()) & keys) - known.keys())
    rows = []
    for key in (*known, *second):
        item, chosen = columns.items[key], rows_of_either(columns, key)
        row = known.get(key) or _empty(item)
        rows.append(replace(_counted(row, columns, judged.code, chosen), decision=index.suspect(item.id)))
    return sorted(rows, key=lambda row: (-row.score, row.key))


def _empty(item: DocumentItem) -> SuspectRow:
    return SuspectRow(item.key, item.id, item.title, item.language, item.length, item.published, 0.0, 0.0, 0, 0, 0)


def _counted(row: SuspectRow, columns: RunColumns, code: NDArray[np.int8], chosen: Ints) -> SuspectRow:
    """``row`` with what the ``chosen`` matches count; of whole documents the share is known of the first one alone."""
    matches = places_of(columns.matches).take(chosen)
    first = matches.a == row.key
    ours, theirs = matches.take(first), matches.take(~first)
    passage = np.arange(len(matches)) if columns.whole else passages(matches)
    counts = passage_counts(passage, code[chosen])
    coverage, longest = row.coverage, row.longest
    if not columns.whole:
        own, other = stretches(ours, A), stretches(theirs, B)
        together = union(np.concatenate((own.start, other.start)), np.concatenate((own.end, other.end)))
        coverage = share(int((together.end - together.start).sum()), row.length)
        longest = int(np.concatenate((ours.a_end - ours.a_start, theirs.b_end - theirs.b_start)).max())
    return replace(
        row,
        score=float(matches.score.max()),
        coverage=coverage,
        longest=longest,
        matches=len(matches),
        passages=len(np.unique(passage)),
        sources=len(np.union1d(ours.b, theirs.a)),
        verdicts={value: count for value, count in zip(VERDICTS, counts.tolist(), strict=True) if count},
    )
