"""Printing results of runs, shared by several verbs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.base.evidence import other_places
from workbench.cli.arguments import not_negative
from workbench.cli.output import Output, command, plural, seconds_text

if TYPE_CHECKING:
    from workbench.base.types import Run, Span
    from workbench.reading.formats import Failure
    from workbench.services.records import Contributions, StoredFailure
    from workbench.services.session import Session

_SHOWN = 100
SHOWN_FAILURES = 20
"""Maximum number of rejected inputs listed for people."""


def add_limit(parser: argparse.ArgumentParser) -> None:
    """``--limit N``."""
    parser.add_argument(
        "--limit",
        type=not_negative,
        metavar="N",
        help=f"print at most N and say how many more there are (default: {_SHOWN}, with --json all; 0 for all)",
    )


def limit_of(arguments: argparse.Namespace) -> int | None:
    """Number of rows to print; None for all."""
    if arguments.limit is None:
        return None if arguments.json else _SHOWN
    return arguments.limit or None


def print_rest(output: Output, total: int, limit: int | None, *nouns: str) -> None:
    """Print the total of ``nouns`` (singular, and plural if irregular), and how to see the rest."""
    if limit is not None and total > limit:
        output.say(f"{limit:,} of {plural(total, *nouns)}; --limit 0 prints all.")
    else:
        output.say(f"{plural(total, *nouns)}.")


def print_left_out(output: Output, excluded: Mapping[str, int], by: str = "") -> None:
    """A line for each reason in ``excluded``, with its count; ``by`` names the method that left things out."""
    for reason, count in excluded.items():
        output.say(f"  {f'{by} ' if by else ''}left out: {reason} ({count:,})")


def print_run(output: Output, run: Run) -> None:
    """Print the counts of a finished run, and what was left out and why."""
    scored = f"{plural(run.scores, 'document')} scored, " if run.scores else ""
    output.say(
        f"Run {run.id}: {plural(run.matches, 'match', 'matches')} in {plural(run.pairs, 'pair')} of documents, {scored}"
        f"{plural(run.documents - run.taken_over, 'document')} examined in {seconds_text(run.seconds)}."
    )
    if run.continues is not None:
        output.say(
            f"  reused from run {run.continues}: the findings in {plural(run.taken_over, 'document')}, "
            "which would be the same now (--afresh examines them again)"
        )
    print_left_out(output, run.excluded)
    if not (run.matches or run.scores or run.pairs):
        output.say("Nothing was found; palimpsest explain P A B explains why for a pair.")


def print_next_command(output: Output, project: str, run: Run) -> None:
    """Suggest the next command, if the run found something."""
    listing = "matches" if run.matches else "pairs" if run.pairs else "scores" if run.scores else ""
    if listing:
        output.say(f"Next: {command(listing, project, run.id)}")
    if run.matches or run.pairs:
        output.say(f"      {command('report', project, '--run', run.id, '--out', 'report.html')}")


def print_next_step(output: Output, session: Session) -> None:
    """Suggest what to do next in the project."""
    from workbench.services.contents import next_step

    output.say(f"Next: {command(*next_step(session))}")


def span_record(span: Span | None) -> dict[str, int] | None:
    """The JSON form of a span; null if there is none."""
    return None if span is None else {"start": span.start, "end": span.end}


def side_record(span: Span, gaps: Sequence[Span]) -> dict[str, Any]:
    """The JSON form of one side of a match; with its gaps, if any."""
    record: dict[str, Any] = {"start": span.start, "end": span.end}
    return record | {"gaps": [list(gap) for gap in gaps]} if gaps else record


def places_record(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Other occurrences of a match's words in the source: their number, and the offsets of the first ones."""
    count, starts = other_places(evidence)
    return {"other_places": {"count": count, "starts": starts}} if count else {}


def contributions_record(parts: Contributions | None) -> dict[str, Any] | None:
    """What each figure adds to the log odds of a score, as printed with ``--json``."""
    if parts is None:
        return None
    return {"log_odds": parts.log_odds, "typical": parts.start, "figures": dict(parts.figures)}


def note_failures(output: Output, failed: Sequence[Failure | StoredFailure]) -> None:
    """Write the first rejected inputs to standard error; does nothing with ``--json``, which lists them all."""
    if output.as_json:
        return
    for failure in failed[:SHOWN_FAILURES]:
        output.note(f"{failure.path}: {failure.error}")
    if len(failed) > SHOWN_FAILURES:
        output.note(f"... and {len(failed) - SHOWN_FAILURES:,} more; --json lists them all.")
