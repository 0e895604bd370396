"""A whole job: inputs, a method, an engine, and the folder with its results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message, read, stored
from workbench.base.progress import Progress
from workbench.methods.core import registry
from workbench.methods.core.api import EACH_OTHER, with_default_comparison
from workbench.scaleout.api import Engine, Query, not_written
from workbench.scaleout.inputs import list_pieces
from workbench.scaleout.pages import Pages, pages, refused
from workbench.scaleout.record import JOB, METHODS, JobRequest, check, is_record, read_job
from workbench.scaleout.rows import KEYS, ROLES
from workbench.scaleout.work import StepRows, Work

COUNTING = Message("Counting pages")


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a job: pages read, inputs refused (path, reason), pages with the id of another page, pairs of
    pages, and counts of omissions by the method.
    """

    pages: int
    refused: tuple[tuple[str, str], ...]
    twice: int
    pairs: int
    left_out: Mapping[str, int]


def run(folder: Path, request: JobRequest, engine: Callable[[], Engine], watch: Progress) -> Summary:
    """Run ``request``, or the rest of it, in ``folder``. Raises UserError, ParameterError, Cancelled."""
    parameters = check(request)
    try:
        with closing(Work(folder, engine, watch)) as work:
            return _run(work, request, parameters, watch)
    except OSError as error:
        raise not_written(JOB, error) from error


def _run(work: Work, request: JobRequest, parameters: Any, watch: Progress) -> Summary:
    work.note(
        method=request.method,
        version=registry.get(request.method).version,
        parameters=parameters.as_dict(),
        paths=[str(path) for path in request.paths],
        state="running",
        summary=None,
    )
    try:
        options = request.reading()
        pieces, failures = list_pieces(work.folder, request.paths, options, watch)
        if not pieces:
            raise UserError(
                Message("There is nothing to read."),
                path=str(request.paths[0]) if request.paths else None,
                hint=failures[0].error if failures else "",
            )
        read_pages = pages(work, pieces, request.role, options, site_repetition=request.site_repetition)
        parameters = _recorded_parameters(work, read_pages, request, parameters)
        work.maker = f"{request.method} {registry.get(request.method).version}"
        results = _method(request.method)(work, read_pages, parameters)
        bad = (*((f.path, stored(f.error)) for f in failures), *refused(read_pages.raw))
        summary = _summary(work, read_pages, results, bad)
        examined = _examined(work, read_pages, request.method, parameters)
        work.note(
            state="done",
            current="",
            summary={
                "pages": summary.pages,
                "examined": examined,
                "refused": [[path, stored(error)] for path, error in summary.refused],
                "twice": summary.twice,
                "pairs": summary.pairs,
                "left_out": {stored(reason): n for reason, n in summary.left_out.items()},
            },
            results=[f.relative_to(work.folder).as_posix() for table in results for f in table.folders],
            pages=[f.relative_to(work.folder).as_posix() for f in read_pages.raw.folders],
            repeated=_folder(work, read_pages.repeated),
        )
    except BaseException as error:
        ended = error.sentence if isinstance(error, UserError) else type(error).__name__
        with suppress(OSError):
            work.note(state="ended", message=stored(ended))
        raise
    work.drop_others()
    return summary


def _recorded_parameters(work: Work, read_pages: Pages, request: JobRequest, parameters: Any) -> Any:
    """The ``parameters`` of ``request`` adapted to the existing roles; they are recorded."""
    if getattr(parameters, "compare", "all") == "all":
        return parameters
    sources = f"count(case when page < {KEYS} then 1 end) as sources"
    suspects = f"count(case when page >= {KEYS} and page < {2 * KEYS} then 1 end) as suspects"
    query = Query(f"select {sources}, {suspects} from {read_pages.raw}")
    counts = work.step("roles", COUNTING, query).row()
    values = with_default_comparison(type(parameters), request.parameters, counts["sources"], counts["suspects"])
    if values != request.parameters:
        work.watch.warn(EACH_OTHER)
        parameters = check(replace(request, parameters=values))
        work.note(parameters=parameters.as_dict())
    return parameters


def _examined(work: Work, read_pages: Pages, method: str, parameters: Any) -> int:
    """The number of pages of the roles that the method examines, as a run in a project counts them."""
    _, examined = registry.get(method).roles(parameters)
    of_role = [f"page >= {at * KEYS} and page < {(at + 1) * KEYS}" for at, role in enumerate(ROLES) if role in examined]
    query = Query(f"select count(*) as pages from {read_pages.select('page')} p where {' or '.join(of_role)}")
    return int(work.step("examined", COUNTING, query).row()["pages"])


def _folder(work: Work, table: StepRows | None) -> str:
    return "" if table is None else table.folders[0].relative_to(work.folder).as_posix()


def _method(name: str) -> Callable[[Work, Pages, Any], list[StepRows]]:
    # The modules of methods import compiled kernels.
    find: Callable[[Work, Pages, Any], list[StepRows]] = import_module(
        f"workbench.scaleout.{METHODS[name].module}"
    ).find
    return find


def _summary(work: Work, read_pages: Pages, results: Sequence[StepRows], bad: tuple[tuple[str, str], ...]) -> Summary:
    import pyarrow.dataset as ds

    counts: dict[str, int] = {}
    pairs = 0
    for table in results:
        files = [str(file) for folder in table.folders for file in sorted(folder.glob("*.parquet"))]
        for batch in ds.dataset(files).scanner(columns=["a", "left_out"]).to_batches():
            work.watch.check()
            pairs += len(batch) - batch.column("a").null_count
            for row in batch.column("left_out").drop_null().to_pylist():
                for reason, n in json.loads(row).items():
                    counts[reason] = counts.get(reason, 0) + n
    raw = read_pages.raw
    count = raw.rows - len([1 for _ in refused(raw)]) - read_pages.twice.rows
    left_out = {read(reason): n for reason, n in counts.items() if n}
    return Summary(count, bad, read_pages.twice.rows, pairs, left_out)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a job's folder: its record, and whether the job is ``running``, ``done``, or ``ended`` early."""

    job: Mapping[str, Any]
    state: str


def status(folder: Path) -> Status:
    """The state of the job in ``folder``. Raises UserError if it is not the folder of a job."""
    from filelock import FileLock, Timeout

    job = read_job(folder)
    if not job.get("method"):
        raise UserError(Message("This is not the folder of a job."), path=folder)
    if not is_record(job):
        raise UserError(
            Message("The job's own record cannot be read."),
            path=folder / JOB,
            hint=Message("Run the job again, or ask the sender for the original folder."),
        )
    state = str(job.get("state"))
    if state == "running":
        lock = folder / "lock"
        if lock.is_symlink() or not lock.exists():
            return Status(job, "ended")  # A running job has a lock of its own; looking at a folder creates nothing.
        with suppress(Timeout, OSError), FileLock(lock, timeout=0):
            state = "ended"
    return Status(job, state)
