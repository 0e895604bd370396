"""Verb ``search``: ask a search engine for copies of the sources."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project, add_settings, add_workers, chosen_settings, positive
from workbench.cli.output import Output, plural
from workbench.cli.results import note_failures, say_next, say_run
from workbench.services.json_records import failure_records

name = "search"
summary = "ask a search engine for copies of the sources, and compare the pages it names"
description = (
    "Asks the search engine that is set up (palimpsest engine) for the most characteristic sentences of each source, "
    "fetches the pages it names politely as suspects, and compares them with the sources. Pages on the sources' own "
    "sites are left out. Queries beyond the day's budget are counted, not made."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add = parser.add_argument
    add("--source", action="append", default=[], metavar="ID", help="only this source; repeatable (default: all)")
    add("--queries", type=positive, default=3, metavar="N", help="sentences asked for of each source (default: 3)")
    add("--ignore", action="append", default=[], metavar="HOST", help="fetch nothing there (or below a URL)")
    add("--method", metavar="METHOD", default="digest", help="how to compare (default: digest)")
    add_settings(parser)
    add("--allow-private", action="store_true", help="fetch from private and loopback hosts, too")
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.engines.running import Search, search

    parameters = chosen_settings(arguments, arguments.method)
    what = Search(tuple(arguments.source), arguments.queries, tuple(arguments.ignore), arguments.method, parameters)
    done = run_job(
        output,
        search,
        arguments.project,
        what,
        allow_private=arguments.allow_private,
        workers=arguments.workers,
    )
    output.record(
        {
            "queries": done.sent,
            "pages": done.named,
            "fetched": done.fetched,
            "run": None if done.run is None else done.run.id,
            "matches": 0 if done.run is None else done.run.matches,
            "failed": failure_records(done.failed),
            "left_out": dict(done.left_out),
        }
    )
    output.say(
        f"{plural(done.sent, 'query', 'queries')} made, {plural(done.named, 'page')} named, {done.fetched:,} fetched."
    )
    for reason, count in done.left_out.items():
        output.say(f"Left out: {count:,} {reason}.")
    if done.run is not None:
        say_run(output, done.run)
        say_next(output, arguments.project, done.run)
    note_failures(output, done.failed)
    return 1 if done.failed else 0
