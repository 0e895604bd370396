"""Documents that share rare sentences: their passages, and how they are related."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Evidence, Matches, PairScore, Results, Tier
from workbench.kernels.code_points import equal_slices
from workbench.methods.core.collection import keys, limits
from workbench.methods.rare_sentences.index import Page, RareSentencesIndex, page
from workbench.methods.rare_sentences.method import RareSentencesParameters
from workbench.methods.rare_sentences.reading import Sentences, compounds, read
from workbench.methods.rare_sentences.relations import Decision, Facts, decide
from workbench.text.web.urls import url_similarity

FREQUENT = Message("sentences in more documents than the limit")
OUTSIDE = Message("sentences outside content blocks")
SHORT = Message("sentences shorter than the limit")
NONE_LONG = Message("documents without a sentence of the length needed")
FOREIGN = Message("documents with too few Japanese particles")
_SIDE = ("start", "end", "ordinal", "spelling", "lead", "gap", "quoted")


@dataclass(frozen=True, slots=True)
class Shared:
    """Shared rare sentences: columns of n rows, by ``mine``, ``other`` and place in ``mine``.

    ``hashes`` uint64; ``mine`` int64: number of the examined document, ``other``: that of the indexed one; ``length``
    int32 folded characters, ``frequency`` int64 documents that contain it; ``a`` and ``b``: columns of both (see
    ``Sentences``).
    """

    hashes: NDArray[np.uint64]
    mine: NDArray[np.int64]
    other: NDArray[np.int64]
    length: NDArray[np.int32]
    frequency: NDArray[np.int64]
    a: dict[str, NDArray[Any]]
    b: dict[str, NDArray[Any]]

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Shared:
        """Some rows, by number or mask."""
        sides = ({name: column[rows] for name, column in side.items()} for side in (self.a, self.b))
        columns = (self.hashes, self.mine, self.other, self.length, self.frequency)
        return Shared(*(column[rows] for column in columns), *sides)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.mine)


def find(
    index: RareSentencesIndex, documents: Sequence[Document], parameters: RareSentencesParameters, watch: Watcher
) -> Results:
    """Pairs and passages of each document with the indexed ones before it. Raises Cancelled."""
    mine = read(documents, parameters, index.compounds)
    before = limits(index.order, documents)
    if parameters.compare == "sources":
        before = np.minimum(before, index.sources)
    watch.check()
    shared = _met(index, mine, before)
    own = mine.characters()
    names, pages = keys(index.order), {}

    def other(number: int) -> Page:
        if number not in pages:
            pages[number] = index.page(number)
        return pages[number]

    excluded = {
        FREQUENT: int((index.too_frequent(mine.hashes) > 0).sum()),
        OUTSIDE: mine.outside,
        SHORT: mine.short,
        NONE_LONG: int((own == 0).sum()),
        FOREIGN: mine.foreign,
    }
    here = [page(document, size) for document, size in zip(documents, own.tolist(), strict=True)]
    pairs_and_passages = _results([d.key for d in documents], here, names, other, shared, parameters, watch)
    return Results(*pairs_and_passages, excluded={reason: n for reason, n in excluded.items() if n})


def pair_alone(a: Document, b: Document, parameters: RareSentencesParameters) -> Results:
    """Pair and passages of two documents, all of whose sentences count as rare."""
    both = read([a, b], parameters, compounds(lambda: [[a, b]], parameters, Unwatched()))
    mine, theirs = page(a, int(both.characters()[0])), page(b, int(both.characters()[1]))
    shared = common(both)
    return Results(*_results([a.key], [mine], np.array([b.key]), lambda _: theirs, shared, parameters, Unwatched()))


def common(both: Sentences) -> Shared:
    """The sentences that the first two documents of a batch share."""
    left, right = both.of(0), both.of(1)
    _, i, j = np.intersect1d(left.hashes, right.hashes, assume_unique=True, return_indices=True)
    same = equal_slices(both.codes, left.first[i], left.length[i], both.codes, right.first[j], right.length[j])
    order = np.argsort(left.start[i[same]])
    left, right = left.take(i[same][order]), right.take(j[same][order])
    none = np.zeros(len(left), np.int64)
    sides = ({name: getattr(side, name) for name in _SIDE} for side in (left, right))
    return Shared(left.hashes, none, none, left.length, none + 2, *sides)


def _met(index: RareSentencesIndex, mine: Sentences, before: NDArray[np.int64]) -> Shared:
    """Rare sentences that examined documents share with the first ``before`` indexed ones."""
    slot = index.slots(mine)
    rows = np.flatnonzero(slot >= 0)
    first, last = index.first[slot[rows]], index.first[slot[rows] + 1]
    sizes = last - first
    row = np.repeat(rows, sizes)
    # The k-th document with a row's sentence is k places after the first one.
    at = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    other = index.place["document"][at].astype(np.int64)
    earlier = other < before[mine.document[row]]
    row, at, other = row[earlier], at[earlier], other[earlier]
    frequency = np.repeat(sizes, sizes)[earlier]
    order = np.lexsort((mine.start[row], other, mine.document[row]))
    row, at, other, frequency = row[order], at[order], other[order], frequency[order]
    a = {name: getattr(mine, name)[row] for name in _SIDE}
    b = {name: np.asarray(index.place[name])[at] for name in _SIDE}
    return Shared(mine.hashes[row], mine.document[row].astype(np.int64), other, mine.length[row], frequency, a, b)


def _results(
    own: Sequence[int],
    here: Sequence[Page],
    names: NDArray[np.int64],
    other: Callable[[int], Page],
    shared: Shared,
    parameters: RareSentencesParameters,
    watch: Watcher,
) -> tuple[Matches, tuple[PairScore, ...]]:
    """Matches and pairs of examined documents (keys ``own``, pages ``here``) with indexed ones (keys ``names``)."""
    shared, columns = sums(shared, parameters)
    pairs = []
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for i, (mine, number, sentences, *counts) in enumerate(rows):
        if i % 1000 == 0:
            watch.check()
        keys_of_pair = own[mine], int(names[number])
        pairs.append(scored(keys_of_pair, here[mine], other(number), sentences, counts, parameters))
    return passages(shared, np.array(own, np.int64), names), tuple(pairs)


def sums(shared: Shared, parameters: RareSentencesParameters) -> tuple[Shared, tuple[NDArray[np.int64], ...]]:
    """``shared`` without pairs of too few sentences, and columns of the pairs left, int64 of equal length.

    These are ``mine``, ``other``, the number of shared sentences, their characters, and how many of them are quoted in
    either document.
    """
    sizes = np.diff(_edges(shared))
    shared = shared.take(np.repeat(sizes >= parameters.min_sentences, sizes))
    edges = _edges(shared)
    first = edges[:-1]
    added = (
        np.add.reduceat(column.astype(np.int64), first) if len(first) else first
        for column in (shared.length, shared.a["quoted"], shared.b["quoted"])
    )
    return shared, (shared.mine[first], shared.other[first], np.diff(edges), *added)


def _edges(shared: Shared) -> NDArray[np.int64]:
    """First row of each pair, and the number of rows."""
    if not len(shared):
        return np.zeros(1, np.int64)
    new = (shared.mine[1:] != shared.mine[:-1]) | (shared.other[1:] != shared.other[:-1])
    return np.concatenate([[0], np.flatnonzero(new) + 1, [len(shared)]]).astype(np.int64)


def decision(a: Page, b: Page, characters: int, parameters: RareSentencesParameters) -> tuple[Decision, Facts]:
    """How two pages that share ``characters`` are related, and the facts that decided it."""
    alike = None
    if a.url and b.url:
        alike = url_similarity(a.url, b.url, every_top_level=parameters.top_level)
    facts = Facts(
        overlap=2 * characters / (a.characters + b.characters),
        simpson=characters / min(a.characters, b.characters),
        a_is_larger=a.characters > b.characters,
        url_similarity=alike,
        link_ab=a.links_to(b),
        link_ba=b.links_to(a),
        published_a=a.published,
        published_b=b.published,
    )
    return decide(facts, parameters.thresholds), facts


def scored(
    names: tuple[int, int], a: Page, b: Page, sentences: int, counts: Sequence[int], p: RareSentencesParameters
) -> PairScore:
    """The pair ``names`` that shares ``sentences``; ``counts``: their characters, and those quoted on either page."""
    decided, facts = decision(a, b, counts[0], p)
    evidence: Evidence = {
        "sentences": sentences,
        "characters": counts[0],
        "characters_a": a.characters,
        "characters_b": b.characters,
        "quoted_a": counts[1],
        "quoted_b": counts[2],
        "link_ab": facts.link_ab,
        "link_ba": facts.link_ba,
        **({} if facts.url_similarity is None else {"url_similarity": round(facts.url_similarity, 6)}),
        "direction": str(decided.direction),
        "decision": Message.joined("; ", decided.steps),
        "direction_reason": decided.direction_step,
    }
    return PairScore(*names, facts.overlap, facts.overlap, facts.simpson, str(decided.relation), evidence)


def passages(shared: Shared, own: NDArray[np.int64], names: NDArray[np.int64]) -> Matches:
    """Sentences that follow each other in both documents, with equal text between, as one match."""
    if not len(shared):
        return Matches.empty()
    a, b = shared.a, shared.b
    follows = np.ones(len(shared) - 1, np.bool_)
    follows &= (shared.mine[1:] == shared.mine[:-1]) & (shared.other[1:] == shared.other[:-1])
    for side in (a, b):
        follows &= side["ordinal"][1:] == side["ordinal"][:-1] + 1
    follows &= a["gap"][1:] == b["gap"][1:]
    first = np.concatenate([[0], np.flatnonzero(~follows) + 1])
    last = np.concatenate([first[1:], [len(shared)]]) - 1
    written_alike = a["spelling"] == b["spelling"]
    written_alike[1:] &= ~follows | (a["lead"] == b["lead"])[1:]
    characters = np.add.reduceat(shared.length, first).astype(np.int64)
    return Matches(
        a=own[shared.mine[first]],
        b=names[shared.other[first]],
        a_start=a["start"][first].astype(np.int64),
        a_end=a["end"][last].astype(np.int64),
        b_start=b["start"][first].astype(np.int64),
        b_end=b["end"][last].astype(np.int64),
        score=characters.astype(np.float64),
        tier=np.where(np.logical_and.reduceat(written_alike, first), Tier.EXACT, Tier.FOLDED).astype(np.int8),
        evidence={
            "sentences": last - first + 1,
            "characters": characters,
            "frequency": np.maximum.reduceat(shared.frequency, first),
        },
    )
