"""Verb ``prepare``: compile in advance what detection would compile when it is first used."""

from __future__ import annotations

import argparse

from workbench.cli.output import Output

name = "prepare"
summary = "compile the code of the methods once, so that no detection waits for it"
description = ""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


def execute(_arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.compiling import spent
    from workbench.cli.monitor import run_job
    from workbench.jobs.process import second_compiler
    from workbench.methods.core.warming import warm_up, warm_up_last_first

    with second_compiler(warm_up_last_first):
        run_job(output, warm_up)
    output.record({"compiled_seconds": round(spent(), 1)})
    output.say(f"Ready. Compiling took {spent():.0f} s." if spent() else "Ready. Everything was already compiled.")
    return 0
