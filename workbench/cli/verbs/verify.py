"""Verb ``verify``: whether an evidence pack is unchanged."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import path_argument
from workbench.cli.output import Output, plural

name = "verify"
summary = "check an evidence pack, and name what was changed"
description = (
    "Check an evidence pack (a .zip that 'report' wrote): every byte of the archive, every file against the "
    "manifest, and the log of decisions line by line. Exits 0 if everything is as it was written, 1 if something "
    "was changed. Without --fingerprint or --key it cannot detect a complete forgery. States which of these is "
    "proven: unchanged since the fingerprint, signed by, existed at."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pack", type=path_argument, metavar="FILE", help="the evidence pack")
    parser.add_argument(
        "--fingerprint", default="", metavar="HEX", help="the fingerprint that was shown when the pack was written"
    )
    parser.add_argument("--key", default="", metavar="HEX", help="the key the pack must be signed with")
    parser.add_argument(
        "--authorities",
        type=path_argument,
        metavar="FILE.pem",
        help="CA certificates to verify the timestamp with (default: those of the system)",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.reports.verifying import verify_pack

    a = arguments
    check = verify_pack(a.pack, a.fingerprint, key=a.key, authorities=str(a.authorities or ""))
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
            "proven": {
                "unchanged": check.expected is True and not problems,
                "signed_by": check.signed_by if not problems else "",
                "existed": check.existed if not problems else "",
            },
        }
    )
    for problem in problems:
        output.say(problem)
    if problems:
        output.note(f"{arguments.pack} is not the pack that was handed out.")
        return 1
    when = (
        f"according to the pack, it was made {check.created}" if check.created else "it does not state when it was made"
    )
    output.say(f"{arguments.pack}: {plural(check.files, 'file')}; {when}.")
    output.say(f"Fingerprint {check.fingerprint}")
    for proof in check.proofs():
        output.say(proof.sentence)
    return 0
