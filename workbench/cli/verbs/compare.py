"""Verb ``compare``: align two documents of a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.base.evidence import figures
from workbench.cli.arguments import add_pair, chosen_settings
from workbench.cli.output import Column, Output, command, plural
from workbench.cli.results import places_record, side_record, span_record
from workbench.methods.core import registry

if TYPE_CHECKING:
    from workbench.base.types import Match, Region
    from workbench.services.detecting.comparing import Comparison

_EXCERPT = 60

name = "compare"
summary = "align two documents of a project"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair(parser)
    parser.add_argument("--method", choices=registry.names(), default=registry.names()[0])


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.detecting.comparing import compare
    from workbench.services.session import Session

    settings = chosen_settings(arguments, arguments.method)
    with Session(arguments.project, write=False) as session:
        comparison = compare(session, arguments.a, arguments.b, arguments.method, settings)
    matches = list(comparison.results.matches)
    output.record(
        {
            "a": comparison.a.id,
            "b": comparison.b.id,
            "method": arguments.method,
            "parameters": dict(comparison.parameters),
            "matches": [_match(comparison, m) for m in matches],
            "regions": [_region(r) for r in comparison.results.regions],
            "edits": [
                [{"edit": e.kind, "a": span_record(e.a_span), "b": span_record(e.b_span)} for e in edits]
                for edits in comparison.edits
            ],
            "excluded": dict(comparison.results.excluded),
        }
    )
    output.table(
        [Column("from", right=True), Column("to", right=True)] * 2
        + [Column("score", right=True), Column("changes", right=True), Column("text", limit=_EXCERPT)],
        [
            (
                str(m.a_span.start),
                str(m.a_span.end),
                str(m.b_span.start),
                str(m.b_span.end),
                f"{m.score:g}",
                str(len(edits)),
                " ".join(comparison.a.text[m.a_span.start : m.a_span.start + _EXCERPT].split()),
            )
            for m, edits in zip(matches, comparison.edits, strict=True)
        ],
    )
    output.say(f"{plural(len(matches), 'passage')} in both {comparison.a.id} and {comparison.b.id}.")
    for reason, count in comparison.results.excluded.items():
        output.say(f"  left out: {count:,} {reason}")
    if not matches:
        words = (arguments.project, arguments.a, arguments.b, "--method", arguments.method)
        output.say(f"Why not: {command('explain', *words)}")
    return 0


def _match(compared: Comparison, match: Match) -> dict[str, Any]:
    from workbench.base.locators import place

    return {
        "a": {"place": place(compared.a, match.a_span).record, **side_record(match.a_span, match.a_gaps)},
        "b": {
            "place": place(compared.b, match.b_span).record,
            **side_record(match.b_span, match.b_gaps),
            **places_record(match.evidence),
        },
        "score": match.score,
        "evidence": figures(match.evidence),
    }


def _region(region: Region) -> dict[str, Any]:
    return {"a": span_record(region.a_span), "b": span_record(region.b_span), "slope": region.slope}
