"""A sketch: each document is encoded separately, and documents with a common key are compared.

A method of this kind is a subclass of :class:`PairSketch` (or of :class:`Sketch`, if it finds passages), with a few
plain functions over columns. Building, saving, opening and querying the index, and counting omissions, are
shared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import PackedRows
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.code_points import text_hashes
from workbench.kernels.sketches.postings import CandidatePairs, Lists, candidate_pairs
from workbench.methods.core.api import NEAR_DUPLICATE
from workbench.methods.core.collection import EMPTY, load_arrays, places, save_arrays
from workbench.methods.core.collection import keys as document_keys
from workbench.methods.core.tokenising import end_to_end
from workbench.methods.sketches.columns import Columns, Keys, Postings, compact, flat, join, take, unflat

_POSTINGS = ("order", "keys", "holders", "tables")
_TEXT = "text"
Measures = dict[str, NDArray[Any]]
"""A column for each figure of some pairs."""


@dataclass(frozen=True, slots=True)
class Index:
    """D documents that are not empty; ``order`` int64 [D] are their positions in the collection."""

    order: NDArray[np.int64]
    columns: Columns
    postings: Postings

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        own = (self.order, self.postings.keys, self.postings.holders, self.postings.tables)
        save_arrays(folder, dict(zip(_POSTINGS, own, strict=True)) | flat(self.columns))


@dataclass(frozen=True, slots=True)
class Lookup:
    """d documents looked up in an index: their ``columns``, the index's ``lists`` of their keys (except empty and too
    frequent ones), and the ``rows`` of these keys among all of their keys.

    ``frequent`` int64 [d]: number of keys omitted as too frequent; ``before`` int64 [d]: number of indexed
    documents with which each is compared.
    """

    documents: Sequence[Document]
    columns: Columns
    lists: Lists
    rows: NDArray[np.int64]
    frequent: NDArray[np.int64]
    before: NDArray[np.int64]


class Sketch(ABC):
    """A sketch. Its columns include ``size`` (int64 [d]): the number of ``elements`` of each document.

    ``limit``: the parameter that limits the holders of a key; ``frequent``, ``empty``: the reasons under which keys
    beyond it and documents without elements are counted. ``kept``: the columns in the index. If these are all (the
    default), the encoding of a document must depend on its text only, as that of indexed documents is read from the
    index. ``counts_frequent``: keys beyond the limit find no pairs, but count in pairs found by others.

    ``key_name``, ``summaries``: words of an explanation (see :mod:`workbench.methods.sketches.explaining`).
    """

    elements: Message
    frequent: Message
    empty = EMPTY
    limit = "max_documents"
    kept: tuple[str, ...] = ()
    counts_frequent = False
    key_name: Message | None = None
    summaries: ClassVar[Mapping[str, Message]] = {}

    @abstractmethod
    def encode(self, documents: Sequence[Document], parameters: Any) -> Columns:
        """The columns of ``documents``."""

    @abstractmethod
    def keys(self, columns: Columns, parameters: Any) -> Keys:
        """The keys that make documents candidates."""

    @abstractmethod
    def results_of(self, index: Index, lookup: Lookup, parameters: Any, progress: Progress) -> Results:
        """The common content of the documents and the indexed documents on their lists. Raises Cancelled."""

    def holders(self, columns: Columns) -> NDArray[Any] | None:
        """The holders of each key in the index, if not documents."""
        return None

    def build(
        self,
        groups: Iterable[Sequence[Document]],
        parameters: Any,
        progress: Progress,
        folder: Path | None = None,
        base: Index | None = None,
    ) -> Index:
        """Index of documents, given in groups in the collection's order, after those of ``base``, which contains all
        columns. With ``folder`` the columns are in temporary files there. Raises Cancelled.
        """
        order = [np.zeros(0, np.int64) if base is None else base.order]

        def parts() -> Iterator[Columns]:
            yield self._encoded([], parameters) if base is None else base.columns
            for group in groups:
                columns = self._encoded(group, parameters)
                some = np.flatnonzero(columns["size"])
                order.append(places(group)[some])
                yield columns if len(some) == len(group) else take(columns, some)
                progress.check()

        columns = join(parts(), folder)
        places_of = np.concatenate(order)
        if (places_of[1:] < places_of[:-1]).any():
            sorted_places = np.argsort(places_of)
            columns, places_of = take(columns, sorted_places), places_of[sorted_places]
        postings = Postings.of(self.keys(columns, parameters), self.holders(columns), progress, folder)
        return Index(places_of, self._kept(columns), postings)

    def load(self, folder: Path, parameters: Any) -> Index:
        """Open a saved index, memory-mapped. Raises UserError if it is damaged."""
        like = self._kept(self._encoded([], parameters))
        arrays, _ = load_arrays(folder, (*_POSTINGS, *flat(like)))
        order, *postings = (arrays[name] for name in _POSTINGS)
        return Index(order, unflat(arrays, like), Postings(*postings))

    def find(
        self,
        index: Index,
        documents: Sequence[Document],
        before: Sequence[int] | NDArray[np.int64],
        parameters: Any,
        progress: Progress,
    ) -> Results:
        """The common content of each document and the first ``before[i]`` indexed documents. Raises Cancelled."""
        own = self._known(index, documents, parameters)
        lists = index.postings.find(self.keys(own, parameters))
        number = lists.last - lists.first
        empty = own["size"] == 0
        full = (number > getattr(parameters, self.limit)) & ~empty[lists.owner]
        rows = np.flatnonzero((number > 0) & ~full & ~empty[lists.owner])
        frequent = np.bincount(lists.owner[full], minlength=len(documents))
        limits = np.minimum(before, len(index.order)).astype(np.int64)
        results = self.results_of(
            index, Lookup(documents, own, lists.take(rows), rows, frequent, limits), parameters, progress
        )
        excluded = Counter({self.empty: int(empty.sum()), self.frequent: int(full.sum())}) + Counter(results.excluded)
        return Results(results.matches, results.pairs, excluded=dict(excluded))

    def _encoded(self, documents: Sequence[Document], parameters: Any) -> Columns:
        columns = self.encode(documents, parameters)
        return columns if self.kept else columns | {_TEXT: text_hashes(*end_to_end(documents))}

    def _kept(self, columns: Columns) -> Columns:
        return {name: column for name, column in columns.items() if not self.kept or name in self.kept}

    def _known(self, index: Index, documents: Sequence[Document], parameters: Any) -> Columns:
        """Columns of ``documents``; for documents indexed with the same text, from ``index``."""
        if self.kept or not len(index.order):
            return self._encoded(documents, parameters)
        own = places(documents)
        at = np.minimum(np.searchsorted(index.order, own), len(index.order) - 1)
        known = index.order[at] == own
        some = np.flatnonzero(known)
        known[some] = index.columns[_TEXT][at[some]] == text_hashes(*end_to_end([documents[i] for i in some.tolist()]))
        rest = np.flatnonzero(~known)
        encoded = self._encoded([documents[i] for i in rest.tolist()], parameters)
        if len(rest) == len(own):
            return encoded
        both = join([take(index.columns, at[known]), encoded])
        return take(both, np.argsort(np.concatenate([np.flatnonzero(known), rest])))


class PairSketch(Sketch):
    """A method that finds pairs: those of which any figure in ``needed`` reaches its parameter; the first figure is the
    score, and determines near-duplicates.
    """

    needed: tuple[tuple[Message, str], ...]

    @abstractmethod
    def measure(self, mine: Columns, theirs: Columns, met: CandidatePairs, parameters: Any) -> Measures:
        """Figures of candidate pairs."""

    @abstractmethod
    def evidence(
        self, mine: Columns, theirs: Columns, met: CandidatePairs, measures: Measures, parameters: Any
    ) -> Measures:
        """For pairs that meet a requirement: ``resemblance`` and ``containment``, if known, and the stored evidence;
        ``score``, if it is not the first figure.
        """

    def remark(
        self, name: Message, documents: Sequence[Document], measures: Measures, parameters: Any
    ) -> Message | None:
        """A remark for the explanation of the figure called ``name`` of two documents."""
        return None

    def further(self, measures: Measures, parameters: Any) -> Sequence[tuple[Message, bool, Message]]:
        """What the first pair must also meet: name, whether it does, and the figures."""
        return ()

    def reaching(self, measures: Measures, parameters: Any) -> NDArray[np.bool_]:
        """Which rows reach any of the needed figures, and meet all of :meth:`further`."""
        any_of: NDArray[np.bool_] = np.logical_or.reduce(
            [measures[name] >= getattr(parameters, least) for name, least in self.needed]
        )
        return any_of

    def candidates(
        self, index: Index, lookup: Lookup, met: CandidatePairs, parameters: Any
    ) -> tuple[CandidatePairs, Measures]:
        """Candidate pairs with their figures; pairs that cannot meet any requirement may be omitted."""
        return met, self.measure(lookup.columns, index.columns, met, parameters)

    def results_of(self, index: Index, lookup: Lookup, parameters: Any, progress: Progress) -> Results:
        """The pairs that meet a requirement. Raises Cancelled."""
        keys = np.array([d.key for d in lookup.documents], np.int64), document_keys(index.order)
        batches = candidate_pairs(lookup.lists, index.postings.holders, lookup.before, len(index.order), progress)
        pairs = []
        for batch in batches:
            met, measures = self.candidates(index, lookup, batch, parameters)
            enough = self.reaching(measures, parameters)
            met, measures = met.take(enough), {name: column[enough] for name, column in measures.items()}
            evidence = self.evidence(lookup.columns, index.columns, met, measures, parameters)
            first, least = self.needed[0]
            near = (measures[first] >= getattr(parameters, least)).tolist()
            stored = {name: compact(column) for name, column in evidence.items()}
            score, none = stored.pop("score", compact(measures[first])), [None] * len(near)
            shares = stored.pop("resemblance", none), stored.pop("containment", none)
            relation = [NEAR_DUPLICATE if one else None for one in near]
            a, b = keys[0][met.mine], keys[1][met.other]
            pairs.append(PairScores(a, b, score, *shares, relation, PackedRows(stored)))
        return Results(pairs=PairScores.concatenate(pairs))
