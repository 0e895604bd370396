"""Parameters of the method ``minhash``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import TokenParameters


@dataclass(frozen=True)
class MinHashParameters(TokenParameters):
    """Signature, banding, and the resemblance at which a pair counts.

    A pair of resemblance s becomes a candidate with a probability of 1 - (1 - s^rows)^bands: with 32 bands of 4 rows
    0.87 at s = 0.5 and 0.999 at 0.65.
    """

    k: int = parameter(4, "Length of a shingle", low=1, high=100, unit="tokens")
    bands: int = parameter(32, "Bands of the signature; more bands find less similar pairs", low=1, high=512)
    rows: int = parameter(4, "Rows of a band; more rows leave out less similar pairs", low=1, high=64)
    min_resemblance: float = parameter(0.5, "Resemblance at which a pair counts", low=0.01, high=1.0)
    verify: str = parameter(
        "exact",
        "Compute the resemblance from the sets of shingles, or from the signatures",
        choices=("exact", "estimate"),
    )
    max_documents: int = parameter(
        1000, "Buckets with more documents than this are skipped", low=2, high=10**9, unit="documents"
    )

    @property
    def permutations(self) -> int:
        """Length of a signature."""
        return self.bands * self.rows
