"""Candidate pairs: documents that share a fingerprint of groups of sentences.

Source: Huang, Wang and Li (2007), section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.kernels.code_points import code_points
from workbench.kernels.fold_table import EXPANDS, VALUE, fold_table
from workbench.kernels.rabin import fingerprint
from workbench.kernels.trustable_lcs.sentence_groups import (
    document_fingerprints,
    gather,
    smallest_windows,
    with_sentences,
)
from workbench.methods.digest.segments import segment
from workbench.methods.trustable_lcs.parameters import TrustableParameters
from workbench.text.normalisation import FoldOptions, fold

_SLICE = 256
"""Documents gathered between two checks for cancellation."""

SENTENCE = np.uint64(1 << 63)
"""Set in the fingerprints of single sentences and of windows."""

_WINDOW, _ALPHABETIC = 10, 24
"""Letters of a window that begins with an East Asian character, and of others."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Prints:
    """Fingerprints of d documents: ``values`` uint64 [f], distinct in each document; ``bounds`` int64 [d + 1].

    Fingerprints of groups of sentences are below :data:`SENTENCE`, those of single sentences and of windows, which
    count only if rare, are at or above it. ``sentences`` int64 [d]: number of sentences that are long enough.
    """

    values: NDArray[np.uint64]
    bounds: Ints
    sentences: Ints

    def of(self, document: int) -> NDArray[np.uint64]:
        """The fingerprints of one document."""
        return self.values[self.bounds[document] : self.bounds[document + 1]]


def fingerprints(documents: Sequence[Document], parameters: TrustableParameters) -> Prints:
    """Fingerprints of ``documents``; those of single sentences and of windows only with ``rare_documents``.

    With ``short_pages``, a text that has letters but no sentence of the required length counts as one sentence.
    """
    p = parameters
    segments = segment(documents, p.sentences)
    values, bounds = document_fingerprints(
        segments.fingerprints,
        segments.length,
        segments.bounds,
        rotations=p.rotations,
        groups=p.groups,
        members=p.members,
        cover=p.cover,
        alone=p.short_pages,
    )
    sentences = np.diff(segments.bounds)
    if p.short_pages and not sentences.all():
        sizes = np.diff(bounds)
        rows = [values[bounds[i] : bounds[i + 1]] for i in range(len(documents))]
        for i in np.flatnonzero(sentences == 0).tolist():
            letters = fold(documents[i].text, p.sentences.fold_options).text
            if letters:
                rows[i] = np.array([fingerprint(letters)], np.uint64)
                sizes[i] = 1
        values, bounds = np.concatenate(rows), np.concatenate([[0], np.cumsum(sizes)])
    values = values & ~SENTENCE
    if p.rare_documents:
        values, bounds = with_sentences(values, bounds, segments.fingerprints, segments.bounds, SENTENCE)
        if p.windows:
            smallest = [windows(document.text, p.windows, p.sentences.fold_options) for document in documents]
            ends = np.cumsum([0, *map(len, smallest)])
            values, bounds = with_sentences(values, bounds, np.concatenate(smallest), ends, SENTENCE)
    return Prints(values, bounds, sentences)


def windows(text: str, number: int, options: FoldOptions) -> NDArray[np.uint64]:
    """The ``number`` smallest distinct hashes of the windows of letters of ``text``, all if there are fewer.

    Windows survive even if no sentence does, in texts revised or respelt in every sentence. Hashes are chosen by value,
    so texts that share windows share some of the chosen ones (Broder, 1997). Letters are folded one by one; a character
    that folds to several is used unchanged.
    """
    codes = code_points(text)
    words = fold_table(options).words.take(codes, mode="clip")
    letters = np.where(words & EXPANDS, codes, words & VALUE)
    letters = letters[letters != 0]
    smallest: NDArray[np.uint64] = smallest_windows(letters, number, _WINDOW, _ALPHABETIC)
    return smallest


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents with which each of d documents is compared, as columns.

    ``starts`` int64 [d + 1]; ``partners`` int64: numbers of earlier documents, ascending for each document; ``shared``
    int64: number of common fingerprints, 0 for pairs formed through another document. ``prints`` int64 [d]: number of
    fingerprints; ``dropped`` int64 [d]: number of too frequent fingerprints of groups of sentences; ``more`` bool [d]:
    had more candidates than allowed.
    """

    starts: Ints
    partners: Ints
    shared: Ints
    prints: Ints
    dropped: Ints
    more: NDArray[np.bool_]


def candidates(prints: Prints, sites: Ints, parameters: TrustableParameters, progress: Progress) -> Candidates:
    """Candidate pairs of the documents with ``prints``; ``sites`` int64 [d] numbers their sites (-1: unknown).

    Candidates are passed on only from documents with more sentences to those with fewer: an order that does not depend
    on fingerprints, so that additional ones never lose a pair. At most ``max_candidates`` are kept per document, those
    with the most shared fingerprints before those reached through another document, so that the work is linear in the
    number of documents. Raises Cancelled.
    """
    sizes = np.diff(prints.bounds)
    documents = len(sizes)
    order = np.argsort(-prints.sentences, kind="stable")
    rank = np.empty(documents, np.int64)
    rank[order] = np.arange(documents)
    holder = rank[np.repeat(np.arange(documents), sizes)]
    sorting = np.lexsort((holder, prints.values))
    values, holder = prints.values[sorting], holder[sorting]
    progress.check()
    first = (
        np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if len(values) else np.zeros(0, np.int64)
    )
    counts = np.diff(np.append(first, len(values)))
    single = values[first] >= SENTENCE
    usable = ~_too_frequent(first, counts, sites[order][holder], parameters)
    dropped = np.bincount(order[holder[np.repeat(~usable & ~single, counts)]], minlength=documents)
    usable &= ~single | (counts <= parameters.rare_documents)
    alive = np.repeat(usable & (counts > 1), counts)
    holder = holder[alive]
    group_sizes = counts[usable & (counts > 1)]
    by_document = np.argsort(holder, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(holder, minlength=documents))])
    group = np.repeat(np.arange(len(group_sizes)), group_sizes)
    group_start = np.cumsum(group_sizes) - group_sizes
    limit = parameters.max_candidates
    starts, more = np.zeros(documents + 1, np.int64), np.zeros(documents, np.bool_)
    partners, shared = np.zeros(0, np.int64), np.zeros(0, np.int64)
    scratch = np.zeros(documents, np.int32)
    for begin in range(0, documents, _SLICE):
        progress.check()
        end = min(begin + _SLICE, documents)
        used = int(starts[begin])
        # A document has no more partners than there are before it.
        room = used + (end - begin) * min(limit, end)
        if room > len(partners):
            partners, shared = (_longer(column[:used], max(room, 2 * used)) for column in (partners, shared))
        gather(
            begin, end, by_document, bounds, group, group_start, holder, limit, parameters.transitive,
            starts, partners, shared, more, scratch,
        )  # fmt: skip
        progress.advance(Message("Gathering candidates"), end, documents)
    used = int(starts[-1])
    later = order[np.repeat(np.arange(documents), np.diff(starts))]
    return _in_collection_order(later, order[partners[:used]], shared[:used], sizes, dropped, more[rank])


def _longer(column: Ints, length: int) -> Ints:
    longer = np.empty(length, np.int64)
    longer[: len(column)] = column
    return longer


def _too_frequent(first: Ints, counts: Ints, sites: Ints, parameters: TrustableParameters) -> NDArray[np.bool_]:
    """Which fingerprints are in too many documents, or in many documents of few sites.

    Fingerprint i is in the ``counts[i]`` documents that begin at ``first[i]``. Each document of an unknown site counts
    as a separate site.
    """
    frequent = counts > parameters.max_documents
    for i in np.flatnonzero((counts > parameters.template_documents) & ~frequent).tolist():
        here = sites[first[i] : first[i] + counts[i]]
        frequent[i] = len(np.unique(here[here >= 0])) + int((here < 0).sum()) < parameters.template_sites
    return frequent


def _in_collection_order(
    one: Ints, other: Ints, shared: Ints, prints: Ints, dropped: Ints, more: NDArray[np.bool_]
) -> Candidates:
    """Pairs assigned to the later of their documents in the collection's order."""
    later, earlier = np.maximum(one, other), np.minimum(one, other)
    sorting = np.lexsort((earlier, later))
    starts = np.concatenate([[0], np.cumsum(np.bincount(later, minlength=len(prints)))])
    return Candidates(starts, earlier[sorting], shared[sorting], prints, dropped, more)
