"""Verb ``evaluate``: a run against labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import add_project, add_tag_filter, add_workers, choose_run, settings_text
from workbench.cli.output import Column, Output, plural

if TYPE_CHECKING:
    from workbench.services.measuring.evaluating import Evaluation, Paired
    from workbench.services.measuring.sweeping import SweepPoint

_SHOWN = 10

name = "evaluate"
summary = "how well a run agrees with labels"
description = (
    "Precision, recall and F of a run at every distinct score, against labels of documents, pairs or passages."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_project(parser)
    parser.add_argument("run", metavar="RUN", nargs="?", help="number of the run, or length (a document's characters)")
    parser.add_argument("--labels", metavar="NAME", default="", help="label set (default: the usual one)")
    parser.add_argument(
        "--positive", nargs="+", metavar="VALUE", default=[], help="values looked for (default: splog, spam, copy, ...)"
    )
    parser.add_argument(
        "--complete", action="store_true", help="what has no label is negative (the labels list every positive)"
    )
    parser.add_argument(
        "--score", metavar="FIGURE", default="", help="rank by this figure of the evidence, not the score"
    )
    add_tag_filter(parser, "measure only on documents (pairs and passages of them)")
    parser.add_argument("--threshold", type=float, metavar="X", help="measure at X (default: at the best F)")
    parser.add_argument(
        "--against", metavar="RUN2", help="compare with another run, or with length, on the same labels"
    )
    parser.add_argument(
        "--sweep", action="append", default=[], metavar="NAME=V1,V2,...", help="vary a parameter; may be repeated"
    )
    add_workers(parser)


def parse_axes(sweeps: Sequence[str]) -> dict[str, list[str]]:
    """``["a=1,2"]`` as names and values. Raises ParameterError for an entry without ``=`` or a name given twice."""
    from workbench.base.errors import ParameterError

    axes: dict[str, list[str]] = {}
    for entry in sweeps:
        name, equals, values = entry.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(f"--sweep needs NAME=V1,V2,..., not {entry!r}.")
        if name in axes:
            raise ParameterError(f"--sweep gives {name} twice.")
        axes[name] = [value.strip() for value in values.split(",") if value.strip()]
    return axes


def run_name(text: str | None) -> int | str | None:
    """A run's number, or ``length``. Raises ParameterError for anything else."""
    from workbench.base.errors import ParameterError

    if text is None or text == "length":
        return text
    if not text.isdecimal():
        raise ParameterError(f"RUN is a number or length, not {text!r}.")
    return int(text)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Carry out the verb; returns its exit code."""
    from workbench.services.measuring.evaluating import compare_runs, evaluate
    from workbench.services.measuring.truth import Question
    from workbench.services.session import Session

    axes = parse_axes(arguments.sweep)
    which, against = run_name(arguments.run), run_name(arguments.against)
    positive = tuple(value for option in arguments.positive for value in option.split(",") if value)
    question = Question(arguments.labels, positive, arguments.complete, arguments.score, arguments.tag)
    with Session(arguments.project, write=False) as session:
        run: int | str = which if isinstance(which, str) else choose_run(session, which).id
        found = evaluate(session, run, question, threshold=arguments.threshold)
        paired = None if against is None else compare_runs(session, run, against, question)
    points = _sweep(arguments, output, run, axes, question) if axes else []
    record = evaluation_record(found)
    if paired is not None:
        record["against"] = paired_record(paired)
    if axes:
        record["sweep"] = [sweep_record(point) for point in points]
    output.record(record)
    _say(output, found)
    if paired is not None:
        _say_paired(output, paired)
    if points:
        _say_sweep(output, points)
    return 0


def _sweep(
    arguments: argparse.Namespace, output: Output, run: int | str, axes: dict[str, list[str]], question: Any
) -> list[SweepPoint]:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.measuring.sweeping import sweep

    if isinstance(run, str):
        raise ParameterError(f"{run} has no parameters to sweep.")
    return run_job(output, sweep, arguments.project, run, axes, question, workers=arguments.workers)


def evaluation_record(found: Evaluation) -> dict[str, Any]:
    """The JSON shape of ``evaluate``; ``interval`` is that of average precision (of plagdet for passages)."""
    intervals = {name: None if value is None else list(value) for name, value in found.intervals.items()}
    record: dict[str, Any] = {
        "run": found.run,
        "method": found.method,
        "labels": found.chosen.label_set,
        "of": found.chosen.kind.value,
        "positive": sorted(found.chosen.meaning.positive),
        "labelled": found.labelled,
        "positives": found.positives,
        "left_out": dict(found.left_out),
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
        "threshold": found.threshold,
        "average_precision": found.average_precision,
        "interval": intervals.get("average_precision", intervals.get("plagdet")),
        "intervals": intervals,
        "curve": [list(point) for point in found.curve],
        "suggestions": [
            {
                "rule": s.rule,
                "threshold": s.threshold,
                "precision": s.precision,
                "recall": s.recall,
                "precision_interval": list(s.precision_interval),
                "recall_interval": list(s.recall_interval),
            }
            for s in found.suggestions
        ],
        "confusion": dict(found.confusion),
        "false_positives": [_name(name) for name in found.false_positives],
        "false_negatives": [_name(name) for name in found.false_negatives],
    }
    if found.passages is not None:
        measures = found.passages.measures
        record |= {"granularity": measures.granularity, "plagdet": measures.plagdet, "passages": found.passages.found}
    return record


def _name(name: Sequence[str]) -> str | list[str]:
    return name[0] if len(name) == 1 else list(name)


def paired_record(found: Paired) -> dict[str, Any]:
    """The JSON shape of ``against``: the other run, the difference of average precisions, McNemar's p."""
    second = found.second
    return {
        "run": second.run,
        "method": second.method,
        "items": found.items,
        "average_precision": second.average_precision,
        "f1": second.f1,
        "difference": found.difference,
        "interval": None if found.interval is None else list(found.interval),
        "p": found.p,
    }


def sweep_record(point: SweepPoint) -> dict[str, Any]:
    """The JSON shape of one setting of a sweep."""
    figures = ("threshold", "precision", "recall", "f1", "average_precision")
    measured = {name: None if point.evaluation is None else getattr(point.evaluation, name) for name in figures}
    return {
        "parameters": dict(point.varied),
        "run": point.run.id,
        "seconds": round(point.run.seconds, 3),
        **measured,
        "problem": point.problem,
    }


def _say(output: Output, found: Evaluation) -> None:
    chosen = found.chosen
    output.say(
        f"{found.method}, {found.run if found.run == found.method else f'run {found.run}'}: "
        f"{plural(found.labelled, 'labelled ' + chosen.kind.value)}, {found.positives:,} of them "
        f"{' or '.join(sorted(chosen.meaning.positive))} (label set {chosen.label_set})."
    )
    for reason, count in found.left_out.items():
        output.say(f"  left out: {count:,} {reason}")
    if len(found.curve) == 1 and found.labelled > 1:
        output.say(f"  All scores are equal ({found.threshold:g}): they put nothing in order.")
    rows = [
        (name.replace("_", " "), value, found.intervals.get(name))
        for name in ("precision", "recall", "f1", "average_precision")
        if (value := getattr(found, name)) is not None
    ]
    if found.passages is not None:
        rows.append(("granularity", found.passages.measures.granularity, None))
        rows.append(("plagdet", found.passages.measures.plagdet, found.intervals["plagdet"]))
    columns = [Column(f"at score >= {found.threshold:g}"), Column("value", right=True), Column("95 %")]
    output.table(columns, [(n, f"{v:.3f}", f"{i[0]:.3f} to {i[1]:.3f}" if i else "") for n, v, i in rows])
    if found.suggestions:
        titles = ("suggested threshold", "score", "precision", "recall")
        output.table(
            [Column(title, right=i > 0) for i, title in enumerate(titles)],
            [(s.rule, f"{s.threshold:g}", f"{s.precision:.3f}", f"{s.recall:.3f}") for s in found.suggestions],
        )
    for title, names in (("not labelled so, but found", found.false_positives), ("missed", found.false_negatives)):
        if names:
            shown = ", ".join(" / ".join(name) for name in names[:_SHOWN])
            rest = f" and {len(names) - _SHOWN:,} more (--json lists them all)" if len(names) > _SHOWN else ""
            output.say(f"{title}: {shown}{rest}")


def _say_paired(output: Output, found: Paired) -> None:
    low_high = "" if found.interval is None else f" (95 %: {found.interval[0]:.3f} to {found.interval[1]:.3f})"
    other = found.second.method if found.second.run == found.second.method else f"run {found.second.run}"
    output.say(
        f"Against {other} on {plural(found.items, 'item')}: average precision {found.first.average_precision:.3f} and "
        f"{found.second.average_precision:.3f}, difference {found.difference:+.3f}{low_high}; "
        f"F {found.first.f1:.3f} and {found.second.f1:.3f}; McNemar p = {found.p:.3g}."
    )


def _say_sweep(output: Output, points: Sequence[SweepPoint]) -> None:
    titles = ("run", "threshold", "precision", "recall", "F", "average precision", "seconds")
    rows = []
    for p in points:
        e = p.evaluation
        if e is None:
            rows.append((settings_text(p.varied), str(p.run.id), p.problem, "", "", "", "", ""))
            continue
        ap = "" if e.average_precision is None else f"{e.average_precision:.3f}"
        figures = (f"{e.threshold:g}", f"{e.precision:.3f}", f"{e.recall:.3f}", f"{e.f1:.3f}", ap)
        rows.append((settings_text(p.varied), str(p.run.id), *figures, f"{p.run.seconds:.1f}"))
    output.table([Column("sweep"), *(Column(title, right=True) for title in titles)], rows)
