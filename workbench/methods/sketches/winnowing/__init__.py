"""Winnowing: common strings, found by a few k-grams of each window."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message
from workbench.methods.core.api import Facts, parameter
from workbench.methods.core.figures import FINGERPRINTS, Figure
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.sketches.method import SketchMethod


@dataclass(frozen=True)
class WinnowingParameters(TokenParameters):
    """k-grams, windows, joining, and the minimum length of a match.

    Strings of fewer than k tokens are never found, strings of window + k - 1 tokens or more are always found. The
    defaults suit Chinese and Japanese, where a token is a character; for words k = 6 and a window of 4 find shorter
    borrowings.
    """

    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("all", "sources")
    )
    k: int = parameter(13, "Length of a k-gram; shorter strings are not found", low=1, high=100, unit="tokens")
    window: int = parameter(8, "Number of consecutive k-grams of which one is kept", low=1, high=1000)
    gap: int = parameter(
        4, "Strings separated by at most this many replaced tokens are one passage", low=0, high=1000, unit="tokens"
    )
    min_tokens: int = parameter(
        0,
        "Minimum number of equal tokens in a match; 0 for window + k - 1, from which all are found",
        low=0,
        high=10**6,
    )
    max_places: int = parameter(
        1000, "A k-gram that occurs more often than this in the documents is not used", low=1, high=10**9, unit="places"
    )

    @property
    def guaranteed(self) -> int:
        """Length, in tokens, from which common strings are always found."""
        return self.window + self.k - 1

    @property
    def least(self) -> int:
        """Minimum number of equal tokens of a match."""
        return self.min_tokens or self.guaranteed


METHOD = SketchMethod(
    facts=Facts(
        name="winnowing",
        version=2,
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
    ),
    shaping=("k", "window"),
)
"""The method ``winnowing``. A match's score is the number of equal tokens.

Evidence: equal ``tokens``, equal ``fingerprints`` among them, and the ``parts`` that were joined because they are
on the same diagonal. Tier 0: identical; 1: identical after folding; 2: joined from parts.
"""
