"""Verb ``labels merge``: merging a batch or a copy of the project back."""

from __future__ import annotations

import argparse
import shlex
from itertools import combinations
from typing import TYPE_CHECKING, Any

from workbench.base.messages import percent
from workbench.cli.output import Column, Output, plural, time_text
from workbench.cli.results import SHOWN_FAILURES, note_failures
from workbench.services.tasks import failure_records

if TYPE_CHECKING:
    from workbench.services.labels.merging import MergeResult


def merge(arguments: argparse.Namespace, output: Output) -> int:
    """``labels P merge``: list the changes, make and report them; ``--undo`` undoes the last one."""
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.labels.merging import merge_batch

    if arguments.undo:
        return undo(arguments, output)
    if arguments.file is None:
        raise ParameterError("labels merge needs a FILE.")
    parts = arguments.accept.split(",")
    # A name may contain a comma itself.
    ranges = combinations(range(len(parts) + 1), 2)
    accept = {name for start, end in ranges if (name := ",".join(parts[start:end]).strip())}
    options = {"only_show": arguments.dry_run, "who": arguments.who}
    result = run_job(output, merge_batch, arguments.project, arguments.file, accept, **options)
    output.record(merge_record(result))
    _say(result, output, dry=arguments.dry_run)
    note_failures(output, result.failed)
    nothing = not result.added and not result.known
    return 1 if nothing and (result.failed or result.doubtful) else 0


def undo(arguments: argparse.Namespace, output: Output) -> int:
    """``labels P import --undo`` and ``merge --undo``: undo the last import of labels or merge."""
    from workbench.base.errors import UserError
    from workbench.base.messages import Message
    from workbench.services.labels.merge_additions import merges, undo_merge
    from workbench.services.session import Session

    with Session(arguments.project) as session:
        standing = [merge for merge in merges(session) if merge.counts]
        if not standing:
            raise UserError(Message("There is no import or merge of labels to undo."))
        last = standing[-1]
        undo_merge(session, last.number, arguments.who)
    output.record({"undone": {"file": last.file, "who": last.who, "when": last.when}})
    output.say(f"The labels from {last.file} ({last.who}, {time_text(last.when)}) were undone.")
    return 0


def _say(result: MergeResult, output: Output, *, dry: bool) -> None:
    would = "would be " if dry else ""
    output.say(
        f"{plural(result.added, 'label')} {would}added, {result.known:,} known, {len(result.failed):,} refused, "
        f"{len(result.doubtful):,} held back."
    )
    if result.speakers:
        output.table(
            [Column("who"), Column("events", right=True), Column("of"), Column("from"), Column("to")],
            [
                (
                    s.who,
                    f"{sum(s.events.values()):,}",
                    ", ".join(f"{name} {n:,}" for name, n in s.events.items()),
                    time_text(s.first),
                    time_text(s.last),
                )
                for s in result.speakers
            ],
        )
    if result.turns:
        output.say(f"{plural(len(result.turns), 'decision')} {'would change' if dry else 'changed'}:")
        output.table(
            [Column("set"), Column("of", limit=60), Column("before"), Column("after"), Column("by")],
            [(t.label_set, t.name, t.before or "-", t.after or "-", ", ".join(t.by)) for t in result.turns],
        )
    if result.shares:
        output.say(f"Share that counts, of {plural(len(result.shares), 'suspect')} of run {result.run}:")
        output.table(
            [Column("suspect", limit=60), Column("before", right=True), Column("after", right=True)],
            [(s.id, percent(s.before), percent(s.after)) for s in result.shares],
        )
    rest = [
        *([f"label sets changed: {', '.join(result.sets)}"] if result.sets else []),
        *([f"{result.assigned:,} assigned"] if result.assigned else []),
        *([f"tags of {plural(result.tagged, 'document')}"] if result.tagged else []),
        *([f"tags removed here stay removed from {plural(result.untagged, 'document')}"] if result.untagged else []),
    ]
    if rest:
        output.say(f"Also: {'; '.join(rest)}.")
    if not output.as_json:
        for replaced in result.replaced:
            output.note(replaced.sentence)
    if result.doubtful and not output.as_json:
        for apart in result.doubtful[:SHOWN_FAILURES]:
            event = apart.event
            here = f", here {apart.here}" if apart.here else ""
            value = event.value or "nothing"
            output.note(
                f"held back ({apart.doubt}): {event.who}, {time_text(event.when)}: {value} of {apart.name}{here}"
            )
        if len(result.doubtful) > SHOWN_FAILURES:
            output.note(f"... and {len(result.doubtful) - SHOWN_FAILURES:,} more; --json lists them all.")
        people = ",".join(sorted({apart.event.who for apart in result.doubtful}))
        output.note(f"To accept them, if you know that they are right: --accept {shlex.quote(people)}")


def merge_record(result: MergeResult) -> dict[str, Any]:
    """The JSON shape of ``labels merge``."""
    return {
        "added": result.added,
        "known": result.known,
        "failed": failure_records(result.failed),
        "held": [
            {
                "why": h.doubt.value,
                "set": h.event.label_set,
                "of": h.name,
                "who": h.event.who,
                "when": h.event.when,
                "value": h.event.value,
                "here": h.here,
            }
            for h in result.doubtful
        ],
        "people": [{"who": s.who, "events": dict(s.events), "first": s.first, "last": s.last} for s in result.speakers],
        "turns": [
            {"set": t.label_set, "of": t.name, "before": t.before, "after": t.after, "by": list(t.by)}
            for t in result.turns
        ],
        "run": result.run or None,
        "shares": [{"suspect": s.id, "before": s.before, "after": s.after} for s in result.shares],
        "sets": list(result.sets),
        "replaced": [
            {
                "set": r.label_set,
                "used": {"who": r.who, "when": r.when},
                "not_used": {"who": r.other, "when": r.other_when},
                "values": list(r.values),
                "guidelines": r.guidelines,
            }
            for r in result.replaced
        ],
        "assigned": result.assigned,
        "tagged": result.tagged,
        "untagged": result.untagged,
    }
