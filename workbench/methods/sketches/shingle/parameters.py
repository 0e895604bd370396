"""Parameters of the method ``shingle``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import TokenParameters


@dataclass(frozen=True)
class ShingleParameters(TokenParameters):
    """Shingles, and the shares at which a pair counts."""

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
