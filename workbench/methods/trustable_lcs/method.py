"""Trustable LCS: near-duplicate pages, by the trustable part of their longest common subsequence.

Source: Huang, Wang and Li (2007), in its three steps: candidates by fingerprints of groups of sentences,
filter skeletons, edit script with trustable region.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Question, Scale
from workbench.methods.core.collection import read_batches
from workbench.methods.core.figures import CHARACTERS, CONTAINMENT_B, FINGERPRINTS, Figure, decimal
from workbench.methods.trustable_lcs.parameters import TrustableParameters

if TYPE_CHECKING:
    from workbench.methods.trustable_lcs.index import TrustableIndex


def _region(value: float) -> Message:
    """A trustable region by its number."""
    return Message("R{number}", number=f"{value:.0f}")


class TrustableLcs(Method):
    """The method ``trustable-lcs``. A pair's score is its resemblance, |TLCS| / (|A| + |B| - |TLCS|).

    ``containment`` is of ``a`` in ``b``. Evidence of a pair: characters in ``common`` (|TLCS|), ``edits`` of the
    whole script, ``containment_b`` (of ``b`` in ``a``), number of ``regions``, the steepest ``slope`` among them, and
    the ``fingerprints`` shared (0: candidates through another page). Matches are the equal stretches of the regions;
    stretches no further apart than a window are one altered match.
    """

    facts = Facts(
        name="trustable-lcs",
        version=6,
        summary="Near-duplicate pages by the trustable part of their common text",
        source="Huang, Wang, Li: Near-duplicate Detection by Trustable LCS (2007)",
        parameters=TrustableParameters,
        emits=frozenset({"pairs", "regions", "matches"}),
        cannot_see=Message("Single copied passages, and editions with little left word for word."),
        figures={
            "common": Figure(Message("Characters in common"), Message("in trustable regions")),
            "edits": Figure(Message("Edits")),
            "containment_b": CONTAINMENT_B,
            "regions": Figure(Message("Trustable regions")),
            "slope": Figure(Message("Steepest slope"), Message("edits per character"), decimal),
            "fingerprints": FINGERPRINTS,
            "characters": CHARACTERS,
            "region": Figure(Message("Trustable region"), unit=_region),
        },
        question=Question(
            Message("Which pages are nearly the same?"),
            Message("Finds pages whose text is largely the same in the same order, regardless of what surrounds it."),
            ("slope", "min_resemblance", "min_containment"),
        ),
        scale=Scale("trustable"),
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)
    examined: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)
    detects_by_text = True

    def roles(self, parameters: TrustableParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Suspects and sources, all with each other."""
        return self.indexed, self.examined

    def accepts_unindexed(self, index: TrustableIndex) -> bool:
        """No: candidates are gathered among the indexed documents."""
        return False

    def index_key(self, parameters: TrustableParameters) -> str:
        """The parameters that shape the candidates."""
        p = parameters
        prints = f"{p.rotations}-{p.groups}-{p.members}-{p.cover}-{p.short_pages:d}-{p.rare_documents}-{p.windows}"
        shape = f"{p.min_sentence}-{prints}-{p.variants}"
        limits = f"{p.max_documents}-{p.template_documents}-{p.template_sites}-{p.transitive:d}-{p.max_candidates}"
        return f"{shape}-{limits}"

    def prepare(self, corpus: Corpus, parameters: TrustableParameters, folder: Path, progress: Progress) -> None:
        """Write the candidate pairs and the texts. Raises Cancelled."""
        from workbench.methods.trustable_lcs.index import write

        write(read_batches(corpus, self.indexed, progress), parameters, folder, progress)

    def load(self, folder: Path, parameters: TrustableParameters) -> TrustableIndex:
        """Open a prepared index, memory-mapped. Raises UserError if it is damaged."""
        from workbench.methods.trustable_lcs.index import TrustableIndex

        return TrustableIndex.load(folder, parameters)

    def detect(
        self, index: TrustableIndex, documents: Sequence[Document], parameters: TrustableParameters, progress: Progress
    ) -> Results:
        """Similar pairs of ``documents`` with the indexed documents before them."""
        from workbench.methods.trustable_lcs.index import find

        return find(index, documents, parameters, progress)

    def compare(self, a: Document, b: Document, parameters: TrustableParameters) -> Results:
        """The pair alone, by all three steps; no other page can make it a candidate."""
        from workbench.methods.trustable_lcs.index import pair_alone

        return pair_alone(a, b, parameters)

    def explain(
        self, a: Document, b: Document, parameters: TrustableParameters, index: TrustableIndex | None = None
    ) -> Explanation:
        """The step that rejected the pair, or that it is similar; with ``index``, also by the rules on frequency."""
        from workbench.methods.trustable_lcs.explain import explain

        return explain(a, b, parameters, index)


METHOD = TrustableLcs()
