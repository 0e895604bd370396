"""Verbs ``compare`` and ``explain``: two stored documents under a method."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.base.types import Match, Region, Span
from workbench.cli.arguments import Verbs, add_project, add_settings, parse_settings
from workbench.cli.output import Column, Output, plural
from workbench.methods import registry

_EXCERPT = 60


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verbs to the command line."""
    compare = verbs.add_parser("compare", parents=[common], help="align two documents of a project")
    _add_pair(compare)
    compare.add_argument("--method", choices=registry.names(), default=registry.names()[0])
    compare.set_defaults(verb=_compare)
    explain = verbs.add_parser("explain", parents=[common], help="why two documents matched, or why not")
    _add_pair(explain)
    explain.add_argument("--method", choices=registry.names(), required=True)
    explain.set_defaults(verb=_explain)


def _add_pair(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("a", metavar="A", help="id of the suspect document")
    parser.add_argument("b", metavar="B", help="id of the source document")
    add_settings(parser)


def _compare(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.comparing import compare
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        found = compare(session, arguments.a, arguments.b, arguments.method, parse_settings(arguments.settings))
    matches = list(found.results.matches)
    output.record(
        {
            "a": found.a.id,
            "b": found.b.id,
            "method": arguments.method,
            "parameters": dict(found.parameters),
            "matches": [_match(m) for m in matches],
            "regions": [_region(r) for r in found.results.regions],
            "edits": [
                [{"edit": e.kind, "a": _span(e.a_span), "b": _span(e.b_span)} for e in edits] for edits in found.edits
            ],
            "excluded": dict(found.results.excluded),
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
                " ".join(found.a.text[m.a_span.start : m.a_span.start + _EXCERPT].split()),
            )
            for m, edits in zip(matches, found.edits, strict=True)
        ],
    )
    output.say(f"{plural(len(matches), 'passage')} in both {found.a.id} and {found.b.id}.")
    for reason, count in found.results.excluded.items():
        output.say(f"  left out: {count:,} {reason}")
    if not matches:
        command = f"palimpsest explain {arguments.project} {arguments.a} {arguments.b} --method {arguments.method}"
        output.say(f"Why not: {command}")
    return 0


def _span(span: Span | None) -> dict[str, int] | None:
    return None if span is None else {"start": span.start, "end": span.end}


def _match(match: Match) -> dict[str, Any]:
    evidence = dict(match.evidence)
    return {"a": _span(match.a_span), "b": _span(match.b_span), "score": match.score, "evidence": evidence}


def _region(region: Region) -> dict[str, Any]:
    return {"a": _span(region.a_span), "b": _span(region.b_span), "slope": region.slope}


def _explain(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.comparing import explain
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        found = explain(session, arguments.a, arguments.b, arguments.method, parse_settings(arguments.settings))
    output.record(
        {
            "a": arguments.a,
            "b": arguments.b,
            "method": arguments.method,
            "matched": found.matched,
            "summary": found.summary,
            "reasons": [
                {"rule": r.rule, "passed": r.passed, "detail": r.detail, "a": _span(r.a_span), "b": _span(r.b_span)}
                for r in found.reasons
            ],
        }
    )
    output.say(found.summary)
    output.table(
        [Column("rule"), Column(""), Column("")],
        [(r.rule, "yes" if r.passed else "no", r.detail) for r in found.reasons],
    )
    return 0
