"""Trend words: how much more often a document's words are in others of the same week than in earlier ones.

Takeda and Takasu (2009, section 7) leave current words to later work. They need documents with dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document, Floats
from workbench.methods.core.collection import load_arrays, save_arrays
from workbench.methods.core.tokenising import Tokenised

RECENT = 7.0
"""Days up to a document's own time that are recent to it."""
_PRIOR = 0.5


def days(documents: Sequence[Document]) -> Floats:
    """When each was published, in days since 1970; NaN if that is unknown or no date."""
    return np.array([_day(document.published) for document in documents], np.float64)


def _day(published: str) -> float:
    try:
        when = datetime.fromisoformat(published)
    except ValueError:
        return float("nan")
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() / 86400


@dataclass(frozen=True, slots=True)
class Trends:
    """``dates``: of the d dated documents, ascending; ``words``: their different tokens, ascending; ``uses`` int64,
    ascending: number of a token x (d + 1) + rank of a date, for each document that has the token.
    """

    dates: Floats
    words: NDArray[np.uint64]
    uses: NDArray[np.int64]

    @classmethod
    def of(cls, batches: Iterable[tuple[Tokenised, Floats]]) -> Trends:
        """Of documents with their :func:`days`."""
        dates: list[Floats] = [np.zeros(0)]
        own: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
        when: list[Floats] = [np.zeros(0)]
        for tokens, times in batches:
            dates.append(times[np.isfinite(times)])
            for document in np.flatnonzero(np.isfinite(times)).tolist():
                own.append(_distinct(tokens, document))
                when.append(np.full(len(own[-1]), times[document]))
        ordered = np.sort(np.concatenate(dates))
        words, number = np.unique(np.concatenate(own), return_inverse=True)
        rank = np.searchsorted(ordered, np.concatenate(when))
        return cls(ordered, words, np.sort(number * (len(ordered) + 1) + rank).astype(np.int64))

    def save(self, folder: Path) -> None:
        """Write it, one file for each array."""
        save_arrays(folder, {f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, folder: Path) -> Trends:
        """Open what was saved. Raises UserError if it is damaged."""
        arrays, _ = load_arrays(folder, [f.name for f in fields(cls)])
        return cls(**arrays)

    def scores(self, tokens: Tokenised, times: Floats) -> list[float]:
        """Of each document, one of the collection: the mean over its different tokens of how much more often other
        documents of the last :data:`RECENT` days have it than earlier ones, as the logarithm of the ratio of shares, 0
        if less often; 0 for a document without a date.
        """
        return [
            self._score(_distinct(tokens, document), time) if np.isfinite(time) else 0.0
            for document, time in enumerate(times.tolist())
        ]

    def _score(self, own: NDArray[np.uint64], time: float) -> float:
        own = own[np.isin(own, self.words, assume_unique=True)]
        if not len(own):
            return 0.0
        first = np.searchsorted(self.words, own) * (len(self.dates) + 1)
        since = int(np.searchsorted(self.dates, time - RECENT))
        after = int(np.searchsorted(self.dates, time, "right"))
        begin, early, late = (np.searchsorted(self.uses, first + rank) for rank in (0, since, after))
        # without the document itself
        recent = (np.maximum(late - early - 1, 0) + _PRIOR) / (max(after - since - 1, 0) + 2 * _PRIOR)
        before = (early - begin + _PRIOR) / (since + 2 * _PRIOR)
        return float(np.maximum(0.0, np.log(recent / before)).mean())


def _distinct(tokens: Tokenised, document: int) -> NDArray[np.uint64]:
    return np.unique(tokens.values[tokens.bounds[document] : tokens.bounds[document + 1]])
