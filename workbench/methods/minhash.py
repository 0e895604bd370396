"""MinHash with banded locality-sensitive hashing: pairs that resemble each other, without meeting all others."""

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
    from workbench.methods.minhash_index import MinHashIndex


@dataclass(frozen=True)
class MinHashParameters(Parameters):
    """Signature, banding, and from which resemblance on a pair counts.

    A pair of resemblance s becomes a candidate with a probability of 1 - (1 - s^rows)^bands: with 32 bands of 4 rows
    0.87 at s = 0.5 and 0.999 at 0.65.
    """

    k: int = parameter(4, "Length of a shingle", low=1, high=100, unit="tokens")
    bands: int = parameter(32, "Bands of the signature; more bands find less similar pairs", low=1, high=512)
    rows: int = parameter(4, "Rows of a band; more rows leave out less similar pairs", low=1, high=64)
    min_resemblance: float = parameter(0.5, "Resemblance at which a pair counts", low=0.01, high=1.0)
    verify: str = parameter(
        "exact", "Take the resemblance from the sets of shingles, or from the signatures", choices=("exact", "estimate")
    )
    max_documents: int = parameter(
        1000, "A bucket of more documents finds no pairs", low=2, high=10**9, unit="documents"
    )
    tokens: str = tokens_parameter()
    compare: str = compare_parameter()
    kana: bool = kana_parameter()
    variants: str = variants_parameter()
    ruby: bool = ruby_parameter()

    @property
    def permutations(self) -> int:
        """Length of a signature."""
        return self.bands * self.rows


class MinHash(CollectionMethod):
    """The method ``minhash``. A pair's score is its resemblance, exact or estimated.

    Evidence: distinct shingles of both documents, how many they share, the containment of ``b`` in ``a``, the
    ``estimate`` of the resemblance by the signatures, and the ``bands`` in common. Shared shingles and containment are
    estimates too where the resemblance is.
    """

    name = "minhash"
    version = 1
    summary = "Resembling documents by MinHash signatures and banding"
    source = "Broder: On the Resemblance and Containment of Documents (1997)"
    parameters = MinHashParameters
    emits = frozenset({"pairs"})

    def index_key(self, parameters: MinHashParameters) -> str:
        """The parameters that shape signatures and bands."""
        p = parameters
        return f"{p.compare}-{p.k}-{p.bands}-{p.rows}-{p.verify}-{token_key(p)}"

    def prepare(self, corpus: Corpus, parameters: MinHashParameters, folder: Path, watch: Watcher) -> None:
        """Write the signatures, the sorted bands and, to verify exactly, the sets of shingles. Raises Cancelled."""
        from workbench.methods.minhash_index import build

        build(gathered(corpus, self.roles(parameters)[0], watch), parameters, watch).save(folder)

    def load(self, folder: Path, parameters: MinHashParameters) -> MinHashIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.minhash_index import MinHashIndex

        return MinHashIndex.load(folder)

    def detect(
        self, index: MinHashIndex, documents: Sequence[Document], parameters: MinHashParameters, watch: Watcher
    ) -> Results:
        """Pairs of ``documents`` with the indexed documents before them that share a band and reach the threshold."""
        from workbench.methods.minhash_index import find

        parts = []
        for batch in batches(documents):
            watch.check()
            parts.append(find(index, batch, limits(index.order, batch), parameters, watch))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: MinHashParameters) -> Results:
        """The pair alone, whatever its roles and keys."""
        from workbench.methods.minhash_index import build, find

        watch = Unwatched()
        return find(build([[b]], parameters, watch), [a], [1], parameters, watch)

    def explain(
        self, a: Document, b: Document, parameters: MinHashParameters, index: MinHashIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` make a pair or not; with ``index`` also whether their buckets are too full."""
        from workbench.methods.minhash_explain import explain

        return explain(a, b, parameters, index)


METHOD = MinHash()
