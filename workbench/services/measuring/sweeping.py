"""One method with many parameter settings: each is run once and measured against the same labels; the points of a sweep
are finished runs that differ from a base run in some parameters.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.options import Option
from workbench.base.types import Role, Run, RunState
from workbench.evaluation.thresholds import Counts
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.amendments import last_amendment
from workbench.project.changes import fingerprints
from workbench.project.database import Connection
from workbench.project.documents import corpus_hash
from workbench.project.runs import runs
from workbench.services.choosing import find_run
from workbench.services.detecting.corpus import scope_of_run
from workbench.services.detecting.runs import detect
from workbench.services.measuring.evaluating import Evaluation, evaluate
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import ScoredRun, read_scored_run
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of a sweep: the varied values, its run, its agreement with the labels, or why it is undefined."""

    varied: Mapping[str, Any]
    run: Run
    evaluation: Evaluation | None
    problem: str = ""


def grid(method: str, axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values of ``axes``, checked. Raises ParameterError for unknown names or values."""
    kind = registry.get(method).parameters
    for name, values in axes.items():
        if not values:
            raise ParameterError(Message("The sweep needs at least one value for {name}.", name=name))
        for value in values:
            kind.parse({name: value})
    return [dict(zip(axes, combined, strict=True)) for combined in product(*axes.values())]


def runs_over(
    ctx: Context, project_path: Path, base: Run, axes: Mapping[str, Sequence[Any]], *, workers: int | None = None
) -> Iterator[tuple[dict[str, Any], Run]]:
    """A run for each combination of the values of ``axes``, otherwise as ``base``, with the varied values.

    A finished run of the same method, version, parameters and texts is reused; an interrupted one is resumed. Raises
    ParameterError, UserError, Cancelled (finished runs remain).
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


_FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True)
class Point:
    """One setting: the varied values, its run, and its agreement with the labels at its best F.

    ``counts`` is None if nothing could be measured; ``problem`` says why.
    """

    varied: Mapping[str, Any]
    run: Run
    threshold: float = 0.0
    counts: Counts | None = None
    average_precision: float = 0.0
    problem: Message | str = ""


EstimatedPoints = dict[tuple[int, Question, Hashable], Point]
"""Points already measured, by run, question, and the state of the documents and labels."""


def can_vary(method: str) -> list[Option]:
    """The parameters of a method that a sweep can vary."""
    return [spec for spec in registry.get(method).parameters.specs() if spec.kind in (int, float, bool) or spec.choices]


def usual_values(spec: Option, base: Any) -> list[Any]:
    """Values to try around ``base``: all choices, or steps below and above it within the range."""
    if spec.kind is bool:
        return [False, True]
    if spec.choices:
        return list(spec.choices)
    # 0 often means automatic: then steps surround the paper's value.
    middle = base or spec.paper or (1.0 if spec.kind is float else 4)
    values = [base]
    for factor in _FACTORS:
        value = middle * factor
        value = value if spec.low is None else max(value, spec.low)
        value = value if spec.high is None else min(value, spec.high)
        values.append(round(value) if spec.kind is int else round(float(value), 6))
    return sorted(set(values))


def read_points(session: Session, scored: ScoredRun, names: Sequence[str], known: EstimatedPoints) -> list[Point]:
    """The finished runs that differ from the run of ``scored`` only in the parameters ``names``, including itself.

    If the parameters choose documents, runs on other documents are included as long as their texts and those of the
    base are unchanged. All are measured with the question of ``scored``; ``known`` caches measurements.
    """
    base = scored.run
    question = scored.question
    with session.read() as connection:
        done = [run for run in runs(connection) if run.state is RunState.DONE and run.method == base.method]
        rest, texts = _rest(base, names), _Texts(connection)
        state = last_amendment(connection), *fingerprints(connection, ("documents", "labels")).values()
        done = [
            run
            for run in done
            if run.version == base.version and _rest(run, names) == rest and texts.read_same_state(run, base)
        ]
    by_values: dict[tuple[str, ...], Point] = {}
    for run in done:
        settings = _settings(run)
        varied = {name: settings[name] for name in names}
        key = (run.id, question, state)
        if key not in known:
            known[key] = _measured(session, run, varied, question)
        one = known[key]
        by_values[tuple(map(str, varied.values()))] = Point(
            varied, run, one.threshold, one.counts, one.average_precision, one.problem
        )
    return sorted(by_values.values(), key=lambda point: tuple(map(_order, point.varied.values())))


class _Documents(NamedTuple):
    """The settings that choose a run's documents."""

    roles: tuple[Role, ...]
    suspect_tags: str
    source_tags: str


class _Texts:
    """Whether runs read texts in the same state, possibly different subsets of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._now: dict[_Documents, str] = {}

    def read_same_state(self, one: Run, other: Run) -> bool:
        """Whether both read texts in the same state."""
        if one.corpus_hash == other.corpus_hash:
            return True
        return _documents(one) != _documents(other) and self._is_present(one) and self._is_present(other)

    def _is_present(self, run: Run) -> bool:
        documents = _documents(run)
        if documents not in self._now:
            self._now[documents] = corpus_hash(self._connection, documents.roles, scope=scope_of_run(run))
        return self._now[documents] == run.corpus_hash


def _documents(run: Run) -> _Documents:
    method = registry.get(run.method)
    roles = sorted({role for part in method.roles(method.parameters.parse(run.parameters)) for role in part})
    return _Documents(tuple(roles), *(str(run.parameters.get(name, "")) for name in ("suspect_tags", "source_tags")))


def _settings(run: Run) -> dict[str, Any]:
    """All parameters of a run, with defaults for those that an older version did not record."""
    return {spec.name: spec.default for spec in registry.get(run.method).parameters.specs()} | dict(run.parameters)


def _rest(run: Run, names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in _settings(run).items() if name not in names}


def _order(value: Any) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))


def _measured(session: Session, run: Run, varied: Mapping[str, Any], question: Question) -> Point:
    try:
        scored = read_scored_run(session, run, question)
    except UserError as error:
        return Point(varied, run, problem=error.sentence)
    if scored.curve is None:
        return Point(varied, run, problem=scored.problem)
    threshold = float(scored.curve.threshold[scored.curve.best()])
    return Point(varied, run, threshold, scored.curve.counts(threshold), scored.curve.average_precision)
