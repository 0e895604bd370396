"""Parameters of the method ``translated``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.options import FILE
from workbench.methods.core.api import Parameters, parameter


@dataclass(frozen=True)
class TranslatedParameters(Parameters):
    """Recognition of translated sentences, and requirements for a passage."""

    min_odds: float = parameter(
        18.0,
        "Log-odds that a passage must reach; higher values find fewer passages with fewer errors",
        low=4.0,
        high=1000.0,
    )
    model: str = parameter(
        "",
        "A multilingual sentence model (an ONNX file, with tokenizer.json in the same folder; optional part "
        "palimpsest[translations]); without one, only words written alike in both languages are compared",
        kind=FILE,
    )
    min_similarity: float = parameter(
        0.6,
        "Minimum cosine of the vectors of two sentences for them to count as translations of each other; "
        "depends on the model",
        low=0.0,
        high=1.0,
    )
    dictionary: str = parameter(
        "",
        "A text file (UTF-8) with words that mean the same on each line, separated by tabs; not used with a model",
        kind=FILE,
    )
    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("sources", "all")
    )
    max_sources: int = parameter(
        200, "Sources aligned with one suspect, the likeliest first", low=1, high=100_000, unit="documents"
    )
