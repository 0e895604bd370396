"""Who labels what: assigns each entry to several annotators, evenly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import combinations

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project import label_sets as stored
from workbench.services.labels.label_state import Wanted, read_board
from workbench.services.labels.queue import QueueOptions, queue
from workbench.services.session import Session

Assignment = tuple[str, str]
"""A target and an annotator."""


def deal(
    targets: Sequence[str], annotators: Sequence[str], each: int, before: Mapping[str, Set[str]]
) -> list[Assignment]:
    """Assignments with which every target is labelled by ``each`` of ``annotators``, in the order of ``targets``.

    Assignments made ``before`` count and are kept. Everybody gets about as many targets, and every two annotators
    about as many in common: on these their agreement is measured. Raises UserError where ``each`` is not possible.
    """
    names = list(dict.fromkeys(annotators))
    if not 1 <= each <= len(names):
        raise UserError(
            Message("Each entry can be labelled by 1 to {most} of these annotators.", most=len(names))
            if names
            else Message("Name the annotators.")
        )
    load: Counter[str] = Counter(who for names_of in before.values() for who in names_of)
    shared: Counter[frozenset[str]] = Counter(_pairs(before.values()))
    dealt: list[Assignment] = []
    for target in targets:
        chosen = {who for who in before.get(target, ()) if who in names}
        while len(chosen) < each:
            who = min(
                (name for name in names if name not in chosen),
                key=lambda name: (load[name], sum(shared[frozenset((name, other))] for other in chosen)),
            )
            shared.update(frozenset((who, other)) for other in chosen)
            chosen.add(who)
            load[who] += 1
            dealt.append((target, who))
    return dealt


def _pairs(groups: Iterable[Set[str]]) -> Iterable[frozenset[str]]:
    return (frozenset(pair) for group in groups for pair in combinations(sorted(group), 2))


def assign(session: Session, label_set: str, assignments: Sequence[Assignment]) -> None:
    """Ask for labels."""
    with session.write() as connection:
        stored.assign(connection, label_set, assignments)


def unassign(session: Session, label_set: str, assignments: Sequence[Assignment]) -> None:
    """Take back :func:`assign`."""
    with session.write() as connection:
        stored.unassign(connection, label_set, assignments)


def assign_all(session: Session, label_set: str, annotators: Sequence[str], each: int) -> list[Assignment]:
    """Ask for labels of the whole sample of ``label_set``, as :func:`deal` does; what was asked for now.

    Raises UserError for an unknown label set, and where ``each`` is not possible.
    """
    board = read_board(session, Wanted(label_set))
    if board.label_set.name != label_set:
        raise UserError(
            Message("There is no label set {set}.", set=label_set),
            hint=Message("Available: {known}.", known=", ".join(board.sets)),
        )
    assignments = deal([item.target for item in queue(board, "", QueueOptions())], annotators, each, board.assigned)
    assign(session, label_set, assignments)
    return assignments
