"""One method with many parameter settings: each is run once and measured against the same labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.types import Run
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.services.choosing import find_run
from workbench.services.detecting.runs import detect
from workbench.services.measuring.evaluating import Evaluation, evaluate
from workbench.services.measuring.label_selection import Question
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of a sweep: the varied values, its run, its agreement with the labels, or why that is undefined."""

    varied: Mapping[str, Any]
    run: Run
    evaluation: Evaluation | None
    problem: str = ""


def grid(method: str, axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values of ``axes``, checked. Raises ParameterError for unknown names or values."""
    kind = registry.get(method).parameters
    for name, values in axes.items():
        if not values:
            raise ParameterError(Message("The sweep gives no value for {name}.", name=name))
        for value in values:
            kind.parse({name: value})
    return [dict(zip(axes, combined, strict=True)) for combined in product(*axes.values())]


def runs_over(
    ctx: Context, project_path: Path, base: Run, axes: Mapping[str, Sequence[Any]], *, workers: int | None = None
) -> Iterator[tuple[dict[str, Any], Run]]:
    """A run for each combination of the values of ``axes``, all else as in ``base``, with what was varied.

    A finished run of the same method, version, parameters and texts is used again; an interrupted one is resumed.
    Raises ParameterError, UserError, Cancelled (runs that are finished stay).
    """
    combinations = grid(base.method, axes)
    for number, varied in enumerate(combinations):
        ctx.advance(Message("Sweep"), number, len(combinations))
        run = detect(
            ctx,
            project_path,
            base.method,
            {**base.parameters, **varied},
            workers=workers,
            resume=True,
            varied_from=base.id,
        )
        yield {name: run.parameters[name] for name in varied}, run
    ctx.advance(Message("Sweep"), len(combinations), len(combinations))


def sweep(
    ctx: Context,
    project_path: Path,
    run_id: int,
    axes: Mapping[str, Sequence[Any]],
    question: Question | None = None,
    *,
    workers: int | None = None,
) -> list[SweepPoint]:
    """The method of run ``run_id`` over all combinations of the values of ``axes``, each measured against the labels.

    Runs are made as by :func:`runs_over`. Raises UserError for an unknown run.
    """
    with Session(project_path, write=False) as session:
        base = find_run(session, run_id)
    points = []
    for varied, run in runs_over(ctx, project_path, base, axes, workers=workers):
        evaluation, problem = None, ""
        with Session(project_path, write=False) as session:
            try:
                evaluation = evaluate(session, run.id, question)
            except UserError as error:
                problem = error.sentence
        points.append(SweepPoint(varied, run, evaluation, problem))
    return points
