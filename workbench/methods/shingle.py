"""Shingling: exact resemblance and containment of the sets of token k-grams, by an inverted index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Results
from workbench.methods.api import Corpus, Explanation, Parameters, parameter
from workbench.methods.collection import CollectionMethod, batches, gathered, limits, merged
from workbench.methods.token_parameters import (
    compare_parameter,
    kana_parameter,
    ruby_parameter,
    token_key,
    tokens_parameter,
    variants_parameter,
)

if TYPE_CHECKING:
    from workbench.methods.shingle_index import ShingleIndex


@dataclass(frozen=True)
class ShingleParameters(Parameters):
    """Shingles, and from which shares on a pair counts."""

    k: int = parameter(4, "Length of a shingle", low=1, high=100, unit="tokens")
    min_resemblance: float = parameter(
        0.5, "Resemblance at which a pair counts; above 1 for never", low=0.01, high=1.01
    )
    min_containment: float = parameter(
        0.9, "Containment, in either direction, at which a pair counts; above 1 for never", low=0.01, high=1.01
    )
    max_documents: int = parameter(
        1000,
        "A shingle in more documents finds no pairs by itself (it still counts in the pairs that others find)",
        low=2,
        high=10**9,
        unit="documents",
    )
    tokens: str = tokens_parameter()
    compare: str = compare_parameter()
    kana: bool = kana_parameter()
    variants: str = variants_parameter()
    ruby: bool = ruby_parameter()


class Shingling(CollectionMethod):
    """The method ``shingle``. A pair's score is its resemblance.

    Evidence: distinct shingles of both documents, how many they share, and the containment of ``b`` in ``a``;
    ``containment`` is that of ``a`` in ``b``. A document of fewer than k tokens has one shingle, all of it. Shares are
    exact up to collisions of 64-bit hashes.
    """

    name = "shingle"
    version = 1
    summary = "Resemblance and containment of sets of token k-grams"
    source = "Broder: On the Resemblance and Containment of Documents (1997)"
    parameters = ShingleParameters
    emits = frozenset({"pairs"})

    def index_key(self, parameters: ShingleParameters) -> str:
        """The parameters that shape the sets."""
        return f"{parameters.compare}-{parameters.k}-{token_key(parameters)}"

    def prepare(self, corpus: Corpus, parameters: ShingleParameters, folder: Path, watch: Watcher) -> None:
        """Write the sets of shingles and the inverted index. Raises Cancelled."""
        from workbench.methods.shingle_index import build

        build(gathered(corpus, self.roles(parameters)[0], watch), parameters, watch).save(folder)

    def load(self, folder: Path, parameters: ShingleParameters) -> ShingleIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.shingle_index import ShingleIndex

        return ShingleIndex.load(folder, parameters.max_documents)

    def detect(
        self, index: ShingleIndex, documents: Sequence[Document], parameters: ShingleParameters, watch: Watcher
    ) -> Results:
        """Pairs of ``documents`` with the indexed documents before them that reach either threshold."""
        from workbench.methods.shingle_index import find

        parts = []
        for batch in batches(documents):
            watch.check()
            parts.append(find(index, batch, limits(index.order, batch), parameters, watch))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: ShingleParameters) -> Results:
        """The pair alone, whatever its roles and keys."""
        from workbench.methods.shingle_index import build, find

        watch = Unwatched()
        index = build([[b]], parameters, watch)
        return find(index, [a], [1], parameters, watch)

    def explain(
        self, a: Document, b: Document, parameters: ShingleParameters, index: ShingleIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` make a pair or not; with ``index`` also whether what they share is too frequent."""
        from workbench.methods.shingle_explain import explain

        return explain(a, b, parameters, index)


METHOD = Shingling()
