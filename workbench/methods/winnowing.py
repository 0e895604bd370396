"""Winnowing: common strings, found by a few k-grams of each window."""

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
    from workbench.methods.winnowing_index import WinnowingIndex


@dataclass(frozen=True)
class WinnowingParameters(Parameters):
    """k-grams, windows, and what is joined.

    Strings of fewer than k tokens are never found, strings of window + k - 1 tokens or more always. The defaults suit
    Chinese and Japanese, where a token is a character; for words k = 6 and a window of 4 find shorter borrowings.
    """

    k: int = parameter(13, "Length of a k-gram; shorter strings are not found", low=1, high=100, unit="tokens")
    window: int = parameter(8, "k-grams in a row of which one is kept", low=1, high=1000)
    gap: int = parameter(
        4,
        "Strings with at most this many replaced tokens between them are one passage",
        low=0,
        high=1000,
        unit="tokens",
    )
    max_places: int = parameter(
        1000, "A k-gram at more places of the documents finds nothing", low=1, high=10**9, unit="places"
    )
    tokens: str = tokens_parameter()
    compare: str = compare_parameter()
    kana: bool = kana_parameter()
    variants: str = variants_parameter()
    ruby: bool = ruby_parameter()

    @property
    def guaranteed(self) -> int:
        """Length from which a common string is always found, in tokens."""
        return self.window + self.k - 1


class Winnowing(CollectionMethod):
    """The method ``winnowing``. A match's score is the number of equal tokens.

    Evidence: equal ``tokens``, equal ``fingerprints`` among them, and the ``parts`` that were joined because they stand
    at the same offset difference. Tier 0: written alike; 1: alike after folding; 2: joined from parts.
    """

    name = "winnowing"
    version = 1
    summary = "Common strings by the fingerprints that winnowing keeps"
    source = "Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting (2003)"
    parameters = WinnowingParameters
    emits = frozenset({"matches"})

    def index_key(self, parameters: WinnowingParameters) -> str:
        """The parameters that shape tokens and fingerprints."""
        return f"{parameters.compare}-{parameters.k}-{parameters.window}-{token_key(parameters)}"

    def prepare(self, corpus: Corpus, parameters: WinnowingParameters, folder: Path, watch: Watcher) -> None:
        """Write the documents' tokens and fingerprints. Raises Cancelled."""
        from workbench.methods.winnowing_index import build

        build(gathered(corpus, self.roles(parameters)[0], watch), parameters, watch).save(folder)

    def load(self, folder: Path, parameters: WinnowingParameters) -> WinnowingIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.winnowing_index import WinnowingIndex

        return WinnowingIndex.load(folder)

    def detect(
        self, index: WinnowingIndex, documents: Sequence[Document], parameters: WinnowingParameters, watch: Watcher
    ) -> Results:
        """Passages that ``documents`` share with the indexed documents before them."""
        from workbench.methods.winnowing_index import find

        parts = []
        for batch in batches(documents):
            watch.check()
            parts.append(find(index, batch, limits(index.order, batch), parameters, watch))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: WinnowingParameters) -> Results:
        """The passages of the pair alone, whatever its roles and keys."""
        from workbench.methods.winnowing_index import build, find

        watch = Unwatched()
        return find(build([[b]], parameters, watch), [a], [1], parameters, watch)

    def explain(
        self, a: Document, b: Document, parameters: WinnowingParameters, index: WinnowingIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` match or not; with ``index`` also whether what they share is too frequent."""
        from workbench.methods.winnowing_explain import explain

        return explain(a, b, parameters, index)


METHOD = Winnowing()
