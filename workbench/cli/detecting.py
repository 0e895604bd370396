"""Verbs ``methods``, ``detect``, ``runs``."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.base.types import Run
from workbench.cli.arguments import (
    Verbs,
    add_project,
    add_settings,
    add_workers,
    parameter_lines,
    parse_settings,
    settings_text,
)
from workbench.cli.output import Column, Output, plural, seconds_text
from workbench.methods import registry


def register(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    """Add the verbs to the command line."""
    methods = verbs.add_parser("methods", parents=[common], help="each method with its parameters, ranges and defaults")
    methods.set_defaults(verb=_methods)
    detect = verbs.add_parser("detect", parents=[common], help="apply a method to the project's documents")
    add_project(detect)
    detect.add_argument("method", metavar="METHOD", choices=registry.names(), help=", ".join(registry.names()))
    add_settings(detect)
    add_workers(detect)
    detect.add_argument("--resume", action="store_true", help="continue this detection where it was interrupted")
    detect.set_defaults(verb=_detect)
    runs = verbs.add_parser("runs", parents=[common], help="the runs of a project")
    add_project(runs)
    runs.set_defaults(verb=_runs)


def _methods(_arguments: argparse.Namespace, output: Output) -> int:
    for name in registry.names():
        method = registry.get(name)
        output.record(
            {
                "method": name,
                "version": method.version,
                "summary": method.summary,
                "source": method.source,
                "emits": sorted(method.emits),
                "parameters": [
                    {
                        "name": s.name,
                        "kind": s.kind.__name__,
                        "default": s.default,
                        "low": s.low,
                        "high": s.high,
                        "unit": s.unit,
                        "choices": list(s.choices),
                        "paper": s.paper,
                        "help": s.help,
                    }
                    for s in method.parameters.specs()
                ],
            }
        )
        output.say(f"{name} (version {method.version}): {method.summary}")
        output.say(f"  {method.source}")
        columns = [Column("  parameter"), Column("default"), Column("range"), Column("in the paper"), Column("")]
        output.table(columns, [(f"  {row[0]}", *row[1:]) for row in parameter_lines(method)])
        output.say()
    return 0


def _detect(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.detecting import detect, estimate
    from workbench.services.session import Session

    settings = parse_settings(arguments.settings)
    with Session(arguments.project) as session:
        cost = estimate(session, arguments.method, settings)
    if not output.as_json:
        about = "" if cost.seconds is None else f", about {seconds_text(cost.seconds)}"
        output.note(
            f"{plural(cost.documents, 'document')} against {plural(cost.sources, 'source')} "
            f"({plural(cost.pairs, 'pair')}){about}"
        )
    run = run_job(
        output,
        detect,
        arguments.project,
        arguments.method,
        settings,
        workers=arguments.workers,
        resume=arguments.resume,
    )
    output.record(detected(run))
    say_run(output, run)
    say_next(output, arguments.project, run)
    return 0


def detected(run: Run) -> dict[str, Any]:
    """The JSON shape of ``detect``."""
    return {
        "run": run.id,
        "method": run.method,
        "parameters": dict(run.parameters),
        "documents": run.documents,
        "matches": run.matches,
        "pairs": run.pairs,
        "scores": run.scores,
        "seconds": round(run.seconds, 3),
        "excluded": dict(run.excluded),
    }


def say_run(output: Output, run: Run) -> None:
    """Counts of a finished run, and what was left out and why."""
    scored = f"{plural(run.scores, 'document')} scored, " if run.scores else ""
    output.say(
        f"Run {run.id}: {plural(run.matches, 'passage')} in {plural(run.pairs, 'pair')} of documents, {scored}"
        f"{plural(run.documents, 'document')} examined in {seconds_text(run.seconds)}."
    )
    for reason, count in run.excluded.items():
        output.say(f"  left out: {count:,} {reason}")
    if not (run.matches or run.scores or run.pairs):
        output.say("Nothing was found; palimpsest explain P A B says why not for a pair.")


def say_next(output: Output, project: str, run: Run) -> None:
    """What to look at next, where the run found something."""
    listing = "matches" if run.matches else "pairs" if run.pairs else "scores" if run.scores else ""
    if listing:
        output.say(f"Next: palimpsest {listing} {project} {run.id}")
    if run.matches or run.pairs:
        output.say(f"      palimpsest report {project} --run {run.id} --out report.html")


def _runs(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.listing import all_runs
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        found = all_runs(session)
    for run in found:
        output.record(
            detected(run)
            | {
                "version": run.version,
                "state": run.state.value,
                "created": run.created,
                "finished": run.finished,
                "corpus": run.corpus_hash,
                "message": run.message,
                "varied_from": run.varied_from,
            }
        )
    if not found:
        output.say(f"There are no runs yet. Next: palimpsest detect {arguments.project} digest")
        return 0
    columns = [Column("run", right=True), Column("method"), Column("state"), Column("begun")]
    columns += [Column(title, right=True) for title in ("documents", "passages", "pairs", "seconds")]
    output.table(
        [*columns, Column("settings", limit=100)],
        [
            (
                str(run.id),
                run.method,
                run.state.value,
                run.created[:19].replace("T", " "),
                f"{run.documents:,}",
                f"{run.matches:,}",
                f"{run.pairs:,}",
                f"{run.seconds:.1f}",
                f"sweep of {run.varied_from}: " * (run.varied_from is not None) + settings_text(run.parameters),
            )
            for run in found
        ],
    )
    return 0
