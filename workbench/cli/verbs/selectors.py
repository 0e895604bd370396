"""Verb ``selectors``: the CSS selectors that locate the main text of a host's pages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.arguments import add_project
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import note_failures
from workbench.services.tasks import failure_records

if TYPE_CHECKING:
    from workbench.services.session import Session

_NEEDS = {"list": (), "import": ("FILE",), "export": ("FILE",), "set": ("HOST", "CSS"), "remove": ("HOST",)}

name = "selectors"
summary = "CSS selectors for the content of pages, by host"
description = (
    "CSS selectors for the content of pages, by host: the selected part is content, the rest is not. A selector "
    "applies to the host, its subdomains (www. or not) and pages read from then on; host * to all others. import "
    "FILE (.jsonl or .csv with host and selector, or a JSON object), export FILE (.jsonl, .csv, .json), set HOST "
    "CSS, remove HOST."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("action", choices=tuple(_NEEDS), nargs="?", default="list", help="what to do (default: list)")
    parser.add_argument("value", metavar="FILE|HOST", nargs="?", help="import, export: the file; set, remove: the host")
    parser.add_argument("css", metavar="CSS", nargs="?", help="set: the selector")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.pages.selectors import choose, export_selectors, forget, selectors
    from workbench.services.session import Session

    action = arguments.action
    values = [value for value in (arguments.value, arguments.css) if value is not None]
    needs = _NEEDS[action]
    if len(values) != len(needs):
        raise ParameterError(f"selectors {action} takes {' and '.join(needs) or 'nothing more'}.")
    with Session(arguments.project, write=action not in ("list", "export")) as session:
        if action == "import":
            return _import(session, Path(values[0]), output)
        if action == "export":
            count = export_selectors(session, Path(values[0]))
            output.record({"file": values[0], "selectors": count})
            output.say(f"Wrote {values[0]}: {plural(count, 'selector')}.")
        elif action == "set":
            host = choose(session, values[0], values[1])
            output.record({"host": host, "selector": values[1].strip()})
            output.say(f"The selector for {host} is {values[1].strip()}")
        elif action == "remove":
            host = forget(session, values[0])
            output.record({"removed": host})
            output.say(f"Removed the selector for {host}.")
        else:
            by_host = selectors(session)
            for host, css in by_host.items():
                output.record({"host": host, "selector": css})
            output.table([Column("host"), Column("selector")], list(by_host.items()))
            if not by_host:
                output.say("There are no selectors: palimpsest selectors PROJECT set HOST CSS")
    return 0


def _import(session: Session, file: Path, output: Output) -> int:
    from workbench.services.pages.selectors import import_selectors

    result = import_selectors(session, file)
    output.record(
        {
            "imported": result.imported,
            "unchanged": result.unchanged,
            "failed": failure_records(result.failed),
        }
    )
    imported = plural(result.imported, "selector")
    output.say(f"{imported} imported, {result.unchanged:,} unchanged, {len(result.failed):,} failed.")
    note_failures(output, result.failed)
    return 0 if result.imported or (result.unchanged and not result.failed) else 1
