"""What was done to a passage, told from the words that correspond."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.altered.pairing import WordPositions
from workbench.kernels.altered.passages import top_run
from workbench.kernels.altered.word_pairs import REPLACED, in_order
from workbench.methods.altered.passage import WordPassage
from workbench.methods.core.kinds import CopyKind

OTHER = 0.25
"""What a word at the limits of the source's side costs that the suspect's has not, where one that it has counts 1."""
END = 3.0
"""What an end of it costs where no sentence ends."""
LONG = 6
"""Words of a phrase that counts as copied verbatim."""
VERBATIM = 0.95
"""Share of both sides in such phrases from which on a passage is verbatim."""
LIGHTLY = 0.75
"""Share of the suspect's words that occur in the source passage from which on it is lightly changed."""
ORDERED = 0.7
"""Share of the corresponding words in the same order on both sides, below which it is shuffled."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The kind of a passage, and the share of the suspect's words that correspond to the source's."""

    kind: CopyKind
    shared: float


def narrowed(b: WordPositions, passage: WordPassage, rows: NDArray[np.int32]) -> WordPassage:
    """``passage``, of these ``word_pairs``, with the source's side as the best run of its words.

    A word counts 1 where it corresponds to one of the suspect's, 0 where it was replaced, -OTHER else; an end counts
    -END where no sentence ends.

    A summary is drawn from all over its source passage, and stays as it is.
    """
    p = passage
    if p.summary:
        return p
    worth = np.full(len(b.words), -OTHER)
    for sort, _, _, first, last in rows.tolist():
        worth[first:last] = 0.0 if sort == REPLACED else 1.0
    nothing = np.zeros(len(b.words), np.bool_)
    _, start, end = top_run(worth, p.b_start, p.b_end, b.breaks, END, np.inf, nothing)
    return replace(p, b_start=int(start), b_end=int(end)) if end - start >= 3 else p


def judged(p: WordPassage, rows: NDArray[np.int32]) -> Judged:
    """What was done to a passage of these ``word_pairs``."""
    lengths = (rows[:, 2] - rows[:, 1])[rows[:, 0] != REPLACED]
    shared = float(lengths.sum() / (p.a_end - p.a_start))
    return Judged(_kind(p, rows, lengths, shared), shared)


def _kind(p: WordPassage, rows: NDArray[Any], lengths: NDArray[Any], shared: float) -> CopyKind:
    if p.summary:
        return CopyKind.SUMMARY
    long = lengths[lengths >= LONG].sum()
    ordered = in_order(rows, p.b_start, p.b_end)
    if min(long, ordered) >= VERBATIM * max(p.a_end - p.a_start, p.b_end - p.b_start):
        return CopyKind.VERBATIM
    if ordered < ORDERED * lengths.sum():
        return CopyKind.SHUFFLED
    return CopyKind.LIGHTLY_CHANGED if shared >= LIGHTLY else CopyKind.REWORDED
