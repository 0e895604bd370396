"""Assignments: each entry is assigned to several annotators, evenly, and one annotator's batch is exported as a small
project, whose labels are merged back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.project import database, labels
from workbench.project import label_sets as stored
from workbench.project.amendments import parse_renaming
from workbench.project.database import Connection
from workbench.project.documents import add_documents, documents_of
from workbench.project.originals import load_original
from workbench.project.pages import load_markup
from workbench.project.word_boxes import load_words
from workbench.services.labels.definitions import to_stored
from workbench.services.labels.label_state import BoardScope, followed, read_board
from workbench.services.labels.queue import QueueOptions, queue
from workbench.services.session import Session
from workbench.services.writing import atomic_write

Assignment = tuple[str, str]
"""A target and an annotator."""


def deal(
    targets: Sequence[str], annotators: Sequence[str], each: int, before: Mapping[str, Set[str]]
) -> list[Assignment]:
    """Assignments so that every target is labelled by ``each`` (a number) of ``annotators``, in the order of
    ``targets``.

    Assignments made ``before`` count and are kept. All annotators get about the same number of targets, and all pairs
    of annotators share about the same number, on which their agreement is measured. Raises UserError if ``each`` is not
    possible.
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
    """Assign targets to annotators."""
    with session.write() as connection:
        stored.assign(connection, label_set, assignments)


def unassign(session: Session, label_set: str, assignments: Sequence[Assignment]) -> None:
    """Undo :func:`assign`."""
    with session.write() as connection:
        stored.unassign(connection, label_set, assignments)


def assign_all(session: Session, label_set: str, annotators: Sequence[str], each: int) -> list[Assignment]:
    """Assign the whole sample of ``label_set`` by :func:`deal`; returns the new assignments.

    Raises UserError for an unknown label set, and if ``each`` is not possible.
    """
    board = read_board(session, BoardScope(label_set))
    if board.label_set.name != label_set:
        raise UserError(
            Message("There is no label set {set}.", set=label_set),
            hint=Message("Available: {known}.", known=", ".join(board.sets)),
        )
    assignments = deal([item.target for item in queue(board, "", QueueOptions())], annotators, each, board.assigned)
    assign(session, label_set, assignments)
    return assignments


_STAGE = Message("Copying")


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The content of a batch; ``labels`` are its annotator's current ones."""

    entries: int
    documents: int
    labels: int


def export_batch(ctx: Context, project_path: Path, label_set: str, who: str, path: Path) -> BatchResult:
    """Write the assignments of ``who`` as a project at ``path``, complete or not at all.

    It contains the documents, the label set with its guidelines, and the labels of ``who`` so far; nothing from others,
    no run and no score. If nothing at all is assigned, the batch is the whole sample (as in :func:`assign_all`). Raises
    UserError if it is empty, or a file cannot be written.
    """
    with Session(project_path, write=False) as session:
        board = read_board(session, BoardScope(label_set))
        if board.label_set.name != label_set:
            raise UserError(Message("There is no label set {set}.", set=label_set))
        assigned = [item for item in board.items if who in board.assigned.get(item.target, ())]
        whole = not any(board.assigned.values())
        if whole:
            assigned = sorted(queue(board, who, QueueOptions()), key=lambda item: board.place[item.target])
        if not assigned:
            raise UserError(
                Message("Nothing is assigned to {who} in the label set {set}.", who=who, set=label_set),
                hint=Message("Assign entries first."),
            )
        wanted = {item.target for item in assigned}
        names = followed(board.label_set)
        with session.read() as connection:
            own = [
                event
                for event in labels.written_events(connection)
                if (event.label_set in names and event.who == who and event.target in wanted)
                or (parse_renaming(event) or ("", ""))[0] in names
            ]
            times = {name: version.when for name, version in stored.current_versions(connection).items()}
            sets = [
                replace(to_stored(board.sets[name], ""), when=times.get(name, ""))
                for name in names
                if name in board.sets
            ]
            keys = sorted({key for item in assigned for key in (item.a, item.b) if key})
            # A whole sample, merged back as assigned, would leave nothing for others.
            handed_out = [(item.target, "" if whole else who) for item in assigned]
            with atomic_write(path, Message("The batch")) as part:
                documents = _copy(ctx, connection, part, keys, _Copied(label_set, handed_out, sets, own))
    so_far = (board.label_of(item.target, who, name) for item in assigned for name in names)
    return BatchResult(len(assigned), documents, sum(label is not None for label in so_far))


@dataclass(frozen=True, slots=True)
class _Copied:
    """The contents of a batch besides its documents."""

    label_set: str
    assigned: Sequence[Assignment]
    sets: Sequence[stored.StoredSet]
    events: Sequence[Label]


def _copy(ctx: Context, source: Connection, part: Path, keys: Sequence[int], batch: _Copied) -> int:
    with database.create(part) as project, project.write() as connection:
        added = add_documents(connection, _documents(ctx, source, keys))
        for version in batch.sets:
            stored.add_version(connection, version)
        stored.assign(connection, batch.label_set, batch.assigned)
        labels.add_labels(connection, sorted(batch.events, key=lambda event: event.when))
    return added.added


def _documents(ctx: Context, source: Connection, keys: Sequence[int]) -> Iterator[Document]:
    for done, document in enumerate(documents_of(source, keys, tuple(Role))):
        ctx.advance(_STAGE, done, len(keys))
        markup, original = load_markup(source, document.key), load_original(source, document.key)
        words = load_words(source, document.key, len(document.extraction.pages), len(document.text))
        yield replace(document, key=0, markup=markup, original=original, words=words)
