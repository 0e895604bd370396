"""Verb ``engine``: the search engine that may be asked for copies."""

from __future__ import annotations

import argparse
import sys

from workbench.cli.arguments import finite, positive
from workbench.cli.output import Output

name = "engine"
summary = "the search engine that may be asked for copies"
description = (
    "A search engine with an API of JSON answers; none is asked until one is set up. It is yours in any project. "
    "set needs --url and --results; the key is read from standard input and kept in the system's keyring. test asks "
    "one query; off forgets everything."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("show", "set", "test", "off"), nargs="?", default="show", help="what to do")
    add = parser.add_argument
    add("--url", default="", metavar="URL", help="set: its address, with {query} and, if needed, {key}")
    add("--header", default="", metavar="NAME:VALUE", help="set: a header, with {key} for the key")
    add(
        "--results",
        default="",
        metavar="PATH",
        help="set: path of the addresses in a response, as in web.results[].url",
    )
    add("--rate", type=finite, default=1.0, metavar="N", help="set: maximum number of queries a second (default: 1)")
    add("--budget", type=positive, default=100, metavar="N", help="set: maximum number of queries a day (default: 100)")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from dataclasses import asdict

    from workbench.base.errors import UserError
    from workbench.services.engines import setup
    from workbench.services.engines.asking import ask

    if arguments.action == "off":
        setup.switch_off()
    elif arguments.action == "set":
        chosen = setup.Engine(arguments.url, arguments.header, arguments.results, arguments.rate, arguments.budget)
        chosen.check()
        setup.save(chosen, _key() if chosen.needs_key else "")
    engine = setup.load()
    if arguments.action == "test":
        if engine is None:
            raise UserError("No search engine is set up.")
        setup.count_query()
        pages = ask(engine, setup.key() if engine.needs_key else "", "palimpsest")
        output.record({"pages": pages})
        output.text("\n".join(pages) or "The answer names no page; is --results right?")
        return 0 if pages else 1
    described = None if engine is None else asdict(engine) | {"used": setup.used_today()}
    output.record(described or {})
    if engine is None:
        output.say("No search engine is set up.")
    else:
        output.say(f"{engine.template}: {setup.used_today():,} of {engine.budget:,} queries made today.")
    return 0


def _key() -> str:
    """One line of standard input; on a terminal it is asked for and not shown."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass("Key of the search engine: ")
    return sys.stdin.readline().rstrip("\n")
