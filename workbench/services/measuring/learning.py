"""Learning the weights of the spam filters from labels, as a task of the window and the command line;
and what to label next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message, rate
from workbench.base.options import TAGS, option
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Floats
from workbench.services.tasks import Outcome, Task, run_record, workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.base.types import Run
    from workbench.evaluation.intervals import Interval
    from workbench.jobs.context import Context
    from workbench.methods.splog.weights import Weights
    from workbench.services.measuring.label_selection import Question, Scored
    from workbench.services.session import Session
import hashlib

from workbench.evaluation.allocation import Strata, make_strata, needed_labels, plan, population_interval
from workbench.evaluation.intervals import Interval, Ints
from workbench.services.measuring.label_selection import LEARNS as METHOD
from workbench.services.measuring.scored_run import POSITIVE, ScoredRun

FEWEST = 20
"""Minimum number of labelled documents of each class for learning weights."""
_KNOTS = (0.0, 0.5, 0.9)
"""Quantiles of a figure that are the knots of its line."""
LEARNING = Message("Learning")
_FOLDS = 10
_INNER_FOLDS = 5
"""Folds of learning words, within each fold and for the weights."""
_NAMED = 8
"""Learnt words named for each class."""


@dataclass(frozen=True)
class Learn(Task):
    """Learn weights from the labels of documents."""

    title: ClassVar[str] = "Learn weights from labels"
    about: ClassVar[str] = (
        "The filters of the method splog can be weighted by labels of documents: logistic regression learns "
        "how strongly each figure and each word indicates spam, and all suspects are scored again with these "
        "weights. The reported figures are for documents that the model did not see (ten-fold cross-validation)."
    )

    labels: str = option("", "Label set", title="Label set", empty="the standard one")
    positive: tuple[str, ...] = option(
        (), "Values that count as spam (default: splog, spam, ...)", title="Values that count as spam", kind=TAGS
    )
    workers: int | None = workers()

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Learn, score again, and report the quality beside that of each filter."""
        from workbench.services.detecting.runs import detect
        from workbench.services.measuring.label_selection import Question, document_truth
        from workbench.services.session import Session

        question = Question(self.labels, self.positive)
        with Session(project, write=False) as session:
            check_labels(document_truth(session, question).values())
        # A finished run of these texts is reused.
        plain = detect(ctx, project, METHOD, {}, workers=self.workers, resume=True)
        with Session(project, write=False) as session:
            columns, positive, documents, of_others = labelled_figures(session, plain, question)
        learnt = learn(columns, positive, documents, ctx)
        run = detect(ctx, project, METHOD, {"weights": learnt.weights.text}, workers=self.workers)
        record = {**_record(learnt, positive, run), "of_other_texts": of_others}
        return Outcome(_sentences(learnt, positive, of_others), record, run=run)


@dataclass(frozen=True, slots=True)
class Quality:
    """Agreement of scores with labels: ``average_precision``, and the best F, ``f1``, with its exact 95 %
    ``interval``.
    """

    average_precision: float
    f1: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class LearningResult:
    """``weights`` from all labelled documents; the cross-validated quality (``apart``), and the quality of each figure
    alone. ``error`` is the mean squared error of the cross-validated probabilities (Brier 1950), ``parts`` the change
    in log odds between each figure's 5 % and 95 % quantiles.
    """

    weights: Weights
    apart: Quality
    alone: Mapping[str, Quality]
    error: float
    parts: Mapping[str, float]


def labelled_figures(
    session: Session, run: Run, question: Question
) -> tuple[dict[str, Floats], NDArray[np.bool_], list[Document], int]:
    """Figures, labels and content of the labelled documents that ``run`` examined, and the number of those whose
    labels were given for another text than the present one.

    Raises UserError if there are no labels of documents, or fewer than :data:`FEWEST` of a class.
    """
    from workbench.base.types import Role
    from workbench.methods.core.content import content_view
    from workbench.methods.splog.weights import MEASURED
    from workbench.project.documents import documents_of
    from workbench.project.listing import keys_of
    from workbench.services.labels.targets import TargetKind
    from workbench.services.measuring.label_selection import score

    columns: dict[str, Floats] = {}
    scored: Scored | None = None
    for name in MEASURED:
        _, scored = score(session, run.id, replace(question, score=name), (TargetKind.DOCUMENT,))
        columns[name] = scored.scores
    assert scored is not None
    check_labels(scored.positive.tolist())
    names = [name for (name,) in scored.names]
    with session.read() as connection:
        keys = sorted(keys_of(connection, names).values())
        content = {d.id: content_view(d)[0] for d in documents_of(connection, keys, tuple(Role))}
    return columns, scored.positive, [content[name] for name in names], len(scored.of_others)


def check_labels(positive: Iterable[bool]) -> None:
    """Raise UserError unless there are :data:`FEWEST` labels of each class."""
    counts = Counter(positive)
    if min(counts[True], counts[False]) < FEWEST:
        raise UserError(
            Message(
                "Documents labelled as spam: {positive}, as not spam: {negative}; {fewest} of each are needed.",
                positive=counts[True],
                negative=counts[False],
                fewest=FEWEST,
            ),
            hint=Message("Label some more documents, those in doubt first (Label, or Evaluate › What to label next)."),
        )


def learn(
    measured: Mapping[str, Floats],
    positive: NDArray[np.bool_],
    documents: Sequence[Document],
    progress: Progress | None = None,
) -> LearningResult:
    """Weights for figures (float64[n] by name) and words of n documents that predict ``positive`` (bool[n]), and their
    quality.

    A document's figure of learnt words is always one of slopes that were learnt without it.
    """
    from workbench.evaluation.classifiers import predicted_apart, svm_slopes, unit_rows
    from workbench.methods.splog.collection import cut, distinct_words, spellings
    from workbench.methods.splog.weights import FEATURES, MOST_WORDS, VOCABULARY

    progress = progress or NullProgress()
    rows, hashes = unit_rows(distinct_words(cut(documents)))

    def by_words(seen: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
        progress.check()
        return np.asarray(rows[others] @ svm_slopes(rows[seen], positive[seen], MOST_WORDS), np.float64)

    def figures(some: NDArray[np.intp]) -> dict[str, Floats]:
        words = predicted_apart(positive[some], lambda a, b: by_words(some[a], some[b]), folds=_INNER_FOLDS)
        return {name: values[some] for name, values in measured.items()} | {VOCABULARY: words}

    done = 0

    def predict(seen: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
        nonlocal done
        fitted = fit(figures(seen), positive[seen])
        done += 1
        progress.advance(LEARNING, done, _FOLDS)
        unseen = {name: values[others] for name, values in measured.items()}
        return fitted.probabilities(unseen | {VOCABULARY: by_words(seen, others)})

    progress.advance(LEARNING, 0, _FOLDS)
    apart = predicted_apart(positive, predict, _FOLDS)
    columns = figures(np.arange(len(positive)))
    slopes = svm_slopes(rows, positive, MOST_WORDS)
    spelt = spellings(documents, hashes[slopes != 0])
    words = {
        spelt[value]: slope for value, slope in zip(hashes.tolist(), slopes.tolist(), strict=True) if value in spelt
    }
    unseen = quality(apart, positive)
    weights = replace(fit(columns, positive), words=words, unseen=(unseen.f1, *unseen.interval))
    return LearningResult(
        weights=weights,
        apart=unseen,
        alone={name: quality(columns[name], positive) for name in FEATURES},
        error=float(((apart - positive) ** 2).mean()),
        parts={
            name: float(np.diff(weights.part(name, np.quantile(columns[name], (0.05, 0.95))))[0]) for name in FEATURES
        },
    )


def fit(columns: Mapping[str, Floats], positive: NDArray[np.bool_]) -> Weights:
    """Weights learnt from figures and labels; with knots at quantiles of the figures."""
    from workbench.evaluation.classifiers import logistic
    from workbench.methods.splog.weights import FEATURES, Weights, hinges, scaled

    values = {name: scaled(name, columns[name]) for name in FEATURES}
    knots = {name: np.unique(np.quantile(values[name], _KNOTS)).tolist() for name in FEATURES}
    intercept, slopes = logistic(np.column_stack([hinges(values[n], knots[n]) for n in FEATURES]), positive)
    each = iter(slopes.tolist())
    return Weights(
        intercept,
        {name: tuple((knot, next(each)) for knot in knots[name]) for name in FEATURES},
        typical={name: float(np.median(columns[name])) for name in FEATURES},
    )


def quality(scores: Floats, positive: NDArray[np.bool_]) -> Quality:
    """Agreement of ``scores`` (float64[n]) with ``positive`` (bool[n])."""
    from workbench.evaluation.thresholds import curve

    whole = curve(scores, positive)
    best = whole.best()
    counts = whole.counts(float(whole.threshold[best]))
    return Quality(whole.average_precision, float(whole.f1[best]), counts.f1_interval)


def _sentences(learnt: LearningResult, positive: NDArray[np.bool_], of_others: int) -> Sequence[str]:
    best = max(learnt.alone, key=lambda name: learnt.alone[name].f1)
    sentences: list[str] = [
        Message(
            "Learnt from {documents} labelled documents; {spam} are spam.",
            documents=f"{len(positive):,}",
            spam=f"{int(np.count_nonzero(positive)):,}",
        ),
        Message(
            "On documents that the model did not see: best F {f} ({low} to {high}), average precision "
            "{precision}; the best single figure, {name}, has F {single}.",
            f=rate(learnt.apart.f1),
            low=rate(learnt.apart.interval[0]),
            high=rate(learnt.apart.interval[1]),
            precision=rate(learnt.apart.average_precision),
            name=_name(best),
            single=rate(learnt.alone[best].f1),
        ),
    ]
    if of_others:
        sentences.insert(
            1, Message("Labels that were given for another text than the present one: {count}.", count=f"{of_others:,}")
        )
    ordered = sorted(learnt.parts, key=lambda name: -abs(learnt.parts[name]))
    parts = Message.joined(
        " · ", [Message("{name} {weight}", name=_name(n), weight=f"{learnt.parts[n]:+.2f}") for n in ordered]
    )
    sentences.append(Message("Weights, from a low to a high value of each figure: {parts}.", parts=parts))
    spam, others = named_words(learnt.weights)
    if spam and others:
        sentences.append(
            Message(
                "Words that count most as signs of spam: {spam}. Of other documents: {others}.",
                spam=", ".join(spam),
                others=", ".join(others),
            )
        )
    return sentences


def named_words(weights: Weights) -> tuple[list[str], list[str]]:
    """The words that count most as signs of spam, and of other documents, the strongest first."""
    ordered = sorted(weights.words, key=lambda word: (-weights.words[word], word))
    spam = [word for word in ordered[:_NAMED] if weights.words[word] > 0]
    return spam, [word for word in ordered[: -_NAMED - 1 : -1] if weights.words[word] < 0]


def _name(figure: str) -> Message:
    from workbench.methods.core import registry

    return registry.get(METHOD).facts.figures[figure].name


def _record(learnt: LearningResult, positive: NDArray[np.bool_], run: Run) -> Mapping[str, Any]:
    def of(one: Quality) -> dict[str, Any]:
        return {"average_precision": one.average_precision, "f1": one.f1, "interval": list(one.interval)}

    return run_record(run) | {
        "labelled": len(positive),
        "positives": int(np.count_nonzero(positive)),
        "cross_validated": of(learnt.apart) | {"brier": learnt.error},
        "figures": [{"name": name, "weight": learnt.parts[name], **of(learnt.alone[name])} for name in learnt.parts],
        "weights": learnt.weights.text,
    }


WITHIN = 0.05
"""Target half-width of the interval of F."""
MOST = 200
"""Maximum number of items passed to Label at a time."""


@dataclass(frozen=True, slots=True)
class NextLabels:
    """``targets``, named as in the label log, in labelling order.

    About ``needed`` labels bring the interval of F at the threshold within ± :data:`WITHIN` (0: reached; None: none
    left). ``rates`` are precision, recall and F over everything the run scored, with 95 % intervals.
    """

    targets: tuple[str, ...]
    needed: int | None
    rates: Mapping[str, tuple[float, Interval]]


def label_next(scored: ScoredRun, threshold: float, *, most: int = MOST, seed: int = 0) -> NextLabels:
    """The next items to label of ``scored``: as many as needed, at most ``most``, and at least ten if available.

    The order within a stratum is random, fixed by ``seed``, so that labels remain an unbiased sample.
    """
    order = _shuffled(scored, seed)
    known = scored.labelled[order]
    score = np.nan_to_num(scored.score, nan=-np.inf)
    strata = make_strata(score, scored.selected(threshold), known, scored.truth[order] == POSITIVE)
    chosen, needed = plan(strata, most), needed_labels(strata, WITHIN)
    waiting = _waiting(strata, known)
    rows = [int(order[waiting[k].pop()]) for k in chosen[: max(10, min(most, needed))]]
    return NextLabels(
        tuple(scored.target(row) for row in rows),
        None if known.all() else needed,
        population_interval(strata),
    )


def _shuffled(scored: ScoredRun, seed: int) -> Ints:
    """Rows of ``scored`` in order of score, equal scores in random order: strata may cut through them."""
    draw = np.random.default_rng(seed).random(len(scored))
    return np.lexsort((draw, -np.nan_to_num(scored.score, nan=-np.inf))).astype(np.int64)


def _waiting(strata: Strata, known: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[list[int]]:
    """Positions of unlabelled items in each stratum, in random order."""
    queues = []
    for k in range(len(strata.size)):
        places = np.flatnonzero((strata.number == k) & ~known)
        seed = int.from_bytes(hashlib.blake2b(f"{k}".encode(), digest_size=4).digest(), "big")
        queues.append(np.random.default_rng(seed).permutation(places).tolist())
    return queues
