"""The number of passages with each verdict: a passage counts once, however many matches it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints
from workbench.services.labels.verdicts import PAIR, PASSAGE, values
from workbench.services.review.judgement import CONFLICT, Judgement

VERDICTS: tuple[str, ...] = (*values((*PASSAGE, *PAIR)), CONFLICT)
"""The verdicts on passages and pairs, the gravest first."""
CODES = {value: code for code, value in enumerate(VERDICTS, 1)}
"""The code of each verdict; 0 for none."""
_RANK = np.array([len(VERDICTS) + 1, *range(1, len(VERDICTS)), 0])
"""Rank by code: a conflict on part of a passage is a conflict on the passage."""
_CODE = np.argsort(_RANK)


def passage_counts(passage: Ints, code: NDArray[np.int8], *, partly: bool = False) -> NDArray[np.int32]:
    """The number of passages with each verdict, int32[len(VERDICTS)]; ``passage`` int64[n] and ``code`` int8[n]
    describe matches.

    A passage is judged once all its matches are, or with ``partly`` any; it has the gravest of their verdicts.
    """
    _, of = np.unique(passage, return_inverse=True)
    worst, judged = np.full(len(passage), len(VERDICTS) + 1), np.ones(len(passage), np.bool_)
    np.minimum.at(worst, of.ravel(), _RANK[code])
    np.logical_and.at(judged, of.ravel(), code > 0)
    codes = _CODE[worst[(judged | partly) & (worst <= len(VERDICTS))]]
    counts: NDArray[np.int32] = np.bincount(codes - 1, minlength=len(VERDICTS)).astype(np.int32)
    return counts


def passage_tally(passage: Ints, judgements: Sequence[Judgement | None], *, partly: bool) -> dict[str, int]:
    """Like :func:`passage_counts`, by verdict, without zero counts; ``judgements`` are those of the matches."""
    code = np.array([0 if one is None else CODES.get(one.value, 0) for one in judgements], np.int8)
    counts = passage_counts(passage, code, partly=partly)
    return {value: count for value, count in zip(VERDICTS, counts.tolist(), strict=True) if count}
