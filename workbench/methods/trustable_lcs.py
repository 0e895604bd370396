"""Trustable LCS: near-duplicate pages by the part of their longest common subsequence that can be trusted.

Source: Huang, Wang and Li (2007), in its three steps: candidates by fingerprints of groups of sentences,
filter skeletons, edit script with trustable region.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Results, Role
from workbench.methods.api import Corpus, Explanation
from workbench.methods.collection import gathered
from workbench.methods.trustable_lcs_parameters import TrustableParameters

if TYPE_CHECKING:
    from workbench.methods.trustable_lcs_index import TrustableIndex

WITHOUT = "documents without any fingerprint"
DROPPED = "fingerprints in too many documents"
MORE = "documents with more candidates than the limit"
REFUSED = {
    "skeleton bound": "candidates refused by their skeletons",
    "longest stretch": "candidates that differ over too long a stretch",
    "slope": "candidates without a trustable region",
    "thresholds": "candidates below both thresholds",
}
"""Reasons by the step (``trustable_lcs_pair.Step``) that refused a candidate."""


class TrustableLcs:
    """The method ``trustable-lcs``. A pair's score is its resemblance, |TLCS| / (|A| + |B| - |TLCS|).

    ``containment`` is that of ``a`` in ``b``. Evidence of a pair: characters in ``common`` (|TLCS|), ``edits`` of the
    whole script, ``containment_b`` (of ``b`` in ``a``), number of ``regions``, the steepest ``slope`` among them, and
    the ``fingerprints`` shared (0: another page brought them together). Matches are the equal stretches of the regions;
    stretches no further apart than a window are one altered match.
    """

    name = "trustable-lcs"
    version = 3
    summary = "Near-duplicate pages by the trustable part of their common text"
    source = "Huang, Wang, Li: Near-duplicate Detection by Trustable LCS (2007)"
    parameters = TrustableParameters
    emits = frozenset({"pairs", "regions", "matches"})
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)
    examined: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)

    def roles(self, parameters: TrustableParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Suspects and sources, all with each other."""
        return self.indexed, self.examined

    def index_key(self, parameters: TrustableParameters) -> str:
        """The parameters that shape the candidates."""
        p = parameters
        shape = f"{p.min_sentence}-{p.rotations}-{p.groups}-{p.members}-{p.cover}-{p.short_pages:d}-{p.variants}"
        limits = f"{p.max_documents}-{p.template_documents}-{p.template_sites}-{p.transitive:d}-{p.max_candidates}"
        return f"{shape}-{limits}"

    def prepare(self, corpus: Corpus, parameters: TrustableParameters, folder: Path, watch: Watcher) -> None:
        """Write the candidate pairs and the texts. Raises Cancelled."""
        from workbench.methods.trustable_lcs_index import write

        write(gathered(corpus, self.indexed, watch), parameters, folder, watch)

    def load(self, folder: Path, parameters: TrustableParameters) -> TrustableIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.trustable_lcs_index import TrustableIndex

        return TrustableIndex.load(folder, parameters)

    def detect(
        self, index: TrustableIndex, documents: Sequence[Document], parameters: TrustableParameters, watch: Watcher
    ) -> Results:
        """Similar pairs of ``documents`` with the indexed documents before them."""
        from workbench.methods.trustable_lcs_pair import Page, Step, examine
        from workbench.methods.trustable_lcs_results import joined, results

        parts: list[Results] = []
        left_out: Counter[str] = Counter()
        silent: list[str] = []
        for document in documents:
            watch.check()
            number = index.number(document)
            if number is None:
                continue
            found = index.candidates
            if not found.prints[number]:
                silent.append(document.id)
            left_out[DROPPED] += int(found.dropped[number])
            left_out[MORE] += int(found.more[number])
            rows = range(int(found.starts[number]), int(found.starts[number + 1]))
            if not rows:
                continue
            page = Page.of(document.text, parameters)
            for row in rows:
                watch.check()
                other = int(found.partners[row])
                pages = page, index.page(other)
                examined = examine(*pages, parameters, watch)
                if examined.step is Step.SIMILAR:
                    keys, shared = (document.key, index.key(other)), int(found.shared[row])
                    parts.append(results(keys, pages, examined, parameters.window, shared))
                elif examined.step in REFUSED:
                    left_out[REFUSED[examined.step]] += 1
        left_out[WITHOUT] = len(silent)
        if silent:
            watch.warn(f"{WITHOUT.capitalize()}, for another method to compare: {', '.join(silent)}.")
        return joined(parts, left_out)

    def compare(self, a: Document, b: Document, parameters: TrustableParameters) -> Results:
        """The pair alone, by all three steps; no other page can bring it together."""
        from workbench.methods.trustable_lcs_candidates import fingerprints
        from workbench.methods.trustable_lcs_pair import Page, Step, examine
        from workbench.methods.trustable_lcs_results import joined, results

        prints = fingerprints([a, b], parameters)
        shared = len(np.intersect1d(prints.of(0), prints.of(1), assume_unique=True))
        left_out = Counter({WITHOUT: int((np.diff(prints.bounds) == 0).sum())})
        if not shared:
            return joined([], left_out)
        pages = Page.of(a.text, parameters), Page.of(b.text, parameters)
        examined = examine(*pages, parameters, Unwatched())
        if examined.step is Step.SIMILAR:
            return joined([results((a.key, b.key), pages, examined, parameters.window, shared)], left_out)
        if examined.step in REFUSED:
            left_out[REFUSED[examined.step]] += 1
        return joined([], left_out)

    def explain(
        self, a: Document, b: Document, parameters: TrustableParameters, index: TrustableIndex | None = None
    ) -> Explanation:
        """Which step refused the pair, or that it is similar; with ``index`` also by the rules on frequency."""
        from workbench.methods.trustable_lcs_explain import explain

        return explain(a, b, parameters, index)


METHOD = TrustableLcs()
