"""The order of one annotator's items, and the progress and pace of each annotator."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from statistics import median

from workbench.base.tags import chosen_by
from workbench.base.types import Role
from workbench.services.labels.label_state import Board, Item
from workbench.services.labels.sets import is_positive
from workbench.services.labels.targets import TargetKind, is_adjudicator, person

_BREAK = 300.0
"""Seconds between two labels above which the annotator took a break."""
_INSTANT = 0.1
"""Seconds between two labels below which they were imported together, not typed."""
RECENT = 100
"""Number of latest labels from which the pace is computed."""
_WHOLE = 2**64


class Order(StrEnum):
    """How the queue is ordered. ``NAMED`` is an order set by another part of the program."""

    RANDOM = "random"
    IMPORTED = "imported"
    SCORE = "score"
    UNCERTAIN = "uncertain"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class NamedOrder:
    """An order set by another part of the program: ``targets`` (names in the log, the first to label first)."""

    name: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """Selection and order of one annotator's items.

    ``everything``: also items the annotator has labelled. ``conflicts``: only items on which annotators differ and that
    are not settled. ``mine``: only the person's assignments. ``suspects``: only suspects, if the items are
    documents. ``tag``: only documents with this tag, or pairs with one of them (see
    :func:`workbench.base.tags.chosen_by`).
    """

    order: Order = Order.RANDOM
    everything: bool = False
    conflicts: bool = False
    mine: bool = False
    suspects: bool = True
    named: NamedOrder | None = None
    tag: str = ""


def share_of(seed: int, target: str) -> float:
    """A uniform number in [0, 1) determined by seed and target: for the random order and the fixed sample.

    It does not depend on other documents, so that later ones do not change the order.
    """
    digest = hashlib.blake2b(f"{seed}:{target}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / _WHOLE


def in_sample(board: Board, target: str) -> bool:
    """Whether ``target`` belongs to the fixed sample of the label set."""
    label_set = board.label_set
    return label_set.rate >= 1 or share_of(label_set.seed, f"sample:{target}") < label_set.rate


def queue(board: Board, who: str, options: QueueOptions, scores: Mapping[str, float] | None = None) -> tuple[Item, ...]:
    """All items of ``who`` under ``options``, in order, labelled or not.

    ``scores`` are a run's, for orders that need them: items without a score come last.
    """
    named = options.named if options.order is Order.NAMED else None
    if named is not None:
        chosen = [board.items[board.place[target]] for target in named.targets if target in board.place]
    else:
        roles = suspects_only(board, options)
        chosen = [item for item in board.items if not (roles and item.role != Role.SUSPECT)]
        chosen = [item for item in chosen if in_sample(board, item.target)]
    if options.tag:
        chosen = [item for item in chosen if chosen_by(options.tag, item.tags)]
    if options.mine:
        chosen = [item for item in chosen if person(who) in board.assigned.get(item.target, ())]
    if options.conflicts:
        chosen = [item for item in chosen if board.is_open_conflict(item.target)]
    if named is None:
        chosen = _ordered(board, chosen, options.order, scores or {})
    return tuple(chosen)


def suspects_only(board: Board, options: QueueOptions) -> bool:
    """Whether only suspects are labelled: the items are documents, the option is set, and there are any."""
    documents = board.label_set.kind is TargetKind.DOCUMENT
    return documents and options.suspects and any(item.role == Role.SUSPECT for item in board.items)


def _ordered(board: Board, items: Sequence[Item], order: Order, scores: Mapping[str, float]) -> list[Item]:
    if order is Order.IMPORTED:
        return list(items)
    seed = board.label_set.seed
    shuffled = sorted(items, key=lambda item: share_of(seed, item.target))
    if order is Order.RANDOM or not scores:
        return shuffled
    if order is Order.SCORE:
        return sorted(shuffled, key=lambda item: (item.target not in scores, -scores.get(item.target, 0.0)))
    scored = [item.target for item in items if item.target in scores]
    ranked = sorted(scores[target] for target in scored)
    middle = bisect_left(ranked, decision(board, scores))
    distance = {target: abs(bisect_left(ranked, scores[target]) - middle) for target in scored}
    return sorted(shuffled, key=lambda item: distance.get(item.target, len(ranked) + 1))


def decision(board: Board, scores: Mapping[str, float]) -> float:
    """The score at which decisions are least certain: the threshold of the best F on labels, else the median."""
    judged: list[tuple[float, bool]] = []
    for target, score in scores.items():
        state = board.settled(target) if target in board.place else None
        positive = is_positive(state.value) if state is not None and state.value else None
        if positive is not None:
            judged.append((score, positive))
    positives = sum(positive for _, positive in judged)
    if not positives or positives == len(judged):
        return median(scores.values()) if scores else 0.0
    best, at, hits = -1.0, 0.0, 0
    judged.sort(key=lambda pair: -pair[0])
    for selected, (score, positive) in enumerate(judged, 1):
        hits += positive
        last = selected == len(judged) or judged[selected][0] != score
        f = 2 * hits / (selected + positives)
        if last and f > best:
            best, at = f, score
    return at


def pace(whens: Sequence[str]) -> float | None:
    """Seconds per label: the median of the latest, without breaks and imported labels; None if unknown.

    ``whens`` are the times (ISO 8601) of one annotator's labels, oldest first.
    """
    times = [moment for when in whens[-RECENT:] if (moment := _seconds(when)) is not None]
    gaps = [after - before for before, after in pairwise(times) if _INSTANT <= after - before <= _BREAK]
    return median(gaps) if gaps else None


def _seconds(when: str) -> float | None:
    try:
        return datetime.fromisoformat(when).timestamp()
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of ``who``: ``done`` of ``total`` items, ``seconds`` per label (None: unknown)."""

    who: str
    done: int
    total: int
    seconds: float | None

    @property
    def remaining(self) -> float | None:
        """Seconds the rest will take at this pace; None if unknown."""
        return None if self.seconds is None else self.seconds * (self.total - self.done)


def asked_of(board: Board, who: str, scope: Sequence[Item]) -> Sequence[Item]:
    """The items of ``scope`` that ``who`` is to label: their assignments, if they have any anywhere, else all."""
    if not any(who in annotators for annotators in board.assigned.values()):
        return scope
    return [item for item in scope if who in board.assigned.get(item.target, ())]


def progress(board: Board, who: str, scope: Sequence[Item]) -> Progress:
    """The progress of ``who`` in their items of ``scope``."""
    assigned = asked_of(board, who, scope)
    done = sum(not to_do(board, who, item) for item in assigned)
    return Progress(who, done, len(assigned), pace([label.when for label in board.labels_by(who)]))


def everybody(board: Board, scope: Sequence[Item]) -> list[Progress]:
    """The progress of each annotator."""
    return [progress(board, who, scope) for who in board.annotators() if not is_adjudicator(who)]


def to_do(board: Board, who: str, item: Item) -> bool:
    """Whether ``who`` has yet to label ``item``, or to confirm the label that was given for another text."""
    label = board.label_of(item.target, who)
    return label is None or board.is_of_other_text(label)
