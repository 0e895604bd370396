"""Verb ``engine``: the search engine to query for copies."""

from __future__ import annotations

import argparse
import sys

from workbench.cli.output import Output

name = "engine"
summary = "the search engine to query for copies"
description = (
    "A search engine with a JSON API; none is queried until one is set up. It is your own, for all projects. set "
    "needs --url and --results; the key is read from standard input and kept in the system's keyring. test makes "
    "one query; off deletes all of this."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from workbench.cli.options import add_options
    from workbench.services.engines.setup import Engine

    parser.add_argument("action", choices=("show", "set", "test", "off"), nargs="?", default="show", help="what to do")
    add_options(parser, Engine, note="set: ")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import UserError
    from workbench.cli.options import chosen
    from workbench.services.engines import setup
    from workbench.services.engines.asking import ask

    if arguments.action == "off":
        setup.switch_off()
    elif arguments.action == "set":
        described = chosen(arguments, setup.Engine)
        setup.save(described, _key() if described.needs_key else "")
    engine = setup.load()
    if arguments.action == "test":
        if engine is None:
            raise UserError("No search engine is set up.")
        setup.count_query()
        pages = [one.address for one in ask(engine, setup.key() if engine.needs_key else "", "palimpsest")]
        output.record({"pages": pages})
        output.text("\n".join(pages) or "The response lists no page; is --results right?")
        return 0 if pages else 1
    output.record({} if engine is None else engine.as_dict() | {"used": setup.used_today()})
    if engine is None:
        output.say("No search engine is set up.")
    else:
        output.say(f"{engine.template}: {setup.used_today():,} of {engine.budget:,} queries made today.")
    return 0


def _key() -> str:
    """One line of standard input; on a terminal, prompted for without echo."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass("Key of the search engine: ")
    return sys.stdin.readline().rstrip("\n")
