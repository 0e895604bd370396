"""Sources that are themselves copies: which source of a passage took it from which other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Matches
from workbench.jobs.context import Context
from workbench.methods.rare_sentences.relations import Direction
from workbench.project.database import Connection, open_project
from workbench.services.relations.direction import Conclusion
from workbench.services.relations.directions import Directions


@dataclass(frozen=True, slots=True)
class EarlierSource:
    """A document (``key``) from which the one before it in a chain took a passage, and the evidence for that, where
    ``a`` is the later document and ``b`` this one.
    """

    key: int
    evidence: Conclusion


Chain = tuple[EarlierSource, ...]


def chain(source: int, others: Collection[int], between: Callable[[int, int], Conclusion | None]) -> Chain:
    """The documents of ``others`` (keys) that ``source`` took a passage from, nearest first: each took it from the
    next. ``between`` returns which of two documents copied from the other.
    """

    def taken_from(later: int, among: Collection[int]) -> dict[int, Conclusion]:
        known = {key: between(later, key) for key in among if key != later}
        return {key: way for key, way in known.items() if way is not None and way.direction is Direction.A_FROM_B}

    links: list[EarlierSource] = []
    left = taken_from(source, others)
    while left:
        earlier = {key: taken_from(key, left) for key in sorted(left)}
        nearest = max(earlier, key=lambda key: len(earlier[key]))
        links.append(EarlierSource(nearest, left[nearest]))
        left = earlier[nearest]
    return tuple(links)


def earlier_sources(
    connection: Connection, matches: Matches, among: Sequence[Matches], watcher: Progress | None = None
) -> list[Chain]:
    """For each of ``matches``, the documents that its source took the passage from.

    Compared are the documents that ``among`` matches, in either direction, with at least half of the suspect's passage.
    Raises Cancelled.
    """
    one_way = Matches.concatenate([replace(part, evidence={}) for part in among])
    known = Matches.concatenate([one_way, one_way.from_other_side()])
    known = known.take(np.argsort(known.a, kind="stable"))
    others = [_others(matches, row, known) for row in range(len(matches))]
    groups = {frozenset((source, *of)) for source, of in zip(matches.b.tolist(), others, strict=True) if of}
    pairs = {(a, b) for group in groups for a in group for b in group if a < b}
    between = cache(Directions(connection, pairs, watcher).if_known)
    return [chain(source, of, between) for source, of in zip(matches.b.tolist(), others, strict=True)]


def find_earlier_sources(ctx: Context, project_path: Path, matches: Matches, others: Matches) -> list[Chain]:
    """Like :func:`earlier_sources`, as a job; ``matches`` and ``others`` are of one suspect. Raises Cancelled."""
    with open_project(project_path, write=False) as project, project.read() as connection:
        return earlier_sources(connection, matches, [others], ctx)


def _others(matches: Matches, row: int, known: Matches) -> frozenset[int]:
    """The other sources of the passage of match ``row``; ``known`` is in the order of its suspects."""
    start, end, suspect = (int(column[row]) for column in (matches.a_start, matches.a_end, matches.a))
    own = slice(*np.searchsorted(known.a, (suspect, suspect + 1)).tolist())
    shared = np.minimum(known.a_end[own], end) - np.maximum(known.a_start[own], start)
    there = (known.b[own] != matches.b[row]) & (2 * shared >= end - start)
    return frozenset(known.b[own][there].tolist())


def chain_in_words(links: Chain, names: Mapping[int, str]) -> Message:
    """A chain in words; ``names`` are the documents' names by key."""
    steps = [Message.joined("", (names[link.key], " (", link.evidence.reason, ")")) for link in links]
    return Message(
        "The source itself seems to have taken this passage from {chain} "
        "(a is the later document of each step, b the earlier)",
        chain=Message.joined(" ← ", steps),
    )
