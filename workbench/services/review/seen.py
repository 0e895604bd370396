"""The verdicts that one reviewer may see: nothing derived from them reveals others' verdicts to a blind reviewer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from workbench.base.types import Ints, Label, Matches, Span
from workbench.project.database import Connection
from workbench.services.review.judgement import Judgement, Reviewer
from workbench.services.review.verdict_index import PairVerdicts, UnplacedPassage, VerdictIndex


class SeenVerdicts(VerdictIndex):
    """The verdicts of ``every`` that ``viewer`` may see, always up to date."""

    def __init__(self, every: VerdictIndex, viewer: Reviewer) -> None:
        self._every, self._viewer = every, viewer

    def follow(self, connection: Connection, last: int | None = None) -> VerdictIndex:
        """See :class:`VerdictIndex`."""
        self._every.follow(connection, last)
        return self

    def put(self, label: Label) -> None:
        """See :class:`VerdictIndex`."""
        self._every.put(label)

    def of(self, a: str, b: str) -> PairVerdicts:
        """See :class:`VerdictIndex`; only visible verdicts."""
        return _SeenPair(self._every.of(a, b), self._viewer)

    def reviewers(self) -> list[str]:
        """The reviewers of all verdicts, since names do not reveal verdicts."""
        return self._every.reviewers()

    def whole(self, label_set: str, target: str) -> Judgement | None:
        """See :class:`VerdictIndex`; only if visible."""
        return self._viewer.sees(self._every.whole(label_set, target))

    def suspect_notes(self, identity: str) -> tuple[Label, ...]:
        """See :class:`VerdictIndex`; only if visible."""
        notes = self._every.suspect_notes(identity)
        return tuple(n for n in notes if n.who == self._viewer.name or self.suspect(identity) is not None)

    def last(self, label_set: str, target: str, who: str) -> Label | None:
        """See :class:`VerdictIndex`; only for a reviewer's own."""
        return self._every.last(label_set, target, who)

    def pairs(self, known: Collection[str]) -> Iterable[tuple[str, str]]:
        """See :class:`VerdictIndex`: pairs with possibly visible verdicts."""
        return self._every.pairs(known)


class _SeenPair(PairVerdicts):
    """The verdicts of ``every`` on a pair that ``viewer`` may see."""

    def __init__(self, every: PairVerdicts, viewer: Reviewer) -> None:
        self._every, self._viewer = every, viewer

    def at(self, a: Span, b: Span) -> Judgement | None:
        return self._viewer.sees(self._every.at(a, b))

    def last(self, a: Span, b: Span, who: str) -> Label | None:
        return self._every.last(a, b, who)

    def notes(self, a: Span, b: Span, keys: tuple[int, int] | None = None) -> tuple[Label, ...]:
        notes = self._every.notes(a, b, keys)
        return tuple(n for n in notes if n.who == self._viewer.name or self.at(a, b) is not None)

    def on(self, matches: Matches, rows: Ints | None = None) -> tuple[Judgement | None, ...]:
        return tuple(map(self._viewer.sees, self._every.on(matches, rows)))

    def without_passage(self, matches: Matches) -> list[UnplacedPassage]:
        rows = ((row, self._viewer.sees(row.judgement)) for row in self._every.without_passage(matches))
        return [replace(row, judgement=seen) for row, seen in rows if seen is not None]
