"""Verb ``verify``: whether an evidence pack is as it was handed out."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import path_argument
from workbench.cli.output import Output, plural

name = "verify"
summary = "check an evidence pack, and name what was changed"
description = (
    "Check an evidence pack (a .zip that 'report' wrote): every byte of the archive, every file against the manifest, "
    "and the log of decisions line by line. Exits 0 where all is as it was written, 1 where something was changed. "
    "Without --fingerprint it cannot notice that somebody made another pack as a whole."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("pack", type=path_argument, metavar="FILE", help="the evidence pack")
    parser.add_argument(
        "--fingerprint", default="", metavar="HEX", help="the fingerprint that was shown when the pack was written"
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.reports.verifying import verify_pack

    check = verify_pack(arguments.pack, arguments.fingerprint)
    problems = check.problems()
    output.record(
        {
            "file": str(arguments.pack),
            "ok": not problems,
            "fingerprint": check.fingerprint,
            "sealed": check.sealed,
            "changed": list(check.changed),
            "missing": list(check.missing),
            "added": list(check.added),
            "problems": list(map(str, problems)),
        }
    )
    for problem in problems:
        output.say(problem)
    if problems:
        output.note(f"{arguments.pack} is not the pack that was handed out.")
        return 1
    output.say(f"{arguments.pack}: {plural(check.files, 'file')}, unchanged since the pack was made ({check.created}).")
    output.say(f"Fingerprint {check.fingerprint}")
    if check.expected is None:
        output.say("Compare it with the one you were given: without it nobody can tell a pack that was made anew.")
    return 0
