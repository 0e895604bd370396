"""Chooses unrelated sources among those of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

STEPS = 50_000
"""Branches explored before the search for the best choice stops with the best one found."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Positions of the chosen, ascending. ``proven`` is False if the search stopped before exploring everything."""

    chosen: tuple[int, ...]
    proven: bool = True


def unrelated(weights: Sequence[int], related: Sequence[int], enough: int, steps: int = STEPS) -> Choice:
    """An independent set whose min(size, ``enough``) is greatest, of such sets one of the greatest weight, and of these
    one with most members.

    ``related[i]`` has bit j set if i and j are related (symmetric, no bit i); weights are positive. Exact: branch and
    bound, where a greedy clique cover bounds what can still be gained (at most one node of a clique). A node is removed
    beforehand if another one related to it weighs no less and has no further relations.
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
