"""Verdicts as one reviewer may see them: whatever is made of them, a blind one learns nothing of what others said."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from workbench.base.types import Ints, Label, Matches, Span
from workbench.project.database import Connection
from workbench.services.review.judgement import Judgement, Reviewer
from workbench.services.review.verdict_index import PairVerdicts, Unplaced, VerdictIndex


class SeenVerdicts(VerdictIndex):
    """``every`` verdict that ``viewer`` may see, always as ``every`` knows them."""

    def __init__(self, every: VerdictIndex, viewer: Reviewer) -> None:
        self._every, self._viewer = every, viewer

    def follow(self, connection: Connection, last: int | None = None) -> VerdictIndex:
        """As of every verdict."""
        self._every.follow(connection, last)
        return self

    def put(self, label: Label) -> None:
        """As of every verdict."""
        self._every.put(label)

    def of(self, a: str, b: str) -> PairVerdicts:
        """As of every verdict, of which those that may be seen."""
        return _SeenPair(self._every.of(a, b), self._viewer)

    def reviewers(self) -> list[str]:
        """The reviewers of all verdicts: names do not reveal verdicts."""
        return self._every.reviewers()

    def whole(self, label_set: str, target: str) -> Judgement | None:
        """As of every verdict, where it may be seen."""
        return self._viewer.sees(self._every.whole(label_set, target))

    def suspect_notes(self, identity: str) -> tuple[Label, ...]:
        """As of every verdict, where they may be seen."""
        notes = self._every.suspect_notes(identity)
        return tuple(n for n in notes if n.who == self._viewer.name or self.suspect(identity) is not None)

    def last(self, label_set: str, target: str, who: str) -> Label | None:
        """As of every verdict: a reviewer's own is asked for."""
        return self._every.last(label_set, target, who)

    def pairs(self, known: Collection[str]) -> Iterator[tuple[str, str]]:
        """As of every verdict: where there may be something to see."""
        return self._every.pairs(known)


class _SeenPair(PairVerdicts):
    """What of ``every`` verdict on a pair ``viewer`` may see."""

    def __init__(self, every: PairVerdicts, viewer: Reviewer) -> None:
        self._every, self._viewer = every, viewer

    def at(self, a: Span, b: Span) -> Judgement | None:
        return self._viewer.sees(self._every.at(a, b))

    def last(self, a: Span, b: Span, who: str) -> Label | None:
        return self._every.last(a, b, who)

    def notes(self, a: Span, b: Span) -> tuple[Label, ...]:
        notes = self._every.notes(a, b)
        return tuple(n for n in notes if n.who == self._viewer.name or self.at(a, b) is not None)

    def on(self, matches: Matches, rows: Ints | None = None) -> tuple[Judgement | None, ...]:
        return tuple(map(self._viewer.sees, self._every.on(matches, rows)))

    def without_passage(self, matches: Matches) -> list[Unplaced]:
        rows = ((row, self._viewer.sees(row.judgement)) for row in self._every.without_passage(matches))
        return [replace(row, judgement=seen) for row, seen in rows if seen is not None]
