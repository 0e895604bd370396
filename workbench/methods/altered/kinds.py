"""What was done to a passage, told from the words that correspond."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from numpy.typing import NDArray

from workbench.kernels.altered.pairing import Side
from workbench.kernels.altered.word_pairs import REPLACED, in_order, word_pairs
from workbench.methods.altered.alignment import Passage

LONG = 6
"""Words of a phrase that counts as copied verbatim."""
VERBATIM = 0.95
"""Share of both sides in such phrases from which on a passage is verbatim."""
LIGHTLY = 0.75
"""Share of the suspect's words that stand in the source passage from which on it is lightly changed."""
ORDERED = 0.7
"""Share of the corresponding words that stand in one order on both sides, below which it is shuffled."""


class Kind(IntEnum):
    """What was done to a passage; stored as its number."""

    VERBATIM = 0
    LIGHTLY_CHANGED = 1
    REWORDED = 2
    SHUFFLED = 3
    SUMMARY = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """The kind of a passage, and the share of the suspect's words that correspond to the source's."""

    kind: Kind
    shared: float


def judged(a: Side, b: Side, passage: Passage) -> Judged:
    """What was done to ``passage``."""
    p = passage
    rows = word_pairs(a, b, p.a_start, p.a_end, p.b_start, p.b_end)
    lengths = (rows[:, 2] - rows[:, 1])[rows[:, 0] != REPLACED]
    shared = float(lengths.sum() / (p.a_end - p.a_start))
    return Judged(_kind(p, rows, lengths, shared), shared)


def _kind(p: Passage, rows: NDArray[Any], lengths: NDArray[Any], shared: float) -> Kind:
    if p.summary:
        return Kind.SUMMARY
    long = lengths[lengths >= LONG].sum()
    ordered = in_order(rows, p.b_start, p.b_end)
    if min(long, ordered) >= VERBATIM * max(p.a_end - p.a_start, p.b_end - p.b_start):
        return Kind.VERBATIM
    if ordered < ORDERED * lengths.sum():
        return Kind.SHUFFLED
    return Kind.LIGHTLY_CHANGED if shared >= LIGHTLY else Kind.REWORDED
