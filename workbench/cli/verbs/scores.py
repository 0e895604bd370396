"""Verb ``scores``: the documents a run scored."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, add_run, add_tag_filter, choose_run, finite
from workbench.cli.output import Column, Output
from workbench.cli.results import add_limit, limit_of, print_rest

if TYPE_CHECKING:
    from workbench.base.types import Evidence

name = "scores"
summary = "the documents a run scored, highest first"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add_run(parser)
    add_limit(parser)
    add_tag_filter(parser, "only documents")
    parser.add_argument("--min", type=finite, metavar="X", help="only documents with a score of at least X")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services import listing
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments)
        ids = listing.document_ids(session)
        chosen = listing.keys_with(session, arguments.tag)
        scores = listing.document_scores(session, run.id, arguments.min)
        scores = [score for score in scores if chosen is None or score.document in chosen]
    listed = scores[: limit_of(arguments)]
    if output.as_json:
        for score in listed:
            output.record({"id": ids[score.document], "score": score.score, "evidence": dict(score.evidence)})
        return 0
    output.table(
        [Column("document", limit=40), Column("score", right=True), Column("evidence", limit=80)],
        ((ids[s.document], f"{s.score:g}", _facts(s.evidence)) for s in listed),
    )
    print_rest(output, len(scores), limit_of(arguments), "document")
    return 0


def _facts(evidence: Evidence) -> str:
    return " · ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in evidence.items())
