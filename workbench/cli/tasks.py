"""A verb made from a task: its arguments from the options, its output from the outcome."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project
from workbench.cli.output import DONE, FAILED, Output
from workbench.cli.results import note_failures, say_next, say_run

if TYPE_CHECKING:
    from workbench.services.tasks import Task


class TaskVerb:
    """The verb of a task, which is at ``place`` ("module:Class"); it is imported only where the verb is typed."""

    description = ""

    def __init__(self, name: str, summary: str, place: str) -> None:
        self.name, self.summary, self._place = name, summary, place

    def _task(self) -> type[Task]:
        module, _, name = self._place.partition(":")
        task: type[Task] = getattr(import_module(module), name)
        return task

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        from workbench.cli.options import add_options

        parser.description = self._task().about
        add_project(parser)
        add_options(parser, self._task())

    def execute(self, arguments: argparse.Namespace, output: Output) -> int:
        """Carry out the verb; returns its exit code."""
        from workbench.cli.monitor import run_job
        from workbench.cli.options import chosen

        outcome = run_job(output, chosen(arguments, self._task()).run, arguments.project)
        output.record(outcome.record)
        for sentence in outcome.sentences:
            output.say(sentence)
        if outcome.run is not None:
            say_run(output, outcome.run)
        note_failures(output, outcome.failed)
        if outcome.run is not None:
            say_next(output, str(arguments.project), outcome.run)
        return DONE if outcome.succeeded else FAILED
