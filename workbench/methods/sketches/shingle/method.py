"""Shingling: exact resemblance and containment of the sets of token k-grams, by an inverted index."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import SHARED_SHINGLES
from workbench.methods.sketches.shingle.parameters import ShingleParameters


class Shingling(CollectionMethod):
    """The method ``shingle``. A pair's score is its resemblance.

    Evidence: distinct shingles of both documents, how many they share, and the containment of ``b`` in ``a``;
    ``containment`` is that of ``a`` in ``b``. A document of fewer than k tokens has one shingle, the whole document.
    Shares are exact up to collisions of 64-bit hashes.
    """

    facts = Facts(
        name="shingle",
        version=2,
        summary="Resemblance and containment of sets of token k-grams",
        source="Broder: On the Resemblance and Containment of Documents (1997)",
        parameters=ShingleParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Short copies inside long documents."),
        figures=SHARED_SHINGLES,
    )
    warm_up = ({}, {"tokens": "segmented"})

    def index_key(self, parameters: ShingleParameters) -> str:
        """The parameters that shape the sets."""
        return f"{parameters.compare}-{parameters.k}-{parameters.token_key}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules of its index, its findings and its explanations."""
        from workbench.methods.sketches.shingle import explain, index

        return index, index, explain


METHOD = Shingling()
