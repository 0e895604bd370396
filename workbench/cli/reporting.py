"""Verb ``report``: findings as a file to hand over."""

from __future__ import annotations

import argparse
import sys

from workbench.cli.arguments import Verbs, add_project, given_path
from workbench.cli.output import Output, plural


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verb to the command line."""
    report = verbs.add_parser(
        "report",
        parents=[common],
        help="findings as one HTML, PDF, CSV or JSONL file",
        description="Findings as one file to hand over. Without a choice, the latest finished run.",
    )
    add_project(report)
    report.add_argument("--pair", nargs=2, metavar=("A", "B"), help="one suspect and one source")
    report.add_argument("--suspect", metavar="ID", help="one suspect and all its sources")
    report.add_argument("--run", type=int, metavar="RUN", help="this run (default: the latest finished one)")
    report.add_argument("--out", type=given_path, required=True, metavar="FILE", help=".html, .pdf, .csv or .jsonl")
    report.set_defaults(verb=_report)


def _report(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.exporting import Selection, export
    from workbench.services.session import Session

    if arguments.pair and arguments.suspect:
        output.note("Choose --pair or --suspect, not both.")
        return 2
    pair = tuple(arguments.pair) if arguments.pair else None
    with Session(arguments.project, write=False) as session:
        selection = Selection(run=arguments.run, suspect=arguments.suspect, pair=pair)
        written = export(session, selection, arguments.out, printer=_printer())
    output.record(
        {
            "file": str(arguments.out),
            "run": written.run,
            "passages": written.passages,
            "pairs": written.pairs,
            "passages_left_out": written.passages_left_out,
            "pairs_left_out": written.pairs_left_out,
        }
    )
    output.say(
        f"Wrote {arguments.out}: {plural(written.passages, 'passage')} in {plural(written.pairs, 'pair')} "
        f"of run {written.run}."
    )
    if written.pairs_left_out or written.passages_left_out:
        pairs, passages = plural(written.pairs_left_out, "pair"), plural(written.passages_left_out, "passage")
        output.note(f"Paper is limited; not printed: {pairs} and {passages}. Write .html instead.")
    return 0


def _printer() -> tuple[str, ...]:
    """The command that makes a PDF file of a page; it loads the window's libraries in a process of its own."""
    return (sys.executable, "-m", "workbench.gui.printing")
