"""Verb ``demo``: the main task on the bundled sample, end to end."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.arguments import path_argument
from workbench.cli.output import Output, plural
from workbench.cli.results import print_run
from workbench.cli.verbs.gui import no_display, no_libraries, open_window

_EDITS = {
    "none": "unchanged",
    "short": "of one or two sentences",
    "light": "with words changed",
    "kyujitai": "in old Japanese characters",
    "simplified": "in simplified characters",
    "traditional": "in traditional characters",
}

name = "demo"
summary = "try it: a detection and a report on bundled texts"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    usual = Path("palimpsest-demo")
    parser.add_argument("--out", type=path_argument, metavar="DIR", default=usual, help="folder to write to")
    parser.add_argument("--no-window", action="store_true", help="do not open the window afterwards")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.sample import demonstrate

    built = run_job(output, demonstrate, arguments.out)
    output.record(
        {
            "project": str(built.project),
            "report": str(built.report),
            "run": built.run.id,
            "documents": built.documents,
            "matches": built.run.matches,
            "pairs": built.run.pairs,
            "expected": built.expected,
            "found": built.covered,
            "correct": built.correct,
            "alluded": built.alluded,
            "recall": built.recall,
            "precision": built.precision,
            "missed": dict(built.missed),
            "unread": built.unread,
        }
    )
    output.say(f"Read {plural(built.documents, 'text')} into {built.project}.")
    print_run(output, built.run)
    output.say(
        f"Of {plural(built.expected, 'passage')} known to be copied, {built.covered:,} were found "
        f"(recall {built.recall:.3f}); of {built.run.matches - built.alluded:,} found, "
        f"{built.correct:,} are known copies (precision {built.precision:.3f})."
    )
    if built.alluded:
        output.say(f"Allusions also found, which count neither way: {built.alluded:,}.")
    if built.missed:
        listed = ", ".join(f"{n} {_EDITS.get(edit, edit)}" for edit, n in built.missed.items())
        output.say(f"Not found, by kind of change: {listed}.")
        output.say(
            f"Why a pair was not found: palimpsest explain {built.project} SUSPECT SOURCE --method {built.run.method}"
        )
    output.say(f"Report: {built.report}")
    if built.unread:
        output.note(
            f"{plural(built.unread, 'file')} of the sample could not be read: this installation is incomplete. "
            "Install it again."
        )
        return 1
    if arguments.no_window or output.as_json:
        return 0
    problem = no_display() or no_libraries()
    if problem:
        output.say(f"{problem} Elsewhere: palimpsest gui {built.project}")
        return 0
    output.say("Opening the window.")
    return open_window(built.project, view="matches")
