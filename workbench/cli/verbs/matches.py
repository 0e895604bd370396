"""Verb ``matches``: the matches a run found."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from workbench.base.evidence import figures
from workbench.cli.arguments import add_project, add_run, add_tag_filter, finite, run_of
from workbench.cli.output import Column, Output, command
from workbench.cli.results import add_limit, limit_of, places_record, print_rest, side_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workbench.base.locators import Locator
    from workbench.base.types import Match, Span

_EXCERPT = 60

name = "matches"
summary = "the matches a run found"
description = "Each match by itself; review P passages joins neighbouring ones to the passages of reports."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add_run(parser)
    add_limit(parser)
    parser.add_argument("--document", metavar="ID", help="only matches of this document, on either side")
    add_tag_filter(parser, "only matches in suspects")
    parser.add_argument("--min", type=finite, metavar="X", help="only matches with a score of at least X")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.choosing import choose_either
    from workbench.services.detecting.comparing import has_read
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run, document = choose_either(session, run_of(arguments), arguments.document)
        if document is not None and not has_read(session, run, document):
            output.note(f"Run {run.id} did not compare {arguments.document}: it says nothing about it.")
        ids = listing.document_ids(session)
        rows = listing.matches(session, run.id, document=document, min_score=arguments.min)
        chosen = listing.suspects_with(session, arguments.tag)
        if chosen is None:
            total = listing.count_matches(session, run.id, document=document, min_score=arguments.min)
        else:
            kept = [match for match in rows if match.a in chosen or match.b in chosen]
            rows, total = iter(kept), len(kept)
        listed = islice(rows, limit_of(arguments))
        texts = listing.PassageTexts(session)
        if output.as_json:
            for match in listed:
                in_scripts = {"same_but_for_script": texts.same_but_for_script(match)}
                output.record(match_record(match, ids, texts.place) | in_scripts)
            return 0
        output.table(
            [
                Column("suspect", limit=30),
                Column("from", right=True),
                Column("to", right=True),
                Column("source", limit=30),
                Column("from", right=True),
                Column("to", right=True),
                Column("score", right=True),
                Column("text", limit=_EXCERPT),
            ],
            (
                (
                    ids[m.a],
                    str(m.a_span.start),
                    str(m.a_span.end),
                    ids[m.b],
                    str(m.b_span.start),
                    str(m.b_span.end),
                    f"{m.score:g}",
                    texts.excerpt(m.a, m.a_span, _EXCERPT),
                )
                for m in listed
            ),
        )
        print_rest(output, total, limit_of(arguments), "match", "matches")
        if total:
            output.say(f"Next: {command('report', arguments.project, '--run', run.id, '--out', 'report.html')}")
    return 0


def match_record(match: Match, ids: Mapping[int, str], place: Callable[[int, Span], Locator]) -> dict[str, Any]:
    """The JSON object of ``matches``; ids are the imported ones. A side has its gaps, if any."""
    a, b = side_record(match.a_span, match.a_gaps), side_record(match.b_span, match.b_gaps)
    return {
        "a": {"id": ids[match.a], "place": place(match.a, match.a_span).record, **a},
        "b": {"id": ids[match.b], "place": place(match.b, match.b_span).record, **b, **places_record(match.evidence)},
        "score": match.score,
        "evidence": figures(match.evidence),
    }
