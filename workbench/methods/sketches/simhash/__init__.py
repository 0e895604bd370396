"""SimHash: documents whose fingerprints differ in few bits."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import Figure, share
from workbench.methods.sketches.simhash.parameters import SimHashParameters

_FORM = 2
"""The layout of an index; part of its key, so that other layouts are rebuilt."""


class SimHash(CollectionMethod):
    """The method ``simhash``. A pair's score is the share of equal bits.

    Evidence: ``distance`` in bits, ``bits``, and the ``cosine`` between the feature vectors that they imply (Charikar's
    estimate, cos(pi · distance / bits)).
    """

    facts = Facts(
        name="simhash",
        version=2,
        summary="Documents whose SimHash fingerprints differ in few bits",
        source="Charikar: Similarity Estimation Techniques from Rounding Algorithms (2002)",
        parameters=SimHashParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Partial copies."),
        figures={
            "distance": Figure(Message("Bits that differ")),
            "bits": Figure(Message("Bits of a fingerprint")),
            "cosine": Figure(Message("Cosine"), Message("estimated from the bits"), share),
        },
    )
    warm_up = ({}, {"search": "tables", "weights": "keywords"})

    def index_key(self, parameters: SimHashParameters) -> str:
        """The parameters that shape fingerprints and tables."""
        p = parameters
        return f"{p.compare}-{p.bits}-{p.max_distance}-{p.k}-{p.weights}-{p.keywords}-{p.search}-{p.token_key}-{_FORM}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules that index, find and explain."""
        from workbench.methods.sketches.simhash import index

        return index, index, index


METHOD = SimHash()
