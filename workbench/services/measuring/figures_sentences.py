"""Figures of the thesis on identical sentences (Kang 2009): frequency, length, classes of pairs, and a projection.

A projection counts what a collection of another size would contain, from nested random parts of a project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.evaluation.figures import Axis, Cell, Figure, Series, Table
from workbench.evaluation.intervals import proportion_interval
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.collection import batches
from workbench.project import labels
from workbench.project.database import Connection, open_project
from workbench.project.documents import iter_documents, load_document
from workbench.project.listing import ids_of
from workbench.project.pairs import pairs_of
from workbench.services.labels.sets import unknown_set
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import parse_pair
from workbench.services.labels.verdicts import PAIR, values
from workbench.services.measuring.figure_request import FigureRequest, base_run, newest_of, numbers
from workbench.services.measuring.label_selection import chosen_by_tags
from workbench.services.relations.names import is_relation, relation_name
from workbench.services.session import Session

if TYPE_CHECKING:
    from workbench.methods.rare_sentences.parameters import RareSentencesParameters

METHOD = "rare-sentences"
LENGTHS = (1, 5, 10, 20, 30, 50, 100)
"""Lower bounds of the rows of the table by length, in characters."""
_STAGE = Message("Counting sentences")
_MOST = 1_000_000
"""Larger lengths and frequencies are drawn at this value."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sentences:
    """n distinct sentences of any length; int64[n] each: ``lengths`` in folded characters, ``counts`` of containing
    documents (out of ``documents``), and first occurrences: ``document`` (key), ``start`` and ``end``.
    """

    lengths: Ints
    counts: Ints
    document: Ints
    start: Ints
    end: Ints
    parameters: RareSentencesParameters
    documents: int

    def example(self, connection: Connection, chosen: NDArray[np.bool_]) -> str | None:
        """The first of the ``chosen`` sentences in the collection, as written; None if there is none."""
        rows = np.flatnonzero(chosen)
        if not len(rows):
            return None
        row = rows[np.lexsort((self.start[rows], self.document[rows]))[0]]
        text = load_document(connection, int(self.document[row])).text
        return " ".join(text[int(self.start[row]) : int(self.end[row])].split())


def _sentences(ctx: Context, path: Path, request: FigureRequest) -> _Sentences:
    """The sentences of the project, read with the settings of the requested run, else the defaults. Raises UserError if
    there are none.
    """
    from dataclasses import replace

    from workbench.methods.rare_sentences.parameters import RareSentencesParameters
    from workbench.methods.rare_sentences.sentences import read

    values = base_run(ctx, path, METHOD, request).parameters if request.runs else {}
    parameters = registry.get(METHOD).parameters.parse(values)
    assert isinstance(parameters, RareSentencesParameters)
    hashes = [np.zeros(0, np.uint64)]
    columns = [np.zeros((0, 4), np.int64)]
    documents = 0
    with open_project(path, write=False) as project, project.read() as connection:
        for batch in batches(_documents(connection, request)):
            ctx.check()
            cut = read(batch, replace(parameters, min_length=1))
            keys = np.array([document.key for document in batch], np.int64)[cut.document]
            hashes.append(cut.hashes)
            columns.append(np.column_stack([cut.length, keys, cut.start, cut.end]).astype(np.int64))
            documents += len(batch)
            ctx.advance(_STAGE, documents)
    _, first, counts = np.unique(np.concatenate(hashes), return_index=True, return_counts=True)
    if not len(first):
        raise UserError(Message("There are no sentences in this project; there is nothing to draw."))
    lengths, document, start, end = np.concatenate(columns)[first].T
    return _Sentences(lengths, counts.astype(np.int64), document, start, end, parameters, documents)


def _documents(connection: Connection, request: FigureRequest) -> Iterator[Document]:
    """The documents that the request covers."""
    among = chosen_by_tags(connection, request.question)
    return (document for document in iter_documents(connection, ()) if among is None or document.id in among.accepted)


def _histogram(values: Ints, name: str) -> Series:
    counts = Counter(np.minimum(values, _MOST).tolist())
    x, y = zip(*sorted(counts.items()), strict=True)
    return Series(name, tuple(map(float, x)), tuple(map(float, y)), "points")


def _notes(sentences: _Sentences, request: FigureRequest) -> tuple[Message, ...]:
    number = Message(
        "{count} different sentences of {documents} documents.",
        count=f"{len(sentences.counts):,}",
        documents=f"{sentences.documents:,}",
    )
    return number, settings_of(request)


def settings_of(request: FigureRequest) -> Message:
    """The settings of the method that read the sentences."""
    if not request.runs:
        return Message("Read with the default settings of {method}.", method=METHOD)
    return Message("Read with the settings of run {run}.", run=request.runs[0])


def by_frequency(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Distinct sentences by the number of documents that contain them (figure 9): all, and those long enough."""
    sentences = _sentences(ctx, path, request)
    counts, shortest = sentences.counts, sentences.parameters.min_length
    long = sentences.lengths >= shortest
    lines = [_histogram(counts, Message("all sentences"))]
    if long.any():
        lines.append(_histogram(counts[long], Message("of {length} characters or more", length=shortest)))
    axes = (
        Axis(Message("documents that contain the sentence"), log=True),
        Axis(Message("different sentences"), log=True),
    )
    return Figure(Message("Frequency of sentences"), *axes, tuple(lines), _notes(sentences, request))


def by_length(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Distinct sentences by their number of characters (figure 10): all, and those in at least two documents."""
    sentences = _sentences(ctx, path, request)
    lengths, counts = sentences.lengths, sentences.counts
    lines = [_histogram(lengths, Message("all sentences"))]
    if (counts > 1).any():
        lines.append(_histogram(lengths[counts > 1], Message("in two documents or more")))
    axes = Axis(Message("characters after folding"), log=True), Axis(Message("different sentences"), log=True)
    return Figure(Message("Length of sentences"), *axes, tuple(lines), _notes(sentences, request))


def by_length_and_frequency(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Distinct sentences by length and number of containing documents, with the first of each kind as an example (table
    1).
    """
    sentences = _sentences(ctx, path, request)
    lengths, counts, limit = sentences.lengths, sentences.counts, sentences.parameters.max_documents
    frequencies = {
        Message("in one document"): counts == 1,
        Message("in 2 to {limit}", limit=limit): (counts > 1) & (counts <= limit),
        Message("in more than {limit}", limit=limit): counts > limit,
    }
    rows: list[tuple[Cell, ...]] = []
    with open_project(path, write=False) as project, project.read() as connection:
        for low, high in zip(LENGTHS, (*LENGTHS[1:], None), strict=True):
            inside = (lengths >= low) & (lengths < (high or lengths.max() + 1))
            name = Message("{low} or more", low=low)
            if high is not None:
                name = Message("{low} to {high}", low=low, high=high - 1)
            parts = [inside & part for part in frequencies.values()]
            examples = [sentences.example(connection, part) for part in parts]
            rows.append((name, int(inside.sum()), *(int(part.sum()) for part in parts), *examples))
    columns = (Message("characters"), Message("sentences"), *frequencies)
    examples_of = (Message("example {frequency}", frequency=name) for name in frequencies)
    return Table(
        Message("Sentences by length and frequency"),
        (*columns, *examples_of),
        tuple(rows),
        (Message("{count} documents.", count=f"{sentences.documents:,}"), settings_of(request)),
    )


_WITHOUT_RELATIONS = Message(
    "No label gives the relation of a pair, so precision is unknown: label pairs with the names of relations."
)
_NONE = frozenset(("", "not"))
"""Values that mean no relation."""


def _same_word(relation: str) -> str:
    """One name for a relation, whether it is named as in methods or as in the window."""
    word = "" if relation.casefold() in _NONE else str(relation_name(relation)).casefold()
    return "" if word == str(relation_name("")).casefold() else word


def _names_one(value: str) -> bool:
    """Whether a label names a relation; *near-duplicate* alone does not."""
    return is_relation(value) and value.casefold() not in values(PAIR)


def _labelled_relations(session: Session, label_set: str) -> tuple[dict[frozenset[str], str], str]:
    """The relation of each pair according to labels, and their label set: ``label_set`` or, if "", the one with most
    relations.

    Values that name no relation are ignored; *not* means no relation. Raises UserError for an unknown set.
    """
    with session.read() as connection:
        known = labels.label_sets(connection)
        if label_set and label_set not in known:
            raise unknown_set(label_set, known)
        sets = [name for name, prefix in labels.target_kinds(connection) if prefix == "pair"]
    best: dict[frozenset[str], str] = {}
    named_by = ""
    for name in [label_set] if label_set else sorted(set(sets)):
        values = {
            frozenset(pair): state.value
            for target, state in settled(session, name).items()
            if state.value and (pair := parse_pair(target)) is not None
        }
        words = {pair: value for pair, value in values.items() if value.casefold() in _NONE or _names_one(value)}
        if any(value.casefold() not in _NONE for value in words.values()) and len(words) > len(best):
            best, named_by = words, name
    return best, named_by


def by_relation(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Pairs of each relation, and how often labels agree with it, with an exact interval (table 3)."""
    run = base_run(ctx, path, METHOD, request)
    notes: list[str] = []
    with Session(path, write=False) as session:
        with session.read() as connection:
            ids = ids_of(connection)
            among = chosen_by_tags(connection, request.question)
            named = {frozenset((ids[p.a], ids[p.b])): p.relation or "" for p in pairs_of(connection, run.id)}
            relations = {pair: name for pair, name in named.items() if among is None or among.has(pair)}
        names, label_set = _labelled_relations(session, request.question.labels)
    judged_as = {pair: _same_word(value) for pair, value in names.items()}
    notes += [Message("Labels of {set}.", set=label_set)] if names else [_WITHOUT_RELATIONS]
    notes += newest_of(path, run, request)
    if not relations:
        raise UserError(Message("Run {id} reports no pair; there is nothing to measure.", id=run.id))
    rows: list[tuple[Cell, ...]] = []
    for relation, count in Counter(relations.values()).most_common():
        own = [pair for pair, name in relations.items() if name == relation and pair in judged_as]
        judged = [judged_as[pair] == _same_word(relation) for pair in own]
        low, high = proportion_interval(sum(judged), len(judged)) if judged else (None, None)
        precision = sum(judged) / len(judged) if judged else None
        rows.append((relation_name(relation), count, len(judged), sum(judged), precision, low, high))
    columns = (
        Message("relation"),
        Message("pairs"),
        Message("labelled"),
        Message("right"),
        Message("precision"),
        Message("from"),
        Message("to"),
    )
    return Table(Message("Relations of pages, run {run}", run=run.id), columns, tuple(rows), tuple(notes))


PAGES = 100_000_000
"""Pages of the thesis, to which counts are projected by default."""
_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
_DRAWS = 7
_PROJECTING = Message("Measuring")


@dataclass(frozen=True, slots=True)
class _Rows:
    """A row for each distinct sentence of each document: the numbers of both, and whether it is long enough."""

    sentence: Ints
    document: Ints
    long: NDArray[np.bool_]
    documents: int
    limit: int

    def of(self, chosen: NDArray[np.bool_]) -> _Rows:
        """The rows of some documents (bool, by number)."""
        kept = chosen[self.document]
        return replace(self, sentence=self.sentence[kept], document=self.document[kept], long=self.long[kept])

    def sentences(self) -> int:
        """Sentences, each counted in every document that contains it."""
        return len(self.sentence)

    def pairs(self) -> int:
        """Pairs of documents that share a long sentence contained in at most ``limit`` documents."""
        return len(self._pair_numbers())

    def paired(self) -> int:
        """Documents in such pairs."""
        numbers = self._pair_numbers()
        return len(np.unique(np.concatenate([numbers // self.documents, numbers % self.documents])))

    def _pair_numbers(self) -> Ints:
        """A number for each of these pairs, ascending."""
        order = np.argsort(self.sentence[self.long], kind="stable")
        sentence, document = self.sentence[self.long][order], self.document[self.long][order]
        first = np.flatnonzero(np.concatenate([[True], sentence[1:] != sentence[:-1]])[: len(sentence)])
        sizes = np.diff(np.append(first, len(sentence)))
        pair_numbers = [np.zeros(0, np.int64)]
        for size in range(2, self.limit + 1):
            of_size = document[first[sizes == size][:, None] + np.arange(size)] if (sizes == size).any() else None
            if of_size is not None:
                a, b = (np.sort(of_size, axis=1)[:, part] for part in np.triu_indices(size, 1))
                pair_numbers.append((a * self.documents + b).ravel())
        return np.unique(np.concatenate(pair_numbers))


def projected_scale(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Sentences, pairs of pages that share a rare one, and pages in such pairs: in random parts of the project, and
    projected from these.

    ``values``: the number of pages to project to. Raises UserError if the project has too few documents.
    """
    target = int(numbers(request, (PAGES,))[0])
    rows = _read(ctx, path, request)
    sizes = sorted({round(share * rows.documents) for share in _SHARES})
    if sizes[0] < 2 or target <= rows.documents:
        raise UserError(
            Message(
                "A projection to {target} pages needs at least {least} documents, and fewer documents than pages.",
                target=f"{target:,}",
                least=round(2 / _SHARES[0]),
            )
        )
    rng = np.random.default_rng(0)
    lines, far = [], []
    counted: dict[str, list[list[int]]] = {}
    in_pairs = Message("pages in such a pair")
    measures: dict[str, Callable[[_Rows], int]] = {
        Message("sentences"): _Rows.sentences,
        Message("pairs that share a rare sentence"): _Rows.pairs,
        in_pairs: _Rows.paired,
    }
    for draw in range(_DRAWS):
        ctx.advance(_PROJECTING, draw, _DRAWS)
        order = rng.permutation(rows.documents)
        for size in sizes:
            ctx.check()
            part = rows.of(np.isin(np.arange(rows.documents), order[:size]))
            for name, measure in measures.items():
                counted.setdefault(name, [[] for _ in range(_DRAWS)])[draw].append(measure(part))
    ctx.advance(_PROJECTING, _DRAWS, _DRAWS)
    for name, draws in counted.items():
        table = np.array(draws, np.float64)
        band = tuple(zip(table.min(axis=0).tolist(), table.max(axis=0).tolist(), strict=True))
        lines.append(Series(name, tuple(map(float, sizes)), tuple(np.median(table, axis=0).tolist()), "line", band))
        projected = [_projected(sizes, row, target) for row in table]
        known = [value for value in projected if value is not None]
        if not known:
            continue
        if name == in_pairs:
            known = [min(value, float(target)) for value in known]
        whole = float(np.median(table[:, -1]))
        ends = ((whole, whole), (min(known), max(known)))
        title = Message("{name}, projected", name=name)
        far.append(Series(title, (float(sizes[-1]), float(target)), (whole, float(np.median(known))), "line", ends))
    notes = (
        Message(
            "A projection, not a measurement: power laws fitted to random subsets of {documents} documents, "
            "{draws} draws; bands show the smallest to the largest of these.",
            documents=f"{rows.documents:,}",
            draws=_DRAWS,
        ),
        Message(
            "It is valid only if these documents are a random sample of those pages: a collection chosen for its "
            "copies gives far too many pairs."
        ),
        settings_of(request),
    )
    axes = Axis(Message("pages"), log=True), Axis(Message("number"), log=True)
    return Figure(Message("Sentences and pairs by number of pages"), *axes, (*lines, *far), notes)


def _projected(sizes: list[int], counts: NDArray[np.float64], target: int) -> float | None:
    """The count at ``target`` by the power law that fits ``counts`` best; None if fewer than two are positive."""
    positive = counts > 0
    if positive.sum() < 2:
        return None
    x, y = np.log(np.array(sizes)[positive]), np.log(counts[positive])
    slope = float(np.polyfit(x, y, 1)[0])
    # Through the largest part, whose count is the most exact.
    return float(np.exp(y[-1] + slope * (np.log(target) - x[-1])))


def _read(ctx: Context, path: Path, request: FigureRequest) -> _Rows:
    from workbench.methods.rare_sentences.parameters import RareSentencesParameters
    from workbench.methods.rare_sentences.sentences import read

    values = base_run(ctx, path, METHOD, request).parameters if request.runs else {}
    parameters = registry.get(METHOD).parameters.parse(values)
    assert isinstance(parameters, RareSentencesParameters)
    hashes, document, long = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)]
    documents = 0
    with open_project(path, write=False) as project, project.read() as connection:
        for batch in batches(_documents(connection, request)):
            ctx.check()
            sentences = read(batch, replace(parameters, min_length=1))
            hashes.append(sentences.hashes)
            document.append(sentences.document.astype(np.int64) + documents)
            long.append(sentences.length >= parameters.min_length)
            documents += len(batch)
            ctx.advance(Message("Counting sentences"), documents)
    numbered = np.unique(np.concatenate(hashes), return_inverse=True)[1].astype(np.int64)
    return _Rows(numbered, np.concatenate(document), np.concatenate(long), documents, parameters.max_documents)
