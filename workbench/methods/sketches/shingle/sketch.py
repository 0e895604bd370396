"""Sets of shingles, and the shares of their intersections."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.kernels.sketches.postings import CandidatePairs
from workbench.methods.sketches.columns import Columns
from workbench.methods.sketches.sets import SetSketch, shingle_evidence, shingle_sets
from workbench.methods.sketches.shingle import ShingleParameters
from workbench.methods.sketches.sketch import Measures


class Shingles(SetSketch):
    """All shingles of a document."""

    elements = Message("shingles")
    frequent = Message("shingles in more documents than the limit")
    only_frequent = Message("documents whose shingles are all in more documents than the limit")
    needed = (Message("resemblance"), "min_resemblance"), (Message("containment"), "min_containment")

    def encode(self, documents: Sequence[Document], parameters: ShingleParameters) -> Columns:
        """The sets."""
        return shingle_sets(documents, parameters)

    def evidence(
        self, mine: Columns, theirs: Columns, met: CandidatePairs, measures: Measures, parameters: ShingleParameters
    ) -> Measures:
        """The shares of the two sets."""
        return shingle_evidence(mine, theirs, met, measures)

    def remark(
        self, name: Message, documents: Sequence[Document], measures: Measures, parameters: ShingleParameters
    ) -> Message | None:
        """The containment in both directions."""
        if name == "resemblance":
            return None
        a, b = (set(self.encode([document], parameters)["sets"].values.tolist()) for document in documents)
        there, back = (f"{len(a & b) / len(own):.3f}" for own in (a, b))
        return Message("suspect in source {there}, source in suspect {back}", there=there, back=back)


SKETCH = Shingles()
