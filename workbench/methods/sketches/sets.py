"""Documents as sets of hashes (of shingles, of sentences), whose elements are the keys by which candidates are found.

Source: Broder, On the resemblance and containment of documents (1997), section 2: resemblance |A ∩ B| / |A ∪ B| (the
Jaccard coefficient), containment of A in B |A ∩ B| / |A|.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results
from workbench.kernels.sketches.postings import CandidatePairs
from workbench.kernels.sketches.shingles import Rows, distinct, shared
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches.columns import Columns, Keys
from workbench.methods.sketches.sketch import Index, Lookup, Measures, PairSketch


class SetSketch(PairSketch):
    """A method whose column ``sets`` contains the elements of each document: distinct, ascending.

    ``only_frequent``: the reason under which documents with only too frequent elements are counted.
    """

    counts_frequent = True
    only_frequent: Message

    def keys(self, columns: Columns, parameters: Any) -> Keys:
        """Every element."""
        sets: Rows = columns["sets"]
        return sets

    def measure(self, mine: Columns, theirs: Columns, met: CandidatePairs, parameters: Any) -> Measures:
        """Resemblance, and the greater containment."""
        a, b = mine["size"][met.mine], theirs["size"][met.other]
        return {"resemblance": met.lists / (a + b - met.lists), "containment": met.lists / np.minimum(a, b)}

    def candidates(
        self, index: Index, lookup: Lookup, met: CandidatePairs, parameters: Any
    ) -> tuple[CandidatePairs, Measures]:
        """The number of common elements is that of common lists, plus the common frequent elements, which are counted
        here.
        """
        frequent, own, theirs = lookup.frequent, lookup.columns, index.columns
        if frequent.any():
            most = CandidatePairs(met.mine, met.other, met.lists + frequent[met.mine])
            met = met.take(self.reaching(self.measure(own, theirs, most, parameters), parameters))
            unsure = frequent[met.mine] > 0
            some = met.take(unsure)
            met.lists[unsure] = shared(own["sets"], some.mine, theirs["sets"], some.other)
        return met, self.measure(own, theirs, met, parameters)

    def results_of(self, index: Index, lookup: Lookup, parameters: Any, progress: Progress) -> Results:
        """The pairs that meet a requirement. Raises Cancelled."""
        size = lookup.columns["size"]
        only_frequent = int(((lookup.frequent == size) & (size > 0)).sum())
        pairs = super().results_of(index, lookup, parameters, progress).pairs
        return Results(pairs=pairs, excluded={self.only_frequent: only_frequent})


def shingle_sets(documents: Sequence[Document], parameters: Any) -> Columns:
    """Distinct shingles of each document."""
    sets = distinct(shingle_rows(documents, parameters, parameters.k))
    return {"sets": sets, "size": sets.sizes}


def shingle_evidence(mine: Columns, theirs: Columns, met: CandidatePairs, measures: Measures) -> Measures:
    """The evidence of pairs with ``shared`` common shingles (a fraction if estimated), otherwise as many as lists."""
    a, b, both = mine["size"][met.mine], theirs["size"][met.other], measures.get("shared", met.lists)
    return {
        "resemblance": measures["resemblance"],
        "containment": np.minimum(1, both / a),
        "shared": np.rint(both).astype(np.int64),
        "shingles_a": a,
        "shingles_b": b,
        "containment_b": np.round(np.minimum(1, both / b), 6),
    }
