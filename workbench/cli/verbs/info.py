"""Verb ``info``: what a project holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project
from workbench.cli.output import Column, Output
from workbench.cli.results import say_next_step

if TYPE_CHECKING:
    from workbench.services.listing import Overview

name = "info"
summary = "what a project holds, and whether the file is sound"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_project(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.listing import overview
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        found = overview(session)
        _show(output, arguments.project, found)
        say_next_step(output, session)
    return 0 if found.integrity == "ok" else 1


def _show(output: Output, project: Path, found: Overview) -> None:
    output.record(
        {
            "documents": found.documents,
            "labels": found.labels,
            "runs": found.runs,
            "matches": found.matches,
            "interrupted": list(found.interrupted),
            "integrity": found.integrity,
            "roles": dict(found.roles),
            "failed": found.failed,
        }
    )
    roles = ", ".join(f"{count:,} {role}" for role, count in found.roles.items())
    output.say(str(project))
    output.table(
        [Column(""), Column("", right=True), Column("")],
        [
            ("documents", f"{found.documents:,}", roles),
            ("not imported", f"{found.failed:,}", "palimpsest import says why" if found.failed else ""),
            ("runs", f"{found.runs:,}", ""),
            ("matches", f"{found.matches:,}", ""),
            ("labels", f"{found.labels:,}", ""),
            ("integrity", found.integrity, ""),
        ],
    )
    for run in found.interrupted:
        output.say(f"Run {run} was interrupted: the same detect with --resume continues it.")
    if found.unfinished_imports:
        output.say("An import or a fetch was interrupted: the same command again completes it.")
