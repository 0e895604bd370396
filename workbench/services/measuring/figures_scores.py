"""Figures of document scores: by Takeda and Takasu on copied strings, and any run's scores by label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message, rate, threshold_text
from workbench.base.tags import WITHOUT
from workbench.base.types import Role, Run
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.evaluation.thresholds import Counts
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.documents import count_documents
from workbench.project.listing import document_table
from workbench.services.choosing import find_run
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import TargetKind, document_target
from workbench.services.measuring.baselines import LENGTH
from workbench.services.measuring.evaluating import Evaluation, evaluate
from workbench.services.measuring.figure_request import FigureRequest, base_run, finished_runs, numbers, varied
from workbench.services.measuring.label_selection import Question, choose, optimism, score
from workbench.services.measuring.passages import BY_CHARACTER
from workbench.services.measuring.sweeping import SweepPoint, runs_over
from workbench.services.session import Session

COPIED, TEMPLATE = "copied-strings", "template"
LENGTHS = (1, 3, 5, 7, 10, 12, 15, 20, 25)
"""Shortest copied strings of the paper's figure 2 and table 5."""
THRESHOLDS = (900, 300, 100, 50, 30, 21.2, 15, 10, 1)
"""Thresholds of the paper's table 4."""
TEMPLATES = (100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 220, 240, 260, 280, 300, 320, 350, 400)
"""Numbers of templates of the paper's table 6."""
RATES = (Message("precision"), Message("recall"), "F")
"""Titles of the columns of rates."""
_BINS = 40
_TALL = 30
"""Maximum ratio of the tallest bar to the usual one; beyond it, the others would be unreadable."""
_LONG_TAIL = 20
"""Ratio of the highest to the usual score above which equal bins would put nearly all scores in the first."""
_BELOW_ONE = 0.7
"""The start of a logarithmic axis of counts: below one, so that a bar of one is visible."""


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Documents in which strings are counted: the line's title, and the settings that choose them."""

    title: Message | str
    settings: Mapping[str, str]


def _corpora(path: Path) -> list[_Corpus]:
    """The corpora that differ in this project; with tags on background documents, also one for each tag."""
    with Session(path, write=False) as session, session.read() as connection:
        if not count_documents(connection, [Role.BACKGROUND]):
            return [_Corpus(Message("labelled entries"), {"corpus": "suspects"})]
        table = document_table(connection)
    tags = [own for own, role in zip(table.tags, table.role, strict=True) if role == Role.BACKGROUND]
    names = sorted({tag for own in tags for tag in own})
    corpora = [_Corpus(Message("labelled entries"), {"corpus": "suspects"})]
    if names and not all(tags):
        without = ",".join(f"{WITHOUT}{tag}" for tag in names)
        corpora.append(_Corpus(Message("background without a tag"), {"corpus": "background", "source_tags": without}))
    corpora += [
        _Corpus(Message("background tagged {tag}", tag=tag), {"corpus": "background", "source_tags": tag})
        for tag in names
    ]
    if not names or not all(tags) or len(names) > 1:
        title = Message("the whole background") if names else Message("background")
        corpora.append(_Corpus(title, {"corpus": "background"}))
    if not names:
        corpora.append(_Corpus(Message("both"), {"corpus": "suspects+background"}))
    return corpora


def by_copied_length(request: FigureRequest) -> tuple[FigureRequest, Message]:
    """``request`` with documents ranked by bl*, as in the paper, unless it names another figure; and a note on it."""
    score = request.question.score or "copied_length"
    note = Message("Entries are ranked by: {figure}.", figure=_figure_name(score))
    return replace(request, question=replace(request.question, score=score)), note


def _figure_name(score: str) -> Message | str:
    figure = registry.get(COPIED).facts.figures.get(score)
    return score if figure is None else figure.name


def _by_length(ctx: Context, path: Path, request: FigureRequest) -> list[tuple[Message | str, list[SweepPoint], Run]]:
    """Sweeps over the shortest copied string, by corpus, and the varied run."""
    run = base_run(ctx, path, COPIED, request, TargetKind.DOCUMENT)
    lengths = [int(value) for value in numbers(request, LENGTHS)]
    sweeps = []
    for corpus in _corpora(path):
        axes = {"source_tags": [""]} | {name: [value] for name, value in corpus.settings.items()}
        sweeps.append((corpus.title, varied(ctx, path, run, request, {**axes, "min_length": lengths}), run))
    return sweeps


def f_by_length(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Best F against the shortest copied string l, one line per corpus (figure 2)."""
    lines = []
    notes: list[Message] = []
    every: list[Evaluation] = []
    request, ranking = by_copied_length(request)
    for corpus, points, run in _by_length(ctx, path, request):
        measured = [(float(p.varied["min_length"]), p.evaluation) for p in points if p.evaluation is not None]
        x, evaluations = zip(*measured, strict=True)
        bands = [e.intervals["f1"] or (e.f1, e.f1) for e in evaluations]
        notes = [judged_by(run, evaluations[0])]
        every += evaluations
        lines.append(Series(corpus, x, tuple(e.f1 for e in evaluations), band=tuple(bands)))
    return Figure(
        Message("Filtering performance and the shortest copied string"),
        Axis(Message("shortest copied string l (characters)")),
        Axis("F", low=0, high=1.02),
        tuple(lines),
        (
            *notes,
            ranking,
            Message("F at its best threshold, found among all distinct scores; 95 % intervals."),
            *selecting_everything(every),
        ),
    )


def best_by_length(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Threshold, precision, recall and F at the best F, by corpus and l (table 5)."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[Message] = []
    every: list[Evaluation] = []
    request, ranking = by_copied_length(request)
    for corpus, points, run in _by_length(ctx, path, request):
        for p in points:
            length, e = int(p.varied["min_length"]), p.evaluation
            if e is None:
                rows.append((corpus, length, None, None, None, None))
            else:
                rows.append((corpus, length, e.threshold, e.precision, e.recall, e.f1))
                notes = [judged_by(run, e)]
                every.append(e)
    columns = (Message("corpus"), "l", Message("threshold"), *RATES)
    notes += [ranking, *selecting_everything(every)]
    return Table(Message("Best F by shortest copied string"), columns, tuple(rows), tuple(notes))


def by_threshold(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Precision, recall and F at given thresholds, and at the best one (table 4)."""
    own = request.question
    request, ranking = by_copied_length(request)
    run = base_run(ctx, path, COPIED, request, TargetKind.DOCUMENT)
    with Session(path, write=False) as session:
        best = evaluate(session, run.id, request.question)
        by_score = evaluate(session, run.id, own)
        thresholds = sorted({*numbers(request, THRESHOLDS), best.threshold}, reverse=True)
        rows = tuple(_at(best.curve, threshold) for threshold in thresholds)
    note = Message(
        "Best F {f} at {threshold}, found among all {count} distinct scores.",
        f=rate(best.f1),
        threshold=threshold_text(best.threshold),
        count=f"{len(best.curve):,}",
    )
    notes = [ranking, note]
    if by_score.curve != best.curve:
        notes.append(
            Message(
                "The run's own score, by which it is evaluated otherwise, has its best F {f} at {threshold}.",
                f=rate(by_score.f1),
                threshold=threshold_text(by_score.threshold),
            )
        )
    figure = _figure_name(request.question.score)
    title = Message(
        "Precision and recall by threshold of {figure} ({method}, run {run})",
        figure=figure,
        method=run.method,
        run=run.id,
    )
    return Table(title, (Message("threshold"), *RATES), rows, tuple(notes))


def _at(curve: Sequence[tuple[float, float, float]], threshold: float) -> tuple[Cell, ...]:
    """Threshold, precision (None if nothing reaches it), recall and F on a curve."""
    reached = [point for point in curve if point[0] >= threshold]
    if not reached:
        return float(threshold), None, 0.0, 0.0
    _, precision, recall = reached[-1]
    both = precision + recall
    return float(threshold), precision, recall, 2 * precision * recall / both if both else 0.0


def by_templates(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Precision, recall and F by number of templates, if one template makes a splog (table 6)."""
    counts = [int(value) for value in numbers(request, TEMPLATES)]
    run, first, positive, judged = _first_templates(ctx, path, request, max(counts))
    rows: list[tuple[Cell, ...]] = []
    for count in counts:
        chosen = first <= count
        right, wanted = int((chosen & positive).sum()), int(positive.sum())
        precision = right / int(chosen.sum()) if chosen.any() else None
        rows.append((count, precision, right / wanted, 2 * right / (int(chosen.sum()) + wanted)))
    there = int(first[np.isfinite(first)].max(initial=0))
    notes = (
        judged,
        Message(
            "Templates of {length} characters or more, as in the run; the highest number of an entry's first "
            "template is {count}.",
            length=run.parameters["min_length"],
            count=f"{there:,}",
        ),
        *(
            [Message("For that reason, rows from {count} templates on are equal.", count=f"{there:,}")]
            * (there < max(counts))
        ),
    )
    return Table(Message("Filtering by templates"), (Message("templates"), *RATES), tuple(rows), notes)


def _first_templates(
    ctx: Context, path: Path, request: FigureRequest, count: int
) -> tuple[Run, NDArray[np.float64], NDArray[np.bool_], Message]:
    """A run that searched for ``count`` templates; for each labelled entry the number of its first template (infinite
    for none) and whether it is positive; and the labels used.

    The first n of these templates are those of a search for n, so one run covers every number.
    """
    base = base_run(ctx, path, TEMPLATE, request, TargetKind.DOCUMENT)
    axes: dict[str, list[Any]] = {"templates": [count], "go_on": [True]}
    _, run = next(iter(runs_over(ctx, path, base, axes, workers=request.workers)))
    with Session(path, write=False) as session:
        chosen, scored = score(session, run.id, replace(request.question, score="first"))
    first = np.where(scored.scores > 0, scored.scores, np.inf)
    if not scored.positive.any():
        raise UserError(Message("No labelled document is positive; there is nothing to measure."))
    judged = Message(
        "Run {run}, labels of {set}, {count} labelled.", run=base.id, set=chosen.label_set, count=f"{scored.labelled:,}"
    )
    return run, first, scored.positive, judged


def precision_recall(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Precision against recall of several runs on the same labels (figure 6); of templates by their number."""
    lines: list[Series] = []
    notes: list[Message | str] = []
    templates = None
    with Session(path, write=False) as session:
        chosen = [find_run(session, n) for n in request.runs] or list(finished_runs(session).values())
        names: list[int | str] = [run.id for run in chosen]
        if not request.runs:
            names.append(LENGTH)
        for name in names:
            if isinstance(name, int) and find_run(session, name).method == TEMPLATE:
                templates = name
                continue
            try:
                evaluation = evaluate(session, name, request.question)
            except UserError as error:
                notes.append(Message("{what}: {message}", what=_title(name, session), message=error.message))
                continue
            _, precision, recall = zip(*evaluation.curve, strict=True)
            title = _title(name, session)
            if evaluation.average_precision is not None:
                area = rate(evaluation.average_precision)
                title = Message("{run} (average precision {area})", run=title, area=area)
            lines.append(Series(title, recall, precision, "steps"))
            labels = _labels(evaluation)
            notes = [*(note for note in notes if note != labels), labels]
            notes += _optimism(name, session, request.question)
            if evaluation.passages is not None and BY_CHARACTER not in notes:
                notes.append(BY_CHARACTER)
    if templates is not None:
        lines.append(_by_number(ctx, path, replace(request, runs=(templates,))))
    if not lines:
        raise UserError(notes[0] if notes else Message("This project has no finished run."))
    axes = Axis(Message("recall"), low=0, high=1), Axis(Message("precision"), low=0, high=1.02)
    return Figure(Message("Precision and recall"), *axes, tuple(lines), tuple(notes))


def _by_number(ctx: Context, path: Path, request: FigureRequest) -> Series:
    """Precision against recall for each number of templates up to the paper's largest."""
    run, first, positive, _ = _first_templates(ctx, path, request, max(TEMPLATES))
    numbers_there = np.unique(first[np.isfinite(first)])
    chosen = [first <= number for number in numbers_there.tolist()]
    right = [int((some & positive).sum()) for some in chosen]
    return Series(
        Message("{method}, run {run}, by number of templates", method=run.method, run=request.runs[0]),
        tuple(r / int(positive.sum()) for r in right),
        tuple(r / int(some.sum()) for r, some in zip(right, chosen, strict=True)),
        "points",
    )


def _labels(evaluation: Evaluation) -> Message:
    return Message(
        "Labels of {set}: {positives} of {count} are {values}.",
        set=evaluation.chosen.label_set,
        positives=f"{evaluation.positives:,}",
        count=f"{evaluation.labelled:,}",
        values=", ".join(sorted(evaluation.chosen.meaning.positive)),
    )


def judged_by(run: Run, evaluation: Evaluation) -> Message:
    """The run that was varied or measured, and the labels used."""
    return Message("{run}. {labels}", run=Message("Run {run}", run=run.id), labels=_labels(evaluation))


def selecting_everything(measured: Sequence[Evaluation | Counts]) -> list[Message]:
    """How many of the best-F thresholds select all labelled items; empty if none does."""
    count = sum(one.everything for one in measured)
    if not count:
        return []
    return [
        Message(
            "At {count} of {all} thresholds every labelled item is selected, which needs no method.",
            count=count,
            all=len(measured),
        )
    ]


def _optimism(name: int | str, session: Session, question: Question) -> list[Message | str]:
    """What to know of the figures of a run whose weights were learnt from labels."""
    return [*filter(None, [optimism(session, find_run(session, name), question)])] if isinstance(name, int) else []


def _scored_run(session: Session) -> Run:
    """The latest finished run that has scores of documents, else the latest finished one. Raises UserError."""
    runs = list(finished_runs(session).values())
    if not runs:
        raise UserError(Message("This project has no finished run."), command="palimpsest detect P METHOD makes one.")
    return max(runs, key=lambda run: (run.scores > 0, run.id))


def _title(name: int | str, session: Session) -> Message:
    if not isinstance(name, int):
        return Message("length of the text")
    return Message("{method}, run {run}", method=find_run(session, name).method, run=name)


def score_histogram(_ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Number of documents by score and label."""
    with Session(path, write=False) as session:
        number = request.one_run()
        run = _scored_run(session) if number is None else find_run(session, number)
        chosen = choose(session, run, request.question)
        if chosen.kind is not TargetKind.DOCUMENT:
            raise UserError(
                Message(
                    "The labels in {set} are of {kinds}, not of documents.",
                    set=chosen.label_set,
                    kinds=chosen.kind.plural,
                )
            )
        _, scored = score(session, run.id, request.question)
        states = settled(session, chosen.label_set)
        warning = optimism(session, run, request.question)
    by_value: dict[str, list[float]] = defaultdict(list)
    for (name,), value in zip(scored.names, scored.scores.tolist(), strict=True):
        if not np.isnan(value):
            state = states.get(document_target(name))
            by_value[state.value if state else Message("no label")].append(value)
    edges, by_ratio = _bins(np.concatenate([np.array(v) for v in by_value.values()]))
    bars = [
        Series(value, tuple(edges.tolist()), tuple(map(float, np.histogram(values, edges)[0])), "bars")
        for value, values in sorted(by_value.items())
    ]
    figure = request.question.score or Message("score")
    title = Message("Scores of {method}, run {run}", method=run.method, run=run.id)
    tallest = max(max(bar.y) for bar in bars)
    usual = float(np.median([n for bar in bars for n in bar.y if n]))
    notes = [Message("Labels of {set}.", set=chosen.label_set), *filter(None, [warning])]
    axis = Axis(Message("number of documents"), low=0)
    if tallest > _TALL * usual:
        axis = Axis(Message("number of documents"), log=True, low=_BELOW_ONE)
        notes.append(Message("The scale is logarithmic, so that rare scores are also visible."))
    left = [
        Message("{count} of {value}", count=f"{count:,}", value=value)
        for value, values in sorted(by_value.items())
        if by_ratio and (count := int((np.array(values) <= 0).sum()))
    ]
    if left:
        notes.append(Message("Not drawn, since they score 0 or less: {counts}.", counts=Message.joined(", ", left)))
    return Figure(title, Axis(figure, log=by_ratio), axis, tuple(bars), tuple(notes))


def _bins(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Edges of the bins of n scores, and whether they are logarithmic: if the tail is so long that most scores would
    otherwise share a bin. Scores of 0 or less are then in no bin.
    """
    count = min(_BINS, max(1, len(np.unique(scores))))
    above = scores[scores > 0]
    if not len(above) or above.max() <= _LONG_TAIL * np.median(above):
        return np.histogram_bin_edges(scores, bins=count), False
    edges = np.geomspace(above.min(), above.max(), count + 1)
    edges[0], edges[-1] = above.min(), above.max()
    return edges, True
