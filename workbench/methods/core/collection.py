"""Comparing a collection with itself: which documents are compared, and indexes as files.

Documents have one order: sources before suspects, each by key. A document is compared with those before it,
so that every pair is compared once, under its suspect if the roles differ and otherwise under the greater key, however
the work is divided.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Matches, PairScores, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Method

_BATCH = 1 << 19
"""Code points per batch, unless one document is longer: a few hundredths of a second of work."""
_BOTH = (Role.SOURCE, Role.SUSPECT)
_RANK = {Role.SOURCE: 0, Role.SUSPECT: 1, Role.BACKGROUND: 2}
_FACTS = "index.json"
EMPTY = Message("documents without text to compare")


class CompareSettings(Protocol):
    """The parameters that determine which documents are compared."""

    @property
    def compare(self) -> str:
        """``all`` or ``sources``."""


class CollectionMethod(Method):
    """Base of methods that compare suspects and sources, all with each other or suspects with sources."""

    indexed: tuple[Role, ...] = _BOTH
    examined: tuple[Role, ...] = _BOTH

    @abstractmethod
    def implementation(self) -> tuple[Any, Any, Any]:
        """The modules, or objects, with ``build`` and ``load``, with ``find``, and with ``explain``; all need the
        kernels.
        """

    def roles(self, parameters: CompareSettings) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Sources and suspects on both sides, or sources on one side and suspects on the other."""
        return (_BOTH, _BOTH) if parameters.compare == "all" else ((Role.SOURCE,), (Role.SUSPECT,))

    def prepare(self, corpus: Corpus, parameters: Any, folder: Path, progress: Progress) -> None:
        """Write the index, a batch of documents in memory at a time. Raises Cancelled."""
        self.implementation()[0].build(
            read_batches(corpus, self.roles(parameters)[0], progress), parameters, progress
        ).save(folder)

    def load(self, folder: Path, parameters: Any) -> Any:
        """Open a prepared index, memory-mapped. Raises UserError if it is damaged."""
        return self.implementation()[0].load(folder, parameters)

    def detect(self, index: Any, documents: Sequence[Document], parameters: Any, progress: Progress) -> Results:
        """The text that ``documents`` share with the indexed documents before them."""
        parts = []
        for batch in batches(documents):
            progress.check()
            parts.append(self.implementation()[1].find(index, batch, limits(index.order, batch), parameters, progress))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: Any) -> Results:
        """The pair alone, regardless of roles and keys."""
        indexing, finding, _ = self.implementation()
        index = indexing.build([[b]], parameters, NullProgress())
        return cast(Results, finding.find(index, [a], [1], parameters, NullProgress()))

    def explain(self, a: Document, b: Document, parameters: Any, index: Any | None = None) -> Explanation:
        """Why ``a`` and ``b`` make a pair or not; with an ``index`` that contains ``b``, also whether their common text
        is too frequent. The result of :meth:`detect` for the pair decides.
        """
        results = None if index is None else self.detect_pair(index, a, b, parameters)
        if results is None:
            index, results = None, self.compare(a, b, parameters)
        return cast(Explanation, self.implementation()[2].explain(a, b, parameters, index, results))

    def detect_pair(self, index: Any, a: Document, b: Document, parameters: Any) -> Results | None:
        """The pair by an ``index`` that contains ``b``, also if that comes after ``a``; None for any other index."""
        limit = limit_for_pair(index.order, a, b)
        if limit is None:
            return None
        return of_pair(self.implementation()[1].find(index, [a], [limit], parameters, NullProgress()), b)


def read_batches(corpus: Corpus, roles: Sequence[Role], progress: Progress) -> Iterator[list[Document]]:
    """Documents of ``roles`` in the collection's order, in batches, with progress. Raises Cancelled."""
    if not corpus.count(*roles):
        progress.warn(Message("There are no documents to compare with ({roles}).", roles=" or ".join(roles)))
    total, done = corpus.count(*roles), 0
    in_order = chain.from_iterable(corpus.documents(role) for role in sorted(roles, key=_RANK.__getitem__))
    for batch in batches(in_order):
        progress.check()
        yield batch
        done += len(batch)
        progress.advance(Message("Indexing documents"), done, total)
    progress.check()


def batches(documents: Iterable[Document], size: int = _BATCH) -> Iterator[list[Document]]:
    """Documents in order, in lists of about ``size`` code points."""
    batch: list[Document] = []
    length = 0
    for document in documents:
        if batch and length + len(document.text) > size:
            yield batch
            batch, length = [], 0
        batch.append(document)
        length += len(document.text)
    if batch:
        yield batch


def places(documents: Sequence[Document]) -> NDArray[np.int64]:
    """Numbers that sort in the collection's order: int64."""
    return np.array([_RANK[d.role] << 60 | d.key for d in documents], np.int64)


def limits(order: NDArray[np.int64], documents: Sequence[Document]) -> NDArray[np.int64]:
    """Number of indexed documents, with the positions ``order``, that precede each of ``documents``."""
    return np.searchsorted(order, places(documents))


def limit_for_pair(order: NDArray[np.int64], a: Document, b: Document) -> int | None:
    """Number of indexed documents, with the positions ``order``, to compare with ``a`` so that ``b`` is included: those
    before it; all if ``b`` comes later. None if ``b`` is not indexed.
    """
    at, place = int(limits(order, [b])[0]), places([b])[0]
    if at == len(order) or order[at] != place:
        return None
    before = int(limits(order, [a])[0])
    return before if at < before else len(order)


def of_pair(results: Results, b: Document) -> Results:
    """The part of one document's ``results`` that is about ``b``."""
    matches = results.matches
    pairs = tuple(pair for pair in results.pairs if pair.b == b.key)
    return Results(matches.take(np.flatnonzero(matches.b == b.key)), pairs)


def keys(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Document keys of the positions ``order``."""
    return order & np.int64((1 << 60) - 1)


def merged(parts: Sequence[Results]) -> Results:
    """The pairs and matches of several calls together."""
    excluded: Counter[str] = Counter()
    for part in parts:
        excluded.update(part.excluded)
    matches = Matches.concatenate([part.matches for part in parts])
    return Results(matches, PairScores.concatenate([part.pairs for part in parts]), excluded=dict(excluded))


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any] | None = None) -> None:
    """Write ``arrays``, one file each, and ``facts`` (JSON) into ``folder``."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    sizes = {name: len(array) for name, array in arrays.items()}
    (folder / _FACTS).write_text(json.dumps({"sizes": sizes, **(facts or {})}), encoding="utf-8")


def load_arrays(folder: Path, names: Sequence[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Saved arrays, memory-mapped, and facts. Raises UserError if a file is missing or damaged."""
    try:
        facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
        # Copy-on-write maps are writable, like freshly built arrays, so the kernels are compiled only once for both.
        arrays = {n: np.asarray(np.load(folder / f"{n}.npy", mmap_mode="c", allow_pickle=False)) for n in names}
        if any(len(arrays[n]) != facts["sizes"][n] for n in names):
            raise ValueError("sizes disagree")
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(
            Message("The index is damaged."),
            path=folder,
            hint=Message("Delete this folder; it will be rebuilt from the project."),
        ) from error
    return arrays, facts
