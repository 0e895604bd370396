"""Blocks that a site repeats on its pages: menus, notices and other templates that no single page gives away.

A block (its text, normalised) that stands on at least two other pages of a site is template. Pages that are
near-duplicates of each other (a printed edition, a second address) share their whole text and prove nothing: together
they count as one page.

Two pages are near-duplicates where the texts of their blocks, as sets weighted by characters, resemble each other by at
least half: ``w(A & B) / w(A | B) >= 0.5``. Pages are taken in order; one that is a near-duplicate of an earlier page
that *leads* a group joins the first such group, any other leads a group of its own. The groups are what counts.
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
from workbench.base.types import BlockKind

OTHERS = 2
"""Other pages on which a block of a page stands from which on it is template."""

SITE_BLOCK = np.dtype([("mark", "<i8"), ("weight", "<i4")])
"""Fingerprint of a block, and its weight: its number of characters, 0 where it is non-content anyway (a menu shared by
short pages makes them no near-duplicates)."""

_TOLD = np.array([*range(10), *(step * 10**power for power in range(1, 16) for step in (1, 2, 5))])
"""The numbers of pages that are told; others are rounded down to them, so that a reason is not another with every page
that a site gains."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a site repeats. ``pages`` counts groups of near-duplicate pages; ``group`` is that of each page, from 0.

    ``counts`` has for every block of all pages, one page after the other, the number of groups it stands in; those of
    page ``i`` are ``counts[starts[i]:starts[i + 1]]``.
    """

    pages: int
    group: NDArray[np.int64]
    counts: NDArray[np.int64]
    starts: NDArray[np.int64]

    def of(self, page: int) -> dict[int, int]:
        """The positions of the repeated blocks of a page, with the number of pages they stand on, this one included."""
        counts = self.counts[self.starts[page] : self.starts[page + 1]]
        return {int(at): int(counts[at]) for at in np.flatnonzero(counts > OTHERS)}

    def rules(self, page: int) -> dict[int, str]:
        """The reasons for the repeated blocks of a page, by position; numbers from ten on are round (``20+``)."""
        return {
            at: Message(
                "repeated on {count} of {pages} pages of the site", count=_about(count), pages=_about(self.pages)
            )
            for at, count in self.of(page).items()
        }

    def digest(self, page: int) -> str:
        """A name for the reasons of a page; empty where there are none."""
        counts = self.counts[self.starts[page] : self.starts[page + 1]]
        at = np.flatnonzero(counts > OTHERS)
        if not len(at):
            return ""
        said = np.concatenate([at, _rank(counts[at]), _rank(np.array([self.pages]))]).astype("<i4")
        return blake2b(said.tobytes(), digest_size=8).hexdigest()


def _rank(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(_TOLD, numbers, side="right") - 1


def _about(number: int) -> str:
    told = int(_TOLD[_rank(np.array([number]))[0]])
    return f"{told:,}" if told < 10 else f"{told:,}+"


def fingerprint(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> int:
    """64 bits (signed) of a block, the same for texts that differ only in width, case and white space.

    Blocks of different kinds differ: a page's heading is not the entry of that name in the menu of the other pages.
    """
    folded = kind + " " + " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return int.from_bytes(blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def repeated(pages: Sequence[NDArray[np.void]]) -> Repetition:
    """The blocks of one site's ``pages`` (arrays of :data:`SITE_BLOCK`, in order) that are template."""
    starts = np.cumsum([0, *map(len, pages)])
    whole = np.concatenate([np.empty(0, SITE_BLOCK), *pages])
    _, block = np.unique(whole["mark"], return_inverse=True)
    group = _groups(starts, block, whole["weight"], _spread(block, np.repeat(np.arange(len(pages)), np.diff(starts))))
    spread = _spread(block, np.repeat(group, np.diff(starts)))
    return Repetition(int(group.max(initial=-1)) + 1, group, spread[block], starts)


def _spread(block: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many places each block stands; blocks and places are numbered from 0."""
    wide = int(place.max(initial=0)) + 1
    pairs = np.sort(block * wide + place)  # np.unique hashes, which takes several times as long
    return np.bincount(pairs[np.diff(pairs, prepend=-1) != 0] // wide)


def _groups(
    starts: NDArray[np.int64], block: NDArray[np.int64], weight: NDArray[np.int32], spread: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The group of each page, numbered in the order of their leaders.

    Leaders to compare with come from an index. With the blocks of a site ordered from rare to common, two
    near-duplicates share a block among the first of each that leave less than half of its weight behind them.
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
        found = next((c for c in candidates if _resemble(shared, total, leaders[c], totals[c])), len(leaders))
        if found == len(leaders):
            leaders.append(shared)
            totals.append(total)
            for number in first:
                index[number].append(found)
        group.append(found)
    return np.array(group, np.int64)


def _first(weights: Mapping[int, tuple[int, int]], total: int) -> list[int]:
    """The rarest blocks of a page (pages it stands on, weight), up to where less than half of its weight remains.

    Only those that another page has too.
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
    """Whether ``w(a & b) / w(a | b) >= 1/2``; ``a`` and ``b`` need not hold what no other page has."""
    if 2 * min(a_total, b_total) < max(a_total, b_total):
        return False
    shared = sum(weight for mark, weight in a.items() if mark in b)
    return 3 * shared >= a_total + b_total
