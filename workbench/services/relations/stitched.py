"""Stitched pages: pages whose content is assembled from several unrelated pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, B, content_spans, stretches
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Ints, Matches, Role
from workbench.methods.rare_sentences.relations import Relation, interval
from workbench.project.documents import load_document
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.project.pairs import Pair, pair_pages
from workbench.project.runs import load_run
from workbench.services.relations.options import StitchedOptions
from workbench.services.review.by_hand import with_added
from workbench.services.session import Session

STEPS = 50_000
"""Maximum number of branches explored in the search for the best choice."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Positions of the chosen, ascending. ``proven`` is False if the search stopped before exploring everything."""

    chosen: tuple[int, ...]
    proven: bool = True


def unrelated(weights: Sequence[int], related: Sequence[int], enough: int, steps: int = STEPS) -> Choice:
    """An independent set with maximum min(size, ``enough``), among these with maximum weight, and among these with most
    members.

    ``related[i]`` has bit j set if i and j are related (symmetric, no bit i); weights are positive. Exact: branch and
    bound, where a greedy clique cover bounds the possible gain (at most one node per clique). A node is removed
    beforehand if a related node weighs no less and has no other relations.
    """
    best, value = 0, (0, 0, 0)
    stack = [(_undominated(weights, related), 0, 0)]
    while stack and steps > 0:
        steps -= 1
        open_, chosen, weight = stack.pop()
        for node in _bits(open_):
            if not related[node] & open_:
                open_, chosen, weight = open_ & ~(1 << node), chosen | 1 << node, weight + weights[node]
        reached = (min(chosen.bit_count(), enough), weight, chosen.bit_count())
        if reached > value:
            best, value = chosen, reached
        count, most = _bound(weights, related, open_)
        size = chosen.bit_count() + count
        if not open_ or (min(size, enough), weight + most, size) <= value:
            continue
        node = max(_bits(open_), key=weights.__getitem__)
        rest = open_ & ~(1 << node)
        stack.append((rest, chosen, weight))
        stack.append((rest & ~related[node], chosen | 1 << node, weight + weights[node]))
    return Choice(tuple(_bits(best)), not stack)


def _undominated(weights: Sequence[int], related: Sequence[int]) -> int:
    """The nodes worth considering, as bits."""
    nodes = (1 << len(weights)) - 1
    for node in sorted(range(len(weights)), key=lambda n: (weights[n], -n)):
        closed = (related[node] | 1 << node) & nodes
        for other in _bits(related[node] & nodes):
            theirs = (related[other] | 1 << other) & nodes
            if (weights[other], -other) > (weights[node], -node) and theirs & ~closed == 0:
                nodes &= ~(1 << node)
                break
    return nodes


def _bound(weights: Sequence[int], related: Sequence[int], open_: int) -> tuple[int, int]:
    """Upper bounds on the number of nodes of ``open_`` in an independent set, and on their weight."""
    count = most = 0
    while open_:
        node = max(_bits(open_), key=weights.__getitem__)
        count, most = count + 1, most + weights[node]
        clique, near = 1 << node, related[node] & open_
        while near:
            other = next(_bits(near))
            clique |= 1 << other
            near &= related[other]
        open_ &= ~clique
    return count, most


def _bits(nodes: int) -> Iterator[int]:
    """Positions of the bits set, ascending."""
    while nodes:
        low = nodes & -nodes
        yield low.bit_length() - 1
        nodes ^= low


@dataclass(frozen=True, slots=True)
class StitchedSource:
    """A source (key) of a stitched page, and how many code points of the page's content its passages cover."""

    key: int
    characters: int


@dataclass(frozen=True, slots=True)
class StitchedPage:
    """A page (key) with ``length`` code points of content, ``covered`` of them by ``sources``, the largest first.

    ``others`` counts the pages that share as much with it, but are related to a source or cover less than the chosen
    ones. ``proven`` is False if the search for the best choice of sources was cut short.
    """

    key: int
    length: int
    covered: int
    sources: tuple[StitchedSource, ...]
    others: int
    proven: bool

    @property
    def share(self) -> float:
        """Covered share of the content, 0 to 1."""
        return self.covered / self.length if self.length else 0.0


@dataclass(frozen=True, slots=True)
class Stitched:
    """The stitched pages of a run, those with the greatest covered share first.

    ``undecided`` counts pages for which this is unknown: no choice of sources was found that makes them stitched, but
    the search was cut short.
    """

    pages: tuple[StitchedPage, ...]
    undecided: int = 0


def stitched_pages(session: Session, run_id: int, options: StitchedOptions | None = None) -> Stitched:
    """The stitched pages of a run.

    Definition. The content of a page p is that of :func:`workbench.base.coverage.content_spans`. The cover of p by
    another page q is the set of code points of p's content that lie in a passage the run found in p and q, on either
    side of a match; a page marked as a suspect is not a source of one that is not, nor is one that is dated later than
    p, nor a page of the archive that p is. q is a source of p if its cover has at least ``characters`` code points. Two
    sources of p are related if the run pairs them or found a passage in both, or if their covers of p have at least
    ``characters`` code points in common (then they share that text, even if the run did not compare them). p is
    stitched if ``sources`` or more of its sources, no two of them related, together cover at least ``share`` of its
    content. Among all choices of at least ``sources`` unrelated sources, the one with the greatest sum of covers, and
    among these with most sources, is judged and reported; stitched pages and younger copies are chosen only where p is
    not stitched without them.

    Raises UserError for a run without passages, ProjectError for an unknown run.
    """
    with session.read() as connection:
        run = load_run(connection, run_id)
        if not run.matches and run.pairs:
            raise UserError(
                Message(
                    "Run {id} compares whole documents: it has no passages that show where a page's text comes from.",
                    id=run_id,
                ),
                hint=Message("Use a run of a method that finds passages."),
            )
        matches = with_added(connection, run_id, match_columns(connection, run_id))
        items = items_of(connection, np.union1d(matches.a, matches.b).tolist())
        pairs: list[Pair] = []
        for page in pair_pages(connection, run_id):
            pairs.extend(page)
        archived = np.array([(p.a, p.b) for p in pairs if p.relation == Relation.ARCHIVE], np.int64).reshape(-1, 2)
        inside = np.isin(_code(matches.a, matches.b), _code(archived[:, 0], archived[:, 1]))
        matches = matches.take(np.flatnonzero(~inside))
        roles = {key: item.role for key, item in items.items()}
        dates = {key: date for key, item in items.items() if (date := interval(item.published))}
        older = _older([(p.a, p.b) for p in pairs if p.relation in _TWINS], dates)

        def stitched_among(among: Matches) -> Stitched:
            related = [(p.a, p.b) for p in pairs]
            return find_stitched(among, related, roles, lambda key: load_document(connection, key), options, dates)

        first = stitched_among(matches)
        stitched_keys = {page.key for page in first.pages}
        pages = [_by_originals(page, matches, stitched_keys, older, stitched_among) for page in first.pages]
        return Stitched(_in_order(pages), first.undecided)


_TWINS = (Relation.MIRROR, Relation.IDENTICAL_COPY)


def _older(twins: Sequence[tuple[int, int]], dates: Mapping[int, tuple[float, float]]) -> dict[int, set[int]]:
    """For each page, the older pages (by date, else by import) with nearly the same text."""
    older: defaultdict[int, set[int]] = defaultdict(set)
    for pair in twins:
        old, young = sorted(pair, key=lambda key: (dates[key][0] if key in dates else np.inf, key))
        older[young].add(old)
    return older


def _by_originals(
    page: StitchedPage,
    matches: Matches,
    stitched_keys: Collection[int],
    older: Mapping[int, set[int]],
    stitched_among: Callable[[Matches], Stitched],
) -> StitchedPage:
    """The page with originals in place of stitched pages and younger copies, if it is stitched from the originals."""
    if not any(source.key in stitched_keys or source.key in older for source in page.sources):
        return page
    own = matches.take(np.flatnonzero((matches.a == page.key) | (matches.b == page.key)))
    other = np.where(own.a == page.key, own.b, own.a)
    there = set(other.tolist())
    copies = [key for key in there if key in stitched_keys or older.get(key, set()) & there]
    again = stitched_among(own.take(np.flatnonzero(~np.isin(other, copies))))
    return next((after for after in again.pages if after.key == page.key), page)


def _in_order(pages: Iterable[StitchedPage]) -> tuple[StitchedPage, ...]:
    return tuple(sorted(pages, key=lambda p: (-p.share, -len(p.sources), p.key)))


def find_stitched(
    matches: Matches,
    pairs: Sequence[tuple[int, int]],
    roles: Mapping[int, Role],
    load: Callable[[int], Document],
    options: StitchedOptions | None = None,
    dates: Mapping[int, tuple[float, float]] | None = None,
) -> Stitched:
    """One round of :func:`stitched_pages`, for passages and pairs of documents (keys) with these roles, read by
    ``load``; any source may be chosen.

    ``dates``: the seconds, first and one past the last, between which documents were published.
    """
    options = options or StitchedOptions()
    known = _Known(matches, pairs)
    judged = [_judged(load(c.key), c, known, options) for c in _candidates(matches, roles, options, dates or {})]
    pages = (judgement.page for judgement in judged if judgement.page is not None)
    return Stitched(_in_order(pages), sum(not judgement.decided for judgement in judged))


class _Known:
    """The documents the run found to have something in common."""

    def __init__(self, matches: Matches, pairs: Sequence[tuple[int, int]]) -> None:
        rows = np.array(pairs, np.int64).reshape(-1, 2)
        self._codes = np.union1d(_code(matches.a, matches.b), _code(rows[:, 0], rows[:, 1]))

    def among(self, keys: Ints) -> NDArray[np.bool_]:
        """Which of ``keys`` are known to be related, bool[n, n]."""
        codes = _code(keys[:, None], keys[None, :])
        if not len(self._codes):
            return np.zeros(codes.shape, np.bool_)
        place = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        mask: NDArray[np.bool_] = self._codes[place] == codes
        return mask


def _code(a: Ints, b: Ints) -> Ints:
    """One number for a pair of keys (each below 2**31), in either order."""
    code: Ints = (np.minimum(a, b) << 32) | np.maximum(a, b)
    return code


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A page and its passages, by the page they are shared with: ``other``, ``start``, ``end`` of equal length."""

    key: int
    other: Ints
    start: Ints
    end: Ints


def _candidates(
    matches: Matches, roles: Mapping[int, Role], options: StitchedOptions, dates: Mapping[int, tuple[float, float]]
) -> Iterator[_Candidate]:
    """Pages that may be stitched: those with enough passages from enough pages, regardless of overlaps."""
    highest = max(roles, default=0) + 1
    suspect = np.zeros(highest, np.bool_)
    suspect[[key for key, role in roles.items() if role == Role.SUSPECT]] = True
    sides = (stretches(matches, A), matches.a, matches.b), (stretches(matches, B), matches.b, matches.a)
    page = np.concatenate([on[covering.row] for covering, on, _ in sides])
    other = np.concatenate([beside[covering.row] for covering, _, beside in sides])
    start = np.concatenate([covering.start for covering, _, _ in sides])
    end = np.concatenate([covering.end for covering, _, _ in sides])
    begun, over = np.full(highest, -np.inf), np.full(highest, np.inf)
    for key, (start_of, end_of) in dates.items():
        if key < highest:
            begun[key], over[key] = start_of, end_of
    # A page dated after p is not a source of p.
    later = np.isfinite(begun[other]) & np.isfinite(over[page]) & (begun[other] >= over[page])
    rows = np.flatnonzero((suspect[page] | ~suspect[other]) & (page != other) & ~later)
    rows = rows[np.lexsort((start[rows], other[rows], page[rows]))]
    page, other, start, end = page[rows], other[rows], start[rows], end[rows]
    fresh = np.ones(len(page), np.bool_)
    fresh[1:] = (page[1:] != page[:-1]) | (other[1:] != other[:-1])
    first = np.flatnonzero(fresh)
    if not len(first):
        return
    length = np.add.reduceat(end - start, first)
    enough = np.bincount(page[first][length >= options.characters], minlength=highest) >= options.sources
    for key in np.flatnonzero(enough).tolist():
        low, high = np.searchsorted(page, (key, key + 1))
        yield _Candidate(key, other[low:high], start[low:high], end[low:high])


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The result for a page; None if it is not stitched (or, unless ``decided``, may not be)."""

    page: StitchedPage | None = None
    decided: bool = True


def _judged(document: Document, candidate: _Candidate, known: _Known, options: StitchedOptions) -> _Judgement:
    content = np.array(content_spans(document), np.int64).reshape(-1, 2)
    length = int((content[:, 1] - content[:, 0]).sum())
    keys, covers = [], []
    for key in np.unique(candidate.other).tolist():
        rows = candidate.other == key
        cover = _within(_union(candidate.start[rows], candidate.end[rows]), content)
        if _size(cover) >= options.characters:
            keys.append(key)
            covers.append(cover)
    if len(keys) < options.sources:
        return _Judgement()
    shared = known.among(np.array(keys, np.int64)) | (_overlaps(covers) >= options.characters)
    related = [sum(1 << j for j in np.flatnonzero(row).tolist() if j != i) for i, row in enumerate(shared)]
    sizes = [_size(cover) for cover in covers]
    choice = unrelated(sizes, related, options.sources)
    chosen = choice.chosen
    if len(chosen) < options.sources:
        return _Judgement(decided=choice.proven)
    whole = np.concatenate([covers[i] for i in chosen])
    covered = _size(_union(whole[:, 0], whole[:, 1]))
    if covered < options.share * length:
        return _Judgement(decided=choice.proven)
    sources = sorted((StitchedSource(keys[i], sizes[i]) for i in chosen), key=lambda s: (-s.characters, s.key))
    others = len(keys) - len(chosen)
    return _Judgement(StitchedPage(document.key, length, covered, tuple(sources), others, choice.proven))


def _size(spans: Ints) -> int:
    return int((spans[:, 1] - spans[:, 0]).sum())


def _union(start: Ints, end: Ints) -> Ints:
    """Disjoint spans, ascending, covering the same code points, int64[n, 2]."""
    order = np.argsort(start, kind="stable")
    start, reached = start[order], np.maximum.accumulate(end[order])
    fresh = np.ones(len(start), np.bool_)
    fresh[1:] = start[1:] > reached[:-1]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(start)) - 1
    return np.stack((start[first], reached[last]), axis=1)


def _within(spans: Ints, bounds: Ints) -> Ints:
    """The parts of disjoint ``spans`` inside disjoint ``bounds``, both ascending."""
    low = np.searchsorted(bounds[:, 1], spans[:, 0], "right")
    high = np.searchsorted(bounds[:, 0], spans[:, 1], "left")
    count = np.maximum(0, high - low)
    row = np.repeat(np.arange(len(spans)), count)
    at = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(low, count)
    start = np.maximum(spans[row, 0], bounds[at, 0])
    return np.stack((start, np.minimum(spans[row, 1], bounds[at, 1])), axis=1)


def _overlaps(covers: list[Ints]) -> Ints:
    """The numbers of code points that covers have in common, int64[n, n].

    The size of a cover below x is piecewise linear in x, so its overlap with each span of all covers takes two
    interpolations.
    """
    spans = np.concatenate(covers)
    owner = np.repeat(np.arange(len(covers)), [len(cover) for cover in covers])
    table = np.zeros((len(covers), len(covers)), np.int64)
    for at, cover in enumerate(covers):
        below = np.stack((np.cumsum(cover[:, 1] - cover[:, 0]) - (cover[:, 1] - cover[:, 0]),) * 2, axis=1)
        below[:, 1] += cover[:, 1] - cover[:, 0]
        inside = np.interp(spans, cover.ravel(), below.ravel())
        table[at] = np.bincount(owner, inside[:, 1] - inside[:, 0], minlength=len(covers)).round()
    return table
