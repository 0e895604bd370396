"""Verb ``diff``: how the text of a document was changed."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import span_record

_EXCERPT = 60

name = "diff"
summary = "how one text differs from another, or a document from its version before"
description = (
    "List the differences of two whole texts: what was inserted, deleted or replaced from A to B, without regard to "
    "line ends. With one document: from the version before (see import --update) to it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("a", metavar="A", help="id of a document")
    parser.add_argument("b", metavar="B", nargs="?", default="", help="id of the other")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.detecting.comparing import diff

    a, b, edits = run_job(output, diff, arguments.project, arguments.a, arguments.b)
    output.record(
        {
            "a": a.id,
            "b": b.id,
            "edits": [{"edit": e.kind, "a": span_record(e.a_span), "b": span_record(e.b_span)} for e in edits],
        }
    )
    output.table(
        [
            Column("from", right=True),
            Column("to", right=True),
            Column(""),
            Column("before", limit=_EXCERPT),
            Column("after", limit=_EXCERPT),
        ],
        [
            (
                str(e.a_span.start),
                str(e.a_span.end),
                e.kind,
                " ".join(a.text[e.a_span.start : e.a_span.end].split()),
                " ".join(b.text[e.b_span.start : e.b_span.end].split()),
            )
            for e in edits
        ],
    )
    before = f"from {a.id} to {b.id}" if arguments.b else f"from the earlier version of {a.id}"
    output.say(f"{plural(len(edits), 'difference')} {before}.")
    return 0
