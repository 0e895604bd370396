"""A run with its labels as columns, sorted once so that counts at a threshold take a binary search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.evidence import ADDED
from workbench.base.messages import Message
from workbench.base.tags import TagFilter
from workbench.base.types import Floats, Ints, Role, Run, RunState, Span
from workbench.evaluation.thresholds import Curve, curve
from workbench.project import labels
from workbench.project.documents import count_documents
from workbench.project.listing import DocumentTable, document_table
from workbench.project.matches import match_columns
from workbench.project.runs import newest, runs
from workbench.services.labels.sets import DEFAULT_SETS, LABEL_SET, RECORDS
from workbench.services.labels.targets import (
    TargetKind,
    document_target,
    pair_target,
    passage_target,
)
from workbench.services.measuring.label_selection import (
    CONFLICTING,
    NO_PAIR_LABELLED,
    NOT_EXAMINED,
    NOT_LABELLED,
    PREFIXES,
    UNDECIDED,
    Chosen,
    ItemLabels,
    Question,
    choose,
    chosen_by_tags,
    document_scores,
    documents_of_run,
    fitting_kinds,
    optimism,
    pair_scores,
    read_labels,
)
from workbench.services.measuring.passages import (
    IN_UNDECIDED,
    OUTSIDE,
    REMOVED,
    as_referred,
    in_present,
    known_pairs,
    overlapping,
    ranked_by,
    reference_passages,
)
from workbench.services.review.judgement import CONFLICT, VERDICTS
from workbench.services.review.overview import read_overview
from workbench.services.session import Session

NO_LABEL, NEGATIVE, POSITIVE = -1, 0, 1
"""The label of an item."""

Codes = NDArray[np.int8]


class Cell(StrEnum):
    """A cell of the confusion matrix."""

    TRUE_POSITIVE = "true_positive"
    FALSE_POSITIVE = "false_positive"
    FALSE_NEGATIVE = "false_negative"
    TRUE_NEGATIVE = "true_negative"


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """The n items of a run: documents, pairs or passages, the highest score first, unreported ones (NaN) last.

    ``a`` and ``b`` are keys of documents (``b`` 0 for a document; ``a`` the suspect, if one of two is), ``spans``
    int64[n, 4] the limits of passages in both (zeros otherwise). ``truth`` is :data:`POSITIVE`, :data:`NEGATIVE` or
    :data:`NO_LABEL`; ``value`` the index of the label in ``values``, -1 without one (also if annotators differ).
    ``ascending`` are the reported scores, lowest first. ``problem`` says why there is no ``curve``. ``left_out`` and
    ``of_other_texts`` are those of an :class:`~workbench.services.measuring.evaluating.Evaluation`.
    """

    run: Run
    chosen: Chosen
    question: Question
    a: Ints
    b: Ints
    spans: Ints
    score: Floats
    truth: Codes
    value: NDArray[np.int16]
    values: tuple[str, ...]
    documents: DocumentTable
    ascending: Floats
    curve: Curve | None
    problem: Message | str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    of_other_texts: int = 0

    def __len__(self) -> int:
        return len(self.score)

    @property
    def kind(self) -> TargetKind:
        """The kind of the labelled items."""
        return self.chosen.kind

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have a positive or negative label."""
        return np.asarray(self.truth != NO_LABEL, np.bool_)

    @property
    def unlabelled(self) -> NDArray[np.bool_]:
        """Which items are negative for want of a label."""
        return np.asarray((self.truth == NEGATIVE) & (self.value < 0), np.bool_)

    @property
    def reported(self) -> int:
        """Number of items with a score; they come first."""
        return len(self.ascending)

    def selected(self, threshold: float) -> int:
        """Number of items that score at least ``threshold``, labelled or not; they come first."""
        return len(self.ascending) - int(np.searchsorted(self.ascending, threshold, "left"))

    def cell(self, cell: Cell, threshold: float) -> Ints:
        """Rows in a cell of the confusion matrix, the most confident error (or success) first."""
        cut = self.selected(threshold)
        right = cell in (Cell.TRUE_POSITIVE, Cell.FALSE_NEGATIVE)
        wanted = POSITIVE if right else NEGATIVE
        if cell in (Cell.TRUE_POSITIVE, Cell.FALSE_POSITIVE):
            return np.flatnonzero(self.truth[:cut] == wanted)
        below = np.flatnonzero(self.truth[cut:] == wanted) + cut
        return below[::-1]

    def between(self, low: float, high: float) -> Ints:
        """Rows of the items that score from ``low`` to ``high``, both included."""
        first = len(self.ascending) - int(np.searchsorted(self.ascending, high, "right"))
        return np.arange(first, self.selected(low))

    def title(self, key: int) -> str:
        """Title of a document, else its id; "" for none."""
        at = self._at(key)
        return "" if at < 0 else self.documents.title[at] or self.documents.id[at]

    def identity(self, key: int) -> str:
        """Id of a document; "" for none."""
        at = self._at(key)
        return "" if at < 0 else self.documents.id[at]

    def target(self, row: int) -> str:
        """The label target of the item in ``row``."""
        a, b = self.identity(int(self.a[row])), self.identity(int(self.b[row]))
        if self.kind is TargetKind.DOCUMENT:
            return document_target(a)
        if self.kind is TargetKind.PAIR:
            return pair_target(a, b)
        limits = self.spans[row].tolist()
        return passage_target(a, Span(*limits[:2]), b, Span(*limits[2:]))

    def part(self, rows: NDArray[np.bool_] | Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores and labels of the labelled items among ``rows``."""
        score, truth = self.score[rows], self.truth[rows]
        known = truth != NO_LABEL
        return score[known], truth[known] == POSITIVE

    def _at(self, key: int) -> int:
        at = int(np.searchsorted(self.documents.key, key))
        return at if at < len(self.documents.key) and self.documents.key[at] == key else -1


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A label set that can judge a run, and the kind of its items."""

    name: str
    kind: TargetKind


@dataclass(frozen=True, slots=True)
class EvaluationInput:
    """The initial data of Evaluate. ``run`` is None without a finished run, ``scored`` if there is nothing to measure.

    ``problem`` is the reason, or why there is no curve. ``values`` are those of the label set that ``question`` names.
    ``learnt``, by run: what to know of its figures if its weights were learnt from the labels.
    """

    runs: tuple[Run, ...] = ()
    run: Run | None = None
    sources: tuple[LabelSource, ...] = ()
    values: tuple[str, ...] = ()
    scored: ScoredRun | None = None
    documents: int = 0
    problem: UserError | None = None
    question: Question = field(default_factory=Question)
    learnt: Mapping[int, Message | str] = field(default_factory=dict)


def label_sources(session: Session, run: Run) -> list[LabelSource]:
    """The label sets with labels of items that ``run`` scored, the usual ones first."""
    with session.read() as connection:
        there = [
            (name, PREFIXES[prefix])
            for name, prefix in labels.target_kinds(connection)
            if prefix in PREFIXES and name not in RECORDS
        ]
    sources = []
    for kind in fitting_kinds(run):
        sets = [LabelSource(name, of) for name, of in there if of is kind]
        sources += sorted(sets, key=lambda source: (source.name != DEFAULT_SETS[kind], source.name))
    return sources


def read_evaluation_input(session: Session, run_id: int | None, question: Question) -> EvaluationInput:
    """Run ``run_id`` (None, or a removed one: the newest finished run) against the labels ``question`` names.

    A label set that does not fit the run is replaced by the usual one, which is not taken for complete; unused values
    by the usual ones.
    """
    with session.read() as connection:
        done = tuple(run for run in runs(connection) if run.state is RunState.DONE)
        count = count_documents(connection)
    run = next((r for r in done if r.id == run_id), None) or newest(done)
    if run is None:
        return EvaluationInput(done, documents=count)
    sources = label_sources(session, run)
    fitting = {source.name for source in sources}
    if question.labels not in fitting:
        complete = question.complete and not question.labels
        question = replace(question, labels=sources[0].name if sources else "", positive=(), complete=complete)
    values = _values(session, question.labels)
    question = replace(question, positive=tuple(v for v in question.positive if v in values))
    try:
        scored = read_scored_run(session, run, question)
    except UserError as error:
        return EvaluationInput(done, run, tuple(sources), values, None, count, error, question)
    learnt = {one.id: words for one in done if (words := optimism(session, one, question))}
    return EvaluationInput(done, run, tuple(sources), values, scored, count, None, question, learnt)


def _values(session: Session, label_set: str) -> tuple[str, ...]:
    if not label_set:
        return ()
    with session.read() as connection:
        return tuple(labels.values_of(connection, label_set))


def read_scored_run(session: Session, run: Run, question: Question) -> ScoredRun:
    """All items of ``run`` with their labels. Raises UserError if no label set fits."""
    chosen = choose(session, run, question)
    if chosen.kind is TargetKind.DOCUMENT:
        return _of_documents(session, run, chosen, question)
    if chosen.kind is TargetKind.PAIR:
        return _of_pairs(session, run, chosen, question)
    if chosen.label_set == LABEL_SET:
        return _of_verdicts(session, run, chosen, question)
    return _of_reference(session, run, chosen, question)


def _of_documents(session: Session, run: Run, chosen: Chosen, question: Question) -> ScoredRun:
    with session.read() as connection:
        table = document_table(connection, run_id=run.id)
        score_of, known = document_scores(connection, run, question.score)
        among = chosen_by_tags(connection, question)
    labelled = read_labels(session, chosen, among)
    at = {name: row for row, name in enumerate(table.id)}
    names = [name for name in table.id if name in known]
    rows = [at[name] for name in names]
    items = _Items(table.key[rows], np.zeros(len(rows), np.int64))
    scores = [score_of.get(name, np.nan) for name in names]
    values = [labelled.values.get((name,)) for name in names]
    of_run = _scored(run, chosen, question, items, scores, values, table, labelled.left_out)
    return _without_others(of_run, labelled, {(name,) for name in names})


def _of_pairs(session: Session, run: Run, chosen: Chosen, question: Question) -> ScoredRun:
    with session.read() as connection:
        table = document_table(connection, run_id=run.id)
        score_of = pair_scores(connection, run, question.score)
        documents = documents_of_run(connection, run).keys()
        among = chosen_by_tags(connection, question)
    labelled = read_labels(session, chosen, among)
    rows = zip(table.id, table.role, table.key.tolist(), strict=True)
    side = {name: (role != Role.SUSPECT, name, key) for name, role, key in rows}
    score_of = {pair: score for pair, score in score_of.items() if side.keys() >= {*pair}}
    compared = {pair for pair in labelled.values if pair in score_of or documents >= {*pair}}
    names = sorted({*score_of, *compared})
    # Names of pairs are in alphabetical order; here a suspect comes before its source.
    sides = [sorted((side[one], side[other])) for one, other in names]
    a, b = (np.array([pair[at][2] for pair in sides], np.int64) for at in (0, 1))
    scores = [score_of.get(pair, np.nan) for pair in names]
    values = [labelled.values.get(pair) for pair in names]
    of_run = _scored(run, chosen, question, _Items(a, b), scores, values, table, labelled.left_out)
    return _without_others(of_run, labelled, compared)


def _without_others(of_run: ScoredRun, labelled: ItemLabels, examined: Set[tuple[str, ...]]) -> ScoredRun:
    """``of_run`` with the numbers of labels on items that it did not examine, and of those for other texts."""
    left_out = dict(of_run.left_out)
    if absent := len(labelled.truth.keys() - examined):
        left_out[NOT_EXAMINED] = absent
    return replace(of_run, left_out=left_out, of_other_texts=len(labelled.of_others & labelled.truth.keys() & examined))


def _of_verdicts(session: Session, run: Run, chosen: Chosen, question: Question) -> ScoredRun:
    """The passages of a run with reviewers' judgements (including judgements carried over from passages with other
    limits).
    """
    overview = read_overview(session, run.id)
    with session.read() as connection:
        table = document_table(connection, run_id=run.id)
        if overview.columns is None or overview.judged is None:
            raise UserError(Message("The run found no passage."))
        rows = np.flatnonzero(in_present(connection, overview.columns.matches))
    m = ranked_by(overview.columns.matches.take(rows), question.score)
    spans = np.stack((m.a_start, m.a_end, m.b_start, m.b_end), axis=1)
    # If reviewers differ, it is unsettled.
    by_code = [None, *("" if value == CONFLICT else value for value in VERDICTS)]
    values = [by_code[code] for code in overview.judged.code[rows].tolist()]
    # The run missed what a reviewer added.
    added = m.evidence.get(ADDED, np.zeros(len(m))) > 0
    scores = np.where(added, np.nan, m.score).tolist()
    left_out: dict[str, int] = {REMOVED: len(overview.columns.matches) - len(m)}
    return _scored(run, chosen, question, _Items(m.a, m.b, spans), scores, values, table, left_out)


def _of_reference(session: Session, run: Run, chosen: Chosen, question: Question) -> ScoredRun:
    """Reference passages, each with the best score of overlapping matches, and matches without one.

    A match overlaps a reference passage if both sides share characters. Matches without one are wrong: a reference
    lists every copy (of the pairs it covers).
    """
    with session.read() as connection:
        table = document_table(connection, run_id=run.id)
        matches = match_columns(connection, run.id)
        present = in_present(connection, matches)
    ids = dict(zip(table.key.tolist(), table.id, strict=True))
    key = {name: number for number, name in ids.items()}
    reference, undecided, left_out = reference_passages(session, chosen, ids, run)
    left_out[REMOVED] = int((~present).sum())
    listed = [*reference, *undecided]
    matches = as_referred(ranked_by(matches.take(present), question.score), ids, listed)
    if (known := known_pairs(session, chosen)) is not None:
        both = zip(matches.a.tolist(), matches.b.tolist(), strict=True)
        inside = np.array([frozenset((ids[a], ids[b])) in known for a, b in both], np.bool_)
        matches, left_out[OUTSIDE] = matches.take(inside), int(len(inside) - inside.sum())
    touching, right = np.zeros(len(matches), np.bool_), np.zeros(len(matches), np.bool_)
    rows: list[tuple[int, ...]] = []
    scores: list[float] = []
    for passage, met in zip(listed, overlapping(matches, listed, ids), strict=True):
        touching[met] = True
        right[met] |= len(rows) < len(reference)
        rows.append((key[passage.a], key[passage.b], *passage.a_span, *passage.b_span))
        scores.append(float(matches.score[met].max()) if len(met) else np.nan)
    left_out[IN_UNDECIDED] = int((touching & ~right).sum())
    m = matches.take(~touching)
    limits = np.array(rows, np.int64).reshape(-1, 6)
    items = _Items(
        np.concatenate((limits[:, 0], m.a)),
        np.concatenate((limits[:, 1], m.b)),
        np.concatenate((limits[:, 2:], np.stack((m.a_start, m.a_end, m.b_start, m.b_end), axis=1))),
    )
    positive = next(iter(sorted(chosen.meaning.positive)))
    values = [*[positive] * len(reference), *undecided.values(), *[None] * len(m)]
    of_all = replace(question, complete=True)
    return _scored(run, chosen, of_all, items, [*scores, *m.score.tolist()], values, table, left_out)


@dataclass(frozen=True, slots=True)
class _Items:
    a: Ints
    b: Ints
    spans: Ints | None = None


def _scored(
    run: Run,
    chosen: Chosen,
    question: Question,
    items: _Items,
    scores: Sequence[float],
    labelled: Sequence[str | None],
    table: DocumentTable,
    left_out: Mapping[str, int],
) -> ScoredRun:
    """Combine the data; ``labelled`` are labels, "" if annotators differ, None if unlabelled."""
    score = np.array(scores, np.float64)
    if wanted := TagFilter.parse(question.tags):
        accepted = table.key[[wanted.accepts(tags) for tags in table.tags]]
        among = np.isin(items.a, accepted)
        if chosen.kind is TargetKind.PAIR:
            excluded = table.key[[not wanted.unwanted.isdisjoint(tags) for tags in table.tags]]
            among |= np.isin(items.b, accepted)
            among &= ~(np.isin(items.a, excluded) | np.isin(items.b, excluded))
        rows = np.flatnonzero(among)
        items = _Items(items.a[rows], items.b[rows], None if items.spans is None else items.spans[rows])
        score, labelled = score[rows], [labelled[row] for row in rows.tolist()]
    values = tuple(sorted({value for value in labelled if value}))
    code = {value: at for at, value in enumerate(values)}
    value = np.array([code.get(v or "", -1) for v in labelled], np.int16)
    decided = [
        POSITIVE if v in chosen.meaning.positive else NO_LABEL if v in chosen.meaning.undecided else NEGATIVE
        for v in values
    ]
    truth = np.array([*decided, NO_LABEL], np.int8)[value]
    counted: dict[str, int] = {
        CONFLICTING: sum(v == "" for v in labelled),
        UNDECIDED: int((value >= 0).sum() - (truth != NO_LABEL).sum()),
        **left_out,
    }
    if question.complete:
        truth[[v is None for v in labelled]] = NEGATIVE
    else:
        unlabelled = np.array([v is None for v in labelled], np.bool_)
        reason = NO_PAIR_LABELLED if chosen.kind is TargetKind.PAIR else NOT_LABELLED
        counted[reason] = int((~np.isnan(score) & unlabelled).sum())
    order = np.lexsort((np.arange(len(score)), -np.nan_to_num(score, nan=-np.inf)))
    score, truth, value = score[order], truth[order], value[order]
    spans = np.zeros((len(order), 4), np.int64) if items.spans is None else items.spans[order]
    known = truth != NO_LABEL
    measured, problem = None, ""
    try:
        measured = curve(score[known], truth[known] == POSITIVE, chosen.kind.value, complete=question.complete)
    except UserError as error:
        problem = error.sentence
    return ScoredRun(
        run=run,
        chosen=chosen,
        question=question,
        a=items.a[order],
        b=items.b[order],
        spans=spans,
        score=score,
        truth=truth,
        value=value,
        values=values,
        documents=table,
        ascending=score[~np.isnan(score)][::-1].copy(),
        curve=measured,
        problem=problem,
        left_out={reason: count for reason, count in counted.items() if count},
    )
