"""Verb ``scale``: run a method on a collection that is too big for a project."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.errors import ParameterError
from workbench.base.parts import check_scale
from workbench.cli.arguments import (
    Names,
    add_columns,
    add_settings,
    add_site_repetition,
    check_used,
    chosen_settings,
    finite,
    path_argument,
    positive,
    role_names,
)
from workbench.cli.output import Column, Output, command, plural, seconds_text
from workbench.cli.results import note_failures, print_left_out, print_next_command, print_run
from workbench.services.tasks import run_record

if TYPE_CHECKING:
    from workbench.scaleout.record import JobRequest
    from workbench.services.scaling.running import EngineOptions

name = "scale"
summary = "find pairs in a collection that is too big for a project"
description = (
    "plan PATH... estimates the time and space of a job on this machine; run PATH... --out DIR runs it step by "
    "step, and continues where it was interrupted; status DIR shows its progress; import P DIR imports its findings "
    "into a project."
)
_ACTIONS = ("plan", "run", "status", "import")
_OF_JOBS = (
    "--out",
    "--method",
    "--preset",
    "--role",
    "--blocks",
    "--columns",
    "--no-site-repetition",
    "--engine",
    "--master",
    "--memory",
    "--threads",
    "--scratch",
)
_USES = {
    **dict.fromkeys(_OF_JOBS, ("plan", "run")),
    **dict.fromkeys(("--min", "--limit", "--afresh"), ("import",)),
}
"""The actions that use an option."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=_ACTIONS, help="what to do")
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", type=path_argument, help="inputs; for status DIR; for import P and DIR"
    )
    add = parser.add_argument
    add("--out", type=path_argument, metavar="DIR", help="run: the folder of the job, which every worker must see")
    add("--method", metavar="METHOD", help="trustable-lcs, rare-sentences or digest")
    add_settings(parser)
    add(
        "--role",
        choices=Names(role_names),
        help="role of pages whose row has none (default: source)",
    )
    add("--blocks", metavar="RULE", help="rule for content blocks of pages, as in import")
    add_columns(parser)
    add_site_repetition(parser)
    add("--engine", choices=("duckdb", "spark"), help="engine (default: duckdb, inside this program)")
    add("--master", default="", metavar="URL", help="spark: spark://…, yarn, k8s://…, local-cluster[…] or sc://…")
    add("--memory", metavar="SIZE", help="memory of the engine, or of each executor (default: 1GB)")
    add("--threads", type=positive, metavar="N", help="threads and worker processes (default: one per processor)")
    add("--scratch", type=path_argument, metavar="DIR", help="folder for scratch files (default: in --out)")
    add("--min", type=finite, metavar="X", help="import: only pairs with at least this score")
    add("--limit", type=positive, metavar="N", help="import: at most N pairs, those with the highest scores")
    add("--afresh", action="store_true", help="import: also if a run of the project already has these results")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    check_scale()
    check_used(arguments, _USES)
    if arguments.settings and arguments.action not in ("plan", "run"):
        raise ParameterError(f"--set is for plan and run, not for {arguments.action}.")
    return {"plan": _plan, "run": _run, "status": _status, "import": _import}[arguments.action](arguments, output)


def _request(arguments: argparse.Namespace) -> JobRequest:
    from workbench.base.types import Role
    from workbench.reading.formats.rows import columns_of
    from workbench.scaleout.record import JobRequest, check

    if not arguments.method:
        raise ParameterError("--method is missing.")
    request = JobRequest(
        paths=tuple(arguments.paths),
        method=arguments.method,
        parameters=chosen_settings(arguments, arguments.method),
        role=Role(arguments.role or "source"),
        blocks=arguments.blocks or "default",
        site_repetition=arguments.site_repetition,
        columns=columns_of(arguments.columns),
    )
    check(request)
    return request


def _options(arguments: argparse.Namespace) -> EngineOptions:
    from workbench.services.scaling.running import MEMORY, EngineOptions

    a = arguments
    return EngineOptions(a.engine or "duckdb", a.master, a.memory or MEMORY, a.threads, a.scratch)


def _only(arguments: argparse.Namespace, number: int, names: str) -> list[Path]:
    if len(arguments.paths) != number:
        raise ParameterError(f"scale {arguments.action} takes {names}.")
    return list(arguments.paths)


def _run(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.messages import read
    from workbench.cli.monitor import run_job
    from workbench.reading.formats import Failure
    from workbench.scaleout.record import METHODS, notes
    from workbench.services.scaling.running import run_scale

    if arguments.out is None:
        raise ParameterError("--out is missing: the folder of the job.")
    request = _request(arguments)
    done = run_job(output, run_scale, arguments.out, request, _options(arguments))
    failed = [Failure(path, read(error)) for path, error in done.refused]
    output.record(
        {
            "pages": done.pages,
            "refused": [{"path": f.path, "error": f.error} for f in failed],
            "same_id": done.twice,
            "pairs": done.pairs,
            "left_out": dict(done.left_out),
            "fixed": dict(METHODS[request.method].fixed),
        }
    )
    counts = plural(done.pages, "page"), plural(done.pairs, "pair"), plural(len(failed), "input")
    output.say("{} read, {} found, {} refused.".format(*counts))
    if done.twice:
        print_left_out(output, {"pages with the id of an earlier page": done.twice})
    print_left_out(output, done.left_out)
    for note in notes(request.method):
        output.say(note)
    note_failures(output, failed)
    if not done.pages:
        return 1
    output.say(f"Next: {command('scale', 'import', 'PROJECT', arguments.out)}")
    return 0


def _plan(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.scaling.planning import plan_scale

    plan = run_job(output, plan_scale, _request(arguments), _options(arguments), arguments.out)
    output.record(plan.record())
    for line in plan.sentences():
        output.say(line)
    return 0


def _status(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.scaleout.job import status

    (folder,) = _only(arguments, 1, "DIR")
    job_status = status(folder)
    steps = job_status.job.get("steps", [])
    output.record(
        {
            "state": job_status.state,
            "method": job_status.job["method"],
            "parameters": job_status.job["parameters"],
            "current": job_status.job.get("current", ""),
            "message": job_status.job.get("message", "") if job_status.state == "ended" else "",
            "steps": steps,
            "summary": job_status.job.get("summary"),
        }
    )
    output.table(
        [Column("step"), Column("rows", right=True), Column("MB", right=True), Column("time", right=True)],
        [(s["name"], f"{s['rows']:,}", f"{s['bytes'] / 1e6:,.1f}", seconds_text(s["seconds"])) for s in steps],
    )
    output.say(
        {"running": f"Running: {job_status.job.get('current', '')}.", "done": "Finished."}.get(
            job_status.state, "Ended."
        )
    )
    return 0


def _import(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.scaling.storing import import_scale

    project, folder = _only(arguments, 2, "P DIR")
    done = run_job(
        output, import_scale, project, folder, least=arguments.min, most=arguments.limit, afresh=arguments.afresh
    )
    output.record(run_record(done.run) | {"imported": done.documents, "left": done.left, "before": done.before})
    if done.before:
        output.say(f"Run {done.run.id} already has these results; nothing was imported (--afresh imports them again).")
    else:
        print_run(output, done.run)
    print_next_command(output, str(project), done.run)
    return 0
