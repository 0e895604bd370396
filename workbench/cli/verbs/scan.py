"""Verb ``scan``: search web archives for copies of the project's sources."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import (
    add_project,
    add_settings,
    add_workers,
    chosen_settings,
    not_negative,
    path_argument,
)
from workbench.cli.output import Output, plural
from workbench.cli.results import note_failures, say_next, say_run
from workbench.services.json_records import failure_records, run_record

name = "scan"
summary = "search web archives for copies of the sources, keeping only the pages with a hit"
description = (
    "Searches WARC and WET files, as those of Common Crawl, and folders of them, for copies of the project's sources. "
    "Only a page on which something is found becomes a document (a suspect, with its record as a capture); what is "
    "found is a run. The same command goes on after an interruption, and later passes over files that were searched "
    "for the same sources. Records that cannot be read are listed, and the others searched."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+", type=path_argument, help="web archives, or folders of them")
    add("--method", metavar="METHOD", default="digest", help="how to compare the pages (default: digest)")
    add_settings(parser)
    add("--min-characters", type=not_negative, default=0, metavar="N", help="shorter matches do not count")
    add("--ignore", action="append", default=[], metavar="HOST", help="search nothing there (or below a URL)")
    add("--blocks", metavar="RULE", default="default", help="rule for content blocks of pages, as in import")
    add("--again", action="store_true", help="search files again that were searched for the same sources")
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.scanning.running import failures, scan
    from workbench.services.scanning.settings import ScanSettings
    from workbench.services.session import Session

    parameters = chosen_settings(arguments, arguments.method)
    settings = ScanSettings(
        arguments.method, parameters, arguments.min_characters, tuple(arguments.ignore), arguments.blocks
    )
    scanned = run_job(
        output, scan, arguments.project, arguments.paths, settings, again=arguments.again, workers=arguments.workers
    )
    with Session(arguments.project, write=False) as session:
        failed = list(failures(session, scanned))
    counts = {"files": scanned.files, "known": scanned.known, "others": scanned.others}
    output.record(run_record(scanned.run) | counts | {"failed": failure_records(failed)})
    output.say(f"{plural(scanned.files, 'web archive')} searched, {scanned.failed:,} records or files not readable.")
    if scanned.known:
        output.say(f"Skipped: {plural(scanned.known, 'file')} searched before (--again searches them again).")
    if scanned.others:
        output.say(f"Skipped: {plural(scanned.others, 'file')} of other kinds.")
    say_run(output, scanned.run)
    note_failures(output, failed)
    say_next(output, arguments.project, scanned.run)
    return 0
