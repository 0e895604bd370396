"""Parameters of the method ``longest-sentences``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import FoldParameters


@dataclass(frozen=True)
class LongestSentencesParameters(FoldParameters):
    """Which sentences make a signature, and the share of equal ones at which a pair counts."""

    sentences: int = parameter(
        5, "Longest sentences of a document that make its signature", low=1, high=1000, unit="sentences"
    )
    min_length: int = parameter(
        10, "Sentences with fewer characters after folding are ignored", low=1, high=1000, unit="characters"
    )
    min_resemblance: float = parameter(
        0.5,
        "Resemblance of two signatures at which a pair counts; 1 for equal signatures",
        low=0.01,
        high=1.0,
        paper=1.0,
    )
    max_documents: int = parameter(
        1000,
        "A sentence in more documents finds no pairs by itself (it still counts in the pairs that others find)",
        low=2,
        high=10**9,
        unit="documents",
    )
    layout: str = parameter(
        "layout",
        "When a line end ends a sentence: where the layout says so, never, or always",
        choices=("layout", "never", "always"),
    )
