"""Verb ``evaluate``: a run against labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from workbench.base.messages import rate, threshold_text
from workbench.cli.arguments import add_project, add_tag_filter, add_workers, run_of, settings_text
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import print_left_out

if TYPE_CHECKING:
    from workbench.services.measuring.evaluating import Evaluation, Paired, Suggestion
    from workbench.services.measuring.sweeping import SweepPoint

_SHOWN = 10

name = "evaluate"
summary = "how well a run agrees with labels"
description = (
    "Precision, recall and F of a run at every distinct score, against labels of documents, pairs or passages."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("run", metavar="RUN", nargs="?", help="same as --run")
    parser.add_argument(
        "--run",
        dest="run_option",
        metavar="RUN",
        help="number of the run, or a baseline (default: the newest finished run)",
    )
    parser.add_argument("--labels", metavar="NAME", default="", help="label set (default: the standard one)")
    parser.add_argument(
        "--positive",
        nargs="+",
        metavar="VALUE",
        default=[],
        help="values that count as positive (default: splog, spam, copy, ...)",
    )
    parser.add_argument(
        "--complete", action="store_true", help="items without a label are negative (the labels list every positive)"
    )
    parser.add_argument(
        "--score", metavar="VALUE", default="", help="rank by this value of the evidence, not the score"
    )
    add_tag_filter(parser, "measure only on documents (pairs and passages of them)")
    parser.add_argument("--threshold", type=float, metavar="X", help="measure at X (default: at the best F)")
    parser.add_argument(
        "--against",
        metavar="RUN2",
        help="compare with another run on the same labels, or with a baseline: length, words, anchors, urls, "
        "host-words, random-host, link-farm or self-similarity",
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
            raise ParameterError(f"--sweep names {name} twice.")
        axes[name] = [value.strip() for value in values.split(",") if value.strip()]
    return axes


def run_name(text: str | None) -> int | str | None:
    """A run's number, or the name of a baseline. Raises ParameterError for anything else."""
    from workbench.base.errors import ParameterError
    from workbench.services.measuring.baselines import BASELINES

    if text is None or text in BASELINES:
        return text
    if not text.isdecimal():
        raise ParameterError(f"RUN is a number or one of {', '.join(BASELINES)}, not {text!r}.")
    return int(text)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.choosing import find_run
    from workbench.services.measuring.evaluating import compare_runs, evaluate
    from workbench.services.measuring.label_selection import Question, optimism
    from workbench.services.session import Session

    axes = parse_axes(arguments.sweep)
    which, against = run_name(run_of(arguments)), run_name(arguments.against)
    positive = tuple(value for option in arguments.positive for value in option.split(",") if value)
    question = Question(arguments.labels, positive, arguments.complete, arguments.score, arguments.tag)
    with Session(arguments.project, write=False) as session:
        stored = None if isinstance(which, str) else find_run(session, which)
        run: int | str = str(which) if stored is None else stored.id
        evaluation = evaluate(session, run, question, threshold=arguments.threshold)
        paired = None if against is None else compare_runs(session, run, against, question)
        measured = [stored, find_run(session, against) if isinstance(against, int) else None]
        warnings = [*filter(None, (optimism(session, one, question) for one in measured))]
    points = _sweep(arguments, output, run, axes, question) if axes else []
    record = evaluation_record(evaluation)
    if paired is not None:
        record["against"] = paired_record(paired)
    if axes:
        record["sweep"] = [sweep_record(point) for point in points]
    output.record(record)
    _say(output, evaluation)
    for warning in warnings:
        output.note(warning)
    if paired is not None:
        _print_paired(output, paired)
    if points:
        _print_sweep(output, points)
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


def evaluation_record(evaluation: Evaluation) -> dict[str, Any]:
    """The JSON shape of ``evaluate``; ``interval`` belongs to average precision (to plagdet for passages)."""
    intervals = {name: None if value is None else list(value) for name, value in evaluation.intervals.items()}
    record: dict[str, Any] = {
        "run": evaluation.run,
        "method": evaluation.method,
        "labels": evaluation.chosen.label_set,
        "of": evaluation.chosen.kind.value,
        "positive": sorted(evaluation.chosen.meaning.positive),
        "labelled": evaluation.labelled,
        "positives": evaluation.positives,
        "left_out": dict(evaluation.left_out),
        "of_other_texts": evaluation.of_other_texts,
        "precision": evaluation.precision,
        "recall": evaluation.recall,
        "f1": evaluation.f1,
        "threshold": evaluation.threshold,
        "everything": evaluation.everything,
        "average_precision": evaluation.average_precision,
        "interval": intervals.get("average_precision", intervals.get("plagdet")),
        "intervals": intervals,
        "curve": [list(point) for point in evaluation.curve],
        "suggestions": [
            {
                "rule": s.rule,
                "threshold": s.threshold,
                "precision": s.precision,
                "recall": s.recall,
                "precision_interval": list(s.precision_interval),
                "recall_interval": list(s.recall_interval),
                "corrected": {"precision": s.corrected[0], "recall": s.corrected[1]},
                "everything": s.everything,
            }
            for s in evaluation.suggestions
        ],
        "confusion": dict(evaluation.confusion),
        "false_positives": [_name(name) for name in evaluation.false_positives],
        "false_negatives": [_name(name) for name in evaluation.false_negatives],
    }
    if evaluation.passages is not None:
        measures = evaluation.passages.measures
        record |= {
            "granularity": measures.granularity,
            "plagdet": measures.plagdet,
            "passages": evaluation.passages.detected,
        }
    return record


def _name(name: Sequence[str]) -> str | list[str]:
    return name[0] if len(name) == 1 else list(name)


def paired_record(comparison: Paired) -> dict[str, Any]:
    """The JSON shape of ``against``: the other run, the difference of average precisions, McNemar's p."""
    second = comparison.second
    return {
        "run": second.run,
        "method": second.method,
        "items": comparison.items,
        "average_precision": second.average_precision,
        "f1": second.f1,
        "difference": comparison.difference,
        "interval": None if comparison.interval is None else list(comparison.interval),
        "p": comparison.p,
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
        "everything": point.evaluation is not None and point.evaluation.everything,
        "problem": point.problem,
    }


def _say(output: Output, evaluation: Evaluation) -> None:
    from workbench.services.measuring.passages import BY_CHARACTER

    chosen = evaluation.chosen
    noun, nouns = ("match", "matches") if chosen.of_matches else (chosen.kind.value, str(chosen.kind.plural))
    output.say(
        f"{evaluation.method}, {evaluation.run if evaluation.run == evaluation.method else f'run {evaluation.run}'}: "
        f"{plural(evaluation.labelled, f'labelled {noun}', f'labelled {nouns}')}, {evaluation.positives:,} of them "
        f"{' or '.join(sorted(chosen.meaning.positive))} (label set {chosen.label_set})."
    )
    unlabelled = sum(evaluation.confusion.values()) - evaluation.labelled
    if unlabelled > 0:
        output.say(f"  Without a label, and therefore negative: {unlabelled:,}.")
    if evaluation.of_other_texts:
        whose = plural(evaluation.of_other_texts, noun, nouns)
        output.say(f"  The labels of {whose} were given for another text than the present one.")
    print_left_out(output, evaluation.left_out)
    if len(evaluation.curve) == 1 and evaluation.labelled + max(0, unlabelled) > 1:
        output.say(f"  All scores are equal ({evaluation.threshold:g}): they do not rank anything.")
    rows = [
        (name.replace("_", " "), value, evaluation.intervals.get(name))
        for name in ("precision", "recall", "f1", "average_precision")
        if (value := getattr(evaluation, name)) is not None
    ]
    if evaluation.passages is not None:
        rows.append(("granularity", evaluation.passages.measures.granularity, None))
        rows.append(("plagdet", evaluation.passages.measures.plagdet, evaluation.intervals["plagdet"]))
    columns = [
        Column(f"at score >= {_bar(evaluation, evaluation.threshold)}"),
        Column("value", right=True),
        Column("95 %"),
    ]
    output.table(columns, [(n, rate(v), f"{rate(i[0])} to {rate(i[1])}" if i else "") for n, v, i in rows])
    if evaluation.passages is not None:
        output.say(f"  {BY_CHARACTER}")
    if evaluation.everything:
        output.say(
            f"  This threshold selects every labelled {noun}: its precision is the share of the positive "
            "ones, whatever the scores."
        )
    if evaluation.suggestions:
        titles = ("suggested threshold", "score", "precision", "recall", "corrected precision", "corrected recall")
        output.table(
            [Column(title, right=i > 0) for i, title in enumerate(titles)],
            [
                (_rule(s), _bar(evaluation, s.threshold), *map(rate, (s.precision, s.recall, *s.corrected)))
                for s in evaluation.suggestions
            ],
        )
        output.say("  corrected: expected on other labels than those the threshold was chosen on")
    for title, names in (
        ("found, but not labelled so", evaluation.false_positives),
        ("missed", evaluation.false_negatives),
    ):
        if names:
            shown = ", ".join(" / ".join(name) for name in names[:_SHOWN])
            rest = f" and {len(names) - _SHOWN:,} more (--json lists them all)" if len(names) > _SHOWN else ""
            output.say(f"{title}: {shown}{rest}")


def _bar(evaluation: Evaluation, threshold: float) -> str:
    """``threshold`` as text that selects the same items."""
    return threshold_text(threshold, max((t for t, *_ in evaluation.curve if t < threshold), default=-inf))


def _rule(suggestion: Suggestion) -> str:
    return f"{suggestion.rule} (selects everything)" if suggestion.everything else suggestion.rule


def _print_paired(output: Output, paired: Paired) -> None:
    low_high = "" if paired.interval is None else f" (95 %: {paired.interval[0]:.3f} to {paired.interval[1]:.3f})"
    if paired.interval is not None and paired.interval[0] == paired.interval[1]:
        low_high = " (the same in every sample of these items: no interval)"
    first, second = paired.first, paired.second
    other = second.method if second.run == second.method else f"run {second.run}"
    areas = (rate(one.average_precision or 0.0) for one in (first, second))
    p = f"= {paired.p:.3g}" if paired.p >= 0.001 else "< 0.001"
    output.say(
        f"Against {other} on {plural(paired.items, 'item')}: average precision {' and '.join(areas)}, "
        f"difference {paired.difference:+.3f}{low_high}; "
        f"F {rate(first.f1)} and {rate(second.f1)}; McNemar p {p}."
    )


def _print_sweep(output: Output, points: Sequence[SweepPoint]) -> None:
    titles = ("run", "threshold", "precision", "recall", "F", "average precision", "seconds")
    rows = []
    for p in points:
        e = p.evaluation
        if e is None:
            rows.append((settings_text(p.varied), str(p.run.id), p.problem, "", "", "", "", ""))
            continue
        ap = "" if e.average_precision is None else rate(e.average_precision)
        figures = (
            f"{_bar(e, e.threshold)}{' (everything)' if e.everything else ''}",
            rate(e.precision),
            rate(e.recall),
            rate(e.f1),
            ap,
        )
        rows.append((settings_text(p.varied), str(p.run.id), *figures, f"{p.run.seconds:.1f}"))
    output.table([Column("sweep"), *(Column(title, right=True) for title in titles)], rows)
