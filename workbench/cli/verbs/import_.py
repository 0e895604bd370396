"""Verb ``import``: files, folders and archives into a project."""

from __future__ import annotations

import argparse
from dataclasses import replace

from workbench.cli.arguments import (
    Names,
    add_columns,
    add_project,
    add_reading,
    add_site_repetition,
    add_tags,
    path_argument,
    reading_options,
    role_names,
    tags_of,
)
from workbench.cli.output import Output, plural
from workbench.cli.results import note_failures, print_next_step
from workbench.services.tasks import failure_records

name = "import"
summary = "read files, folders and archives into a project"
description = "Read files, folders and archives into a project. The role in a row takes precedence over --role."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("paths", metavar="PATH", nargs="+", type=path_argument, help="file, folder or archive")
    parser.add_argument("--role", choices=Names(role_names), help="role of the documents (default: source)")
    add_tags(parser)
    add_columns(parser)
    versions = parser.add_mutually_exclusive_group()
    versions.add_argument(
        "--update",
        action="store_true",
        help="a changed file becomes a new version of the document that came from the same path, a row of the one with "
        "its id; verdicts follow, and earlier runs keep the earlier text",
    )
    versions.add_argument(
        "--version-of", metavar="ID", default="", help="the text becomes a new version of this document"
    )
    add_reading(parser)
    add_site_repetition(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.types import Role
    from workbench.cli.monitor import run_job
    from workbench.reading.formats.rows import columns_of
    from workbench.services.importing.batch import import_paths
    from workbench.services.session import Session

    role = None if arguments.role is None else Role(arguments.role)
    options = replace(
        reading_options(arguments),
        site_repetition=arguments.site_repetition,
        tags=tags_of(arguments),
        columns=columns_of(arguments.columns),
        update=arguments.update,
        version_of=arguments.version_of,
    )
    result = run_job(output, import_paths, arguments.project, arguments.paths, role, options)
    output.record(
        {
            "imported": result.imported,
            "duplicates": result.duplicates,
            "failed": failure_records(result.failed),
            **({"updated": len(result.replaced)} if arguments.update or arguments.version_of else {}),
        }
    )
    output.say(
        f"{plural(result.imported, 'document')} imported"
        + (f" ({plural(len(result.replaced), 'new version')})" if result.replaced else "")
        + f", {plural(result.duplicates, 'duplicate')}, "
        f"{len(result.failed):,} failed."
    )
    note_failures(output, result.failed)
    if pictures := sum(failure.is_picture for failure in result.failed):
        output.say(f"{plural(pictures, 'input')} can be read with --ocr (text recognition).")
    with Session(arguments.project, write=False) as session:
        print_next_step(output, session)
    return 0 if result.imported or (result.duplicates and not result.failed) else 1
