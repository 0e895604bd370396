"""Verb ``query``: look up a text that is not imported."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, add_settings, chosen_settings, path_argument
from workbench.cli.output import Column, Output
from workbench.cli.results import add_limit, limit_of, print_left_out, print_rest
from workbench.methods.core import registry

if TYPE_CHECKING:
    from workbench.base.types import Document
    from workbench.jobs.context import Context
    from workbench.services.detecting.querying import Hit

_EXCERPT = 60

name = "query"
summary = "look up a text that is not imported, in every available index"
description = (
    "Look up a text that is not imported. All existing indexes are searched; without any, one is built for copies. "
    "With --method only that method is used, and an index is built for it if necessary. Nothing is stored in the "
    "project. With --json each line has the shape of matches, pairs or scores, and the method."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("file", metavar="FILE", type=path_argument, help="file of any format; -: standard input")
    parser.add_argument("--method", choices=registry.names(), help="use this method only")
    add_settings(parser)
    add_limit(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.base.locators import Locator, place
    from workbench.base.types import Match, Span
    from workbench.cli.monitor import run_job
    from workbench.cli.verbs.matches import match_record
    from workbench.cli.verbs.pairs import pair_record
    from workbench.services.detecting.querying import look_up
    from workbench.services.listing import PassageTexts
    from workbench.services.session import Session

    if arguments.method is None and (arguments.settings or arguments.preset):
        raise ParameterError("--set and --preset need --method.")
    settings = {} if arguments.method is None else chosen_settings(arguments, arguments.method)
    text = run_job(output, _read, arguments)
    lookup = run_job(output, look_up, arguments.project, text, arguments.method, settings)
    ids = {hit.document.key: hit.document.id for hit in lookup.hits} | {lookup.text.key: text.id}
    with Session(arguments.project, write=False) as session:
        texts = PassageTexts(session)

        def where(key: int, span: Span) -> Locator:
            return place(lookup.text, span) if key == lookup.text.key else texts.place(key, span)

        for hit in lookup.hits[: limit_of(arguments)] if output.as_json else ():
            if isinstance(hit.finding, Match):
                record = match_record(hit.finding, ids, where)
            else:
                record = pair_record(hit.finding, ids)
            output.record({"method": hit.method, **record})
    for method, score in lookup.scores:
        output.record({"method": method, "id": text.id, "score": score.score, "evidence": dict(score.evidence)})
    output.table(
        [
            Column("method"),
            Column("from", right=True),
            Column("to", right=True),
            Column("document", limit=40),
            Column("from", right=True),
            Column("to", right=True),
            Column("score", right=True),
            Column("text", limit=_EXCERPT),
        ],
        [_row(hit) for hit in lookup.hits[: limit_of(arguments)]],
    )
    print_rest(output, len(lookup.hits), limit_of(arguments), "finding")
    for method, score in lookup.scores:
        output.say(f"{method}: the text has the score {score.score:g}.")
    output.say(f"Searched: {', '.join(lookup.by_method)}.")
    for method, excluded in lookup.excluded.items():
        print_left_out(output, excluded, method)
    for method, reason in lookup.unasked.items():
        output.note(f"Not searched: {method}; {reason} (--method {method}).")
    return 0


def _read(ctx: Context, arguments: argparse.Namespace) -> Document:
    from workbench.services.detecting.querying import as_file, as_text

    if str(arguments.file) == "-":
        return as_text(sys.stdin.buffer.read(), "-")
    return as_file(ctx, arguments.file)


def _row(hit: Hit) -> tuple[str, ...]:
    from workbench.base.types import Match

    finding = hit.finding
    if not isinstance(finding, Match):
        return (hit.method, "", "", hit.document.id, "", "", f"{finding.score:g}", finding.relation or "")
    spans = (finding.a_span.start, finding.a_span.end), (finding.b_span.start, finding.b_span.end)
    (a, b), (c, d) = (tuple(map(str, span)) for span in spans)
    return (hit.method, a, b, hit.document.id, c, d, f"{finding.score:g}", " ".join(hit.excerpt.split()))
