"""Verb ``detect``: apply a method to the documents."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import add_project, add_settings, add_tag_filter, add_workers, chosen_settings, positive
from workbench.cli.output import Output, plural, seconds_text
from workbench.cli.results import print_next_command, print_run
from workbench.methods.core import registry
from workbench.services.tasks import run_record

if TYPE_CHECKING:
    from workbench.services.session import Session

name = "detect"
summary = "apply a method to the project's documents"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("method", metavar="METHOD", choices=registry.names(), help=", ".join(registry.names()))
    add_settings(parser)
    parser.add_argument(
        "--as",
        dest="like",
        type=positive,
        metavar="RUN",
        help="with the settings of this run, as weights learnt from labels; --set takes precedence",
    )
    add_tag_filter(parser, "only suspects")
    parser.add_argument("--source-tag", metavar="FILTER", default="", help="the same for sources and background")
    add_workers(parser)
    parser.add_argument(
        "--afresh", action="store_true", help="also examine documents that a run with the same sources examined before"
    )
    parser.add_argument("--resume", action="store_true", help="continue this detection where it was interrupted")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.detecting.runs import detect, estimate
    from workbench.services.session import Session

    tags = {"suspect_tags": arguments.tag, "source_tags": arguments.source_tag}
    settings = {**chosen_settings(arguments, arguments.method), **{name: tag for name, tag in tags.items() if tag}}
    with Session(arguments.project) as session:
        if arguments.like is not None:
            settings = {**_settings_of(session, arguments), **settings}
        cost = estimate(session, arguments.method, settings)
        if arguments.resume:
            resumed = _resumed(session, arguments.method, settings)
            if output.as_json:
                output.progress({"warning": resumed})
            else:
                output.note(resumed)
    if not output.as_json:
        about = "" if cost.seconds is None else f", about {seconds_text(cost.seconds)}"
        others = f"against {plural(cost.sources, 'source' if cost.only_sources else 'document')}"
        output.note(
            f"{plural(cost.documents, 'document')} {'with each other' if cost.among else others} "
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
        afresh=arguments.afresh,
    )
    output.record(run_record(run))
    print_run(output, run)
    print_next_command(output, arguments.project, run)
    return 0


def _settings_of(session: Session, arguments: argparse.Namespace) -> dict[str, Any]:
    from workbench.base.errors import ParameterError
    from workbench.services.choosing import find_run

    run = find_run(session, arguments.like)
    if run.method != arguments.method or arguments.preset:
        raise ParameterError(
            "--as and --preset exclude each other."
            if arguments.preset
            else f"Run {run.id} is by {run.method}, not by {arguments.method}."
        )
    return dict(run.parameters)


def _resumed(session: Session, method: str, settings: Mapping[str, Any]) -> str:
    """What ``--resume`` does, and with which run."""
    from workbench.base.types import RunState
    from workbench.services.detecting.runs import run_to_resume
    from workbench.services.listing import all_runs

    run = run_to_resume(session, method, settings)
    if run is not None:
        done = run.state is RunState.DONE
        return f"Run {run.id} with these settings is complete." if done else f"Run {run.id} is resumed."
    unfinished = [r for r in all_runs(session) if r.method == method and r.state.resumable and r.watch is None]
    if not unfinished:
        return f"No run by {method} was interrupted: this is a new one."
    changed = "its documents, its settings or the method have changed since"
    return f"Run {unfinished[-1].id} is not resumed: {changed}. This is a new one."
