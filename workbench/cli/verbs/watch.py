"""Verb ``watch``: saved searches, checked on demand, by a scheduler, or continuously while the command runs."""

from __future__ import annotations

import argparse
import shlex
import time
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from workbench.base.messages import percent
from workbench.cli.arguments import (
    add_project,
    add_workers,
    check_used,
    path_argument,
)
from workbench.cli.output import Column, Output, command, plural, time_text
from workbench.cli.results import note_failures
from workbench.services.tasks import failure_records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.services.records import Watch
    from workbench.services.session import Session
    from workbench.services.watching.findings import Finding
    from workbench.services.watching.settings import WatchSettings

_LOOK = 60.0
"""Seconds between checks for watches added meanwhile."""
_ACTIONS = ("check", "add", "change", "list", "remove", "report", "pages", "case", "schedule")
_USES = {
    "--once": ("check",),
    "--allow-private": ("check",),
    "--state": ("case",),
    "--site": ("case",),
    "--note": ("case",),
    **dict.fromkeys(("--system", "--at", "--write"), ("schedule",)),
    "--day": ("report",),
    "--out": ("report",),
    **dict.fromkeys(("--who", "--blind"), ("report", "pages")),
}
"""The actions that use an option."""

name = "watch"
summary = "check repeatedly for new copies of the project's sources"
description = (
    "A watch is a saved search: pages to look at, a method, and which matches count. A check fetches the new pages, "
    "compares only those with the sources, and reports each match once. Without an action all watches are checked "
    "whenever they are due, until the command is interrupted; with --once (for cron and other schedulers) all are "
    "checked once. add NAME saves a search: without --page, --feed or --sitemap it examines imported suspects. "
    "change NAME replaces the settings passed. pages lists the reported pages and originals, with the state and "
    "case of each page; case sets the case of --page or --site, or shows its history. report writes the findings to "
    "--out. schedule shows entries for the system's scheduler; --write writes them. A check that could not fetch an "
    "address names it and exits 1."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from workbench.cli.options import add_options
    from workbench.services.watching.settings import WatchSettings

    add_project(parser)
    parser.add_argument("action", choices=_ACTIONS, nargs="?", default="check", help="what to do (default: check)")
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="one watch (default: all)")
    add = parser.add_argument
    add("--once", action="store_true", help="check: once, due or not, then exit")
    add(
        "--allow-private", action="store_true", help="check: also fetch from private and loopback hosts that are listed"
    )
    add_options(parser, WatchSettings, note="add: ")
    add("--state", metavar="STATE", default="", help="case: new, licensed, notice sent, settled or ignored")
    add("--site", action="store_true", help="case: for the whole site of --page")
    add("--note", default="", metavar="TEXT", help="case: a note")
    add("--system", choices=("systemd", "cron", "task"), help="schedule: for this scheduler (default: the system's)")
    add("--at", metavar="HH:MM", help="schedule: every day at this time (default: 05:00)")
    add("--write", action="store_true", help="schedule: write the entries and enable them")
    add("--day", metavar="DATE", default="", help="report: one day (YYYY-MM-DD or today; default: all days)")
    add("--out", type=path_argument, metavar="FILE", help="report: .html or .jsonl")
    add("--who", metavar="NAME", default="", help="report, pages: the blind reviewer (default: the login name)")
    add(
        "--blind",
        action="store_true",
        help="report, pages: others' verdicts only where --who has also judged",
    )
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.review.judgement import Reviewer
    from workbench.services.review.verdicts import reviewer
    from workbench.services.session import Session
    from workbench.services.watching import store

    action = arguments.action
    check_used(arguments, _USES)
    _check_settings(arguments)
    if action == "check":
        return _check_all(arguments, output)
    if action == "schedule":
        return _schedule(arguments, output)
    viewer = Reviewer(arguments.who or reviewer(), arguments.blind)
    with Session(arguments.project, write=action in ("add", "change", "remove", "case"), viewer=viewer) as session:
        if action == "report":
            return _report(arguments, session, output)
        if action == "pages":
            return _pages(arguments, session, output)
        if action == "case":
            return _case(arguments, session, output)
        if action == "add":
            watch = store.add(session, arguments.name, _settings(arguments))
            output.record(_described(session, watch))
            output.say(f"Added {watch.name}. Check it with: {command('watch', arguments.project, '--once')}")
        elif action == "change":
            watch = store.find(session, arguments.name)
            store.change(session, watch, _settings(arguments, watch.settings))
            output.record(_described(session, store.find(session, watch.name)))
            output.say(f"Changed {watch.name}; its next check compares all its pages again.")
        elif action == "remove":
            watch = store.find(session, arguments.name)
            store.remove(session, watch)
            output.record({"removed": watch.name})
            output.say(f"Removed {watch.name}; its findings are kept.")
        else:
            _list(arguments, session, output)
    return 0


def _check_settings(arguments: argparse.Namespace) -> None:
    """Raise ParameterError for settings of a watch passed to an action that does not change any."""
    from workbench.base.errors import ParameterError
    from workbench.cli.options import typed
    from workbench.services.watching.settings import WatchSettings

    if arguments.action not in ("add", "change", "case") and (settings := typed(arguments, WatchSettings)):
        names = ", ".join(settings)
        raise ParameterError(f"watch {arguments.action} changes no settings ({names}); watch change does.")


def _settings(arguments: argparse.Namespace, before: Mapping[str, Any] | None = None) -> WatchSettings:
    """The settings in ``arguments``; all others as in ``before``, or their defaults."""
    from workbench.cli.options import flag_of, typed
    from workbench.services.watching.settings import WatchSettings

    settings = dict(before or {})
    # The parameters of another method do not apply.
    own = settings.get("parameters", {}) if arguments.method in (None, settings.get("method")) else {}
    arguments.method = arguments.method or settings.get("method")
    changes = typed(arguments, WatchSettings)
    changes["parameters"] = {**own, **changes.get("parameters", {})}
    return WatchSettings.parse(settings | changes, flag_of)


def _chosen(session: Session, name: str) -> list[Watch]:
    """The watch called ``name``, or all. Raises UserError if there is none."""
    from workbench.base.errors import UserError
    from workbench.services.watching import store

    watches = [store.find(session, name)] if name else store.all_watches(session)
    if not watches:
        hint = f"Add one: palimpsest watch {shlex.quote(str(session.path))} add NAME --feed URL"
        raise UserError("There are no watches in this project.", hint=hint)
    return watches


def _list(arguments: argparse.Namespace, session: Session, output: Output) -> None:
    from workbench.base.errors import UserError

    rows = []
    for watch in _chosen(session, arguments.name):
        try:
            described = _described(session, watch)
        except UserError as error:
            output.note(f"{watch.name}: {error.message}")
            continue
        output.record(described)
        places = ", ".join(address for _, address in described["places"]) or "imported suspects"
        rows.append(
            (watch.name, described["method"], places, time_text(described["last"]), f"{described['reported']:,}")
        )
    columns = [Column("watch"), Column("method"), Column("looks at", limit=60), Column("last check")]
    output.table([*columns, Column("matches", right=True)], rows)


def _described(session: Session, watch: Watch) -> dict[str, Any]:
    from workbench.methods.core import registry
    from workbench.services.watching.settings import WatchSettings
    from workbench.services.watching.store import checks

    checked = checks(session, watch)
    last = checked[0].started if checked else ""
    settings = WatchSettings.from_dict(watch.settings).as_dict()
    chosen = settings["parameters"]
    values = registry.get(settings["method"]).parameters.parse(chosen).as_dict()
    settings["parameters"] = {name: values[name] for name in chosen}
    return {"name": watch.name, **settings, "last": last, "reported": sum(c.reported for c in checked)}


def _check_all(arguments: argparse.Namespace, output: Output) -> int:
    """Check once, or whenever a watch is due. A failing watch does not prevent checks of the others."""
    from workbench.base.errors import UserError
    from workbench.services.session import Session
    from workbench.services.watching.store import due

    with Session(arguments.project) as session:
        chosen = _chosen(session, arguments.name)
    if arguments.once:
        return max([_check(arguments, watch, output) for watch in chosen])
    output.say(f"Running {plural(len(chosen), 'watch', 'watches')}; interrupt to stop.")
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
    from workbench.services.watching.alerts import check_and_tell
    from workbench.services.watching.analysis import analyse
    from workbench.services.watching.findings import findings, gone_since
    from workbench.services.watching.report import records

    try:
        result = run_job(
            output,
            check_and_tell,
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
        grouped = findings(session, mine)
        gone = gone_since(session, finished.gone)
    output.record(
        {
            "watch": watch.name,
            "fetched": finished.fetched,
            "unchanged": finished.unchanged,
            "failed": failure_records(result.failed),
            "gone": [{"page": page, "since": since} for page, since in gone.items()],
            "examined": finished.examined,
            "reported": finished.reported,
            "known": finished.known,
            "ignored": finished.ignored,
            "run": finished.run_id,
            "matches": matches,
        }
    )
    output.say(
        f"{watch.name}: {plural(finished.examined, 'new document')} examined, "
        f"{plural(finished.reported, 'new match', 'new matches')}, {finished.known:,} reported before."
    )
    if finished.ignored:
        unreported = plural(finished.ignored, "match", "matches")
        output.say(f"  {unreported} not reported: on your own, ignored or licensed pages")
    for finding in grouped:
        output.say(_sentence(finding))
    if finished.run_id is not None and finished.message:
        output.say(f"  {finished.message}")
    for page, since in gone.items():
        output.say(f"  {page}  gone since {since[:16].replace('T', ' ')} UTC")
    note_failures(output, result.failed)
    if result.failed and not (finished.fetched or finished.unchanged):
        output.note(f"{watch.name}: nothing could be fetched, so new pages are not known.")
    return 1 if result.failed else 0


def _sentence(finding: Finding) -> str:
    source = finding.source.title or finding.source.id
    matches = plural(len(finding.copies), "match", "matches")
    what = f"{finding.relation}: {percent(finding.share)} of {source} ({matches})"
    return f"  {finding.page}  {what}; {finding.way} ({finding.signs})"


def _schedule(arguments: argparse.Namespace, output: Output) -> int:
    import os
    import shutil
    import sys
    from pathlib import Path

    from workbench.services.session import Session
    from workbench.services.watching.schedule import System, install, schedule

    with Session(arguments.project, write=False) as session:
        _chosen(session, arguments.name)
    usual = System.TASK if os.name == "nt" else System.SYSTEMD if shutil.which("systemctl") else System.CRON
    program = (
        [str(Path(sys.argv[0]).absolute())]
        if sys.argv[0].endswith("palimpsest")
        else [sys.executable, "-m", "workbench"]
    )
    system = System(arguments.system) if arguments.system else usual
    planned = schedule(arguments.project, arguments.name, system, arguments.at or "05:00", program, Path.home())
    for path, text in planned.files:
        output.text(f"{path}:\n{text}")
    if planned.line:
        output.say(f"crontab: {planned.line}")
    for words in planned.commands:
        output.say(f"then: {shlex.join(words)}")
    files = [{"path": str(path), "text": text} for path, text in planned.files]
    output.record({"files": files, "crontab": planned.line, "commands": planned.commands, "written": arguments.write})
    if arguments.write:
        install(planned)
        output.say("Written.")
    else:
        output.say("Nothing was written; --write writes and enables them.")
    return 0


def _pages(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    from workbench.services.watching import store
    from workbench.services.watching.analysis import analyse
    from workbench.services.watching.findings import findings

    if arguments.name:
        store.find(session, arguments.name)
    page_findings = findings(session, analyse(session, watch=arguments.name).copies)
    rows = []
    for f in page_findings:
        output.record(
            {
                "page": f.page,
                "source": f.source.id,
                "relation": f.relation.value,
                "share": round(f.share, 4),
                **f.direction.record,
                "characters": f.characters,
                "matches": len(f.copies),
                **f.standing.record(),
                "verdict": ", ".join(f.verdicts),
            }
        )
        source = f.source.title or f.source.id
        rows.append(
            (
                f.page,
                source,
                f.relation.value,
                percent(f.share),
                str(f.way),
                f.standing.presence.value,
                f.standing.case.state.value + " (site)" * f.standing.case.of_site,
                ", ".join(f.verdicts),
            )
        )
    if not page_findings:
        output.say("No match has been reported.")
        return 0
    columns = [Column("page", limit=60), Column("original", limit=40), Column("relation"), Column("share", right=True)]
    columns += [Column("direction"), Column("state"), Column("case"), Column("verdict")]
    output.table(columns, rows)
    return 0


def _case(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.watching.cases import CaseState, case_history, case_record, set_case

    if len(arguments.page) != 1:
        raise ParameterError("watch case needs one --page URL.")
    page = arguments.page[0]
    if (arguments.note or arguments.site) and not arguments.state:
        raise ParameterError("--note and --site belong to a --state of the case.")
    if arguments.state:
        states = {state.value: state for state in CaseState}
        if arguments.state not in states:
            raise ParameterError(f"{arguments.state} is not a state of a case; the states are {', '.join(states)}.")
        set_case(session, page, states[arguments.state], arguments.note, whole_site=arguments.site)
    for event in case_history(session, page):
        output.record(dict(case_record(event)))
        output.say(f"{time_text(event.when)}  {event.target}  {event.value or 'withdrawn'}  {event.who}  {event.note}")
    return 0


def _report(arguments: argparse.Namespace, session: Session, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.watching import store
    from workbench.services.watching.report import write_report

    if arguments.out is None:
        raise ParameterError("watch report needs --out FILE.html or FILE.jsonl.")
    day = date.today().isoformat() if arguments.day == "today" else arguments.day
    if day:
        try:
            day = date.fromisoformat(day).isoformat()
        except ValueError:
            raise ParameterError(f"{day} is not a day; write it as YYYY-MM-DD, or today.") from None
    if arguments.name:
        store.find(session, arguments.name)
    count = write_report(session, arguments.out, watch=arguments.name, since=day, until=day)
    output.record({"file": str(arguments.out), "matches": count})
    output.say(f"Wrote {arguments.out}: {plural(count, 'match', 'matches')}.")
    if not count:
        output.note(
            "Nothing was reported on this day, and the report says so." if day else "Nothing has been reported."
        )
        return 1
    return 0
