"""The verdicts that a reviewer may see: a blind reviewer sees others' only on what he or she has judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.base.types import Ints, Label, Matches, Span
from workbench.project.database import Connection
from workbench.services.labels.targets import person
from workbench.services.review.judgement import Judgement, Reviewer
from workbench.services.review.verdict_index import NEWEST, PairVerdicts, UnplacedPassage, VerdictIndex


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

    def whole(self, label_set: str, target: str, keys: Mapping[str, int] = NEWEST) -> Judgement | None:
        """See :class:`VerdictIndex`; only if visible."""
        return self._viewer.sees(self._every.whole(label_set, target, keys))

    def earlier(self, label_set: str, target: str, keys: Mapping[str, int] = NEWEST) -> tuple[Label, ...]:
        """See :class:`VerdictIndex`; only if visible."""
        labels = self._every.earlier(label_set, target, keys)
        return tuple(of for of in labels if not self._viewer.blind or person(of.who) == self._viewer.name)

    def suspect_notes(self, identity: str, key: int = 0) -> tuple[Label, ...]:
        """See :class:`VerdictIndex`; only if visible."""
        notes = self._every.suspect_notes(identity, key)
        return tuple(n for n in notes if n.who == self._viewer.name or self.suspect(identity, key) is not None)

    def last(self, label_set: str, target: str, who: str, keys: Mapping[str, int] = NEWEST) -> Label | None:
        """See :class:`VerdictIndex`; only for a reviewer's own."""
        return self._every.last(label_set, target, who, keys)

    def of_texts(self, events: Sequence[Label], a: str, b: str, keys: tuple[int, int]) -> list[bool]:
        """See :class:`VerdictIndex`."""
        return self._every.of_texts(events, a, b, keys)

    def pairs(self, known: Collection[str]) -> Iterable[tuple[str, str]]:
        """See :class:`VerdictIndex`: pairs with possibly visible verdicts."""
        return self._every.pairs(known)


class _SeenPair(PairVerdicts):
    """The verdicts of ``every`` on a pair that ``viewer`` may see."""

    def __init__(self, every: PairVerdicts, viewer: Reviewer) -> None:
        self._every, self._viewer = every, viewer

    def at(self, a: Span, b: Span, keys: tuple[int, int] = (0, 0)) -> Judgement | None:
        return self._viewer.sees(self._every.at(a, b, keys))

    def last(self, a: Span, b: Span, who: str, keys: tuple[int, int] = (0, 0)) -> Label | None:
        return self._every.last(a, b, who, keys)

    def notes(self, a: Span, b: Span, keys: tuple[int, int] = (0, 0)) -> tuple[Label, ...]:
        notes = self._every.notes(a, b, keys)
        return tuple(n for n in notes if n.who == self._viewer.name or self.at(a, b, keys) is not None)

    def on(self, matches: Matches, rows: Ints | None = None) -> tuple[Judgement | None, ...]:
        return tuple(map(self._viewer.sees, self._every.on(matches, rows)))

    def without_passage(self, matches: Matches) -> list[UnplacedPassage]:
        rows = ((row, self._viewer.sees(row.judgement)) for row in self._every.without_passage(matches))
        return [replace(row, judgement=seen) for row, seen in rows if seen is not None]
