"""Site-level evidence: whether a host is a mirror of another, or only contains copies of some of its pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from workbench.reading.web.urls import host_parts

MIRRORED = 5
"""Minimum number of identical pages of two hosts that may be mirrors."""
COVERED = 0.5
"""Their minimum share of the smaller host's pages."""
ORDERED = 0.9
"""Minimum rank correlation of the addresses of pages in the same order."""
ALIKE = 0.5
"""Minimum share of equal template texts of two hosts with the same template."""


@dataclass(frozen=True, slots=True)
class HostPair:
    """The identical pages of two hosts.

    ``pages`` counts them, ``covered`` is their share of the smaller host's pages, ``same_path`` the share with equal
    paths, ``order`` the rank correlation of their addresses (-1 to 1), ``template`` the share of template texts that
    both have (0 to 1).
    """

    pages: int
    covered: float
    same_path: float
    order: float
    template: float

    @property
    def is_mirror(self) -> bool:
        """Whether one is a mirror of the other: many identical pages, at the same paths or in the same order, with the
        same template.

        Copiers put texts into their own pages; a site that moved keeps its menus and notices.
        """
        if self.pages < MIRRORED or self.covered < COVERED:
            return False
        return self.same_path >= 0.8 or (self.template >= ALIKE and self.order >= ORDERED) or self.template >= 0.8


def host_of(url: str) -> str:
    """Host and port of ``url`` without a leading www; empty if there is none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].casefold().removeprefix("www.")
    except ValueError:
        return ""


def same_owner(a: str, b: str) -> bool:
    """Whether two addresses have one host, or hosts whose names share a part (blog.example.org, example.org)."""
    left, right = host_of(a), host_of(b)
    if not left or not right:
        return False
    if left == right:
        return True
    names = [host.partition(":")[0] for host in (left, right)]
    if any(name.replace(".", "").isdecimal() or "[" in name for name in names):
        return False
    return bool(host_parts(names[0]) & host_parts(names[1]))


def path_of(url: str) -> str:
    """Path and query of ``url``; ``url`` itself if it is not a valid address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")


def mirrors(
    identical: Iterable[tuple[str, str]],
    pages: Mapping[str, int],
    template: Callable[[str, str], float],
) -> dict[frozenset[str], HostPair]:
    """The pairs of hosts with identical pages on both, by their names.

    ``identical``: addresses of pairs of identical pages; ``pages``: the known number of pages of each host;
    ``template``: the share of template texts that two pages (by address) have in common.
    """
    by_hosts: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for a, b in identical:
        first, second = host_of(a), host_of(b)
        if first and second and first != second:
            by_hosts[min(first, second), max(first, second)].append((a, b) if first < second else (b, a))
    host_pairs = {}
    for (first, second), pairs in by_hosts.items():
        left, right = ({pair[side] for pair in pairs} for side in (0, 1))
        copied = min(len(left), len(right))
        smaller = min(pages.get(first, 0), pages.get(second, 0))
        samples = pairs[:: max(1, len(pairs) // 3)][:3] if copied >= MIRRORED else []
        host_pairs[frozenset((first, second))] = HostPair(
            copied,
            copied / smaller if smaller else 0.0,
            sum(path_of(a) == path_of(b) for a, b in pairs) / len(pairs),
            _order(pairs),
            float(np.mean([template(a, b) for a, b in samples])) if samples else 0.0,
        )
    return host_pairs


def _order(pairs: Sequence[tuple[str, str]]) -> float:
    """Spearman's rank correlation of the addresses on both sides; 0 if undefined."""
    if len(pairs) < 3:
        return 0.0
    ranks = []
    for side in (0, 1):
        places = {url: at for at, url in enumerate(sorted({pair[side] for pair in pairs}, key=_natural))}
        ranks.append(np.array([places[pair[side]] for pair in pairs], np.float64))
    with np.errstate(invalid="ignore"):
        value = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
    return value if np.isfinite(value) else 0.0


def _natural(url: str) -> tuple[tuple[bool, int, str, str], ...]:
    """A key that orders numbers within addresses by value."""
    parts: list[str] = []
    for character in url:
        if parts and character.isdecimal() == parts[-1][-1].isdecimal():
            parts[-1] += character
        else:
            parts.append(character)
    # A number may have more digits than int() reads.
    keys = ((part[0].isdecimal(), part.lstrip("0"), part) for part in parts)
    return tuple((not number, len(digits) if number else 0, digits, part) for number, digits, part in keys)
