"""Verb ``info``: the contents of a project."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import note_failures, print_next_step

if TYPE_CHECKING:
    from workbench.services.contents import Overview
    from workbench.services.session import Session

name = "info"
summary = "the contents of a project, and whether the file is sound"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument(
        "--sites", action="store_true", help="the sites of its pages: host, name, kind (common tags), first seen"
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.contents import overview
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        if arguments.sites:
            return _sites(output, session)
        facts = overview(session)
        _show(output, arguments.project, facts)
        print_next_step(output, session)
    return 0 if facts.integrity == "ok" else 1


def _sites(output: Output, session: Session) -> int:
    from workbench.services.pages.site_list import read_sites

    sites = read_sites(session)
    for site in sites:
        output.record(asdict(site))
    columns = [Column("host"), Column("name"), Column("kind"), Column("pages", right=True), Column("first seen")]
    output.table(columns, [(s.host, s.name, s.kind, f"{s.pages:,}", s.first_seen) for s in sites])
    return 0


def _show(output: Output, project: Path, facts: Overview) -> None:
    output.record(
        {
            "documents": facts.documents,
            "labels": facts.labels,
            "labelled": facts.labelled,
            "runs": facts.runs,
            "matches": facts.matches,
            "interrupted": list(facts.interrupted),
            "integrity": facts.integrity,
            "roles": dict(facts.roles),
            "failed": len(facts.failed),
            "not_imported": [{"path": failure.path, "error": failure.error} for failure in facts.failed],
            "tags": dict(facts.tags),
            "hidden": {"pages": facts.hidden_pages, "characters": facts.hidden_characters},
        }
    )
    where = f"hidden characters on {facts.hidden_pages:,} pages; palimpsest extract --json shows them"
    hidden = [("left out", f"{facts.hidden_characters:,}", where)] if facts.hidden_pages else []
    roles = ", ".join(f"{count:,} {role}" for role, count in facts.roles.items())
    output.say(str(project))
    output.table(
        [Column(""), Column("", right=True), Column("")],
        [
            ("documents", f"{facts.documents:,}", roles),
            ("tags", f"{len(facts.tags):,}", ", ".join(f"{tag} {count:,}" for tag, count in facts.tags.items())),
            ("not imported", f"{len(facts.failed):,}", "for the reasons below" if facts.failed else ""),
            *hidden,
            ("runs", f"{facts.runs:,}", ""),
            ("matches", f"{facts.matches:,}", ""),
            ("labels", f"{facts.labels:,}", f"of {plural(facts.labelled, 'item')}" if facts.labels else ""),
            ("integrity", facts.integrity, ""),
        ],
    )
    note_failures(output, facts.failed)
    for run in facts.interrupted:
        output.say(f"Run {run} was interrupted: run the same detect with --resume to continue it.")
    if facts.unfinished_imports:
        output.say("An import or a fetch was interrupted: run the same command again to complete it.")
