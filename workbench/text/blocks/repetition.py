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
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from workbench.base.types import BlockKind

OTHERS = 2
"""Other pages on which a block of a page stands from which on it is template."""

SiteBlock = tuple[int, int]
"""Fingerprint of a block, and its weight: its number of characters, 0 where it is non-content anyway (a menu shared by
short pages makes them no near-duplicates)."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a site repeats. ``pages`` counts groups of near-duplicate pages; ``group`` is that of each page, from 0.

    ``blocks`` has for each page the positions of its repeated blocks, with the number of pages they stand on, this one
    included.
    """

    pages: int
    group: tuple[int, ...]
    blocks: tuple[Mapping[int, int], ...]

    def rule(self, page: int, block: int) -> str:
        """The reason to give for a repeated block."""
        return f"repeated on {self.blocks[page][block]:,} of {self.pages:,} pages of the site"


def fingerprint(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> int:
    """64 bits (signed) of a block, the same for texts that differ only in width, case and white space.

    Blocks of different kinds differ: a page's heading is not the entry of that name in the menu of the other pages.
    """
    folded = kind + " " + " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return int.from_bytes(blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def repeated(pages: Sequence[Sequence[SiteBlock]]) -> Repetition:
    """The blocks of one site's ``pages`` that are template."""
    group = _groups(pages)
    groups: dict[int, int] = {}
    last: dict[int, int] = {}
    order = sorted(range(len(pages)), key=group.__getitem__)
    for page in order:
        for mark in {mark for mark, _ in pages[page]}:
            if last.get(mark) != group[page]:
                last[mark] = group[page]
                groups[mark] = groups.get(mark, 0) + 1
    found = tuple(
        {at: groups[mark] for at, (mark, _) in enumerate(blocks) if groups[mark] > OTHERS} for blocks in pages
    )
    return Repetition(max(group, default=-1) + 1, tuple(group), found)


def _groups(pages: Sequence[Sequence[SiteBlock]]) -> list[int]:
    """The group of each page, numbered in the order of their leaders.

    Leaders to compare with come from an index. With the blocks of a site ordered from rare to common, two
    near-duplicates share a block among the first of each that leave less than half of its weight behind them.
    """
    frequency = Counter(mark for blocks in pages for mark in dict(blocks))
    index: defaultdict[int, list[int]] = defaultdict(list)
    leaders: list[dict[int, int]] = []
    totals: list[int] = []
    group = []
    for blocks in pages:
        weights = {mark: weight for mark, weight in blocks if weight > 0}
        total = sum(weights.values())
        first = _first(weights, total, frequency)
        candidates = sorted({leader for mark in first for leader in index.get(mark, ())})
        found = next((c for c in candidates if _resemble(weights, total, leaders[c], totals[c])), len(leaders))
        if found == len(leaders):
            leaders.append(weights)
            totals.append(total)
            for mark in first:
                index[mark].append(found)
        group.append(found)
    return group


def _first(weights: Mapping[int, int], total: int, frequency: Mapping[int, int]) -> list[int]:
    """The rarest blocks of a page, up to where less than half of its weight remains, that another page has too."""
    first, rest = [], total
    for mark in sorted(weights, key=lambda mark: (frequency[mark], mark)):
        if 2 * rest < total:
            break
        rest -= weights[mark]
        if frequency[mark] > 1:
            first.append(mark)
    return first


def _resemble(a: Mapping[int, int], a_total: int, b: Mapping[int, int], b_total: int) -> bool:
    """Whether ``w(a & b) / w(a | b) >= 1/2``."""
    if 2 * min(a_total, b_total) < max(a_total, b_total):
        return False
    shared = sum(weight for mark, weight in a.items() if mark in b)
    return 3 * shared >= a_total + b_total
