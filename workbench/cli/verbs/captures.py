"""Verb ``captures``: the answers that pages gave, and their bytes."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project, path_argument
from workbench.cli.output import Column, Output, line, plural

name = "captures"
summary = "what pages answered when they were fetched, and their bytes"
description = (
    "Lists the captures of URL, or of all pages. --out FILE.warc writes them as a web archive (WARC 1.1); any other "
    "FILE takes the bytes of the last capture of URL as they came."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_project(parser)
    parser.add_argument("url", metavar="URL", nargs="?", default="", help="one page (default: all)")
    parser.add_argument("--out", type=path_argument, metavar="FILE", help="write to a .warc, or the page's bytes")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.base.errors import ParameterError, UserError
    from workbench.services.fetching.captured import captures, write_body, write_warc
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        if arguments.out is not None and arguments.out.suffix.lower() == ".warc":
            count = write_warc(session, arguments.out, arguments.url)
            output.record({"file": str(arguments.out), "captures": count})
            output.say(f"Wrote {arguments.out}: {plural(count, 'capture')}.")
            return 0
        page_captures = captures(session, arguments.url)
        if arguments.out is not None:
            if not arguments.url:
                raise ParameterError("captures --out FILE needs the URL of a page, or a FILE.warc.")
            kept = [capture for capture in page_captures if capture.body_hash]
            if not kept:
                raise UserError(f"There is no capture of {arguments.url}.")
            write_body(session, kept[-1], arguments.out)
            output.record({"file": str(arguments.out), "sha256": kept[-1].body_hash.hex()})
            output.say(f"Wrote {arguments.out}.")
            return 0
    rows = []
    for capture in page_captures:
        output.record(
            {
                "url": capture.url,
                "final_url": capture.final_url,
                "captured": capture.captured,
                "status": capture.status,
                "outcome": capture.outcome.value,
                "sha256": capture.body_hash.hex(),
                "error": str(capture.error),
            }
        )
        rows.append([capture.captured, str(capture.status), capture.outcome.value, line(capture.url)])
    output.table([Column("captured"), Column("status", right=True), Column("outcome"), Column("page", limit=100)], rows)
    return 0
