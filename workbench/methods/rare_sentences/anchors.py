"""Links one after the other: sentences of their own, or one sentence where together they make a frequent compound.

Source: Kang's thesis, section 4.1, step 3: the texts of consecutive anchors are one sentence if their compound occurs
often enough, and else a sentence each (京都市 | 左京区 is a place, 福地寿樹 | 捕鯨問題 are two subjects).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.kernels.rare_sentences.compounds import Strings, count_documents, string_hashes
from workbench.kernels.token_pass import FoldedCodes


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents, where each ends in the batch (int64 [d]), and their folded text."""

    documents: Sequence[Document]
    ends: NDArray[np.int64]
    folded: FoldedCodes


def anchor_runs(document: Document) -> list[list[int]]:
    """Runs of two links and more with at most white space, but no line end, between them: of each, where its links
    begin, and where the last one ends.
    """
    runs: list[list[int]] = []
    for one, other in pairwise(document.anchors):
        between = document.text[one.span.end : other.span.start]
        if "\n" in between or between.strip():
            continue
        if runs and runs[-1][-1] == one.span.end:
            runs[-1][-1:] = [other.span.start, other.span.end]
        else:
            runs.append([one.span.start, other.span.start, other.span.end])
    return runs


def anchor_breaks(batch: Batch, compounds: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Offsets in the batch, ascending, at which a link begins a sentence of its own: those inside runs whose compound
    is not one of ``compounds`` (hashes, ascending).
    """
    frequent = set(compounds.tolist())
    breaks = [at for run, _, _, value in _compounds(batch) if value not in frequent for at in run[1:-1]]
    return np.array(breaks, np.int64)


def frequent_compounds(batches: Callable[[], Iterable[Batch]], least: int, progress: Progress) -> NDArray[np.uint64]:
    """Hashes, ascending, of the compounds that stand in at least ``least`` documents, linked or not.

    The collection is read by ``batches``, twice if it has any compound. Raises Cancelled.
    """
    parts, sizes = [np.zeros(0, np.uint32)], [0]
    known: set[int] = set()
    for batch in batches():
        progress.check()
        for _, first, last, value in _compounds(batch):
            if value not in known:
                known.add(value)
                parts.append(batch.folded.codes[first:last])
                sizes.append(last - first)
    edges = np.cumsum(sizes, dtype=np.int64)
    strings = Strings.of(np.concatenate(parts), edges[:-1], edges[1:])
    counts = np.zeros(len(strings.hashes), np.int64)
    if len(counts):
        for batch in batches():
            progress.check()
            count_documents(batch.folded.codes, batch.folded.bounds, strings, counts)
    return np.sort(strings.hashes[counts >= least])


def _compounds(batch: Batch) -> Iterator[tuple[list[int], int, int, int]]:
    """Each run in offsets of the batch, its folded characters ``[first, last)``, and their hash; a run of symbols alone
    has none.
    """
    starts = batch.ends - [len(d.text) for d in batch.documents]
    shifted = zip(batch.documents, starts.tolist(), strict=True)
    runs = [[at + shift for at in run] for document, shift in shifted for run in anchor_runs(document)]
    if not runs:
        return
    first = np.searchsorted(batch.folded.start, [run[0] for run in runs]).astype(np.int64)
    last = np.searchsorted(batch.folded.start, [run[-1] for run in runs]).astype(np.int64)
    hashes = string_hashes(batch.folded.codes, first, last)
    for run, a, b, value in zip(runs, first.tolist(), last.tolist(), hashes.tolist(), strict=True):
        if a < b:
            yield run, a, b, value
