"""The kind of change of a passage, from corresponding words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.altered.pairing import WordPositions
from workbench.kernels.altered.passages import top_run
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, in_order
from workbench.methods.altered.passage import WordPassage, union, without, without_edge_holes
from workbench.methods.core.figures import CopyKind

OTHER = 0.25
"""Cost of a word at the edges of the source's side that is not in the suspect, relative to 1 for a shared word."""
END = 3.0
"""Cost of an edge that is not at the end of a sentence."""
FRAGMENT = 12
"""Maximum number of words of a sentence dropped at the limits of the suspect's side if they come from elsewhere."""
CUT = 24
"""The same for the part of a sentence that the passage cuts in two."""
LONG = 6
"""Minimum words of a phrase that counts as copied verbatim."""
VERBATIM = 0.95
"""Share of both sides in such phrases from which the passage is verbatim."""
LIGHTLY = 0.75
"""Share of the suspect's words that occur in the source passage from which it is lightly changed."""
OWN = 0.3
"""Share of a sentence's words in phrases of the source below which it may be the writer's own."""
KNOWN = 0.4
"""Share of the surprisal of its words, in those that the source uses thereabouts, below which a sentence of ..."""
SENTENCE = 6
"""... at least as many words is the writer's own, whatever the source has in its place."""
THEREABOUTS = 60
"""Number of words of the source before and after its side of a passage that count as there."""
RAREST = 1e-4
"""Least share of a word in the source's language: rarer ones weigh no more."""
ORDERED = 0.7
"""Share of the corresponding words in the same order on both sides, below which it is shuffled."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The kind of a passage, and the share of the suspect's words that correspond to the source's."""

    kind: CopyKind
    shared: float


def narrowed(b: WordPositions, passage: WordPassage, rows: NDArray[np.int32]) -> WordPassage:
    """``passage``, with these ``word_pairs``, with the source's side reduced to the best run of its words.

    A word counts 1 if it corresponds to one of the suspect's, 0 if it was replaced, otherwise -OTHER; an edge counts
    -END if no sentence ends there. Lines at its limits without corresponding words are dropped, as are holes there.

    Summaries, which use words from all of their source passage, are unchanged.
    """
    p = passage
    if p.summary:
        return p
    worth = np.full(len(b.words), -OTHER)
    for sort, _, _, first, last in rows.tolist():
        worth[first:last] = 0.0 if sort == REPLACED else 1.0
    nothing = np.zeros(len(b.words), np.bool_)
    _, start, end = top_run(worth, p.b_start, p.b_end, b.breaks, END, np.inf, nothing)
    start, end, holes = without_edge_holes(p.b_holes, *_with_pairs(b, rows, int(start), int(end)))
    return replace(p, b_start=start, b_end=end, b_holes=holes) if end - start >= 3 else p


def _with_pairs(b: WordPositions, rows: NDArray[np.int32], start: int, end: int) -> tuple[int, int]:
    """[start, end) of the source from the line of its first corresponding word to that of its last."""
    own = rows[(rows[:, 0] != REPLACED) & (rows[:, 4] > start) & (rows[:, 3] < end)]
    if not len(own):
        return start, end
    first, last = max(start, int(own[:, 3].min())), min(end, int(own[:, 4].max()))
    before = np.flatnonzero(b.breaks[start + 1 : first + 1] > 0)
    after = np.flatnonzero(b.breaks[last:end] > 0)
    return start + 1 + int(before[-1]) if len(before) else start, last + int(after[0]) if len(after) else end


def without_own_fragments(a: WordPositions, p: WordPassage, rows: NDArray[np.int32]) -> WordPassage:
    """``p``, with these ``word_pairs``, without the writer's own short sentences, lines and fragments at its limits.

    These are at most FRAGMENT words, of which less than half are in the source next to the counterpart of the adjacent
    sentence: a heading or list item above a copied paragraph, or the end of the sentence before it. They were included
    because their words occur elsewhere in the source's passage. Summaries are unchanged.
    """
    if p.summary:
        return p
    bounds = [p.a_start, *(p.a_start + 1 + np.flatnonzero(a.breaks[p.a_start + 1 : p.a_end] > 0)).tolist(), p.a_end]
    first, last = 0, len(bounds) - 1
    while last - first > 1 and _is_own(rows, bounds[first], bounds[first + 1], a.breaks[bounds[first]], forwards=False):
        first += 1
    while last - first > 1 and _is_own(rows, bounds[last - 1], bounds[last], a.breaks[bounds[last]], forwards=True):
        last -= 1
    start, end = bounds[first], bounds[last]
    if (start, end) == (p.a_start, p.a_end) or 2 * (end - start) <= p.a_end - p.a_start:
        return p
    kept = without(replace(p, a_start=start, a_end=end), ())
    return kept if kept.a_start < kept.a_end else p


def _is_own(rows: NDArray[np.int32], start: int, end: int, edge: float, *, forwards: bool) -> bool:
    """Whether the words [start, end) of the suspect do not continue the passage before (``forwards``) or after them.

    ``edge``: the separator at their far end; 0 where a sentence was cut.
    """
    size = end - start
    if size > (FRAGMENT if edge else CUT):
        return False
    phrases = rows[rows[:, 0] == PHRASE]
    if forwards:
        # A phrase that begins before the words may continue into them.
        size_before = np.minimum(phrases[:, 2], start) - phrases[:, 1]
        beside = phrases[(size_before >= LONG) & (phrases[:, 2] >= start - 1)]
        low = int(beside[-1, 3] + min(beside[-1, 2], start) - beside[-1, 1]) if len(beside) else 0
        high = low + 2 * size + 1
    else:
        size_behind = phrases[:, 2] - np.maximum(phrases[:, 1], end)
        beside = phrases[(size_behind >= LONG) & (phrases[:, 1] <= end + 1)]
        high = int(beside[0, 3] + max(beside[0, 1], end) - beside[0, 1]) if len(beside) else 0
        low = high - 2 * size - 1
    pairs = rows[(rows[:, 0] != REPLACED) & (rows[:, 1] < end) & (rows[:, 2] > start)]
    first, last = np.maximum(pairs[:, 1], start), np.minimum(pairs[:, 2], end)
    b_first, b_last = pairs[:, 3] + first - pairs[:, 1], pairs[:, 4] - (pairs[:, 2] - last)
    near = (b_first >= low) & (b_last <= high)
    return bool(len(beside)) and 2 * int((last - first)[near].sum()) < size


def with_insertions(
    a: WordPositions, b: WordPositions, p: WordPassage, rows: NDArray[np.int32], shares: NDArray[np.float64]
) -> WordPassage:
    """``p``, with these ``word_pairs``, with further holes: the writer's own sentences between copied ones.

    Less than OWN of their words are in phrases of the source, and the source has less than half as many words between
    the counterparts of their neighbours, or the words that it uses there have less than KNOWN of their surprisal, by
    the ``shares`` (0 to 1) of the words of both texts in its language. Such words are common, so that the votes may sum
    to more than -HOLE.
    """
    if p.summary:
        return p
    bounds = [p.a_start, *(p.a_start + 1 + np.flatnonzero(a.breaks[p.a_start + 1 : p.a_end] > 0)).tolist(), p.a_end]
    phrases = rows[rows[:, 0] == PHRASE]
    copied = np.zeros(p.a_end + 1, np.int64)
    for _, first, last, _, _ in phrases.tolist():
        copied[first + 1 : last + 1] = 1
    copied = np.cumsum(copied)
    sentences = [(s, e) for s, e in pairwise(bounds) if copied[e] - copied[s] < OWN * (e - s)]
    runs: list[tuple[int, int]] = []
    for start, end in sentences:
        runs.append((runs.pop()[0] if runs and runs[-1][1] == start else start, end))
    there = b.words[max(0, p.b_start - THEREABOUTS) : p.b_end + THEREABOUTS]
    inner = [s for s in sentences if p.a_start < s[0] and s[1] < p.a_end and s[1] - s[0] >= SENTENCE]
    added = [run for run in runs if min(a.breaks[list(run)]) >= 1 and _is_inserted(phrases, *run)]
    added += [s for s in inner if min(a.breaks[list(s)]) >= 1 and _is_foreign(a.words[slice(*s)], there, shares)]
    return replace(p, a_holes=union(p.a_holes, added)) if added else p


def _is_foreign(words: NDArray[np.int32], there: NDArray[np.int32], shares: NDArray[np.float64]) -> bool:
    """Whether the ``words`` that are also ``there`` have less than KNOWN of the surprisal of all of them."""
    surprisal = -np.log(np.maximum(shares[words], RAREST))
    return bool(surprisal[np.isin(words, there)].sum() < KNOWN * surprisal.sum())


def _is_inserted(phrases: NDArray[np.int32], start: int, end: int) -> bool:
    """Whether the source has less than half as many words between the ``phrases`` before and after [start, end).

    A phrase may continue by chance into these words.
    """
    before, after = phrases[phrases[:, 1] < start], phrases[phrases[:, 2] > end]
    if not len(before) or not len(after):
        return False
    _, first, last, other, _ = before[-1].tolist()
    _, next_first, next_last, _, other_end = after[0].tolist()
    size, next_size = min(last, start) - first, next_last - max(next_first, end)
    beside = start - (first + size) + (next_last - next_size) - end
    return bool(0 <= other_end - next_size - (other + size) < beside + (end - start) / 2)


def classified(p: WordPassage, rows: NDArray[np.int32]) -> Classified:
    """The kind of change of a passage with these ``word_pairs``, of its words outside holes."""
    sizes = rows[:, 2] - rows[:, 1]
    for start, end in p.a_holes:
        # A phrase may continue into a hole by chance.
        sizes = sizes - np.maximum(np.minimum(rows[:, 2], end) - np.maximum(rows[:, 1], start), 0)
    rows, sizes = rows[sizes > 0], sizes[sizes > 0]
    lengths = sizes[rows[:, 0] != REPLACED]
    shared = float(lengths.sum() / max(1, p.size))
    return Classified(_kind(p, rows, lengths, shared), shared)


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
