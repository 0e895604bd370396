"""Verb ``explain``: why two documents matched, or why not."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_pair, chosen_settings
from workbench.cli.output import Column, Output
from workbench.cli.results import span_record
from workbench.methods.core import registry

name = "explain"
summary = "why two documents matched, or why not"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_pair(parser)
    parser.add_argument("--method", choices=registry.names(), required=True)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.detecting.comparing import explain
    from workbench.services.session import Session

    settings = chosen_settings(arguments, arguments.method)
    with Session(arguments.project, write=False) as session:
        explanation = explain(session, arguments.a, arguments.b, arguments.method, settings)
    output.record(
        {
            "a": arguments.a,
            "b": arguments.b,
            "method": arguments.method,
            "matched": explanation.matched,
            "summary": explanation.summary,
            "reasons": [
                {
                    "rule": r.rule,
                    "passed": r.passed,
                    "detail": r.detail,
                    "a": span_record(r.a_span),
                    "b": span_record(r.b_span),
                }
                for r in explanation.reasons
            ],
        }
    )
    output.say(explanation.summary)
    output.table(
        [Column("rule"), Column(""), Column("")],
        [(r.rule, "yes" if r.passed else "no", r.detail) for r in explanation.reasons],
    )
    return 0
