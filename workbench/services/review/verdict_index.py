"""Which verdict holds for which passage.

A verdict is filed under the spans it was given for. After another run the same passage may begin or end a
little elsewhere: a verdict then carries over to the passage that overlaps it by :data:`CARRY_OVER` on both sides.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from workbench.base.types import Floats, Ints, Label, Matches, Span
from workbench.project import labels
from workbench.project.database import Connection
from workbench.services.labels.sets import LABEL_SET
from workbench.services.labels.targets import pair_group, passage_group, passage_spans, passages

CARRY_OVER = 0.8
"""Smallest mutual overlap, on both sides, at which a verdict carries over to another passage."""


@dataclass(frozen=True, slots=True)
class Held:
    """The verdict that holds for a passage; ``carried`` when it was given for a passage with other limits."""

    label: Label
    carried: bool


@dataclass(slots=True)
class _Group:
    """The current labels by target of the passages of a pair, and what was asked of them."""

    labels: dict[str, Label] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairVerdicts] = field(default_factory=dict)


class VerdictIndex:
    """The verdicts that hold now, by pair of documents (ids); use from any thread.

    :meth:`follow` reads what the log has gained since it was last read, whoever wrote it.
    """

    def __init__(self, current: Iterable[Label] = ()) -> None:
        self._groups: dict[str, _Group] = {}
        self._lock = threading.RLock()
        self._last = 0
        for label in current:
            self.put(label)

    def follow(self, connection: Connection) -> VerdictIndex:
        """Take up the events that ``connection`` sees and that are not known yet; not with events of its own."""
        with self._lock:
            last = labels.last_event(connection)
            if last > self._last:
                for label in _gained(connection, self._last):
                    self.put(label)
                self._last = last
        return self

    def put(self, label: Label) -> None:
        """Take up one event; other targets than passages are ignored."""
        name = passage_group(label.target)
        if name is None:
            return
        with self._lock:
            group = self._groups.setdefault(name, _Group())
            group.labels.pop(label.target, None)
            if label.value:
                group.labels[label.target] = label
            for pair in group.pairs.values():
                pair.put(label)

    def of(self, a: str, b: str) -> PairVerdicts:
        """The verdicts on passages of suspect ``a`` and source ``b``."""
        with self._lock:
            group = self._groups.setdefault(pair_group(a, b), _Group())
            pair = group.pairs.get((a, b))
            if pair is None:
                pair = group.pairs[a, b] = PairVerdicts(a, b, self._lock)
                for label in group.labels.values():
                    pair.put(label)
            return pair

    def pairs(self, known: Collection[str]) -> Iterator[tuple[str, str]]:
        """Pairs of ``known`` ids with at least one verdict, each once."""
        with self._lock:
            groups = [(name, list(group.labels)) for name, group in self._groups.items() if group.labels]
        for name, targets in groups:
            # Ids without spans of their own: all targets are of one pair.
            plain = name.split(":").count("-") == 1
            yield from {
                (a, b): None for target in (targets[:1] if plain else targets) for a, _, b, _ in passages(target, known)
            }


def _gained(connection: Connection, after: int) -> Iterable[Label]:
    return labels.gained(connection, [LABEL_SET], after) if after else labels.current(connection, LABEL_SET).values()


class PairVerdicts:
    """The verdicts on the passages of suspect ``a`` and source ``b`` (ids)."""

    def __init__(self, a: str, b: str, lock: AbstractContextManager[object]) -> None:
        self._a, self._b, self._lock = a, b, lock
        self._labels: dict[tuple[Span, Span], Label] = {}
        self._columns: Ints | None = None
        self._ordered: Sequence[Label] = ()

    def put(self, label: Label) -> None:
        """Take up one event; one that is not about the pair is ignored."""
        spans = passage_spans(label.target, self._a, self._b)
        if spans is not None:
            self._labels.pop(spans, None)
            if label.value:
                self._labels[spans] = label
            self._columns = None

    def held(self, a: Span, b: Span) -> Held | None:
        """The verdict on the passage: its own, else the one of the passage that overlaps it most (see CARRY_OVER)."""
        with self._lock:
            own = self._labels.get((a, b))
            if own is not None:
                return Held(own, carried=False)
            if not self._labels:
                return None
            near = self._near(a)
            overlap = np.minimum(_mutual_overlap(near[:, 0:2], a), _mutual_overlap(near[:, 2:4], b))
            best = overlap.max(initial=0.0)
            if best < CARRY_OVER:
                return None
            return Held(self._ordered[near[overlap == best, 4].max()], carried=True)

    def held_by(self, matches: Matches) -> tuple[Held | None, ...]:
        """:meth:`held` of each of ``matches``, which are of this pair."""
        if not self._labels:
            return (None,) * len(matches)
        return tuple(self.held(match.a_span, match.b_span) for match in matches)

    def _near(self, a: Span) -> Ints:
        """Rows (spans of a and b, number of the label) that may overlap ``a`` by CARRY_OVER.

        Their lengths differ by less than that, so their starts do by less than a quarter of the length.
        """
        if self._columns is None:
            spans = np.array([(*a, *b) for a, b in self._labels], np.int64)
            rows = np.column_stack((spans, np.arange(len(spans))))
            self._columns = rows[np.argsort(rows[:, 0], kind="stable")]
            self._ordered = tuple(self._labels.values())
        reach = (a.end - a.start) // 4 + 1
        first, last = np.searchsorted(self._columns[:, 0], (a.start - reach, a.start + reach + 1))
        return self._columns[first:last]


def reached(matches: Matches, a: Span, b: Span) -> Ints:
    """Rows of ``matches``, all of one pair, for which a verdict on the passage ``a``, ``b`` may hold."""
    a_spans = np.column_stack((matches.a_start, matches.a_end))
    b_spans = np.column_stack((matches.b_start, matches.b_end))
    overlap = np.minimum(_mutual_overlap(a_spans, a), _mutual_overlap(b_spans, b))
    same = (a_spans == a).all(1) & (b_spans == b).all(1)
    return np.flatnonzero(same | (overlap >= CARRY_OVER))


def _mutual_overlap(spans: Ints, other: Span) -> Floats:
    """:func:`workbench.services.review.coverage.mutual_overlap` of each of n spans (int64 [n, 2]) and ``other``."""
    start, end = spans[:, 0], spans[:, 1]
    shared = np.maximum(0, np.minimum(end, other.end) - np.maximum(start, other.start))
    longer = np.maximum(end - start, other.end - other.start)
    shares: Floats = np.minimum(1.0, shared / np.maximum(1, longer))
    return shares


def tally(held: Iterable[Held | None]) -> dict[str, int]:
    """How many passages have each verdict; passages without one are not counted."""
    counts: dict[str, int] = {}
    for verdict in held:
        if verdict is not None:
            counts[verdict.label.value] = counts.get(verdict.label.value, 0) + 1
    return counts
