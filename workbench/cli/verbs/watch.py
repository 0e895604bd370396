"""Verb ``watch``: saved searches, checked on demand, by a scheduler, or continuously while the command runs."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import (
    add_project,
    add_settings,
    add_workers,
    finite,
    not_negative,
    path_argument,
    positive,
)
from workbench.cli.output import Column, Output, line, plural
from workbench.cli.results import failure_records, note_failures

if TYPE_CHECKING:
    from workbench.services.session import Session
    from workbench.services.stored import Watch
    from workbench.services.watching.settings import WatchSettings

_LOOK = 60.0
"""Seconds between looks for watches added meanwhile."""
_ACTIONS = ("check", "add", "list", "remove", "report")

name = "watch"
summary = "look for new copies of the project's sources again and again"
description = (
    "A watch is a saved search: places to look at, a method, what counts. A check fetches what is new there, "
    "compares only that with the sources, and reports each match once. Without an action all watches are checked "
    "whenever they are due, until the command is interrupted; with --once (for cron and other schedulers) all are "
    "checked once. add NAME saves a search: without --page, --feed or --sitemap it looks at suspects that were "
    "imported. report writes what was found to --out."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_project(parser)
    parser.add_argument("action", choices=_ACTIONS, nargs="?", default="check", help="what to do (default: check)")
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="one watch (default: all)")
    add = parser.add_argument
    add("--once", action="store_true", help="check: once, due or not, then end")
    add("--allow-private", action="store_true", help="check: fetch from private and loopback hosts that are named, too")
    add("--page", action="append", default=[], metavar="URL", help="add: look at this page; repeatable")
    add("--feed", action="append", default=[], metavar="URL", help="add: look at the pages of a feed; repeatable")
    add("--sitemap", action="append", default=[], metavar="URL", help="add: look at the pages of a sitemap; repeatable")
    add("--method", default="digest", metavar="METHOD", help="add: how to compare (default: digest)")
    add_settings(parser)
    add("--min-score", type=finite, default=0.0, metavar="X", help="add: matches below do not count (default: 0)")
    add("--min-characters", type=not_negative, default=0, metavar="N", help="add: shorter matches do not count")
    add("--source", action="append", default=[], metavar="ID", help="add: only this source counts; repeatable")
    add("--rate", type=finite, default=1.0, metavar="N", help="add: requests a second to one host (default: 1)")
    add("--sample", type=finite, default=1.0, metavar="SHARE", help="add: share of a feed's or sitemap's pages")
    add("--limit", type=positive, default=10_000, metavar="N", help="add: most pages of a check (default: 10000)")
    add("--every", type=finite, default=24.0, metavar="HOURS", help="add: hours between checks (default: 24)")
    add("--day", metavar="DATE", default="", help="report: one day (YYYY-MM-DD or today; default: all days)")
    add("--out", type=path_argument, metavar="FILE", help="report: .html or .jsonl")
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.session import Session
    from workbench.services.watching import store

    action = arguments.action
    if action == "check":
        return _check_all(arguments, output)
    with Session(arguments.project, write=action in ("add", "remove")) as session:
        if action == "report":
            return _report(arguments, session, output)
        if action == "add":
            watch = store.add(session, arguments.name, _settings(arguments))
            output.record(_described(session, watch))
            output.say(f"Added {watch.name}. Check it with: palimpsest watch {arguments.project} --once")
        elif action == "remove":
            watch = store.find(session, arguments.name)
            store.remove(session, watch)
            output.record({"removed": watch.name})
            output.say(f"Removed {watch.name}; what it found stays.")
        else:
            _list(arguments, session, output)
    return 0


def _settings(arguments: argparse.Namespace) -> WatchSettings:
    from workbench.cli.arguments import chosen_settings
    from workbench.services.fetching import Place, PlaceKind
    from workbench.services.watching.settings import WatchSettings

    options = (
        (PlaceKind.URL, arguments.page),
        (PlaceKind.FEED, arguments.feed),
        (PlaceKind.SITEMAP, arguments.sitemap),
    )
    return WatchSettings(
        places=tuple(Place(kind, address) for kind, addresses in options for address in addresses),
        method=arguments.method,
        parameters=chosen_settings(arguments, arguments.method),
        min_score=arguments.min_score,
        min_characters=arguments.min_characters,
        sources=tuple(arguments.source),
        rate=arguments.rate,
        sample=arguments.sample,
        limit=arguments.limit,
        every=arguments.every,
    )


def _chosen(session: Session, name: str) -> list[Watch]:
    """The watch called ``name``, or all. Raises UserError if there is none."""
    from workbench.base.errors import UserError
    from workbench.services.watching import store

    watches = [store.find(session, name)] if name else store.all_watches(session)
    if not watches:
        hint = f"Add one: palimpsest watch {session.path} add NAME --feed URL"
        raise UserError("There are no watches in this project.", hint=hint)
    return watches


def _list(arguments: argparse.Namespace, session: Session, output: Output) -> None:
    rows = []
    for watch in _chosen(session, arguments.name):
        described = _described(session, watch)
        output.record(described)
        places = ", ".join(address for _, address in described["places"]) or "imported suspects"
        rows.append((watch.name, described["method"], places, described["last"], f"{described['reported']:,}"))
    columns = [Column("watch"), Column("method"), Column("looks at", limit=60), Column("last check")]
    output.table([*columns, Column("matches", right=True)], [[line(cell) for cell in row] for row in rows])


def _described(session: Session, watch: Watch) -> dict[str, Any]:
    from workbench.services.watching.store import checks

    checked = checks(session, watch)
    last = checked[0].started if checked else ""
    return {"name": watch.name, **watch.settings, "last": last, "reported": sum(c.reported for c in checked)}


def _check_all(arguments: argparse.Namespace, output: Output) -> int:
    """Check once, or whenever a watch is due. A failing watch does not prevent checks of the others."""
    from workbench.base.errors import UserError
    from workbench.services.session import Session
    from workbench.services.watching.store import due

    with Session(arguments.project) as session:
        chosen = _chosen(session, arguments.name)
    if arguments.once:
        return max([_check(arguments, watch, output) for watch in chosen])
    output.say(f"Watching {plural(len(chosen), 'search', 'searches')}; interrupt to end.")
    refused: set[int] = set()
    while True:
        waiting: list[tuple[datetime, int, Watch]] = []
        with Session(arguments.project, write=False) as session:
            for watch in _chosen(session, arguments.name):
                try:
                    waiting.append((due(session, watch), watch.id, watch))
                except UserError as error:
                    if watch.id not in refused:
                        output.note(f"{watch.name}: {error}")
                    refused.add(watch.id)
        if not waiting:
            time.sleep(_LOOK)
            continue
        when, _, watch = min(waiting, key=lambda known: known[:2])
        seconds = (when - datetime.now(UTC)).total_seconds()
        if seconds > 0:
            time.sleep(min(seconds, _LOOK))
        elif _check(arguments, watch, output):
            # A check that could not even start would be due again at once.
            time.sleep(_LOOK)


def _check(arguments: argparse.Namespace, watch: Watch, output: Output) -> int:
    from workbench.base.errors import UserError
    from workbench.cli.monitor import run_job
    from workbench.services.session import Session
    from workbench.services.watching.analysis import analyse
    from workbench.services.watching.checking import check
    from workbench.services.watching.report import records

    try:
        result = run_job(
            output,
            check,
            arguments.project,
            watch,
            allow_private=arguments.allow_private,
            workers=arguments.workers,
        )
    except UserError as error:
        output.note(f"{watch.name}: {error}")
        output.record({"watch": watch.name, "error": str(error)})
        return 1
    finished = result.check
    with Session(arguments.project, write=False) as session:
        mine = [c for c in analyse(session, watch=watch.name).copies if c.match.check_id == finished.id]
        matches = list(records(session, mine))
    output.record(
        {
            "watch": watch.name,
            "fetched": finished.fetched,
            "unchanged": finished.unchanged,
            "failed": failure_records(result.failed),
            "examined": finished.examined,
            "reported": finished.reported,
            "known": finished.known,
            "run": finished.run_id,
            "matches": matches,
        }
    )
    output.say(
        f"{watch.name}: {plural(finished.examined, 'new document')} examined, "
        f"{plural(finished.reported, 'new match', 'new matches')}, {finished.known:,} reported before."
    )
    for copy in mine:
        source = copy.source.title or copy.source.id
        output.say(line(f"  {copy.match.page}  {copy.characters:,} characters of {source}"))
    note_failures(output, result.failed)
    return 0


def _report(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.watching import store
    from workbench.services.watching.report import write_report

    if arguments.out is None:
        raise ParameterError("watch report needs --out FILE.html or FILE.jsonl.")
    day = datetime.now(UTC).date().isoformat() if arguments.day == "today" else arguments.day
    if arguments.name:
        store.find(session, arguments.name)
    count = write_report(session, arguments.out, watch=arguments.name, since=day, until=day)
    output.record({"file": str(arguments.out), "matches": count})
    output.say(f"Wrote {arguments.out}: {plural(count, 'match', 'matches')}.")
    return 0
