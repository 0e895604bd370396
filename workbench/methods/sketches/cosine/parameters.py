"""Parameters of the method ``cosine``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import TokenParameters


@dataclass(frozen=True)
class CosineParameters(TokenParameters):
    """Terms, their weights, and the cosine at which a pair counts."""

    k: int = parameter(2, "Length of a term", low=1, high=100, unit="tokens")
    min_cosine: float = parameter(0.8, "Cosine at which a pair counts", low=0.01, high=1.0)
    weights: str = parameter(
        "log",
        "Weight of a term in its document: its frequency, 1 + ln of that, or 1",
        choices=("once", "log", "frequency"),
        paper="frequency",
    )
    idf: bool = parameter(True, "Also weight each term by how few indexed documents contain it")
