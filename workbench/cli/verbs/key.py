"""Verb ``key``: the user's key that signs evidence packs."""

from __future__ import annotations

import argparse

from workbench.cli.output import Output

name = "key"
summary = "make or show the key that signs your evidence packs"
description = (
    "'new' makes a key (Ed25519); from then on every evidence pack that you write is signed with it, and reports name "
    "its public half. 'show' prints the public key: give it to those who check your packs (verify --key)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("show", "new"), nargs="?", default="show", help="what to do (default: show)")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.signing import create_key, key_file, public_key

    key = create_key() if arguments.action == "new" else public_key()
    output.record({"key": key, "file": str(key_file()) if key else None})
    if not key:
        output.say("There is no key; evidence packs are not signed. Make one with: palimpsest key new")
        return 0
    output.say(key)
    if arguments.action == "new":
        output.say(f"The private key is in {key_file()}: keep a copy, and do not share it.")
    return 0
