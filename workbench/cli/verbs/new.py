"""Verb ``new``: an empty project."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project
from workbench.cli.output import Output
from workbench.cli.results import print_next_step

name = "new"
summary = "create an empty project"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.session import Session, create

    create(arguments.project)
    output.record({"project": str(arguments.project)})
    output.say(f"Created {arguments.project}.")
    with Session(arguments.project, write=False) as session:
        print_next_step(output, session)
    return 0
