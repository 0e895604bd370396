"""Near-duplicate sets: a partition of documents that follows from their similar pairs.

Source: Huang, Wang and Li (2007), section 3.3: each document joins the first set whose first document it is similar to;
documents that would lead large sets come first.
"""

from __future__ import annotations

from collections.abc import Iterable


def near_duplicate_sets(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Sets of two documents or more; a document is in at most one set, with a first document it is similar to.

    Documents are ordered by the number of documents they are similar to, the most first, ties by key; so are the sets.
    The first document of a set leads it, the others follow by key. Similarity is not transitive: the ends of a long
    chain are not in one set.
    """
    similar: dict[int, set[int]] = {}
    for a, b in pairs:
        if a != b:
            similar.setdefault(a, set()).add(b)
            similar.setdefault(b, set()).add(a)
    placed: set[int] = set()
    sets: list[tuple[int, ...]] = []
    for first in sorted(similar, key=lambda key: (-len(similar[key]), key)):
        if first not in placed:
            others = sorted(similar[first] - placed)
            placed.update(others, (first,))
            if others:
                sets.append((first, *others))
    return sets
