"""Verb ``runs``: the runs of a project, and removing them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, positive, settings_text
from workbench.cli.output import Column, Output, command, plural, time_text
from workbench.services.tasks import run_record

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.services.session import Session

_ACTIONS = ("list", "remove", "restore", "purge")

name = "runs"
summary = "the runs of a project"
description = (
    "Lists the runs of a project; those started by sweeps and figures are one line per varied run. remove removes "
    "runs with all their findings; verdicts are kept, and restore brings the runs back. purge frees the space of "
    "removed runs permanently."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("action", choices=_ACTIONS, nargs="?", default="list", help="what to do (default: list)")
    parser.add_argument("runs", metavar="RUN", nargs="*", type=positive, help="remove, restore: numbers of runs")
    parser.add_argument(
        "--sweep", metavar="RUN", type=positive, help="remove, restore: all runs started by sweeps of this run"
    )
    parser.add_argument("--sweeps", action="store_true", help="also list runs started by sweeps and figures")
    parser.add_argument("--watches", action="store_true", help="also list runs started by watches")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.session import Session

    if arguments.action in ("list", "purge") and (arguments.runs or arguments.sweep):
        raise ParameterError("Only remove and restore take numbers of runs.")
    with Session(arguments.project, write=arguments.action != "list") as session:
        if arguments.action == "list":
            return _list(arguments, session, output)
        if arguments.action == "purge":
            return _purge(session, output)
        return _move(arguments, session, output)


def _move(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    """Remove runs, or restore them."""
    from workbench.base.errors import ParameterError
    from workbench.services.listing import all_runs
    from workbench.services.removing_runs import remove_runs, removed, restore_runs

    removing = arguments.action == "remove"
    known = all_runs(session) if removing else removed(session)
    of_sweep = [run.id for run in known if arguments.sweep is not None and run.varied_from == arguments.sweep]
    numbers = sorted({*arguments.runs, *of_sweep})
    if not numbers:
        raise ParameterError(
            f"{arguments.action} needs the numbers of runs, or --sweep with the number of a varied run."
        )
    (remove_runs if removing else restore_runs)(session, numbers)
    output.record({"removed" if removing else "restored": numbers})
    what = plural(len(numbers), "run")
    output.say(f"Removed {what}; verdicts are kept." if removing else f"Restored {what}.")
    if removing:
        output.say(f"To undo it: {command('runs', arguments.project, 'restore', *numbers)}")
    return 0


def _purge(session: Session, output: Output) -> int:
    from workbench.services.removing_runs import purge

    count, freed = purge(session)
    output.record({"purged": count, "bytes": freed})
    output.say(f"Freed {freed / 1e6:,.1f} MB of {plural(count, 'removed run')}.")
    return 0


def _origin(run: Run) -> str:
    if run.watch is not None:
        return "watch: "
    return f"sweep of {run.varied_from}: " if run.varied_from is not None else ""


def _list(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    from workbench.services.listing import all_runs
    from workbench.services.removing_runs import points, removed

    runs, gone = all_runs(session), removed(session)
    for run in runs:
        output.record(
            run_record(run)
            | {
                "version": run.version,
                "state": run.state.value,
                "created": run.created,
                "finished": run.finished,
                "corpus": run.corpus_hash,
                "message": run.message,
                "varied_from": run.varied_from,
                "watch": run.watch,
                "part": run.part,
            }
        )
    if not runs and not gone:
        output.say(f"There are no runs yet. Next: {command('detect', arguments.project, 'digest')}")
        return 0
    watches = [run for run in runs if run.watch is not None and not arguments.watches]
    swept = [run for run in runs if run.varied_from is not None and not arguments.sweeps]
    folded = {run.id for run in (*watches, *swept)}
    columns = [Column("run", right=True), Column("method"), Column("state"), Column("begun")]
    columns += [Column(title, right=True) for title in ("documents", "matches", "pairs", "seconds")]
    output.table(
        [*columns, Column("settings", limit=100)],
        [
            (
                str(run.id),
                f"{run.method} {run.version}",
                run.state.value,
                time_text(run.created),
                f"{run.documents:,}",
                f"{run.matches:,}",
                f"{run.pairs:,}",
                f"{run.seconds:.1f}",
                _origin(run) + settings_text(run.parameters),
            )
            for run in runs
            if run.id not in folded
        ],
    )
    for base, count in sorted(points(swept).items()):
        output.say(f"and {plural(count, 'run')} of sweeps of run {base}, which --sweeps lists")
    if watches:
        output.say(f"and {plural(len(watches), 'run')} of watches, which --watches lists")
    if gone:
        listed = ", ".join(str(run.id) for run in gone)
        output.say(f"{plural(len(gone), 'removed run')} ({listed}): restore brings them back, purge frees the space")
    return 0
