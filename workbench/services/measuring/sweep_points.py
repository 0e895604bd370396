"""The points of a sweep as they stand in the project: finished runs that differ from a base in some parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Run, RunState
from workbench.evaluation.thresholds import Counts
from workbench.methods.core import registry
from workbench.methods.core.api import ParameterSpec
from workbench.project.runs import runs
from workbench.services.measuring.bench import Bench, read_bench
from workbench.services.measuring.truth import Question
from workbench.services.session import Session

_FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True)
class Point:
    """One setting: the values of what is varied, its run, and how it agrees with the labels at its best F.

    ``counts`` is None where ``problem`` says why nothing could be measured.
    """

    varied: Mapping[str, Any]
    run: Run
    threshold: float = 0.0
    counts: Counts | None = None
    average_precision: float = 0.0
    problem: Message | str = ""


Known = dict[tuple[int, Question, int], Point]
"""Points that were measured before, by run, question and number of labels."""


def can_vary(method: str) -> list[ParameterSpec]:
    """The parameters of a method that a sweep can vary."""
    return [spec for spec in registry.get(method).parameters.specs() if spec.kind in (int, float, bool) or spec.choices]


def usual_values(spec: ParameterSpec, base: Any) -> list[Any]:
    """Values worth trying around ``base``: all of a choice, else steps below and above, within the range."""
    if spec.kind is bool:
        return [False, True]
    if spec.choices:
        return list(spec.choices)
    # 0 stands for "as the data want" in many parameters: then steps go around the paper's value.
    middle = base or spec.paper or (1.0 if spec.kind is float else 4)
    values = [base]
    for factor in _FACTORS:
        value = middle * factor
        value = value if spec.low is None else max(value, spec.low)
        value = value if spec.high is None else min(value, spec.high)
        values.append(round(value) if spec.kind is int else round(float(value), 6))
    return sorted(set(values))


def read_points(session: Session, bench: Bench, names: Sequence[str], known: Known) -> list[Point]:
    """The finished runs that differ from the run of ``bench`` in nothing but the parameters ``names``, it among them.

    They are measured with the question of ``bench``; ``known`` keeps what was measured, and is used again.
    """
    base = bench.run
    question = bench.question
    with session.read() as connection:
        done = [run for run in runs(connection) if run.state is RunState.DONE and run.method == base.method]
    by_values: dict[tuple[str, ...], Point] = {}
    rest = _rest(base, names)
    for run in done:
        if run.corpus_hash != base.corpus_hash or run.version != base.version:
            continue
        if _rest(run, names) != rest:
            continue
        settings = _settings(run)
        varied = {name: settings[name] for name in names}
        key = (run.id, question, 0 if bench.curve is None else bench.curve.total)
        if key not in known:
            known[key] = _measured(session, run, varied, question)
        one = known[key]
        by_values[tuple(map(str, varied.values()))] = Point(
            varied, run, one.threshold, one.counts, one.average_precision, one.problem
        )
    return sorted(by_values.values(), key=lambda point: tuple(map(_order, point.varied.values())))


def _settings(run: Run) -> dict[str, Any]:
    """All parameters of a run: what an older version did not record has its default."""
    return {spec.name: spec.default for spec in registry.get(run.method).parameters.specs()} | dict(run.parameters)


def _rest(run: Run, names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in _settings(run).items() if name not in names}


def _order(value: Any) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))


def _measured(session: Session, run: Run, varied: Mapping[str, Any], question: Question) -> Point:
    try:
        bench = read_bench(session, run, question)
    except UserError as error:
        return Point(varied, run, problem=error.sentence)
    if bench.curve is None:
        return Point(varied, run, problem=bench.problem)
    threshold = float(bench.curve.threshold[bench.curve.best()])
    return Point(varied, run, threshold, bench.curve.counts(threshold), bench.curve.average_precision)
