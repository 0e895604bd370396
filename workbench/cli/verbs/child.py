"""Verb ``child``: a program of this package, for a frozen program that must restart itself. Not in the help."""

from __future__ import annotations

import argparse

from workbench.cli.output import Output
from workbench.jobs import CHILD

name = CHILD
summary = ""
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", choices=("workbench.services.reports.typesetting",))
    parser.add_argument("arguments", nargs=argparse.REMAINDER)


def execute(arguments: argparse.Namespace, _output: Output) -> int:
    from workbench.jobs.children import run_module

    return run_module(arguments.module, arguments.arguments)
