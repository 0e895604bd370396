"""Verb ``export``: the documents in the standard format, one file each."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project, add_tag_filter, path_argument
from workbench.cli.output import Output, plural

name = "export"
summary = "documents as XML files in the standard format (sentences, links)"
description = (
    "Writes each document as an XML file in the standard format of Kang's thesis: title, links to and from it, and "
    "sentences. palimpsest import reads these files."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("folder", metavar="FOLDER", type=path_argument, help="a new or empty folder")
    add_tag_filter(parser, "only documents")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.exporting_pages import export_standard

    written = run_job(output, export_standard, arguments.project, arguments.folder, arguments.tag)
    output.record({"folder": str(arguments.folder), "documents": written})
    output.say(f"{plural(written, 'document')} written to {arguments.folder}.")
    return 0
