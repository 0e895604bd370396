"""The labels of the items a run scored: documents, pairs, or passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message, rate
from workbench.base.tags import ByTag, TagFilter
from workbench.base.types import Role, Run
from workbench.methods.core import registry
from workbench.project import labels
from workbench.project.batches import batched
from workbench.project.database import Connection
from workbench.project.listing import document_table, ids_of, removed_keys
from workbench.project.pairs import document_totals, pairs_of
from workbench.project.run_documents import run_documents
from workbench.project.scores import scores_of
from workbench.services.choosing import find_run
from workbench.services.detecting.corpus import scope_of_run
from workbench.services.labels.sets import DEFAULT_SETS, LABEL_SET, RECORDS, Meaning, meaning, unknown_set
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import TargetKind, document_target, parse_document, parse_pair
from workbench.services.measuring.baselines import BASELINES, baseline_scores
from workbench.services.session import Session

LEARNS = "splog"
"""The method whose weights are learnt from labels."""
NOT_EXAMINED = Message("labelled but not examined by the run")
CONFLICTING = Message("labelled differently and not resolved")
UNDECIDED = Message("labelled as undecided")
OTHER_TEXT = Message("labelled in another text of the document")
NOT_LABELLED = Message("scored but not labelled")
NO_PAIR_LABELLED = Message("reported but not labelled")
"""Why an item is not measured."""
PREFIXES = {"document": TargetKind.DOCUMENT, "pair": TargetKind.PAIR, "match": TargetKind.PASSAGE}


@dataclass(frozen=True, slots=True)
class Question:
    """The labels to measure a run against.

    ``labels`` names the label set ("": the one that fits the run's items); ``positive`` are the positive values (none:
    the usual ones, :mod:`workbench.services.labels.sets`). With ``complete`` every item without a label is negative:
    for truth that lists only the positive pairs. ``score`` names the figure of the evidence that ranks documents,
    passages or pairs (a pair also has resemblance and containment) in place of the score. ``tags`` chooses documents
    (:class:`workbench.base.tags.TagFilter`), pairs by the tags of both, and passages in them as suspects.
    """

    labels: str = ""
    positive: tuple[str, ...] = ()
    complete: bool = False
    score: str = ""
    tags: str = ""


class Chosen(NamedTuple):
    """The label set that answers a question, the kind of its items, and the meaning of its values."""

    label_set: str
    kind: TargetKind
    meaning: Meaning

    @property
    def of_matches(self) -> bool:
        """Whether the items are the matches of a run: verdicts are on these, several of which may be one passage."""
        return self.label_set == LABEL_SET


@dataclass(frozen=True, slots=True)
class Scored:
    """Labelled items with a run's scores: n ``names`` (a document's id, or two), n float64, n booleans.

    A score is NaN if the run did not report the item. ``left_out`` counts items that could not be judged, by reason.
    ``unlabelled``, n booleans (empty: none), are those that are negative for want of a label. ``of_others`` are the
    names of those whose labels were given for another text than the present one.
    """

    names: tuple[tuple[str, ...], ...]
    scores: NDArray[np.float64]
    positive: NDArray[np.bool_]
    left_out: Mapping[str, int] = field(default_factory=dict)
    unlabelled: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    of_others: frozenset[tuple[str, ...]] = frozenset()

    @property
    def labelled(self) -> int:
        """Number of items with a label."""
        return len(self.names) - int(self.unlabelled.sum())

    def take(self, rows: NDArray[np.intp]) -> Scored:
        """The items in ``rows``."""
        names = tuple(self.names[row] for row in rows.tolist())
        unlabelled = self.unlabelled[rows] if len(self.unlabelled) else self.unlabelled
        columns = self.scores[rows], self.positive[rows]
        return Scored(names, *columns, self.left_out, unlabelled, self.of_others.intersection(names))

    def among(self, chosen: Sequence[bool]) -> Scored:
        """The ``chosen`` ones of the n items."""
        return self.take(np.flatnonzero(np.array(chosen, np.bool_)))


def choose(session: Session, run: Run | None, question: Question, kinds: Sequence[TargetKind] | None = None) -> Chosen:
    """The label set for ``run`` (None: for documents), with labels of one of ``kinds`` (None: of those that fit).

    Raises UserError if there is none, or more than one, and for a partial run: its documents are unknown, so all others
    would count as missed.
    """
    if run is not None and run.part:
        raise UserError(
            Message(
                "Run {run} examined only some of the documents, as a check of a watch or a web search does. It cannot "
                "be measured: all others would count as missed.",
                run=run.id,
            ),
            command=f"Examine all documents: palimpsest detect PROJECT {run.method}",
        )
    kinds = fitting_kinds(run) if kinds is None else kinds
    with session.read() as connection:
        there: dict[TargetKind, list[str]] = {}
        for name, prefix in labels.target_kinds(connection):
            if prefix in PREFIXES and (name == question.labels or not (question.labels or name in RECORDS)):
                there.setdefault(PREFIXES[prefix], []).append(name)
        known = labels.label_sets(connection)
    if question.labels and question.labels not in known:
        raise unknown_set(question.labels, known)
    for kind in kinds:
        sets = there.get(kind, [])
        if not sets:
            continue
        name = DEFAULT_SETS[kind] if DEFAULT_SETS[kind] in sets else sets[0]
        if name != DEFAULT_SETS[kind] and len(sets) > 1:
            raise UserError(
                Message("There are several label sets."),
                hint=Message("Choose with --labels: {sets}.", sets=", ".join(sets)),
            )
        values = {state.value for state in settled(session, name).values() if state.value}
        return Chosen(name, kind, meaning(values, question.positive))
    raise _no_labels(kinds, question.labels)


def check_labelled(session: Session, *kinds: TargetKind) -> None:
    """Raise UserError if no item of any of ``kinds`` has a label: before making runs to measure."""
    with session.read() as connection:
        there = {PREFIXES.get(prefix) for name, prefix in labels.target_kinds(connection) if name not in RECORDS}
    if there.isdisjoint(kinds):
        raise _no_labels(kinds, "")


def _no_labels(kinds: Sequence[TargetKind], label_set: str) -> UserError:
    wanted = reduce(
        lambda one, other: Message("{one} or {other}", one=one, other=other), (kind.plural for kind in kinds)
    )
    return UserError(
        Message("There are no labels of {kinds} in the set {set}.", kinds=wanted, set=label_set)
        if label_set
        else Message("There are no labels of {kinds}.", kinds=wanted),
        command="Import some: palimpsest labels P import FILE",
    )


def fitting_kinds(run: Run | None) -> list[TargetKind]:
    """The kinds of items whose labels can measure ``run``, best first."""
    if run is None or run.scores:
        return [TargetKind.DOCUMENT]
    if "matches" in registry.get(run.method).emits:
        return [TargetKind.PASSAGE, TargetKind.PAIR, TargetKind.DOCUMENT]
    return [TargetKind.PAIR, TargetKind.DOCUMENT]


def score(
    session: Session, which: int | str, question: Question, kinds: Sequence[TargetKind] | None = None
) -> tuple[Chosen, Scored]:
    """The labelled documents or pairs with the scores of run ``which``, or of one of :data:`BASELINES`.

    The labels are those of :func:`choose`. For documents' scores see :func:`document_scores`. Raises UserError for an
    unknown run, if no label set fits, and if labels are of passages.
    """
    run = None if which in BASELINES else find_run(session, int(which))
    chosen = choose(session, run, question, kinds)
    if chosen.kind is TargetKind.PAIR and run is not None:
        return chosen, _pairs(session, run, chosen, question)
    if chosen.kind is TargetKind.DOCUMENT:
        return chosen, _documents(session, which if run is None else run, chosen, question)
    raise UserError(
        Message(
            "The labels in {set} are of {kinds}, which cannot be ranked by the scores of a run.",
            set=chosen.label_set,
            kinds=chosen.kind.plural,
        )
    )


def chosen_by_tags(connection: Connection, question: Question) -> ByTag[str] | None:
    """Ids of the documents by the tags of the question; None: it covers all."""
    wanted = TagFilter.parse(question.tags)
    if not wanted:
        return None
    table = document_table(connection)
    tagged = [*zip(table.id, table.tags, strict=True)]
    return ByTag(
        frozenset(name for name, tags in tagged if wanted.accepts(tags)),
        frozenset(name for name, tags in tagged if not wanted.unwanted.isdisjoint(tags)),
    )


def document_truth(session: Session, question: Question) -> dict[str, bool]:
    """Whether each labelled document (by id) is positive. Raises UserError if there are no labels of documents."""
    chosen = choose(session, None, question)
    with session.read() as connection:
        among = chosen_by_tags(connection, question)
    return {identity: value for (identity,), value in read_labels(session, chosen, among).truth.items()}


def _documents(session: Session, which: Run | int | str, chosen: Chosen, question: Question) -> Scored:
    with session.read() as connection:
        among = chosen_by_tags(connection, question)
    items = read_labels(session, chosen, among)
    truth, left_out = {identity: value for (identity,), value in items.truth.items()}, items.left_out
    with session.read() as connection:
        if isinstance(which, Run):
            scores, known = document_scores(connection, which, question.score)
        else:
            scores = baseline_scores(connection, str(which), truth)
            known = frozenset(scores)
    known = known if among is None else known & among.accepted
    unlabelled = known - {identity for (identity,) in items.values}
    if question.complete:
        truth = dict.fromkeys(unlabelled, False) | truth
    else:
        left_out[NOT_LABELLED] = len(unlabelled)
    left_out[NOT_EXAMINED] = len(truth.keys() - known)
    names = sorted(truth.keys() & known)
    values = [scores.get(n, np.nan) for n in names], [truth[n] for n in names], [n in unlabelled for n in names]
    return _scored([(n,) for n in names], *values, left_out, items.of_others)


def document_scores(connection: Connection, run: Run, figure: str) -> tuple[dict[str, float], frozenset[str]]:
    """Scores by id, and the ids of the documents that were examined.

    A document's score is the method's own, else the sum of its matches on either side, else its best pair. With any
    method, an examined document without findings scores 0, so that runs are compared by one rule. Documents imported
    since the run began were not examined. Raises UserError if the run has no such figure of documents.
    """
    method = registry.get(run.method)
    _, examined = method.roles(method.parameters.parse(run.parameters))
    known = frozenset(i for i, role in documents_of_run(connection, run).items() if role in examined)
    ids = ids_of(connection)
    totals: dict[str, float] = {}
    if run.scores:
        totals = {ids[s.document]: figure_of(s.score, s.evidence, figure) for s in scores_of(connection, run.id)}
    elif "matches" in method.emits:
        if figure not in ("", "score"):
            raise UserError(Message("A run of {method} has no values for documents.", method=run.method))
        totals = {ids[key]: total for key, total in document_totals(connection, run.id).items()}
    else:
        for pair, value in pair_scores(connection, run, figure).items():
            for identity in pair:
                totals[identity] = max(totals.get(identity, value), value)
    return dict.fromkeys(known, 0.0) | totals, known


def documents_of_run(connection: Connection, run: Run) -> dict[str, Role]:
    """The documents that a run was applied to, by id, with their roles at that time."""
    table = document_table(connection, run_id=run.id)
    roles = run_documents(connection, run, scope_of_run(run)).by_key()
    return {i: roles[key] for key, i in zip(table.key.tolist(), table.id, strict=True) if key in roles}


def figure_of(score: float, evidence: Mapping[str, Any], name: str) -> float:
    """The score, or the figure ``name`` of the evidence. Raises UserError if there is no such figure."""
    if not name or name == "score":
        return score
    value = evidence.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        figures = ", ".join(k for k, v in evidence.items() if isinstance(v, int | float) and not isinstance(v, bool))
        raise UserError(
            Message("The run has no value {name}.", name=name),
            hint=Message("Available: score, {figures}.", figures=figures) if figures else "",
        )
    return float(value)


def _pairs(session: Session, run: Run, chosen: Chosen, question: Question) -> Scored:
    with session.read() as connection:
        scores = pair_scores(connection, run, question.score)
        among, documents = chosen_by_tags(connection, question), documents_of_run(connection, run).keys()
        present = frozenset(document_table(connection).id)
    scores = {pair: value for pair, value in scores.items() if present >= {*pair}}
    items = read_labels(session, chosen, among)
    truth, left_out = items.truth, items.left_out
    if among is not None:
        scores = {pair: value for pair, value in scores.items() if among.has(pair)}
    compared = {pair: value for pair, value in truth.items() if pair in scores or documents >= {*pair}}
    left_out[NOT_EXAMINED], truth = len(truth) - len(compared), compared
    unlabelled = scores.keys() - items.values.keys()
    if question.complete:
        truth = dict.fromkeys(unlabelled, False) | truth
    else:
        left_out[NO_PAIR_LABELLED] = len(unlabelled)
    names = sorted(truth)
    values = [scores.get(n, np.nan) for n in names], [truth[n] for n in names], [n in unlabelled for n in names]
    return _scored(names, *values, left_out, items.of_others)


def pair_scores(connection: Connection, run: Run, figure: str) -> dict[tuple[str, ...], float]:
    """Scores by the two ids of a pair, in alphabetical order: the greater one if both directions were compared; without
    documents that were removed, or imported again with another text: labels are of the present ones.
    """
    ids, removed = ids_of(connection), removed_keys(connection)
    scores: dict[tuple[str, ...], float] = {}
    for pair in pairs_of(connection, run.id):
        if pair.a in removed or pair.b in removed:
            continue
        name = tuple(sorted((ids[pair.a], ids[pair.b])))
        others = {**pair.evidence, "resemblance": pair.resemblance, "containment": pair.containment}
        value = figure_of(pair.score, others, figure)
        scores[name] = max(scores.get(name, value), value)
    return scores


class ItemLabels(NamedTuple):
    """The current ``values`` of items by their ids ("" if annotators differ), whether each decided one is positive
    (``truth``), how many of the others are undecided or unresolved, and those with labels for another text.
    """

    values: dict[tuple[str, ...], str]
    truth: dict[tuple[str, ...], bool]
    left_out: Counter[str]
    of_others: frozenset[tuple[str, ...]]


def read_labels(session: Session, chosen: Chosen, among: ByTag[str] | None) -> ItemLabels:
    """The labels of documents, or of pairs, ``among`` those of certain tags (None: all)."""
    values: dict[tuple[str, ...], str] = {}
    truth: dict[tuple[str, ...], bool] = {}
    left_out: Counter[str] = Counter()
    of_others: set[tuple[str, ...]] = set()
    for target, state in settled(session, chosen.label_set).items():
        if chosen.kind is TargetKind.PAIR:
            names: tuple[str, ...] | None = parse_pair(target)
        else:
            names = None if (identity := parse_document(target)) is None else (identity,)
        if names is None or (among is not None and not among.has(names)):
            continue
        values[names] = state.value
        of_others |= {names} if state.of_other else set()
        if not state.value:
            left_out[CONFLICTING] += 1
        elif state.value in chosen.meaning.undecided:
            left_out[UNDECIDED] += 1
        else:
            truth[names] = state.value in chosen.meaning.positive
    return ItemLabels(values, truth, left_out, frozenset(of_others))


def _scored(
    names: Sequence[tuple[str, ...]],
    scores: Sequence[float],
    positive: Sequence[bool],
    unlabelled: Sequence[bool],
    left_out: Mapping[str, int],
    of_others: frozenset[tuple[str, ...]],
) -> Scored:
    reasons = {reason: count for reason, count in left_out.items() if count}
    columns = np.array(scores, np.float64), np.array(positive, np.bool_)
    return Scored(tuple(names), *columns, reasons, np.array(unlabelled, np.bool_), of_others.intersection(names))


def optimism(session: Session, run: Run | None, question: Question) -> Message | str:
    """A warning when ``run`` is measured on documents from whose labels its weights were learnt, else ""; it does not
    concern those first labelled since. ``question`` names the labels.
    """
    if run is None or run.method != LEARNS or not run.parameters.get("weights"):
        return ""
    with suppress(UserError):
        if not _labelled_before(session, run, question):
            return ""
    from workbench.methods.splog.weights import Weights

    since = Message(
        "It learnt nothing from documents that were first labelled after {time} UTC.",
        time=run.created[:16].replace("T", " "),
    )
    # Runs from strangers may have any text as weights.
    with suppress(ParameterError):
        if unseen := Weights.parse(str(run.parameters["weights"])).unseen:
            f, low, high = (rate(value) for value in unseen)
            warning = Message(
                "The weights of run {run} were learnt from labels, so its figures are too good for new documents. On "
                "documents not seen, best F was {f} ({low} to {high}).",
                run=run.id,
                f=f,
                low=low,
                high=high,
            )
            return Message.joined(" ", (warning, since))
    warning = Message(
        "The weights of run {run} were learnt from labels: its figures are better than those of new documents.",
        run=run.id,
    )
    return Message.joined(" ", (warning, since))


def _labelled_before(session: Session, run: Run, question: Question) -> bool:
    """Whether any of the labelled documents that ``question`` asks about was labelled, in whatever set, before ``run``
    was begun. Raises UserError if there are none.
    """
    chosen = choose(session, run, question)
    with session.read() as connection:
        among = chosen_by_tags(connection, question)
    targets = [document_target(name) for (name,) in read_labels(session, chosen, among).values]
    with session.read() as connection:
        return any(
            event.value and event.when < run.created and event.label_set not in RECORDS
            for some in batched(targets)
            for event in labels.history(connection, some)
        )
