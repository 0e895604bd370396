"""Verb ``explain``: why two documents matched, or why not."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import add_pair, chosen_settings, positive
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import contributions_record, span_record
from workbench.methods.core import registry

if TYPE_CHECKING:
    from workbench.base.types import Span
    from workbench.methods.core.api import Reason
    from workbench.services.detecting.comparing import TextAnswer

name = "explain"
summary = "why two documents matched, or why not"
description = (
    "Explain why two documents matched, or why not: the rules in the order they are applied. Without B, explain the "
    "score of A by a method that scores documents by the whole collection. With --text or --span "
    "the explanation is about that text of A by itself, as whole sentences, or with --of-source about a text of B. "
    "Figures are those of the run where the project still has the index for its settings, and otherwise those of "
    "the two texts alone."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair(parser, alone=True)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--method", choices=registry.names(), help="explain by this method")
    how.add_argument(
        "--run",
        type=positive,
        metavar="RUN",
        help="explain by the method and the settings of this run (default: the newest finished one)",
    )
    about = parser.add_mutually_exclusive_group()
    about.add_argument("--text", metavar="TEXT", help="explain this text of A, at its first occurrence")
    about.add_argument("--span", type=_span, metavar="START-END", help="explain these characters of A")
    parser.add_argument("--of-source", action="store_true", help="--text and --span refer to B")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.detecting.comparing import explain

    alone, method, apart = arguments.b is None, arguments.method, ""
    if arguments.of_source and arguments.text is None and arguments.span is None and not alone:
        raise ParameterError("--of-source refers to --text or --span.")
    arguments.b = arguments.a if alone else arguments.b
    if method is not None:
        settings = chosen_settings(arguments, method)
    elif arguments.settings or arguments.preset:
        raise ParameterError("--set and --preset need --method.")
    else:
        method, settings, apart = _of_run(arguments)
    if alone:
        _needs_score(arguments, method)
    chosen = arguments.text if arguments.span is None else arguments.span
    reply = run_job(
        output, explain, arguments.project, arguments.a, arguments.b, method, settings, chosen, arguments.of_source
    )
    of_text = reply.of_text
    explanation = reply.explanation if of_text is None else of_text.explanation
    output.record(
        {
            "a": arguments.a,
            "b": None if alone else arguments.b,
            "method": method,
            "of_collection": reply.of_collection,
            "asked": None if of_text is None else _text_record(of_text),
            "matched": explanation.matched,
            "summary": explanation.summary,
            "contributions": contributions_record(explanation.contributions),
            "deciding": [_reason(r) for r in explanation.deciding],
            "reasons": [_reason(r) for r in explanation.reasons],
        }
    )
    if of_text is not None:
        at, other = (arguments.b, arguments.a) if of_text.of_source else (arguments.a, arguments.b)
        sentences = f"{_characters(of_text.span)} of {arguments.a if of_text.in_suspect else arguments.b}"
        output.say(f"Asked about {_characters(of_text.chosen)} of {at}, in the sentences {sentences}.")
        first = f", first at {_characters(of_text.places[0])}" if of_text.places else ""
        output.say(f"The same text is in {other} at {plural(len(of_text.places), 'place')}{first}.")
    output.say(explanation.summary)
    if apart and reply.compared:
        output.note(apart)
    for r in explanation.deciding:
        output.say(f"Decided by: {r.rule}: {r.detail}")
    if of_text is not None and not of_text.in_suspect:
        output.note(f"Only {arguments.b} contains these sentences: the figures are based on the two texts alone.")
    elif not reply.compared:
        sides = f"{arguments.a}, as the suspect, is not compared with {arguments.b}"
        output.note(apart or f"With these settings {sides}: the figures are based on the two texts alone.")
    elif not reply.of_collection or (alone and not explanation.reasons):
        output.note(
            "There is no index for these settings: detect again to explain the score."
            if alone
            else "There is no index for these settings: the figures are based on the two texts alone."
        )
    if explanation.reasons:
        output.table(
            [Column("rule"), Column(""), Column("")],
            [(r.rule, "yes" if r.passed else "no", r.detail) for r in explanation.reasons],
        )
    return 0


def _needs_score(arguments: argparse.Namespace, method: str) -> None:
    from workbench.base.errors import ParameterError

    if registry.get(method).emits != {"scores"}:
        raise ParameterError(f"{method} compares documents: name B, the source document, too.")
    if arguments.of_source or arguments.text is not None or arguments.span is not None:
        raise ParameterError("--text, --span and --of-source need B.")


def _span(text: str) -> Span:
    start, _, end = text.partition("-")
    from workbench.base.types import Span

    if not (start.isdecimal() and end.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form START-END, such as 120-250")
    return Span(int(start), int(end))


def _of_run(arguments: argparse.Namespace) -> tuple[str, dict[str, Any], str]:
    """Method and settings of the run, and a note if it did not compare the two documents."""
    from workbench.services.choosing import find_run
    from workbench.services.detecting.comparing import has_compared
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        run = find_run(session, arguments.run)
        compared = has_compared(session, run, arguments.a, arguments.b)
    apart = f"Run {run.id} did not compare these two documents: this is what its settings make of their texts."
    if arguments.a == arguments.b:
        apart = f"Run {run.id} did not score this document: this is what its settings make of its text."
    return run.method, dict(run.parameters), "" if compared else apart


def _characters(span: Span) -> str:
    return f"{span.start}-{span.end}"


def _text_record(of_text: TextAnswer) -> dict[str, Any]:
    return {
        "text": span_record(of_text.chosen),
        "sentences": span_record(of_text.span),
        "places": [span_record(place) for place in of_text.places],
        "of_source": of_text.of_source,
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "rule": reason.rule,
        "passed": reason.passed,
        "detail": reason.detail,
        "a": span_record(reason.a_span),
        "b": span_record(reason.b_span),
    }
