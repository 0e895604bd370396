"""Verb ``compare``: align two documents of a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.base.evidence import figures
from workbench.base.messages import percent
from workbench.cli.arguments import add_pair, chosen_settings
from workbench.cli.output import Column, Output, command, plural
from workbench.cli.results import places_record, print_left_out, side_record, span_record
from workbench.methods.core import registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.base.types import Match, PairScore, Region
    from workbench.services.detecting.comparing import Comparison

_EXCERPT = 60

name = "compare"
summary = "align two documents of a project"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair(parser)
    parser.add_argument(
        "--method", choices=registry.names(), default=registry.names()[0], help="the method (default: %(default)s)"
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.verbs.pairs import pair_record
    from workbench.services.detecting.comparing import compare
    from workbench.services.session import Session

    settings = chosen_settings(arguments, arguments.method)
    with Session(arguments.project, write=False) as session:
        comparison = compare(session, arguments.a, arguments.b, arguments.method, settings)
    results = comparison.results
    matches = list(results.matches)
    ids = {document.key: document.id for document in (comparison.a, comparison.b)}
    output.record(
        {
            "a": comparison.a.id,
            "b": comparison.b.id,
            "method": arguments.method,
            "parameters": dict(comparison.parameters),
            "matches": [_match(comparison, m) for m in matches],
            "regions": [_region(r) for r in results.regions],
            "edits": [
                [{"edit": e.kind, "a": span_record(e.a_span), "b": span_record(e.b_span)} for e in edits]
                for edits in comparison.edits
            ],
            "pairs": [pair_record(pair, ids) for pair in results.pairs],
            "scores": [
                {"id": ids[score.document], "score": score.score, "evidence": dict(score.evidence)}
                for score in results.scores
            ],
            "excluded": dict(results.excluded),
        }
    )
    if matches or "matches" in registry.get(arguments.method).emits:
        _print_matches(output, comparison, matches)
    for pair in results.pairs:
        output.say(f"The pair: {_pair_words(pair)}.")
    for score in results.scores:
        output.say(f"{ids[score.document]} has the score {score.score:g}.")
    print_left_out(output, results.excluded)
    if not (matches or results.pairs or results.scores):
        words = (arguments.project, arguments.a, arguments.b, "--method", arguments.method)
        output.say(f"Why not: {command('explain', *words)}")
    return 0


def _print_matches(output: Output, comparison: Comparison, matches: Sequence[Match]) -> None:
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
                " ".join(comparison.a.text[m.a_span.start : m.a_span.end].split()),
            )
            for m, edits in zip(matches, comparison.edits, strict=True)
        ],
    )
    output.say(f"{plural(len(matches), 'passage')} in both {comparison.a.id} and {comparison.b.id}.")


def _pair_words(pair: PairScore) -> str:
    shares = (("resemblance", pair.resemblance), ("containment", pair.containment))
    words = [f"score {pair.score:g}", *(f"{name} {percent(share)}" for name, share in shares if share is not None)]
    return ", ".join([*words, pair.relation] if pair.relation else words)


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
