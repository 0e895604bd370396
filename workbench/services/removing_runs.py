"""Removing and restoring runs. Verdicts and other labels are kept in any case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Run, RunState
from workbench.project.runs import purge_removed, removed_runs, runs, set_removed
from workbench.services.session import Session


def remove_runs(session: Session, numbers: Sequence[int]) -> int:
    """Remove runs with their results from all views; returns their number. :func:`restore_runs` undoes it. Raises
    UserError, with nothing removed, if one does not exist or is running.
    """
    with session.write() as connection:
        known = {run.id: run for run in runs(connection)}
        for number in numbers:
            if number not in known:
                raise UserError(Message("There is no run {number}.", number=number))
            if known[number].state is RunState.RUNNING:
                raise UserError(
                    Message("Run {number} is running.", number=number), hint=Message("Cancel it before removing it.")
                )
        set_removed(connection, numbers, removed=True)
    return len(set(numbers))


def restore_runs(session: Session, numbers: Iterable[int]) -> None:
    """Undo :func:`remove_runs`. Raises UserError, with nothing restored, for one that was not removed."""
    wanted = list(numbers)
    with session.write() as connection:
        there = {run.id for run in removed_runs(connection)}
        for number in wanted:
            if number not in there:
                raise UserError(
                    Message(
                        "Run {number} cannot be restored: it was not removed, or its space has been freed.",
                        number=number,
                    )
                )
        set_removed(connection, wanted, removed=False)


def removed(session: Session) -> list[Run]:
    """The runs that can be restored, oldest first."""
    with session.read() as connection:
        return removed_runs(connection)


def purge(session: Session) -> tuple[int, int]:
    """Free the space of the removed runs for good; returns their number and the bytes."""
    with session.write() as connection:
        count = purge_removed(connection)
    return count, session.project.compact() if count else 0


def points(every: Iterable[Run]) -> Counter[int]:
    """The number of these runs that belong to sweeps, by varied run."""
    return Counter(run.varied_from for run in every if run.varied_from is not None)
