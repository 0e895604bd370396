"""Longest sentences: documents with similar signatures, which are their few longest sentences."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.methods.core.api import Facts, parameter
from workbench.methods.core.figures import SENTENCES, Figure
from workbench.methods.core.token_parameters import FoldParameters
from workbench.methods.sketches.method import SketchMethod


@dataclass(frozen=True)
class LongestSentencesParameters(FoldParameters):
    """Which sentences make a signature, and the share of equal ones at which a pair counts."""

    sentences: int = parameter(
        5, "Longest sentences of a document that form its signature", low=1, high=1000, unit="sentences"
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
        "A sentence that occurs in more documents finds no pairs by itself (it still counts in pairs found by others)",
        low=2,
        high=10**9,
        unit="documents",
    )
    layout: str = parameter(
        "layout",
        "When a line end ends a sentence: where the layout indicates it, never, or always",
        choices=("layout", "never", "always"),
    )


METHOD = SketchMethod(
    facts=Facts(
        name="longest-sentences",
        version=1,
        summary="Documents whose longest sentences are the same",
        source="Wen Hui: a survey of text fingerprints (InfoQ China, 2016), which names the signature",
        parameters=LongestSentencesParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Partial copies, and copies whose longest sentences were changed."),
        figures={
            "shared_sentences": SENTENCES,
            "longest_a": Figure(Message("Longest sentences of the suspect")),
            "longest_b": Figure(Message("Longest sentences of the source")),
        },
    ),
    shaping=("sentences", "min_length", "layout"),
)
"""The method ``longest-sentences``. A pair's score is the resemblance of its documents' signatures: of the sets of
their ``sentences`` longest distinct sentences, |A ∩ B| / |A ∪ B|.

Sentences are compared and measured after folding; of equally long ones those with the smallest hash are used, so
that order does not matter. Evidence: ``shared`` sentences, and the sentences of both signatures.
"""
