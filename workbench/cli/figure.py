"""Verb ``figure``: the papers' figures and tables from a project's own data."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import Verbs, add_project, add_workers, given_path
from workbench.cli.output import Column, Output


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verb to the command line."""
    verb = verbs.add_parser(
        "figure",
        parents=[common],
        help="a figure or table of the papers from this project's data",
        description="A figure or table of the papers from this project's data. Runs that it needs are made once and "
        "used again. Without NAME, lists the figures there are.",
    )
    add_project(verb)
    verb.add_argument("name", metavar="NAME", nargs="?", help="which one (without: a list)")
    verb.add_argument("--out", type=given_path, metavar="FILE", help=".svg, .png, .csv or .tex (tables: .csv, .tex)")
    verb.add_argument("--runs", metavar="RUN,...", default="", help="runs to draw (default: the latest of each method)")
    verb.add_argument("--labels", metavar="NAME", default="", help="label set (default: the usual one)")
    verb.add_argument("--positive", nargs="+", metavar="VALUE", default=[], help="values looked for")
    verb.add_argument("--complete", action="store_true", help="what has no label is negative")
    verb.add_argument(
        "--score", metavar="FIGURE", default="", help="rank by this figure of the evidence, not the score"
    )
    verb.add_argument(
        "--values", metavar="V1,V2,...", default="", help="values of what is varied (default: the paper's)"
    )
    add_workers(verb)
    verb.set_defaults(verb=_figure)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _figure(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.figure_request import Request
    from workbench.services.figures import check_file, make_figure, write_figure
    from workbench.services.truth import Question

    if arguments.name is None:
        return _list(output)
    if arguments.out is None:
        raise ParameterError("figure needs --out FILE.")
    check_file(arguments.name, arguments.out)
    if not all(run.isdecimal() for run in _words(arguments.runs)):
        raise ParameterError(f"--runs takes numbers of runs, not {arguments.runs!r}.")
    positive = tuple(value for given in arguments.positive for value in _words(given))
    request = Request(
        runs=tuple(int(run) for run in _words(arguments.runs)),
        question=Question(arguments.labels, positive, arguments.complete, arguments.score),
        values=_words(arguments.values),
        workers=arguments.workers,
    )
    found = run_job(output, make_figure, arguments.project, arguments.name, request)
    write_figure(found, arguments.out)
    output.record(
        {"file": str(arguments.out), "figure": arguments.name, "title": found.title, "notes": list(found.notes)}
    )
    output.say(f"Wrote {arguments.out}: {found.title}.")
    for note in found.notes:
        output.say(f"  {note}")
    return 0


def _list(output: Output) -> int:
    from workbench.services.figures import KINDS

    for kind in KINDS.values():
        what = "table" if kind.is_table else "figure"
        output.record({"name": kind.name, "kind": what, "shows": kind.shows, "source": kind.source})
    columns = [Column("name"), Column("shows"), Column("in")]
    output.table(columns, [(kind.name, kind.shows, kind.source) for kind in KINDS.values()])
    return 0
