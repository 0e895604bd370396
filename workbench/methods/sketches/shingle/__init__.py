"""Shingling: exact resemblance and containment of the sets of token k-grams, by an inverted index."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.methods.core.api import Facts, parameter
from workbench.methods.core.figures import SHARED_SHINGLES
from workbench.methods.core.token_parameters import LetterParameters
from workbench.methods.sketches.method import SketchMethod


@dataclass(frozen=True)
class ShingleParameters(LetterParameters):
    """Shingles, and the shares at which a pair counts."""

    k: int = parameter(4, "Length of a shingle", low=1, high=100, unit="tokens")
    min_resemblance: float = parameter(
        0.4, "Resemblance at which a pair counts; above 1: never", low=0.01, high=1.01, paper=0.5
    )
    min_containment: float = parameter(
        0.9, "Containment, in either direction, at which a pair counts; above 1: never", low=0.01, high=1.01
    )
    max_documents: int = parameter(
        1000,
        "A shingle that occurs in more documents finds no pairs by itself (it still counts in pairs found by others)",
        low=2,
        high=10**9,
        unit="documents",
    )


METHOD = SketchMethod(
    facts=Facts(
        name="shingle",
        version=3,
        summary="Resemblance and containment of sets of token k-grams",
        source="Broder: On the Resemblance and Containment of Documents (1997)",
        parameters=ShingleParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Short copies inside long documents."),
        figures=SHARED_SHINGLES,
    ),
    shaping=("k",),
    extends=True,
    warm_up=({}, {"tokens": "segmented"}),
)
"""The method ``shingle``. A pair's score is its resemblance.

Evidence: distinct shingles of both documents, the number shared, and the containment of ``b`` in ``a``;
``containment`` is that of ``a`` in ``b``. A document of fewer than k tokens has one shingle, the whole document.
Shares are exact up to collisions of 64-bit hashes.
"""
