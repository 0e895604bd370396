"""Winnowing: common strings, found by a few k-grams of each window."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import FINGERPRINTS, Figure
from workbench.methods.sketches.winnowing.parameters import WinnowingParameters


class Winnowing(CollectionMethod):
    """The method ``winnowing``. A match's score is the number of equal tokens.

    Evidence: equal ``tokens``, equal ``fingerprints`` among them, and the ``parts`` that were joined because they are
    on the same diagonal. Tier 0: identical; 1: identical after folding; 2: joined from parts.
    """

    facts = Facts(
        name="winnowing",
        version=1,
        summary="Common strings by the fingerprints that winnowing keeps",
        source="Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting (2003)",
        parameters=WinnowingParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message("Strings shorter than the window, and strings that were changed."),
        figures={
            "tokens": Figure(Message("Tokens in common")),
            "fingerprints": FINGERPRINTS,
            "parts": Figure(Message("Parts joined")),
        },
    )

    def index_key(self, parameters: WinnowingParameters) -> str:
        """The parameters that shape tokens and fingerprints."""
        return f"{parameters.compare}-{parameters.k}-{parameters.window}-{parameters.token_key}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules of its index, its findings and its explanations."""
        from workbench.methods.sketches.winnowing import explain, index

        return index, index, explain


METHOD = Winnowing()
