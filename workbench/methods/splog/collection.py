"""Statistics of the tokens of a collection's documents, and how far one document conforms to them.

A document's own tokens are excluded: a string of tokens is known only if another document contains it.

Trend words, which Takeda and Takasu (2009, section 7) leave to future work, are words that a document shares more with
others of the same week than with earlier ones; they require dates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document, Floats
from workbench.kernels.sketches.shingles import distinct
from workbench.methods.core.collection import load_arrays, save_arrays
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.core.tokenising import Tokenised, tokenise
from workbench.methods.splog.weights import LONGEST_WORD

CONTEXT = 3
"""Tokens of context on each side (words; characters in scripts without spaces)."""
LONGEST_GAP = 3
"""Maximum number of tokens replaced in one place."""
PRIOR = 3.0
"""Pseudo-count of unbroken places, so that short texts are not all breaks."""
_MEMORY = 5.0
"""Occurrences of a token from which the tokens that follow it outweigh the overall token frequencies."""
_ODD = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SharedGrams:
    """Hashes, ascending: ``pairs`` of neighbours, ``contexts`` of :data:`CONTEXT` tokens, ``continued`` contexts with
    one more token, and ``frames`` (two contexts up to :data:`LONGEST_GAP` tokens apart) in at least two documents;
    all ``words`` and ``bigrams`` with their numbers of occurrences.
    """

    pairs: Hashes
    contexts: Hashes
    continued: Hashes
    frames: Hashes
    words: Hashes
    word_counts: NDArray[np.int64]
    bigrams: Hashes
    bigram_counts: NDArray[np.int64]

    def save(self, folder: Path) -> None:
        """Write the arrays, one file each."""
        save_arrays(folder, {f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, folder: Path) -> SharedGrams:
        """Open saved arrays. Raises UserError if they are damaged."""
        arrays, _ = load_arrays(folder, [f.name for f in fields(cls)])
        return cls(**arrays)


@dataclass(frozen=True, slots=True)
class Habits:
    """How far one document conforms to the collection; shares in [0, 1].

    ``salad``: the share of its places at which the text breaks off: other documents contain the :data:`CONTEXT` tokens
    before, and the next token, but never together. ``likelihood``: the average number of bits by which the previous
    token makes a token more probable, by the collection's bigrams without this document's. ``stuffing``: the share of
    its tokens repeated beyond the expectation from the collection. ``replaced``: the share of its tokens in strings
    that another document contains with other tokens in the middle.
    """

    salad: float = 0.0
    likelihood: float = 0.0
    stuffing: float = 0.0
    replaced: float = 0.0


def cut(documents: Sequence[Document]) -> Tokenised:
    """The tokens of ``documents``."""
    return tokenise(documents, TokenParameters())


def shared(batches: Iterable[Tokenised]) -> SharedGrams:
    """The statistics of the documents of ``batches``."""
    words: list[Hashes] = []
    bigrams: list[Hashes] = []
    own: dict[str, list[Hashes]] = {"pairs": [], "contexts": [], "continued": [], "frames": []}
    for tokens in batches:
        pairs, contexts = tokens.shingles(2, short=False), tokens.shingles(CONTEXT, short=False)
        words.append(tokens.values)
        bigrams.append(pairs.values)
        own["pairs"].append(distinct(pairs).values)
        own["contexts"].append(distinct(contexts).values)
        own["continued"].append(distinct(tokens.shingles(CONTEXT + 1, short=False)).values)
        for document in range(len(contexts.bounds) - 1):
            at = contexts.of(document)
            own["frames"].append(np.unique(np.concatenate([_frames(at, gap) for gap in range(1, LONGEST_GAP + 1)])))
    some = {name: _of_several(parts) for name, parts in own.items()}
    all_words, word_counts = np.unique(_joined(words), return_counts=True)
    all_pairs, pair_counts = np.unique(_joined(bigrams), return_counts=True)
    return SharedGrams(**some, words=all_words, word_counts=word_counts, bigrams=all_pairs, bigram_counts=pair_counts)


def habits(known: SharedGrams, tokens: Tokenised) -> list[Habits]:
    """The habits of each document of ``tokens``, which are part of the collection."""
    rows = [tokens.shingles(k, short=False) for k in (2, CONTEXT, CONTEXT + 1)]
    total, kinds = int(known.word_counts.sum()), len(known.words)
    each = []
    for document, (first, last) in enumerate(zip(tokens.bounds[:-1].tolist(), tokens.bounds[1:].tolist(), strict=True)):
        words = tokens.values[first:last]
        pairs, contexts, continued = (row.of(document) for row in rows)
        if len(words) <= CONTEXT:
            each.append(Habits())
            continue
        goes_on = _within(known.continued, continued)
        breaks = _within(known.contexts, contexts[:-1]) & ~goes_on
        elsewhere = _others(known.words, known.word_counts, words)[CONTEXT:] > 0
        abrupt = breaks & elsewhere & ~_within(known.pairs, pairs[CONTEXT - 1 :])
        each.append(
            Habits(
                salad=float(np.count_nonzero(abrupt) / (len(abrupt) + PRIOR)),
                likelihood=_likelihood(known, words, pairs, total, kinds),
                stuffing=_stuffing(known, words, total),
                replaced=_replaced(known, contexts, goes_on, len(words)),
            )
        )
    return each


def _frames(contexts: Hashes, gap: int) -> Hashes:
    """Each context with the one that begins ``gap`` tokens after its end."""
    apart = CONTEXT + gap
    return (contexts[:-apart] * _ODD) ^ contexts[apart:] if len(contexts) > apart else contexts[:0]


def _joined(parts: list[Hashes]) -> Hashes:
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _of_several(parts: list[Hashes]) -> Hashes:
    """The hashes, ascending, that occur in more than one of ``parts``; the hashes of each document are distinct."""
    values = np.sort(_joined(parts))
    again = values[1:][values[1:] == values[:-1]]
    return np.unique(again)


def _within(known: Hashes, values: Hashes) -> Flags:
    """Which of ``values`` are in ``known``."""
    return np.asarray(_counts(known, np.ones(len(known), np.int64), values) > 0, np.bool_)


def _counts(known: Hashes, counts: NDArray[np.int64], values: Hashes) -> NDArray[np.int64]:
    """The count of each of ``values``, 0 if it is not in ``known``."""
    if not len(known):
        return np.zeros(len(values), np.int64)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    there = counts[at]
    there[known[at] != values] = 0
    return np.asarray(there, np.int64)


def _others(known: Hashes, counts: NDArray[np.int64], values: Hashes) -> NDArray[np.int64]:
    """Number of occurrences of each of a document's ``values`` in other documents."""
    kinds, inverse, own = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(np.maximum(_counts(known, counts, kinds) - own, 0)[inverse], np.int64)


def _likelihood(known: SharedGrams, words: Hashes, pairs: Hashes, total: int, kinds: int) -> float:
    """See :class:`Habits`; bigrams are smoothed by the frequencies of tokens (MacKay and Peto's Dirichlet prior)."""
    single = _others(known.words, known.word_counts, words)
    alone = (single[1:] + 0.5) / (max(0, total - len(words)) + 0.5 * kinds)
    after = (_others(known.bigrams, known.bigram_counts, pairs) + _MEMORY * alone) / (single[:-1] + _MEMORY)
    return float(np.log2(after / alone).mean())


def _stuffing(known: SharedGrams, words: Hashes, total: int) -> float:
    """See :class:`Habits`: repetitions more than three standard deviations above the expected number."""
    kinds, own = np.unique(words, return_counts=True)
    others = np.maximum(_counts(known.words, known.word_counts, kinds) - own, 0)
    expected = len(words) * others / max(1, total - len(words))
    return float(np.maximum(own - 1 - expected - 3 * np.sqrt(expected), 0).sum() / len(words))


def _replaced(known: SharedGrams, contexts: Hashes, goes_on: Flags, length: int) -> float:
    """See :class:`Habits`. Verbatim copies have none: their contexts continue as in the other document."""
    covered = np.zeros(length + 1, np.int64)
    for gap in range(1, LONGEST_GAP + 1):
        frames = _frames(contexts, gap)
        starts = np.flatnonzero(_within(known.frames, frames) & ~goes_on[: len(frames)])
        covered[starts] += 1
        np.subtract.at(covered, starts + 2 * CONTEXT + gap, 1)
    return float(np.count_nonzero(np.cumsum(covered[:-1])) / length)


RECENT = 7.0
"""Days before a document's own time that count as recent."""
_PRIOR = 0.5


def days(documents: Sequence[Document]) -> Floats:
    """Times of publication in days since 1970; NaN if unknown or not a date."""
    return np.array([_day(document.published) for document in documents], np.float64)


def _day(published: str) -> float:
    try:
        when = datetime.fromisoformat(published)
    except ValueError:
        return float("nan")
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() / 86400


@dataclass(frozen=True, slots=True)
class Trends:
    """``dates`` of the d dated documents, ascending; ``words``: their distinct tokens, ascending; ``uses`` int64,
    ascending: number of a token x (d + 1) + rank of a date, for each document with the token.
    """

    dates: Floats
    words: NDArray[np.uint64]
    uses: NDArray[np.int64]

    @classmethod
    def of(cls, batches: Iterable[tuple[Tokenised, Floats]]) -> Trends:
        """The trends of documents, given with their :func:`days`."""
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
        """Write the arrays, one file each."""
        save_arrays(folder, {f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, folder: Path) -> Trends:
        """Open saved arrays. Raises UserError if they are damaged."""
        arrays, _ = load_arrays(folder, [f.name for f in fields(cls)])
        return cls(**arrays)

    def scores(self, tokens: Tokenised, times: Floats) -> list[float]:
        """For each document, which is in the collection: the mean over its distinct tokens of the logarithm of the
        ratio of shares of other documents with the token, of the last :data:`RECENT` days and earlier; at least 0 per
        token. 0 for a document without a date.
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


def vocabulary(tokens: Tokenised, words: Mapping[str, float]) -> Floats:
    """The figure of learnt words of d documents: float64[d].

    The sum of the weights of a document's distinct words, divided by the square root of the number of all its distinct
    words: the product of the weights and the document's words as a vector of length 1.
    """
    weights = {value: weight for word, weight in words.items() for value in cut([Document("", word)]).values.tolist()}
    figures = np.zeros(len(tokens.bounds) - 1)
    for at, own in enumerate(distinct_words(tokens)):
        figures[at] = sum(weights.get(value, 0.0) for value in own.tolist()) / math.sqrt(max(1, len(own)))
    return figures


def distinct_words(tokens: Tokenised) -> list[Hashes]:
    """The hashes of the distinct tokens of each document, ascending."""
    return [np.unique(own) for own in np.split(tokens.values, tokens.bounds[1:-1])]


def spellings(documents: Sequence[Document], chosen: Hashes) -> dict[int, str]:
    """The first spelling, in small letters, of each token in ``chosen``, by hash.

    Without tokens longer than a learnt word may be, and those that are not the same token alone.
    """
    tokens = cut(documents)
    rows = np.flatnonzero(np.isin(tokens.values, chosen))
    values, first = np.unique(tokens.values[rows], return_index=True)
    document = np.searchsorted(tokens.bounds, rows[first], side="right") - 1
    known: dict[int, str] = {}
    for value, row, at in zip(values.tolist(), rows[first].tolist(), document.tolist(), strict=True):
        word = documents[at].text[tokens.start[row] : tokens.end[row]].lower()
        if len(word) <= LONGEST_WORD and cut([Document("", word)]).values.tolist() == [value]:
            known[value] = word
    return known
