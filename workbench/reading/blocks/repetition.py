"""Blocks that a site repeats on its pages: menus, notices and other template text that cannot be recognised from one
page alone.

A block (its text, normalised) that also appears on at least two other pages of the site is template text. Pages that
are near-duplicates of each other (a print version, a second URL) share all their text, which is no evidence of a
template: together they count as one page. So do the texts that one page has at different times.

A long block (:data:`LONG` characters or more) must also be adjacent to the same block, or the edge of the page, on that
many pages: a notice has a fixed place in the template, while a passage reused on a few pages has different
neighbours on each.

Two pages are near-duplicates if the texts of their blocks, as sets weighted by characters, resemble each other by at
least half: ``w(A & B) / w(A | B) >= 0.5``. Pages are taken in order; one that is a near-duplicate of an earlier page
that *leads* a group joins the first such group, any other starts a new group. Groups, not pages, are counted.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, BlockKind
from workbench.reading.blocks.selectors import was_selected

OTHERS = 2
"""Number of other pages from which a repeated block is template text."""

LONG = 80
"""Length, in characters, from which a block may be a passage of prose."""

SITE_BLOCK = np.dtype([("mark", "<i8"), ("weight", "<i4")])
"""Fingerprint of a block, and its weight: its number of characters, 0 if it is non-content anyway (so that a shared
menu does not make short pages near-duplicates).
"""

_REPEATED = "repeated on "
_ROUND_COUNTS = np.array([*range(10), *(step * 10**power for power in range(1, 16) for step in (1, 2, 5))])
"""Page counts are rounded down to one of these, so that reasons do not change with every page added to a site."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The blocks that a site repeats. ``pages`` counts groups of near-duplicate pages; ``group`` is the group of each
    page, from 0.

    ``counts``: the number of groups each block appears in, over all pages (at most ``OTHERS`` for a long one with
    different neighbours); page ``i`` has ``counts[starts[i]:starts[i + 1]]``.
    """

    pages: int
    group: NDArray[np.int64]
    counts: NDArray[np.int64]
    starts: NDArray[np.int64]

    def of(self, page: int) -> dict[int, int]:
        """The positions of a page's repeated blocks, with the number of pages they appear on, including this one."""
        counts = self.counts[self.starts[page] : self.starts[page + 1]]
        return {int(at): int(counts[at]) for at in np.flatnonzero(counts > OTHERS)}

    def rules(self, page: int) -> dict[int, str]:
        """The reasons for the repeated blocks of a page, by position; counts of ten or more are rounded (``20+``)."""
        return {
            at: Message(
                "repeated on {count} of {pages} pages of the site", count=_about(count), pages=_about(self.pages)
            )
            for at, count in self.of(page).items()
        }

    def digest(self, page: int) -> str:
        """A digest of a page's reasons; empty if there are none."""
        counts = self.counts[self.starts[page] : self.starts[page + 1]]
        at = np.flatnonzero(counts > OTHERS)
        if not len(at):
            return ""
        facts = np.concatenate([at, _rank(counts[at]), _rank(np.array([self.pages]))]).astype("<i4")
        return blake2b(facts.tobytes(), digest_size=8).hexdigest()


def _rank(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(_ROUND_COUNTS, numbers, side="right") - 1


def _about(number: int) -> str:
    rounded = int(_ROUND_COUNTS[_rank(np.array([number]))[0]])
    return f"{rounded:,}" if rounded < 10 else f"{rounded:,}+"


def fingerprint(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> int:
    """A 64-bit (signed) fingerprint of a block, equal for texts that differ only in width, case and white space.

    Blocks of different kinds differ: a page's heading is not the entry of that name in the menu of the other pages.
    """
    folded = kind + " " + " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return int.from_bytes(blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def site_blocks(text: str, blocks: Sequence[Block]) -> NDArray[np.void]:
    """The ``blocks`` of a page with ``text`` in the form compared within a site (:data:`SITE_BLOCK`); a block already
    marked as repeated keeps its weight as content.
    """
    rows = []
    for block in blocks:
        counts = block.verdict is BlockClass.CONTENT or block.rule.startswith(_REPEATED)
        piece = text[block.span.start : block.span.end]
        rows.append((fingerprint(piece, block.kind), len(piece) if counts else 0))
    return np.array(rows, SITE_BLOCK)


def without_repeated(blocks: tuple[Block, ...], rules: Mapping[int, str]) -> tuple[Block, ...]:
    """``blocks`` with repeated ones marked as non-content; ``rules`` are the reasons, by position.

    Blocks already non-content for another reason keep it, and blocks chosen by a selector remain content.
    """
    after = list(blocks)
    for at, rule in rules.items():
        counted = after[at].verdict is BlockClass.CONTENT and not was_selected(after[at])
        if counted or after[at].rule.startswith(_REPEATED):
            after[at] = after[at]._replace(verdict=BlockClass.NON_CONTENT, rule=rule)
    return tuple(after)


def repeated(pages: Sequence[NDArray[np.void]], first: Sequence[int] | None = None) -> Repetition:
    """The template blocks of one site's ``pages`` (arrays of :data:`SITE_BLOCK`, in order). ``first`` is the position
    of the first page with the same address, for each page: earlier and later texts of one page count as one.
    """
    starts = np.cumsum([0, *map(len, pages)])
    whole = np.concatenate([np.empty(0, SITE_BLOCK), *pages])
    _, block = np.unique(whole["mark"], return_inverse=True)
    group = _groups(starts, block, whole["weight"], _spread(block, np.repeat(np.arange(len(pages)), np.diff(starts))))
    if first is not None:
        _, group = np.unique(group[np.array(first, np.int64)], return_inverse=True)
    place = np.repeat(group, np.diff(starts))
    counts = _spread(block, place)[block]
    moving = (whole["weight"] >= LONG) & (_company(block, place, starts) <= OTHERS)
    return Repetition(
        int(group.max(initial=-1)) + 1, group, np.where(moving, np.minimum(counts, OTHERS), counts), starts
    )


def _company(block: NDArray[np.int64], place: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each block, the number of groups in which it has the same neighbour, on the side with the greater number."""
    if not len(block):
        return np.zeros(0, np.int64)
    edge = int(block.max()) + 1
    before, after = np.roll(block, 1), np.roll(block, -1)
    before[starts[:-1][np.diff(starts) > 0]] = edge
    after[starts[1:][np.diff(starts) > 0] - 1] = edge
    company = np.zeros(len(block), np.int64)
    for neighbour in (before, after):
        _, beside = np.unique(block * (edge + 1) + neighbour, return_inverse=True)
        company = np.maximum(company, _spread(beside, place)[beside])
    return company


def _spread(block: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of places in which each block occurs; blocks and places are numbered from 0."""
    wide = int(place.max(initial=0)) + 1
    pairs = np.sort(block * wide + place)  # np.unique is several times slower
    return np.bincount(pairs[np.diff(pairs, prepend=-1) != 0] // wide)


def _groups(
    starts: NDArray[np.int64], block: NDArray[np.int64], weight: NDArray[np.int32], spread: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The group of each page, numbered in the order of their leaders.

    The leaders to compare come from an index. If a site's blocks are ordered from rare to common, any two
    near-duplicates share one of the blocks before the point after which less than half of a page's weight remains.
    """
    index: defaultdict[int, list[int]] = defaultdict(list)
    leaders: list[dict[int, int]] = []
    totals: list[int] = []
    group = []
    weighs = weight > 0
    ends = np.concatenate([[0], np.cumsum(weighs)])[starts]
    block, weight = block[weighs], weight[weighs]
    for start, end in pairwise(ends.tolist()):
        own = zip(block[start:end].tolist(), weight[start:end].tolist(), spread[block[start:end]].tolist(), strict=True)
        weights = {number: (pages, size) for number, size, pages in own}
        total = sum(size for _, size in weights.values())
        first = _first(weights, total)
        shared = {number: size for number, (pages, size) in weights.items() if pages > 1}
        candidates = sorted({leader for number in first for leader in index.get(number, ())})
        nearest = next((c for c in candidates if _resemble(shared, total, leaders[c], totals[c])), len(leaders))
        if nearest == len(leaders):
            leaders.append(shared)
            totals.append(total)
            for number in first:
                index[number].append(nearest)
        group.append(nearest)
    return np.array(group, np.int64)


def _first(weights: Mapping[int, tuple[int, int]], total: int) -> list[int]:
    """The rarest blocks of a page (number of pages, weight), up to the point where less than half of its weight
    remains.

    Only blocks that are also on another page are included.
    """
    first, rest = [], total
    for pages, number in sorted((pages, number) for number, (pages, _) in weights.items()):
        if 2 * rest < total:
            break
        rest -= weights[number][1]
        if pages > 1:
            first.append(number)
    return first


def _resemble(a: Mapping[int, int], a_total: int, b: Mapping[int, int], b_total: int) -> bool:
    """Whether ``w(a & b) / w(a | b) >= 1/2``; ``a`` and ``b`` may omit blocks of only one page."""
    if 2 * min(a_total, b_total) < max(a_total, b_total):
        return False
    shared = sum(weight for mark, weight in a.items() if mark in b)
    return 3 * shared >= a_total + b_total
