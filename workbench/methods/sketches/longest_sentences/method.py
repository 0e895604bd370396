"""Longest sentences: documents whose signatures, a few of their longest sentences each, are alike."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import SENTENCES, Figure
from workbench.methods.sketches.longest_sentences.parameters import LongestSentencesParameters


class LongestSentences(CollectionMethod):
    """The method ``longest-sentences``. A pair's score is the resemblance of its documents' signatures: of the sets of
    their ``sentences`` longest distinct sentences, |A ∩ B| / |A ∪ B|.

    Sentences are compared and measured after folding; of equally long ones those with the smallest hash are taken, so
    that their order does not matter. Evidence: ``shared`` sentences, and the sentences of both signatures.
    """

    facts = Facts(
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
    )

    def index_key(self, parameters: LongestSentencesParameters) -> str:
        """The parameters that shape the signatures."""
        p = parameters
        return f"{p.compare}-{p.sentences}-{p.min_length}-{p.layout}-{p.kana:d}-{p.variants}-{p.ruby:d}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules of its index, its findings and its explanations."""
        from workbench.methods.sketches.longest_sentences import explain, index

        return index, index, explain


METHOD = LongestSentences()
