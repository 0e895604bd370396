"""Verb ``fetch``: pages from the web into a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.arguments import (
    Names,
    add_project,
    add_site_repetition,
    add_tags,
    add_workers,
    finite,
    not_negative,
    positive,
    role_names,
    tags_of,
)
from workbench.cli.output import Output, plural
from workbench.cli.results import failure_records, note_failures

if TYPE_CHECKING:
    from workbench.services.fetching import FetchResult, Place


name = "fetch"
summary = "bring pages from the web into a project (optional part: pip install 'palimpsest[web]')"
description = (
    "Fetch pages into a project, politely: robots.txt is obeyed and each host is asked at a bounded rate. The same "
    "command again asks only for what changed; after an interruption it goes on where it stopped."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("urls", metavar="URL", nargs="*", help="page to fetch")
    add = parser.add_argument
    add("--list", action="append", default=[], metavar="FILE", help="pages by a file with one URL a line; repeatable")
    add("--feed", action="append", default=[], metavar="URL", help="the pages of an RSS or Atom feed; repeatable")
    add("--sitemap", action="append", default=[], metavar="URL", help="the pages of a sitemap; repeatable")
    add("--role", choices=Names(role_names), default="source", help="what they are (default: source)")
    add("--rate", type=finite, default=1.0, metavar="N", help="requests a second to one host, 0: no limit (default: 1)")
    add("--sample", type=finite, default=1.0, metavar="SHARE", help="share of a feed's or sitemap's pages (default: 1)")
    add("--limit", type=positive, default=100_000, metavar="N", help="most pages (default: 100000)")
    add("--max-bytes", type=positive, default=20_000_000, metavar="N", help="most bytes of a page (default: 20000000)")
    add("--timeout", type=finite, default=60.0, metavar="SECONDS", help="most seconds for a page (default: 60)")
    add("--retries", type=not_negative, default=3, metavar="N", help="further tries of a page (default: 3)")
    add("--contact", default="", metavar="TEXT", help="address or URL that servers are told")
    add("--allow-private", action="store_true", help="fetch from private and loopback hosts that are named, too")
    add_tags(parser)
    add_site_repetition(parser)
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.base.types import Role
    from workbench.cli.monitor import run_job
    from workbench.services.fetching import KNOWN, FetchOptions, fetch

    places = _places(arguments)
    if not places:
        raise ParameterError("Nothing to fetch: give a URL, --list, --feed or --sitemap.")
    options = FetchOptions(
        role=Role(arguments.role),
        tags=tags_of(arguments),
        rate=arguments.rate,
        sample=arguments.sample,
        limit=arguments.limit,
        max_bytes=arguments.max_bytes,
        timeout=arguments.timeout,
        retries=arguments.retries,
        allow_private=arguments.allow_private,
        contact=arguments.contact,
        site_repetition=arguments.site_repetition,
        workers=arguments.workers,
    )
    result = run_job(output, fetch, arguments.project, places, options)
    output.record(
        {
            "fetched": result.fetched,
            "unchanged": result.unchanged,
            "imported": result.imported,
            "duplicates": result.duplicates,
            "failed": failure_records(result.failed),
            "left_out": dict(result.left_out),
            "resumed": result.resumed,
            "documents": list(result.ids),
        }
    )
    _say(result, output)
    useful = result.imported + result.duplicates + result.unchanged + result.left_out.get(KNOWN, 0)
    return 0 if useful or not result.failed else 1


def _places(arguments: argparse.Namespace) -> list[Place]:
    from workbench.services.fetching import Place, PlaceKind

    options = (
        (PlaceKind.URL, arguments.urls),
        (PlaceKind.LIST, arguments.list),
        (PlaceKind.FEED, arguments.feed),
        (PlaceKind.SITEMAP, arguments.sitemap),
    )
    return [Place(kind, address) for kind, addresses in options for address in addresses]


def _say(result: FetchResult, output: Output) -> None:
    output.say(
        f"{plural(result.fetched, 'page')} fetched: {plural(result.imported, 'document')} imported, "
        f"{plural(result.duplicates, 'duplicate')}, {result.unchanged:,} unchanged, {len(result.failed):,} failed."
    )
    if result.resumed:
        output.say(f"{plural(result.resumed, 'page')} had been asked for before the interruption.")
    for reason, number in result.left_out.items():
        output.say(f"Left out: {number:,} {reason}.")
    note_failures(output, result.failed)
