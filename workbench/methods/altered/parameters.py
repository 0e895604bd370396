"""Parameters of the method ``altered``; the constants of the votes are in ``kernels.altered.votes``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import Parameters, parameter


@dataclass(frozen=True)
class AlteredParameters(Parameters):
    """Thresholds for a passage, and which documents are aligned."""

    min_odds: float = parameter(
        35.0,
        "Log-odds that both sides of a passage must reach; higher values find fewer passages with fewer errors",
        low=5.0,
        high=1000.0,
    )
    summaries: bool = parameter(True, "Also find passages that summarise a longer part of the source")
    min_cover: float = parameter(0.57, "Share of a summary's words that the source must explain", low=0.1, high=1.0)
    max_sources: int = parameter(
        200, "Sources aligned with one suspect, the likeliest first", low=1, high=100_000, unit="documents"
    )
    max_share: float = parameter(
        0.3,
        "Words in a larger share of the sources than this are not used to choose sources to align",
        low=0.001,
        high=1.0,
    )
    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("sources", "all")
    )
