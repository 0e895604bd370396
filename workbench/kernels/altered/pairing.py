"""Two texts side by side: common numbers for their words and pairs of neighbours, positions of each, frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix

FEW = 20.0
"""Discount, in occurrences, on the counts of word sequences in the collection."""
REPEATED = 20
"""Number of words from which a stretch that occurs twice in a text is repetition, not a habit of its writer."""


class Habits(NamedTuple):
    """Positions of words and pairs of neighbours that may be habits of a text's writer, as in :class:`WordPositions`.

    ``repeated`` bool [n]: word i is in a stretch of REPEATED words that occurs more than once. These words, and pairs
    of two of them, have no positions here.
    """

    repeated: NDArray[np.bool_]
    starts: NDArray[np.int32]
    places: NDArray[np.int32]
    link_starts: NDArray[np.int32]
    link_places: NDArray[np.int32]


class WordPositions(NamedTuple):
    """One of two texts, with n words: the inputs of votes.

    ``words`` int32 [n]: numbers that both sides share; word w is at ``places[starts[w]:starts[w + 1]]``, ascending.
    ``links`` int32 [n + 1]: number of the pair of neighbours (i - 1, i), -1 at both ends; link l is before the words
    ``link_places[link_starts[l]:link_starts[l + 1]]``. ``breaks`` float32 [n + 1]: 1 if a sentence ends before i, 0.5
    for a lesser division, otherwise 0. ``habits``: positions outside repeated stretches of the text.
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int32]
    places: NDArray[np.int32]
    links: NDArray[np.int32]
    link_starts: NDArray[np.int32]
    link_places: NDArray[np.int32]
    breaks: NDArray[np.float32]
    habits: Habits


class Background(NamedTuple):
    """Probabilities without copying, from the other documents of the collection: float64.

    For each word in both texts, ``word``: its share of the collection's words; ``pair``: for pairs of characters, the
    probability of the second after the first. For each pair of neighbours, ``after``: probability of the second word
    after the first; ``before``: of the first before the second. 0 for words and pairs in only one of the texts.
    """

    word: NDArray[np.float64]
    pair: NDArray[np.float64]
    after: NDArray[np.float64]
    before: NDArray[np.float64]


class Frequencies(NamedTuple):
    """Frequencies in the collection: ``words`` uint32 [v], by number; ``total`` int64 their sum.

    ``leads`` int32 [v]: number of the first character of a pair, -1 for other words; ``characters`` uint32: number of
    pairs that begin with each of these. ``links`` uint32 [power of two]: occurrences of neighbours, by the hash of
    their numbers; colliding hashes are counted together.
    """

    words: NDArray[np.uint32]
    leads: NDArray[np.int32]
    characters: NDArray[np.uint32]
    links: NDArray[np.uint32]
    total: int


class FirstText:
    """A text to be compared with several others in turn; the parts that are the same for all are computed once.

    ``text``: words by the numbers of the collection; ``scratch`` int32, longer than the greatest number, -1 everywhere
    before, and after :meth:`release`.
    """

    def __init__(self, text: NDArray[np.int32], breaks: NDArray[np.float32], scratch: NDArray[np.int32]) -> None:
        self._scratch, self._breaks = scratch, breaks
        self._numbers, self._words = _numbered(text, scratch, 0)
        self._again = np.zeros(len(text), np.bool_)
        self._make_room(len(text))

    def _make_room(self, size: int) -> None:
        """Prepare for other texts of up to ``size`` words."""
        self._room, both = size, len(self._numbers) + size
        self._slots = np.full(1 << max(4, (2 * both).bit_length()), -1, np.int32)
        self._keys = np.empty(both, np.int64)
        self._links, self._pairs = _linked(self._numbers, self._slots, self._keys, 0, True)
        self._starts, self._places = _places(self._numbers, len(self._words) + size)
        self._link_starts, self._link_places = _places(self._links, self._pairs + size)

    def beside(
        self, other: NDArray[np.int32], breaks: NDArray[np.float32]
    ) -> tuple[WordPositions, WordPositions, NDArray[np.int32]]:
        """Both sides, and the collection's number of each of their words.

        Repetition in this text, the suspect, is a habit; text repeated in the ``other``, like a page's teaser, may be
        copied from either place.
        """
        if len(other) > self._room:
            self._make_room(2 * len(other))
        numbers, new = _numbered(other, self._scratch, len(self._words))
        self._scratch[new] = -1
        links, pairs = _linked(numbers, self._slots, self._keys, self._pairs, False)
        words = np.concatenate((self._words, new))
        starts, link_starts = self._starts[: len(words) + 1], self._link_starts[: pairs + 1]
        places = starts, self._places, link_starts, self._link_places
        own = WordPositions(
            self._numbers, *places[:2], self._links, *places[2:], self._breaks, Habits(self._again, *places)
        )
        return own, _side(numbers, links, len(words), pairs, breaks, repeated(numbers, REPEATED)), words

    def release(self) -> None:
        """Restore the scratch; this text cannot be compared any more."""
        self._scratch[self._words] = -1


def sides(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    a_breaks: NDArray[np.float32],
    b_breaks: NDArray[np.float32],
    scratch: NDArray[np.int32],
) -> tuple[WordPositions, WordPositions, NDArray[np.int32]]:
    """Both sides of ``a``, the suspect, and ``b``, as :meth:`FirstText.beside`."""
    first = FirstText(a, a_breaks, scratch)
    both = first.beside(b, b_breaks)
    first.release()
    return both


def _side(
    numbers: Any, links: Any, words: int, different: int, breaks: NDArray[np.float32], again: NDArray[np.bool_]
) -> WordPositions:
    starts, places = _places(numbers, words)
    link_starts, link_places = _places(links, different)
    habits = Habits(again, starts, places, link_starts, link_places)
    if again.any():
        inner = np.concatenate(([False], again[:-1] & again[1:], [False]))
        once = _places(np.where(again, np.int32(-1), numbers), words)
        habits = Habits(again, *once, *_places(np.where(inner, np.int32(-1), links), different))
    return WordPositions(numbers, starts, places, links, link_starts, link_places, breaks, habits)


@kernel
def repeated(words: Any, length: Any) -> Any:
    """Which of ``words`` are in a stretch of ``length`` words that occurs more than once: bool [n]. O(n)."""
    n = len(words)
    again = np.zeros(n, np.bool_)
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    mask = (1 << bits) - 1
    slots = np.full(1 << bits, -1, np.int32)
    factor, leaving = np.uint64(0x9E3779B97F4A7C15), np.uint64(1)
    for _ in range(length):
        leaving *= factor
    value = np.uint64(0)
    upto, marked = 0, np.zeros(n, np.bool_)
    for end in range(1, n + 1):
        value = value * factor + np.uint64(words[end - 1]) + np.uint64(1)
        start = end - length
        if start > 0:
            value -= leaving * (np.uint64(words[start - 1]) + np.uint64(1))
        if start < 0:
            continue
        at = np.int64(mix(value) & np.uint64(mask))
        while slots[at] >= 0 and not _same(words, slots[at], start, length):
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = start
            continue
        for i in range(max(upto, start), end):
            again[i] = True
        upto = end
        first = slots[at]
        if not marked[first]:
            marked[first] = True
            for i in range(first, first + length):
                again[i] = True
    return again


@helper
def _same(words: Any, one: Any, other: Any, length: Any) -> Any:
    k = 0
    while k < length and words[one + k] == words[other + k]:
        k += 1
    return k == length


@kernel
def _numbered(text: Any, scratch: Any, n: Any) -> Any:
    """The numbers of words in ``scratch``, with new words numbered from ``n``; and these new words."""
    numbers, new = np.empty(len(text), np.int32), np.empty(len(text), np.int32)
    more = 0
    for i in range(len(text)):
        if scratch[text[i]] < 0:
            scratch[text[i]] = n + more
            new[more] = text[i]
            more += 1
        numbers[i] = scratch[text[i]]
    return numbers, new[:more].copy()


@kernel
def _linked(numbers: Any, slots: Any, keys: Any, n: Any, is_first: Any) -> Any:
    """Numbers of the neighbours in a text, new ones from ``n`` on, and their total.

    ``slots`` (-1 where free) and ``keys``: those numbered so far; new ones are kept if the text ``is_first``.
    """
    mask = len(slots) - 1
    links, filled = np.full(len(numbers) + 1, -1, np.int32), np.empty(len(numbers), np.int64)
    most = n
    for i in range(1, len(numbers)):
        key = (np.int64(numbers[i - 1]) << 32) | np.int64(numbers[i])
        at = np.int64(mix(np.uint64(key)) & np.uint64(mask))
        while slots[at] >= 0 and keys[slots[at]] != key:
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = most
            keys[most] = key
            filled[most - n] = at
            most += 1
        links[i] = slots[at]
    if not is_first:
        for k in range(most - n):
            slots[filled[k]] = -1
    return links, most


@kernel
def _places(numbers: Any, most: Any) -> Any:
    """The positions of each number below ``most``: starts int32 [most + 1], and positions in ascending order."""
    starts = np.zeros(most + 1, np.int32)
    for number in numbers:
        if number >= 0:
            starts[number + 1] += 1
    for number in range(most):
        starts[number + 1] += starts[number]
    places, filled = np.empty(starts[most], np.int32), starts[:-1].copy()
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            places[filled[numbers[i]]] = i
            filled[numbers[i]] += 1
    return starts, places


@kernel
def background(
    a: Any, b: Any, words: Any, frequencies: Any, a_counted: Any, b_counted: Any, weight: Any, scratch: Any
) -> Any:
    """The :class:`Background` of two sides with these ``words`` (numbers of the collection).

    The texts' own words are subtracted from the collection's if they are ``counted`` there; the pair's words, except
    the two occurrences that any copied word has, are mixed in as ``weight`` words. ``scratch`` int32, longer than
    ``characters``: 0 everywhere before and afterwards.
    """
    n, both = len(words), len(a.words) + len(b.words)
    a_starts, b_starts, often, leads = a.starts, b.starts, frequencies.words, frequencies.leads
    own, known = np.zeros(n, np.int64), len(often)
    counted = a_counted * len(a.words) + b_counted * len(b.words)
    for w in range(n):
        own[w] = a_counted * (a_starts[w + 1] - a_starts[w]) + b_counted * (b_starts[w + 1] - b_starts[w])
        if own[w] and words[w] < known and leads[words[w]] >= 0:
            scratch[leads[words[w]]] += own[w]
    word, pair = np.zeros(n), np.zeros(n)
    for w in range(n):
        in_a, in_b = a_starts[w + 1] - a_starts[w], b_starts[w + 1] - b_starts[w]
        if in_a == 0 or in_b == 0:
            continue
        share = max(in_a + in_b - 2.0, 0.3) / max(1, both)
        elsewhere = 0.0
        if words[w] < known:
            elsewhere = max(0.0, np.float64(often[words[w]]) - own[w])
            lead = leads[words[w]]
            if lead >= 0:
                rest = max(0.0, np.float64(frequencies.characters[lead]) - scratch[lead])
                pair[w] = elsewhere / (rest + FEW)
        word[w] = max((elsewhere + weight * share) / (max(0, frequencies.total - counted) + weight), 1e-5)
    for w in range(n):
        if own[w] and words[w] < known and leads[words[w]] >= 0:
            scratch[leads[words[w]]] = 0
    return word, pair, *_links_elsewhere(a, b, words, own, frequencies, a_counted, b_counted)


@helper
def _links_elsewhere(a: Any, b: Any, words: Any, own: Any, frequencies: Any, a_counted: Any, b_counted: Any) -> Any:
    """``after`` and ``before`` of :class:`Background`."""
    n, known = len(a.link_starts) - 1, len(frequencies.words)
    after, before = np.zeros(n), np.zeros(n)
    a_starts, b_starts, places, numbers = a.link_starts, b.link_starts, a.link_places, a.words
    often, linked = frequencies.words, frequencies.links
    for link in range(n):
        in_a, in_b = a_starts[link + 1] - a_starts[link], b_starts[link + 1] - b_starts[link]
        if in_a == 0 or in_b == 0:
            continue
        second = places[a_starts[link]]
        v, w = numbers[second - 1], numbers[second]
        if words[v] >= known or words[w] >= known:
            continue
        counted = np.int64(linked[link_slot(words[v], words[w], len(linked))])
        elsewhere = max(0.0, np.float64(counted - a_counted * in_a - b_counted * in_b))
        after[link] = min(1.0, elsewhere / (often[words[v]] - own[v] + FEW))
        before[link] = min(1.0, elsewhere / (often[words[w]] - own[w] + FEW))
    return after, before


@helper
def link_slot(first: Any, second: Any, size: Any) -> Any:
    """The index at which neighbours with these numbers are counted."""
    return np.int64(mix((np.uint64(first) << np.uint64(32)) | np.uint64(second)) & np.uint64(size - 1))


def count_links(words: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Occurrences of neighbours in documents: uint32 [power of two], 2 to 4 slots per word, at most 2^26.

    ``words``: the concatenated words of documents, by number; document i has ``words[bounds[i]:bounds[i + 1]]``.
    """
    links = np.zeros(1 << min(26, max(10, (2 * len(words)).bit_length())), np.uint32)
    _count_links(words, bounds, links)
    return links


@kernel
def _count_links(words: Any, bounds: Any, links: Any) -> None:
    for d in range(len(bounds) - 1):
        for i in range(bounds[d] + 1, bounds[d + 1]):
            links[link_slot(words[i - 1], words[i], len(links))] += np.uint32(1)
