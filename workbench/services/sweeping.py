"""One method under many parameters: runs that are made once, and measured against the same labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from workbench.base.errors import ParameterError, UserError
from workbench.base.types import Run
from workbench.jobs.context import Context
from workbench.methods import registry
from workbench.services.detecting import detect
from workbench.services.evaluating import Evaluation, evaluate
from workbench.services.listing import find_run
from workbench.services.session import Session
from workbench.services.truth import Question


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of a sweep: what was varied, its run, how it agrees with the labels or why that is undefined."""

    varied: Mapping[str, Any]
    run: Run
    evaluation: Evaluation | None
    problem: str = ""


def grid(method: str, axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values of ``axes``, checked. Raises ParameterError for unknown names or values."""
    kind = registry.get(method).parameters
    for name, values in axes.items():
        if not values:
            raise ParameterError(f"The sweep gives no value for {name}.")
        for value in values:
            kind.parse({name: value})
    return [dict(zip(axes, combined, strict=True)) for combined in product(*axes.values())]


def sweep(
    ctx: Context,
    project_path: Path,
    run_id: int,
    axes: Mapping[str, Sequence[Any]],
    question: Question | None = None,
    *,
    workers: int | None = None,
) -> list[SweepPoint]:
    """The method of run ``run_id`` with its parameters, those of ``axes`` varied over all combinations of values.

    A finished run of the same method, version, parameters and texts is used again; an interrupted one is resumed.
    Raises UserError for an unknown run, ParameterError, Cancelled (runs that are finished stay).
    """
    with Session(project_path, write=False) as session:
        base = find_run(session, run_id)
    points = []
    combinations = grid(base.method, axes)
    for number, varied in enumerate(combinations, 1):
        ctx.advance("Sweep", number - 1, len(combinations))
        run = detect(ctx, project_path, base.method, {**base.parameters, **varied}, workers=workers, resume=True)
        found, problem = None, ""
        with Session(project_path, write=False) as session:
            try:
                found = evaluate(session, run.id, question)
            except UserError as error:
                problem = str(error)
        points.append(SweepPoint({name: run.parameters[name] for name in varied}, run, found, problem))
    ctx.advance("Sweep", len(combinations), len(combinations))
    return points
