"""The limits of a passage: at words, and beyond the changed sentences at its edges."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Span
from workbench.text.quotation import MARKS
from workbench.text.segmenting.characters import stops
from workbench.text.tokens import UNSPACED_CLASS

SHORT = 16
"""Length of a sentence fragment at the edge of a passage up to which it is dropped."""
ALIKE = 0.5
"""Share of the words of two sentences at the edge of a passage from which the sentences belong to it."""
INITIALS = 0.6
"""Share of the initials of two sentences, in the same order, below which one was not made of the other."""
REST = 1 / 3
"""The same for the remainders of two sentences that are similar as a whole, and for a sentence of the passage and one
of the source in any order.
"""
MOST = 3 / 4
"""The same for whole sentences of which other words replace the rest of one by about as many."""
ADDED, EQUAL = 4, 8
"""Maximum number of the writer's own words dropped at an end of a passage, and minimum of equal words next to them."""
LONGEST = 400
"""Characters of text that are searched for the end of such a sentence."""
_STOPS = frozenset(stops())
_ANY, _STRONG = re.escape(stops()), re.escape("".join(sorted(_STOPS - set(".!?"))))
_CLOSERS = "[\"'”’»」』）)\\]]*"
_STRONG_END = rf"[{_STRONG}][{_ANY}]*{_CLOSERS}"
_NUMBERED = "|".join(rf"(?<=(?<!\w)[A-Za-z]{{{size}}}\.)" for size in range(1, 5))
"""A stop after an abbreviation, such as *p.*, *vol.* or *Fig.*, if a number follows."""
_END = re.compile(
    rf"[.!?\n{_STRONG}](?:(?<=\n)|(?<=[{_STRONG}])[{_ANY}]*{_CLOSERS}"
    rf"|(?<=[.!?])(?!(?:{_NUMBERED})\s+\d+(?!\d|\.\s))[.!?]*"
    rf"(?:{_STRONG_END}|{_CLOSERS}(?=\s|$|[^\x00-\x7f])))"
)
"""A stop with closing characters, or a line end. It begins with a character class, so that others are skipped."""
SIZES = SHORT // 2, SHORT, 4 * SHORT
"""Lengths, in characters, of runs looked up: the minimum in scripts without spaces, in others, and long ones."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_UNSPACED = re.compile(f"[{UNSPACED_CLASS}]")
_WORD = re.compile(rf"[{UNSPACED_CLASS}]|[^\W{UNSPACED_CLASS}]+")
_PIECE = re.compile(rf"[{UNSPACED_CLASS}]|\d+|[^\W\d{UNSPACED_CLASS}]+")
"""Words; numbers are separate from adjacent letters, like the numbers of notes."""


def snap_to_words(text: str, span: Span) -> Span:
    """``span`` without fragments of words and sentences at its edges; ``span`` unchanged if little would remain."""
    start, end = span
    while start < end and start > 0 and _letter(text[start - 1]) and _letter(text[start]):
        start += 1
    while end > start and end < len(text) and _letter(text[end - 1]) and _letter(text[end]):
        end -= 1
    if start != span.start:
        start = _after_fragment(text, start, end)
    if 2 * (end - start) < span.end - span.start:
        return span
    while start < end and start != span.start and text[start].isspace():
        start += 1
    while end > start and end != span.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _after_fragment(text: str, start: int, end: int) -> int:
    """The position after the last stop near ``start``, otherwise ``start``."""
    for i in range(min(start + SHORT, end) - 1, start - 1, -1):
        if text[i] in _STOPS:
            return i + 1
    return start


def up_to_ends(text: str, span: Span) -> Span:
    """All of ``text`` if only white space is missing in ``span``; otherwise ``span``."""
    return span if (text[: span.start] + text[span.end :]).strip() else Span(0, len(text))


def sentences(text: str, span: Span) -> int:
    """The number of sentences of ``span``, counting an incomplete last one."""
    return max(1, sum(1 for _ in sentence_spans(text, span)))


def sentence_spans(text: str, span: Span) -> Iterator[Span]:
    """The sentences of ``span``, without white space at their ends."""
    ends = [match.end() for match in _END.finditer(text, *span)]
    for start, end in pairwise((span.start, *ends, span.end)):
        inner = text[start:end]
        if inner.strip():
            yield Span(end - len(inner.lstrip()), start + len(inner.rstrip()))


def share_of_sentence(text: str, span: Span) -> float:
    """Share (0..1) of its sentence that ``span`` covers; 1 if it continues into another sentence, or if an end of the
    sentence is far away.
    """
    if sentences(text, span) > 1:
        return 1.0
    low, high = max(0, span.start - LONGEST), min(len(text), span.end + LONGEST)
    ends = [match.end() for match in _END.finditer(text, low, high)]
    first = max((end for end in ends if end <= span.start + 1), default=None if low else 0)
    last = min((end for end in ends if end >= span.end - 1), default=None if high < len(text) else high)
    if first is None or last is None:
        return 1.0
    return min(1.0, (span.end - span.start) / max(1, len(text[first:last].strip())))


def with_changed_sentences(a: str, a_span: Span, b: str, b_span: Span) -> tuple[Span, Span]:
    """The limits of a passage of ``a`` and ``b``, extended over the changed sentences that continue it on both sides.

    Sentences continue it if at least ALIKE of their words (characters, in scripts without spaces) are the same in the
    same order. Compared are the next sentences; if it ends within a sentence, the remainder, or the whole sentence if
    it covers more than half of that. The source's side also has the sentence that the last or first one of ``a`` comes
    from. Beyond a quotation mark that only ``a`` has, the words are the writer's own.
    """
    start, other = _extended(a, a_span.start, b, b_span.start, forwards=False)
    end, other_end = _extended(a, a_span.end, b, b_span.end, forwards=True)
    a_span, b_span = Span(start, end), Span(other, other_end)
    for forwards in (False, True):
        a_span = _with_moved_sentence(a, a_span, b, b_span, forwards=forwards)
    return a_span, b_span


def _with_moved_sentence(a: str, a_span: Span, b: str, b_span: Span, *, forwards: bool) -> Span:
    """``a_span``, extended over the next sentence if it is equal in ``b_span`` and came to this edge from there.

    It must be there more often than in ``a_span``: otherwise that has it already.
    """
    edge = _edge(a, a_span.end if forwards else a_span.start, forwards=forwards)
    sentence = edge.rest.strip()
    least = SHORT // 2 if _UNSPACED.search(sentence) else SHORT
    if not edge.between or len(sentence) < least or b.count(sentence, *b_span) <= a.count(sentence, *a_span):
        return a_span
    return Span(a_span.start, edge.limit) if forwards else Span(edge.limit, a_span.end)


def without_added_words(a: str, a_span: Span, b: str, b_span: Span) -> Span:
    """``a_span`` without up to ADDED words at its ends with which the source's passage ``b_span`` does not begin or
    end.

    These are the number of a note, the label of a table row, or the writer's own phrase, separated from the copied
    words by a mark or line end; the source's passage begins or ends with the EQUAL or more words next to them.
    """
    ours, theirs = (list(_PIECE.finditer(text, *span)) for text, span in ((a, a_span), (b, b_span)))
    start, end = a_span
    if (first := _added(ours, theirs)) and _apart(a, ours[first - 1], ours[first]):
        start = ours[first].start()
        before, there = a[a_span.start : start][::-1], b[b_span.start : theirs[0].start()][::-1]
        start -= _same(before, 0, len(before), there, 0)
    if (last := _added(ours[::-1], theirs[::-1])) and _apart(a, ours[-1 - last], ours[-last]):
        end = ours[-1 - last].end()
        end += _same(a, end, a_span.end, b, theirs[-1].end())
    return Span(start, end)


def _added(ours: Sequence[re.Match[str]], theirs: Sequence[re.Match[str]]) -> int:
    """The number of words at the beginning of ``ours`` before those with which ``theirs`` begins; 0 if unknown."""
    begin = [word[0].casefold() for word in theirs[:EQUAL]]
    some = [word[0].casefold() for word in ours[: ADDED + EQUAL]]
    if len(begin) < EQUAL:
        return 0
    return next((at for at in range(len(some) - EQUAL + 1) if some[at : at + EQUAL] == begin), 0)


def _apart(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    """Whether a mark, a line end or a number (in scripts without spaces, also a space) separates two words."""
    between = text[word.end() : following.start()]
    if between.strip() or "\n" in between or word[0].isdigit() or following[0].isdigit():
        return True
    return between != "" and _UNSPACED.search(word[0] + following[0]) is not None


def meeting_at_sentences(
    a: str, a_spans: Sequence[Span], b: str, b_spans: Sequence[Span]
) -> tuple[list[Span], list[Span]]:
    """Equal passages of ``a`` and ``b``, in the order of ``a``; two that meet within a sentence meet at its end if the
    source of the first also has the rest of it: one sentence came from one place.
    """
    ours, theirs = list(a_spans), list(b_spans)
    for at in range(len(ours) - 1):
        meet, limit = ours[at].end, ours[at + 1].end
        ends = (match.end() for match in _END.finditer(a, max(0, meet - LONGEST), min(len(a), meet + LONGEST)))
        end = next((end for end in ends if end >= meet), limit)
        if meet != ours[at + 1].start or not meet < end < limit:
            continue
        rest, other, start = a[meet:end], theirs[at].end, theirs[at + 1].start
        if b.startswith(rest, other) and b.startswith(rest, start):
            later = [Span(end, limit), Span(start + len(rest), theirs[at + 1].end)]
            ours[at], theirs[at] = Span(ours[at].start, end), Span(theirs[at].start, other + len(rest))
            ours[at + 1], theirs[at + 1] = (
                Span(side.end - len(text[slice(*side)].lstrip()), side.end)
                for text, side in zip((a, b), later, strict=True)
            )
    return ours, theirs


def copied_pieces(a: str, parts: Sequence[Span], b: str, within: Span) -> list[tuple[Span, Span]]:
    """The pieces of ``parts`` of ``a`` that come from ``b``, with their sources, in the order of ``a``.

    Pieces are runs of the same characters in the same order in both texts, with the changed sentences that continue
    them, and sentences similar to one of ``within``, the source of most parts; sentences shorter than SHORT must be
    equal. O(n log n) except for sentences not in ``within``, which are looked up in ``b``.
    """
    source = SourceWords(b, within)
    return [piece for part in parts for piece in _pieces(a, part, source)]


def _pieces(a: str, part: Span, source: SourceWords) -> list[tuple[Span, Span]]:
    pieces: list[tuple[Span, Span]] = []
    for own, other in _runs(a, part, source):
        if pieces and 0 <= other.start - pieces[-1][1].end <= own.start - pieces[-1][0].end + LONGEST:
            pieces[-1] = Span(pieces[-1][0].start, own.end), Span(pieces[-1][1].start, other.end)
        else:
            pieces.append((own, other))
    limits = [part.start, *chain.from_iterable(own for own, _ in pieces), part.end]
    for at, (own, other) in enumerate(pieces):
        low, high = limits[2 * at], limits[2 * at + 3]
        own, other = with_changed_sentences(a[low:high], Span(own.start - low, own.end - low), source.text, other)
        pieces[at] = Span(own.start + low, own.end + low), other
    others = []
    for own in sentence_spans(a, part):
        at = bisect_right(pieces, own.start, key=lambda piece: piece[0].end)
        taken = at < len(pieces) and pieces[at][0].start < own.end
        if not taken and (like := source.like(a[slice(*own)])):
            others.append((own, like))
    return sorted(pieces + others)


def _runs(a: str, part: Span, source: SourceWords) -> Iterator[tuple[Span, Span]]:
    """Runs of at least SHORT characters (half that in scripts without spaces) of ``part`` that occur in ``source``.

    Runs in its passage come first, and at each position the longest run, as in greedy tiling.
    """
    first = {size: source.first_places(a[slice(*part)], size) for size in SIZES}
    begins = {span.start for span in sentence_spans(a, part)}
    b, at, after = source.text, part.start, source.within.start
    while at < part.end:
        least = SHORT // 2 if _UNSPACED.match(a, at) else SHORT
        near = b.find(a[at : at + least], after, min(after + LONGEST, source.within.end))
        places = near, *(int(first[size][at - part.start]) for size in (least, SIZES[-1]))
        if at in begins and max(places) < 0:
            places = (b.find(a[at : at + 2 * SHORT]),)
        size, place = max((_same(a, at, part.end, b, it), it) for it in places)
        if size >= least:
            yield Span(at, at + size), Span(place, place + size)
            at, after = at + size, place + size
        else:
            at += 1


class SourceWords:
    """The text of a source, for looking up words, preferably ``within`` the source's side of a passage."""

    def __init__(self, text: str, within: Span) -> None:
        self.text, self.within = text, within
        self._hashes = {size: _hashes(text[slice(*within)], size) for size in SIZES}
        self._order = {size: np.argsort(hashes, kind="stable") for size, hashes in self._hashes.items()}
        self._sentences = list(sentence_spans(text, within))
        self._of_words: dict[tuple[str, ...], list[int]] = {}
        for i, sentence in enumerate(self._sentences):
            for adjacent in _adjacent(text[slice(*sentence)]):
                self._of_words.setdefault(adjacent, []).append(i)

    def first_places(self, text: str, size: int) -> NDArray[np.int64]:
        """First position of the ``size`` characters from each offset of ``text``; -1 if there is none.

        Compared by hashes, so the characters may differ.
        """
        ours, theirs, order = _hashes(text, size), self._hashes[size], self._order[size]
        places = np.full(len(text), -1)
        if len(theirs) and len(ours):
            at = order[np.minimum(np.searchsorted(theirs, ours, sorter=order), len(theirs) - 1)]
            places[: len(at)] = np.where(theirs[at] == ours, at + self.within.start, -1)
        return places

    def like(self, sentence: str) -> Span | None:
        """The sentence most similar to ``sentence``, among those that share most of its pairs of adjacent words; None
        if none is similar.
        """
        common = Counter(i for adjacent in _adjacent(sentence) for i in self._of_words.get(adjacent, ()))
        most = max(common.values(), default=0)
        spans = [self._sentences[i] for i in sorted(common) if common[i] == most]
        likeness, span = max(((alike(sentence, self.text[slice(*it)]), it) for it in spans), default=(0.0, Span(0, 0)))
        return span if likeness >= (ALIKE if min(len(sentence), span.end - span.start) >= SHORT else 1) else None


def _adjacent(sentence: str) -> set[tuple[str, ...]]:
    return set(pairwise(words(sentence.casefold())))


def _hashes(text: str, size: int) -> NDArray[np.uint64]:
    """Hashes of all runs of ``size`` characters."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    runs = max(0, len(codes) - size + 1)
    hashes = np.zeros(runs, np.uint64)
    for k in range(size):
        hashes = hashes * _FACTOR + codes[k : k + runs]
    return hashes


def _same(a: str, at: int, end: int, b: str, other: int) -> int:
    """Number of equal leading characters of ``a`` from ``at`` to ``end`` and of ``b`` from ``other``; never below 0."""
    size = 0
    while other >= 0 and at + size < end and other + size < len(b) and a[at + size] == b[other + size]:
        size += 1
    return size


def words(text: str) -> list[str]:
    """The words of ``text``; in scripts without spaces its characters."""
    return _WORD.findall(text)


def alike(a: str, b: str) -> float:
    """Share of the words of two sentences, in [0, 1], that are the same in the same order; 0 without words."""
    ours, theirs = words(a.casefold()), words(b.casefold())
    both = len(ours) + len(theirs)
    if 2 * sum((Counter(ours) & Counter(theirs)).values()) < REST * both or not both:
        return 0.0  # the order cannot increase it
    return 2 * _in_order(ours, theirs) / both


def _in_order(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence, bit-parallel (Hyyrö 2004)."""
    places: dict[Hashable, int] = {}
    for i, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << i
    every = (1 << len(a)) - 1
    row = every
    for word in b:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & every
    return len(a) - row.bit_count()


class _Edge(NamedTuple):
    """The sentence at an edge of a passage, or, if the edge is ``between`` two sentences, both of these.

    ``covered``: the part of it in the passage, or the last sentence; ``rest``: the remainder, or the next sentence;
    ``limit``: the offset after ``rest``; ``whole``: all of it.
    """

    covered: str
    rest: str
    whole: str
    limit: int
    between: bool


def _extended(a: str, at: int, b: str, other: int, *, forwards: bool) -> tuple[int, int]:
    """An edge of a passage (offsets in ``a`` and ``b``), moved past the sentences that continue it."""
    while True:
        ours, theirs = _edge(a, at, forwards=forwards), _edge(b, other, forwards=forwards)
        if _ends_quotation(ours, forwards=forwards) and not _ends_quotation(theirs, forwards=forwards):
            return at, other
        more = ours.limit, theirs.limit
        if ours.between and theirs.between:
            goes_on = alike(ours.rest, theirs.rest) >= ALIKE
        elif ours.between or theirs.between:
            within, around = (theirs, ours) if ours.between else (ours, theirs)
            goes_on = alike(within.whole, around.rest) >= ALIKE
            whole = alike(within.whole, around.covered)
            better = whole > alike(within.covered, around.covered) or _replaced(around, within, forwards=forwards)
            if not goes_on and whole >= ALIKE and better:
                goes_on, more = True, (at, theirs.limit) if ours.between else (ours.limit, other)
        else:
            rests = alike(ours.rest, theirs.rest)
            whole = alike(ours.whole, theirs.whole)
            goes_on = rests >= (REST if whole >= ALIKE else ALIKE) or (
                whole >= MOST and _as_long(ours.rest, theirs.rest)
            )
        if not goes_on and ours.between and _comes_from_next(ours, theirs):
            goes_on, more = True, (at, theirs.limit)
        if not goes_on or more == (at, other):
            return at, other
        at, other = more


def _ends_quotation(edge: _Edge, *, forwards: bool) -> bool:
    """Whether a quotation mark, rather than an apostrophe, is beside the passage at ``edge``."""
    rest = edge.rest.strip()
    return rest[:: 1 if forwards else -1][:1] in MARKS - {"’"}


def _replaced(around: _Edge, within: _Edge, *, forwards: bool) -> bool:
    """Whether the words at the end of the sentence ``around`` replace the rest of the one that the edge is ``within``.

    There are at least half as many, before the words that are equal on both sides or else before any that is in the
    part of the sentence that belongs to the passage.
    """
    own, known = (words(it.casefold())[:: -1 if forwards else 1] for it in (around.covered, within.covered))
    begin, some = known[:EQUAL], set(known)
    new = next((n for n in range(len(own)) if len(begin) == EQUAL and own[n : n + EQUAL] == begin), None)
    if new is None:
        new = next((n for n, word in enumerate(own) if word in some), len(own))
    return 0 < len(words(within.rest)) <= 2 * new


def _as_long(one: str, other: str) -> bool:
    """Whether two texts have words, neither over twice as many as the other."""
    fewer, more = sorted((len(words(one)), len(words(other))))
    return 0 < more <= 2 * fewer


def _comes_from_next(ours: _Edge, theirs: _Edge) -> bool:
    """Whether the last sentence of a passage corresponds to the next sentence of the source, or to the whole of the
    sentence in which the source's side ends, rather than to the last text of that side.

    Its words (stems; pairs of characters, in scripts without spaces) may be in any order.
    """
    whole = theirs.rest if theirs.between else theirs.whole
    if not theirs.rest or ours.covered.strip() == theirs.covered.strip():
        return False
    sentence, now, more = map(_stems, (ours.covered, theirs.covered, whole))
    return REST <= _in_common(sentence, more) > _in_common(sentence, now)


def _stems(text: str) -> Counter[Any]:
    units = words(text.casefold())
    if _UNSPACED.search(text):
        return Counter(pairwise(units))
    # With the compiler, which counting what was copied does not need.
    from workbench.methods.altered.words import stems

    return Counter(stems(units))


def _in_common(a: Counter[Any], b: Counter[Any]) -> float:
    both = a.total() + b.total()
    return 2 * (a & b).total() / both if both else 0.0


def _edge(text: str, at: int, *, forwards: bool) -> _Edge:
    """The sentence at the edge ``at`` of a passage that ends there (``forwards``) or begins there."""
    low, high = max(0, at - LONGEST), min(len(text), at + LONGEST)
    last, lead = low + len(text[low:at].rstrip()), high - len(text[at:high].lstrip())
    ends = [match.end() for match in _END.finditer(text, low, high)]
    between = last == low or lead == high or any(last <= end <= lead for end in ends)
    begins = max((end for end in ends if end < last), default=0 if low == 0 else at)
    stops_at = min((end for end in ends if end > lead), default=high if high == len(text) else at)
    before, after = text[begins:at], text[at:stops_at]
    if forwards:
        return _Edge(before, after, before + after, at + len(after.rstrip()), between)
    return _Edge(after, before, before + after, at - len(before.lstrip()), between)


def _letter(character: str) -> bool:
    """Whether ``character`` is a letter or digit of a script written with spaces."""
    return character.isalnum() and not _UNSPACED.match(character)


def inserted_between(matches: Sequence[tuple[Span, Span]], own: str, source: str, b_span: Span) -> list[Span]:
    """The writer's own sentences between two of ``matches`` (both sides) that are consecutive in both texts: the source
    has much less text between these, and no similar sentence in its passage ``b_span``.
    """
    inserted = []
    for between, there in _between(matches):
        if len(own[slice(*between)].strip()) <= SHORT + 2 * len(source[slice(*there)].strip()):
            continue
        words_there = SourceWords(source, b_span)
        if not any(words_there.like(own[slice(*sentence)]) for sentence in sentence_spans(own, between)):
            inserted.append(between)
    return inserted


def replaced_between(matches: Sequence[tuple[Span, Span]], own: str, source: str) -> list[tuple[Span, Span]]:
    """Sentences between two of ``matches`` (both sides) that are consecutive in both texts, and those that the source
    has in their place, if they have little in common, not even the initials of their words.
    """
    # It imports compiled kernels, as do stems.
    from workbench.methods.initials.text import lettered

    replaced = []
    for ours, theirs in _between(matches):
        whole = all(_ends_sentence(text, at) for text, span in ((own, ours), (source, theirs)) for at in span)
        sides = own[slice(*ours)], source[slice(*theirs)]
        if not whole or alike(*sides) >= ALIKE:
            continue
        one, other = (letters.letters.tolist() for letters in lettered(sides, ruby=False))
        if min(len(one), len(other)) >= SHORT // 2 and 2 * _in_order(one, other) < INITIALS * (len(one) + len(other)):
            replaced.append((ours, theirs))
    return replaced


def _between(matches: Sequence[tuple[Span, Span]]) -> Iterator[tuple[Span, Span]]:
    """The text between two of ``matches`` (both sides) that are consecutive in both texts, on both sides."""
    outer: list[tuple[Span, Span]] = []
    for sides in sorted(matches, key=lambda sides: (sides[0].start, -sides[0].end)):
        if not outer or sides[0].end > outer[-1][0].end:
            outer.append(sides)
    for (a_before, b_before), (a_after, b_after) in pairwise(outer):
        if b_before.end <= b_after.start:
            yield Span(a_before.end, a_after.start), Span(b_before.end, b_after.start)


def _ends_sentence(text: str, at: int) -> bool:
    """Whether a sentence ends at offset ``at``, or before the white space there."""
    before = text[max(0, at - SHORT) : at].rstrip(" \t\u3000")
    return bool(before) and any(match.end() == len(before) for match in _END.finditer(before))
