"""MinHash with banded locality-sensitive hashing: finds similar pairs without comparing all pairs."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.methods.core.api import Facts, parameter
from workbench.methods.core.figures import SHARED_SHINGLES, Figure, share
from workbench.methods.core.token_parameters import LetterParameters
from workbench.methods.sketches.method import SketchMethod


@dataclass(frozen=True)
class MinHashParameters(LetterParameters):
    """Signature, banding, and the resemblance at which a pair counts.

    A pair of resemblance s becomes a candidate with a probability of 1 - (1 - s^rows)^bands: with 64 bands of 3 rows,
    0.83 at s = 0.3 and 0.985 at 0.4.
    """

    k: int = parameter(4, "Length of a shingle", low=1, high=100, unit="tokens")
    bands: int = parameter(
        64, "Bands per signature; more bands also find less similar pairs", low=1, high=512, paper=32
    )
    rows: int = parameter(3, "Rows per band; with more rows, fewer pairs are found", low=1, high=64, paper=4)
    min_resemblance: float = parameter(0.4, "Resemblance at which a pair counts", low=0.01, high=1.0, paper=0.5)
    verify: str = parameter(
        "exact",
        "Compute the resemblance from the sets of shingles, or from the signatures",
        choices=("exact", "estimate"),
    )
    max_documents: int = parameter(
        1000, "Buckets with more documents than this are skipped", low=2, high=10**9, unit="documents"
    )
    min_bands: int = parameter(
        1, "Number of bands that a pair must have in common; 2 of 6 bands of 14 rows: super-shingles", low=1, high=512
    )
    min_equal_bits: float = parameter(
        0.0,
        "Also require this share of equal bits in the documents' 128-bit SimHash fingerprints; 0: not compared",
        low=0.0,
        high=1.0,
    )

    @property
    def permutations(self) -> int:
        """Length of a signature."""
        return self.bands * self.rows

    @property
    def has_bits(self) -> bool:
        """Whether SimHash fingerprints are also compared."""
        return self.min_equal_bits > 0


METHOD = SketchMethod(
    facts=Facts(
        name="minhash",
        version=3,
        summary="Resembling documents by MinHash signatures and banding",
        source="Broder: On the Resemblance and Containment of Documents (1997)",
        parameters=MinHashParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Partial copies; pairs near the threshold may be missed by chance."),
        figures={
            **SHARED_SHINGLES,
            "estimate": Figure(Message("Resemblance"), Message("estimated from the sketch"), share),
            "bands": Figure(Message("Bands in common")),
            "equal_bits": Figure(Message("Equal bits"), Message("of the SimHash fingerprints"), share),
        },
    ),
    shaping=("k", "bands", "rows", "verify", "has_bits"),
    extends=True,
    warm_up=({}, {"verify": "estimate"}, {"min_equal_bits": 0.9}),
)
"""The method ``minhash``. A pair's score is its resemblance, exact or estimated.

Evidence: distinct shingles of both documents, the number shared, the containment of ``b`` in ``a``, the
``estimate`` of the resemblance by the signatures, and the ``bands`` in common. Shared shingles and containment are
estimates if the resemblance is.
"""
