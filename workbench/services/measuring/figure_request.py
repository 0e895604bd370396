"""Shared by the figures: the request, the base run, best points of curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.types import Run, RunState
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.project.pairs import Pair, pairs_of
from workbench.project.runs import newest_finished
from workbench.services.choosing import find_run
from workbench.services.detecting.runs import detect
from workbench.services.labels.targets import TargetKind
from workbench.services.listing import all_runs
from workbench.services.measuring.label_selection import Question, check_labelled
from workbench.services.measuring.sweeping import SweepPoint, sweep
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """The input of a figure: runs by number (none: the latest finished ones), labels, and values of varied
    parameters."""

    runs: tuple[int, ...] = ()
    question: Question = field(default_factory=Question)
    values: tuple[str, ...] = ()
    workers: int | None = None

    def one_run(self) -> int | None:
        """The run of a figure that shows one; None for the default. Raises ParameterError if more were requested."""
        if len(self.runs) > 1:
            raise ParameterError(Message("This figure shows one run, not {count}.", count=len(self.runs)))
        return next(iter(self.runs), None)


def finished_runs(session: Session) -> dict[str, Run]:
    """The latest finished run of each method, of a sweep only if there is no other; in run order.

    Partial runs are left out: they cannot be measured.
    """
    known = [run for run in all_runs(session) if not run.part]
    methods = {run.method: None for run in known}
    latest = (newest_finished(run for run in known if run.method == method) for method in methods)
    return {run.method: run for run in latest if run is not None}


def base_run(ctx: Context, path: Path, method: str, request: FigureRequest, *labelled: TargetKind) -> Run:
    """The run of ``method`` to vary: the requested one, else the latest finished one, else a new one.

    Raises UserError if a run of another method was requested, and if no item of the kinds ``labelled``, one of which
    the figure needs, has a label; ParameterError if several runs were requested.
    """
    with Session(path, write=False) as session:
        if labelled:
            check_labelled(session, *labelled)
        if (number := request.one_run()) is not None:
            run = find_run(session, number)
            if run.method != method:
                raise UserError(
                    Message(
                        "This figure needs a run of {method}; the method of run {id} is {other}.",
                        method=method,
                        id=run.id,
                        other=run.method,
                    )
                )
            return run
        finished = finished_runs(session).get(method)
    return finished or detect(ctx, path, method, {}, workers=request.workers)


def chosen_pair(path: Path, request: FigureRequest, run: Run, rank: Callable[[Pair], float]) -> tuple[str, str]:
    """The ids of the requested pair, else of the reported pair with the highest ``rank``. Raises UserError."""
    if request.values:
        if len(request.values) != 2:
            raise UserError(Message("This figure takes the ids of two documents as values."))
        return request.values[0], request.values[1]
    with Session(path, write=False) as session, session.read() as connection:
        pairs = pairs_of(connection, run.id)
        if not pairs:
            raise no_pair(run)
        highest = max(pairs, key=lambda pair: (rank(pair), -pair.a, -pair.b))
        return load_document(connection, highest.a).id, load_document(connection, highest.b).id


def no_pair(run: Run) -> UserError:
    """The error for a figure of a pair if the run has none."""
    return UserError(
        Message("Run {id} reports no pair; there is nothing to draw.", id=run.id),
        hint=Message("Two documents can be named with --values A,B."),
    )


def newest_of(path: Path, run: Run, request: FigureRequest) -> list[Message]:
    """A note that ``run`` was chosen among several of its method, unless it was requested."""
    with Session(path, write=False) as session:
        others = [
            r
            for r in all_runs(session)
            if r.method == run.method and r.state is RunState.DONE and r.varied_from is None
        ]
    if request.runs or len(others) < 2:
        return []
    return [
        Message(
            "Run {run} is the newest of {count} runs of {method}; choose another with --runs.",
            run=run.id,
            count=len(others),
            method=run.method,
        )
    ]


def varied(
    ctx: Context,
    path: Path,
    run: Run,
    request: FigureRequest,
    axes: Mapping[str, Sequence[Any]],
) -> list[SweepPoint]:
    """The sweep over ``axes``. Raises UserError with the reason if no point can be measured."""
    points = sweep(ctx, path, run.id, axes, request.question, workers=request.workers)
    if all(point.evaluation is None for point in points):
        raise UserError(points[0].problem)
    return points


def numbers(request: FigureRequest, default: Sequence[float]) -> list[float]:
    """The requested values, else ``default``. Raises UserError if one is not a number."""
    try:
        return [float(value) for value in request.values] or list(default)
    except ValueError as error:
        raise UserError(Message("The values of this figure must be numbers ({error}).", error=error)) from None
