"""MinHash with banded locality-sensitive hashing: finds pairs that resemble each other without comparing all pairs."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import SHARED_SHINGLES, Figure, share
from workbench.methods.sketches.minhash.parameters import MinHashParameters


class MinHash(CollectionMethod):
    """The method ``minhash``. A pair's score is its resemblance, exact or estimated.

    Evidence: distinct shingles of both documents, how many they share, the containment of ``b`` in ``a``, the
    ``estimate`` of the resemblance by the signatures, and the ``bands`` in common. Shared shingles and containment are
    estimates if the resemblance is.
    """

    facts = Facts(
        name="minhash",
        version=2,
        summary="Resembling documents by MinHash signatures and banding",
        source="Broder: On the Resemblance and Containment of Documents (1997)",
        parameters=MinHashParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Partial copies; pairs near the threshold may be missed by chance."),
        figures={
            **SHARED_SHINGLES,
            "estimate": Figure(Message("Resemblance"), Message("estimated from the sketch"), share),
            "bands": Figure(Message("Bands in common")),
        },
    )
    warm_up = ({}, {"verify": "estimate"})

    def index_key(self, parameters: MinHashParameters) -> str:
        """The parameters that shape signatures and bands."""
        p = parameters
        return f"{p.compare}-{p.k}-{p.bands}-{p.rows}-{p.verify}-{p.token_key}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules of its index, its findings and its explanations."""
        from workbench.methods.sketches.minhash import explain, index

        return index, index, explain


METHOD = MinHash()
