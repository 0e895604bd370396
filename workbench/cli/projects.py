"""Verbs ``new``, ``info``, ``import``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.types import Role
from workbench.cli.arguments import Verbs, add_project, add_workers, given_path
from workbench.cli.output import Column, Output, plural

if TYPE_CHECKING:
    from workbench.services.importing import ImportOptions
    from workbench.services.listing import Overview
    from workbench.services.session import Session

FORMATS = (
    "auto",
    "txt",
    "html",
    "jsonl",
    "csv",
    "tar",
    "warc",
    "pdf",
    "docx",
    "odt",
    "epub",
    "mediawiki",
    "eml",
    "mhtml",
    "mbox",
    "pan",
    "zip",
)
_SHOWN_FAILURES = 20


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verbs to the command line."""
    new = verbs.add_parser("new", parents=[common], help="create an empty project")
    add_project(new)
    new.set_defaults(verb=_new)
    info = verbs.add_parser("info", parents=[common], help="what a project holds, and whether the file is sound")
    add_project(info)
    info.set_defaults(verb=_info)
    bring = verbs.add_parser(
        "import",
        parents=[common],
        help="read files, folders and archives into a project",
        description="Read files, folders and archives into a project. A role given in a row wins over --role.",
    )
    add_project(bring)
    bring.add_argument("paths", metavar="PATH", nargs="+", type=given_path, help="file, folder or archive")
    bring.add_argument("--role", choices=[r.value for r in Role], help="what the documents are (default: source)")
    add_reading(bring)
    bring.set_defaults(verb=_import)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read: ``--format``, ``--encoding``, ``--blocks``, ``--workers``."""
    parser.add_argument("--format", choices=FORMATS, default="auto", help="read every file as this (default: auto)")
    parser.add_argument("--encoding", metavar="NAME", help="read every file in this encoding (default: detected)")
    parser.add_argument(
        "--blocks",
        metavar="RULE",
        default="default",
        help="rule for content blocks of pages: default; alone (default, trafilatura never asked; faster); kang; all",
    )
    add_workers(parser)


def reading_options(arguments: argparse.Namespace) -> ImportOptions:
    """What :func:`add_reading` was given."""
    from workbench.services.importing import ImportOptions

    return ImportOptions(
        format=arguments.format, encoding=arguments.encoding, blocks=arguments.blocks, workers=arguments.workers
    )


def _new(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.session import Session, create

    create(arguments.project)
    output.record({"project": str(arguments.project)})
    output.say(f"Created {arguments.project}.")
    with Session(arguments.project, write=False) as session:
        _say_next(output, session)
    return 0


def _say_next(output: Output, session: Session) -> None:
    from workbench.services.listing import next_step

    output.say(f"Next: palimpsest {next_step(session)}")


def _info(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.listing import overview
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        found = overview(session)
        _show(output, arguments.project, found)
        _say_next(output, session)
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


def _import(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.importing import import_paths
    from workbench.services.session import Session

    role = None if arguments.role is None else Role(arguments.role)
    result = run_job(output, import_paths, arguments.project, arguments.paths, role, reading_options(arguments))
    output.record(
        {
            "imported": result.imported,
            "duplicates": result.duplicates,
            "failed": [{"path": f.path, "error": f.error} for f in result.failed],
        }
    )
    output.say(
        f"{plural(result.imported, 'document')} imported, {plural(result.duplicates, 'duplicate')}, "
        f"{len(result.failed):,} failed."
    )
    if result.failed and not output.as_json:
        for failure in result.failed[:_SHOWN_FAILURES]:
            output.note(f"{failure.path}: {failure.error}")
        if len(result.failed) > _SHOWN_FAILURES:
            output.note(f"... and {len(result.failed) - _SHOWN_FAILURES:,} more; --json lists them all.")
    with Session(arguments.project, write=False) as session:
        _say_next(output, session)
    return 0 if result.imported or (result.duplicates and not result.failed) else 1
