"""Applying a method to a project: index, chunks over worker processes, a run that can be resumed."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base import compiling
from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.base.types import Results, Role, Run, RunState
from workbench.jobs.chunks import Crash, map_chunks, worker_progress
from workbench.jobs.context import Context
from workbench.jobs.process import second_compiler
from workbench.methods.core import registry
from workbench.methods.core.api import EACH_OTHER, Method, Parameters
from workbench.methods.core.warming import warm_up_last_first
from workbench.project.database import Connection, Project, open_project
from workbench.project.documents import corpus_hash, documents_of, load_document
from workbench.project.run_documents import present_documents, recorded_documents, run_documents, store_run_documents
from workbench.project.runs import (
    Earlier,
    as_part,
    begin_run,
    chunk_count,
    find_interrupted,
    finish_chunk,
    finish_run,
    keep,
    open_chunks,
    resume_run,
    runs,
)
from workbench.project.tags import Scope
from workbench.services.detecting.corpus import ProjectCorpus, characters, scope_of, settled
from workbench.services.detecting.indexing import index_folder
from workbench.services.relations.settling import settle
from workbench.services.session import Session
from workbench.services.tagging import no_such_tags


def run_to_continue(
    connection: Connection, method: Method, settings: Parameters, lengths: Sequence[tuple[int, int]]
) -> Earlier | None:
    """The latest finished run that examined the first of these documents, with the same settings and sources.

    ``lengths``: (key, characters) of the documents to examine, in key order. None if a new run would have different
    results: indexed documents were added or removed, or texts or content blocks changed other than by a new version of
    a document.
    """
    indexed, examined = method.roles(settings)
    scope = scope_of(settings)
    corpus = ProjectCorpus(connection, scope)
    if (
        "matches" not in method.emits
        or "scores" in method.emits
        or set(examined) & set(method.index_roles(corpus, settings))
    ):
        return None
    roles = sorted({*indexed, *examined})
    compared = set(indexed) - set(examined)
    sources = present_documents(connection, compared, scope).keys(*compared)
    now = [key for key, _ in lengths]
    defaults, values = method.parameters().as_dict(), settings.as_dict()
    for run in reversed(runs(connection)):
        same = (run.method, run.version, run.state) == (method.name, method.version, RunState.DONE)
        if not same or {**defaults, **run.parameters} != values:
            continue
        before = run_documents(connection, run, scope)
        past = set(before.keys(*examined).tolist())
        kept, dropped = len(past.intersection(now)), past.difference(now)
        # What the dropped ones had left out is counted once more, to be subtracted.
        worth = len(dropped) <= kept and 0 < kept < len(now)
        if not worth or not past.issuperset(now[:kept]) or not np.array_equal(sources, before.keys(*compared)):
            continue
        if corpus_hash(connection, roles, keys=before.keys(*roles).tolist()) == run.corpus_hash:
            return Earlier(run, now[:kept])
    return None


_STAGE = Message("Detecting")
CHUNK_CHARACTERS = 100_000
"""Maximum number of characters in a chunk (a longer document is a chunk by itself)."""
CHUNK_DOCUMENTS = 100
FEW_CHARACTERS = 400_000
FEW_DOCUMENTS = 500
"""Up to this many are examined faster here, where the index has just been built, than in new processes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of a detection: documents to examine now, documents they are compared with, and pairs of these.

    ``only_sources``: the latter are sources; ``among``: they are the documents examined, compared with each other.
    ``seconds`` is extrapolated from the method's finished run with most documents; None if there is none.
    """

    documents: int
    sources: int
    pairs: int
    seconds: float | None
    only_sources: bool = True
    among: bool = False


@dataclass(frozen=True, slots=True)
class Subset:
    """The keys of the only documents to examine, and the watch whose check requests it."""

    keys: Collection[int]
    watch: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Documents of the examined roles, by their keys in order, and the number of characters of their texts.

    ``dropped``: documents whose counts of what was left out are subtracted, as another run's results included them.
    """

    keys: tuple[int, ...]
    characters: int = 0
    dropped: tuple[int, ...] = ()

    @property
    def first(self) -> int:
        """The lowest key."""
        return self.keys[0]

    @property
    def last(self) -> int:
        """The highest key."""
        return self.keys[-1]

    @property
    def documents(self) -> int:
        """Their number."""
        return len(self.keys)


def estimate(session: Session, method: str, parameters: Mapping[str, Any]) -> Estimate:
    """What :func:`detect` would cost. Raises UserError for an unknown method, ParameterError."""
    chosen = registry.get(method)
    with session.read() as connection:
        settings = settled(connection, chosen, parameters)
        examined = chosen.roles(settings)[1]
        corpus = ProjectCorpus(connection, scope_of(settings))
        documents = corpus.count(*examined)
        compared = _compared([role for role in chosen.index_roles(corpus, settings) if corpus.count(role)])
        sources = corpus.count(*compared) if compared else 0
        shared = [role for role in compared if role in examined]
        both = corpus.count(*shared) if shared else 0
        done = [run for run in runs(connection) if run.method == method and run.state is RunState.DONE]
        # A run of a few documents spends most of its time on beginning and ending.
        largest = max(reversed(done), key=lambda run: run.documents - run.taken_over, default=None)
        base = run_to_continue(connection, chosen, settings, characters(connection, examined, scope_of(settings)))
    measured = 0 if largest is None else largest.documents - largest.taken_over
    pace = largest.seconds / measured if largest is not None and measured else None
    documents -= len(base.kept) if base is not None else 0
    pairs = documents * sources - both * (both + 1) // 2
    seconds = None if pace is None else pace * documents
    return Estimate(documents, sources, pairs, seconds, compared == [Role.SOURCE], among=both == documents == sources)


def run_to_resume(session: Session, method: str, parameters: Mapping[str, Any]) -> Run | None:
    """The unfinished run that :func:`detect` would continue with ``resume``, or the finished one that it would return;
    None if it would start a new one. Raises UserError for an unknown method, ParameterError.
    """
    chosen = registry.get(method)
    with session.read() as connection:
        settings = settled(connection, chosen, parameters)
        (indexed, examined), scope = chosen.roles(settings), scope_of(settings)
        corpus = corpus_hash(connection, sorted({*indexed, *examined}), scope=scope)
        return _resumable(connection, chosen, settings, corpus, characters(connection, examined, scope), None)


def detect(
    ctx: Context,
    project_path: Path,
    method: str,
    parameters: Mapping[str, Any],
    *,
    workers: int | None = None,
    resume: bool = False,
    only: Subset | None = None,
    varied_from: int | None = None,
    afresh: bool = False,
) -> Run:
    """Run ``method`` over the project and store its findings; finished chunks are kept even if it fails.

    With ``only``, just these documents are examined, against all documents that they may be compared with. Findings of
    a finished run with the same settings and sources that examined all but the newly imported documents are reused,
    except with ``afresh`` or ``only`` or for a point of a sweep. If there are only suspects or only sources, and
    ``parameters`` do not set the comparison, all are compared with each other (not with ``only``).

    ``resume`` continues the latest unfinished run of the same method, version, parameters and texts; if such a run has
    already finished it is returned, otherwise a new one is started. ``varied_from`` is the run whose parameters a sweep
    varies: the new run is a point of that sweep until the same run is requested without it. Raises UserError,
    ParameterError, Cancelled.
    """
    chosen = registry.to_apply(method)
    with open_project(project_path) as project:
        with project.read() as connection:
            settings = (
                chosen.parameters.parse(parameters) if only is not None else settled(connection, chosen, parameters)
            )
        if settings != chosen.parameters.parse(parameters):
            ctx.warn(EACH_OTHER)
        indexed, examined = chosen.roles(settings)
        scope = scope_of(settings)
        _refuse_empty(project, indexed, examined, scope)
        with project.read() as connection:
            corpus = corpus_hash(connection, sorted({*indexed, *examined}), scope=scope)
            lengths = characters(connection, examined, scope)
            documents = present_documents(connection, {*indexed, *examined}, scope)
        if only is not None:
            documents = documents.only(only.keys, examined)
            lengths = [(key, length) for key, length in lengths if key in only.keys]
            corpus = hashlib.sha256(f"{corpus}:{[key for key, _ in lengths]}".encode()).hexdigest()
        watch = None if only is None else only.watch
        run = None
        if resume:
            with project.write() as connection:
                run = _resumable(connection, chosen, settings, corpus, lengths, watch)
                if run is not None and run.state is not RunState.DONE:
                    run = resume_run(connection, run.id)
        if run is not None and run.varied_from is not None and varied_from is None:
            with project.write() as connection:
                run = keep(connection, run.id)
            ctx.changed("runs")
        if run is not None and run.state is RunState.DONE:
            return run
        if run is None:
            with project.write() as connection:
                values, base = settings.as_dict(), None
                if not afresh and only is None and varied_from is None:
                    base = run_to_continue(connection, chosen, settings, lengths)
                chunks = len(plan_chunks(lengths, 0 if base is None else len(base.kept)))
                run = begin_run(
                    connection,
                    method,
                    chosen.version,
                    values,
                    corpus,
                    chunks,
                    varied_from=varied_from,
                    continues=base,
                    watch=watch,
                )
                store_run_documents(connection, run.id, documents)
                run = run if only is None else as_part(connection, run)
        ctx.changed("runs")
        with project.read() as connection:
            past = None if run.continues is None else recorded_documents(connection, run.continues)
        dropped = set() if past is None else set(past.keys(*examined).tolist()) - {key for key, _ in lengths}
        plan = plan_chunks(lengths, run.taken_over, sorted(dropped))
        detection = _Detection(ctx, project, chosen, settings, run)
        with second_compiler(warm_up_last_first):
            return detection.go(plan, workers or os.cpu_count() or 1)


def _compared(indexed: Sequence[Role]) -> list[Role]:
    """The indexed roles that matches may refer to; background only if there is nothing else."""
    return [role for role in indexed if role != Role.BACKGROUND] or [*indexed]


def _refuse_empty(project: Project, indexed: Sequence[Role], examined: Sequence[Role], scope: Scope) -> None:
    """Raise UserError that says what to do if one side of the comparison has no documents."""
    compared = _compared(indexed)
    with project.read() as connection:
        everything, chosen = ProjectCorpus(connection), ProjectCorpus(connection, scope)
        sources, suspects = chosen.count(*compared), chosen.count(*examined)
        if (not sources and everything.count(*compared)) or (not suspects and everything.count(*examined)):
            raise no_such_tags(connection)
    if not suspects:
        raise UserError(
            Message("There are no documents to examine ({examined}).", examined=" or ".join(examined)),
            command=f"Import some: palimpsest import {shlex.quote(str(project.path))} PATH... --role {examined[0]}",
        )
    if not sources:
        raise UserError(
            Message("There is nothing to compare with ({compared} documents).", compared=" or ".join(compared)),
            command=f"Import some: palimpsest import {shlex.quote(str(project.path))} PATH... --role {compared[0]}",
        )


def _resumable(
    connection: Connection,
    method: Method,
    settings: Parameters,
    corpus: str,
    lengths: Sequence[tuple[int, int]],
    watch: int | None,
) -> Run | None:
    """The unfinished run of ``watch`` (None: of no watch) to continue, else an equal finished one, else None."""
    values, defaults = settings.as_dict(), method.parameters().as_dict()
    interrupted = find_interrupted(
        connection, method.name, values, corpus, version=method.version, defaults=defaults, watch=watch
    )
    # Earlier versions cut chunks differently.
    if (
        interrupted
        and chunk_count(connection, interrupted.id) == len(plan_chunks(lengths, interrupted.taken_over))
        and (interrupted.continues is None or recorded_documents(connection, interrupted.continues) is not None)
    ):
        return interrupted
    same = [
        run
        for run in runs(connection)
        if (run.method, run.version, run.corpus_hash) == (method.name, method.version, corpus)
        and {**defaults, **run.parameters} == values
        and run.state is RunState.DONE
        and run.watch == watch
    ]
    return same[-1] if same else None


def plan_chunks(lengths: Sequence[tuple[int, int]], taken_over: int = 0, dropped: Sequence[int] = ()) -> list[Chunk]:
    """Cut documents, (key, characters) in key order, into chunks. The same documents always give the same plan.

    The first ``taken_over`` documents, examined by another run, form one chunk; the next has the documents of that run
    that are ``dropped``.
    """
    chunks = [Chunk(tuple(key for key, _ in lengths[:taken_over]))] if taken_over else []
    keys: list[int] = []
    size = 0
    for key, length in lengths[taken_over:]:
        if keys and (size + length > CHUNK_CHARACTERS or len(keys) == CHUNK_DOCUMENTS):
            chunks.append(Chunk(tuple(keys), size))
            keys, size = [], 0
        keys.append(key)
        size += length
    if keys:
        chunks.append(Chunk(tuple(keys), size))
    if dropped:
        chunks[1] = replace(chunks[1], dropped=tuple(dropped))
    return chunks


@contextmanager
def recording_failure(end: Callable[[RunState, str | Message], object]) -> Iterator[None]:
    """End a run as cancelled or failed, with the reason, if the block raises; the exception is passed on."""
    try:
        yield
    except Cancelled:
        end(RunState.CANCELLED, Message("cancelled"))
        raise
    except UserError as error:
        end(RunState.FAILED, error.sentence)
        raise
    except Exception as error:
        end(RunState.FAILED, f"{type(error).__name__}: {error}")
        raise


class _Detection:
    """One execution of a run."""

    def __init__(self, ctx: Context, project: Project, method: Method, settings: Parameters, run: Run) -> None:
        self._ctx = ctx
        self._project = project
        self._method = method
        self._settings = settings
        self._run = run
        self._begun = time.monotonic() - compiling.spent()
        self._compiled: dict[int, float] = {}
        """Seconds that each worker process has spent compiling."""

    def go(self, plan: Sequence[Chunk], workers: int) -> Run:
        """Process the open chunks and end the run as done, cancelled or failed."""
        with recording_failure(self._end):
            self._work(plan, workers)
            settle(self._ctx, self._project, self._run.id)
        return self._end(RunState.DONE)

    def _work(self, plan: Sequence[Chunk], workers: int) -> None:
        _, examined = self._method.roles(self._settings)
        folder = index_folder(self._project, self._method, self._settings, self._ctx)
        with self._project.read() as connection:
            waiting = open_chunks(connection, self._run.id)
        total = sum(chunk.documents for chunk in plan)
        left = sum(plan[i].documents for i in waiting)
        characters = sum(plan[i].characters for i in waiting)
        few = len(waiting) < 2 or (left <= FEW_DOCUMENTS and characters <= FEW_CHARACTERS)
        done = total - left
        results = map_chunks(
            self._ctx,
            _detect_chunk,
            [plan[i] for i in waiting],
            workers=0 if few else min(workers, len(waiting)),
            initializer=_open_worker,
            initargs=(self._project.path, self._method.name, self._settings.as_dict(), folder, examined),
        )
        # Closed right away, so that an error here does not leave the workers waiting.
        with closing(results):
            for position, result in results:
                index = waiting[position]
                if isinstance(result, Crash):
                    raise UserError(
                        Message(
                            "Documents {first} to {last} could not be examined. {message}",
                            first=plan[index].first,
                            last=plan[index].last,
                            message=result.message,
                        ),
                        hint=Message("Finished parts are kept; --resume continues."),
                    )
                if result.process != os.getpid():
                    self._compiled[result.process] = result.compiled
                with self._project.write() as connection:
                    finish_chunk(connection, self._run.id, index, result.results, documents=plan[index].documents)
                done += plan[index].documents
                self._ctx.changed("matches")
                self._ctx.advance(_STAGE, done, total)

    def _end(self, state: RunState, message: str = "") -> Run:
        with self._project.write() as connection:
            run = finish_run(connection, self._run.id, state, self._seconds(), message)
        self._ctx.changed("runs", "matches")
        return run

    def _seconds(self) -> float:
        """Duration of this execution without compiling, which worker processes do at the same time."""
        here = time.monotonic() - compiling.spent() - self._begun
        return max(0.0, here - max(self._compiled.values(), default=0.0))


@dataclass(frozen=True, slots=True)
class _Worker:
    """State a worker process keeps between chunks."""

    project: Project
    method: Method
    parameters: Parameters
    index: Any
    roles: tuple[Role, ...]


_worker: list[_Worker] = []


def _open_worker(
    project: Path, method: str, parameters: Mapping[str, Any], folder: Path, roles: tuple[Role, ...]
) -> None:
    chosen = registry.get(method)
    settings = chosen.parameters.parse(parameters)
    opened = open_project(project, write=False)
    _worker[:] = [_Worker(opened, chosen, settings, chosen.load(folder, settings), roles)]


@dataclass(frozen=True, slots=True)
class _Done:
    """The findings in a chunk, the process, and the seconds it has spent compiling so far."""

    results: Results
    process: int
    compiled: float


def _detect_chunk(chunk: Chunk) -> _Done:
    worker = _worker[0]
    progress = worker_progress()
    with worker.project.read() as connection:
        chosen = list(documents_of(connection, chunk.keys, worker.roles))
        dropped = [load_document(connection, key) for key in chunk.dropped]
    progress.check()
    results = worker.method.detect(worker.index, chosen, worker.parameters, progress)
    if dropped:
        excluded = Counter(results.excluded)
        excluded.subtract(worker.method.detect(worker.index, dropped, worker.parameters, progress).excluded)
        results = replace(results, excluded=excluded)
    return _Done(results, os.getpid(), compiling.spent())
