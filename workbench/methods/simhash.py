"""SimHash: documents whose fingerprints differ in few bits."""

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
    from workbench.methods.simhash_index import SimHashIndex


@dataclass(frozen=True)
class SimHashParameters(Parameters):
    """Features, fingerprint, and how far two may be apart.

    128 bits of which 97 are equal is the setting of seed 003, section 5.4; 64 bits and a distance of 3 that of Manku,
    Jain and Das Sarma. Counting each feature once keeps the most frequent phrases of a language from making unrelated
    documents alike.
    """

    bits: int = parameter(128, "Length of a fingerprint", choices=(64, 128), unit="bits", paper=128)
    max_distance: int = parameter(
        31, "Bits that may differ; 3 is usual with 64 bits", low=0, high=63, unit="bits", paper=31
    )
    k: int = parameter(4, "Length of a feature", low=1, high=100, unit="tokens")
    weights: str = parameter(
        "once",
        "Weight of a feature: its frequency in the document, 1 + ln of that, or 1",
        choices=("once", "log", "frequency"),
        paper="frequency",
    )
    search: str = parameter(
        "auto",
        "Measure all fingerprints, or those with equal blocks in permuted tables: the same pairs in other time",
        choices=("auto", "tables", "scan"),
    )
    max_pairs: int = parameter(
        1000, "Pairs kept for one document, the nearest; the others are counted", low=1, high=10**9
    )
    tokens: str = tokens_parameter()
    compare: str = compare_parameter()
    kana: bool = kana_parameter()
    variants: str = variants_parameter()
    ruby: bool = ruby_parameter()


class SimHash(CollectionMethod):
    """The method ``simhash``. A pair's score is the share of equal bits.

    Evidence: ``distance`` in bits, ``bits``, and the ``cosine`` between the feature vectors that they amount to
    (Charikar's estimate, cos(pi · distance / bits)).
    """

    name = "simhash"
    version = 1
    summary = "Documents whose SimHash fingerprints differ in few bits"
    source = "Charikar: Similarity Estimation Techniques from Rounding Algorithms (2002)"
    parameters = SimHashParameters
    emits = frozenset({"pairs"})

    def index_key(self, parameters: SimHashParameters) -> str:
        """The parameters that shape fingerprints and tables."""
        p = parameters
        return f"{p.compare}-{p.bits}-{p.max_distance}-{p.k}-{p.weights}-{p.search}-{token_key(p)}"

    def prepare(self, corpus: Corpus, parameters: SimHashParameters, folder: Path, watch: Watcher) -> None:
        """Write the fingerprints and, where they save time, the permuted tables. Raises Cancelled."""
        from workbench.methods.simhash_index import build

        build(gathered(corpus, self.roles(parameters)[0], watch), parameters, watch).save(folder)

    def load(self, folder: Path, parameters: SimHashParameters) -> SimHashIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.simhash_index import SimHashIndex

        return SimHashIndex.load(folder)

    def detect(
        self, index: SimHashIndex, documents: Sequence[Document], parameters: SimHashParameters, watch: Watcher
    ) -> Results:
        """Pairs of ``documents`` with the indexed documents before them that are near enough."""
        from workbench.methods.simhash_index import find

        parts = []
        for batch in batches(documents):
            watch.check()
            parts.append(find(index, batch, limits(index.order, batch), parameters, watch))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: SimHashParameters) -> Results:
        """The pair alone, whatever its roles and keys."""
        from workbench.methods.simhash_index import build, find

        watch = Unwatched()
        return find(build([[b]], parameters, watch), [a], [1], parameters, watch)

    def explain(
        self, a: Document, b: Document, parameters: SimHashParameters, index: SimHashIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` make a pair or not; with ``index`` also whether ``a`` has too many nearer ones."""
        from workbench.methods.simhash_explain import explain

        return explain(a, b, parameters, index)


METHOD = SimHash()
