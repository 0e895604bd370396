"""Documents that share rare sentences: their passages, and how they are related."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, beside
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Ints, Matches, PairScores, Results, Span, Tier
from workbench.kernels.code_points import equal_slices
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import keys, limits
from workbench.methods.rare_sentences.deciding import Related, scored
from workbench.methods.rare_sentences.index import RareSentencesIndex
from workbench.methods.rare_sentences.pages import Pages
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.relations import decide
from workbench.methods.rare_sentences.sentences import Sentences, compounds, particles, read
from workbench.reading.web.urls import anchor_texts

FREQUENT = Message("sentences in more documents than the limit")
OUTSIDE = Message("sentences outside content blocks")
SHORT = Message("sentences shorter than the limit")
NONE_LONG = Message("documents without a sentence of the required length")
FOREIGN = Message("documents with too few Japanese particles")
_SIDE = ("start", "end", "ordinal", "spelling", "lead", "gap", "quoted")


@dataclass(frozen=True, slots=True)
class SharedSentences:
    """Shared rare sentences: columns of n rows, sorted by ``mine``, ``other`` and position in ``mine``.

    ``hashes`` uint64; ``mine`` int64: number of the examined document, ``other``: of the indexed one; ``length``
    int32 folded characters, ``frequency`` int64 number of documents with it; ``a`` and ``b``: columns of both (see
    ``Sentences``).
    """

    hashes: NDArray[np.uint64]
    mine: NDArray[np.int64]
    other: NDArray[np.int64]
    length: NDArray[np.int32]
    frequency: NDArray[np.int64]
    a: dict[str, NDArray[Any]]
    b: dict[str, NDArray[Any]]

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> SharedSentences:
        """Some rows, by number or mask."""
        sides = ({name: column[rows] for name, column in side.items()} for side in (self.a, self.b))
        columns = (self.hashes, self.mine, self.other, self.length, self.frequency)
        return SharedSentences(*(column[rows] for column in columns), *sides)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.mine)


def find(
    index: RareSentencesIndex, documents: Sequence[Document], parameters: RareSentencesParameters, progress: Progress
) -> Results:
    """Pairs and passages of each document with the indexed ones before it. Raises Cancelled."""
    mine = read(documents, parameters, index.compounds)
    before = limits(index.order, documents)
    if parameters.compare == "sources":
        before = np.minimum(before, index.sources)
    progress.check()
    shared = _met(index, mine, before)
    here = Pages.of(documents, mine.characters())
    excluded = {
        FREQUENT: int((index.too_frequent(mine.hashes) > 0).sum()),
        OUTSIDE: mine.outside,
        SHORT: mine.short,
        NONE_LONG: int((here.characters == 0).sum()),
        FOREIGN: mine.foreign,
    }
    progress.check()
    own = np.array([d.key for d in documents], np.int64)
    pairs_and_passages = _results(own, here, keys(index.order), index.pages, shared, parameters)
    return Results(*pairs_and_passages, excluded={reason: n for reason, n in excluded.items() if n})


def pair_alone(a: Document, b: Document, parameters: RareSentencesParameters) -> Results:
    """Pair and passages of two documents alone; all of their sentences count as rare."""
    both = read([a, b], parameters, compounds(lambda: [[a, b]], parameters, NullProgress()))
    sides = ((np.array([d.key]), Pages.of([d], both.characters()[i : i + 1])) for i, d in enumerate((a, b)))
    return Results(*_results(*next(sides), *next(sides), common(both), parameters))


def common(both: Sentences) -> SharedSentences:
    """The sentences shared by the first two documents of a batch."""
    left, right = both.of(0), both.of(1)
    _, i, j = np.intersect1d(left.hashes, right.hashes, assume_unique=True, return_indices=True)
    same = equal_slices(both.codes, left.first[i], left.length[i], both.codes, right.first[j], right.length[j])
    order = np.argsort(left.start[i[same]])
    left, right = left.take(i[same][order]), right.take(j[same][order])
    none = np.zeros(len(left), np.int64)
    sides = ({name: getattr(side, name) for name in _SIDE} for side in (left, right))
    return SharedSentences(left.hashes, none, none, left.length, none + 2, *sides)


def _met(index: RareSentencesIndex, mine: Sentences, before: NDArray[np.int64]) -> SharedSentences:
    """Rare sentences shared by examined documents and the first ``before`` indexed ones."""
    slot = index.slots(mine)
    rows = np.flatnonzero(slot >= 0)
    first, last = index.first[slot[rows]], index.first[slot[rows] + 1]
    sizes = last - first
    row = np.repeat(rows, sizes)
    # The k-th document with a row's sentence is k rows after the first.
    at = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    other = index.place["document"][at].astype(np.int64)
    earlier = other < before[mine.document[row]]
    row, at, other = row[earlier], at[earlier], other[earlier]
    frequency = np.repeat(sizes, sizes)[earlier]
    order = np.lexsort((mine.start[row], other, mine.document[row]))
    row, at, other, frequency = row[order], at[order], other[order], frequency[order]
    a = {name: getattr(mine, name)[row] for name in _SIDE}
    b = {name: np.asarray(index.place[name])[at] for name in _SIDE}
    return SharedSentences(
        mine.hashes[row], mine.document[row].astype(np.int64), other, mine.length[row], frequency, a, b
    )


def _results(
    own: Ints, here: Pages, names: Ints, there: Pages, shared: SharedSentences, parameters: RareSentencesParameters
) -> tuple[Matches, PairScores]:
    """Matches and pairs of examined documents (keys ``own``, pages ``here``) with indexed ones (keys ``names``, pages
    ``there``).
    """
    shared, mine, other, counts = sums(shared, parameters)
    related = Related.of(here, mine, there, other, counts["characters"], parameters)
    return passages(shared, own, names), scored((own[mine], names[other]), related, counts, parameters.thresholds)


def sums(
    shared: SharedSentences, parameters: RareSentencesParameters
) -> tuple[SharedSentences, Ints, Ints, dict[str, Ints]]:
    """``shared`` without pairs of too few sentences; for each remaining pair, its ``mine`` and ``other``, and columns
    of counts: shared ``sentences``, their ``characters``, and the numbers ``quoted_a`` and ``quoted_b``.
    """
    sizes = np.diff(_edges(shared))
    shared = shared.take(np.repeat(sizes >= parameters.min_sentences, sizes))
    edges = _edges(shared)
    first = edges[:-1]
    added = {"characters": shared.length, "quoted_a": shared.a["quoted"], "quoted_b": shared.b["quoted"]}
    counts = {
        name: np.add.reduceat(column.astype(np.int64), first) if len(first) else first for name, column in added.items()
    }
    return shared, shared.mine[first], shared.other[first], {"sentences": np.diff(edges), **counts}


def _edges(shared: SharedSentences) -> NDArray[np.int64]:
    """First row of each pair, and the number of rows."""
    if not len(shared):
        return np.zeros(1, np.int64)
    new = (shared.mine[1:] != shared.mine[:-1]) | (shared.other[1:] != shared.other[:-1])
    return np.concatenate([[0], np.flatnonzero(new) + 1, [len(shared)]]).astype(np.int64)


def passages(shared: SharedSentences, own: NDArray[np.int64], names: NDArray[np.int64]) -> Matches:
    """Matches: runs of sentences that are consecutive in both documents, with equal text between them."""
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


_SHOWN = 20


def explain(
    a: Document, b: Document, parameters: RareSentencesParameters, index: RareSentencesIndex | None
) -> Explanation:
    """The rules in order."""
    p = parameters
    joined = compounds(lambda: [[a, b]], p, NullProgress()) if index is None else index.compounds
    both = read([a, b], p, joined)
    sizes = both.characters().tolist()
    counts = np.bincount(both.document, minlength=2).tolist()
    reasons = [
        Reason(
            Message("sentences of {name}", name=name),
            n > 0,
            Message(
                "{number} of {needed} characters or more, {size} characters together",
                number=n,
                needed=p.min_length,
                size=size,
            ),
        )
        for name, n, size in zip((Message("suspect"), Message("source")), counts, sizes, strict=True)
    ]
    if p.min_particles:
        reasons += [
            Reason(
                Message("particles of {name}", name=name),
                particles(document.text) >= p.min_particles,
                Message(
                    "{share} % of the characters, {needed} % needed of a Japanese page",
                    share=beside(100 * particles(document.text), 100 * p.min_particles, 2),
                    needed=f"{100 * p.min_particles:g}",
                ),
            )
            for name, document in ((Message("suspect"), a), (Message("source"), b))
        ]
    if not all(counts):
        reasons += _elsewhere(a, b, p)
        summary = Message(
            "No pair: one of the documents has no sentence of {needed} characters among its content.",
            needed=p.min_length,
        )
        return Explanation(False, summary, tuple(reasons))
    shared = common(both)
    reasons.append(
        Reason(Message("shared sentences"), len(shared) > 0, Message("{shared} occur in both", shared=len(shared)))
    )
    if not len(shared):
        reasons += _elsewhere(a, b, p)
        return Explanation(False, Message("No pair: the documents share no sentence that counts."), tuple(reasons))
    if index is not None:
        frequency = index.too_frequent(shared.hashes)
        common_ones = int((frequency > 0).sum())
        detail = Message(
            "{frequent} of the {shared} occur in more than {limit} documents",
            frequent=common_ones,
            shared=len(shared),
            limit=p.max_documents,
        )
        if common_ones:
            detail += Message(", the most frequent in {frequency}", frequency=int(frequency.max()))
        reasons.append(Reason(Message("limit of documents"), common_ones < len(shared), detail))
        shared = shared.take(frequency == 0)
        if not len(shared):
            summary = Message("No pair: all sentences that the documents share occur in too many documents.")
            return Explanation(False, summary, (*reasons, *_common_sentences(shared)))
    enough = len(sums(shared, p)[0]) > 0
    reasons.append(
        Reason(
            Message("shared rare sentences"),
            enough,
            Message("{shared}, {needed} needed", shared=len(shared), needed=p.min_sentences),
        )
    )
    if not enough:
        summary = Message("No pair: the documents share fewer than {needed} rare sentences.", needed=p.min_sentences)
        return Explanation(False, summary, (*reasons, *_common_sentences(shared)))
    both_pages, characters = Pages.of([a, b], both.characters()), np.array([shared.length.sum()])
    facts = Related.of(both_pages, np.array([0]), both_pages, np.array([1]), characters, p).row(0)
    decided = decide(facts, p.thresholds)
    detail = Message(
        "R {overlap}, Simpson {simpson}: {steps}",
        overlap=f"{facts.overlap:.3f}",
        simpson=f"{facts.simpson:.3f}",
        steps=Message.joined("; ", decided.steps),
    )
    reasons.append(Reason(Message("relation: {relation}", relation=decided.relation), True, detail))
    reasons.append(Reason(Message("direction: {direction}", direction=decided.direction), True, decided.direction_step))
    reasons += [*_links(a, b), *_links(b, a)]
    number = (
        Message("one rare sentence") if len(shared) == 1 else Message("{shared} rare sentences", shared=len(shared))
    )
    summary = Message(
        "A pair, {relation}: {number} shared, R {overlap}, Simpson {simpson}.",
        relation=decided.relation,
        number=number,
        overlap=f"{facts.overlap:.2f}",
        simpson=f"{facts.simpson:.2f}",
    )
    return Explanation(True, summary, (*reasons, *_common_sentences(shared)))


def _links(page_of: Document, target: Document) -> list[Reason]:
    """The links from one page to the other, with their texts; without spans, which belong to the pair's passages."""
    texts = anchor_texts(page_of, target.url)
    return [
        Reason(Message("link"), True, Message("{a} links to {b} as “{text}”", a=page_of.id, b=target.id, text=text))
        for text in texts
    ]


def _elsewhere(a: Document, b: Document, parameters: RareSentencesParameters) -> Sequence[Reason]:
    """The sentences shared under more lenient rules."""
    reasons = []
    if parameters.content:
        everywhere = len(common(read([a, b], replace(parameters, content=False))))
        if everywhere:
            reasons.append(
                Reason(
                    Message("content blocks"),
                    False,
                    Message("{everywhere} shared, but outside content blocks", everywhere=everywhere),
                )
            )
    shorter = len(common(read([a, b], replace(parameters, min_length=1))))
    if shorter:
        reasons.append(
            Reason(
                Message("length"),
                False,
                Message(
                    "{shorter} shared of fewer than {needed} characters",
                    shorter=shorter,
                    needed=parameters.min_length,
                ),
            )
        )
    return reasons


def _common_sentences(shared: SharedSentences) -> list[Reason]:
    """The longest shared sentences."""
    rows = np.argsort(-shared.length, kind="stable")[:_SHOWN].tolist()
    spans = [[Span(int(side["start"][i]), int(side["end"][i])) for i in rows] for side in (shared.a, shared.b)]
    return [
        Reason(Message("sentence"), True, Message("{length} characters", length=int(shared.length[i])), mine, theirs)
        for i, mine, theirs in zip(rows, *spans, strict=True)
    ]
