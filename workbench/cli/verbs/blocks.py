"""Verb ``blocks``: which blocks of a page count, and people's decisions on them."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project, add_site_repetition, add_workers, check_used, not_negative
from workbench.cli.output import Column, Output, command, line, plural, shorten

_CLASSES = ("content", "non-content", "rule")
_TEXT = 60

name = "blocks"
summary = "which blocks of a page are content, and why; override them"
description = (
    "list ID: the blocks of a page with their class and rule. decide ID START CLASS: override the class of the "
    "block that begins at START (rule: let the rule decide again). judge: judge all pages again, from the markup "
    "kept at import, with the current selectors; manual decisions are kept."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("action", choices=("list", "decide", "judge"), help="what to do")
    parser.add_argument("document", metavar="ID", nargs="?", help="list, decide: the page")
    parser.add_argument("start", metavar="START", nargs="?", type=not_negative, help="decide: where the block begins")
    parser.add_argument(
        "decision",
        metavar="CLASS",
        nargs="?",
        choices=_CLASSES,
        help="decide: content or non-content; rule: let the rule decide again",
    )
    parser.add_argument("--rule", metavar="NAME", default="", help="judge: the rule (default: default)")
    add_site_repetition(parser)
    add_workers(parser)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError

    check_used(arguments, dict.fromkeys(("--rule", "--no-site-repetition"), ("judge",)))
    if arguments.action != "decide" and arguments.start is not None:
        raise ParameterError(f"blocks {arguments.action} takes no START; blocks decide does.")
    if arguments.action == "judge":
        if arguments.document is not None:
            raise ParameterError("blocks judge judges all pages; it takes no ID.")
        return _judge(arguments, output)
    if arguments.document is None:
        raise ParameterError(f"blocks {arguments.action} needs the ID of a document.")
    if arguments.action == "list":
        return _list(arguments, output)
    if arguments.start is None or arguments.decision is None:
        raise ParameterError("blocks decide needs ID START CLASS.")
    return _decide(arguments, output)


def _list(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.pages.decisions import open_page
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        document = open_page(session, arguments.document)
    rows = []
    for block in document.blocks:
        start, end = block.span
        text = document.text[start:end]
        record = {"start": start, "end": end, "verdict": block.verdict.value, "rule": block.rule, "path": block.path}
        output.record({**record, "text": text})
        rows.append((str(start), block.verdict.value, line(block.rule), shorten(line(text), _TEXT)))
    output.table([Column("start", right=True), Column("class"), Column("rule"), Column("text")], rows)
    if not rows:
        output.say("This document has no blocks; all of its text counts.")
    return 0


def _decide(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import UserError
    from workbench.base.types import BlockClass
    from workbench.services.pages.decisions import decide, open_page
    from workbench.services.session import Session

    decision = None if arguments.decision == "rule" else BlockClass(arguments.decision)
    with Session(arguments.project) as session:
        document = open_page(session, arguments.document)
        spans = [block.span for block in document.blocks if block.span.start == arguments.start]
        if not spans:
            hint = command("blocks", arguments.project, "list", arguments.document)
            raise UserError(f"No block of {arguments.document} begins at {arguments.start}.", hint=hint)
        decide(session, document.key, spans, decision)
    output.record({"id": document.id, "start": spans[0].start, "end": spans[0].end, "verdict": arguments.decision})
    output.say(f"Characters {spans[0].start:,} to {spans[0].end:,} of {document.id}: {arguments.decision}.")
    return 0


def _judge(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.cli.monitor import run_job
    from workbench.services.pages.judging import judge_pages

    result = run_job(
        output,
        judge_pages,
        arguments.project,
        arguments.rule or "default",
        site_repetition=arguments.site_repetition,
        workers=arguments.workers,
    )
    output.record({"pages": result.pages, "changed": result.changed, "left": result.skipped})
    output.say(f"{plural(result.pages, 'page')} judged, {result.changed:,} changed.")
    if result.skipped:
        output.say(f"{plural(result.skipped, 'page')} left as before: the markup now has a different text.")
    return 0
