"""Which passages of a run one verdict is given to at once."""

from __future__ import annotations

import re

import numpy as np

from workbench.base.types import Ints
from workbench.project.documents import texts_of
from workbench.services.review.overview import RunColumns
from workbench.services.review.pairs import text_order
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
    """Rows of the matches of ``suspect`` (key) in the order of its text, from whichever source."""
    rows = columns.rows_of_suspect(suspect)
    return rows[text_order(columns.matches.take(rows))]


def like(session: Session, columns: RunColumns, row: int) -> Ints:
    """Rows of the matches whose suspect has the same passage as match ``row``, but for spaces and line breaks."""
    m = columns.matches
    with session.read() as connection:
        (_, text), *_ = texts_of(connection, [int(m.a[row])])
        wanted = _squeezed(text[int(m.a_start[row]) : int(m.a_end[row])])
        # Spaces aside, equal passages are at least as long as what they have in common.
        near = np.flatnonzero(m.a_end - m.a_start >= len(wanted))
        equal: list[int] = []
        for key, whole in texts_of(connection, np.unique(m.a[near]).tolist()):
            rows = near[m.a[near] == key].tolist()
            equal += [r for r in rows if _squeezed(whole[int(m.a_start[r]) : int(m.a_end[r])]) == wanted]
    return np.sort(np.array(equal, np.int64))


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)
