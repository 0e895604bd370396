"""Figures of cost and of corpus size: the time an entry takes, and the benefit of a larger corpus."""

from __future__ import annotations

import shlex
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.resources import cache_dir
from workbench.base.types import Document, Role, Run
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.evaluation.intervals import f_interval
from workbench.evaluation.thresholds import curve
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.database import Connection
from workbench.project.listing import document_table
from workbench.project.tags import EVERYTHING, Scope
from workbench.services.detecting.corpus import ProjectCorpus, characters, scope_of, scope_of_run
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.figure_request import FigureRequest, base_run, numbers
from workbench.services.measuring.figures_scores import COPIED, LENGTHS, by_copied_length
from workbench.services.measuring.label_selection import figure_of, score
from workbench.services.session import Session

_WARM = 20


class PartialCorpus:
    """The project's documents of ``scope`` without those whose keys are ``left_out``, at most ``limit`` of each
    role.
    """

    def __init__(
        self,
        connection: Connection,
        left_out: Collection[int] = (),
        limit: int | None = None,
        scope: Scope = EVERYTHING,
    ) -> None:
        self._whole = ProjectCorpus(connection, scope)
        self._left_out = frozenset(left_out)
        self._limit = limit

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all when none is named), in key order."""
        of_role: dict[Role, int] = {}
        for document in self._whole.documents(*roles):
            of_role[document.role] = of_role.get(document.role, 0) + 1
            if document.key not in self._left_out and (self._limit is None or of_role[document.role] <= self._limit):
                yield document


@dataclass(frozen=True, slots=True)
class Trial:
    """The results of a method and their cost.

    ``seconds`` are per examined document, by key; ``index_seconds`` are for the index; both on one processor.
    ``lengths`` are in code points.
    """

    scores: Mapping[int, float]
    seconds: Mapping[int, float]
    lengths: Mapping[int, int]
    index_seconds: float


def trial(
    ctx: Context,
    session: Session,
    method: str,
    parameters: Mapping[str, Any],
    *,
    left_out: Collection[int] = (),
    examine: Collection[int] | None = None,
    rounds: int = 1,
    figure: str = "",
) -> Trial:
    """Apply ``method`` without the documents ``left_out``; examine those with keys in ``examine`` (None: all).

    Each document is examined ``rounds`` times; the shortest time counts. ``figure`` of the evidence is taken in place
    of the score.

    The index is built in a temporary folder. Raises UserError, ParameterError, Cancelled.
    """
    chosen = registry.get(method)
    settings = chosen.parameters.parse(parameters)
    _, examined = chosen.roles(settings)
    scores: dict[int, float] = {}
    seconds: dict[int, float] = {}
    lengths: dict[int, int] = {}
    top = cache_dir() / "trials"
    top.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=top) as folder, session.read() as connection:
        corpus = PartialCorpus(connection, left_out, scope=scope_of(settings))
        begun = time.perf_counter()
        chosen.prepare(corpus, settings, Path(folder), ctx)
        index = chosen.load(Path(folder), settings)
        index_seconds = time.perf_counter() - begun
        for document in corpus.documents(*examined):
            if examine is not None and document.key not in examine:
                continue
            for _ in range(rounds):
                begun = time.perf_counter()
                results = chosen.detect(index, [document], settings, ctx)
                taken = time.perf_counter() - begun
                seconds[document.key] = min(taken, seconds.get(document.key, taken))
            lengths[document.key] = len(document.text)
            scores |= {s.document: figure_of(s.score, s.evidence, figure) for s in results.scores}
        del index
    return Trial(scores, seconds, lengths, index_seconds)


def warm(ctx: Context, session: Session, method: str, parameters: Mapping[str, Any]) -> None:
    """Apply ``method`` to a few documents, so that the next trial does not measure loading it."""
    with session.read() as connection:
        few = {d.key for d in PartialCorpus(connection, limit=_WARM).documents()}
        rest = [d.key for d in ProjectCorpus(connection).documents() if d.key not in few]
    trial(ctx, session, method, parameters, left_out=rest)


def spread(keys: Sequence[int], count: int) -> list[int]:
    """At most ``count`` of ``keys``, evenly spaced, including both ends."""
    if len(keys) <= count:
        return list(keys)
    return [keys[round(i * (len(keys) - 1) / (count - 1))] for i in range(count)]


_TIMED = 1_000
"""Maximum number of entries that are timed; evenly spaced by length."""
_ROUNDS = 3
_TWO_SIDED = 1.96
"""Standard errors on either side of a mean, for a 95 % interval."""
_SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_SIZE_LENGTHS = (12, 15, 20, 25)
"""Lines of the paper's figure 3."""
_STAGE = Message("Measuring")


def f_by_corpus_size(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Best F against the size of the background corpus, one line per shortest copied string (figure 3).

    The corpora are nested random parts of the background. Raises UserError if there is no background.
    """
    request, ranking = by_copied_length(request)
    run = base_run(ctx, path, COPIED, request, TargetKind.DOCUMENT)
    lengths = [int(value) for value in numbers(request, _SIZE_LENGTHS)]
    lines = []
    with Session(path, write=False) as session:
        _, scored = score(session, run.id, request.question, (TargetKind.DOCUMENT,))
        with session.read() as connection:
            table = document_table(connection)
            scope = {key for key, _ in characters(connection, [Role.BACKGROUND], scope_of_run(run))}
        background = [i for i, key in enumerate(table.key.tolist()) if key in scope]
        if not background:
            raise UserError(
                Message("This project has no background documents to vary."),
                command=f"Import some: palimpsest import {shlex.quote(str(path))} PATH... --role background",
            )
        Random(0).shuffle(background)
        parts = sorted({max(1, round(share * len(background))) for share in _SHARES})
        truth = {name: value for (name,), value in zip(scored.names, scored.positive.tolist(), strict=True)}
        labelled = {int(table.key[i]): truth[name] for i, name in enumerate(table.id) if name in truth}
        steps = len(lengths) * len(parts)
        for row, length in enumerate(lengths):
            points, bands = [], []
            for column, size in enumerate(parts):
                ctx.advance(_STAGE, row * len(parts) + column, steps)
                parameters = {**run.parameters, "corpus": "background", "min_length": length}
                rest = [int(table.key[i]) for i in background[size:]]
                outcome = trial(
                    ctx,
                    session,
                    COPIED,
                    parameters,
                    left_out=rest,
                    examine=labelled.keys(),
                    figure=request.question.score,
                )
                keys = sorted(outcome.scores)
                measured = curve([outcome.scores[k] for k in keys], [labelled[k] for k in keys])
                length_of_corpus = sum(int(table.length[i]) for i in background[:size])
                at = measured.best()
                right, chosen = int(measured.true_positive[at]), int(measured.selected[at])
                points.append((float(length_of_corpus), float(measured.f1[at])))
                bands.append(f_interval(right, chosen - right, measured.positives - right))
            x, y = zip(*points, strict=True)
            lines.append(Series(Message("l = {length}", length=length), x, y, band=tuple(bands)))
        ctx.advance(_STAGE, steps, steps)
    note = Message(
        "Run {run}; {labelled} labelled entries. Nested random parts of {count} background documents; F at its best "
        "threshold, with exact 95 % intervals.",
        run=run.id,
        labelled=f"{scored.labelled:,}",
        count=f"{len(background):,}",
    )
    axes = Axis(Message("background corpus (characters)"), low=0), Axis("F", low=0, high=1.02)
    return Figure(Message("Corpus size and filtering performance"), *axes, tuple(lines), (note, ranking))


def time_by_min_length(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Mean time per entry against the shortest copied string l (figure 4)."""
    run = base_run(ctx, path, COPIED, request)
    lengths = [int(value) for value in numbers(request, LENGTHS)]
    alone, whole, off = [], [], []
    with Session(path, write=False) as session:
        entries, total = _entries(session, run)
        warm(ctx, session, COPIED, run.parameters)
        for step, length in enumerate(lengths):
            ctx.advance(_STAGE, step, len(lengths))
            outcome = trial(ctx, session, COPIED, {**run.parameters, "min_length": length}, examine=entries)
            seconds = np.array(list(outcome.seconds.values()))
            mean = float(seconds.mean())
            # One entry does not show a spread.
            if len(seconds) > 1:
                off.append(1000 * _TWO_SIDED * float(seconds.std(ddof=1)) / len(seconds) ** 0.5)
            alone.append(1000 * mean)
            whole.append(1000 * (mean + outcome.index_seconds / total))
        ctx.advance(_STAGE, len(lengths), len(lengths))
    x = tuple(map(float, lengths))
    lines = tuple(
        Series(name, x, tuple(y), band=tuple((max(0.0, v - e), v + e) for v, e in zip(y, off, strict=False)))
        for name, y in ((Message("with its share of the index"), whole), (Message("scoring alone"), alone))
    )
    notes = (*_timed(len(entries), total), _of(run), *([Message("95 % intervals of the means.")] if off else ()))
    axes = Axis(Message("shortest copied string l (characters)")), Axis(Message("time per entry (ms)"), low=0)
    return Figure(Message("Shortest copied string and time"), *axes, lines, notes)


def time_by_entry_length(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Time for each entry against its length, at l = 1, where it is longest (figure 5)."""
    run = base_run(ctx, path, COPIED, request)
    length = int(numbers(request, (1,))[0])
    with Session(path, write=False) as session:
        entries, total = _entries(session, run)
        parameters = {**run.parameters, "min_length": length}
        warm(ctx, session, COPIED, parameters)
        outcome = trial(ctx, session, COPIED, parameters, examine=entries, rounds=_ROUNDS)
    keys = sorted(outcome.seconds, key=lambda key: outcome.lengths[key])
    x = np.array([outcome.lengths[key] for key in keys], np.float64)
    y = 1000 * np.array([outcome.seconds[key] for key in keys])
    lines = [Series(Message("entries"), tuple(x.tolist()), tuple(y.tolist()), "points")]
    ends = (float(x[0]), float(x[-1]))
    if ends[0] < ends[1]:
        slope, offset = np.polyfit(x, y, 1)
        name = Message("{time} µs per character", time=f"{1000 * slope:.3g}")
        lines.append(Series(name, ends, tuple(float(offset + slope * end) for end in ends)))
    axes = Axis(Message("length of the entry (characters)"), low=0), Axis(Message("time (ms)"), low=0)
    title = Message("Length of the entry and time, l = {length}", length=length)
    return Figure(title, *axes, tuple(lines), (*_timed(len(keys), total), _of(run)))


def _entries(session: Session, run: Run) -> tuple[list[int], int]:
    """Keys of the entries that ``run`` covers to time, evenly spaced by length, and how many there are. Raises
    UserError.
    """
    with session.read() as connection:
        suspects = characters(connection, [Role.SUSPECT], scope_of_run(run))
    if not suspects:
        raise UserError(Message("There are no suspect documents to time."))
    by_length = [key for key, _ in sorted(suspects, key=lambda suspect: suspect[1])]
    return spread(by_length, _TIMED), len(suspects)


def _of(run: Run) -> Message:
    return Message("With the settings of run {run}.", run=run.id)


def _timed(timed: int, total: int) -> tuple[str, ...]:
    if timed == total:
        return (Message("{count} entries; one processor.", count=f"{timed:,}"),)
    words = Message(
        "{timed} of {total} entries, evenly spaced by length; one processor.", timed=f"{timed:,}", total=f"{total:,}"
    )
    return (words,)
