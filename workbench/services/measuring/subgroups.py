"""Splits a run's evaluation: the same run and labels by language, site, kind, tag, length or annotator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Floats, Ints
from workbench.evaluation.thresholds import Curve, curve
from workbench.services.labels.sets import KINDS
from workbench.services.labels.settling import labels_that_count, settled_values
from workbench.services.labels.targets import TargetKind, document_target
from workbench.services.measuring.scored_run import POSITIVE, ScoredRun
from workbench.services.session import Session

QUARTERS = 4


class Attribute(StrEnum):
    """The attribute that divides the items."""

    LANGUAGE = "language"
    SITE = "site"
    KIND = "kind"
    TAG = "tag"
    LENGTH = "length"
    ANNOTATOR = "annotator"


@dataclass(frozen=True, slots=True)
class Group:
    """A subset of the labelled items: their number, positives, and curve (None: see ``problem``).

    ``low`` and ``high`` are the lengths in code points that bound a group by length, else 0.
    """

    name: str
    labelled: int
    positives: int
    curve: Curve | None
    problem: Message | str = ""
    low: int = 0
    high: int = 0


def read_groups(session: Session, scored: ScoredRun, attribute: Attribute) -> list[Group]:
    """The groups of the labelled items, largest first (by length: shortest first).

    A pair or passage belongs to the group of its first document (the suspect), by tag to several groups. By annotator
    each group is judged by that annotator's labels alone, and has all items that are negative for want of a label; by
    kind each group has the positive items of one kind and all negative ones.
    """
    if attribute is Attribute.ANNOTATOR:
        return _by_annotator(session, scored)
    if attribute is Attribute.KIND:
        return _by_kind(session, scored)
    known = scored.labelled
    rows = np.searchsorted(scored.documents.key, scored.a)
    rows = np.minimum(rows, max(0, len(scored.documents.key) - 1))
    if attribute is Attribute.LENGTH:
        return _by_length(scored, scored.documents.length[rows], known)
    if attribute is Attribute.TAG:
        return _by_tag(scored, rows, known)
    column = scored.documents.language if attribute is Attribute.LANGUAGE else scored.documents.site
    names = np.array(column, dtype=object)[rows] if len(rows) else np.zeros(0, object)
    groups = [_group(scored, str(name), known & (names == name)) for name in dict.fromkeys(names[known].tolist())]
    return _largest_first(groups)


def _group(scored: ScoredRun, name: str, rows: NDArray[np.bool_], low: int = 0, high: int = 0) -> Group:
    """The group of the items in ``rows``."""
    return _measured(scored, name, *scored.part(rows), int((rows & scored.unlabelled).sum()), low, high)


def _measured(
    scored: ScoredRun,
    name: str,
    scores: Floats,
    positive: NDArray[np.bool_],
    unlabelled: int,
    low: int = 0,
    high: int = 0,
) -> Group:
    group_curve, problem = None, ""
    try:
        group_curve = curve(scores, positive, scored.kind.value, complete=scored.question.complete)
    except UserError as error:
        problem = error.sentence
    return Group(name, len(scores) - unlabelled, int(positive.sum()), group_curve, problem, low, high)


def _largest_first(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.labelled, group.name))


def _by_length(scored: ScoredRun, length: NDArray[np.int64], known: NDArray[np.bool_]) -> list[Group]:
    if not known.any():
        return []
    edges = np.unique(np.quantile(length[known], np.linspace(0, 1, QUARTERS + 1)).astype(np.int64))
    # The last group includes its end; all lengths may be equal.
    edges = np.append(edges[: max(1, len(edges) - 1)], edges[-1] + 1)
    groups = []
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        inside = known & (length >= low) & (length < high)
        if inside.any():
            groups.append(_group(scored, "", inside, low, high - 1))
    return groups


def _by_tag(scored: ScoredRun, rows: Ints, known: NDArray[np.bool_]) -> list[Group]:
    own = [frozenset(scored.documents.tags[row]) for row in rows.tolist()]
    names = dict.fromkeys(tag for tags in own for tag in sorted(tags))
    groups = [_group(scored, tag, known & np.array([tag in tags for tags in own], np.bool_)) for tag in names]
    if names:
        groups.append(_group(scored, "", known & np.array([not tags for tags in own], np.bool_)))
    return _largest_first([group for group in groups if group.labelled])


def _by_kind(session: Session, scored: ScoredRun) -> list[Group]:
    if scored.kind is not TargetKind.DOCUMENT:
        return []
    with session.read() as connection:
        kind_of = settled_values(connection, KINDS)
    kinds = np.array(
        [kind_of.get(document_target(scored.identity(key)), "") for key in scored.a.tolist()], dtype=object
    )
    positive, known = scored.truth == POSITIVE, scored.labelled
    names = dict.fromkeys(kind for kind in kinds[positive].tolist() if kind)
    groups = [_group(scored, str(name), known & (~positive | (kinds == name))) for name in names]
    return sorted(groups, key=lambda group: (-group.positives, group.name))


def _by_annotator(session: Session, scored: ScoredRun) -> list[Group]:
    with session.read() as connection:
        labels_by_target = labels_that_count(connection, scored.chosen.label_set)
    place = {scored.target(row): row for row in range(len(scored))}
    votes: dict[str, list[tuple[int, bool]]] = {}
    for target, by in labels_by_target.items():
        row = place.get(target)
        for who, label in by.items() if row is not None else ():
            if label.value not in scored.chosen.meaning.undecided:
                votes.setdefault(who, []).append((row or 0, label.value in scored.chosen.meaning.positive))
    return _largest_first([_judged_by(scored, who, dict(own)) for who, own in votes.items()])


def _judged_by(scored: ScoredRun, who: str, own: Mapping[int, bool]) -> Group:
    unlabelled = np.flatnonzero(scored.unlabelled)
    rows = np.concatenate((np.fromiter(own, np.int64, len(own)), unlabelled))
    positive = np.zeros(len(rows), np.bool_)
    positive[: len(own)] = list(own.values())
    return _measured(scored, who, scored.score[rows], positive, len(unlabelled))
