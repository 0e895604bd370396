"""Verb ``scores``: the documents a run scored; imports scores that another program computed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project, add_run, add_tag_filter, choose_run, finite, path_argument, positive
from workbench.cli.options import add_options, chosen, typed
from workbench.cli.output import Column, Output
from workbench.cli.results import add_limit, contributions_record, limit_of, note_failures, print_rest

if TYPE_CHECKING:
    from workbench.base.types import Evidence

name = "scores"
summary = "the documents a run scored, highest first"
description = (
    "List the documents a run scored, highest first. 'scores import P FILE --name NAME' makes a run of the scores that "
    "another program computed, to evaluate and review it like any other: JSON Lines or CSV with the columns id and "
    "score, or for pairs a, b and score, or for passages a, a_start, a_end, b, b_start, b_end and score."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from workbench.services.measuring.own_scores import ImportScores

    add_project(parser)
    add_run(parser, kind=lambda text: positive(text) if text.isdecimal() else text)
    parser.add_argument("file", metavar="FILE", nargs="?", type=path_argument, help="import: the scores")
    add_limit(parser)
    add_tag_filter(parser, "only documents")
    parser.add_argument("--min", type=finite, metavar="X", help="only documents with a score of at least X")
    add_options(parser, ImportScores, note="import: ", without=("file",))


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services import listing
    from workbench.services.measuring.own_scores import ImportScores
    from workbench.services.review.evidence import contributions
    from workbench.services.session import Session

    if "import" in (str(arguments.project), arguments.run):
        return _import(arguments, output)
    if isinstance(arguments.run, str) or arguments.file is not None or typed(arguments, ImportScores):
        raise ParameterError("scores takes a project and the number of a run, or: import P FILE --name NAME.")
    with Session(arguments.project, write=False) as session:
        run = choose_run(session, arguments)
        ids = listing.document_ids(session)
        tagged = listing.keys_with(session, arguments.tag)
        scores = listing.document_scores(session, run.id, arguments.min)
        scores = [score for score in scores if tagged is None or score.document in tagged.accepted]
    listed = scores[: limit_of(arguments)]
    if output.as_json:
        parts_of = contributions(run)
        for score in listed:
            record = {"id": ids[score.document], "score": score.score, "evidence": dict(score.evidence)}
            output.record({**record, "contributions": contributions_record(parts_of(score))})
        return 0
    output.table(
        [Column("document", limit=40), Column("score", right=True), Column("evidence", limit=80)],
        ((ids[s.document], f"{s.score:g}", _facts(s.evidence)) for s in listed),
    )
    print_rest(output, len(scores), limit_of(arguments), "document")
    return 0


def _import(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.measuring.own_scores import ImportScores

    project = arguments.run if str(arguments.project) == "import" else arguments.project
    if arguments.file is None or not project:
        raise ParameterError("scores import needs a project and a FILE.")
    arguments.file = str(arguments.file)
    outcome = run_job(output, chosen(arguments, ImportScores).run, Path(str(project)))
    output.record(outcome.record)
    output.say(f"Run {outcome.record['run']}: {' '.join(map(str, outcome.sentences))}")
    note_failures(output, outcome.failed)
    return 0


def _facts(evidence: Evidence) -> str:
    return " · ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in evidence.items())
