"""The suspects of a run on either side of a match: if two suspects match, both are listed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints
from workbench.project.documents import texts_of
from workbench.services.review.judgement import VERDICTS, passage_counts
from workbench.services.review.overview import Overview, RunColumns
from workbench.services.review.pairs import PairRow, SuspectRow, pairs, text_order
from workbench.services.review.passages import passages
from workbench.services.review.verdict_index import VerdictIndex
from workbench.services.session import Session

_SPACE = re.compile(r"\s+")


def below(columns: RunColumns, threshold: float) -> Ints:
    """Rows of the matches that score less than ``threshold``."""
    return np.flatnonzero(columns.matches.score < threshold)


def of_source(columns: RunColumns, source: int, suspect: int | None = None) -> Ints:
    """Rows of the matches of ``source`` (key), of every suspect or of one."""
    if suspect is not None:
        return columns.rows_of(suspect, source)
    return np.flatnonzero(columns.matches.b == source)


def of_suspect(columns: RunColumns, suspect: int) -> Ints:
    """Rows of the matches of ``suspect`` (key) in the order of its text, from any source."""
    rows = columns.rows_of_suspect(suspect)
    return rows[text_order(columns.matches.take(rows))]


def like(session: Session, columns: RunColumns, row: int) -> Ints:
    """Rows of the matches whose suspect has the same passage as match ``row``, ignoring spaces and line breaks."""
    m = columns.matches
    with session.read() as connection:
        (_, text), *_ = texts_of(connection, [int(m.a[row])])
        wanted = _without_spaces(text[int(m.a_start[row]) : int(m.a_end[row])])
        # Ignoring spaces, equal passages are at least as long as their common text.
        near = np.flatnonzero(m.a_end - m.a_start >= len(wanted))
        equal: list[int] = []
        for key, whole in texts_of(connection, np.unique(m.a[near]).tolist()):
            rows = near[m.a[near] == key].tolist()
            equal += [r for r in rows if _without_spaces(whole[int(m.a_start[r]) : int(m.a_end[r])]) == wanted]
    return np.sort(np.array(equal, np.int64))


def _without_spaces(text: str) -> str:
    return _SPACE.sub("", text)


def rows_of_either(columns: RunColumns, suspect: int) -> Ints:
    """Rows of the matches with ``suspect`` (key): as the first document, in the order of its text, then as the second
    in pairs compared only that way.
    """
    rows = of_suspect(columns, suspect)
    own = np.unique(columns.matches.b[rows])
    others = np.flatnonzero(columns.matches.b == suspect)
    return np.concatenate((rows, others[~np.isin(columns.matches.a[others], own)]))


def numbered_parts(columns: RunColumns, suspect: int, rows: Ints) -> list[tuple[int, int, int]]:
    """The ``rows`` of ``suspect`` (key) with the number of each one's passage, in the order of the first parts, and of
    the part in it, both from 1. Pairs of whole documents are passages by themselves.
    """
    own, seen = columns.seen_from(suspect)
    passage = np.arange(len(own)) if columns.whole else passages(seen)
    of = dict(zip(own.tolist(), passage.tolist(), strict=True))
    numbers: dict[int, int] = {}
    parts: dict[int, int] = {}
    result = []
    for row in rows.tolist():
        number = numbers.setdefault(of.get(row, -1 - row), len(numbers) + 1)
        parts[number] = parts.get(number, 0) + 1
        result.append((number, parts[number], row))
    return result


def pairs_of_suspect(session: Session, run_id: int, suspect: int) -> list[PairRow]:
    """The pairs of the run with ``suspect`` (key) on either side, from its side, best score first."""
    own = pairs(session, run_id, suspect)
    partners = {suspect, *(row.b for row in own)}
    others = [row.from_other_side() for row in pairs(session, run_id, source_key=suspect) if row.a not in partners]
    return sorted([*own, *others], key=lambda row: (-row.score, -row.coverage_a, row.b))


def listed_suspects(session: Session, overview: Overview) -> list[SuspectRow]:
    """The suspects with passages in the run of ``overview``, best score first.

    ``passages``, ``matches``, ``sources`` and ``verdicts`` of a suspect cover both sides; two suspects compared in both
    directions count once.
    """
    columns, judged = overview.columns, overview.judged
    if columns is None or judged is None:
        return []
    with session.read() as connection:
        index = session.verdicts.follow(connection)
    return [_counted(row, columns, judged.code, index) for row in overview.suspects]


def _counted(row: SuspectRow, columns: RunColumns, code: NDArray[np.int8], index: VerdictIndex) -> SuspectRow:
    rows, seen = columns.seen_from(row.key)
    passage = np.arange(len(rows)) if columns.whole else passages(seen)
    counts = passage_counts(passage, code[rows])
    verdicts = {value: count for value, count in zip(VERDICTS, counts.tolist(), strict=True) if count}
    return replace(row, passages=len(np.unique(passage)), verdicts=verdicts, decision=index.suspect(row.id, row.key))
