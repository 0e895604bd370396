"""Verb ``figure``: the papers' figures and tables from a project's own data."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_tag_filter, add_workers, path_argument
from workbench.cli.output import Column, Output

name = "figure"
summary = "a figure or table of the papers from this project's data"
description = (
    "A figure or table of the papers from this project's data. The runs it needs are made once and reused. Without "
    "NAME, or with --list, lists the figures: what each shows, its paper and number there, and what it needs."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="P", type=path_argument, nargs="?", help="project file (*.palimpsest)")
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of the figure (without it: a list)")
    parser.add_argument("--list", action="store_true", help="list the figures")
    parser.add_argument(
        "--out", type=path_argument, metavar="FILE", help=".svg, .png, .pdf, .csv or .tex (tables: .csv, .tex)"
    )
    parser.add_argument(
        "--run",
        "--runs",
        dest="runs",
        action="append",
        metavar="RUN,...",
        default=[],
        help="runs to draw (default: the newest finished one of each method); may be repeated",
    )
    parser.add_argument("--labels", metavar="NAME", default="", help="label set (default: the standard one)")
    parser.add_argument("--positive", nargs="+", metavar="VALUE", default=[], help="values that count as positive")
    parser.add_argument("--complete", action="store_true", help="items without a label are negative")
    parser.add_argument(
        "--score", metavar="VALUE", default="", help="rank by this value of the evidence, not the score"
    )
    add_tag_filter(parser, "measure only on documents (pairs and passages of them)")
    parser.add_argument(
        "--values",
        metavar="V1,V2,...",
        default="",
        help="values of the varied parameter (default: the paper's); figures of a pair: its ids",
    )
    add_workers(parser)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.measuring.figure_request import FigureRequest
    from workbench.services.measuring.figures import check_file, make_figure, write_figure
    from workbench.services.measuring.label_selection import Question

    if arguments.list or (arguments.project is not None and arguments.name is None):
        return _list(output)
    if arguments.project is None:
        raise ParameterError("figure needs a project file and the name of a figure; --list lists the figures.")
    if arguments.out is None:
        raise ParameterError("figure needs --out FILE.")
    check_file(arguments.name, arguments.out)
    runs = _words(",".join(arguments.runs))
    if not all(run.isdecimal() for run in runs):
        raise ParameterError(f"--run takes numbers of runs, not {','.join(arguments.runs)!r}.")
    positive = tuple(value for option in arguments.positive for value in _words(option))
    request = FigureRequest(
        runs=tuple(map(int, runs)),
        question=Question(arguments.labels, positive, arguments.complete, arguments.score, arguments.tag),
        values=_words(arguments.values),
        workers=arguments.workers,
    )
    figure = run_job(output, make_figure, arguments.project, arguments.name, request)
    write_figure(arguments.project, figure, arguments.out)
    output.record(
        {"file": str(arguments.out), "figure": arguments.name, "title": figure.title, "notes": list(figure.notes)}
    )
    output.say(f"Wrote {arguments.out}: {figure.title}.")
    for note in figure.notes:
        output.say(f"  {note}")
    return 0


def _list(output: Output) -> int:
    from workbench.services.measuring.figures import KINDS

    for kind in KINDS.values():
        what = "table" if kind.is_table else "figure"
        output.record(
            {"name": kind.name, "kind": what, "shows": kind.shows, "source": kind.source, "needs": kind.needs}
        )
    columns = [Column("name"), Column("shows"), Column("in"), Column("needs")]
    output.table(columns, [(kind.name, kind.shows, kind.source, kind.needs) for kind in KINDS.values()])
    return 0
