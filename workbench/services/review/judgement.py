"""The verdicts of all reviewers on one passage, pair or suspect, the resulting verdict, and its number of passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints, Label
from workbench.services.labels.targets import is_adjudicator, person
from workbench.services.labels.verdicts import PAIR, PASSAGE, values

CONFLICT = "conflict"
"""Used instead of a verdict: the reviewers' verdicts differ, and it is not settled."""
VERDICTS: tuple[str, ...] = (*values((*PASSAGE, *PAIR)), CONFLICT)
"""The verdicts on passages and pairs, the gravest first."""
CODES = {value: code for code, value in enumerate(VERDICTS, 1)}
"""The code of each verdict; 0 for none."""
_RANK = np.array([len(VERDICTS) + 1, *range(1, len(VERDICTS)), 0])
"""Rank by code: a conflict on part of a passage is a conflict on the passage."""
_CODE = np.argsort(_RANK)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The current verdict of each reviewer, in chronological order; withdrawn ones are left out.

    ``settled``: the adjudicator's verdict that settled a conflict. ``carried`` names the annotators whose verdict was
    given for a passage with other limits; ``attached`` maps those whose verdict was attached to this passage by hand to
    the person who attached it.
    """

    verdicts: tuple[Label, ...]
    settled: Label | None = None
    carried: frozenset[str] = frozenset()
    attached: tuple[tuple[str, str], ...] = ()

    @property
    def conflict(self) -> bool:
        """Whether the verdicts differ and nobody has settled them."""
        return self.settled is None and len({label.value for label in self.verdicts}) > 1

    @property
    def label(self) -> Label:
        """A single label: the one that settled the conflict, else the latest verdict."""
        return self.settled or self.verdicts[-1]

    @property
    def value(self) -> str:
        """The current verdict: the settled one, else the reviewers' common one; CONFLICT if they differ."""
        return CONFLICT if self.conflict else self.label.value

    @property
    def is_carried(self) -> bool:
        """Whether the current verdict was given for a passage with other limits."""
        return self.label.who in self.carried

    @property
    def settled_by_party(self) -> bool:
        """Whether the conflict was settled by one of those who differed."""
        differ = len({label.value for label in self.verdicts}) > 1
        return self.settled is not None and differ and self.own(person(self.settled.who)) is not None

    def own(self, who: str) -> Label | None:
        """The verdict of reviewer ``who``."""
        return next((label for label in self.verdicts if label.who == who), None)

    def others(self, who: str) -> tuple[Label, ...]:
        """The verdicts of the reviewers other than ``who``."""
        return tuple(label for label in self.verdicts if label.who != who)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The viewer of verdicts. ``blind``: others' verdicts are hidden until ``name`` has judged."""

    name: str = ""
    blind: bool = False

    def sees(self, judgement: Judgement | None) -> Judgement | None:
        """``judgement`` as this reviewer may see it."""
        return judgement if judgement is None or not self.blind or judgement.own(self.name) is not None else None


def judgement(
    labels: Iterable[Label], carried: frozenset[str] = frozenset(), attached: tuple[tuple[str, str], ...] = ()
) -> Judgement | None:
    """The judgement from the ``labels`` of one target, one per annotator, by time; None if all are withdrawn."""
    # A log with merged events is not in chronological order.
    present = sorted((label for label in labels if label.value), key=lambda label: (label.when, label.who))
    verdicts = tuple(label for label in present if not is_adjudicator(label.who))
    settled = next((label for label in reversed(present) if is_adjudicator(label.who)), None)
    if not verdicts and settled is None:
        return None
    return Judgement(verdicts, settled, carried, attached)


def after(before: Judgement | None, label: Label) -> Judgement | None:
    """``before`` after ``label``, given for exactly this passage, is appended to the log."""
    labels = () if before is None else (*before.verdicts, *((before.settled,) if before.settled else ()))
    carried = frozenset[str]() if before is None else before.carried - {label.who}
    attached = () if before is None else tuple(by for by in before.attached if by[0] != label.who)
    return judgement([*(other for other in labels if other.who != label.who), label], carried, attached)


UNDONE_WITHIN = timedelta(minutes=10)
"""A verdict undone within this time is ignored as a slip."""


def without_slips(events: Iterable[Label]) -> tuple[list[Label], int]:
    """``events``, oldest first, without those that were undone; and the number left out, with the undoing events.

    An event is undone by one of the same annotator on the same target that restores the previous value, within
    :data:`UNDONE_WITHIN`.
    """
    trails: dict[tuple[str, str, str], list[Label]] = {}
    kept: dict[int, Label] = {}
    count = 0
    for number, event in enumerate(events):
        count += 1
        trail = trails.setdefault((event.label_set, event.target, event.who), [])
        before = (trail[-2].value, trail[-2].note) if len(trail) > 1 else ("", "")
        if trail and (event.value, event.note) == before and _soon(trail[-1].when, event.when):
            gone = trail.pop()
            kept = {at: label for at, label in kept.items() if label is not gone}
        else:
            trail.append(event)
            kept[number] = event
    return list(kept.values()), count - len(kept)


def _soon(earlier: str, later: str) -> bool:
    try:
        return datetime.fromisoformat(later) - datetime.fromisoformat(earlier) <= UNDONE_WITHIN
    except (ValueError, TypeError):
        return False


def passage_counts(passage: Ints, code: NDArray[np.int8], *, partly: bool = False) -> NDArray[np.int32]:
    """The number of passages with each verdict, int32[len(VERDICTS)]; ``passage`` int64[n] and ``code`` int8[n]
    describe matches.

    A passage is judged once all its matches are, or with ``partly`` any; it has the gravest of their verdicts.
    """
    _, of = np.unique(passage, return_inverse=True)
    worst, judged = np.full(len(passage), len(VERDICTS) + 1), np.ones(len(passage), np.bool_)
    np.minimum.at(worst, of.ravel(), _RANK[code])
    np.logical_and.at(judged, of.ravel(), code > 0)
    codes = _CODE[worst[(judged | partly) & (worst <= len(VERDICTS))]]
    counts: NDArray[np.int32] = np.bincount(codes - 1, minlength=len(VERDICTS)).astype(np.int32)
    return counts


def passage_tally(passage: Ints, judgements: Sequence[Judgement | None], *, partly: bool) -> dict[str, int]:
    """Like :func:`passage_counts`, by verdict, without zero counts; ``judgements`` are those of the matches."""
    code = np.array([0 if one is None else CODES.get(one.value, 0) for one in judgements], np.int8)
    counts = passage_counts(passage, code, partly=partly)
    return {value: count for value, count in zip(VERDICTS, counts.tolist(), strict=True) if count}
