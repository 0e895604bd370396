"""Collections compared with themselves: whom each document meets, and indexes as files.

Documents are held in one order, sources before suspects and each by key. A document is compared with those before it,
so that every pair is met once, by its suspect where the roles differ and else by the later key, however the work is
divided.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Matches, Results, Role
from workbench.methods.api import Corpus, Explanation

_BATCH = 1 << 19
"""Code points of a batch, unless one document is longer: some hundredths of a second of work."""
_RANK = {Role.SOURCE: 0, Role.SUSPECT: 1, Role.BACKGROUND: 2}
_FACTS = "index.json"
EMPTY = "documents without text to compare"


class CompareSettings(Protocol):
    """A method's parameters as far as they say which documents meet."""

    @property
    def compare(self) -> str:
        """``all`` or ``sources``."""


class CollectionMethod:
    """Base of methods that compare suspects and sources, all with each other or suspects with sources.

    A method called NAME has a module NAME_index with ``build``, ``find`` and ``load``, and one NAME_explain with
    ``explain``. They need the kernels, so they are imported only where work is done.
    """

    name: str
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)
    examined: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)

    def roles(self, parameters: CompareSettings) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Suspects and sources on both sides, or sources against suspects."""
        if parameters.compare == "all":
            return self.indexed, self.examined
        return (Role.SOURCE,), (Role.SUSPECT,)

    def prepare(self, corpus: Corpus, parameters: Any, folder: Path, watch: Watcher) -> None:
        """Write the index, a batch of documents in memory at a time. Raises Cancelled."""
        self._module("index").build(gathered(corpus, self.roles(parameters)[0], watch), parameters, watch).save(folder)

    def load(self, folder: Path, parameters: Any) -> Any:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        return self._module("index").load(folder, parameters)

    def detect(self, index: Any, documents: Sequence[Document], parameters: Any, watch: Watcher) -> Results:
        """What ``documents`` share with the indexed documents before them."""
        parts = []
        for batch in batches(documents):
            watch.check()
            parts.append(self._module("index").find(index, batch, limits(index.order, batch), parameters, watch))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: Any) -> Results:
        """The pair alone, whatever its roles and keys."""
        index = self._module("index")
        return cast(Results, index.find(index.build([[b]], parameters, Unwatched()), [a], [1], parameters, Unwatched()))

    def explain(self, a: Document, b: Document, parameters: Any, index: Any | None = None) -> Explanation:
        """Why ``a`` and ``b`` make a pair or not; with ``index`` also whether what they share is too frequent."""
        return cast(Explanation, self._module("explain").explain(a, b, parameters, index))

    def _module(self, part: str) -> Any:
        return import_module(f"workbench.methods.{self.name}_{part}")


def gathered(corpus: Corpus, roles: Sequence[Role], watch: Watcher) -> Iterator[list[Document]]:
    """Documents of ``roles`` in the collection's order, in batches, with progress. Raises Cancelled."""
    if not corpus.count(*roles):
        watch.warn(f"There are no documents to compare with ({' or '.join(roles)}).")
    total, done = corpus.count(*roles), 0
    in_order = chain.from_iterable(corpus.documents(role) for role in sorted(roles, key=_RANK.__getitem__))
    for batch in batches(in_order):
        watch.check()
        yield batch
        done += len(batch)
        watch.advance("Indexing documents", done, total)
    watch.check()


def batches(documents: Iterable[Document], size: int = _BATCH) -> Iterator[list[Document]]:
    """Documents in order, in lists of about ``size`` code points."""
    batch: list[Document] = []
    held = 0
    for document in documents:
        if batch and held + len(document.text) > size:
            yield batch
            batch, held = [], 0
        batch.append(document)
        held += len(document.text)
    if batch:
        yield batch


def places(documents: Sequence[Document]) -> NDArray[np.int64]:
    """Numbers that ascend in the collection's order: int64."""
    return np.array([_RANK[d.role] << 60 | d.key for d in documents], np.int64)


def limits(order: NDArray[np.int64], documents: Sequence[Document]) -> NDArray[np.int64]:
    """How many of the indexed documents, whose places are ``order``, stand before each of ``documents``."""
    return np.searchsorted(order, places(documents))


def keys(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Document keys behind ``order``."""
    return order & np.int64((1 << 60) - 1)


def merged(parts: Sequence[Results]) -> Results:
    """The pairs and matches of several calls together."""
    excluded: Counter[str] = Counter()
    for part in parts:
        excluded.update(part.excluded)
    matches = Matches.concatenate([part.matches for part in parts])
    return Results(matches, tuple(p for part in parts for p in part.pairs), excluded=dict(excluded))


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any] | None = None) -> None:
    """Write ``arrays``, one file each, and ``facts`` (JSON) into ``folder``."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    sizes = {name: len(array) for name, array in arrays.items()}
    (folder / _FACTS).write_text(json.dumps({"sizes": sizes, **(facts or {})}), encoding="utf-8")


def load_arrays(folder: Path, names: Sequence[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Saved arrays, memory-mapped, and facts. Raises UserError when a file is missing or damaged."""
    try:
        facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
        # Copy-on-write maps look writable, as freshly built arrays do: the kernels are compiled once for both.
        arrays = {n: np.asarray(np.load(folder / f"{n}.npy", mmap_mode="c", allow_pickle=False)) for n in names}
        if any(len(arrays[n]) != facts["sizes"][n] for n in names):
            raise ValueError("sizes disagree")
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(
            "The index is damaged.", path=folder, hint="Delete this folder; it is built again from the project."
        ) from error
    return arrays, facts
