"""Verb ``runs``: the runs of a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, settings_text
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import run_record

if TYPE_CHECKING:
    from workbench.base.types import Run

name = "runs"
summary = "the runs of a project"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_project(parser)
    parser.add_argument("--watches", action="store_true", help="also list the runs that checks of watches made")


def _origin(run: Run) -> str:
    if run.watch is not None:
        return "watch: "
    return f"sweep of {run.varied_from}: " if run.varied_from is not None else ""


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.listing import all_runs
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        runs = all_runs(session)
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
            }
        )
    if not runs:
        output.say(f"There are no runs yet. Next: palimpsest detect {arguments.project} digest")
        return 0
    shown = runs if arguments.watches else [run for run in runs if run.watch is None]
    columns = [Column("run", right=True), Column("method"), Column("state"), Column("begun")]
    columns += [Column(title, right=True) for title in ("documents", "passages", "pairs", "seconds")]
    output.table(
        [*columns, Column("settings", limit=100)],
        [
            (
                str(run.id),
                run.method,
                run.state.value,
                run.created[:19].replace("T", " "),
                f"{run.documents:,}",
                f"{run.matches:,}",
                f"{run.pairs:,}",
                f"{run.seconds:.1f}",
                _origin(run) + settings_text(run.parameters),
            )
            for run in shown
        ],
    )
    if len(shown) < len(runs):
        output.say(f"and {plural(len(runs) - len(shown), 'run')} of watches, which --watches lists")
    return 0
