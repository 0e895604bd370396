"""Assignment of suspects to reviewers: all, a share, or a sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.base.errors import ParameterError
from workbench.base.messages import Counted, Message
from workbench.base.types import Label
from workbench.project import labels
from workbench.project.database import Connection
from workbench.services.labels.sets import ASSIGNED
from workbench.services.labels.targets import document_target, parse_document
from workbench.services.session import Session


def draw(suspects: Sequence[str], *, share: float = 1.0, count: int | None = None, seed: int = 0) -> list[str]:
    """``count`` of ``suspects``, or a ``share`` (0..1) of them, drawn without replacement; in their order.

    The same seed draws the same suspects. Raises ParameterError for a share or count that cannot be drawn.
    """
    if count is None:
        if not 0 < share <= 1:
            raise ParameterError(Message("A share must be greater than 0 and at most 1."))
        count = round(len(suspects) * share)
    if not 0 < count <= len(suspects):
        raise ParameterError(
            Counted("There is {count} suspect to draw from.", "There are {count} suspects to draw from.", len(suspects))
        )
    chosen = np.random.default_rng(seed).choice(len(suspects), count, replace=False)
    return [suspects[at] for at in np.sort(chosen).tolist()]


def how_drawn(drawn: int, total: int, seed: int, by: str) -> str:
    """The note of an assignment: the number drawn, the total, the seed, and the person who drew."""
    return f"{drawn} of {total}, seed {seed}, by {by}" if drawn < total else f"all {total}, by {by}"


def assign(session: Session, suspects: Sequence[str], reviewer: str, note: str) -> list[Label]:
    """Assign ``suspects`` (ids) to ``reviewer`` in place of earlier ones; returns the events, for :func:`unassign`."""
    wanted = [document_target(identity) for identity in suspects]
    with session.write() as connection:
        before = _assigned(labels.by_annotator(connection, ASSIGNED), reviewer)
        gone = [Label(t, "", reviewer, "", note, label_set=ASSIGNED) for t in before if t not in set(wanted)]
        fresh = [Label(t, "yes", reviewer, "", note, label_set=ASSIGNED) for t in wanted if t not in before]
        return labels.add_labels(connection, [*gone, *fresh])


def unassign(session: Session, events: Sequence[Label]) -> None:
    """Undo :func:`assign`."""
    with session.write() as connection:
        back = [Label(e.target, e.old, e.who, "", e.note, label_set=ASSIGNED) for e in events]
        labels.add_labels(connection, back)


def assigned_to(connection: Connection, reviewer: str) -> list[str]:
    """The suspects (ids) that are assigned to ``reviewer``."""
    by_target = labels.by_annotator(connection, ASSIGNED)
    return [parse_document(target) or target for target in _assigned(by_target, reviewer)]


def assigned(session: Session) -> dict[str, list[str]]:
    """The suspects (ids) that are assigned, by reviewer."""
    with session.read() as connection:
        by_target = labels.by_annotator(connection, ASSIGNED)
    documents_of: dict[str, list[str]] = {}
    for target, by in by_target.items():
        for who in by:
            documents_of.setdefault(who, []).append(parse_document(target) or target)
    return documents_of


def _assigned(by_target: dict[str, dict[str, Label]], reviewer: str) -> set[str]:
    return {target for target, by in by_target.items() if reviewer in by}
